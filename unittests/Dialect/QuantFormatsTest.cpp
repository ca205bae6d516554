//===- QuantFormatsTest.cpp - The descriptions of quantized formats -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: nothing. Out: for every format, that each bit of a block belongs to
// exactly one number, that a number reads back what is written to its bits, and
// blocks of known numbers; one line per failure and exit status 1.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantFormats.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace aikernel;

namespace {

int checks = 0, failures = 0;

void expect(bool holds, const std::string &name, StringRef what) {
  ++checks;
  if (holds)
    return;
  ++failures;
  llvm::errs() << name << ": " << what << "\n";
}

/// Counts each bit of the block that number `index` of the field is made of.
void claim(const PackedField &field, unsigned index,
           std::vector<unsigned> &owners) {
  for (const BitPlane &plane : field.planes)
    for (unsigned bit = 0; bit != plane.bits; ++bit)
      ++owners.at(plane.byteOf(index) * 8 + plane.shiftOf(index) + bit);
}

/// Puts `number`, as its bits, where the planes say.
void write(const PackedField &field, unsigned index, unsigned number,
           std::vector<uint8_t> &block) {
  for (const BitPlane &plane : field.planes) {
    unsigned bits = (number >> plane.position) & ((1u << plane.bits) - 1);
    block.at(plane.byteOf(index)) |= bits << plane.shiftOf(index);
  }
}

void testField(const std::string &name, const QuantFormat &format,
               const PackedField &field, unsigned count) {
  unsigned width = field.getWidth();
  std::vector<uint8_t> block(format.blockBytes, 0);
  auto numberOf = [&](unsigned index) {
    return (index * 37 + 11) & ((1u << width) - 1);
  };
  for (unsigned i = 0; i != count; ++i)
    write(field, i, numberOf(i), block);
  bool same = true;
  for (unsigned i = 0; i != count; ++i) {
    int expected = static_cast<int>(numberOf(i));
    if (field.isSigned && expected >= 1 << (width - 1))
      expected -= 1 << width;
    same &= field.read(block.data(), i) == expected - field.offset;
  }
  expect(same, name, "a number does not read back");
}

void testFormat(QuantAttr attribute) {
  QuantFormat format = getQuantFormat(attribute);
  std::string name = stringifyQuantKind(attribute.getKind()).str();
  std::vector<unsigned> owners(format.blockBytes * 8, 0);
  auto claimBytes = [&](unsigned byte, unsigned count) {
    for (unsigned bit = 8 * byte; bit != 8 * (byte + count); ++bit)
      ++owners.at(bit);
  };
  if (format.scale == ScaleKind::Half)
    claimBytes(format.scaleByte, 2);
  if (format.scale == ScaleKind::Exponent)
    claimBytes(format.scaleByte, 1);
  if (format.minimumByte)
    claimBytes(*format.minimumByte, 2);
  for (unsigned i = 0; i != format.blockSize; ++i)
    claim(format.codes, i, owners);
  testField(name, format, format.codes, format.blockSize);
  for (const auto &field : {format.subScales, format.subMinimums}) {
    if (!field)
      continue;
    unsigned count = format.blockSize / format.subBlockSize;
    for (unsigned i = 0; i != count; ++i)
      claim(*field, i, owners);
    testField(name, format, *field, count);
  }
  expect(llvm::all_of(owners, [](unsigned count) { return count == 1; }), name,
         "a bit of the block belongs to no number, or to two");
  expect(format.values.empty() ||
             format.values.size() == 1u << format.codes.getWidth(),
         name, "the table has no value for some code");
}

/// Places from the layout of the formats.
void testPlaces(MLIRContext &context) {
  auto read = [&](QuantKind kind, unsigned byte, unsigned value,
                  unsigned index) {
    QuantFormat format = getQuantFormat(QuantAttr::get(&context, kind, 0));
    std::vector<uint8_t> block(format.blockBytes, 0);
    block[byte] = value;
    return format.codes.read(block.data(), index);
  };
  expect(read(QuantKind::Q4_0, 2 + 5, 0x3a, 5) == 2, "q4_0", "element 5");
  expect(read(QuantKind::Q4_0, 2 + 5, 0x3a, 21) == -5, "q4_0", "element 21");
  expect(read(QuantKind::Q5_0, 2 + 2, 0x10, 20) == 0, "q5_0", "element 20");
  expect(read(QuantKind::Q8_0, 2 + 31, 0x80, 31) == -128, "q8_0", "element 31");
  expect(read(QuantKind::Q4_K, 16 + 33, 0x3a, 65) == 10, "q4_k", "element 65");
  expect(read(QuantKind::Q4_K, 16 + 33, 0x3a, 97) == 3, "q4_k", "element 97");
  expect(read(QuantKind::Q5_K, 16 + 3, 0x80, 227) == 16, "q5_k", "element 227");
  expect(read(QuantKind::Q6_K, 64 + 32, 0x50, 128 + 96) == 5 - 32, "q6_k",
         "element 224");
  expect(read(QuantKind::Q6_K, 128 + 32, 0xc0, 128 + 96) == 48 - 32, "q6_k",
         "high bits of element 224");
}

} // namespace

int main() {
  MLIRContext context;
  context.loadDialect<AIKernelDialect>();
  for (QuantKind kind : {QuantKind::Q4_0, QuantKind::Q4_1, QuantKind::Q5_0,
                         QuantKind::Q5_1, QuantKind::Q8_0, QuantKind::Q4_K,
                         QuantKind::Q5_K, QuantKind::Q6_K, QuantKind::MXFP4})
    testFormat(QuantAttr::get(&context, kind, 0));
  for (int64_t group : {8, 32, 128}) {
    testFormat(QuantAttr::get(&context, QuantKind::I4, group));
    testFormat(QuantAttr::get(&context, QuantKind::I8, group));
  }
  testPlaces(context);
  llvm::outs() << (checks - failures) << " passed, " << failures << " failed\n";
  return failures != 0;
}
