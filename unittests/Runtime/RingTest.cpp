//===- RingTest.cpp - The command ring alone ------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One consumer, many producers, batches, sleeping, wrapping: nothing is lost,
// doubled or torn, and batches stay together. Small rings, so that every wrap
// and every full ring is met often.
//
//===----------------------------------------------------------------------===//

#include "Queue/Ring.h"
#include "Check.h"

#include <cstdlib>
#include <thread>
#include <vector>

using namespace aiktest;

namespace {
struct TestRing : aik::Ring {
  explicit TestRing(uint32_t order) : Ring(aik::hostSys()) {
    size_t bytes = regionBytes(order);
    memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(memory, 0, bytes);
    format(memory, order, 1);
  }
  ~TestRing() { free(memory); }
  void *memory;
};

/// A packet that carries (producer, number) in every word.
aik_packet marked(uint64_t producer, uint64_t number) {
  aik_packet packet = {};
  for (int i = 1; i < 8; ++i)
    packet.words[i] = producer << 32 | number;
  return packet;
}

void keepsOrderAndReportsFull() {
  TestRing ring(2);
  CHECK_EQ(ring.slotCount(), 4);
  aik_packet packet;
  CHECK(!ring.peek(packet));
  uint64_t end = 0;
  for (uint64_t round = 0; round < 100; ++round) {
    aik_packet three[] = {marked(1, 3 * round), marked(1, 3 * round + 1),
                          marked(1, 3 * round + 2)};
    CHECK(ring.trySubmit(three, 3, end));
    CHECK_EQ(end, 3 * round + 3);
    CHECK(!ring.trySubmit(three, 2, end));
    uint64_t seen = 0;
    CHECK(ring.anyPending([&](const aik_packet &) { return ++seen == 3; }));
    for (uint64_t i = 0; i < 3; ++i) {
      CHECK(ring.peek(packet));
      CHECK_EQ(packet.words[7] & 0xffffffff, 3 * round + i);
      ring.retire();
    }
    CHECK(!ring.peek(packet));
  }
}

/// Producers with batches of 1 to 3 packets, a consumer that sleeps.
void losesNothing() {
  constexpr uint64_t producers = 3, batches = 4000;
  TestRing ring(3);
  std::atomic<bool> never{false};
  std::atomic<uint32_t> stop{0};
  std::vector<std::thread> threads;
  for (uint64_t p = 0; p < producers; ++p)
    threads.emplace_back([&, p] {
      uint64_t number = 0, end = 0;
      for (uint64_t b = 0; b < batches; ++b) {
        uint64_t count = 1 + (b + p) % 3;
        aik_packet packets[3];
        for (uint64_t i = 0; i < count; ++i) {
          packets[i] = marked(p, number++);
          packets[i].words[1] = count - i; // how many of the batch are left
        }
        if (b % 2)
          CHECK(ring.submit(packets, count, never, end));
        else
          while (!ring.trySubmit(packets, count, end))
            std::this_thread::yield();
      }
    });
  uint64_t expected[producers] = {}, total = 0, left = 0, batchOwner = 0;
  for (uint64_t p = 0; p < producers; ++p)
    for (uint64_t b = 0; b < batches; ++b)
      total += 1 + (b + p) % 3;
  for (uint64_t got = 0; got < total;) {
    aik_packet packet;
    if (!ring.peek(packet)) {
      CHECK_EQ(left, 0); // a batch is seen whole
      ring.sleep(-1, stop);
      continue;
    }
    uint64_t producer = packet.words[7] >> 32;
    uint64_t number = packet.words[7] & 0xffffffff;
    bool whole = producer < producers;
    for (int i = 2; i < 8; ++i)
      whole &= packet.words[i] == packet.words[7];
    CHECK(whole);
    if (!whole)
      break;
    if (left)
      CHECK_EQ(producer, batchOwner);
    batchOwner = producer;
    left = packet.words[1] - 1;
    CHECK_EQ(number, expected[producer]);
    expected[producer] = number + 1;
    ring.retire();
    ++got;
  }
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQ(ring.readIndex(), total);
  CHECK_EQ(ring.writeIndex(), total);
}

/// Large batches for half a second, a consumer that looks all the time: as soon
/// as it sees the first packet, the last must be there.
void publishesBatchesWhole() {
  constexpr uint64_t batch = 8000;
  TestRing ring(13);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> torn{0};
  auto isPublished = [&](uint64_t index) {
    auto *header = reinterpret_cast<std::atomic<uint32_t> *>(
        static_cast<char *>(ring.region()) + AIK_RING_SLOTS +
        index % ring.slotCount() * 64);
    return header->load(std::memory_order_acquire) != AIK_PACKET_INVALID;
  };
  std::thread consumer([&] {
    for (uint64_t first = 0; !stop; first += batch) {
      for (int look = 1; !isPublished(first) && !stop; ++look)
        if (look % 20000 == 0)
          std::this_thread::yield();
      if (!isPublished(first))
        return;
      torn += !isPublished(first + batch - 1);
      // This batch and no packet of the next, which may be on its way already.
      while (ring.readIndex() < first + batch) {
        aik_packet packet;
        if (ring.peek(packet))
          ring.retire();
      }
    }
  });
  std::vector<aik_packet> packets(batch, marked(0, 0));
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  uint64_t index = 0;
  while (std::chrono::steady_clock::now() < end) {
    // An empty ring: the consumer is waiting for the first packet.
    while (ring.readIndex() != ring.writeIndex())
      std::this_thread::yield();
    CHECK(ring.trySubmit(packets.data(), batch, index));
  }
  stop = true;
  consumer.join();
  CHECK_EQ(torn.load(), 0);
}

/// One packet at a time, the consumer asleep each time: no wake-up is lost.
void wakesTheSleeper() {
  TestRing ring(1);
  std::atomic<uint32_t> stop{0};
  std::atomic<uint64_t> consumed{0};
  constexpr uint64_t rounds = 3000;
  std::thread consumer([&] {
    while (consumed < rounds) {
      aik_packet packet;
      if (!ring.peek(packet)) {
        ring.sleep(-1, stop);
        continue;
      }
      ring.retire();
      ++consumed;
    }
  });
  for (uint64_t i = 0; i < rounds; ++i) {
    aik_packet packet = marked(0, i);
    uint64_t end = 0;
    while (!ring.trySubmit(&packet, 1, end))
      std::this_thread::yield();
    while (consumed <= i)
      std::this_thread::yield();
  }
  consumer.join();
  CHECK_EQ(consumed.load(), rounds);
}

void givesUpAndDiscards() {
  TestRing ring(1);
  std::atomic<bool> giveUp{true};
  aik_packet packets[3] = {marked(0, 0), marked(0, 1), marked(0, 2)};
  uint64_t end = 0;
  CHECK(!ring.submit(packets, 3, giveUp, end)); // never fits
  CHECK(ring.submit(packets, 2, giveUp, end));
  CHECK(!ring.submit(packets, 1, giveUp, end));
  ring.discardAll();
  CHECK_EQ(ring.readIndex(), 2);
  CHECK(ring.submit(packets, 2, giveUp, end));
  CHECK_EQ(end, 4);
}
} // namespace

int main() {
  run("keeps order and reports full", keepsOrderAndReportsFull);
  run("loses nothing", losesNothing);
  run("publishes batches whole", publishesBatchesWhole);
  run("wakes the sleeper", wakesTheSleeper);
  run("gives up and discards", givesUpAndDiscards);
  return finish();
}
