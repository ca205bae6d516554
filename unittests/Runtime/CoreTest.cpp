//===- CoreTest.cpp - The small parts of the runtime's core ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cursor, the handle table, names, features, the trace, and the layouts
// that the compiler mirrors.
//
//===----------------------------------------------------------------------===//

#include "Core/CpuFeatures.h"
#include "Core/Cursor.h"
#include "Core/HandleTable.h"
#include "Core/Tensors.h"
#include "TestSupport.h"
#include "Trace/Trace.h"

#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <vector>

using namespace aiktest;

namespace {
void readsWithinBounds() {
  alignas(8) uint8_t bytes[24] = {1, 2, 3, 0, 0, 0, 0, 0, 9};
  aik::Cursor cursor(bytes, sizeof(bytes));
  CHECK(cursor.take(3) == bytes);
  CHECK(cursor.skipZerosTo(8));
  CHECK_EQ(cursor.position(), 8);
  CHECK(cursor.takeArray<uint64_t>(3) == nullptr);
  CHECK(cursor.takeArray<uint64_t>(~uint64_t(0) / 4) == nullptr);
  CHECK_EQ(*cursor.takeOne<uint8_t>(), 9);
  CHECK(cursor.takeOne<uint64_t>() == nullptr); // not aligned
  aik::Cursor dirty(bytes, sizeof(bytes));
  CHECK(!dirty.skipZerosTo(8) || dirty.position() == 0);
  CHECK(dirty.take(1) != nullptr);
  CHECK(!dirty.skipZerosTo(8));
  CHECK(aik::Cursor(bytes, 4).take(5) == nullptr);
}

struct Dummy final : aik::Object {
  explicit Dummy(std::atomic<int> &destroyed) : destroyed(destroyed) {}
  void destroy() override {
    ++destroyed;
    delete this;
  }
  std::atomic<int> &destroyed;
};

void handlesGoStale() {
  aik::HandleTable table(aik::hostSys());
  std::atomic<int> destroyed{0};
  auto *object = new Dummy(destroyed);
  CHECK_EQ(table.insert(aik::ObjectKind::Signal, object), 0);
  aik_handle handle = object->handle;
  CHECK(handle != 0);
  CHECK(int64_t(handle) > 0);
  CHECK(table.pin(aik::ObjectKind::Queue, handle) == nullptr);
  aik_handle forged = (handle & ~(uint64_t(0xff) << 56)) |
                      uint64_t(aik::ObjectKind::Queue) << 56;
  CHECK(table.pin(aik::ObjectKind::Queue, forged) == nullptr);
  CHECK(table.pin(aik::ObjectKind::Signal, handle) == object);
  CHECK(table.pin(aik::ObjectKind::Signal, handle) == object);
  CHECK_EQ(table.remove(handle, true), -AIK_EBUSY); // two pins
  table.unpin(handle);
  object->users = 1;
  CHECK_EQ(table.remove(handle, true), -AIK_EBUSY); // a user
  object->users = 0;
  CHECK_EQ(table.remove(handle, true), 0);
  CHECK(table.pin(aik::ObjectKind::Signal, handle) == nullptr);
  CHECK_EQ(destroyed.load(), 0);
  table.unpin(handle);
  CHECK_EQ(destroyed.load(), 1);
  // The slot is used again, the old handle stays stale.
  auto *second = new Dummy(destroyed);
  CHECK_EQ(table.insert(aik::ObjectKind::Signal, second), 0);
  CHECK(second->handle != handle);
  CHECK_EQ(second->handle & 0xffffff, handle & 0xffffff);
  CHECK(table.pin(aik::ObjectKind::Signal, handle) == nullptr);
  table.pin(aik::ObjectKind::Signal, second->handle);
  aik_handle secondHandle = second->handle;
  table.remove(secondHandle, true);
  table.unpin(secondHandle);
}

void handlesSurviveThreads() {
  aik::HandleTable table(aik::hostSys());
  std::atomic<int> destroyed{0};
  std::atomic<aik_handle> current{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!stop) {
        aik_handle handle = current;
        if (auto *object = static_cast<Dummy *>(
                table.pin(aik::ObjectKind::Signal, handle))) {
          CHECK(&object->destroyed == &destroyed);
          table.unpin(handle);
        }
      }
    });
  constexpr int rounds = 2000;
  for (int i = 0; i < rounds; ++i) {
    auto *object = new Dummy(destroyed);
    CHECK_EQ(table.insert(aik::ObjectKind::Signal, object), 0);
    aik_handle handle = object->handle;
    current = handle;
    table.pin(aik::ObjectKind::Signal, handle);
    table.remove(handle, false);
    table.unpin(handle);
  }
  stop = true;
  for (std::thread &reader : readers)
    reader.join();
  CHECK_EQ(destroyed.load(), rounds);
}

