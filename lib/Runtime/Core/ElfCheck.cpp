//===- ElfCheck.cpp - Is everything inside the file? ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loaders take an address, some without a size: every offset that they follow
// is followed here before, within the size.
//
//===----------------------------------------------------------------------===//

#include "Core/ElfCheck.h"

#include <string.h>

using namespace aik;

namespace {
template <typename T>
T readRow(const uint8_t *bytes, uint64_t table, uint64_t index) {
  T row;
  memcpy(&row, bytes + table + index * sizeof(T), sizeof(row));
  return row;
}

/// The section is inside the file.
const char *whySymbolsAreWrong(const uint8_t *bytes, const elf::Header &header,
                               const elf::SectionHeader &section) {
  auto strings =
      readRow<elf::SectionHeader>(bytes, header.sectionHeaders, section.link);
  if (strings.type != elf::sectionStrings ||
      section.bytes % sizeof(elf::Symbol) != 0)
    return "its symbols have no names";
  for (uint64_t i = 0; i < section.bytes / sizeof(elf::Symbol); ++i) {
    auto symbol = readRow<elf::Symbol>(bytes, section.offset, i);
    if (symbol.name >= strings.bytes ||
        (symbol.section >= header.sectionCount &&
         symbol.section < elf::firstReservedSection))
      return "a symbol refers to what is not there";
  }
  return nullptr;
}
} // namespace

const char *elf::readHeader(const uint8_t *bytes, uint64_t byteCount,
                            Header &out) {
  if (byteCount < sizeof(out))
    return "it is too short for an ELF file";
  memcpy(&out, bytes, sizeof(out));
  // The OS ABI and what follows it vary; the rest of the identification may
  // not.
  return memcmp(out.ident, ident, 7) == 0 ? nullptr : "it is not an ELF file";
}

const char *elf::whySegmentsAreWrong(const uint8_t *bytes, uint64_t byteCount,
                                     const Header &header) {
  if (header.programHeaderCount == 0)
    return nullptr;
  uint64_t tableBytes =
      uint64_t(header.programHeaderCount) * sizeof(ProgramHeader);
  if (header.programHeaderBytes != sizeof(ProgramHeader) ||
      !isInside(header.programHeaders, tableBytes, byteCount))
    return "its program headers are out of range";
  for (uint32_t i = 0; i < header.programHeaderCount; ++i) {
    auto segment = readRow<ProgramHeader>(bytes, header.programHeaders, i);
    if (!isInside(segment.offset, segment.fileBytes, byteCount))
      return "a segment is out of range";
  }
  return nullptr;
}

const char *elf::whySectionsAreWrong(const uint8_t *bytes, uint64_t byteCount,
                                     const Header &header) {
  uint64_t tableBytes = uint64_t(header.sectionCount) * sizeof(SectionHeader);
  if (header.sectionHeaderBytes != sizeof(SectionHeader) ||
      header.nameSection >= header.sectionCount ||
      !isInside(header.sectionHeaders, tableBytes, byteCount))
    return "its section headers are out of range";
  auto names =
      readRow<SectionHeader>(bytes, header.sectionHeaders, header.nameSection);
  for (uint32_t i = 0; i < header.sectionCount; ++i) {
    auto section = readRow<SectionHeader>(bytes, header.sectionHeaders, i);
    bool hasBytes = section.type != sectionWithoutBytes;
    if (hasBytes && !isInside(section.offset, section.bytes, byteCount))
      return "a section is out of range";
    if (section.type == sectionStrings &&
        (section.bytes == 0 || bytes[section.offset + section.bytes - 1] != 0))
      return "a string of its sections has no end";
    if (section.name >= names.bytes || section.link >= header.sectionCount)
      return "a section refers to what is not there";
    if (section.type == sectionSymbols)
      if (const char *why = whySymbolsAreWrong(bytes, header, section))
        return why;
  }
  return names.type == sectionStrings ? nullptr : "its sections have no names";
}

const char *elf::whyNoCubin(const uint8_t *bytes, uint64_t byteCount) {
  Header header;
  if (const char *why = readHeader(bytes, byteCount, header))
    return why;
  if (header.machine != machineCuda)
    return "it is not for an NVIDIA GPU";
  if (const char *why = whySegmentsAreWrong(bytes, byteCount, header))
    return why;
  return whySectionsAreWrong(bytes, byteCount, header);
}
