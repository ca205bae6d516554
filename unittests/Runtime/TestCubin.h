//===- TestCubin.h - A cubin without code ---------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes out: an ELF file with everything that a cubin's loader follows:
// segments, sections with and without bytes, names, symbols.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_TESTCUBIN_H
#define AIKERNEL_UNITTESTS_RUNTIME_TESTCUBIN_H

#include "Core/ElfFormat.h"

#include <cstring>
#include <string>

namespace aiktest {

struct TestCubin {
  aik::elf::Header header = {};
  aik::elf::ProgramHeader segment = {};
  /// Nothing, names, symbols, code, shared memory.
  aik::elf::SectionHeader sections[5] = {};
  char names[32] = "\0.shstrtab\0.symtab\0.text\0.nv";
  aik::elf::Symbol symbols[2] = {};
  uint8_t code[32] = {};

  TestCubin() {
    memcpy(header.ident, aik::elf::ident, sizeof(header.ident));
    header.ident[7] = 0x41; // what CUDA 13 says
    header.type = 2;
    header.machine = aik::elf::machineCuda;
    header.programHeaders = offsetof(TestCubin, segment);
    header.programHeaderBytes = sizeof(segment);
    header.programHeaderCount = 1;
    header.sectionHeaders = offsetof(TestCubin, sections);
    header.sectionHeaderBytes = sizeof(sections[0]);
    header.sectionCount = 5;
    header.nameSection = 1;
    auto place = [&](int i, uint32_t name, uint32_t type, uint64_t offset,
                     uint64_t bytes) {
      sections[i].name = name;
      sections[i].type = type;
      sections[i].offset = offset;
      sections[i].bytes = bytes;
    };
    place(1, 1, aik::elf::sectionStrings, offsetof(TestCubin, names),
          sizeof(names));
    place(2, 11, aik::elf::sectionSymbols, offsetof(TestCubin, symbols),
          sizeof(symbols));
    sections[2].link = 1;
    place(3, 19, aik::elf::sectionBits, offsetof(TestCubin, code),
          sizeof(code));
    place(4, 25, aik::elf::sectionWithoutBytes, sizeof(TestCubin), 1 << 20);
    symbols[1].name = 19;
    symbols[1].section = 3;
    segment.type = aik::elf::programLoad;
    segment.offset = sections[3].offset;
    segment.fileBytes = segment.memoryBytes = sizeof(code);
  }
  std::string bytes() const {
    return std::string(reinterpret_cast<const char *>(this), sizeof(*this));
  }
};

} // namespace aiktest

#endif // AIKERNEL_UNITTESTS_RUNTIME_TESTCUBIN_H
