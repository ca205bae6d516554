//===- ApproximateExp.cpp - Exponentials by the hardware ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels with math.exp. Out: those whose arguments are known well enough
// by the instruction for powers of two (relative error 2^-22.5, says the PTX
// manual), with the rounding of its argument put right:
//
//   hi = x log2(e), rounded      lo = x log2(e) - hi, exactly enough
//   e^x = 2^hi 2^lo = 2^hi (1 + lo ln(2))
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#define DEBUG_TYPE "aik-approximate-exp"

namespace aikernel {
#define GEN_PASS_DEF_APPROXIMATEEXPPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;

namespace {

/// log2(e) is the sum of these two.
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLog2ERest = 0x1.4ae0bep-26f;
constexpr float kLn2 = 0x1.62e430p-1f;
/// Its power is 0, and what is computed beside it stays finite.
constexpr float kLeast = -128.0f;

class ExpEmitter {
public:
  explicit ExpEmitter(Operation *op)
      : b(op->getLoc(), op), type(op->getResult(0).getType()) {}

  /// 2^x
  Value powerOfTwo(Value x) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return callPower(x);
    Value result = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value element = vector::ExtractOp::create(b, x, ArrayRef<int64_t>{i});
      result = vector::InsertOp::create(b, callPower(element), result,
                                        ArrayRef<int64_t>{i});
    }
    return result;
  }

  /// e^x, off by 2^-17 where x is not below -88, that is where it is not 0.
  Value narrowPower(Value x) {
    return powerOfTwo(arith::MulFOp::create(b, x, number(kLog2E)));
  }

  /// e^x
  Value power(Value x) {
    x = arith::MaximumFOp::create(b, x, number(kLeast));
    Value hi = arith::MulFOp::create(b, x, number(kLog2E));
    Value lost = fma(x, number(kLog2E), arith::NegFOp::create(b, hi));
    lost = fma(x, number(kLog2ERest), lost);
    Value most = powerOfTwo(hi);
    return fma(arith::MulFOp::create(b, most, number(kLn2)), lost, most);
  }

private:
  Value number(float value) {
    TypedAttr attribute = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = SplatElementsAttr::get(vector, value);
    return arith::ConstantOp::create(b, attribute);
  }

  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }

  Value callPower(Value x) {
    return LLVM::CallIntrinsicOp::create(
               b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"),
               ValueRange{x})
        .getResult(0);
  }

  ImplicitLocOpBuilder b;
  Type type;
};

struct ApproximateExpPass
    : aikernel::impl::ApproximateExpPassBase<ApproximateExpPass> {
  using ApproximateExpPassBase::ApproximateExpPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpOp, math::Exp2Op>(op) && isKnown(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      ExpEmitter emitter(op);
      Value x = op->getOperand(0);
      Value power;
      if (isa<math::Exp2Op>(op))
        power = emitter.powerOfTwo(x);
      else if (op->hasAttr(aikernel::kNarrowAttrName))
        power = emitter.narrowPower(x);
      else
        power = emitter.power(x);
      op->getResult(0).replaceAllUsesWith(power);
      op->erase();
    }
  }

private:
  static bool isKnown(Operation *op) {
    Type type = op->getResult(0).getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(type).isF32() ||
        (vector && (vector.getRank() != 1 || vector.isScalable())))
      return false;
    // A power of two of a rounded argument is only for those who allow it.
    if (auto power = dyn_cast<math::Exp2Op>(op))
      return op->hasAttr(aikernel::kInRangeAttrName) &&
             bitEnumContainsAll(power.getFastmath(), arith::FastMathFlags::afn);
    return op->hasAttr(aikernel::kAtMostZeroAttrName);
  }
};

} // namespace
