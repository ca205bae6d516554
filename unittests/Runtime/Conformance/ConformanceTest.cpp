//===- ConformanceTest.cpp - What every driver has to do ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: ConformanceTest TEST_IMAGE DEVICE [TEST_LAUNCHER]. One suite for all
// drivers: a new driver adds a line to CMakeLists.txt. `executes` says whether
// effects are to be seen (not on `null`). Data is in buffers of the device.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace aiktest;

namespace {
const char *deviceName = "cpu";
std::string artifactBytes;
bool executes = true;
constexpr int64_t second = 1000000000;

struct Suite : Session {
  explicit Suite(aik::Sys &sys = aik::hostSys())
      : Session(deviceName, 2, sys, artifactBytes) {}

  int32_t submitAndWait(const aik_queue_info &queue, const aik_packet *packets,
                        uint64_t count) {
    aik_fence fence = {};
    int32_t status =
        aik_queue_submit(runtime, queue.queue, packets, count, &fence);
    return status ? status : aik_fence_wait(runtime, &fence, 10 * second);
  }
  int32_t submitAndWait(const aik_queue_info &queue, const aik_packet &packet) {
    return submitAndWait(queue, &packet, 1);
  }
};

/// `count` values in a buffer of the device.
template <typename T>
struct Values {
  Values(Suite &s, std::vector<T> initial)
      : s(s), count(initial.size()), info(s.buffer(count * sizeof(T))) {
    set(initial);
  }
  T *at(size_t index = 0) const {
    return reinterpret_cast<T *>(info.device_address) + index;
  }
  void set(const std::vector<T> &values) {
    CHECK_EQ(aik_buffer_write(s.runtime, info.handle, 0, values.data(),
                              values.size() * sizeof(T)),
             0);
  }
  T get(size_t index) const {
    T value = {};
    CHECK_EQ(aik_buffer_read(s.runtime, info.handle, index * sizeof(T), &value,
                             sizeof(T)),
             0);
    return value;
  }
  Suite &s;
  size_t count;
  aik_memory_info info;
};

void describesItself() {
  Suite s;
  auto info = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(s.runtime, s.device, &info), 0);
  CHECK_EQ(info.name, deviceName);
  CHECK(info.arch[0] != 0);
  CHECK(info.threads >= 1);
  aik_device_info all[8];
  AIK_INIT(&all[0]);
  int32_t count = aik_device_enumerate(s.runtime, all, 8);
  CHECK(count >= 2);
  CHECK_EQ(all[info.index].name, deviceName);
  CHECK_EQ(aik_device_enumerate(s.runtime, nullptr, 0), count);
  CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_OPEN, 99, 0, 0, 0, 0, 0),
           -AIK_ENODEV);
  int64_t opened =
      aik_syscall(s.runtime, AIK_SYS_GPU_OPEN, info.index, 0, 0, 0, 0, 0);
  CHECK(opened > 0);
  CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_CLOSE, opened, 0, 0, 0, 0, 0), 0);
  CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_CLOSE, opened, 0, 0, 0, 0, 0),
           -AIK_ENOENT);
}

void runsFunctions() {
  Suite s;
  Values<float> x(s, {0, 1, 2, 3, 4, 5, 6, 7}), z(s, std::vector<float>(8, -1));
  aik_tensor args[] = {tensor(x.at(), {2, 4}), tensor(x.at(), {2, 4})};
  aik_tensor result = tensor(z.at(), {2, 4});
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                            &result, 1, nullptr),
           0);
  CHECK_EQ(z.get(7), executes ? 14.0f : -1.0f);
  // Not waited for until aik_device_wait.
  z.set(std::vector<float>(8, -1));
  auto options = make<aik_run_options>();
  options.flags = AIK_RUN_ASYNC;
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                            &result, 1, &options),
           0);
  CHECK_EQ(aik_device_wait(s.runtime, s.device, -1), 0);
  CHECK_EQ(aik_device_wait(s.runtime, s.device, 0), 0);
  CHECK_EQ(aik_device_wait(s.runtime, s.module, 0), -AIK_ENOENT);
  CHECK_EQ(z.get(7), executes ? 14.0f : -1.0f);
  // Wrong calls are refused whether or not right ones have an effect.
  args[0].dtype = AIK_F64;
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                            &result, 1, nullptr),
           -AIK_EINVAL);
}

