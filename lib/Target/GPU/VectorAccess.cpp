//===- VectorAccess.cpp - Several elements of a buffer at once ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a place in a buffer. Out: a load of as many elements as fit.
//
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

using namespace mlir;
using namespace aikernel;

int64_t aikernel::widestVectorOf(Type element) {
  return kVectorBits / element.getIntOrFloatBitWidth();
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
