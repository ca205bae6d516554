//===- main.cpp - A compiler inside somebody else's program ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the text of a program, as another compiler might produce it. Out: the
// program compiled in memory for this machine, loaded, run, and its numbers
// printed. A wrong program follows, to show how its error arrives.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"
#include "AIKernel/Pipeline/Compiler.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

static const char kProgram[] = R"mlir(
func.func @layer(%x: tensor<?x4xf32>, %w: tensor<4x3xf32> {aikernel.weight}, %b: tensor<3xf32>) -> tensor<?x3xf32> {
  %y = aikernel.linear %x, %w bias %b {activation = #aikernel.activation<relu>} : (tensor<?x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
)mlir";

static const char kWrongProgram[] = R"mlir(
func.func @f(%x: tensor<2x4xf32>, %w: tensor<5x3xf32>) -> tensor<2x3xf32> {
  %y = aikernel.matmul %x, %w : (tensor<2x4xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
)mlir";

/// Prints the runtime's sentence and leaves when a call failed.
static int64_t check(int64_t status, const char *what) {
  if (status >= 0)
    return status;
  std::fprintf(stderr, "%s: %s\n", what, aik_fault_message());
  std::exit(1);
}

static aik_tensor describe(std::vector<float> &data,
                           std::vector<int64_t> dims) {
  aik_tensor tensor = {};
  tensor.data = data.data();
  tensor.dtype = AIK_F32;
  tensor.rank = dims.size();
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    tensor.dims[i] = dims[i];
    tensor.strides[i] = stride;
    stride *= dims[i];
  }
  return tensor;
}

int main() {
  aikernel::Compiler compiler;
  aikernel::CompileOptions options;
  options.onDiagnostic = [](const aikernel::Diagnostic &diagnostic) {
    std::printf("%s:%u: %s\n", diagnostic.file.c_str(), diagnostic.line,
                aikernel::formatCode(diagnostic.code).c_str());
  };
  aikernel::CompileResult compiled =
      compiler.compile(kProgram, "layer.mlir", options);
  if (!compiled)
    return 1;

  aik_runtime *runtime;
  aik_handle artifact, device, module;
  check(aik_runtime_open(nullptr, &runtime), "runtime");
  check(aik_artifact_open_memory(runtime, compiled.bytes.data(),
                                 compiled.bytes.size(), &artifact),
        "artifact");
  check(aik_device_open(runtime, "cpu", &device), "device");
  check(aik_module_load(runtime, artifact, device, nullptr, &module), "module");
  uint32_t layer =
      check(aik_artifact_find_function(runtime, artifact, "layer"), "layer");

  std::vector<float> x = {1, 2, 3, 4, -1, -2, -3, -4};
  std::vector<float> w = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  std::vector<float> b = {10, 20, -30};
  aik_tensor args[] = {describe(x, {2, 4}), describe(w, {4, 3}),
                       describe(b, {3})};
  aik_tensor result = {};
  check(aik_function_shape(runtime, module, layer, args, 3, &result, 1),
        "shape");
  std::vector<float> y(result.dims[0] * result.dims[1]);
  result.data = y.data();
  check(aik_function_run(runtime, module, layer, args, 3, &result, 1, nullptr),
        "run");
  for (int64_t row = 0; row < result.dims[0]; ++row)
    std::printf("%g %g %g\n", y[3 * row], y[3 * row + 1], y[3 * row + 2]);
  check(aik_runtime_close(runtime), "close");

  // The same compiler object goes on after an error.
  bool refused = !compiler.compile(kWrongProgram, "wrong.mlir", options);
  return refused ? 0 : 1;
}
