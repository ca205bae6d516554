//===- EntryABI.h - Entry.h, as the compiler sees it ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a builder and values. Out: LLVM-dialect code that reads the structs of
// AIKernel-c/Entry.h and calls through aik_env. The layouts here mirror that
// header; a unit test compares the two.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_ENTRIES_ENTRYABI_H
#define AIKERNEL_TRANSFORMS_ENTRIES_ENTRYABI_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace aikernel::entryabi {

/// Positions of the fields of aik_env.
enum EnvField {
  kEnvSize = 0,
  kEnvParallelFor = 3,
  kEnvFail = 4,
  kEnvSyscall = 5,
  kEnvLaunch = 6,
  kEnvThreads = 7
};
/// Positions of the fields of aik_tensor.
enum TensorField {
  kTensorData = 0,
  kTensorDtype = 1,
  kTensorRank = 2,
  kTensorDims = 3,
  kTensorStrides = 4
};

mlir::LLVM::LLVMStructType envType(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType tensorType(mlir::MLIRContext *context);

/// AIK_F32 and so on; nullopt for a type that cannot cross the boundary.
std::optional<unsigned> dtypeOf(mlir::Type element);

/// The address of `tensors[index].field`, or of `.field[element]`.
mlir::Value fieldAddress(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensors, unsigned index, TensorField field,
                         std::optional<unsigned> element = std::nullopt);

/// Calls the function behind a field of aik_env.
mlir::Value callEnv(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value env, EnvField field, mlir::Type result,
                    mlir::ValueRange operands);

/// How many threads share a parallel loop, as an index; 0 if the environment
/// does not say.
mlir::Value loadThreads(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value env);

/// The address of a NUL-terminated constant string in `module`.
mlir::Value stringConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Operation *module, llvm::StringRef text);

} // namespace aikernel::entryabi

#endif // AIKERNEL_TRANSFORMS_ENTRIES_ENTRYABI_H
