//===- MatrixInstructions.cpp - The table of matrix instructions ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target and the element types of a product. Out: the row of the best
// instruction. The tiles are the largest that do not spill (test/Target/CPU
// counts their instructions).
//
//===----------------------------------------------------------------------===//

#include "MatrixInstructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// `contract` lets the target fuse the two where it can.
Value floatMultiplyAdd(OpBuilder &b, Location loc, Value acc, Value x,
                       Value y) {
  auto fuse = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, loc, x, y, fuse);
  return arith::AddFOp::create(b, loc, acc, product, fuse);
}

/// The right operand has 16 bits.
Value widenRightMultiplyAdd(OpBuilder &b, Location loc, Value acc, Value x,
                            Value y) {
  return floatMultiplyAdd(b, loc, acc, x,
                          arith::ExtFOp::create(b, loc, acc.getType(), y));
}

/// One half of a vector of 16-bit numbers as a vector of f32. Those of bf16 are
/// laid above zeros, which takes NEON less time than a shift.
Value widenHalf(OpBuilder &b, Location loc, VectorType wide, Value numbers,
                bool isUpper) {
  int64_t lanes = wide.getNumElements(), first = isUpper ? lanes : 0;
  auto type = cast<VectorType>(numbers.getType());
  if (!type.getElementType().isBF16()) {
    Value half = vector::ExtractStridedSliceOp::create(
        b, loc, numbers, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes},
        ArrayRef<int64_t>{1});
    return arith::ExtFOp::create(b, loc, wide, half);
  }
  VectorType words = type.clone(b.getI16Type());
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
  Value bits = vector::BitCastOp::create(b, loc, words, numbers);
  SmallVector<int64_t> inTurns;
  for (int64_t lane = first; lane < first + lanes; ++lane)
    inTurns.append({lane, 2 * lanes + lane});
  return vector::BitCastOp::create(
      b, loc, wide, vector::ShuffleOp::create(b, loc, zeros, bits, inTurns));
}

/// Products of 16-bit integers are exact in 32 bits.
Value widenedMultiplyAdd(OpBuilder &b, Location loc, Value acc, Value x,
                         Value y) {
  Value wideX = arith::ExtSIOp::create(b, loc, acc.getType(), x);
  Value wideY = arith::ExtSIOp::create(b, loc, acc.getType(), y);
  Value product = arith::MulIOp::create(b, loc, wideX, wideY);
  return arith::AddIOp::create(b, loc, acc, product);
}

Value callIntrinsic(OpBuilder &b, Location loc, StringRef name, Type type,
                    ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

/// Products of f16 are exact in f32. The instruction reads one half of each of
/// its operands, here of a row's element that is in all lanes.
Value halfMultiplyAdd(OpBuilder &b, Location loc, StringRef name, Value acc,
                      Value x, Value y) {
  Value inAll = vector::ShuffleOp::create(
      b, loc, x, x, ArrayRef<int64_t>{0, 1, 2, 3, 0, 1, 2, 3});
  return callIntrinsic(b, loc, name, acc.getType(), {acc, y, inAll});
}

/// acc + intrinsic(x, y), for instructions that multiply and add pairs.
Value pairwiseMultiplyAdd(OpBuilder &b, Location loc, StringRef name, Value acc,
                          Value x, Value y) {
  Value pairs = callIntrinsic(b, loc, name, acc.getType(), {x, y});
  return arith::AddIOp::create(b, loc, acc, pairs);
}

/// A vector of a size that SVE's registers have here, as one of them.
Value asScalable(OpBuilder &b, Location loc, Value vector) {
  auto scalableOf = [](Type element) {
    int64_t lanes = 128 / element.getIntOrFloatBitWidth();
    return VectorType::get({lanes}, element, ArrayRef<bool>{true});
  };
  auto type = cast<VectorType>(vector.getType());
  Type element = type.getElementType();
  // As vectors of bf16 these went through the stack.
  Type plain = element.isBF16() ? b.getI16Type() : element;
  if (plain != element)
    vector = vector::BitCastOp::create(
        b, loc, VectorType::get(type.getShape(), plain), vector);
  Value unset = LLVM::PoisonOp::create(b, loc, scalableOf(plain));
  Value whole = vector::ScalableInsertOp::create(b, loc, vector, unset, 0);
  return plain == element
             ? whole
             : vector::BitCastOp::create(b, loc, scalableOf(element), whole);
}

/// An accumulating intrinsic that exists for SVE's own types only.
Value scalableMultiplyAdd(OpBuilder &b, Location loc, StringRef name, Value acc,
                          Value x, Value y) {
  Value sums = asScalable(b, loc, acc);
  Value next =
      callIntrinsic(b, loc, name, sums.getType(),
                    {sums, asScalable(b, loc, x), asScalable(b, loc, y)});
  return vector::ScalableExtractOp::create(b, loc, acc.getType(), next, 0);
}

#define AIK_SCALABLE(INTRINSIC)                                                \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    return scalableMultiplyAdd(b, loc, INTRINSIC, acc, x, y);                  \
  }