void executesEveryPacket() {
  Suite s;
  aik_queue_info queue = s.queue();
  std::vector<uint8_t> counting(64);
  for (int i = 0; i < 64; ++i)
    counting[size_t(i)] = uint8_t(i);
  Values<uint8_t> from(s, counting), to(s, std::vector<uint8_t>(64));
  CHECK_EQ(s.submitAndWait(queue, copyPacket(to.at(), from.at(), 64)), 0);
  CHECK_EQ(to.get(63), executes ? 63 : 0);
  CHECK_EQ(s.submitAndWait(queue, copyPacket(to.at(), from.at(), 0)), 0);
  CHECK_EQ(s.submitAndWait(queue, fillPacket(to.at(), 0x11, 1, 3)), 0);
  CHECK_EQ(to.get(2), executes ? 0x11 : 0);
  CHECK_EQ(to.get(3), executes ? 3 : 0);
  CHECK_EQ(s.submitAndWait(queue, fillPacket(to.at(8), 0x2233, 2, 4)), 0);
  CHECK_EQ(to.get(11), executes ? 0x22 : 0);
  CHECK_EQ(s.submitAndWait(queue, fillPacket(to.at(16), 0x44556677, 4, 8)), 0);
  CHECK_EQ(to.get(20), executes ? 0x77 : 0);
  CHECK_EQ(
      s.submitAndWait(queue, fillPacket(to.at(24), 0x8899aabbccddeeff, 8, 16)),
      0);
  CHECK_EQ(to.get(39), executes ? 0x88 : 0);
  CHECK_EQ(to.get(32), executes ? 0xff : 0);
  CHECK_EQ(to.get(40), executes ? 40 : 0);
  CHECK_EQ(s.submitAndWait(queue, nopPacket()), 0);

  Values<float> data(s, {1, 2, 3, 4});
  struct {
    float *data;
    int64_t count;
    float factor;
  } block = {data.at(), 4, 3};
  CHECK_EQ(s.submitAndWait(queue, kernelPacket(s.kernel("kernel_scale"), &block,
                                               sizeof(block))),
           0);
  CHECK_EQ(data.get(3), executes ? 12.0f : 4.0f);

  Values<uint64_t> times(s, {0, 0});
  aik_packet stamp = {};
  stamp.timestamp.subtype = AIK_VENDOR_TIMESTAMP;
  stamp.timestamp.destination = reinterpret_cast<uint64_t>(times.at(0));
  CHECK_EQ(s.submitAndWait(queue, stamp), 0);
  stamp.timestamp.destination = reinterpret_cast<uint64_t>(times.at(1));
  CHECK_EQ(s.submitAndWait(queue, stamp), 0);
  CHECK(executes ? times.get(0) > 0 && times.get(1) >= times.get(0)
                 : times.get(1) == 0);
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_DRAIN, -1), 0);
}

void keepsOrderInOneQueue() {
  Suite s;
  aik_queue_info queue = s.queue(4);
  // Each packet reads what the one before wrote, over many wraps of the ring.
  std::vector<uint32_t> initial(65);
  initial[0] = 7;
  Values<uint32_t> cells(s, initial);
  for (int round = 0; round < 50; ++round) {
    cells.set(initial);
    aik_fence fence = {};
    for (size_t i = 0; i < 64; i += 8) {
      aik_packet packets[8];
      for (size_t j = 0; j < 8; ++j)
        packets[j] = copyPacket(cells.at(i + j + 1), cells.at(i + j), 4);
      int32_t status;
      while ((status = aik_queue_submit(s.runtime, queue.queue, packets, 8,
                                        &fence)) == -AIK_EAGAIN)
        std::this_thread::yield();
      CHECK_EQ(status, 0);
    }
    CHECK_EQ(aik_fence_wait(s.runtime, &fence, -1), 0);
    CHECK_EQ(cells.get(64), executes ? 7u : 0u);
  }
}

