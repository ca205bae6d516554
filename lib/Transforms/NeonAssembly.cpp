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

void NeonAssembly::addResults(size_t count) {
  for (; count != 0; --count, ++results)
    constraints += constraints.empty() ? "=&w" : ",=&w";
}

size_t NeonAssembly::addOperand(StringRef constraint, Value value) {
  constraints += ("," + constraint).str();
  operands.push_back(value);
  return results + operands.size() - 1;
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
  if (readsMemory)
    constraints += ",~{memory}";
  auto all = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                              SmallVector<Type>(results, type));
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
