//===- Ring.h - The command ring ------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: 64-byte packets from any number of producers. What comes out:
// the same packets, in order, for one consumer. The memory is laid out as
// Runtime.h says (AIK_RING_*), so that callers may also map and fill it.
//
//  - Indexes are monotonic; slot = index mod size.
//  - A slot is free while its header says INVALID and the consumer has passed
//    its previous use. A producer reserves indexes, writes bytes 4..63 and then
//    the first four bytes with release: that publishes the packet. A batch
//    publishes its first packet last, so the consumer sees all of it or none.
//  - Before it sleeps the consumer sets NEED_KICK, fences, and looks again; a
//    producer publishes, fences, and looks at NEED_KICK. Without both fences a
//    wake-up could be lost.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_QUEUE_RING_H
#define AIKERNEL_RUNTIME_QUEUE_RING_H

#include "AIKernel-c/Runtime.h"
#include "Sys.h"

#include <atomic>

namespace aik {

class Ring {
public:
  explicit Ring(Sys &sys) : sys(sys) {}

  static uint64_t regionBytes(uint32_t order) {
    return AIK_RING_SLOTS + (uint64_t(64) << order);
  }
  /// Lays an empty ring out in zeroed memory of regionBytes(order).
  void format(void *memory, uint32_t order, uint32_t ownerPid);

  void *region() const { return memory; }
  uint64_t slotCount() const { return mask + 1; }

  // Producers.
  /// Puts `count` packets on the ring, all or none. False: they do not fit
  /// now. `end` gets the index after the last.
  bool trySubmit(const aik_packet *packets, uint64_t count, uint64_t &end);
  /// The same, but waits for room. False: `giveUp` became true.
  bool submit(const aik_packet *packets, uint64_t count,
              const std::atomic<bool> &giveUp, uint64_t &end);
  /// Wakes the consumer if it sleeps.
  void kick();
  void kickAlways();

  // The consumer.
  /// Copies the next packet; false when it has not been published.
  bool peek(aik_packet &out) const;
  /// Frees the slot of the packet that peek gave.
  void retire();
  /// Frees everything that was reserved, published or not.
  void discardAll();
  /// Sleeps until kicked, at most `timeoutNs` (< 0: no limit). Returns at
  /// once when a packet is there or `wake` is set.
  void sleep(int64_t timeoutNs, const std::atomic<uint32_t> &wake);

  uint64_t writeIndex() const {
    return at64(AIK_RING_WRITE_INDEX_AT).load(std::memory_order_acquire);
  }
  uint64_t readIndex() const {
    return at64(AIK_RING_READ_INDEX_AT).load(std::memory_order_acquire);
  }
  void setFlag(uint32_t flag) {
    at32(AIK_RING_FLAGS_AT).fetch_or(flag, std::memory_order_seq_cst);
  }
  void clearFlag(uint32_t flag) {
    at32(AIK_RING_FLAGS_AT).fetch_and(~flag, std::memory_order_seq_cst);
  }
  void setEpoch(uint32_t epoch) {
    at32(AIK_RING_MAGIC_AT + 16).store(epoch, std::memory_order_release);
  }
  /// Shows the fault to those who mapped the ring.
  void publishFault(const aik_fault &fault);

  /// True when `test` is true of a packet that is not done yet. The consumer
  /// must be kept from retiring packets meanwhile.
  template <typename Test>
  bool anyPending(Test test) const {
    uint64_t last = writeIndex();
    for (uint64_t index = readIndex(); index < last; ++index) {
      aik_packet packet;
      if (loadPublished(index, packet) && test(packet))
        return true;
    }
    return false;
  }

private:
  std::atomic<uint32_t> &at32(uint32_t offset) const {
    return *reinterpret_cast<std::atomic<uint32_t> *>(memory + offset);
  }
  std::atomic<uint64_t> &at64(uint32_t offset) const {
    return *reinterpret_cast<std::atomic<uint64_t> *>(memory + offset);
  }
  std::atomic<uint32_t> &headerOf(uint64_t index) const {
    return *reinterpret_cast<std::atomic<uint32_t> *>(slotOf(index));
  }
  uint8_t *slotOf(uint64_t index) const {
    return memory + AIK_RING_SLOTS + (index & mask) * 64;
  }
  void writeBody(uint64_t index, const aik_packet &packet);
  void publish(uint64_t index, const aik_packet &packet);
  void publishBatch(uint64_t first, const aik_packet *packets, uint64_t count);
  bool loadPublished(uint64_t index, aik_packet &out) const;

  Sys &sys;
  uint8_t *memory = nullptr;
  uint64_t mask = 0;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_QUEUE_RING_H
