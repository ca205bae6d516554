//===- SliceDimensions.h - Which dimensions a slice leaves out ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a slice that has fewer dimensions than what it is taken from. Out:
// whether upstream, which guesses from sizes and strides which of them are left
// out, guesses the same once a size turns out to be 1.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_CHECKS_SLICEDIMENSIONS_H
#define AIKERNEL_LIB_TRANSFORMS_CHECKS_SLICEDIMENSIONS_H

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

namespace aikernel {

/// May other dimensions than `dropped` be taken for those that are left out?
///
///   tensor.extract_slice %x[0, 0, 0] [%c1, 5, 1] [1, 1, 1]
///       : tensor<4x5x6xf32> to tensor<?x5xf32>
///
/// would become a tensor<5x1>.
inline bool isAmbiguous(mlir::OffsetSizeAndStrideOpInterface slice,
                        const llvm::SmallBitVector &dropped) {
  if (dropped.none())
    return false;
  // Upstream leaves out the first dimensions of size 1. One that stays and has
  // that size looks like one that does not, behind it; which matters where a
  // larger one lies between, for then the result has another order. Of memrefs
  // it compares strides of the source with those of the result, which a step
  // changes.
  bool hasOne = false, isBetween = false;
  for (auto [dim, size, stride] :
       llvm::enumerate(slice.getStaticSizes(), slice.getStaticStrides())) {
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

#endif // AIKERNEL_LIB_TRANSFORMS_CHECKS_SLICEDIMENSIONS_H