void knowsItsNames() {
  CHECK_EQ(aik_error_name(-AIK_EINVAL), "EINVAL");
  CHECK_EQ(aik_error_name(AIK_EOWNERDEAD), "EOWNERDEAD");
  CHECK_EQ(aik_error_name(9999), "E?");
  CHECK_EQ(aik_dtype_name(AIK_BF16), "bf16");
  CHECK_EQ(aik_dtype_size(AIK_F64), 8);
  CHECK_EQ(aik_dtype_size(AIK_BOOL), 1);
  CHECK_EQ(aik_dtype_size(AIK_DTYPE_NONE), 0);
  CHECK_EQ(aik_dtype_size(1000), 0);
  CHECK_EQ(aik_feature_name(AIK_ARCH_X86_64, AIK_X86_AVX512BF16), "avx512bf16");
  CHECK_EQ(aik_feature_name(AIK_ARCH_X86_64, AIK_X86_CX16), "cx16");
  CHECK_EQ(aik_feature_name(AIK_ARCH_X86_64, AIK_X86_AMX_FP16), "amx-fp16");
  CHECK_EQ(aik_feature_name(AIK_ARCH_X86_64, AIK_X86_AVX512VBMI), "avx512vbmi");
  CHECK_EQ(aik_feature_name(AIK_ARCH_AARCH64, AIK_ARM_I8MM), "i8mm");
  CHECK_EQ(aik_feature_name(AIK_ARCH_AARCH64, AIK_ARM_SVE512), "sve512");
  CHECK(aik_feature_name(AIK_ARCH_AARCH64, 63) == nullptr);
  CHECK_EQ(aik_arch_name(AIK_ARCH_AARCH64), "aarch64");
  CHECK_EQ(aik_image_kind_name(AIK_IMAGE_HSACO), "hsaco");
  CHECK_EQ(aik_image_kind_name(AIK_IMAGE_LAUNCHER), "launcher");
  CHECK_EQ(aik_image_kind_name(AIK_IMAGE_LAUNCHER + 1), "?");
  CHECK_EQ(aik_image_kind_name(77), "?");
  CHECK(aik_name_hash("a") == 0xaf63dc4c8601ec8cu);
}

void detectsFeaturesFromBitsOnly() {
  uint64_t features = aik::detectFeatures(aik::hostSys());
  CHECK_EQ(features & ~aik::knownFeatures(aik::hostArch()), 0);
#if defined(__aarch64__)
  // A VM may show a CPU's name and mask its features: only the bits count.
  struct Masked : aik::Sys {
    uint64_t auxiliary(int which) override {
      return which == 0 ? 1u << 20 | 1u << 8 : 1u << 13;
    }
  } masked;
  CHECK_EQ(aik::detectFeatures(masked),
           1 << AIK_ARM_DOTPROD | 1 << AIK_ARM_LSE | 1 << AIK_ARM_I8MM);
  // A length counts only with SVE, and only when the kernel tells it.
  struct Scalable : aik::Sys {
    uint64_t capabilities = 1u << 22;
    int64_t bytes = 0;
    uint64_t auxiliary(int which) override {
      return which == 0 ? capabilities : 0;
    }
    int64_t scalableVectorBytes() override { return bytes; }
  } scalable;
  struct {
    int64_t bytes;
    uint64_t features;
  } const expected[] = {{16, 1 << AIK_ARM_SVE | 1 << AIK_ARM_SVE128},
                        {32, 1 << AIK_ARM_SVE | 1 << AIK_ARM_SVE256},
                        {64, 1 << AIK_ARM_SVE | 1 << AIK_ARM_SVE512},
                        {48, 1 << AIK_ARM_SVE},
                        {256, 1 << AIK_ARM_SVE},
                        {-22, 1 << AIK_ARM_SVE}};
  for (auto [bytes, features] : expected) {
    scalable.bytes = bytes;
    CHECK_EQ(aik::detectFeatures(scalable), features);
  }
  scalable.bytes = 32;
  scalable.capabilities = 0;
  CHECK_EQ(aik::detectFeatures(scalable), 0);
#else
  CHECK(features & 1 << AIK_X86_CX16);
#endif
}

