//===- TestLauncher.cpp - A launcher written by hand ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler would make, for a GPU, of the functions of TestImage.cpp:
// the host's part, with a table of kernels, their twins for the fake driver,
// and a table of checks. It touches no memory but its own and rank-0 arguments.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
/// Declares `name` as the symbol "function$part".
#define ENTRY(result, name, symbol, parameters)                                \
  EXPORT result name parameters __asm__(symbol);                               \
  result name parameters

extern "C" {
// The compiler may call it on its own.
__attribute__((visibility("hidden"))) void *memset(void *to, int value,
                                                   size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    static_cast<volatile char *>(to)[i] = char(value);
  return to;
}
}

namespace {
enum Number : uint32_t { Add, Pack, Linear, Bump, Scale, Fail, Cluster };

uint64_t word(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

float *floats(uint64_t address) { return reinterpret_cast<float *>(address); }

int64_t sizeOf(const aik_tensor &tensor) {
  int64_t count = 1;
  for (uint32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.dims[d];
  return count;
}

void setShape(aik_tensor &tensor, uint32_t rank, int64_t d0, int64_t d1) {
  tensor.dtype = AIK_F32;
  tensor.rank = rank;
  tensor.dims[0] = d0;
  tensor.dims[1] = d1;
  tensor.strides[0] = rank == 2 ? d1 : 1;
  tensor.strides[1] = 1;
}

int64_t blocksFor(int64_t count) { return (count + 127) / 128; }

//===----------------------------------------------------------------------===//
// Twins: what the whole grid does
//===----------------------------------------------------------------------===//

uint64_t *words(void *parameters) {
  return static_cast<uint64_t *>(parameters);
}

void addTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  for (uint64_t i = 0; i < p[3]; ++i)
    floats(p[2])[i] = floats(p[0])[i] + floats(p[1])[i];
}

void packTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  for (int k = 0; k < 4; ++k)
    for (int n = 0; n < 3; ++n)
      floats(p[1])[n * 4 + k] = floats(p[0])[k * 3 + n];
}

/// Uses its workspace for one row.
void linearTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  float *row = floats(p[3]);
  for (uint64_t m = 0; m < p[4]; ++m) {
    for (int n = 0; n < 3; ++n) {
      row[n] = 0;
      for (int k = 0; k < 4; ++k)
        row[n] += floats(p[0])[m * 4 + uint64_t(k)] * floats(p[1])[n * 4 + k];
    }
    for (int n = 0; n < 3; ++n)
      floats(p[2])[m * 3 + uint64_t(n)] = row[n];
  }
}

void bumpTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  for (uint64_t i = 0; i < p[1]; ++i)
    floats(p[0])[i] += 1;
  for (uint64_t i = 0; i < p[4]; ++i)
    floats(p[3])[i] = 2 * floats(p[2])[i];
}

void scaleTwin(int64_t, void *parameters) {
  uint64_t *p = words(parameters);
  float factor = *reinterpret_cast<float *>(&p[2]);
  for (uint64_t i = 0; i < p[1]; ++i)
    floats(p[0])[i] *= factor;
}

/// Fails the first check.
void failTwin(int64_t, void *parameters) {
  auto *status = reinterpret_cast<aik_device_status *>(words(parameters)[0]);
  if (status->check == 0)
    status->check = 1;
}

void clusterTwin(int64_t blocks, void *parameters) {
  uint64_t *p = words(parameters);
  auto *status = reinterpret_cast<aik_device_status *>(p[0]);
  if (status->check == 0)
    status->check = blocks == 4 ? uint32_t(p[1]) : 1;
}

/// Copies what the first map is of; behind it comes what the fake says about
/// the recipe of the second, and the number of blocks.
void mapTwin(int64_t blocks, void *parameters) {
  uint64_t *p = words(parameters), *a = p + 1, *b = p + 18;
  float *out = floats(p[34]);
  for (uint64_t r = 0; r < a[2]; ++r)
    for (uint64_t c = 0; c < a[1]; ++c)
      *out++ = floats(a[0] + r * a[6])[c];
  *out++ = float(b[15] & 0xffffff);
  *out++ = float(b[14] >> 32);
  *out++ = float(blocks);
}

