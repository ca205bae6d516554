//===- OutlineParallel.cpp - Parallel loops become calls of the runtime ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized functions with scf.forall.
// Out: each outermost scf.forall is a function over a range of iterations, and
// in its place aik_env's parallel_for is called with it; inner ones are plain
// loops. What a check inside returns stops the loop and is returned. Stores
// past the caches (nontemporal, only on x86) are behind a fence when it
// returns. Rows are read while others are written (ReadRowsAhead.h), or written
// while others are computed (WriteRowsLate.h).
//
//   scf.forall (%i, %j) = ... { body }
//   ==>  func @f$parallel0(%captures: !llvm.ptr, %begin: i64, %end: i64) -> i32
//        ... store captures on the stack; call env->parallel_for(count, ...)
//
// There is no outlining for a parallel-for upstream besides async and OpenMP.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel/Transforms/Passes.h"
#include "AIKernel/Transforms/Threads/TripCounts.h"
#include "Memory/LargeResults.h"
#include "ReadRowsAhead.h"
#include "WriteRowsLate.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

#define DEBUG_TYPE "aik-outline-parallel"

namespace aikernel {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

class Outliner {
public:
  Outliner(scf::ForallOp loop, func::FuncOp function, unsigned number,
           LLVMTypeConverter &types)
      : loop(loop), function(function), types(types),
        builder(loop.getContext()), loc(loop.getLoc()),
        name((function.getSymName() + "$parallel" + Twine(number)).str()) {}

