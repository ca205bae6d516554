//===- Ring.cpp - The command ring ----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of Ring.h. Slot bytes are moved as relaxed atomic words: a
// look-over by `anyPending` may meet a producer that reuses a slot.
//
//===----------------------------------------------------------------------===//

#include "Queue/Ring.h"

#include "Core/Wait.h"

#include <string.h>

using namespace aik;

static_assert(sizeof(aik_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_kernel_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_barrier_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_copy_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_fill_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_signal_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_wait_packet) == 64, "part of the ABI");
static_assert(sizeof(aik_timestamp_packet) == 64, "part of the ABI");
static_assert(std::atomic<uint64_t>::is_always_lock_free, "shared memory");

namespace {
constexpr uint32_t spaceWaitersAt = AIK_RING_SPACE_AT + 4;
constexpr int64_t spaceSleepNs = 5000000;

uint32_t firstWord(const aik_packet &packet) {
  return uint32_t(packet.words[0]);
}

bool isInvalid(uint32_t header) {
  return (header & AIK_PACKET_TYPE_MASK) == AIK_PACKET_INVALID;
}

std::atomic<uint32_t> *halfWords(uint8_t *slot) {
  return reinterpret_cast<std::atomic<uint32_t> *>(slot);
}
} // namespace

void Ring::format(void *region, uint32_t order, uint32_t ownerPid) {
  memory = static_cast<uint8_t *>(region);
  mask = (uint64_t(1) << order) - 1;
  uint32_t head[] = {AIK_RING_MAGIC, AIK_RUNTIME_VERSION, order, 64, 0,
                     ownerPid};
  memcpy(memory + AIK_RING_MAGIC_AT, head, sizeof(head));
  for (uint64_t i = 0; i <= mask; ++i)
    headerOf(i).store(AIK_PACKET_INVALID, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

void Ring::writeBody(uint64_t index, const aik_packet &packet) {
  std::atomic<uint32_t> *words = halfWords(slotOf(index));
  for (int i = 1; i < 16; ++i)
    words[i].store(uint32_t(packet.words[i / 2] >> (i % 2 * 32)),
                   std::memory_order_relaxed);
}

void Ring::publish(uint64_t index, const aik_packet &packet) {
  headerOf(index).store(firstWord(packet), std::memory_order_release);
}

void Ring::publishBatch(uint64_t first, const aik_packet *packets,
                        uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    writeBody(first + i, packets[i]);
  for (uint64_t i = count; i-- > 0;)
    publish(first + i, packets[i]);
  // Producers may finish out of order; the doorbell only ever rises.
  std::atomic<uint64_t> &doorbell = at64(AIK_RING_DOORBELL_AT);
  uint64_t last = first + count - 1;
  uint64_t seen = doorbell.load(std::memory_order_relaxed);
  while (seen < last &&
         !doorbell.compare_exchange_weak(seen, last, std::memory_order_release))
    ;
  kick();
}

bool Ring::trySubmit(const aik_packet *packets, uint64_t count, uint64_t &end) {
  // A fetch-and-add could not be undone when the ring is full.
  std::atomic<uint64_t> &writeIndex = at64(AIK_RING_WRITE_INDEX_AT);
  uint64_t first = writeIndex.load(std::memory_order_relaxed);
  do {
    // A stale `first` may lie behind the reader; the swap then fails.
    uint64_t used = first - readIndex();
    if (int64_t(used) < 0)
      used = 0;
    if (count > slotCount() - used)
      return false;
  } while (!writeIndex.compare_exchange_weak(first, first + count,
                                             std::memory_order_relaxed));
  publishBatch(first, packets, count);
  end = first + count;
  return true;
}

bool Ring::submit(const aik_packet *packets, uint64_t count,
                  const std::atomic<bool> &giveUp, uint64_t &end) {
  while (!trySubmit(packets, count, end)) {
    if (giveUp.load(std::memory_order_acquire) || count > slotCount())
      return false;
    uint32_t seen = at32(AIK_RING_SPACE_AT).load(std::memory_order_acquire);
    at32(spaceWaitersAt).fetch_add(1, std::memory_order_seq_cst);
    if (slotCount() - (writeIndex() - readIndex()) < count)
      sys.futexWait(wordOf(at32(AIK_RING_SPACE_AT)), seen, spaceSleepNs);
    at32(spaceWaitersAt).fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

void Ring::kick() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (at32(AIK_RING_FLAGS_AT).load(std::memory_order_relaxed) &
      AIK_RING_NEED_KICK)
    kickAlways();
}

void Ring::kickAlways() {
  clearFlag(AIK_RING_NEED_KICK);
  at32(AIK_RING_KICK_AT).fetch_add(1, std::memory_order_seq_cst);
  wakeAll(sys, wordOf(at32(AIK_RING_KICK_AT)));
}

//===----------------------------------------------------------------------===//
// The consumer
//===----------------------------------------------------------------------===//

bool Ring::loadPublished(uint64_t index, aik_packet &out) const {
  std::atomic<uint32_t> *words = halfWords(slotOf(index));
  uint32_t header = words[0].load(std::memory_order_acquire);
  if (isInvalid(header))
    return false;
  out.words[0] = header;
  for (int i = 1; i < 16; ++i) {
    uint64_t half = words[i].load(std::memory_order_relaxed);
    if (i % 2 == 0)
      out.words[i / 2] = half;
    else
      out.words[i / 2] |= half << 32;
  }
  return true;
}

bool Ring::peek(aik_packet &out) const {
  return loadPublished(readIndex(), out);
}

void Ring::retire() {
  uint64_t index = readIndex();
  headerOf(index).store(AIK_PACKET_INVALID, std::memory_order_relaxed);
  at64(AIK_RING_READ_INDEX_AT).store(index + 1, std::memory_order_seq_cst);
  if (at32(spaceWaitersAt).load(std::memory_order_seq_cst) != 0) {
    at32(AIK_RING_SPACE_AT).fetch_add(1, std::memory_order_seq_cst);
    wakeAll(sys, wordOf(at32(AIK_RING_SPACE_AT)));
  }
}

void Ring::discardAll() {
  uint64_t end = writeIndex();
  while (readIndex() < end)
    retire();
}

void Ring::sleep(int64_t timeoutNs, const std::atomic<uint32_t> &wake) {
  uint32_t seen = at32(AIK_RING_KICK_AT).load(std::memory_order_acquire);
  setFlag(AIK_RING_NEED_KICK);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool published =
      !isInvalid(headerOf(readIndex()).load(std::memory_order_acquire));
  if (!published && wake.load(std::memory_order_acquire) == 0)
    sys.futexWait(wordOf(at32(AIK_RING_KICK_AT)), seen, timeoutNs);
  clearFlag(AIK_RING_NEED_KICK);
}

void Ring::publishFault(const aik_fault &fault) {
  std::atomic<uint32_t> *words = halfWords(memory + AIK_RING_FAULT_AT);
  uint32_t copy[sizeof(fault) / 4];
  memcpy(copy, &fault, sizeof(fault));
  for (size_t i = 0; i < sizeof(fault) / 4; ++i)
    words[i].store(copy[i], std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}
