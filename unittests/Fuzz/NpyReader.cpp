//===- NpyReader.cpp - Fuzzes the .npy reader -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeds are headers of all versions and types with their data. What the
// header parser accepts must agree with its own sizes, and is then read as a
// tensor under a memory limit.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "Npy.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aikfuzz {
namespace {

Bytes makeSeed(unsigned version, const std::string &dictionary,
               uint64_t dataBytes) {
  std::string text = dictionary;
  uint64_t begin = version == 1 ? 10 : 12;
  text.append(63 - (begin + text.size()) % 64, ' ');
  text += '\n';
  Bytes bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', uint8_t(version), 0};
  for (uint64_t i = 0; i < begin - 8; ++i)
    bytes.push_back(static_cast<uint8_t>(text.size() >> (8 * i)));
  bytes.insert(bytes.end(), text.begin(), text.end());
  for (uint64_t i = 0; i < dataBytes; ++i)
    bytes.push_back(static_cast<uint8_t>(i * 37));
  return bytes;
}

const std::vector<const char *> words = {"'",
                                         "\"",
                                         "{",
                                         "}",
                                         "(",
                                         ")",
                                         ",",
                                         ":",
                                         "True",
                                         "False",
                                         "'descr'",
                                         "'shape'",
                                         "'fortran_order'",
                                         "<f4",
                                         ">f4",
                                         "|b1",
                                         "<u2",
                                         "<f8",
                                         "|O",
                                         "()",
                                         "(3,)",
                                         "99999999999999999999",
                                         "9223372036854775807",
                                         "4294967296",
                                         "(0, 4611686018427387904)",
                                         "-1",
                                         "1L",
                                         "\\x",
                                         "\n",
                                         " ",
                                         "(1,1,1,1,1,1,1,1,1)"};

class NpyReader : public Reader {
public:
  NpyReader() {
    seeds = {
        makeSeed(1,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                 24),
        makeSeed(
            1, "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 2, 3), }",
            96),
        makeSeed(2, "{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }",
                 5),
        makeSeed(3, "{'shape': (), 'descr': '<i8', 'fortran_order': False}", 8),
        makeSeed(1,
                 "{'descr': '<u2', 'fortran_order': False, 'shape': (0, 7), }",
                 0),
    };
  }

  Bytes make(uint64_t index) override {
    Random random(index * 2 + 0x9000000001);
    Bytes bytes = seeds[index % seeds.size()];
    if (random.oneIn(2))
      mutateText(random, bytes, words);
    if (random.oneIn(2))
      mutate(random, bytes, 0, bytes.size(), random.oneIn(2));
    else if (random.oneIn(2))
      mutate(random, bytes, 0, bytes.size() < 80 ? bytes.size() : 80, true);
    return bytes;
  }

  bool read(const Bytes &input, uint64_t index) override {
    // A copy of exactly this size, so that one byte too far is noticed.
    std::unique_ptr<uint8_t[]> exact(new uint8_t[input.size()]);
    if (!input.empty())
      std::memcpy(exact.get(), input.data(), input.size());
    aikrun::NpyHeader header;
    bool accepted = !aikrun::parseNpyHeader(exact.get(), input.size(),
                                            input.size(), header);
    if (accepted && (header.dataOffset + header.dataBytes != input.size() ||
                     header.dims.size() > AIK_MAX_RANK)) {
      std::fprintf(stderr, "fuzz-readers: an .npy header contradicts itself\n");
      std::abort();
    }
    if (accepted || index % 8 == 0)
      readAsTensor(input, header, accepted);
    return accepted;
  }

private:
  void readAsTensor(const Bytes &input, const aikrun::NpyHeader &header,
                    bool accepted) {
    MemoryFile file(input);
    for (uint32_t dtype = 1; dtype < AIK_DTYPE_COUNT; ++dtype) {
      const aikrun::ElementType &type = *aikrun::elementType(dtype);
      bool fits =
          accepted && type.npyKind == header.kind && type.size == header.size;
      aikrun::MemoryBudget budget(1 << 20);
      aikrun::Tensor tensor;
      bool read = !aikrun::readNpy(file.path(), type, false, budget, tensor);
      if (read != fits && header.dataBytes < (1 << 19)) {
        std::fprintf(stderr, "fuzz-readers: header and tensor disagree\n");
        std::abort();
      }
    }
  }

  std::vector<Bytes> seeds;
};

} // namespace

std::unique_ptr<Reader> makeNpyReader() {
  return std::make_unique<NpyReader>();
}

} // namespace aikfuzz
