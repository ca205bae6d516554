//===- two_objects.c - Calls a compiled function without the runtime ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: scale.o and its header. Out: twice 1, 2, 3, 4 on stdout. The environment
// runs parallel loops in the calling thread.
//
//===----------------------------------------------------------------------===//

#include "scale.h"
#include <stdio.h>
#include <string.h>

static int32_t runHere(const aik_env *env, int64_t count,
                       aik_parallel_body body, void *captures) {
  return body(captures, 0, count);
}

int main(void) {
  aik_env env;
  memset(&env, 0, sizeof env);
  env.size = sizeof env;
  env.version = AIK_ENTRY_ABI_VERSION;
  env.parallel_for = runHere;
  float x[4] = {1, 2, 3, 4}, y[4] = {0};
  aik_tensor argument = {x, AIK_F32, 1, {4}, {1}}, result;
  if (scale_shape(&env, &argument, &result) != 0 || result.dims[0] != 4)
    return 1;
  result.data = y;
  if (scale_workspace(&env, &argument) != 0 ||
      scale_run(&env, &argument, &result, 0) != 0)
    return 2;
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  return 0;
}