void acceptsManyProducers() {
  Suite s;
  aik_queue_info queue = s.queue(5);
  constexpr int producers = 4, each = 300;
  aik_handle signal = 0;
  CHECK_EQ(aik_signal_create(s.runtime, producers * each, &signal), 0);
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p)
    threads.emplace_back([&] {
      for (int i = 0; i < each; i += 3) {
        aik_packet packets[3] = {nopPacket(), nopPacket(), nopPacket()};
        for (aik_packet &packet : packets)
          packet.copy.completion_signal = signal;
        while (aik_queue_submit(s.runtime, queue.queue, packets, 3, nullptr) ==
               -AIK_EAGAIN)
          std::this_thread::yield();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQ(aik_signal_wait(s.runtime, signal, AIK_WAIT_EQ, 0, 30 * second), 0);
  int64_t done = 0;
  CHECK_EQ(aik_signal_read(s.runtime, queue.timeline, &done), 0);
  // The last packet's signal comes just before its place on the timeline.
  CHECK_EQ(aik_signal_wait(s.runtime, queue.timeline, AIK_WAIT_GE,
                           producers * each, 10 * second),
           0);
  CHECK_EQ(aik_signal_destroy(s.runtime, signal), 0);
}

void synchronizesQueues() {
  Suite s;
  aik_queue_info first = s.queue(), second_ = s.queue();
  aik_handle a = 0, b = 0, done = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &a), 0);
  CHECK_EQ(aik_signal_create(s.runtime, 1, &b), 0);
  CHECK_EQ(aik_signal_create(s.runtime, 1, &done), 0);
  // The second queue waits for both signals, then tells.
  aik_packet barrier = {};
  barrier.header = AIK_PACKET_BARRIER_AND;
  barrier.barrier.signals[0] = a;
  barrier.barrier.signals[3] = b;
  barrier.barrier.completion_signal = done;
  CHECK_EQ(aik_queue_submit(s.runtime, second_.queue, &barrier, 1, nullptr), 0);
  CHECK_EQ(aik_signal_wait(s.runtime, done, AIK_WAIT_EQ, 0, 20000000),
           -AIK_ETIMEDOUT);
  CHECK_SAYS("has the value 1");
  aik_packet packets[] = {signalPacket(a, AIK_SIGNAL_ADD, -1),
                          signalPacket(b, AIK_SIGNAL_SET, 0)};
  CHECK_EQ(aik_queue_submit(s.runtime, first.queue, packets, 2, nullptr), 0);
  CHECK_EQ(aik_signal_wait(s.runtime, done, AIK_WAIT_EQ, 0, 10 * second), 0);

  // OR: one of two is enough. WAIT_VALUE: GE and LT.
  CHECK_EQ(aik_signal_set(s.runtime, a, 5), 0);
  CHECK_EQ(aik_signal_set(s.runtime, b, 5), 0);
  CHECK_EQ(aik_signal_set(s.runtime, done, 2), 0);
  barrier.header = AIK_PACKET_BARRIER_OR;
  aik_packet wait = waitPacket(a, AIK_WAIT_LT, 3);
  wait.wait.completion_signal = done;
  aik_packet both[] = {barrier, wait};
  CHECK_EQ(aik_queue_submit(s.runtime, second_.queue, both, 2, nullptr), 0);
  CHECK_EQ(aik_signal_wait(s.runtime, done, AIK_WAIT_LT, 2, 20000000),
           -AIK_ETIMEDOUT);
  CHECK_EQ(aik_signal_set(s.runtime, b, 0), 0);
  CHECK_EQ(aik_signal_wait(s.runtime, done, AIK_WAIT_EQ, 1, 10 * second), 0);
  CHECK_EQ(aik_signal_destroy(s.runtime, a), -AIK_EBUSY);
  CHECK_EQ(aik_signal_set(s.runtime, a, 2), 0);
  CHECK_EQ(aik_signal_wait(s.runtime, done, AIK_WAIT_EQ, 0, 10 * second), 0);
  CHECK_EQ(aik_signal_wait(s.runtime, done, 3, 0, 0), -AIK_EINVAL);
  CHECK_EQ(aik_signal_destroy(s.runtime, second_.timeline), -AIK_EBUSY);
}

