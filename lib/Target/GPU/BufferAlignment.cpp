//===- BufferAlignment.cpp - Where the rows of a buffer begin -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a memref. Out: what its strides, and the offsets of the views that lead
// to it, are multiples of.
//
//===----------------------------------------------------------------------===//

#include "BufferAlignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;

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

/// A number that each stride is a multiple of. Those of a dense buffer are
/// products of its sizes, and a part of a buffer has the strides of the whole.
static SmallVector<int64_t> divisorsOfStrides(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  SmallVector<int64_t> ofWhole(strides.size(), 1);
  if (type.getLayout().isIdentity()) {
    int64_t product = 1;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      ofWhole[dim] = product;
      product *= type.isDynamicDim(dim) ? 1 : type.getDimSize(dim);
    }
  } else if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    bool hasAllDims = view.getSourceType().getRank() == type.getRank();
    if (hasAllDims && view.hasUnitStride())
      ofWhole = divisorsOfStrides(view.getSource());
  } else if (auto cast = memref.getDefiningOp<memref::CastOp>()) {
    ofWhole = divisorsOfStrides(cast.getSource());
  }
  for (auto [stride, known] : llvm::zip(strides, ofWhole))
    if (ShapedType::isDynamic(stride))
      stride = known;
  return strides;
}

int64_t aikernel::alignmentOf(Value memref, int64_t most) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t offset = type.getStridesAndOffset().second;
  int64_t known = most;
  SmallVector<int64_t> strides = divisorsOfStrides(memref);
  for (int64_t stride : ArrayRef(strides).drop_back())
    known = std::gcd(known, stride);
  Operation *def = memref.getDefiningOp();
  if (auto view = dyn_cast_or_null<memref::SubViewOp>(def)) {
    for (auto [where, step] :
         llvm::zip(view.getMixedOffsets(), divisorsOfStrides(view.getSource())))
      known = std::gcd(known, divisorOf(where) * step);
    return std::gcd(known, alignmentOf(view.getSource(), most));
  }
  if (isa_and_nonnull<memref::CastOp, memref::ExpandShapeOp,
                      memref::CollapseShapeOp>(def))
    return std::gcd(known, alignmentOf(def->getOperand(0), most));
  if (ShapedType::isDynamic(offset))
    return 1;
  return std::gcd(known, offset);
}
