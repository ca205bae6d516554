//===- CubinReader.cpp - Fuzzes the check of cubins -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CUDA driver takes a cubin without its size. What is accepted is walked
// through as a loader would, which must not leave the bytes.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "../Runtime/TestCubin.h"
#include "Core/ElfCheck.h"

namespace aikfuzz {
namespace {

class CubinReader : public Reader {
public:
  CubinReader() {
    std::string good = aiktest::TestCubin().bytes();
    seed.assign(good.begin(), good.end());
  }

  Bytes make(uint64_t index) override {
    Random random(index * 2 + 0xc0b10000001);
    Bytes bytes = seed;
    if (!random.oneIn(8))
      mutate(random, bytes, 0, bytes.size(), random.oneIn(2));
    return bytes;
  }

  bool read(const Bytes &input, uint64_t) override {
    // A copy of exactly this size, so that one byte too far is noticed.
    std::unique_ptr<uint8_t[]> exact(new uint8_t[input.size()]);
    if (!input.empty())
      std::memcpy(exact.get(), input.data(), input.size());
    if (aik::elf::whyNoCubin(exact.get(), input.size()))
      return false;
    load(exact.get());
    return true;
  }

private:
  template <typename T>
  static T at(const uint8_t *file, uint64_t offset) {
    T value;
    std::memcpy(&value, file + offset, sizeof value);
    return value;
  }

  void touch(const uint8_t *file, uint64_t offset, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i)
      sum = sum + file[offset + i];
  }

  void load(const uint8_t *file) {
    using namespace aik::elf;
    auto header = at<Header>(file, 0);
    for (uint32_t i = 0; i < header.programHeaderCount; ++i) {
      auto segment = at<ProgramHeader>(file, header.programHeaders +
                                                 i * sizeof(ProgramHeader));
      touch(file, segment.offset, segment.fileBytes);
    }
    auto section = [&](uint32_t i) {
      return at<SectionHeader>(file, header.sectionHeaders +
                                         i * sizeof(SectionHeader));
    };
    auto read = [&](const SectionHeader &strings, uint32_t offset) {
      sum = sum + std::strlen(reinterpret_cast<const char *>(
                      file + strings.offset + offset));
    };
    for (uint32_t i = 0; i < header.sectionCount; ++i) {
      SectionHeader one = section(i);
      read(section(header.nameSection), one.name);
      if (one.type != sectionWithoutBytes)
        touch(file, one.offset, one.bytes);
      if (one.type != sectionSymbols)
        continue;
      for (uint64_t done = 0; done < one.bytes; done += sizeof(Symbol)) {
        auto symbol = at<Symbol>(file, one.offset + done);
        read(section(one.link), symbol.name);
        if (symbol.section < firstReservedSection)
          sum = sum + section(symbol.section).bytes;
      }
    }
  }

  Bytes seed;
  volatile uint64_t sum = 0;
};

} // namespace
} // namespace aikfuzz

std::unique_ptr<aikfuzz::Reader> aikfuzz::makeCubinReader() {
  return std::make_unique<CubinReader>();
}