void refusesMalformedPackets() {
  Suite s;
  aik_queue_info queue = s.queue(3);
  uint8_t memory[64];
  auto refuse = [&](aik_packet packet, const char *says) {
    aik_packet packets[] = {nopPacket(), packet};
    CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, nullptr),
             -AIK_EINVAL);
    CHECK_SAYS("packet 1 ");
    CHECK_SAYS(says);
  };
  aik_packet packet = {};
  packet.header = AIK_PACKET_INVALID;
  refuse(packet, "INVALID");
  packet.header = 77;
  refuse(packet, "unknown type");
  packet = {};
  packet.copy.subtype = 99;
  refuse(packet, "unknown vendor subtype");
  packet = nopPacket();
  packet.words[3] = 1;
  refuse(packet, "reserved");
  packet = nopPacket();
  packet.header = 1 << 14;
  refuse(packet, "reserved");
  refuse(kernelPacket(0, memory), "null kernel");
  packet = kernelPacket(1, memory);
  packet.kernel.setup = 4;
  refuse(packet, "more than 3 dimensions");
  refuse(copyPacket(memory, nullptr, 8), "impossible address");
  refuse(copyPacket(memory, memory + 4, 8), "overlap");
  refuse(copyPacket(memory, memory + 32, ~uint64_t(0)), "impossible address");
  refuse(fillPacket(memory, 0, 3, 9), "1, 2, 4 or 8");
  refuse(fillPacket(memory, 0, 4, 9), "multiple of its pattern");
  refuse(fillPacket(nullptr, 0, 4, 8), "impossible address");
  refuse(waitPacket(queue.queue, AIK_WAIT_EQ, 0), "is not a signal");
  refuse(waitPacket(queue.timeline, 7, 0), "unknown condition");
  refuse(signalPacket(queue.timeline, 7, 0), "unknown signal operation");
  packet = nopPacket();
  packet.copy.completion_signal = 12345;
  refuse(packet, "is not a signal");
  packet = {};
  packet.timestamp.subtype = AIK_VENDOR_TIMESTAMP;
  refuse(packet, "impossible address");

  aik_packet many[9] = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, many, 9, nullptr),
           -AIK_EINVAL);
  CHECK_SAYS("never fit");
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, many, 0, nullptr),
           -AIK_EINVAL);
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, nullptr, 1, nullptr),
           -AIK_EFAULT);
  CHECK_EQ(aik_queue_submit(s.runtime, s.device, many, 1, nullptr),
           -AIK_ENOENT);
  // None of this did the queue any harm.
  CHECK_EQ(s.submitAndWait(queue, nopPacket()), 0);
}

void reportsAFullRing() {
  Suite s;
  aik_queue_info queue = s.queue(2);
  aik_handle gate = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &gate), 0);
  aik_packet packets[4] = {waitPacket(gate, AIK_WAIT_EQ, 0), nopPacket(),
                           nopPacket(), nopPacket()};
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 4, &fence), 0);
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets + 1, 1, nullptr),
           -AIK_EAGAIN);
  CHECK_SAYS("no room for 1 packets");
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 0), -AIK_ETIMEDOUT);
  CHECK_EQ(aik_signal_set(s.runtime, gate, 0), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10 * second), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 0), 0);
}

