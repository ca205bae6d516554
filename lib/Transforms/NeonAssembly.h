//===- NeonAssembly.h - Blocks of NEON's instructions ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: registers, constants and addresses. Out: one llvm.inline_asm of loads and
// multiply-adds. An fmla overwrites what it adds to; a core loads that for each
// beside its arithmetic, where LLVM would keep it in a register and copy it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_NEONASSEMBLY_H
#define AIKERNEL_TRANSFORMS_NEONASSEMBLY_H

#include "AIKernel/Transforms/MatrixInstructions.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/raw_ostream.h"

namespace aikernel {

/// Writes one block. Operands have the numbers in which they were added,
/// results first.
class NeonAssembly {
public:
  /// All results are of `type`, which is a register.
  NeonAssembly(mlir::ImplicitLocOpBuilder &builder, mlir::VectorType type)
      : b(builder), type(type) {}

  /// Written before the last input is read.
  void addResults(size_t count);
  /// An input in a register: its own, or that of a result.
  size_t addInput(mlir::Value value) { return addOperand("w", value); }
  size_t addInput(mlir::Value value, size_t result) {
    return addOperand(std::to_string(result), value);
  }
  /// `value` in all lanes, in memory.
  size_t addConstant(mlir::TypedAttr value);
  /// An i64 that points to memory.
  size_t addAddress(mlir::Value address);

  void load(size_t to, size_t constant) {
    os << "ldr ${" << to << ":q}, $" << constant << "\n";
  }
  void loadFrom(size_t to, size_t address, int64_t offset = 0) {
    os << "ldr ${" << to << ":q}, [$" << address << ", #" << offset << "]\n";
  }
  void prefetch(size_t address, int64_t offset) {
    os << "prfm pldl1keep, [$" << address << ", #" << offset << "]\n";
  }
  /// to += x * y
  void multiplyAdd(size_t to, size_t x, size_t y) {
    os << "fmla $" << to << ".4s, $" << x << ".4s, $" << y << ".4s\n";
  }
  /// to += two rows of x times two columns of y
  void multiplyAddSquares(const MatrixInstruction &op, size_t to, size_t x,
                          size_t y) {
    const char *lanes = op.depth == 4 ? "8h" : "16b";
    os << op.name << " $" << to << ".4s, $" << x << "." << lanes << ", $" << y
       << "." << lanes << "\n";
  }

  /// The first `count` results.
  llvm::SmallVector<mlir::Value> finish(size_t count);

private:
  size_t addOperand(llvm::StringRef constraint, mlir::Value value);

  mlir::ImplicitLocOpBuilder &b;
  mlir::VectorType type;
  size_t results = 0;
  llvm::SmallVector<mlir::Value> operands;
  bool readsMemory = false;
  std::string constraints, text;
  llvm::raw_string_ostream os{text};
};

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_NEONASSEMBLY_H
