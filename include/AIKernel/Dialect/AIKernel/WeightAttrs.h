//===- WeightAttrs.h - What is known of weights on their way --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops that make something else of weights. Out: the names of the
// attributes by which passes know them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_WEIGHTATTRS_H
#define AIKERNEL_DIALECT_AIKERNEL_WEIGHTATTRS_H

#include "llvm/ADT/StringRef.h"

namespace aikernel {

/// On an op that makes floats of a quantized matrix: the matrix's format.
inline constexpr llvm::StringLiteral kDequantizesAttrName =
    "aikernel.dequantizes";
/// On an op in destination style that lays out its first operand in another
/// way: as with the trait PacksSource, f$prepare does it once.
inline constexpr llvm::StringLiteral kPacksAttrName = "aikernel.packs";

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_WEIGHTATTRS_H