void crowdTwin(int64_t blocks, void *parameters) {
  *floats(words(parameters)[0]) = float(blocks);
}
} // namespace

EXPORT const aik_kernel kernelTable[] __asm__("aik$kernels");
const aik_kernel kernelTable[] = {
    {"kernel_add", 128, 1, 0, 4, 0, 0, addTwin},
    {"kernel_pack", 32, 1, 0, 2, 0, 0, packTwin},
    {"kernel_linear", 96, 1, 64 << 10, 5, AIK_KERNEL_OVERLAPS, 0, linearTwin},
    {"kernel_bump", 128, 1, 0, 5, 0, 0, bumpTwin},
    {"kernel_scale", 64, 1, 0, 3, 0, 0, scaleTwin},
    {"kernel_fail", 32, 1, 0, 1, AIK_KERNEL_STATUS, 0, failTwin},
    {"kernel_cluster", 32, 2, 0, 2, AIK_KERNEL_STATUS | AIK_KERNEL_OVERLAPS, 0,
     clusterTwin},
    {"kernel_map", 128, 1, 200 << 10, 36,
     AIK_KERNEL_STATUS | AIK_KERNEL_RESIDENT | AIK_KERNEL_TENSOR_MAPS, 0,
     mapTwin},
    {"kernel_crowd", 64, 2, 0, 2, AIK_KERNEL_RESIDENT | AIK_KERNEL_OVERLAPS, 0,
     crowdTwin},
    {nullptr, 0, 0, 0, 0, 0, 0, nullptr}};

EXPORT const aik_tensor_map mapTable[] __asm__("aik$maps");
const aik_tensor_map mapTable[] = {
    {"kernel_map", 1, AIK_F32, 2, 0, 0, {4, 9, 1, 1, 1}},
    {"kernel_map", 18, AIK_BF16, 3, 128, 256, {64, 7, 2, 1, 1}},
    {nullptr, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0}}};

EXPORT const aik_device_check checkTable[] __asm__("aik$checks");
const aik_device_check checkTable[] = {{"an id is out of range", AIK_ERANGE, 0},
                                       {"a length is wrong", AIK_EINVAL, 0},
                                       {nullptr, 0, 0}};

#define PLAIN(prefix, function)                                                \
  ENTRY(int64_t, prefix##Workspace, function "$workspace",                     \
        (const aik_env *, const aik_tensor *)) {                               \
    return 0;                                                                  \
  }                                                                            \
  ENTRY(int64_t, prefix##Prepare, function "$prepare",                         \
        (const aik_env *, const aik_tensor *, aik_tensor *, void *)) {         \
    return 0;                                                                  \
  }
#define COST_OF(prefix, function)                                              \
  ENTRY(int32_t, prefix##Cost, function "$cost",                               \
        (const aik_env *, const aik_tensor *args, aik_cost *cost)) {           \
    cost->flops = sizeOf(args[0]);                                             \
    cost->bytes = 12 * sizeOf(args[0]);                                        \
    return 0;                                                                  \
  }

//===----------------------------------------------------------------------===//
// The functions of TestImage.cpp
//===----------------------------------------------------------------------===//

ENTRY(int32_t, addShape, "add$shape",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results)) {
  if (args[0].dims[0] != args[1].dims[0])
    return env->fail(env, AIK_EINVAL, "add: x and y have different rows");
  setShape(results[0], 2, args[0].dims[0], 4);
  return 0;
}
PLAIN(add, "add")
COST_OF(add, "add")
ENTRY(int32_t, addRun, "add$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results,
       void *)) {
  int64_t count = sizeOf(results[0]);
  uint64_t parameters[] = {word(args[0].data), word(args[1].data),
                           word(results[0].data), uint64_t(count)};
  return env->launch(env, Add, blocksFor(count), parameters);
}