#define AIK_ACCUMULATE(INTRINSIC)                                              \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    return callIntrinsic(b, loc, INTRINSIC, acc.getType(), {acc, x, y});       \
  }
/// The instruction takes a lane of its last operand only.
#define AIK_ACCUMULATE_BY_LANE(INTRINSIC)                                      \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    return callIntrinsic(b, loc, INTRINSIC, acc.getType(), {acc, y, x});       \
  }
/// On tile registers of 16 rows of 64 bytes.
#define AIK_TILE(INTRINSIC)                                                    \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    Value rows = arith::ConstantIntOp::create(b, loc, 16, 16);                 \
    Value bytes = arith::ConstantIntOp::create(b, loc, 64, 16);                \
    return callIntrinsic(b, loc, INTRINSIC, acc.getType(),                     \
                         {rows, bytes, bytes, acc, x, y});                     \
  }
#define AIK_HALF(INTRINSIC)                                                    \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    return halfMultiplyAdd(b, loc, INTRINSIC, acc, x, y);                      \
  }
/// One half of the right operand is widened.
#define AIK_WIDEN_HALF(IS_UPPER)                                               \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    auto type = cast<VectorType>(acc.getType());                               \
    return floatMultiplyAdd(b, loc, acc, x,                                    \
                            widenHalf(b, loc, type, y, IS_UPPER));             \
  }
/// The end of a row for up to so many rows of a product.
#define AIK_WIDEN_RIGHT(UPPER, MOST_ROWS)                                      \
  /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/4, UPPER,        \
      /*fewestRows=*/1, MOST_ROWS, /*widensRight=*/true
#define AIK_PAIRWISE(INTRINSIC)                                                \
  [](OpBuilder &b, Location loc, Value acc, Value x, Value y) {                \
    return pairwiseMultiplyAdd(b, loc, INTRINSIC, acc, x, y);                  \
  }

constexpr auto F32 = TileElement::F32;
constexpr auto F64 = TileElement::F64;
constexpr auto F16 = TileElement::F16;
constexpr auto BF16 = TileElement::BF16;
constexpr auto I8 = TileElement::I8;
constexpr auto I16 = TileElement::I16;
constexpr auto I32 = TileElement::I32;
constexpr auto Rows = Accumulators::Rows;
constexpr auto Quads = Accumulators::Quads;
constexpr auto Tiles = Accumulators::Tiles;
constexpr auto ByTile = LeftOperand::Tile;
constexpr auto ByLane = LeftOperand::Lane;
constexpr auto Broadcast = LeftOperand::Broadcast;
constexpr auto ByRows = LeftOperand::Rows;

