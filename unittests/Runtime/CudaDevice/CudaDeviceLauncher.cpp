//===- CudaDeviceLauncher.cpp - The launcher of kernels.ptx ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per kernel of kernels.ptx, and `many`, which launches the empty
// one 64 times; with twins, so that the test also runs on the fake driver.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define ENTRY(result, name, symbol, parameters)                                \
  EXPORT result name parameters __asm__(symbol);                               \
  result name parameters

namespace {
enum Number : uint32_t {
  Add,
  Null,
  Poke,
  Check,
  Shared,
  Cluster,
  After,
  Map,
  Crowd
};

uint64_t word(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}
float *floats(uint64_t address) { return reinterpret_cast<float *>(address); }
uint64_t *words(void *parameters) {
  return static_cast<uint64_t *>(parameters);
}
int64_t scalar(const aik_tensor &tensor) {
  return *static_cast<int64_t *>(tensor.data);
}

void addTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  for (uint64_t i = 0; i < p[3]; ++i)
    floats(p[2])[i] = floats(p[0])[i] + floats(p[1])[i];
}
void nullTwin(int64_t, void *) {}
void checkTwin(int64_t, void *parameters) {
  auto *status = reinterpret_cast<aik_device_status *>(words(parameters)[0]);
  if (status->check == 0)
    status->check = uint32_t(words(parameters)[1]);
}
void sharedTwin(int64_t, void *parameters) {
  for (int i = 0; i < 64; ++i)
    floats(words(parameters)[0])[i] = float(63 - i);
}
void clusterTwin(int64_t blocks, void *parameters) {
  for (int64_t i = 0; i < blocks; ++i)
    floats(words(parameters)[0])[i] = 2;
}
void afterTwin(int64_t, void *parameters) {
  for (int i = 0; i < 64; ++i)
    floats(words(parameters)[0])[i] += 1;
}
/// Eight columns and four rows from column 4 and row 1 on, with zeros outside.
void mapTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  for (uint64_t i = 0; i < 32; ++i) {
    uint64_t column = 4 + i % 8, row = 1 + i / 8;
    floats(p[16])[i] =
        column < p[1] && row < p[2] ? floats(p[0] + row * p[6])[column] : 0;
  }
}
void crowdTwin(int64_t blocks, void *parameters) {
  for (int64_t i = 0; i < blocks; ++i)
    floats(words(parameters)[0])[i] = float(words(parameters)[1]);
}
} // namespace

EXPORT const aik_kernel kernelTable[] __asm__("aik$kernels");
const aik_kernel kernelTable[] = {
    {"kernel_add", 128, 1, 0, 4, 0, 0, addTwin},
    {"kernel_null", 32, 1, 0, 1, 0, 0, nullTwin},
    {"kernel_poke", 1, 1, 0, 1, 0, 0, nullTwin},
    {"kernel_check", 1, 1, 0, 2, AIK_KERNEL_STATUS, 0, checkTwin},
    {"kernel_shared", 64, 1, 102400, 1, 0, 0, sharedTwin},
    {"kernel_cluster", 32, 2, 0, 1, 0, 0, clusterTwin},
    {"kernel_after", 64, 1, 0, 1, AIK_KERNEL_OVERLAPS, 0, afterTwin},
    {"kernel_map", 32, 1, 0, 18, AIK_KERNEL_TENSOR_MAPS, 0, mapTwin},
    {"kernel_crowd", 256, 2, 102400, 2, AIK_KERNEL_RESIDENT, 0, crowdTwin},
    {nullptr, 0, 0, 0, 0, 0, 0, nullptr}};

EXPORT const aik_tensor_map mapTable[] __asm__("aik$maps");
const aik_tensor_map mapTable[] = {
    {"kernel_map", 0, AIK_F32, 2, 0, 128, {8, 4, 1, 1, 1}},
    {nullptr, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0}}};

EXPORT const aik_device_check checkTable[] __asm__("aik$checks");
const aik_device_check checkTable[] = {
    {"the first check failed", AIK_ERANGE, 0},
    {"the second check failed", AIK_EINVAL, 0},
    {nullptr, 0, 0}};