void tracesEvents() {
  Session s;
  auto call = [&](int64_t number, int64_t a0 = 0, int64_t a1 = 0,
                  int64_t a2 = 0) {
    return aik_syscall(s.runtime, number, a0, a1, a2, 0, 0, 0);
  };
  CHECK_EQ(call(AIK_SYS_TRACE_CTL, AIK_TRACE_RUN), 0);
  CHECK_EQ(call(AIK_SYS_TRACE_CTL, 1 << 20), -AIK_EINVAL);
  CHECK_EQ(s.runScalar("trouble", 9), 0);
  CHECK_EQ(call(AIK_SYS_TRACE_EMIT, 1234, 5, 6), 0);
  aik_trace_event events[4];
  CHECK_EQ(aik_trace_read(s.runtime, events, 4), 2);
  CHECK_EQ(events[0].id, AIK_TRACE_RUN);
  CHECK_EQ(events[1].id, 1234);
  CHECK_EQ(events[1].b, 6);
  CHECK(events[1].time_ns >= events[0].time_ns);
  CHECK_EQ(aik_trace_read(s.runtime, events, 4), 0);
  CHECK_EQ(call(AIK_SYS_TRACE_CTL, 0), AIK_TRACE_RUN);
  // Old events are overwritten, and the gap shows.
  for (int i = 0; i < 2000; ++i)
    call(AIK_SYS_TRACE_EMIT, 1);
  CHECK_EQ(aik_trace_read(s.runtime, events, 1), 1);
  CHECK(events[0].sequence > 1000);
  auto stats = make<aik_stats>();
  CHECK_EQ(call(AIK_SYS_STATS_READ, reinterpret_cast<int64_t>(&stats)), 0);
  CHECK_EQ(stats.runs, 1);
  CHECK_EQ(stats.trace_events, 2002);
}