// clang-format off
const MatrixInstruction kInstructions[] = {
    // name, architecture, features, operands, sums, bits, rows, vectors, depth
    {"bfmmla.512", "aarch64", "+sve,+bf16", BF16, F32, 512, 8, 6, 4, Quads,
     ByRows, AIK_SCALABLE("llvm.aarch64.sve.bfmmla")},
    {"bfmmla.256", "aarch64", "+sve,+bf16", BF16, F32, 256, 8, 6, 4, Quads,
     ByRows, AIK_SCALABLE("llvm.aarch64.sve.bfmmla")},
    {"bfmmla", "aarch64", "+bf16", BF16, F32, 128, 8, 6, 4, Quads, ByRows,
     AIK_ACCUMULATE("llvm.aarch64.neon.bfmmla")},
    {"smmla.512", "aarch64", "+sve,+i8mm", I8, I32, 512, 8, 6, 8, Quads, ByRows,
     AIK_SCALABLE("llvm.aarch64.sve.smmla.nxv4i32"),
     /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/2},
    {"smmla.256", "aarch64", "+sve,+i8mm", I8, I32, 256, 8, 6, 8, Quads, ByRows,
     AIK_SCALABLE("llvm.aarch64.sve.smmla.nxv4i32"),
     /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/2},
    {"smmla", "aarch64", "+i8mm", I8, I32, 128, 8, 6, 8, Quads, ByRows,
     AIK_ACCUMULATE("llvm.aarch64.neon.smmla.v4i32.v16i8")},
    {"sdot.512", "aarch64", "+sve", I8, I32, 512, 8, 3, 4, Rows, Broadcast,
     AIK_SCALABLE("llvm.aarch64.sve.sdot.nxv4i32")},
    {"sdot.256", "aarch64", "+sve", I8, I32, 256, 8, 3, 4, Rows, Broadcast,
     AIK_SCALABLE("llvm.aarch64.sve.sdot.nxv4i32")},
    {"sdot", "aarch64", "+dotprod", I8, I32, 128, 8, 3, 4, Rows, ByLane,
     AIK_ACCUMULATE_BY_LANE("llvm.aarch64.neon.sdot.v4i32.v16i8")},
    {"smlal", "aarch64", "", I16, I32, 128, 8, 2, 1, Rows, ByLane,
     widenedMultiplyAdd},
    {"fmlal", "aarch64", "+fp16fml", F16, F32, 128, 4, 6, 1, Rows, ByLane,
     AIK_HALF("llvm.aarch64.neon.fmlal.v4f32.v8f16"),
     /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/4,
     AIK_HALF("llvm.aarch64.neon.fmlal2.v4f32.v8f16")},
    {"fmla.f32.512", "aarch64", "+sve", F32, F32, 512, 8, 3, 1, Rows, Broadcast,
     floatMultiplyAdd},
    {"fmla.f64.512", "aarch64", "+sve", F64, F64, 512, 8, 3, 1, Rows, Broadcast,
     floatMultiplyAdd},
    {"fmla.f32.256", "aarch64", "+sve", F32, F32, 256, 8, 3, 1, Rows, Broadcast,
     floatMultiplyAdd},
    {"fmla.f64.256", "aarch64", "+sve", F64, F64, 256, 8, 3, 1, Rows, Broadcast,
     floatMultiplyAdd},
    {"fcvtl", "aarch64", "", F16, F32, 128, 1, 6, 1, Rows, Broadcast,
     AIK_WIDEN_HALF(false), AIK_WIDEN_RIGHT(AIK_WIDEN_HALF(true), 1)},
    {"zip1", "aarch64", "", BF16, F32, 128, 1, 6, 1, Rows, Broadcast,
     AIK_WIDEN_HALF(false), AIK_WIDEN_RIGHT(AIK_WIDEN_HALF(true), 1)},
    {"fmla.f32", "aarch64", "", F32, F32, 128, 8, 3, 1, Rows, ByLane,
     floatMultiplyAdd},
    {"fmla.f64", "aarch64", "", F64, F64, 128, 8, 3, 1, Rows, ByLane,
     floatMultiplyAdd},

    {"tdpbf16ps", "x86_64", "+amx-bf16,+avx512bf16", BF16, F32, 512, 32, 2, 32, Tiles,
     ByTile, AIK_TILE("llvm.x86.tdpbf16ps.internal"), /*leftIsUnsigned=*/false,
     /*depthOnRight=*/2, /*mostSteps=*/4, /*multiplyAddUpper=*/nullptr,
     /*fewestRows=*/2},
    {"tdpfp16ps", "x86_64", "+amx-fp16", F16, F32, 512, 32, 2, 32, Tiles, ByTile,
     AIK_TILE("llvm.x86.tdpfp16ps.internal"), /*leftIsUnsigned=*/false,
     /*depthOnRight=*/2, /*mostSteps=*/4, /*multiplyAddUpper=*/nullptr,
     /*fewestRows=*/2},
    {"tdpbssd", "x86_64", "+amx-int8", I8, I32, 512, 32, 2, 64, Tiles, ByTile,
     AIK_TILE("llvm.x86.tdpbssd.internal"), /*leftIsUnsigned=*/false,
     /*depthOnRight=*/4},
    {"vpdpbusd.512", "x86_64", "+avx512vnni", I8, I32, 512, 8, 3, 4, Rows,
     Broadcast, AIK_ACCUMULATE("llvm.x86.avx512.vpdpbusd.512"),
     /*leftIsUnsigned=*/true},
    {"vpdpbusd.256", "x86_64", "+avxvnni", I8, I32, 256, 6, 2, 4, Rows,
     Broadcast, AIK_ACCUMULATE("llvm.x86.avx512.vpdpbusd.256"),
     /*leftIsUnsigned=*/true},
    {"vdpbf16ps.512", "x86_64", "+avx512bf16", BF16, F32, 512, 14, 2, 2, Rows,
     Broadcast, AIK_ACCUMULATE("llvm.x86.avx512bf16.dpbf16ps.512")},
    {"vpmaddwd.512", "x86_64", "+avx512bw", I16, I32, 512, 8, 3, 2, Rows,
     Broadcast, AIK_PAIRWISE("llvm.x86.avx512.pmaddw.d.512"),
     /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/1},
    {"vcvtph2ps.512", "x86_64", "+avx512f", F16, F32, 512, 8, 3, 1, Rows,
     Broadcast, widenRightMultiplyAdd, AIK_WIDEN_RIGHT(nullptr, 32)},
    {"vpslld.512", "x86_64", "+avx512f", BF16, F32, 512, 8, 3, 1, Rows,
     Broadcast, widenRightMultiplyAdd, AIK_WIDEN_RIGHT(nullptr, 32)},
    {"tdpbf16ps.f32", "x86_64", "+amx-bf16,+avx512f", BF16, F32, 512, 32, 2,
     32, Tiles, ByTile, AIK_TILE("llvm.x86.tdpbf16ps.internal"), /*leftIsUnsigned=*/false,
     /*depthOnRight=*/2, /*mostSteps=*/4, /*multiplyAddUpper=*/nullptr,
     /*fewestRows=*/1, kManyRows, /*widensRight=*/false, /*parts=*/3},
    {"vfmadd.f32.512", "x86_64", "+avx512f", F32, F32, 512, 8, 3, 1, Rows,
     Broadcast, floatMultiplyAdd},
    {"vfmadd.f64.512", "x86_64", "+avx512f", F64, F64, 512, 8, 3, 1, Rows,
     Broadcast, floatMultiplyAdd},
    {"vpmaddwd.256", "x86_64", "+avx2", I16, I32, 256, 4, 2, 2, Rows, Broadcast,
     AIK_PAIRWISE("llvm.x86.avx2.pmadd.wd"),
     /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/1},
    {"vcvtph2ps.256", "x86_64", "+avx2,+fma,+f16c", F16, F32, 256, 6, 2, 1,
     Rows, Broadcast, widenRightMultiplyAdd, AIK_WIDEN_RIGHT(nullptr, 24)},
    {"vpslld.256", "x86_64", "+avx2,+fma", BF16, F32, 256, 6, 2, 1, Rows,
     Broadcast, widenRightMultiplyAdd, AIK_WIDEN_RIGHT(nullptr, 24)},
    {"vfmadd.f32.256", "x86_64", "+avx2,+fma", F32, F32, 256, 6, 2, 1, Rows,
     Broadcast, floatMultiplyAdd},
    {"vfmadd.f64.256", "x86_64", "+avx2,+fma", F64, F64, 256, 6, 2, 1, Rows,
     Broadcast, floatMultiplyAdd},
    {"pmaddwd", "x86_64", "", I16, I32, 128, 4, 2, 2, Rows, Broadcast,
     AIK_PAIRWISE("llvm.x86.sse2.pmadd.wd"),
     /*leftIsUnsigned=*/false, /*depthOnRight=*/0, /*mostSteps=*/1},
    {"mulps", "x86_64", "", F32, F32, 128, 4, 2, 1, Rows, Broadcast,
     floatMultiplyAdd},
    {"mulpd", "x86_64", "", F64, F64, 128, 4, 2, 1, Rows, Broadcast,
     floatMultiplyAdd},
};
// clang-format on

