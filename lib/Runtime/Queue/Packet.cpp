//===- Packet.cpp - What a command packet means ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and questions, one per packet type; nothing is executed here.
//
//===----------------------------------------------------------------------===//

#include "Queue/Packet.h"

#include <string.h>

using namespace aik;

namespace {
bool allZero(const uint64_t *words, int count) {
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i)
    bits |= words[i];
  return bits == 0;
}

/// A range that starts at null (unless empty) or wraps around.
bool isBadRange(uint64_t address, uint64_t bytes) {
  uint64_t end;
  return bytes != 0 &&
         (address == 0 || __builtin_add_overflow(address, bytes, &end));
}

/// [begin, end) and `bytes` at `address` have a byte in common; a range of no
/// known size counts as one byte.
bool overlaps(uint64_t begin, uint64_t end, uint64_t address, uint64_t bytes) {
  uint64_t last = 0;
  if (bytes == 0 || __builtin_add_overflow(address, bytes, &last))
    last = address + 1;
  return address < end && last > begin;
}

constexpr const char *reservedText = "has a reserved field that is not 0";

const char *whyKernelMalformed(const aik_kernel_packet &kernel) {
  if (kernel.reserved0)
    return reservedText;
  if (kernel.setup > 3)
    return "launches a grid of more than 3 dimensions";
  if (kernel.kernel_object == 0)
    return "launches a null kernel";
  if (isBadRange(kernel.kernarg, kernel.kernarg_bytes))
    return "has an argument block at an impossible address";
  return nullptr;
}

const char *whyCopyMalformed(const aik_copy_packet &copy) {
  if (copy.reserved0 || !allZero(copy.reserved1, 3))
    return reservedText;
  if (isBadRange(copy.destination, copy.byte_count) ||
      isBadRange(copy.source, copy.byte_count))
    return "copies from or to an impossible address";
  if (copy.byte_count && overlaps(copy.source, copy.source + copy.byte_count,
                                  copy.destination, copy.byte_count))
    return "copies between regions that overlap";
  return nullptr;
}

const char *whyFillMalformed(const aik_fill_packet &fill) {
  if (!allZero(fill.reserved1, 3))
    return reservedText;
  uint32_t width = fill.pattern_bytes;
  if (width != 1 && width != 2 && width != 4 && width != 8)
    return "fills with a pattern that has not 1, 2, 4 or 8 bytes";
  if (fill.destination % width || fill.byte_count % width)
    return "fills a region that is not a multiple of its pattern";
  if (isBadRange(fill.destination, fill.byte_count))
    return "fills an impossible address";
  return nullptr;
}

const char *whyVendorMalformed(const aik_packet &packet) {
  switch (packet.copy.subtype) {
  case AIK_VENDOR_NOP:
    return packet.copy.reserved0 || !allZero(packet.words + 1, 6) ? reservedText
                                                                  : nullptr;
  case AIK_VENDOR_COPY:
    return whyCopyMalformed(packet.copy);
  case AIK_VENDOR_FILL:
    return whyFillMalformed(packet.fill);
  case AIK_VENDOR_SIGNAL:
    if (!allZero(packet.signal.reserved1, 4))
      return reservedText;
    return packet.signal.operation > AIK_SIGNAL_ADD
               ? "has an unknown signal operation"
               : nullptr;
  case AIK_VENDOR_WAIT_VALUE:
    if (!allZero(packet.wait.reserved1, 4))
      return reservedText;
    return packet.wait.condition > AIK_WAIT_LT ? "has an unknown condition"
                                               : nullptr;
  case AIK_VENDOR_TIMESTAMP:
    if (packet.timestamp.reserved0 || !allZero(packet.timestamp.reserved1, 5))
      return reservedText;
    return packet.timestamp.destination == 0 ||
                   packet.timestamp.destination % 8 != 0
               ? "writes the time to an impossible address"
               : nullptr;
  default:
    return "has an unknown vendor subtype";
  }
}
} // namespace

const char *aik::whyMalformed(const aik_packet &packet) {
  constexpr uint32_t knownHeaderBits = 0x1fff;
  if (packet.header & ~knownHeaderBits)
    return reservedText;
  switch (typeOf(packet)) {
  case AIK_PACKET_KERNEL:
    return whyKernelMalformed(packet.kernel);
  case AIK_PACKET_BARRIER_AND:
  case AIK_PACKET_BARRIER_OR:
    return packet.barrier.reserved0 || packet.barrier.reserved1 ||
                   packet.barrier.reserved2
               ? reservedText
               : nullptr;
  case AIK_PACKET_VENDOR:
    return whyVendorMalformed(packet);
  case AIK_PACKET_INVALID:
    return "is of the type INVALID";
  default:
    return "is of an unknown type";
  }
}

bool aik::namesMemory(const aik_packet &packet, uint64_t begin, uint64_t end) {
  if (typeOf(packet) == AIK_PACKET_KERNEL) {
    const aik_kernel_packet &kernel = packet.kernel;
    if (overlaps(begin, end, kernel.kernarg, kernel.kernarg_bytes))
      return true;
    for (uint64_t at = 0; at + 8 <= kernel.kernarg_bytes; at += 8) {
      uint64_t word;
      memcpy(&word, reinterpret_cast<const void *>(kernel.kernarg + at), 8);
      if (word >= begin && word < end)
        return true;
    }
    return false;
  }
  if (typeOf(packet) != AIK_PACKET_VENDOR)
    return false;
  switch (packet.copy.subtype) {
  case AIK_VENDOR_COPY:
    return packet.copy.byte_count &&
           (overlaps(begin, end, packet.copy.source, packet.copy.byte_count) ||
            overlaps(begin, end, packet.copy.destination,
                     packet.copy.byte_count));
  case AIK_VENDOR_FILL:
    return packet.fill.byte_count &&
           overlaps(begin, end, packet.fill.destination,
                    packet.fill.byte_count);
  case AIK_VENDOR_TIMESTAMP:
    return overlaps(begin, end, packet.timestamp.destination, 8);
  default:
    return false;
  }
}

uint32_t aik::signalsOf(const aik_packet &packet, aik_handle out[5]) {
  uint32_t count = 0;
  uint32_t type = typeOf(packet);
  if (type == AIK_PACKET_BARRIER_AND || type == AIK_PACKET_BARRIER_OR) {
    for (aik_handle signal : packet.barrier.signals)
      if (signal)
        out[count++] = signal;
  } else if (type == AIK_PACKET_VENDOR &&
             (packet.copy.subtype == AIK_VENDOR_SIGNAL ||
              packet.copy.subtype == AIK_VENDOR_WAIT_VALUE)) {
    out[count++] = packet.signal.signal;
  }
  return count;
}

bool aik::namesSignal(const aik_packet &packet, aik_handle signal) {
  // In every packet type the last word is the completion signal.
  if (packet.words[7] == signal)
    return true;
  aik_handle named[5];
  uint32_t count = signalsOf(packet, named);
  for (uint32_t i = 0; i < count; ++i)
    if (named[i] == signal)
      return true;
  return false;
}
