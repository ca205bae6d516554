//===- CheckedSizes.h - Products of sizes that do not wrap ----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes that are known at run time. Out: arithmetic on them, and a bit that
// tells whether it stayed below the largest size that memory can have.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_CHECKS_CHECKEDSIZES_H
#define AIKERNEL_TRANSFORMS_CHECKS_CHECKEDSIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace aikernel {

/// No address space of today is larger; the runtime draws the same line.
inline constexpr int64_t kMaxBytes = int64_t(1) << 48;

/// A size, and an i1 that says whether it is the true one. Sizes are taken as
/// unsigned, so that a negative one is too large.
struct CheckedSize {
  mlir::Value size;
  mlir::Value isTrue;

  /// Multiplies by an index.
  void multiply(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value factor);
  /// Adds another checked size.
  void add(mlir::OpBuilder &builder, mlir::Location loc,
           const CheckedSize &other);

  static CheckedSize constant(mlir::OpBuilder &builder, mlir::Location loc,
                              int64_t value);
};

/// The bytes that one element takes in memory; nullopt for a type that has no
/// place there.
std::optional<int64_t> bytesPerElement(mlir::Type element);

/// The bytes of the known dimensions together; nullopt when there are more than
/// kMaxBytes. Unknown dimensions count as 1.
std::optional<int64_t> knownBytes(mlir::ShapedType type);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_CHECKS_CHECKEDSIZES_H
