//===- LoopBuilder.h - Index arithmetic and loops in few words ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder of those passes that write out the loops of a kernel, and what
// they load and store: what they
// emit should be as readable as the loop it stands for. Sizes and positions are
// of type index and not negative.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_TILES_LOOPBUILDER_H
#define AIKERNEL_TRANSFORMS_TILES_LOOPBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel {

class LoopBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// At the start of the body of a function that has none yet.
  explicit LoopBuilder(mlir::func::FuncOp function)
      : ImplicitLocOpBuilder(function.getLoc(), function.getContext()) {
    setInsertionPointToStart(function.addEntryBlock());
  }

  Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(*this, value);
  }
  Value plus(Value x, Value y) {
    return mlir::arith::AddIOp::create(*this, x, y);
  }
  Value plus(Value x, int64_t y) { return y ? plus(x, index(y)) : x; }
  Value minus(Value x, Value y) {
    return mlir::arith::SubIOp::create(*this, x, y);
  }
  Value times(Value x, Value y) {
    return mlir::arith::MulIOp::create(*this, x, y);
  }
  Value times(Value x, int64_t y) { return y == 1 ? x : times(x, index(y)); }
  Value smaller(Value x, Value y) {
    return mlir::arith::MinSIOp::create(*this, x, y);
  }
  Value larger(Value x, Value y) {
    return mlir::arith::MaxSIOp::create(*this, x, y);
  }
  Value ceilDiv(Value x, int64_t y) {
    if (y == 1)
      return x;
    return mlir::arith::DivUIOp::create(*this, plus(x, y - 1), index(y));
  }
  /// The largest multiple of `y` up to `x`.
  Value roundDown(Value x, int64_t y) {
    if (y == 1)
      return x;
    return minus(x, mlir::arith::RemUIOp::create(*this, x, index(y)));
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, int64_t y) {
    return mlir::arith::CmpIOp::create(*this, predicate, x, index(y));
  }
  Value equals(Value x, int64_t y) {
    return compare(mlir::arith::CmpIPredicate::eq, x, y);
  }

  /// Room on the stack, where vectors are aligned.
  Value buffer(mlir::Type element, llvm::ArrayRef<int64_t> sizes) {
    return mlir::memref::AllocaOp::create(
        *this, mlir::MemRefType::get(sizes, element), getI64IntegerAttr(64));
  }
  Value load(Value memref, mlir::ValueRange where) {
    return mlir::memref::LoadOp::create(*this, memref, where);
  }
  /// A scalar or a vector.
  void store(Value value, Value memref, mlir::ValueRange where) {
    if (mlir::isa<mlir::VectorType>(value.getType()))
      mlir::vector::StoreOp::create(*this, value, memref, where);
    else
      mlir::memref::StoreOp::create(*this, value, memref, where);
  }
  /// v0[0] v1[0] ... v0[1] v1[1] ...
  Value interleave(llvm::ArrayRef<Value> vectors) {
    if (vectors.size() == 1)
      return vectors[0];
    Values even, odd;
    for (auto [position, value] : llvm::enumerate(vectors))
      (position % 2 ? odd : even).push_back(value);
    return mlir::vector::InterleaveOp::create(*this, interleave(even),
                                              interleave(odd));
  }

  /// for (i = 0; i < end; i += step) body(i)
  void loop(Value end, int64_t step, llvm::function_ref<void(Value)> body) {
    loop(index(0), end, step, body);
  }

  /// A scalar or vector with numbers of this type, which has all that its own
  /// type has.
  Value extended(Value value, mlir::Type element) {
    mlir::Type type = element;
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType()))
      type = vector.clone(element);
    if (value.getType() == type)
      return value;
    if (mlir::isa<mlir::FloatType>(element))
      return mlir::arith::ExtFOp::create(*this, type, value);
    return mlir::arith::ExtSIOp::create(*this, type, value);
  }

  /// for (i = begin; i < end; i += step) body(i)
  void loop(Value begin, Value end, int64_t step,
            llvm::function_ref<void(Value)> body) {
    auto forOp = mlir::scf::ForOp::create(*this, begin, end, index(step));
    InsertionGuard guard(*this);
    setInsertionPointToStart(forOp.getBody());
    body(forOp.getInductionVar());
  }

  /// The same with values that go from one iteration to the next.
  Values loop(Value begin, Value end, int64_t step, mlir::ValueRange start,
              llvm::function_ref<Values(Value, mlir::ValueRange)> body) {
    auto forOp =
        mlir::scf::ForOp::create(*this, begin, end, index(step), start);
    InsertionGuard guard(*this);
    setInsertionPointToStart(forOp.getBody());
    Values next = body(forOp.getInductionVar(), forOp.getRegionIterArgs());
    if (!start.empty()) // else it is there
      mlir::scf::YieldOp::create(*this, next);
    return Values(forOp.getResults());
  }

  /// if (condition) then() else otherwise()
  void choose(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise) {
    auto choice =
        mlir::scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
    InsertionGuard guard(*this);
    setInsertionPointToStart(choice.thenBlock());
    then();
    setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  /// The same with values that either of the two gives.
  Values choose(Value condition, mlir::TypeRange types,
                llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise) {
    auto choice = mlir::scf::IfOp::create(*this, types, condition,
                                          /*withElseRegion=*/true);
    InsertionGuard guard(*this);
    setInsertionPointToStart(choice.thenBlock());
    mlir::scf::YieldOp::create(*this, then());
    setInsertionPointToStart(choice.elseBlock());
    mlir::scf::YieldOp::create(*this, otherwise());
    return Values(choice.getResults());
  }
};

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_TILES_LOOPBUILDER_H