void answersNumberedCalls() {
  Session s;
  auto call = [&](int64_t number, int64_t a0 = 0, int64_t a1 = 0,
                  int64_t a2 = 0, int64_t a3 = 0, int64_t a4 = 0,
                  int64_t a5 = 0) {
    return aik_syscall(s.runtime, number, a0, a1, a2, a3, a4, a5);
  };
  auto word = [](const void *pointer) {
    return reinterpret_cast<int64_t>(pointer);
  };
  for (int64_t unknown : {int64_t(12), int64_t(15), int64_t(20), int64_t(31),
                          int64_t(46), int64_t(51), int64_t(-1), INT64_MAX}) {
    CHECK_EQ(call(unknown), -AIK_ENOSYS);
    CHECK_SAYS("no call number");
  }
  auto info = make<aik_runtime_info>();
  CHECK_EQ(call(AIK_SYS_ABI_INFO, word(&info), sizeof(info)), 0);
  CHECK_EQ(info.entry_abi, AIK_ENTRY_ABI_VERSION);
  CHECK_EQ(info.threads, 2);
  CHECK_EQ(call(AIK_SYS_ABI_INFO, word(&info), 8), -AIK_EINVAL);
  CHECK_EQ(call(AIK_SYS_ABI_INFO, 0, 100), -AIK_EFAULT);
  // Files.
  char path[] = "/tmp/aik-core-test-XXXXXX";
  int made = mkstemp(path);
  CHECK(made >= 0);
  int64_t file = call(AIK_SYS_IO_OPEN, word(path), AIK_O_READ_WRITE);
  CHECK(file > 2);
  CHECK_EQ(call(AIK_SYS_IO_WRITE, file, word("hello"), 5), 5);
  CHECK_EQ(call(AIK_SYS_IO_CLOSE, file), 0);
  CHECK_EQ(call(AIK_SYS_IO_CLOSE, file), -AIK_EBADF);
  file = call(AIK_SYS_IO_OPEN, word(path), AIK_O_READ);
  char text[8] = {};
  CHECK_EQ(call(AIK_SYS_IO_READ, file, word(text), 8), 5);
  CHECK_EQ(text, "hello");
  CHECK_EQ(call(AIK_SYS_IO_READ, file, word(text), 8), 0);
  CHECK_EQ(call(AIK_SYS_IO_READ, file, 0, 8), -AIK_EFAULT);
  CHECK_EQ(call(AIK_SYS_IO_READ, file, word(text), -1), -AIK_EINVAL);
  CHECK_EQ(call(AIK_SYS_IO_WRITE, file, word(text), 1), -AIK_EBADF);
  CHECK_EQ(call(AIK_SYS_IO_READ, 4711, word(text), 8), -AIK_EBADF);
  CHECK_EQ(call(AIK_SYS_IO_OPEN, word("/nonexistent"), 0), -AIK_ENOENT);
  CHECK_EQ(call(AIK_SYS_IO_OPEN, word(path), 1 << 30), -AIK_EINVAL);
  CHECK_EQ(call(AIK_SYS_IO_OPEN, 0, 0), -AIK_EFAULT);
  // Mappings.
  int64_t mapped = call(AIK_SYS_MEM_MMAP, 0, 5, AIK_PROT_READ, 0, file, 0);
  CHECK(mapped > 0);
  CHECK(memcmp(reinterpret_cast<void *>(mapped), "hello", 5) == 0);
  CHECK_EQ(call(AIK_SYS_MEM_MUNMAP, mapped + 4096, 5), -AIK_EINVAL);
  CHECK_EQ(call(AIK_SYS_MEM_MUNMAP, mapped, 5), 0);
  CHECK_EQ(call(AIK_SYS_MEM_MUNMAP, mapped, 5), -AIK_EINVAL);
  mapped = call(AIK_SYS_MEM_MMAP, 0, 10000, AIK_PROT_READ | AIK_PROT_WRITE, 0,
                -1, 0);
  CHECK(mapped > 0);
  *reinterpret_cast<char *>(mapped + 9999) = 1;
  CHECK_EQ(call(AIK_SYS_MEM_MUNMAP, mapped, 10000), 0);
  CHECK_EQ(call(AIK_SYS_MEM_MMAP, 0, -1, 3, 0, -1, 0), -AIK_EINVAL);
  CHECK_EQ(call(AIK_SYS_MEM_MMAP, 0, 4096, 0, 0, -1, 0), -AIK_EINVAL);
  CHECK_EQ(call(AIK_SYS_MEM_MMAP, 0, 4096, 3, 0, 4711, 0), -AIK_EBADF);
  CHECK_EQ(call(AIK_SYS_IO_CLOSE, file), 0);
  ::remove(path);
  // Time and waiting.
  int64_t before = call(AIK_SYS_TIME_CLOCK, AIK_CLOCK_MONOTONIC);
  CHECK(before > 0);
  CHECK(call(AIK_SYS_TIME_CLOCK, AIK_CLOCK_DEVICE, int64_t(s.device)) >=
        before);
  CHECK_EQ(call(AIK_SYS_TIME_CLOCK, 7), -AIK_EINVAL);
  uint32_t value = 5;
  CHECK_EQ(call(AIK_SYS_SYNC_WAIT, word(&value), 6, -1), -AIK_EAGAIN);
  CHECK_EQ(call(AIK_SYS_SYNC_WAIT, word(&value), 5, 1000000), -AIK_ETIMEDOUT);
  CHECK_EQ(call(AIK_SYS_SYNC_WAIT, 0, 5, 1), -AIK_EFAULT);
  CHECK_EQ(call(AIK_SYS_SYNC_WAKE, word(&value), 1), 0);
  CHECK_EQ(call(AIK_SYS_SCHED_YIELD), 0);
  // A module from bytes owns its artifact.
  std::string bytes = testArtifact();
  int64_t module = call(AIK_SYS_GPU_MODULE_LOAD, int64_t(s.device),
                        word(bytes.data()), int64_t(bytes.size()), 0);
  CHECK(module > 0);
  auto kernel = make<aik_kernel_info>();
  CHECK_EQ(
      call(AIK_SYS_GPU_KERNEL, module, word("kernel_scale"), word(&kernel)), 0);
  CHECK_EQ(call(AIK_SYS_GPU_KERNEL, module, word("nothing"), word(&kernel)),
           -AIK_ENOENT);
  CHECK_EQ(call(AIK_SYS_GPU_MODULE_UNLOAD, module), 0);
  CHECK_EQ(call(AIK_SYS_GPU_MODULE_LOAD, int64_t(s.device), word("junk"), 4, 0),
           -AIK_ENOEXEC);
}

