//===- Packet.h - What a command packet means -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: 64 bytes from a ring that anybody may have written. What comes
// out: whether they are well formed, and what memory and signals they name.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_QUEUE_PACKET_H
#define AIKERNEL_RUNTIME_QUEUE_PACKET_H

#include "AIKernel-c/Runtime.h"

namespace aik {

inline uint32_t typeOf(const aik_packet &packet) {
  return packet.header & AIK_PACKET_TYPE_MASK;
}

/// Null when the packet is well formed, else what is wrong with it, as the end
/// of a sentence that begins "packet 3 ...".
const char *whyMalformed(const aik_packet &packet);

/// True when the packet names memory in [begin, end). Looks into the argument
/// block of a kernel where the packet gives its size.
bool namesMemory(const aik_packet &packet, uint64_t begin, uint64_t end);

/// True when the packet waits for, sets or decrements the signal.
bool namesSignal(const aik_packet &packet, aik_handle signal);

/// The signals that the packet waits for or sets: fills up to five and returns
/// how many. Its completion signal is not among them.
uint32_t signalsOf(const aik_packet &packet, aik_handle out[5]);

} // namespace aik

#endif // AIKERNEL_RUNTIME_QUEUE_PACKET_H
