//===- QuantFormats.cpp - One entry per quantized format ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the name of a format. Out: its description, and how the attribute that
// names it is written.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/QuantFormats.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace aikernel;

//===----------------------------------------------------------------------===//
// Reading a field
//===----------------------------------------------------------------------===//

unsigned BitPlane::byteOf(unsigned index) const {
  unsigned place = byte;
  for (const IndexDigit &digit : digits)
    place += index / digit.step % digit.count * digit.bytes;
  return place;
}

unsigned BitPlane::shiftOf(unsigned index) const {
  unsigned place = shift;
  for (const IndexDigit &digit : digits)
    place += index / digit.step % digit.count * digit.shift;
  return place;
}

unsigned PackedField::getWidth() const {
  unsigned width = 0;
  for (const BitPlane &plane : planes)
    width = std::max(width, plane.position + plane.bits);
  return width;
}

int PackedField::read(const uint8_t *block, unsigned index) const {
  int number = 0;
  for (const BitPlane &plane : planes) {
    int bits = block[plane.byteOf(index)] >> plane.shiftOf(index);
    number |= (bits & ((1 << plane.bits) - 1)) << plane.position;
  }
  int half = 1 << (getWidth() - 1);
  if (isSigned && number >= half)
    number -= 2 * half;
  return number - offset;
}

//===----------------------------------------------------------------------===//
// The formats
//===----------------------------------------------------------------------===//

/// 32 nibbles in 16 bytes: the low halves are the first 16 elements.
static BitPlane halvesOf16(unsigned byte) {
  return {4, 0, byte, 0, {{1, 16, 1, 0}, {16, 2, 0, 4}}};
}

/// One bit for each of 32 elements, in order.
static BitPlane fifthBits(unsigned byte) {
  return {1, 4, byte, 0, {{1, 8, 0, 1}, {8, 4, 1, 0}}};
}

/// 256 nibbles in 128 bytes: of each 64 elements, the first 32 are the low
/// halves of 32 bytes.
static BitPlane halvesOf32(unsigned byte) {
  return {4, 0, byte, 0, {{1, 32, 1, 0}, {32, 2, 0, 4}, {64, 4, 32, 0}}};
}

static PackedField signedBytes(unsigned byte, unsigned count) {
  return {true, 0, {{8, 0, byte, 0, {{1, count, 1, 0}}}}};
}

/// What q4_k and q5_k share. The eight 6-bit scales are in bytes 4 to 15: the
/// first four whole in the low bits of bytes 4 to 7; of the others four bits in
/// bytes 12 to 15 and two on top of bytes 4 to 7. The minimums likewise, in
/// bytes 8 to 11, the high halves of 12 to 15, and on top of 8 to 11.
static void describeScaledMinimums(QuantFormat &format) {
  format.blockSize = 256;
  format.minimumByte = 2;
  format.minimumIsSubtracted = true;
  format.subBlockSize = 32;
  BitPlane lowScales = {4, 0, 4, 0, {{1, 4, 1, 0}, {4, 2, 8, 0}}};
  BitPlane highScales = {2, 4, 4, 4, {{1, 4, 1, 0}, {4, 2, 0, 2}}};
  BitPlane lowMinimums = {4, 0, 8, 0, {{1, 4, 1, 0}, {4, 2, 4, 4}}};
  BitPlane highMinimums = {2, 4, 8, 4, {{1, 4, 1, 0}, {4, 2, 0, 2}}};
  format.subScales = PackedField{false, 0, {lowScales, highScales}};
  format.subMinimums = PackedField{false, 0, {lowMinimums, highMinimums}};
  format.activations = ActivationBlock::Long;
}

