//===- NeonAssembly.h - Blocks of NEON's instructions ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: registers, constants and addresses. Out: one llvm.inline_asm of loads and
// multiply-adds, which stay in the order in which they are written, or of a
// loop of them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_TILES_NEONASSEMBLY_H
#define AIKERNEL_LIB_TRANSFORMS_TILES_NEONASSEMBLY_H

#include "MatrixInstructions.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/raw_ostream.h"

namespace aikernel {

/// Writes one block. Operands have the numbers in which they were added,
/// results first.
class NeonAssembly {
public:
  /// Results are of `type`, which is a register, but for counters.
  NeonAssembly(mlir::ImplicitLocOpBuilder &builder, mlir::VectorType type)
      : b(builder), type(type) {}

  /// Written before the last input is read.
  void addResults(size_t count);
  /// The same for a block that takes all registers, each its own: where LLVM
  /// chooses them it takes results through the stack.
  void addAllRegisters();
  /// An input in a register: its own, or that of a result.
  size_t addInput(mlir::Value value) { return addOperand("w", value); }
  size_t addInput(mlir::Value value, size_t result) {
    return addOperand(std::to_string(result), value);
  }
  /// `value` in all lanes, in memory.
  size_t addConstant(mlir::TypedAttr value);
  /// An i64 that points to memory.
  size_t addAddress(mlir::Value address);
  /// A result that begins as `value`, an i64, and is changed: a counter, or an
  /// address. Comes before the inputs.
  size_t addCounter(mlir::Value value);
  size_t addMovingAddress(mlir::Value address) {
    readsMemory = true;
    return addCounter(address);
  }

  void clear(size_t to) { os << "movi $" << to << ".2d, #0\n"; }
  void load(size_t to, size_t constant) {
    os << "ldr ${" << to << ":q}, $" << constant << "\n";
  }
  void loadFrom(size_t to, size_t address, int64_t offset = 0) {
    os << "ldr ${" << to << ":q}, [$" << address;
    if (offset != 0)
      os << ", #" << offset;
    os << "]\n";
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

  void advance(size_t address, int64_t bytes);
  void label(llvm::StringRef name) { os << nameOf(name) << ":\n"; }
  /// Counts down by one and goes there if nothing is left, or if something is.
  void countDownAndLeave(size_t counter, llvm::StringRef label) {
    countDown(counter, "b.eq", label);
  }
  void countDownAndRepeat(size_t counter, llvm::StringRef label) {
    countDown(counter, "b.ne", label);
  }

  /// The first `count` results.
  llvm::SmallVector<mlir::Value> finish(size_t count);

private:
  size_t addOperand(llvm::StringRef constraint, mlir::Value value);
  void countDown(size_t counter, llvm::StringRef branch,
                 llvm::StringRef label) {
    os << "subs $" << counter << ", $" << counter << ", #1\n"
       << branch << " " << nameOf(label) << "\n";
  }
  /// Another one in each block, and each copy of it.
  static std::string nameOf(llvm::StringRef label) {
    return (".Laik_" + label + "${:uid}").str();
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::VectorType type;
  llvm::SmallVector<mlir::Type> results;
  llvm::SmallVector<mlir::Value> counters, operands;
  bool readsMemory = false;
  std::string constraints, text;
  llvm::raw_string_ostream os{text};
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_TILES_NEONASSEMBLY_H