  void run() {
    builder.setInsertionPoint(loop);
    giveEnvironmentToChecks();
    counts = countTrips(builder, loop);
    collectCaptures();
    buildBody();
    buildCall();
    loop.erase();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// The body is another function: what fails in it needs the environment.
  void giveEnvironmentToChecks() {
    Value env;
    loop.walk([&](CheckOp check) {
      if (!env)
        env = EnvOp::create(builder, loc,
                            LLVM::LLVMPointerType::get(builder.getContext()));
      check.getEnvMutable().assign(env);
    });
  }

  /// Everything the body needs, except constants and views by constants, which
  /// it makes itself: from memory come sizes and strides that nobody knows. So
  /// of memrefs whose types tell these only the address is kept.
  void collectCaptures() {
    SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    for (ArrayRef<Value> values :
         {ArrayRef(counts.lowers), ArrayRef(counts.steps),
          ArrayRef(counts.trips)})
      used.insert(values.begin(), values.end());
    llvm::SmallPtrSet<Value, 16> collected;
    for (Value value : used)
      collect(value, collected);
    SmallVector<Type> fields;
    for (Value value : captures)
      fields.push_back(isKnown(value.getType())
                           ? LLVM::LLVMPointerType::get(builder.getContext())
                           : types.convertType(value.getType()));
    frame = LLVM::LLVMStructType::getLiteral(loop.getContext(), fields);
  }

  void collect(Value value, llvm::SmallPtrSetImpl<Value> &collected) {
    if (!collected.insert(value).second)
      return;
    Operation *def = value.getDefiningOp();
    if (def && def->hasTrait<OpTrait::ConstantLike>())
      return constants.push_back(def);
    if (!def || !isViewByConstants(def))
      return captures.push_back(value);
    for (Value operand : def->getOperands())
      collect(operand, collected);
    views.push_back(def);
  }

  static bool isViewByConstants(Operation *op) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    return view && op->getNumResults() == 1 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return operand == view.getViewSource() ||
                    matchPattern(operand, m_Constant());
           });
  }

  /// Is it a memref whose type tells all but where it is?
  static bool isKnown(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape() || memref.getMemorySpace())
      return false;
    auto [strides, offset] = memref.getStridesAndOffset();
    return !ShapedType::isDynamic(offset) &&
           !ShapedType::isDynamicShape(strides);
  }

  void buildBody() {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(function);
    auto ptr = LLVM::LLVMPointerType::get(builder.getContext());
    Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
    auto body = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType({ptr, i64, i64}, {i32}));
    body.setPrivate();
    Block *entry = body.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    IRMapping values;
    for (Operation *constant : constants)
      builder.clone(*constant, values);
    for (auto [position, value] : llvm::enumerate(captures)) {
      Value slot =
          LLVM::GEPOp::create(builder, loc, ptr, frame, entry->getArgument(0),
                              ArrayRef<LLVM::GEPArg>{0, (int32_t)position});
      Value loaded =
          LLVM::LoadOp::create(builder, loc, frame.getBody()[position], slot);
      if (isKnown(value.getType()))
        loaded = MemRefDescriptor::fromStaticShape(
            builder, loc, types, cast<MemRefType>(value.getType()), loaded);
      if (loaded.getType() != value.getType())
        loaded = UnrealizedConversionCastOp::create(builder, loc,
                                                    value.getType(), loaded)
                     .getResult(0);
      values.map(value, loaded);
    }
    for (Operation *view : views)
      builder.clone(*view, values);
    auto asIndex = [&](Value value) {
      return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        value);
    };
    auto range =
        scf::ForOp::create(builder, loc, asIndex(entry->getArgument(1)),
                           asIndex(entry->getArgument(2)), index(1));
    if (storesPastCaches(loop))
      LLVM::CallIntrinsicOp::create(
          builder, loc, builder.getStringAttr("llvm.x86.sse.sfence"),
          ValueRange());
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    func::ReturnOp::create(builder, loc, zero);

    builder.setInsertionPointToStart(range.getBody());
    Value rest = range.getInductionVar();
    SmallVector<Value> ivs(counts.trips.size());
    for (int dim = counts.trips.size() - 1; dim >= 0; --dim) {
      Value trips = values.lookup(counts.trips[dim]);
      Value trip = rest;
      if (dim > 0) {
        trip = arith::RemUIOp::create(builder, loc, rest, trips);
        rest = arith::DivUIOp::create(builder, loc, rest, trips);
      }
      Value offset = arith::MulIOp::create(builder, loc, trip,
                                           values.lookup(counts.steps[dim]));
      ivs[dim] = arith::AddIOp::create(
          builder, loc, values.lookup(counts.lowers[dim]), offset);
    }
    values.map(loop.getInductionVars(), ivs);
    // Stack buffers belong to the function, not to each iteration.
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<memref::AllocaOp>(op)) {
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPoint(range);
        builder.clone(op, values);
        continue;
      }
      builder.clone(op, values);
    }
    if (!writeRowsLate(range))
      readRowsAhead(range);
  }

  void buildCall() {
    auto ptr = LLVM::LLVMPointerType::get(builder.getContext());
    Value memory;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getBody().front());
      Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                           builder.getI64IntegerAttr(1));
      memory = LLVM::AllocaOp::create(builder, loc, ptr, frame, one);
    }
    for (auto [position, value] : llvm::enumerate(captures)) {
      Value slot =
          LLVM::GEPOp::create(builder, loc, ptr, frame, memory,
                              ArrayRef<LLVM::GEPArg>{0, (int32_t)position});
      Value stored = value;
      Type type = types.convertType(value.getType());
      if (type != value.getType())
        stored = UnrealizedConversionCastOp::create(builder, loc, type, value)
                     .getResult(0);
      if (isKnown(value.getType()))
        stored = MemRefDescriptor(stored).alignedPtr(builder, loc);
      LLVM::StoreOp::create(builder, loc, stored, slot);
    }
    Value env = EnvOp::create(builder, loc, ptr);
    Value total = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             counts.all);
    // The function is a func.func until the last conversion.
    auto bodyType = builder.getFunctionType(
        {ptr, builder.getI64Type(), builder.getI64Type()},
        {builder.getI32Type()});
    Value callee = func::ConstantOp::create(
        builder, loc, bodyType,
        FlatSymbolRefAttr::get(builder.getContext(), name));
    callee = UnrealizedConversionCastOp::create(builder, loc, ptr, callee)
                 .getResult(0);
    Value status =
        entryabi::callEnv(builder, loc, env, entryabi::kEnvParallelFor,
                          builder.getI32Type(), {env, total, callee, memory});
    PropagateOp::create(builder, loc, status);
  }

  scf::ForallOp loop;
  func::FuncOp function;
  LLVMTypeConverter &types;
  OpBuilder builder;
  Location loc;
  std::string name;
  TripCounts counts;
  SmallVector<Value> captures;
  SmallVector<Operation *> constants, views;
  LLVM::LLVMStructType frame;
};

struct OutlineParallelPass
    : aikernel::impl::OutlineParallelPassBase<OutlineParallelPass> {
  using OutlineParallelPassBase::OutlineParallelPassBase;

  void runOnOperation() override {
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter types(&getContext(), options);
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForallOp> outer, inner;
      function.walk([&](scf::ForallOp loop) {
        (loop->getParentOfType<scf::ForallOp>() ? inner : outer)
            .push_back(loop);
      });
      IRRewriter rewriter(&getContext());
      for (scf::ForallOp loop : inner) {
        rewriter.setInsertionPoint(loop);
        if (failed(scf::forallToForLoop(rewriter, loop)))
          return signalPassFailure();
      }
      unsigned number = 0;
      for (scf::ForallOp loop : outer)
        Outliner(loop, function, number++, types).run();
    }
  }
};

} // namespace
