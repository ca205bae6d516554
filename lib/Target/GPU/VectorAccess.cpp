//===- VectorAccess.cpp - Several elements of a buffer at once ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a buffer and the views that it was made by. Out: a number that the place
// of each of its rows is a multiple of.
//
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

/// What a thread reads at once.
static constexpr int64_t kVectorBits = 128;

int64_t aikernel::widestVectorOf(Type element) {
  return kVectorBits / element.getIntOrFloatBitWidth();
}

/// A number that the value is a multiple of, 0 for zero.
static int64_t divisorOf(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  Operation *def = cast<Value>(value).getDefiningOp();
  if (auto times = dyn_cast_or_null<arith::MulIOp>(def))
    return divisorOf(times.getLhs()) * divisorOf(times.getRhs());
  if (auto plus = dyn_cast_or_null<arith::AddIOp>(def))
    return std::gcd(divisorOf(plus.getLhs()), divisorOf(plus.getRhs()));
  return 1;
}

int64_t aikernel::alignmentOf(Value memref, int64_t most) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t known = most;
  for (int64_t stride : ArrayRef(strides).drop_back())
    known = std::gcd(known, ShapedType::isDynamic(stride) ? 1 : stride);
  Operation *def = memref.getDefiningOp();
  if (auto view = dyn_cast_or_null<memref::SubViewOp>(def)) {
    auto source = cast<MemRefType>(view.getSource().getType());
    SmallVector<int64_t> steps = source.getStridesAndOffset().first;
    for (auto [where, step] : llvm::zip(view.getMixedOffsets(), steps))
      known = std::gcd(known, divisorOf(where) *
                                  (ShapedType::isDynamic(step) ? 1 : step));
    return std::gcd(known, alignmentOf(view.getSource(), most));
  }
  if (isa_and_nonnull<memref::CastOp, memref::ExpandShapeOp,
                      memref::CollapseShapeOp>(def))
    return std::gcd(known, alignmentOf(def->getOperand(0), most));
  if (ShapedType::isDynamic(offset))
    return 1;
  return std::gcd(known, offset);
}

Value aikernel::loadVector(LoopBuilder &b, Value memref, ValueRange where,
                           int64_t width) {
  if (width == 1)
    return b.load(memref, where);
  auto type = VectorType::get(
      {width}, cast<MemRefType>(memref.getType()).getElementType());
  unsigned bytes = width * type.getElementTypeBitWidth() / 8;
  return vector::LoadOp::create(b, type, memref, where, /*nontemporal=*/false,
                                llvm::MaybeAlign(std::min(bytes, 16u)));
}