QuantFormat aikernel::getQuantFormat(QuantAttr attribute) {
  const unsigned group = attribute.getGroup();
  QuantFormat format;
  switch (attribute.getKind()) {
  case QuantKind::Q4_0:
    format.blockBytes = 18;
    format.codes = {false, 8, {halvesOf16(2)}};
    return format;
  case QuantKind::Q4_1:
    format.blockBytes = 20;
    format.codes = {false, 0, {halvesOf16(4)}};
    format.minimumByte = 2;
    format.activations = ActivationBlock::ScaledSum;
    return format;
  case QuantKind::Q5_0:
    format.blockBytes = 22;
    format.codes = {false, 16, {halvesOf16(6), fifthBits(2)}};
    return format;
  case QuantKind::Q5_1:
    format.blockBytes = 24;
    format.codes = {false, 0, {halvesOf16(8), fifthBits(4)}};
    format.minimumByte = 2;
    format.activations = ActivationBlock::ScaledSum;
    return format;
  case QuantKind::Q8_0:
    format.blockBytes = 34;
    format.codes = signedBytes(2, 32);
    return format;
  case QuantKind::Q4_K:
    describeScaledMinimums(format);
    format.blockBytes = 144;
    format.codes = {false, 0, {halvesOf32(16)}};
    return format;
  case QuantKind::Q5_K: {
    describeScaledMinimums(format);
    format.blockBytes = 176;
    BitPlane fifth = {1, 4, 16, 0, {{1, 32, 1, 0}, {32, 8, 0, 1}}};
    format.codes = {false, 0, {halvesOf32(48), fifth}};
    return format;
  }
  case QuantKind::Q6_K: {
    format.blockSize = 256;
    format.blockBytes = 210;
    BitPlane low = {
        4,
        0,
        0,
        0,
        {{1, 32, 1, 0}, {32, 2, 32, 0}, {64, 2, 0, 4}, {128, 2, 64, 0}}};
    BitPlane high = {
        2, 4, 128, 0, {{1, 32, 1, 0}, {32, 4, 0, 2}, {128, 2, 32, 0}}};
    format.codes = {false, 32, {low, high}};
    format.scaleByte = 208;
    format.subBlockSize = 16;
    format.subScales = signedBytes(192, 16);
    format.activations = ActivationBlock::Long;
    return format;
  }
  case QuantKind::MXFP4:
    format.blockBytes = 17;
    format.codes = {false, 0, {halvesOf16(1)}};
    // Twice the numbers of E2M1: integers.
    format.values = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    format.scale = ScaleKind::Exponent;
    return format;
  case QuantKind::I4: {
    format.blockSize = group;
    format.blockBytes = group / 2;
    BitPlane pairs = {4, 0, 0, 0, {{1, 2, 0, 4}, {2, group / 2, 1, 0}}};
    format.codes = {true, 0, {pairs}};
    format.scale = ScaleKind::Operand;
    format.activations = ActivationBlock::Group;
    return format;
  }
  case QuantKind::I8:
    format.blockSize = group;
    format.blockBytes = group;
    format.codes = signedBytes(0, group);
    format.scale = ScaleKind::Operand;
    format.activations = ActivationBlock::Group;
    return format;
  }
  llvm_unreachable("a quantized format without a description");
}

//===----------------------------------------------------------------------===//
// QuantAttr
//===----------------------------------------------------------------------===//

static bool isGroupedKind(QuantKind kind) {
  return kind == QuantKind::I4 || kind == QuantKind::I8;
}

bool QuantAttr::isGrouped() const { return isGroupedKind(getKind()); }

LogicalResult QuantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                QuantKind kind, int64_t group) {
  if (!isGroupedKind(kind)) {
    if (group != 0)
      return emitError() << "quant '" << stringifyQuantKind(kind)
                         << "' has blocks of its own but is given the group "
                         << group;
    return success();
  }
  if (group < 8 || group > 65536 || group % 8 != 0)
    return emitError() << "quant '" << stringifyQuantKind(kind)
                       << "' needs a group that is a multiple of 8 up to "
                          "65536 but has "
                       << group;
  return success();
}

Attribute QuantAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<QuantKind> kind = symbolizeQuantKind(keyword);
  if (!kind) {
    parser.emitError(location)
        << "quant is q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k, mxfp4, i4 "
           "or i8 but was '"
        << keyword << "'";
    return {};
  }
  int64_t group = 0;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("group") || parser.parseEqual() ||
       parser.parseInteger(group)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<QuantAttr>(location, parser.getContext(), *kind,
                                      group);
}

void QuantAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyQuantKind(getKind());
  if (isGrouped())
    printer << ", group = " << getGroup();
  printer << '>';
}