unsigned bitsOf(TileElement element) {
  switch (element) {
  case TileElement::F64:
    return 64;
  case TileElement::F32:
  case TileElement::I32:
    return 32;
  case TileElement::F16:
  case TileElement::BF16:
  case TileElement::I16:
    return 16;
  case TileElement::I8:
    return 8;
  }
  llvm_unreachable("all elements are listed");
}

/// May an operand of this type be packed as such elements without a change of
/// value?
bool accepts(TileElement element, Type type) {
  switch (element) {
  case TileElement::F64:
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64;
  case TileElement::F32:
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 32;
  case TileElement::F16:
    return type.isF16();
  case TileElement::BF16:
    return type.isBF16();
  case TileElement::I8:
    return type.isInteger(8);
  case TileElement::I16:
    return type.isInteger(8) || type.isInteger(16);
  case TileElement::I32:
    return false;
  }
  return false;
}

bool accepts(const MatrixInstruction &row, Type lhs, Type rhs) {
  if (row.parts > 1)
    return lhs.isF32() && rhs.isF32();
  return accepts(row.leftOperand(), lhs) && accepts(row.operand, rhs);
}

bool mayBe(const MatrixInstruction &row, ProductForm form) {
  if (row.parts > 1)
    return form == ProductForm::Parts;
  return row.accumulators != Tiles || form != ProductForm::Vectors;
}

