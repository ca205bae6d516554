//===- SliceDimensions.h - Which dimensions a slice leaves out ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a slice that has fewer dimensions than what it is taken from. Out: whether
// upstream, which guesses from sizes and strides which ones are left out, guesses
// the same once a size turns out to be 1.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_SLICEDIMENSIONS_H
#define AIKERNEL_TRANSFORMS_SLICEDIMENSIONS_H

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

namespace aikernel {

/// May other dimensions than `dropped` be taken for those that are left out?
///
///   tensor.extract_slice %x[0, 0, 0] [%c1, 5, 1] [1, 1, 1] : ... to tensor<?x5>
///
/// would become a tensor<5x1>.
inline bool isAmbiguous(mlir::OffsetSizeAndStrideOpInterface slice,
                        const llvm::SmallBitVector &dropped) {
  if (dropped.none())
    return false;
  // One of size 1 and one left out can change places, and it is seen when
  // another one is between them. In memory they are told apart by strides, which
  // those of other dimensions, times a step, may be as well.
  bool hasOne = false, isBetween = false;
  for (auto [dim, size, stride] : llvm::enumerate(slice.getStaticSizes(),
                                                  slice.getStaticStrides())) {
    bool mayBeOne = size == 1 || mlir::ShapedType::isDynamic(size);
    if ((mayBeOne && stride != 1) || mlir::ShapedType::isDynamic(stride))
      return true;
    if (dropped.test(dim)) {
      if (isBetween)
        return true;
      continue;
    }
    isBetween |= hasOne && size != 1;
    hasOne |= mayBeOne;
  }
  return false;
}

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_SLICEDIMENSIONS_H