ENTRY(int32_t, linearShape, "linear$shape",
      (const aik_env *, const aik_tensor *args, aik_tensor *results)) {
  setShape(results[0], 2, args[0].dims[0], 3);
  return 0;
}
ENTRY(int64_t, linearWorkspace, "linear$workspace",
      (const aik_env *, const aik_tensor *)) {
  return 3 * sizeof(float);
}
ENTRY(int64_t, linearPrepare, "linear$prepare",
      (const aik_env *env, const aik_tensor *args, aik_tensor *prepared,
       void *storage)) {
  constexpr int64_t bytes = 12 * sizeof(float);
  if (!storage)
    return bytes;
  uint64_t parameters[] = {word(args[1].data), word(storage)};
  prepared[1].data = storage;
  int32_t status = env->launch(env, Pack, 1, parameters);
  return status < 0 ? status : bytes;
}
COST_OF(linear, "linear")
ENTRY(int32_t, linearRun, "linear$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results,
       void *workspace)) {
  if (word(workspace) % AIK_WORKSPACE_ALIGNMENT != 0 || !workspace)
    return env->fail(env, AIK_EFAULT, "linear: the workspace is not aligned");
  uint64_t parameters[] = {word(args[0].data), word(args[1].data),
                           word(results[0].data), word(workspace),
                           uint64_t(args[0].dims[0])};
  return env->launch(env, Linear, 1, parameters);
}

ENTRY(int32_t, bumpShape, "bump$shape",
      (const aik_env *, const aik_tensor *args, aik_tensor *results)) {
  setShape(results[0], 1, args[1].dims[0], 0);
  return 0;
}
PLAIN(bump, "bump")
COST_OF(bump, "bump")
ENTRY(int32_t, bumpRun, "bump$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results,
       void *)) {
  uint64_t parameters[] = {word(args[0].data), uint64_t(args[0].dims[0]),
                           word(args[1].data), word(results[0].data),
                           uint64_t(args[1].dims[0])};
  return env->launch(env, Bump, 1, parameters);
}

/// How: 0 fails here; 1 and 2 fail that check on the device; 3 launches a
/// kernel that is not there; 4 cuts a cluster in two; others do nothing wrong,
/// 6 with three launches, the first of which has no blocks; 7 fails here after
/// a launch; 8 launches too many blocks.
ENTRY(int32_t, troubleShape, "trouble$shape",
      (const aik_env *, const aik_tensor *, aik_tensor *)) {
  return 0;
}
PLAIN(trouble, "trouble")
COST_OF(trouble, "trouble")
ENTRY(int32_t, troubleRun, "trouble$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *, void *)) {
  int64_t how = *static_cast<int64_t *>(args[0].data);
  uint64_t parameters[] = {0, how == 1 || how == 2 ? uint64_t(how) : 0};
  switch (how) {
  case 0:
    return env->fail(env, AIK_EINVAL, "trouble: asked for");
  case 3:
    return env->launch(env, 99, 1, parameters);
  case 4:
    return env->launch(env, Cluster, 3, parameters);
  case 6:
    for (int64_t blocks = 0; blocks <= 4; blocks += 4)
      if (int32_t status = env->launch(env, Cluster, blocks, parameters))
        return status;
    [[fallthrough]];
  case 7:
    if (int32_t status = env->launch(env, Cluster, 4, parameters))
      return status;
    return how == 7 ? env->fail(env, AIK_EINVAL, "trouble: half way") : 0;
  case 8:
    return env->launch(env, Cluster, int64_t(1) << 31, parameters);
  default:
    return env->launch(env, Cluster, 4, parameters);
  }
}

ENTRY(int32_t, submitShape, "submit$shape",
      (const aik_env *, const aik_tensor *, aik_tensor *)) {
  return 0;
}
PLAIN(submit, "submit")
COST_OF(submit, "submit")
ENTRY(int32_t, submitRun, "submit$run",
      (const aik_env *, const aik_tensor *, aik_tensor *, void *)) {
  return 0;
}

//===----------------------------------------------------------------------===//
// repeat(m, how) -> (): commands
//===----------------------------------------------------------------------===//

