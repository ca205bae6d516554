//===- main.c - The same from C -------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the text of a program. Out: compiled through AIKernel-c/Compiler.h, run
// through AIKernel-c/Runtime.h, and its numbers printed.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Compiler.h"
#include "AIKernel-c/Runtime.h"
#include <stdio.h>
#include <string.h>

static const char program[] =
    "func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %y = arith.addf %x, %x : tensor<4xf32>\n"
    "  return %y : tensor<4xf32>\n"
    "}\n";

static int fail(aik_error *error) {
  fprintf(stderr, "%s\n", aik_error_message(error));
  aik_error_destroy(error);
  return 1;
}

static int failToRun(void) {
  fprintf(stderr, "%s\n", aik_fault_message());
  return 1;
}

int main(void) {
  aik_session *session;
  aik_source *source;
  aik_output *output;
  aik_error *error;
  if ((error = aik_session_create(AIK_COMPILER_VERSION, &session)))
    return fail(error);
  if ((error = aik_source_from_memory(program, strlen(program), "twice.mlir",
                                      &source)))
    return fail(error);
  if ((error = aik_compile(session, source, &output)))
    return fail(error);

  aik_runtime *runtime;
  aik_handle artifact, device, module;
  if (aik_runtime_open(NULL, &runtime) < 0 ||
      aik_artifact_open_memory(runtime, aik_output_bytes(output),
                               aik_output_size(output), &artifact) < 0 ||
      aik_device_open(runtime, "cpu", &device) < 0 ||
      aik_module_load(runtime, artifact, device, NULL, &module) < 0)
    return failToRun();
  int32_t function = aik_artifact_find_function(runtime, artifact, "twice");
  float x[] = {1, 2, 3, 4}, y[4];
  aik_tensor argument = {x, AIK_F32, 1, {4}, {1}};
  aik_tensor result = {y, AIK_F32, 1, {4}, {1}};
  if (function < 0 || aik_function_run(runtime, module, (uint32_t)function,
                                       &argument, 1, &result, 1, NULL) < 0)
    return failToRun();
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);

  aik_runtime_close(runtime);
  aik_output_destroy(output);
  aik_source_destroy(source);
  aik_session_destroy(session);
  return 0;
}
