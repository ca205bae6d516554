//===- ElfCheck.h - Is everything inside the file? ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: bytes for a loader that trusts them. What comes out: null, or
// why it must not be given them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_ELFCHECK_H
#define AIKERNEL_RUNTIME_CORE_ELFCHECK_H

#include "Core/ElfFormat.h"

namespace aik::elf {

/// `bytes` at `offset` lie within the file.
inline bool isInside(uint64_t offset, uint64_t bytes, uint64_t byteCount) {
  return offset <= byteCount && bytes <= byteCount - offset;
}

/// Reads the header of a 64-bit little-endian file.
const char *readHeader(const uint8_t *bytes, uint64_t byteCount, Header &out);
/// The table of segments and each of them.
const char *whySegmentsAreWrong(const uint8_t *bytes, uint64_t byteCount,
                                const Header &header);
/// The table of sections, each of them, their names and what they refer to.
const char *whySectionsAreWrong(const uint8_t *bytes, uint64_t byteCount,
                                const Header &header);
/// A cubin: code for NVIDIA GPUs, with all of the above in order.
const char *whyNoCubin(const uint8_t *bytes, uint64_t byteCount);

} // namespace aik::elf

#endif // AIKERNEL_RUNTIME_CORE_ELFCHECK_H