/// Everything but f$run of a function without results.
#define PLAIN(prefix, function)                                                \
  ENTRY(int32_t, prefix##Shape, function "$shape",                             \
        (const aik_env *, const aik_tensor *, aik_tensor *)) {                 \
    return 0;                                                                  \
  }                                                                            \
  REST(prefix, function)
#define REST(prefix, function)                                                 \
  ENTRY(int64_t, prefix##Workspace, function "$workspace",                     \
        (const aik_env *, const aik_tensor *)) {                               \
    return 0;                                                                  \
  }                                                                            \
  ENTRY(int64_t, prefix##Prepare, function "$prepare",                         \
        (const aik_env *, const aik_tensor *, aik_tensor *, void *)) {         \
    return 0;                                                                  \
  }                                                                            \
  ENTRY(int32_t, prefix##Cost, function "$cost",                               \
        (const aik_env *, const aik_tensor *, aik_cost *cost)) {               \
    cost->flops = cost->bytes = 0;                                             \
    return 0;                                                                  \
  }
#define RUN(prefix, function)                                                  \
  ENTRY(int32_t, prefix##Run, function "$run",                                 \
        (const aik_env *env, const aik_tensor *args, aik_tensor *results,      \
         void *))

ENTRY(int32_t, addShape, "add$shape",
      (const aik_env *, const aik_tensor *args, aik_tensor *results)) {
  results[0].dtype = AIK_F32;
  results[0].rank = 1;
  results[0].dims[0] = args[0].dims[0];
  results[0].strides[0] = 1;
  return 0;
}
REST(add, "add")
RUN(add, "add") {
  int64_t count = args[0].dims[0];
  uint64_t parameters[] = {word(args[0].data), word(args[1].data),
                           word(results[0].data), uint64_t(count)};
  return env->launch(env, Add, (count + 127) / 128, parameters);
}

PLAIN(nothing, "nothing")
RUN(nothing, "nothing") {
  (void)results;
  uint64_t parameters[] = {word(args[0].data)};
  return env->launch(env, Null, 1, parameters);
}

PLAIN(many, "many")
RUN(many, "many") {
  (void)results;
  for (int i = 0; i < 64; ++i) {
    uint64_t parameters[] = {word(args[0].data)};
    if (int32_t status = env->launch(env, Null, 1, parameters))
      return status;
  }
  return 0;
}

PLAIN(poke, "poke")
RUN(poke, "poke") {
  (void)results;
  uint64_t parameters[] = {uint64_t(scalar(args[0]))};
  return env->launch(env, Poke, 1, parameters);
}

PLAIN(check, "check")
RUN(check, "check") {
  (void)results;
  uint64_t parameters[] = {0, uint64_t(scalar(args[0]))};
  return env->launch(env, Check, 1, parameters);
}

PLAIN(shared, "shared")
RUN(shared, "shared") {
  (void)results;
  uint64_t parameters[] = {word(args[0].data)};
  return env->launch(env, Shared, 1, parameters);
}

PLAIN(cluster, "cluster")
RUN(cluster, "cluster") {
  (void)results;
  uint64_t parameters[] = {word(args[0].data)};
  return env->launch(env, Cluster, 8, parameters);
}

PLAIN(after, "after")
RUN(after, "after") {
  (void)results;
  uint64_t parameters[] = {word(args[0].data)};
  return env->launch(env, After, 1, parameters);
}

/// Rows of eight numbers, sixteen apart, four of them; the box goes to the
/// numbers from 1024 on.
PLAIN(map, "map")
RUN(map, "map") {
  (void)results;
  uint64_t parameters[18] = {word(args[0].data), 8, 4, 0, 0, 0, 64};
  parameters[16] = word(static_cast<float *>(args[0].data) + 1024);
  return env->launch(env, Map, 1, parameters);
}

PLAIN(crowd, "crowd")
RUN(crowd, "crowd") {
  (void)results;
  uint64_t parameters[] = {word(args[0].data), 0};
  return env->launch(env, Crowd, 100000, parameters);
}
