//===- LowerLaunches.cpp - Launches become calls of the runtime -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions with gpu.launch_func, a gpu.module, and twins on the host.
// Out: the same without launches: words on the stack and a call of aik_env's
// launch; the tables aik$kernels and aik$checks of Entry.h. Checks in kernels
// report into the status word, and kernels do nothing once it is set.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Entries.h"
#include "AIKernel/Transforms/EntryABI.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "aik-lower-launches"

namespace aikernel {
#define GEN_PASS_DEF_LOWERLAUNCHESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// A memref is an address twice, an offset, sizes and strides.
unsigned wordsOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 3 + 2 * memref.getRank() : 1;
}

class LaunchLowering {
public:
  LaunchLowering(ModuleOp module, gpu::GPUModuleOp device)
      : module(module), device(device), builder(module.getContext()),
        loc(module.getLoc()), options(module.getContext()),
        types(module.getContext(), options),
        ptr(LLVM::LLVMPointerType::get(module.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  void run() {
    if (device)
      collectKernels();
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
    passGridSizes(launches);
    if (device)
      numberChecks();
    for (gpu::LaunchFuncOp launch : launches)
      lower(launch);
    buildKernelTable();
    buildCheckTable();
  }

private:
  void collectKernels() {
    for (auto kernel : device.getOps<gpu::GPUFuncOp>()) {
      numbers[kernel.getName()] = kernels.size();
      kernels.push_back(kernel);
    }
  }

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, value));
  }
  Value word(Value words, unsigned position) {
    return LLVM::GEPOp::create(builder, loc, ptr, i64, words,
                               ArrayRef<LLVM::GEPArg>{(int32_t)position});
  }
  func::FuncOp twinOf(gpu::GPUFuncOp kernel) {
    return module.lookupSymbol<func::FuncOp>(
        (kernel.getName() + kTwinSuffix).str());
  }

  /// Not every GPU tells its threads how many blocks there are: kernels that
  /// ask are told by their last parameter.
  void passGridSizes(ArrayRef<gpu::LaunchFuncOp> launches) {
    for (gpu::GPUFuncOp kernel : kernels) {
      SmallVector<gpu::GridDimOp> asked;
      kernel.walk([&](gpu::GridDimOp op) { asked.push_back(op); });
      if (asked.empty())
        continue;
      unsigned last = kernel.getFunctionType().getNumInputs();
      Type index = builder.getIndexType();
      (void)kernel.insertArgument(last, index, {}, kernel.getLoc());
      for (gpu::GridDimOp op : asked) {
        op.replaceAllUsesWith(Value(kernel.getArgument(last)));
        op.erase();
      }
      func::FuncOp twin = twinOf(kernel);
      (void)twin.insertArgument(last, index, {}, twin.getLoc());
      for (gpu::LaunchFuncOp launch : launches)
        if (launch.getKernelName() == kernel.getName())
          launch.getKernelOperandsMutable().append(launch.getGridSizeX());
    }
  }

  //===--------------------------------------------------------------------===//
  // Checks
  //===--------------------------------------------------------------------===//

  /// Where any kernel checks something, all look at the status word first.
  void numberChecks() {
    WalkResult found =
        device.walk([](CheckOp) { return WalkResult::interrupt(); });
    hasStatus = found.wasInterrupted();
    if (!hasStatus)
      return;
    for (gpu::GPUFuncOp kernel : kernels) {
      Block &body = kernel.getBody().front();
      (void)kernel.insertArgument(0, i64, {}, kernel.getLoc());
      watchStatus(kernel, body.getArgument(0));
      func::FuncOp twin = twinOf(kernel);
      (void)twin.insertArgument(0, i64, {}, twin.getLoc());
      watchStatus(twin, twin.getArgument(0));
    }
  }

  void watchStatus(Operation *function, Value address) {
    SmallVector<CheckOp> found;
    function->walk([&](CheckOp check) { found.push_back(check); });
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(address.getParentBlock());
    Value status = LLVM::IntToPtrOp::create(builder, loc, ptr, address);
    Value earlier = LLVM::LoadOp::create(builder, loc, i32, status);
    PropagateOp::create(builder, loc, earlier);
    for (CheckOp check : found) {
      check.getEnvMutable().assign(status);
      check->setAttr(kCheckNumberAttrName,
                     builder.getI32IntegerAttr(numberOf(check)));
    }
  }

  int32_t numberOf(CheckOp check) {
    std::pair<int32_t, StringRef> key(check.getCode(), check.getMessage());
    auto *known = llvm::find(checks, key);
    if (known == checks.end()) {
      checks.push_back(key);
      return checks.size();
    }
    return known - checks.begin() + 1;
  }

  //===--------------------------------------------------------------------===//
  // Launches
  //===--------------------------------------------------------------------===//

  void lower(gpu::LaunchFuncOp launch) {
    loc = launch.getLoc();
    auto kernel =
        cast<gpu::GPUFuncOp>(device.lookupSymbol(launch.getKernelName()));
    auto function = launch->getParentOfType<func::FuncOp>();
    auto type = LLVM::LLVMArrayType::get(i64, std::max(1u, countWords(kernel)));
    Value words;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getBody().front());
      words = LLVM::AllocaOp::create(builder, loc, ptr, type, constant(i64, 1));
    }
    builder.setInsertionPoint(launch);
    unsigned position = 0;
    auto put = [&](Value value) {
      LLVM::StoreOp::create(builder, loc, value, word(words, position++));
    };
    if (hasStatus)
      put(constant(i64, 0)); // the runtime's to fill in
    for (Value operand : launch.getKernelOperands())
      packOne(operand, put);
    Value env = EnvOp::create(builder, loc, ptr);
    Value number = constant(i32, numbers[launch.getKernelName()]);
    Value blocks =
        arith::IndexCastOp::create(builder, loc, i64, launch.getGridSizeX());
    Value status = entryabi::callEnv(builder, loc, env, entryabi::kEnvLaunch,
                                     i32, {env, number, blocks, words});
    PropagateOp::create(builder, loc, status);
    launch.erase();
  }

  void packOne(Value operand, function_ref<void(Value)> put) {
    auto memref = dyn_cast<MemRefType>(operand.getType());
    if (!memref) {
      if (operand.getType().isIndex())
        operand = arith::IndexCastOp::create(builder, loc, i64, operand);
      put(operand);
      return;
    }
    Value cast = UnrealizedConversionCastOp::create(
                     builder, loc, types.convertType(memref), operand)
                     .getResult(0);
    MemRefDescriptor descriptor(cast);
    put(descriptor.allocatedPtr(builder, loc));
    put(descriptor.alignedPtr(builder, loc));
    put(descriptor.offset(builder, loc));
    for (unsigned i = 0; i < memref.getRank(); ++i)
      put(descriptor.size(builder, loc, i));
    for (unsigned i = 0; i < memref.getRank(); ++i)
      put(descriptor.stride(builder, loc, i));
  }

  static unsigned countWords(gpu::GPUFuncOp kernel) {
    unsigned count = 0;
    for (Type type : kernel.getFunctionType().getInputs())
      count += wordsOf(type);
    return count;
  }

  //===--------------------------------------------------------------------===//
  // Tables
  //===--------------------------------------------------------------------===//

  /// llvm.func @f_0$entry(%blocks: i64, %words: !llvm.ptr), which calls the
  /// twin.
  LLVM::LLVMFuncOp buildTwinEntry(gpu::GPUFuncOp kernel) {
    func::FuncOp twin = twinOf(kernel);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(twin);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()), {i64, ptr});
    auto entry = LLVM::LLVMFuncOp::create(builder, loc,
                                          (kernel.getName() + "$entry").str(),
                                          type, LLVM::Linkage::Internal);
    Block *body = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(body);
    unsigned position = 0;
    auto take = [&](Type type) -> Value {
      return LLVM::LoadOp::create(builder, loc, type,
                                  word(body->getArgument(1), position++));
    };
    SmallVector<Value> operands;
    for (Type wanted : twin.getFunctionType().getInputs()) {
      auto memref = dyn_cast<MemRefType>(wanted);
      if (!memref) {
        Value value = take(i64);
        if (wanted.isIndex())
          value = arith::IndexCastOp::create(builder, loc, wanted, value);
        operands.push_back(value);
        continue;
      }
      auto descriptor =
          MemRefDescriptor::poison(builder, loc, types.convertType(memref));
      descriptor.setAllocatedPtr(builder, loc, take(ptr));
      descriptor.setAlignedPtr(builder, loc, take(ptr));
      descriptor.setOffset(builder, loc, take(i64));
      for (unsigned i = 0; i < memref.getRank(); ++i)
        descriptor.setSize(builder, loc, i, take(i64));
      for (unsigned i = 0; i < memref.getRank(); ++i)
        descriptor.setStride(builder, loc, i, take(i64));
      Value whole = descriptor;
      operands.push_back(
          UnrealizedConversionCastOp::create(builder, loc, memref, whole)
              .getResult(0));
    }
    func::CallOp::create(builder, loc, twin, operands);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return entry;
  }

  /// A constant array of structs, one per row and one of zeros at the end.
  void buildTable(StringRef name, LLVM::LLVMStructType row, unsigned rows,
                  function_ref<SmallVector<Value>(unsigned)> fieldsOf) {
    auto type = LLVM::LLVMArrayType::get(row, rows + 1);
    builder.setInsertionPointToEnd(module.getBody());
    auto table =
        LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                               LLVM::Linkage::External, name, Attribute());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &table.getInitializerRegion().emplaceBlock());
    Value all = LLVM::ZeroOp::create(builder, loc, type);
    for (unsigned i = 0; i < rows; ++i) {
      Value one = LLVM::ZeroOp::create(builder, loc, row);
      for (auto [field, value] : llvm::enumerate(fieldsOf(i)))
        one = LLVM::InsertValueOp::create(builder, loc, one, value,
                                          ArrayRef<int64_t>{(int64_t)field});
      all = LLVM::InsertValueOp::create(builder, loc, all, one,
                                        ArrayRef<int64_t>{(int64_t)i});
    }
    LLVM::ReturnOp::create(builder, loc, all);
  }

  void buildKernelTable() {
    SmallVector<LLVM::LLVMFuncOp> twins;
    for (gpu::GPUFuncOp kernel : kernels)
      twins.push_back(buildTwinEntry(kernel));
    auto row = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), {ptr, i32, i32, i32, i32, i32, i32, ptr});
    buildTable("aik$kernels", row, kernels.size(), [&](unsigned i) {
      gpu::GPUFuncOp kernel = kernels[i];
      int32_t threads = kernel.getKnownBlockSize()->front();
      int32_t cluster = 1;
      if (auto size = kernel.getKnownClusterSize())
        cluster = size->front();
      return SmallVector<Value>{
          entryabi::stringConstant(builder, loc, module, kernel.getName()),
          constant(i32, threads),
          constant(i32, cluster),
          constant(i32, 0),
          constant(i32, countWords(kernel)),
          constant(i32, hasStatus ? AIK_KERNEL_STATUS : 0),
          constant(i32, 0),
          LLVM::AddressOfOp::create(builder, loc, twins[i])};
    });
  }

  void buildCheckTable() {
    auto row =
        LLVM::LLVMStructType::getLiteral(builder.getContext(), {ptr, i32, i32});
    buildTable("aik$checks", row, checks.size(), [&](unsigned i) {
      return SmallVector<Value>{
          entryabi::stringConstant(builder, loc, module, checks[i].second),
          constant(i32, checks[i].first), constant(i32, 0)};
    });
  }

  ModuleOp module;
  gpu::GPUModuleOp device;
  OpBuilder builder;
  Location loc;
  LowerToLLVMOptions options;
  LLVMTypeConverter types;
  Type ptr, i32, i64;
  SmallVector<gpu::GPUFuncOp> kernels;
  llvm::StringMap<unsigned> numbers;
  SmallVector<std::pair<int32_t, StringRef>> checks;
  bool hasStatus = false;
};

struct LowerLaunchesPass
    : aikernel::impl::LowerLaunchesPassBase<LowerLaunchesPass> {
  using LowerLaunchesPassBase::LowerLaunchesPassBase;

  void runOnOperation() override {
    auto device =
        getOperation().lookupSymbol<gpu::GPUModuleOp>(kDeviceModuleName);
    LaunchLowering(getOperation(), device).run();
  }
};

} // namespace
