//===- DoctorTrial.cpp - A program compiled and run in process ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the text of a matrix product. Out: its numbers, compared with those
// worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "DoctorTrial.h"
#include "AIKernel/Pipeline/Compiler.h"
#include "Machine.h"
#include <chrono>

using namespace aikc;
using namespace aikernel;

static const char kProgram[] = R"mlir(
func.func @trial(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %c = aikernel.matmul %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}
)mlir";

static aik_tensor makeTensor(float *data, int64_t rows, int64_t columns) {
  aik_tensor tensor = {};
  tensor.data = data;
  tensor.dtype = AIK_F32;
  tensor.rank = 2;
  tensor.dims[0] = rows;
  tensor.dims[1] = columns;
  tensor.strides[0] = columns;
  tensor.strides[1] = 1;
  return tensor;
}

/// Loads and runs; gives the name of the step that failed, or null.
static const char *runArtifact(aik_runtime *runtime, const std::string &bytes,
                               std::string &image, float (&c)[4]) {
  aik_handle artifact, device, module;
  if (aik_artifact_open_memory(runtime, bytes.data(), bytes.size(), &artifact) <
      0)
    return "reading the artifact";
  if (aik_device_open(runtime, "cpu", &device) < 0)
    return "opening the device";
  if (aik_module_load(runtime, artifact, device, nullptr, &module) < 0)
    return "loading the image";
  int32_t function = aik_artifact_find_function(runtime, artifact, "trial");
  if (function < 0)
    return "finding the function";
  float a[] = {1, 2, 3, 4, 5, 6};
  float b[] = {7, 8, 9, 10, 11, 12};
  aik_tensor args[] = {makeTensor(a, 2, 3), makeTensor(b, 3, 2)};
  aik_tensor result = makeTensor(c, 2, 2);
  if (aik_function_run(runtime, module, function, args, 2, &result, 1,
                       nullptr) < 0)
    return "running the function";
  aik_module_info info = {};
  AIK_INIT(&info);
  aik_image_info imageInfo = {};
  AIK_INIT(&imageInfo);
  if (aik_module_describe(runtime, module, &info) < 0 ||
      aik_artifact_image(runtime, artifact, info.image, &imageInfo) < 0)
    return "asking for the image";
  image = imageInfo.target;
  return nullptr;
}

TrialResult aikc::runTrial() {
  TrialResult trial;
  CompileOptions options;
  std::string complaint;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (complaint.empty() && diagnostic.severity == Severity::Error)
      complaint = formatCode(diagnostic.code) + ": " + diagnostic.message;
  };
  auto start = std::chrono::steady_clock::now();
  CompileResult compiled = Compiler().compile(kProgram, "trial", options);
  trial.compileMilliseconds = std::chrono::duration<double, std::milli>(
                                  std::chrono::steady_clock::now() - start)
                                  .count();
  if (!compiled) {
    trial.problem = "a matrix product does not compile: " + complaint;
    return trial;
  }
  RuntimeHandle runtime;
  float c[4] = {};
  const char *step = "starting the runtime";
  if (runtime.open() >= 0)
    step = runArtifact(runtime.get(), compiled.bytes, trial.image, c);
  if (step) {
    trial.problem = std::string(step) + " failed: " + aik_fault_message();
    return trial;
  }
  const float expected[] = {58, 64, 139, 154};
  for (int i = 0; i < 4; ++i)
    if (c[i] != expected[i])
      trial.problem = "a matrix product gives wrong numbers";
  return trial;
}
