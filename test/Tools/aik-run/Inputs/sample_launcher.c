//===- sample_launcher.c - The same functions as kernels of a GPU ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launcher (Entry.h) for the fake CUDA driver: f$run launches a kernel whose
// parameters are all tensors of the call, and whose twin is the host's f$run.
// f$prepare is the host's as well, which only the fake's memory allows.
//
//===----------------------------------------------------------------------===//

#define LAUNCHER
#include "sample_kernels.c"

// What a compiler may call on its own.
__attribute__((visibility("hidden"))) void *memset(void *to, int value,
                                                   __SIZE_TYPE__ bytes) {
  for (__SIZE_TYPE__ i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = (char)value;
  return to;
}
__attribute__((visibility("hidden"))) void *memcpy(void *to, const void *from,
                                                   __SIZE_TYPE__ bytes) {
  for (__SIZE_TYPE__ i = 0; i < bytes; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

enum { max_tensors = 3 };

typedef struct job {
  aik_device_status *status;
  void *workspace;
  int64_t scalar; /* of the one rank-0 argument */
  aik_tensor tensors[max_tensors];
} job;

static int32_t serially(env_t env, int64_t count, aik_parallel_body body,
                        void *captures) {
  (void)env;
  return body(captures, 0, count);
}
static int32_t fail_check(env_t env, int32_t code, const char *text) {
  (void)text;
  ((aik_device_status *)env->context)->check = 1;
  return -code;
}

#define KERNEL(NAME, NUMBER, ARGS, RESULTS)                                    \
  int32_t NAME##$run(env_t env, args_t a, aik_tensor *r, void *workspace) {    \
    job one = {0, workspace, 0, {{0}}};                                        \
    for (int i = 0; i < ARGS; ++i) {                                           \
      one.tensors[i] = a[i];                                                   \
      if (a[i].rank == 0)                                                      \
        one.scalar = *(int64_t *)a[i].data;                                    \
    }                                                                          \
    for (int i = 0; i < RESULTS; ++i)                                          \
      one.tensors[ARGS + i] = r[i];                                            \
    return env->launch(env, NUMBER, 1, &one);                                  \
  }                                                                            \
  static void NAME##_twin(int64_t blocks, void *parameters) {                  \
    job *one = parameters;                                                     \
    aik_env env = {sizeof(env), 1, one->status, serially, fail_check, 0, 0};   \
    (void)blocks;                                                              \
    for (int i = 0; i < ARGS; ++i)                                             \
      if (one->tensors[i].rank == 0)                                           \
        one->tensors[i].data = &one->scalar;                                   \
    if (one->status->check == 0)                                               \
      NAME##_on_device(&env, one->tensors, one->tensors + ARGS,                \
                       one->workspace);                                        \
  }
#define ROW(NAME)                                                              \
  {#NAME "_kernel",   128, 1,          0, sizeof(job) / 8,                     \
   AIK_KERNEL_STATUS, 0,   NAME##_twin}

KERNEL(add_one, 0, 1, 1)
KERNEL(matmul, 1, 2, 1)
KERNEL(affine, 2, 2, 1)
KERNEL(gather, 3, 2, 1)
KERNEL(divide, 4, 2, 1)
KERNEL(bump, 5, 1, 0)

const aik_kernel aik$kernels[] = {ROW(add_one),
                                  ROW(matmul),
                                  ROW(affine),
                                  ROW(gather),
                                  ROW(divide),
                                  ROW(bump),
                                  {0, 0, 0, 0, 0, 0, 0, 0}};
const aik_device_check aik$checks[] = {
    {"an argument is out of range", AIK_EINVAL, 0}, {0, 0, 0}};
