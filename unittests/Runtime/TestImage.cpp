//===- TestImage.cpp - A host image written by hand -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler would make of a few small functions: a shared object with
// no undefined symbol that exports f$shape, f$workspace, f$prepare, f$cost and
// f$run for each. TestSupport.cpp describes them in an artifact.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
/// Declares `name` as the symbol "function$part".
#define ENTRY(result, name, symbol, parameters)                                \
  EXPORT result name parameters __asm__(symbol);                               \
  result name parameters

extern "C" {
// The compiler may call these on its own.
__attribute__((visibility("hidden"))) void *memset(void *to, int value,
                                                   size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    static_cast<volatile char *>(to)[i] = char(value);
  return to;
}
__attribute__((visibility("hidden"))) void *memcpy(void *to, const void *from,
                                                   size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    static_cast<volatile char *>(to)[i] = static_cast<const char *>(from)[i];
  return to;
}
}

namespace {
void setShape(aik_tensor &tensor, uint32_t dtype, uint32_t rank, int64_t d0,
              int64_t d1) {
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.dims[0] = d0;
  tensor.dims[1] = d1;
  tensor.strides[0] = rank == 2 ? d1 : 1;
  tensor.strides[1] = 1;
}

float *floats(const aik_tensor &tensor) {
  return static_cast<float *>(tensor.data);
}

int64_t sizeOf(const aik_tensor &tensor) {
  int64_t count = 1;
  for (uint32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.dims[d];
  return count;
}

int64_t word(const void *pointer) { return reinterpret_cast<int64_t>(pointer); }
} // namespace

#define NOTHING_TO_PREPARE(prefix, function)                                   \
  ENTRY(int64_t, prefix##Workspace, function "$workspace",                     \
        (const aik_env *, const aik_tensor *)) {                               \
    return 0;                                                                  \
  }                                                                            \
  ENTRY(int64_t, prefix##Prepare, function "$prepare",                         \
        (const aik_env *, const aik_tensor *, aik_tensor *, void *)) {         \
    return 0;                                                                  \
  }

#define COST_OF(prefix, function, flopsPerElement)                             \
  ENTRY(int32_t, prefix##Cost, function "$cost",                               \
        (const aik_env *, const aik_tensor *args, aik_cost *cost)) {           \
    cost->flops = flopsPerElement * sizeOf(args[0]);                           \
    cost->bytes = 12 * sizeOf(args[0]);                                        \
    return 0;                                                                  \
  }

//===----------------------------------------------------------------------===//
// add(x [?,4], y [?,4]) -> z: elementwise, in parallel
//===----------------------------------------------------------------------===//

namespace {
struct AddLoop {
  const float *x, *y;
  float *z;
};

int32_t addBody(void *captures, int64_t begin, int64_t end) {
  auto *loop = static_cast<AddLoop *>(captures);
  for (int64_t i = begin; i < end; ++i)
    loop->z[i] = loop->x[i] + loop->y[i];
  return 0;
}
} // namespace

ENTRY(int32_t, addShape, "add$shape",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results)) {
  if (args[0].dims[0] != args[1].dims[0])
    return env->fail(env, AIK_EINVAL, "add: x and y have different rows");
  setShape(results[0], AIK_F32, 2, args[0].dims[0], 4);
  return 0;
}
NOTHING_TO_PREPARE(add, "add")
COST_OF(add, "add", 1)
ENTRY(int32_t, addRun, "add$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results,
       void *)) {
  AddLoop loop = {floats(args[0]), floats(args[1]), floats(results[0])};
  return env->parallel_for(env, sizeOf(results[0]), addBody, &loop);
}

//===----------------------------------------------------------------------===//
// linear(x [?,4], w [4,3] weight) -> y [?,3]: wants w transposed by prepare,
// and a workspace for one row
//===----------------------------------------------------------------------===//