void mirrorsLayouts() {
  CHECK_EQ(sizeof(aik_tensor), 144);
  CHECK_EQ(offsetof(aik_tensor, strides), 80);
  CHECK_EQ(sizeof(aik_env), 56);
  CHECK_EQ(offsetof(aik_env, syscall), 32);
  CHECK_EQ(offsetof(aik_env, launch), 40);
  CHECK_EQ(offsetof(aik_env, threads), 48);
  CHECK_EQ(sizeof(aik_kernel), 40);
  CHECK_EQ(offsetof(aik_kernel, twin), 32);
  CHECK_EQ(sizeof(aik_device_check), 16);
  CHECK_EQ(sizeof(aik_device_status), 64);
  CHECK_EQ(offsetof(aik_kernel_packet, grid_x), 12);
  CHECK_EQ(offsetof(aik_kernel_packet, kernel_object), 32);
  CHECK_EQ(offsetof(aik_kernel_packet, kernarg), 40);
  CHECK_EQ(offsetof(aik_barrier_packet, signals), 8);
  CHECK_EQ(offsetof(aik_fill_packet, pattern), 16);
  CHECK_EQ(offsetof(aik_fill_packet, byte_count), 24);
  CHECK_EQ(offsetof(aik_copy_packet, completion_signal), 56);
  CHECK_EQ(offsetof(aik_signal_packet, value), 16);
  CHECK_EQ(sizeof(aik_fence), 16);
  CHECK_EQ(sizeof(aik_memory_info), 64);
  CHECK_EQ(sizeof(aik_queue_info), 72);
}

void knowsDenseFromStrided() {
  float data[24];
  aik_tensor t = tensor(data, {2, 3, 4});
  CHECK(aik::isDense(t));
  CHECK(aik::isWritable(t));
  t.strides[0] = 99;
  CHECK(!aik::isDense(t));
  t.dims[0] = 1;
  CHECK(aik::isDense(t)); // the stride of one element says nothing
  t = tensor(data, {2, 3, 4});
  t.strides[1] = 3; // rows of 4 that step by 3 overlap
  CHECK(!aik::isWritable(t));
  t.dims[2] = 0;
  CHECK(aik::isDense(t));
  t = tensor(data + 23, {2, 12});
  t.strides[0] = -12;
  t.strides[1] = -1;
  aik::ByteRange range = aik::byteRange(t);
  CHECK(range.begin == reinterpret_cast<uint64_t>(data));
  CHECK(range.end == reinterpret_cast<uint64_t>(data + 24));
}

