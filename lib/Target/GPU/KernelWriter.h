//===- KernelWriter.h - Kernels, their twins and launches -------*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op of the host and what it uses. Out: a kernel whose parameters are
// that, its twin for the host, and the launch that takes the op's place.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_KERNELWRITER_H
#define AIKERNEL_LIB_TARGET_GPU_KERNELWRITER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace aikernel {

/// Rank-0 arguments are the host's.
bool isOnHost(mlir::Value memref);

/// Words of a parameter: a memref is an address twice, an offset, sizes and
/// strides.
unsigned wordsOf(mlir::Type type);

class KernelWriter {
public:
  explicit KernelWriter(mlir::ModuleOp module)
      : symbols(module), builder(module.getContext()), module(module) {}

protected:
  using Location = mlir::Location;
  using Operation = mlir::Operation;
  using Type = mlir::Type;
  using Value = mlir::Value;

  struct Kernel {
    std::string name;
    mlir::gpu::GPUFuncOp device;
    mlir::IRMapping values; // of the host, in the device
    llvm::SmallVector<Value> captures;
    llvm::SmallVector<Value> scalars; // captured as the values that they hold
    unsigned plainCaptures = 0;
    llvm::SmallVector<Operation *> constants;
  };

  Value index(Location loc, int64_t value);

  /// A kernel that has done `reads`, and what stands for the captures of `op`
  /// in it; the builder is at its end.
  Kernel start(Operation *op, llvm::ArrayRef<Operation *> reads,
               const llvm::SetVector<Value> &more);
  /// The kernel's function, with a parameter for each capture; the builder is
  /// in it.
  void declare(Kernel &kernel, Location loc, int64_t threads);
  /// The start of a kernel's or a twin's body.
  void fill(Location loc, const Kernel &kernel, mlir::ValueRange words,
            llvm::ArrayRef<Operation *> reads, mlir::IRMapping &values,
            bool onDevice);
  /// Ends the kernel, launches it before `op`, and makes its twin of that.
  mlir::gpu::LaunchFuncOp launch(Kernel &kernel, Value blocks, Operation *op,
                                 llvm::ArrayRef<Operation *> reads);

  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  mlir::func::FuncOp function; // whose launches are formed

private:
  Value toWord(Location loc, Value value);
  Value fromWord(Location loc, Value word, Type type);
  llvm::SmallVector<Type> wordTypes(const Kernel &kernel);
  mlir::gpu::GPUModuleOp deviceModule();
  Value tableOnDevice(mlir::memref::GetGlobalOp table);
  void mapCaptures(Location loc, const Kernel &kernel, mlir::ValueRange words,
                   mlir::IRMapping &values);
  void formTwin(Kernel &kernel, Operation *op,
                llvm::ArrayRef<Operation *> reads);

  mlir::ModuleOp module;
  llvm::DenseMap<Operation *, unsigned> numbers; // of kernels of a function
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_KERNELWRITER_H