ENTRY(int32_t, linearShape, "linear$shape",
      (const aik_env *, const aik_tensor *args, aik_tensor *results)) {
  setShape(results[0], AIK_F32, 2, args[0].dims[0], 3);
  return 0;
}
ENTRY(int64_t, linearWorkspace, "linear$workspace",
      (const aik_env *, const aik_tensor *)) {
  return 3 * sizeof(float);
}
ENTRY(int64_t, linearPrepare, "linear$prepare",
      (const aik_env *, const aik_tensor *args, aik_tensor *prepared,
       void *storage)) {
  if (!storage)
    return 12 * sizeof(float);
  float *packed = static_cast<float *>(storage);
  for (int64_t k = 0; k < 4; ++k)
    for (int64_t n = 0; n < 3; ++n)
      packed[n * 4 + k] = floats(args[1])[k * 3 + n];
  prepared[1].data = packed;
  return 12 * sizeof(float);
}
COST_OF(linear, "linear", 6)
ENTRY(int32_t, linearRun, "linear$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *results,
       void *workspace)) {
  if (word(workspace) % AIK_WORKSPACE_ALIGNMENT != 0 || !workspace)
    return env->fail(env, AIK_EFAULT, "linear: the workspace is not aligned");
  float *row = static_cast<float *>(workspace);
  for (int64_t m = 0; m < args[0].dims[0]; ++m) {
    for (int64_t n = 0; n < 3; ++n) {
      row[n] = 0;
      for (int64_t k = 0; k < 4; ++k)
        row[n] += floats(args[0])[m * 4 + k] * floats(args[1])[n * 4 + k];
    }
    for (int64_t n = 0; n < 3; ++n)
      floats(results[0])[m * 3 + n] = row[n];
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// bump(m [?] mutable, d [?] donated to 0) -> r [?]: m += 1, r = 2 d
//===----------------------------------------------------------------------===//

ENTRY(int32_t, bumpShape, "bump$shape",
      (const aik_env *, const aik_tensor *args, aik_tensor *results)) {
  setShape(results[0], AIK_F32, 1, args[1].dims[0], 0);
  return 0;
}
NOTHING_TO_PREPARE(bump, "bump")
COST_OF(bump, "bump", 2)
ENTRY(int32_t, bumpRun, "bump$run",
      (const aik_env *, const aik_tensor *args, aik_tensor *results, void *)) {
  for (int64_t i = 0; i < args[0].dims[0]; ++i)
    floats(args[0])[i] += 1;
  for (int64_t i = 0; i < args[1].dims[0]; ++i)
    floats(results[0])[i] = 2 * floats(args[1])[i];
  return 0;
}

//===----------------------------------------------------------------------===//
// trouble(how i64) -> (): fails in the way asked for
//===----------------------------------------------------------------------===//

namespace {
int32_t failingBody(void *captures, int64_t begin, int64_t end) {
  auto *env = static_cast<const aik_env *>(captures);
  return begin <= 37 && 37 < end
             ? env->fail(env, AIK_ERANGE, "trouble: index 37 is out of range")
             : 0;
}

struct NestedLoop {
  const aik_env *env;
  int64_t *sums;
};
int32_t innerBody(void *captures, int64_t begin, int64_t end) {
  *static_cast<int64_t *>(captures) += end - begin;
  return 0;
}
int32_t outerBody(void *captures, int64_t begin, int64_t end) {
  auto *loop = static_cast<NestedLoop *>(captures);
  for (int64_t i = begin; i < end; ++i)
    loop->env->parallel_for(loop->env, 100, innerBody, loop->sums + i);
  return 0;
}
} // namespace

ENTRY(int32_t, troubleShape, "trouble$shape",
      (const aik_env *, const aik_tensor *, aik_tensor *)) {
  return 0;
}
NOTHING_TO_PREPARE(trouble, "trouble")
COST_OF(trouble, "trouble", 0)
ENTRY(int32_t, troubleRun, "trouble$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *, void *)) {
  switch (*static_cast<int64_t *>(args[0].data)) {
  case 0:
    return env->fail(env, AIK_EINVAL, "trouble: asked for");
  case 1:
    return -AIK_ENOSPC; // and no reason given
  case 2:
    return env->parallel_for(env, 100, failingBody, const_cast<aik_env *>(env));
  case 3: {
    int64_t sums[16];
    for (int64_t &sum : sums)
      sum = 0;
    NestedLoop loop = {env, sums};
    int32_t status = env->parallel_for(env, 16, outerBody, &loop);
    for (int64_t sum : sums)
      if (sum != 100)
        return env->fail(env, AIK_EIO, "trouble: a nested loop was cut short");
    return status;
  }
  case 4:
    return int32_t(env->syscall(env, 4711, 0, 0, 0, 0, 0, 0));
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Kernels, and submit(n i64) -> (): the queue as compiled code uses it
//===----------------------------------------------------------------------===//

struct ScaleBlock {
  float *data;
  int64_t count;
  float factor;
};

EXPORT int32_t kernel_scale(const aik_env *, void *block) {
  auto *scale = static_cast<ScaleBlock *>(block);
  for (int64_t i = 0; i < scale->count; ++i)
    scale->data[i] *= scale->factor;
  return 0;
}

EXPORT int32_t kernel_fail(const aik_env *env, void *) {
  return env->fail(env, AIK_ERANGE, "an id is out of range");
}

/// Runs until the word in its block is not zero.
/// Two words: says in the second that it runs, and ends when the first is set.
EXPORT int32_t kernel_block(const aik_env *, void *block) {
  auto *words = *static_cast<uint32_t **>(block);
  __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&words[0], __ATOMIC_ACQUIRE) == 0)
    ;
  return 0;
}

ENTRY(int32_t, submitShape, "submit$shape",
      (const aik_env *, const aik_tensor *, aik_tensor *)) {
  return 0;
}
NOTHING_TO_PREPARE(submit, "submit")
COST_OF(submit, "submit", 0)
ENTRY(int32_t, submitRun, "submit$run",
      (const aik_env *env, const aik_tensor *args, aik_tensor *, void *)) {
  int64_t device = *static_cast<int64_t *>(args[0].data);
  aik_memory_info memory = {};
  AIK_INIT(&memory);
  int64_t status = env->syscall(env, AIK_SYS_MEM_ALLOC_PINNED, 4096, 64, 0,
                                word(&memory), 0, 0);
  if (status < 0)
    return int32_t(status);
  aik_queue_info queue = {};
  AIK_INIT(&queue);
  status = env->syscall(env, AIK_SYS_GPU_QUEUE_CREATE, device, 0, word(&queue),
                        0, 0, 0);
  if (status < 0) {
    env->syscall(env, AIK_SYS_MEM_FREE, int64_t(memory.handle), 0, 0, 0, 0, 0);
    return int32_t(status);
  }
  // fill 256 floats with 3, copy them, barrier, scale the copy by 2.
  float *from = static_cast<float *>(memory.address);
  float *to = from + 256;
  ScaleBlock block = {to, 256, 2};
  aik_packet packets[4] = {};
  packets[0].fill.subtype = AIK_VENDOR_FILL;
  packets[0].fill.pattern_bytes = 4;
  packets[0].fill.destination = uint64_t(word(from));
  packets[0].fill.pattern = 0x40400000;
  packets[0].fill.byte_count = 1024;
  packets[1].copy.subtype = AIK_VENDOR_COPY;
  packets[1].copy.destination = uint64_t(word(to));
  packets[1].copy.source = uint64_t(word(from));
  packets[1].copy.byte_count = 1024;
  packets[2].header = AIK_PACKET_BARRIER_AND | AIK_PACKET_BARRIER;
  packets[3].header = AIK_PACKET_KERNEL | AIK_PACKET_BARRIER;
  packets[3].kernel.kernel_object =
      uint64_t(reinterpret_cast<uintptr_t>(&kernel_scale));
  packets[3].kernel.kernarg = uint64_t(word(&block));
  packets[3].kernel.kernarg_bytes = sizeof(block);
  aik_fence fence = {};
  status = env->syscall(env, AIK_SYS_GPU_SUBMIT, int64_t(queue.queue),
                        word(packets), 4, word(&fence), 0, 0);
  if (status >= 0)
    status = env->syscall(env, AIK_SYS_GPU_WAIT, int64_t(fence.signal),
                          AIK_WAIT_GE, int64_t(fence.value), -1, 0, 0);
  for (int i = 0; status >= 0 && i < 256; ++i)
    if (to[i] != 6)
      status = env->fail(env, AIK_EIO, "submit: the packets had no effect");
  int64_t destroyed =
      env->syscall(env, AIK_SYS_GPU_QUEUE_DESTROY, int64_t(queue.queue),
                   AIK_QUEUE_DRAIN, -1, 0, 0, 0);
  env->syscall(env, AIK_SYS_MEM_FREE, int64_t(memory.handle), 0, 0, 0, 0, 0);
  return int32_t(status < 0 ? status : destroyed);
}