/// What needs no further check is just what is wanted.
void knowsPlainTensors() {
  alignas(16) float data[24];
  aik_meta_value wanted = {};
  wanted.dtype = AIK_F32;
  wanted.rank = 2;
  for (uint32_t d = 0; d < 2; ++d)
    wanted.max[d] = -1, wanted.multiple_of[d] = 1;
  wanted.dims[0] = AIK_DYNAMIC;
  wanted.dims[1] = 4;
  auto bytes = [&](const aik_tensor &t, uint32_t alignment = 1) {
    return aik::plainBytes(wanted, wanted.dims, t, alignment);
  };
  const aik_tensor plain = tensor(data, {3, 4});
  CHECK_EQ(bytes(plain), 48);
  CHECK_EQ(bytes(plain, 16), 48);
  auto with = [&](auto change) {
    aik_tensor t = plain;
    change(t);
    return bytes(t);
  };
  CHECK_EQ(bytes(tensor(data + 1, {3, 4}), 16), 0);
  CHECK_EQ(bytes(tensor(data + 1, {3, 4})), 48);
  CHECK_EQ(bytes(tensor(data, {3, 5})), 0);
  CHECK_EQ(bytes(tensor(data, {0, 4})), 0);
  CHECK_EQ(bytes(tensor(data, {3, 4, 1})), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.dtype = AIK_I32; }), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.data = nullptr; }), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.strides[0] = 5; }), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.strides[1] = 2; }), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.dims[0] = -1; }), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.dims[0] = int64_t(1) << 62; }), 0);
  CHECK_EQ(with([](aik_tensor &t) { t.dims[0] = int64_t(1) << 46; }), 0);
  wanted.min[0] = 4;
  CHECK_EQ(bytes(plain), 0);
  wanted.min[0] = 0, wanted.max[0] = 2;
  CHECK_EQ(bytes(plain), 0);
  wanted.max[0] = -1, wanted.multiple_of[0] = 2;
  CHECK_EQ(bytes(plain), 0);
  wanted.multiple_of[0] = 3;
  CHECK_EQ(bytes(plain), 48);

  CHECK(!aik::isAsWanted(wanted, plain)); // one is not known
  wanted.dims[0] = 3;
  CHECK(aik::isAsWanted(wanted, plain));
  CHECK(!aik::isAsWanted(wanted, tensor(data, {3, 5})));
  CHECK(!aik::isAsWanted(wanted, tensor(data, {3})));
  wanted.dtype = AIK_I32;
  CHECK(!aik::isAsWanted(wanted, plain));
}
} // namespace

/// Whatever the process gives other threads.
void threadsHaveRoomForTiles() {
  pthread_attr_t before, small;
  CHECK_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  CHECK_EQ(pthread_setattr_default_np(&small), 0);
  size_t bytes = 0;
  aik::Sys sys;
  aik::SysThread thread;
  auto measure = [](void *out) {
    pthread_attr_t mine;
    if (pthread_getattr_np(pthread_self(), &mine) == 0) {
      pthread_attr_getstacksize(&mine, static_cast<size_t *>(out));
      pthread_attr_destroy(&mine);
    }
  };
  CHECK_EQ(sys.startThread(measure, &bytes, &thread), 0);
  sys.joinThread(thread);
  CHECK_EQ(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&before);
  pthread_attr_destroy(&small);
  CHECK(bytes >= AIK_STACK_BYTES);
}

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  run("threads have room for tiles", threadsHaveRoomForTiles);
  run("reads within bounds", readsWithinBounds);
  run("handles go stale", handlesGoStale);
  run("handles survive threads", handlesSurviveThreads);
  run("knows its names", knowsItsNames);
  run("detects features from bits only", detectsFeaturesFromBitsOnly);
  run("traces events", tracesEvents);
  run("answers numbered calls", answersNumberedCalls);
  run("mirrors layouts", mirrorsLayouts);
  run("knows dense from strided", knowsDenseFromStrided);
  run("knows plain tensors", knowsPlainTensors);
  return finish();
}