void acceptsPacketsThroughTheMappedRing() {
  Suite s;
  aik_queue_info queue = s.queue(3);
  auto *region = static_cast<uint8_t *>(queue.region);
  uint32_t head[4];
  memcpy(head, region, sizeof(head));
  CHECK_EQ(head[0], AIK_RING_MAGIC);
  CHECK_EQ(head[2], 3);
  CHECK_EQ(head[3], 64);
  auto *write = reinterpret_cast<std::atomic<uint64_t> *>(
      region + AIK_RING_WRITE_INDEX_AT);
  std::vector<uint32_t> counting(20);
  for (uint32_t i = 0; i < 20; ++i)
    counting[i] = i + 1;
  Values<uint32_t> from(s, counting), to(s, std::vector<uint32_t>(20));
  for (uint32_t i = 0; i < 20; ++i) {
    uint64_t index = write->fetch_add(1);
    CHECK_EQ(aik_signal_wait(s.runtime, queue.timeline, AIK_WAIT_GE,
                             int64_t(index) - 7, 10 * second),
             0);
    auto *slot = static_cast<uint32_t *>(queue.slots) + (index % 8) * 16;
    aik_packet packet = copyPacket(to.at(i), from.at(i), 4);
    uint32_t words[16];
    memcpy(words, &packet, 64);
    // Relaxed stores of the body, then the first word with release.
    for (int w = 1; w < 16; ++w)
      __atomic_store_n(slot + w, words[w], __ATOMIC_RELAXED);
    __atomic_store_n(slot, words[0], __ATOMIC_RELEASE);
    __atomic_store_n(const_cast<uint64_t *>(queue.doorbell), index,
                     __ATOMIC_RELEASE);
    CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_SUBMIT, int64_t(queue.queue), 0,
                         0, 0, 0, 0),
             0);
  }
  CHECK_EQ(
      aik_signal_wait(s.runtime, queue.timeline, AIK_WAIT_GE, 20, 10 * second),
      0);
  CHECK_EQ(to.get(19), executes ? 20u : 0u);
}

/// Knows when a thread that said it `isWatched` has gone to sleep in a wait.
struct WatchingSys : aik::Sys {
  int64_t futexWait(const uint32_t *word, uint32_t expected,
                    int64_t timeoutNs) override {
    if (isWatched)
      sleeps = true;
    return Sys::futexWait(word, expected, timeoutNs);
  }
  std::atomic<bool> sleeps{false};
  static thread_local bool isWatched;
};
thread_local bool WatchingSys::isWatched = false;

void destroysQueuesInUse() {
  WatchingSys sys;
  Suite s(sys);
  aik_handle gate = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &gate), 0);
  aik_queue_info queue = s.queue();
  aik_packet packets[] = {waitPacket(gate, AIK_WAIT_EQ, 0), nopPacket()};
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, &fence), 0);
  CHECK_EQ(aik_device_close(s.runtime, s.device), -AIK_EBUSY);
  // DRAIN cannot finish; the queue goes on.
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_DRAIN, 20000000),
           -AIK_ETIMEDOUT);
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets + 1, 1, nullptr),
           0);
  // ABORT ends a waiting thread's wait with an error.
  int32_t waited = 0;
  std::thread waiter([&] {
    WatchingSys::isWatched = true;
    waited = aik_fence_wait(s.runtime, &fence, 30 * second);
  });
  CHECK(soon([&] { return sys.sleeps.load(); }));
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_ABORT, -1), 0);
  waiter.join();
  CHECK_EQ(waited, -AIK_EIO);
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_ABORT, -1),
           -AIK_ENOENT);
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, nullptr),
           -AIK_ENOENT);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 0), -AIK_ENOENT);
  // DRAIN with work that can finish.
  queue = s.queue();
  aik_handle done = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 3, &done), 0);
  aik_packet three[3] = {};
  for (aik_packet &packet : three)
    packet.copy.completion_signal = done;
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, three, 3, nullptr), 0);
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_DRAIN, -1), 0);
  int64_t value = -1;
  CHECK_EQ(aik_signal_read(s.runtime, done, &value), 0);
  CHECK_EQ(value, 0);
  auto config = make<aik_queue_config>();
  config.order = 17;
  auto out = make<aik_queue_info>();
  CHECK_EQ(aik_queue_create(s.runtime, s.device, &config, &out), -AIK_EINVAL);
}

