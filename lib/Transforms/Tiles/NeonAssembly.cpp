//===- NeonAssembly.cpp - Blocks of NEON's instructions -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what was added to a block. Out: the llvm.inline_asm.
//
//===----------------------------------------------------------------------===//

#include "NeonAssembly.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace aikernel;

static constexpr size_t kRegisters = 32;

void NeonAssembly::addResults(size_t count) {
  for (; count != 0; --count) {
    constraints += results.empty() ? "=&w" : ",=&w";
    results.push_back(type);
  }
}

void NeonAssembly::addAllRegisters() {
  assert(results.empty());
  for (size_t i = 0; i < kRegisters; ++i) {
    constraints += (i == 0 ? "=&{v" : ",=&{v") + std::to_string(i) + "}";
    results.push_back(type);
  }
}

size_t NeonAssembly::addCounter(Value value) {
  assert(operands.empty() && "results come first");
  constraints += results.empty() ? "=&r" : ",=&r";
  results.push_back(value.getType());
  counters.push_back(value);
  return results.size() - 1;
}

size_t NeonAssembly::addOperand(StringRef constraint, Value value) {
  constraints += ("," + constraint).str();
  operands.push_back(value);
  return results.size() + operands.size() - 1;
}

void NeonAssembly::advance(size_t address, int64_t bytes) {
  // An instruction adds twelve bits of a number, the lower or the next ones.
  assert(bytes >= 0 && bytes < 1 << 24);
  if (bytes >> 12)
    os << "add $" << address << ", $" << address << ", #" << (bytes >> 12)
       << ", lsl #12\n";
  if (bytes & 4095)
    os << "add $" << address << ", $" << address << ", #" << (bytes & 4095)
       << "\n";
}

size_t NeonAssembly::addConstant(TypedAttr value) {
  auto lanes = SplatElementsAttr::get(type.clone(value.getType()), value);
  return addOperand("m", arith::ConstantOp::create(b, lanes));
}

size_t NeonAssembly::addAddress(Value address) {
  readsMemory = true;
  return addOperand("r", address);
}

SmallVector<Value> NeonAssembly::finish(size_t count) {
  for (auto [i, value] : llvm::enumerate(counters))
    addOperand(std::to_string(results.size() - counters.size() + i), value);
  if (!counters.empty())
    constraints += ",~{cc}";
  if (readsMemory)
    constraints += ",~{memory}";
  auto all = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  Value made =
      LLVM::InlineAsmOp::create(
          b, TypeRange(all), operands, text, constraints,
          // Keeps blocks and loads in order: those that are repeated would
          // be put together again.
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  SmallVector<Value> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, made, i));
  return values;
}
