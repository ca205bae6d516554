//===- LowerChecks.cpp - Checks become branches that return at once -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions that return an i32, with control flow as blocks and branches,
// and aikernel.check and aikernel.propagate anywhere among them.
// Out: each of these ends its block: where it fails the function returns the
// error, else it goes on behind it. What the first block allocates, of a known
// size, comes before all that may end it.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define DEBUG_TYPE "aik-lower-checks"

namespace aikernel {
#define GEN_PASS_DEF_LOWERCHECKSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

/// LLVM keeps in registers only what the first block of a function allocates,
/// and a check may end that block: memory of a known size comes before all.
void allocateFirst(FunctionOpInterface function) {
  Block &first = function.getFunctionBody().front();
  SmallVector<Operation *> allocations;
  for (Operation &op : first)
    if (isa<LLVM::AllocaOp, memref::AllocaOp>(op) &&
        llvm::all_of(op.getOperands(), isConstant))
      allocations.push_back(&op);
  for (Operation *op : llvm::reverse(allocations)) {
    op->moveBefore(&first, first.begin());
    for (Value operand : op->getOperands())
      operand.getDefiningOp()->moveBefore(&first, first.begin());
  }
}

/// `op` ends its block: on `holds` goes on behind it, else to a new block.
/// Leaves the builder in that block.
void branchBefore(OpBuilder &builder, Operation *op, Value holds) {
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *fail = builder.createBlock(before->getParent(), after->getIterator());
  builder.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(builder, op->getLoc(), holds, after, fail);
  builder.setInsertionPointToStart(fail);
}

/// Kernels and their twins have no result: the status word has told all.
void returnStatus(OpBuilder &builder, Location loc, Operation *function,
                  Value status) {
  if (isa<gpu::GPUFuncOp>(function))
    gpu::ReturnOp::create(builder, loc);
  else if (cast<func::FuncOp>(function).getNumResults() == 0)
    func::ReturnOp::create(builder, loc);
  else
    func::ReturnOp::create(builder, loc, status);
}

void lower(CheckOp check) {
  OpBuilder builder(check);
  Location loc = check.getLoc();
  Operation *function = check->getParentOp();
  Operation *module = check->getParentOfType<ModuleOp>();
  branchBefore(builder, check, check.getCondition());
  if (auto number = check->getAttrOfType<IntegerAttr>(kCheckNumberAttrName)) {
    Value code =
        LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), number);
    // Other blocks may fail, too: the largest number stays.
    LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::umax,
                              check.getEnv(), code,
                              LLVM::AtomicOrdering::monotonic);
    returnStatus(builder, loc, function, Value());
    check.erase();
    return;
  }
  Value text =
      entryabi::stringConstant(builder, loc, module, check.getMessage());
  Value code = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                        check.getCodeAttr());
  Value status =
      entryabi::callEnv(builder, loc, check.getEnv(), entryabi::kEnvFail,
                        builder.getI32Type(), {check.getEnv(), code, text});
  func::ReturnOp::create(builder, loc, status);
  check.erase();
}

void lower(PropagateOp propagate) {
  OpBuilder builder(propagate);
  Location loc = propagate.getLoc();
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      propagate.getStatus(), zero);
  Operation *function = propagate->getParentOp();
  branchBefore(builder, propagate, holds);
  returnStatus(builder, loc, function, propagate.getStatus());
  propagate.erase();
}

struct LowerChecksPass : aikernel::impl::LowerChecksPassBase<LowerChecksPass> {
  using LowerChecksPassBase::LowerChecksPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<CheckOp, PropagateOp>(op))
        ops.push_back(op);
    });
    SetVector<Operation *> parents;
    for (Operation *op : ops)
      parents.insert(op->getParentOp());
    for (Operation *parent : parents)
      if (auto function = dyn_cast<FunctionOpInterface>(parent))
        allocateFirst(function);
    for (Operation *op : ops) {
      auto check = dyn_cast<CheckOp>(op);
      if (!isa<func::FuncOp, gpu::GPUFuncOp>(op->getParentOp())) {
        op->emitError("AIK-E0007: inside '")
            << op->getParentOp()->getName()
            << "' nothing can be checked at run time";
        return signalPassFailure();
      }
      if (check && !check.getEnv()) {
        op->emitError("a check has nowhere to report");
        return signalPassFailure();
      }
      if (check)
        lower(check);
      else
        lower(cast<PropagateOp>(op));
    }
  }
};

} // namespace