void freesNothingInFlight() {
  Suite s;
  aik_memory_info memory = s.buffer(4096);
  Values<uint8_t> others(s, std::vector<uint8_t>(16, 3));
  uint8_t *other = others.at();
  aik_handle gate = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &gate), 0);
  aik_queue_info queue = s.queue();
  auto *bytes = reinterpret_cast<uint8_t *>(memory.device_address);
  struct {
    float *data;
    int64_t count;
    float factor;
  } block = {reinterpret_cast<float *>(bytes + 128), 4, 3};
  aik_packet users[] = {
      copyPacket(bytes + 4080, other, 16), copyPacket(other, bytes, 16),
      fillPacket(bytes + 64, 0, 4, 8),
      kernelPacket(s.kernel("kernel_scale"), &block, sizeof(block))};
  for (const aik_packet &user : users) {
    CHECK_EQ(aik_signal_set(s.runtime, gate, 1), 0);
    aik_packet packets[] = {waitPacket(gate, AIK_WAIT_EQ, 0), user};
    aik_fence fence = {};
    CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, &fence), 0);
    CHECK_EQ(aik_memory_free(s.runtime, memory.handle), -AIK_EBUSY);
    if (user.header == AIK_PACKET_KERNEL)
      CHECK_EQ(aik_module_unload(s.runtime, s.module), -AIK_EBUSY);
    CHECK_EQ(aik_signal_set(s.runtime, gate, 0), 0);
    CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10 * second), 0);
  }
  CHECK_EQ(aik_memory_free(s.runtime, memory.handle), 0);
  CHECK_EQ(aik_memory_free(s.runtime, memory.handle), -AIK_ENOENT);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
}

void hasBuffers() {
  Suite s;
  aik_memory_info memory = s.buffer(1000);
  CHECK(memory.byte_count >= 1000);
  auto info = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(s.runtime, s.device, &info), 0);
  CHECK_EQ(memory.device, info.index);
  CHECK_EQ(memory.address == nullptr, info.kind == AIK_DEVICE_GPU);
  uint32_t in = 42, out = 0;
  CHECK_EQ(aik_buffer_write(s.runtime, memory.handle, 996, &in, 4), 0);
  CHECK_EQ(aik_buffer_read(s.runtime, memory.handle, 996, &out, 4), 0);
  CHECK_EQ(out, 42);
  CHECK_EQ(
      aik_buffer_read(s.runtime, memory.handle, memory.byte_count - 2, &out, 4),
      -AIK_ERANGE);
  CHECK_EQ(aik_buffer_write(s.runtime, memory.handle, ~uint64_t(0), &in, 4),
           -AIK_ERANGE);
  uint64_t address = 0;
  auto map = [&] {
    return aik_syscall(s.runtime, AIK_SYS_MEM_MAP_DEVICE,
                       int64_t(memory.handle), int64_t(s.device), 3,
                       reinterpret_cast<int64_t>(&address), 0, 0);
  };
  CHECK_EQ(map(), 0);
  CHECK(address != 0);
  CHECK_EQ(map(), -AIK_EEXIST);
}

void staysPoisonedUntilReset() {
  Suite s;
  aik_queue_info queue = s.queue(), other = s.queue();
  aik_handle done = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &done), 0);
  uint64_t failing = s.kernel("kernel_fail");
  Values<uint8_t> from(s, {9, 0, 0, 0}), to(s, {0, 0, 0, 0});
  uint64_t parameter = 0; // the GPU's kernel has one, for its status
  aik_packet packets[] = {kernelPacket(failing, &parameter, 8),
                          copyPacket(to.at(), from.at(), 4)};
  packets[1].copy.completion_signal = done;
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, &fence), 0);
  int32_t status = aik_fence_wait(s.runtime, &fence, 10 * second);
  aik_fault fault = {};
  if (!executes) {
    CHECK_EQ(status, 0);
    CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), -AIK_ENOENT);
    return;
  }
  CHECK_EQ(status, -AIK_EIO);
  CHECK_SAYS("kernel 'kernel_fail' returned -34 (ERANGE): an id is out of "
             "range");
  CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), 0);
  CHECK_EQ(fault.code, AIK_EIO);
  CHECK_EQ(fault.backend_code, -AIK_ERANGE);
  CHECK_EQ(fault.number, AIK_SYS_GPU_SUBMIT);
  auto self = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(s.runtime, s.device, &self), 0);
  CHECK_EQ(fault.device, self.index);
  CHECK_EQ(fault.address, failing);
  CHECK(fault.kernel_hash == aik_name_hash("kernel_fail"));
  // The packet after it was not executed, and who waits for it is told.
  CHECK_EQ(aik_signal_wait(s.runtime, done, AIK_WAIT_EQ, 0, 10 * second),
           -AIK_EIO);
  CHECK_EQ(to.get(0), 0);
  // Sticky: every wait and submission, at once, with the same record.
  for (int i = 0; i < 3; ++i) {
    aik_fault_clear();
    CHECK_EQ(aik_fence_wait(s.runtime, &fence, -1), -AIK_EIO);
    CHECK_SAYS("kernel_fail");
    CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets + 1, 1, nullptr),
             -AIK_EIO);
    CHECK_SAYS("kernel_fail");
  }
  uint32_t flags = __atomic_load_n(
      reinterpret_cast<uint32_t *>(static_cast<uint8_t *>(queue.region) +
                                   AIK_RING_FLAGS_AT),
      __ATOMIC_ACQUIRE);
  CHECK(flags & AIK_RING_POISONED);
  CHECK_EQ(s.submitAndWait(other, copyPacket(to.at(), from.at(), 4)), 0);
  // Reset: a new epoch, old fences are gone, the queue works again.
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), -AIK_ENOENT);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 0), -AIK_ENOENT);
  auto info = make<aik_device_info>();
  CHECK_EQ(aik_device_describe(s.runtime, s.device, &info), 0);
  CHECK_EQ(info.epoch, 1);
  to.set({0, 0, 0, 0});
  CHECK_EQ(s.submitAndWait(queue, copyPacket(to.at(), from.at(), 4)), 0);
  CHECK_EQ(to.get(0), 9);
}