bool hasFeatures(TargetAttr target, StringRef wanted) {
  SmallVector<StringRef> have, want;
  target.getFeatures().split(have, ',', -1, /*KeepEmpty=*/false);
  wanted.split(want, ',', -1, /*KeepEmpty=*/false);
  return llvm::all_of(
      want, [&](StringRef flag) { return llvm::is_contained(have, flag); });
}

} // namespace

unsigned MatrixInstruction::lanes() const {
  return vectorBits / bitsOf(accumulator);
}

unsigned MatrixInstruction::columns() const {
  return vectors * (accumulators == Quads ? lanes() / 2 : lanes());
}

Type aikernel::elementType(TileElement element, MLIRContext *context) {
  Builder b(context);
  switch (element) {
  case TileElement::F32:
    return b.getF32Type();
  case TileElement::F64:
    return b.getF64Type();
  case TileElement::F16:
    return b.getF16Type();
  case TileElement::BF16:
    return b.getBF16Type();
  default:
    return b.getIntegerType(bitsOf(element));
  }
}

ArrayRef<MatrixInstruction> aikernel::getMatrixInstructions() {
  return kInstructions;
}

const MatrixInstruction *aikernel::findInstruction(StringRef name) {
  for (const MatrixInstruction &row : kInstructions)
    if (row.name == name)
      return &row;
  return nullptr;
}

bool aikernel::isInTileRegisters(StringRef name) {
  const MatrixInstruction *instruction = findInstruction(name);
  return instruction && instruction->accumulators == Tiles;
}

bool aikernel::mayHaveSmallL1(Operation *op) {
  TargetAttr target = getTarget(op);
  return target && hasFeatures(target, "+avx512f") &&
         !hasFeatures(target, "+amx-tile");
}

const MatrixInstruction *aikernel::chooseInstruction(Operation *op, Type lhs,
                                                     Type rhs, Type sum,
                                                     ProductForm form,
                                                     int64_t rows) {
  TargetAttr target = getTarget(op);
  for (const MatrixInstruction &row : kInstructions) {
    bool fits = target ? row.arch == target.getArch() &&
                             row.vectorBits <= target.getVectorBits() &&
                             hasFeatures(target, row.features)
                       : row.arch == "aarch64" && row.features.empty();
    if (!mayBe(row, form) || rows < row.fewestRows || rows > row.mostRows)
      continue;
    if (fits && elementType(row.accumulator, op->getContext()) == sum &&
        accepts(row, lhs, rhs))
      return &row;
  }
  return nullptr;
}
