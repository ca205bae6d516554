//===- TileDialect.cpp - Tile programs: dialect and types -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration, and what types print, parse and allow.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace aikernel::tile;

/// 128x64xbf16
static ParseResult parseShape(AsmParser &parser, int64_t &rows,
                              int64_t &columns, Type &element) {
  SmallVector<int64_t> sizes;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseDimensionList(sizes, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return failure();
  if (sizes.size() != 2)
    return parser.emitError(location, "expected two sizes");
  rows = sizes[0];
  columns = sizes[1];
  return success();
}

static void printShape(AsmPrinter &printer, int64_t rows, int64_t columns,
                       Type element) {
  printer << rows << 'x' << columns << 'x' << element;
}

static ParseResult parseFlag(AsmParser &parser, bool &flag, StringRef word) {
  flag = succeeded(parser.parseOptionalComma());
  return flag ? parser.parseKeyword(word) : success();
}

static void printFlag(AsmPrinter &printer, bool flag, StringRef word) {
  if (flag)
    printer << ", " << word;
}

#include "AIKernel/Dialect/Tile/TileDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "AIKernel/Dialect/Tile/TileTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "AIKernel/Dialect/Tile/TileAttrs.cpp.inc"

void AIKTileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "AIKernel/Dialect/Tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "AIKernel/Dialect/Tile/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "AIKernel/Dialect/Tile/TileOps.cpp.inc"
      >();
}

using Emit = function_ref<InFlightDiagnostic()>;

static bool isNarrowFloat(Type type) { return type.isBF16() || type.isF16(); }

bool aikernel::tile::isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

Type aikernel::tile::sumsOf(Type lhs, Type rhs) {
  MLIRContext *context = lhs.getContext();
  if (lhs.isInteger(8) && rhs.isInteger(8))
    return IntegerType::get(context, 32);
  bool isKnown = isNarrowFloat(lhs) || lhs.isF32();
  if ((isKnown && lhs == rhs) || (isByteFloat(lhs) && isByteFloat(rhs)))
    return Float32Type::get(context);
  return Type();
}

LogicalResult SharedType::verify(Emit emitError, int64_t rows, int64_t depth,
                                 Type element, bool rowMajor) {
  if (!sumsOf(element, element))
    return emitError() << "a tile is of f32, bf16, f16, f8E4M3FN, f8E5M2 or i8 "
                          "but was of "
                       << element;
  int64_t inLine = kLineBytes * 8 / element.getIntOrFloatBitWidth();
  if (rows < 1 || rows > 256 || (rows > 8 && rows % 8 != 0))
    return emitError() << "a tile has up to 8 rows, or a multiple of 8 up to "
                          "256, but had "
                       << rows;
  if (!isNarrowFloat(element) && depth != inLine)
    return emitError() << "a tile is " << inLine << " elements deep but was "
                       << depth;
  if (depth < 16 || depth % 16 != 0 || depth > 256)
    return emitError()
           << "a tile is 16 to 256 elements deep, a multiple of 16, but was "
           << depth;
  if (rowMajor && !isNarrowFloat(element))
    return emitError() << "a tile of " << element
                       << " is not row-major: instructions read its depth";
  return success();
}

int64_t SharedType::getLines() const {
  return getRowMajor() ? getDepth() : getRows();
}

int64_t SharedType::getPanels() const {
  int64_t inLine = kLineBytes * 8 / getElementType().getIntOrFloatBitWidth();
  return llvm::divideCeil(getRowMajor() ? getRows() : getDepth(), inLine);
}

int64_t SharedType::getBytes() const {
  return getPanels() * getLines() * kLineBytes;
}

LogicalResult RingType::verify(Emit emitError, int64_t stages,
                               ArrayRef<SharedType> tiles) {
  if (stages < 1 || stages > 16)
    return emitError() << "a ring has 1 to 16 stages but had " << stages;
  if (tiles.empty())
    return emitError() << "a stage has at least one tile";
  return success();
}

int64_t RingType::getStageBytes() const {
  int64_t bytes = 0;
  for (SharedType tile : getTiles())
    bytes += llvm::alignTo(tile.getBytes(), kTileAlignment);
  return bytes;
}

LogicalResult MailboxType::verify(Emit emitError, int64_t slots,
                                  int64_t words) {
  if (slots < 1 || slots > 16 || words < 1 || words > 32)
    return emitError()
           << "a mailbox has 1 to 16 slots of 1 to 32 words but had " << slots
           << " of " << words;
  return success();
}

LogicalResult BoxesType::verify(Emit emitError, int64_t warps, int64_t count) {
  if (warps < 1 || count < 1)
    return emitError() << "there is at least one warp and one box";
  return success();
}

LogicalResult ExchangeType::verify(Emit emitError, int64_t groups,
                                   int64_t parts, int64_t columns) {
  if (groups < 1 || parts < 2 || columns < 8 || columns % 8 != 0)
    return emitError() << "there is at least one warpgroup, two parts and 8 "
                          "columns, a multiple of 8";
  return success();
}

LogicalResult FragType::verify(Emit emitError, int64_t rows, int64_t columns,
                               Type element, bool pending) {
  if (rows != 64)
    return emitError() << "a fragment of a warpgroup has 64 rows but had "
                       << rows;
  if (columns < 8 || columns > 256 || columns % 8 != 0)
    return emitError()
           << "a fragment has 8 to 256 columns, a multiple of 8, but had "
           << columns;
  bool isWide = element.isF32() || element.isInteger(32);
  if (!isWide && !isNarrowFloat(element))
    return emitError() << "a fragment is of f32, i32, bf16 or f16 but was of "
                       << element;
  if (pending && !isWide)
    return emitError() << "an accumulator is of f32 or i32 but was of "
                       << element;
  return success();
}