void resetsAWaitingQueue() {
  Suite s;
  aik_queue_info queue = s.queue();
  aik_handle never = 0;
  CHECK_EQ(aik_signal_create(s.runtime, 1, &never), 0);
  aik_packet packet = waitPacket(never, AIK_WAIT_EQ, 0);
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
  CHECK_EQ(aik_fence_wait(s.runtime, &fence, 10000000), -AIK_ETIMEDOUT);
  CHECK_EQ(aik_device_reset(s.runtime, s.device), 0);
  CHECK_EQ(s.submitAndWait(queue, nopPacket()), 0);
  CHECK_EQ(aik_signal_destroy(s.runtime, never), 0);
}

void closesWithWorkQueued() {
  // The runtime's close aborts what waits for ever and frees the rest.
  CountingSys sys;
  {
    Session s(deviceName, 2, sys, artifactBytes);
    aik_queue_info queue = s.queue();
    aik_handle never = 0;
    CHECK_EQ(aik_signal_create(s.runtime, 1, &never), 0);
    aik_packet packets[] = {waitPacket(never, AIK_WAIT_EQ, 0), nopPacket()};
    CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, packets, 2, nullptr), 0);
    auto memory = make<aik_memory_info>();
    CHECK_EQ(aik_memory_alloc(s.runtime, 5000, 0, 0, &memory), 0);
  }
  CHECK(sys.isClean());
  if (!sys.isClean())
    std::printf("%s\n", sys.balance().c_str());
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  if (argc > 2)
    deviceName = argv[2];
  executes = strcmp(deviceName, "null") != 0;
  artifactBytes = argc > 3 ? artifactOf(cudaDescription(fileBytes(argv[3])))
                           : testArtifact();
  run("describes itself", describesItself);
  run("runs functions", runsFunctions);
  run("executes every packet", executesEveryPacket);
  run("keeps order in one queue", keepsOrderInOneQueue);
  run("accepts many producers", acceptsManyProducers);
  run("synchronizes queues", synchronizesQueues);
  run("refuses malformed packets", refusesMalformedPackets);
  run("reports a full ring", reportsAFullRing);
  run("accepts packets through the mapped ring",
      acceptsPacketsThroughTheMappedRing);
  run("destroys queues in use", destroysQueuesInUse);
  run("frees nothing in flight", freesNothingInFlight);
  run("has buffers", hasBuffers);
  run("stays poisoned until reset", staysPoisonedUntilReset);
  run("resets a waiting queue", resetsAWaitingQueue);
  run("closes with work queued", closesWithWorkQueued);
  return finish();
}