namespace {
int64_t call(const aik_env *env, int64_t number, int64_t a0, int64_t a1 = 0,
             int64_t a2 = 0, int64_t a3 = 0) {
  return env->syscall(env, number, a0, a1, a2, a3, 0, 0);
}

int64_t number(const void *pointer) {
  return reinterpret_cast<int64_t>(pointer);
}

/// Keeps `times` launches that add 1 to every element.
int32_t keepBumps(const aik_env *env, int64_t buffer, const aik_tensor &m,
                  int64_t times) {
  if (int64_t status = call(env, AIK_SYS_COMMANDS_BEGIN, buffer))
    return int32_t(status);
  for (int64_t i = 0; i < times; ++i) {
    uint64_t parameters[] = {word(m.data), uint64_t(m.dims[0]), 0, 0, 0};
    if (int32_t status = env->launch(env, Bump, 1, parameters))
      return status;
  }
  return int32_t(call(env, AIK_SYS_COMMANDS_END, buffer));
}

/// Multiplies memory of the host by 2 on the device.
int32_t scalePinned(const aik_env *env) {
  aik_memory_info info = {};
  info.size = sizeof(info);
  info.version = AIK_RUNTIME_VERSION;
  int64_t status =
      call(env, AIK_SYS_MEM_ALLOC_PINNED, 64, 64, 0, number(&info));
  if (status < 0)
    return int32_t(status);
  auto *values = static_cast<float *>(info.address);
  values[0] = 3;
  float factor = 2;
  uint64_t parameters[] = {word(values), 1, 0};
  *reinterpret_cast<float *>(&parameters[2]) = factor;
  status = call(env, AIK_SYS_COMMANDS_BEGIN, 3);
  if (status == 0)
    status = env->launch(env, Scale, 1, parameters);
  if (status == 0)
    status = call(env, AIK_SYS_COMMANDS_END, 3);
  if (status == 0)
    status = call(env, AIK_SYS_COMMANDS_SUBMIT, 3);
  if (status == 0)
    status = call(env, AIK_SYS_COMMANDS_WAIT, -1);
  if (status == 0 && values[0] != 6)
    status = env->fail(env, AIK_EIO, "repeat: the commands had no effect");
  int64_t freed = call(env, AIK_SYS_MEM_FREE, int64_t(info.handle));
  return int32_t(status ? status : freed);
}
} // namespace

ENTRY(int32_t, repeatShape, "repeat$shape",
      (const aik_env *, const aik_tensor *, aik_tensor *)) {
  return 0;
}
PLAIN(repeat, "repeat")
COST_OF(repeat, "repeat")
/// How: 1 to 9 keep that many launches; 10 more submit them twice; 20 more do
/// not wait; 40 submits what was not kept; 41 asks for another device; 42 fails
/// while launches are kept; 43 uses memory of the host; 44 waits for 1 ms.
ENTRY(int32_t, repeatRun, "repeat$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *, void *)) {
  int64_t how = *static_cast<int64_t *>(args[1].data);
  const char *device = how == 41 ? "nvidia:7" : "self";
  if (int64_t status = call(env, AIK_SYS_COMMANDS_OPEN, number(device)))
    return int32_t(status);
  if (how == 43)
    return scalePinned(env);
  if (how == 42) {
    call(env, AIK_SYS_COMMANDS_BEGIN, 0);
    return env->fail(env, AIK_EINVAL, "repeat: asked for");
  }
  bool isTwice = how >= 10 && how < 20;
  if (how < 40 || how == 44)
    if (int32_t status = keepBumps(env, 0, args[0], how % 10))
      return status;
  for (int i = 0; i <= isTwice; ++i)
    if (int64_t status = call(env, AIK_SYS_COMMANDS_SUBMIT, how == 40 ? 99 : 0))
      return int32_t(status);
  if (how >= 20 && how < 30)
    return 0;
  return int32_t(call(env, AIK_SYS_COMMANDS_WAIT, how == 44 ? 1000000 : -1));
}
