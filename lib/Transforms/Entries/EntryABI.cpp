//===- EntryABI.cpp - Entry.h, as the compiler sees it --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a builder and values. Out: LLVM-dialect accesses to the structs of
// AIKernel-c/Entry.h.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel-c/Entry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstddef>

using namespace mlir;
using namespace aikernel;

LLVM::LLVMStructType entryabi::envType(MLIRContext *context) {
  auto i32 = IntegerType::get(context, 32);
  auto ptr = LLVM::LLVMPointerType::get(context);
  return LLVM::LLVMStructType::getLiteral(
      context, {i32, i32, ptr, ptr, ptr, ptr, ptr, i32, i32});
}

LLVM::LLVMStructType entryabi::tensorType(MLIRContext *context) {
  auto i32 = IntegerType::get(context, 32);
  auto ptr = LLVM::LLVMPointerType::get(context);
  auto sizes =
      LLVM::LLVMArrayType::get(IntegerType::get(context, 64), AIK_MAX_RANK);
  return LLVM::LLVMStructType::getLiteral(context,
                                          {ptr, i32, i32, sizes, sizes});
}

std::optional<unsigned> entryabi::dtypeOf(Type type) {
  if (type.isF32())
    return AIK_F32;
  if (type.isF64())
    return AIK_F64;
  if (type.isF16())
    return AIK_F16;
  if (type.isBF16())
    return AIK_BF16;
  if (isa<Float8E4M3FNType>(type))
    return AIK_F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return AIK_F8E5M2;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return AIK_BOOL;
    case 8:
      return integer.isUnsigned() ? AIK_U8 : AIK_I8;
    case 16:
      return AIK_I16;
    case 32:
      return AIK_I32;
    case 64:
      return AIK_I64;
    }
  }
  if (type.isIndex())
    return AIK_I64;
  return std::nullopt;
}

Value entryabi::fieldAddress(OpBuilder &builder, Location loc, Value tensors,
                             unsigned index, TensorField field,
                             std::optional<unsigned> element) {
  SmallVector<LLVM::GEPArg> path{(int32_t)index, (int32_t)field};
  if (element)
    path.push_back((int32_t)*element);
  return LLVM::GEPOp::create(builder, loc,
                             LLVM::LLVMPointerType::get(builder.getContext()),
                             tensorType(builder.getContext()), tensors, path);
}

static Value loadField(OpBuilder &builder, Location loc, Value env,
                       entryabi::EnvField field) {
  LLVM::LLVMStructType type = entryabi::envType(builder.getContext());
  Value slot = LLVM::GEPOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type, env,
      ArrayRef<LLVM::GEPArg>{0, (int32_t)field});
  return LLVM::LoadOp::create(builder, loc, type.getBody()[field], slot);
}

Value entryabi::loadThreads(OpBuilder &builder, Location loc, Value env) {
  // Other hosts may have been built with an older header.
  Value size = loadField(builder, loc, env, kEnvSize);
  Value needed = arith::ConstantIntOp::create(
      builder, loc, offsetof(aik_env, threads) + sizeof(aik_env::threads), 32);
  Value says = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                     size, needed);
  auto choice = scf::IfOp::create(
      builder, loc, says,
      [&](OpBuilder &b, Location loc) {
        Value threads = arith::IndexCastUIOp::create(
            b, loc, b.getIndexType(), loadField(b, loc, env, kEnvThreads));
        scf::YieldOp::create(b, loc, threads);
      },
      [&](OpBuilder &b, Location loc) {
        Value unknown = arith::ConstantIndexOp::create(b, loc, 0);
        scf::YieldOp::create(b, loc, unknown);
      });
  return choice.getResult(0);
}

Value entryabi::callEnv(OpBuilder &builder, Location loc, Value env,
                        EnvField field, Type result, ValueRange operands) {
  Value callee = loadField(builder, loc, env, field);
  SmallVector<Type> types;
  for (Value operand : operands)
    types.push_back(operand.getType());
  auto type = LLVM::LLVMFunctionType::get(result, types);
  SmallVector<Value> all{callee};
  llvm::append_range(all, operands);
  return LLVM::CallOp::create(builder, loc, type, all).getResult();
}

Value entryabi::stringConstant(OpBuilder &builder, Location loc,
                               Operation *module, StringRef text) {
  // Named by content, so that equal strings are one constant.
  std::string name =
      ("aik.text." + llvm::utohexstr(llvm::xxh3_64bits(text), true));
  std::string bytes = text.str();
  bytes.push_back('\0');
  if (!SymbolTable::lookupSymbolIn(module, name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&module->getRegion(0).front());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(bytes));
  }
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), name);
}
