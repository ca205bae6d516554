//===- Numbers.h - Numbers in text ----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strict readers of numbers: the whole text is the number, overflow is
// refused, and the locale plays no part.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_NUMBERS_H
#define AIK_RUN_NUMBERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace aikrun {

/// Decimal digits only.
bool parseUnsigned(const std::string &text, uint64_t &out);

/// Decimal digits with an optional minus sign.
bool parseSigned(const std::string &text, int64_t &out);

/// A finite decimal number: [-]digits[.digits][e[+-]digits].
bool parseDouble(const std::string &text, double &out);

/// A number with an optional K, M, G or T (powers of 1024).
bool parseByteCount(const std::string &text, uint64_t &out);

/// `2x3x4`; `scalar` is the empty shape. At most AIK_MAX_RANK dimensions.
bool parseShape(const std::string &text, std::vector<int64_t> &dims);

/// The inverse of parseShape.
std::string shapeText(const std::vector<int64_t> &dims);

/// The product of `dims` times `elementSize`; false when it overflows or a
/// dimension is negative.
bool byteCount(const std::vector<int64_t> &dims, uint64_t elementSize,
               uint64_t &out);

} // namespace aikrun

#endif // AIK_RUN_NUMBERS_H
