//===- ShapeContract.h - Which size is which in an op's tensors -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compute op states once, as data, which dimension of which operand and
// result is which of its named sizes (M, N, K, batch, ...) and along which of
// them it may be cut. Verification, run-time checks, shape reification and
// tiling all follow from that statement; none of them knows an op.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_AIKERNEL_SHAPECONTRACT_H
#define AIKERNEL_DIALECT_AIKERNEL_SHAPECONTRACT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace aikernel {

/// One size in proportion to another: a row of 4-bit blocks has 18 bytes for
/// each 32 elements. The other size is a multiple of `unit`.
struct SizeRatio {
  unsigned other;
  int64_t unit;
  int64_t per;
};

/// One named size of an op.
struct NamedSize {
  std::string name;
  /// Results along this size are independent of each other.
  bool parallel = false;
  /// This size divides that one; element i of the other belongs to element
  /// i / (other / this) of this (key heads serve groups of query heads).
  std::optional<unsigned> groupsOf = std::nullopt;
  /// This size is other / unit * per.
  std::optional<SizeRatio> ratio = std::nullopt;
};

/// What one dimension of a tensor is.
struct DimRole {
  unsigned size;
  /// Size 1 stands for every index.
  bool broadcast = false;
};

/// What the dimensions of one operand or result are.
struct TensorRole {
  std::string name;
  mlir::Value value;
  llvm::SmallVector<DimRole, 4> dims;
  bool isResult = false;

  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  /// "operand 'x'", "the result" or "result 'lse'", as messages name it.
  std::string describe() const {
    if (isResult && name == "result")
      return "the result";
    return (isResult ? "result '" : "operand '") + name + "'";
  }
};

/// The whole statement. Operands come in the op's order, absent ones left out.
struct ShapeContract {
  llvm::SmallVector<NamedSize, 6> sizes;
  llvm::SmallVector<TensorRole, 4> operands;
  llvm::SmallVector<TensorRole, 2> results;

  /// Adds a size and gives its number.
  unsigned addSize(llvm::StringRef name, bool parallel) {
    sizes.push_back({name.str(), parallel});
    return sizes.size() - 1;
  }
  /// Adds a size that is `per` for each `unit` of another one.
  unsigned addRatio(llvm::StringRef name, unsigned other, int64_t unit,
                    int64_t per) {
    unsigned size = addSize(name, /*parallel=*/false);
    sizes[size].ratio = SizeRatio{other, unit, per};
    return size;
  }
  void addOperand(llvm::StringRef name, mlir::Value value,
                  llvm::ArrayRef<DimRole> dims) {
    operands.push_back(
        {name.str(), value, llvm::SmallVector<DimRole, 4>(dims), false});
  }
  void addResult(llvm::StringRef name, mlir::Value value,
                 llvm::ArrayRef<DimRole> dims) {
    results.push_back(
        {name.str(), value, llvm::SmallVector<DimRole, 4>(dims), true});
  }
};

} // namespace aikernel

#endif // AIKERNEL_DIALECT_AIKERNEL_SHAPECONTRACT_H
