//===- ElfFormat.h - The part of ELF64 that we read and write -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts and numbers of the System V ABI, little-endian, 64 bits. Declared
// here so that the artifact's writer needs no system header.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_ELFFORMAT_H
#define AIKERNEL_RUNTIME_CORE_ELFFORMAT_H

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "artifacts are little-endian and are read in place"
#endif

namespace aik::elf {

struct Header {
  uint8_t ident[16];
  uint16_t type;
  uint16_t machine;
  uint32_t version;
  uint64_t entry;
  uint64_t programHeaders;
  uint64_t sectionHeaders;
  uint32_t flags;
  uint16_t headerBytes;
  uint16_t programHeaderBytes;
  uint16_t programHeaderCount;
  uint16_t sectionHeaderBytes;
  uint16_t sectionCount;
  uint16_t nameSection;
};
static_assert(sizeof(Header) == 64, "ELF64");

struct SectionHeader {
  uint32_t name;
  uint32_t type;
  uint64_t flags;
  uint64_t address;
  uint64_t offset;
  uint64_t bytes;
  uint32_t link;
  uint32_t info;
  uint64_t alignment;
  uint64_t entryBytes;
};
static_assert(sizeof(SectionHeader) == 64, "ELF64");

struct ProgramHeader {
  uint32_t type;
  uint32_t flags;
  uint64_t offset;
  uint64_t address;
  uint64_t physicalAddress;
  uint64_t fileBytes;
  uint64_t memoryBytes;
  uint64_t alignment;
};
static_assert(sizeof(ProgramHeader) == 56, "ELF64");

struct Symbol {
  uint32_t name;
  uint8_t info;
  uint8_t other;
  uint16_t section;
  uint64_t value;
  uint64_t bytes;
};
static_assert(sizeof(Symbol) == 24, "ELF64");

struct DynamicEntry {
  int64_t tag;
  uint64_t value;
};

/// Magic, 64 bits, little-endian, version 1, System V, zeros.
constexpr uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};

constexpr uint16_t typeNone = 0, typeShared = 3;
constexpr uint16_t machineCuda = 190;
constexpr uint32_t sectionBits = 1, sectionSymbols = 2, sectionStrings = 3,
                   sectionWithoutBytes = 8;
/// From here on, numbers of sections stand for something else.
constexpr uint16_t firstReservedSection = 0xff00;
constexpr uint32_t programLoad = 1, programDynamic = 2;
constexpr int64_t dynamicEnd = 0, dynamicNeeded = 1;

} // namespace aik::elf

#endif // AIKERNEL_RUNTIME_CORE_ELFFORMAT_H
