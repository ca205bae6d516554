//===- ExpandMath.cpp - Elementary functions as polynomials ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: math ops on f32, f16 or bf16, scalar or vector. Out: arith ops and those
// math ops that are single instructions (sqrt, absf, copysign, fma). The
// functions themselves are in ExpandMath{Exp,Erf,Log,Trig}.cpp; this file has
// the pass, the emitter that they share, and the quotients and maxima that may
// be less than what IEEE 754 asks.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/MathPasses.h"
#include "ExpandMathEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "aik-expand-math"

namespace aikernel {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "AIKernel/Transforms/MathPasses.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel::expandmath;

//===----------------------------------------------------------------------===//
// The emitter
//===----------------------------------------------------------------------===//

Type MathEmitter::withElement(Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value MathEmitter::splat(Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, SplatElementsAttr::get(vector, value));
  return arith::ConstantOp::create(b, value);
}

Value MathEmitter::constant(float value) {
  return splat(type, b.getF32FloatAttr(value));
}
Value MathEmitter::intConstant(uint32_t value) {
  return splat(withElement(b.getI32Type()),
               b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value MathEmitter::longConstant(uint64_t value) {
  return splat(withElement(b.getI64Type()),
               b.getI64IntegerAttr(static_cast<int64_t>(value)));
}
Value MathEmitter::doubleConstant(double value) {
  return splat(withElement(b.getF64Type()), b.getF64FloatAttr(value));
}

Value MathEmitter::multiplyAdd(Value x, Value y, Value z) {
  if (hasFma)
    return math::FmaOp::create(b, x, y, z);
  return add(mul(x, y), z);
}

Value MathEmitter::fusedMultiplyAdd(Value x, Value y, Value z) {
  if (hasFma)
    return math::FmaOp::create(b, x, y, z);
  // The product of two f32 is exact in f64. The sum is rounded twice, which
  // costs 2^-29 of a unit in the last place.
  Type wide = withElement(b.getF64Type());
  auto extend = [&](Value v) { return arith::ExtFOp::create(b, wide, v); };
  Value product = arith::MulFOp::create(b, extend(x), extend(y));
  Value sum = arith::AddFOp::create(b, product, extend(z));
  return arith::TruncFOp::create(b, type, sum);
}

Value MathEmitter::polynomial(Value x, ArrayRef<float> coefficients) {
  Value sum = constant(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = multiplyAdd(sum, x, constant(coefficient));
  return sum;
}

Value MathEmitter::pairedPolynomial(Value x, ArrayRef<float> coefficients) {
  if (hasCheapAddends)
    return polynomial(x, coefficients);
  SmallVector<Value> terms;
  for (float coefficient : coefficients)
    terms.push_back(constant(coefficient));
  for (Value power = x; terms.size() > 1; power = mul(power, power)) {
    SmallVector<Value> sums;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      sums.push_back(multiplyAdd(terms[i + 1], power, terms[i]));
    if (terms.size() % 2)
      sums.push_back(terms.back());
    terms = sums;
  }
  return terms[0];
}

std::optional<MultiplyAdd>
aikernel::expandmath::matchMultiplyAdd(Operation *op) {
  auto fuses = [](auto op) {
    return bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::contract);
  };
  auto sum = dyn_cast_or_null<arith::AddFOp>(op);
  if (!sum || !fuses(sum))
    return std::nullopt;
  auto product = sum.getLhs().getDefiningOp<arith::MulFOp>();
  if (!product || !fuses(product))
    return std::nullopt;
  return MultiplyAdd{product.getLhs(), product.getRhs(), sum.getRhs()};
}

Value MathEmitter::atMost(Value x, float high) {
  Value bound = constant(high);
  if (hasMinMax)
    return arith::MinimumFOp::create(b, x, bound);
  return select(compare(arith::CmpFPredicate::OGT, x, bound), bound, x);
}

Value MathEmitter::atLeast(Value x, float low) {
  Value bound = constant(low);
  if (hasMinMax)
    return arith::MaximumFOp::create(b, x, bound);
  return select(compare(arith::CmpFPredicate::OLT, x, bound), bound, x);
}

Value MathEmitter::clamp(Value x, float low, float high) {
  return atMost(atLeast(x, low), high);
}

Value MathEmitter::powerOfTwo(Value n) {
  Value biased = arith::AddIOp::create(b, n, intConstant(127));
  return fromBits(arith::ShLIOp::create(b, biased, intConstant(23)));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

bool isRough(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

/// Writes the expansion of `op` on f32 operands, or gives null when it is not
/// one of ours.
Value expand(MathEmitter &e, Operation *op, ValueRange operands, bool hasFma) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  Accuracy accuracy = Accuracy::Full;
  if (flags && isRough(flags.getFastMathFlagsAttr().getValue()))
    accuracy = Accuracy::Rough;
  else if (op->hasAttr(aikernel::kNarrowAttrName))
    accuracy = Accuracy::Narrow;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) {
        if (op->hasAttr(aikernel::kAtMostZeroAttrName))
          return emitExpAtMostZero(e, operands[0], accuracy);
        if (op->hasAttr(aikernel::kInRangeAttrName))
          return emitExpInRange(e, operands[0]);
        return emitExp(e, operands[0]);
      })
      .Case([&](math::Exp2Op) {
        if (op->hasAttr(aikernel::kAtMostZeroAttrName))
          return emitExp2AtMostZero(e, operands[0], accuracy);
        if (op->hasAttr(aikernel::kInRangeAttrName))
          return emitExp2InRange(e, operands[0], accuracy);
        return emitExp2(e, operands[0]);
      })
      .Case([&](math::LogOp) { return emitLog(e, operands[0]); })
      .Case([&](math::TanhOp) { return emitTanh(e, operands[0], accuracy); })
      .Case([&](math::ErfOp) { return emitErf(e, operands[0]); })
      .Case([&](math::ErfcOp) { return emitErfc(e, operands[0]); })
      .Case([&](math::SinOp) { return emitSin(e, operands[0]); })
      .Case([&](math::CosOp) { return emitCos(e, operands[0]); })
      .Case([&](math::RsqrtOp) { return emitRsqrt(e, operands[0]); })
      .Case([&](math::FmaOp) {
        return hasFma
                   ? Value()
                   : e.fusedMultiplyAdd(operands[0], operands[1], operands[2]);
      })
      .Default([](Operation *) { return Value(); });
}

bool isExpandable(Operation *op, bool hasFma) {
  if (!isa<math::ExpOp, math::Exp2Op, math::LogOp, math::TanhOp, math::ErfOp,
           math::ErfcOp, math::SinOp, math::CosOp, math::RsqrtOp>(op) &&
      (hasFma || !isa<math::FmaOp>(op)))
    return false;
  Type type = op->getResult(0).getType();
  if (isa<TensorType>(type))
    return false;
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF16() || element.isBF16();
}

/// math.isinf and math.isnormal by comparing magnitudes.
void expandClass(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value x = op->getOperand(0);
  auto element = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  auto number = [&](const llvm::APFloat &value) -> Value {
    TypedAttr attr = b.getFloatAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      attr = SplatElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  };
  Value size = math::AbsFOp::create(b, x);
  Value infinity = number(llvm::APFloat::getInf(semantics));
  Value result;
  if (isa<math::IsInfOp>(op)) {
    result =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, size, infinity);
  } else {
    Value least = number(llvm::APFloat::getSmallestNormalized(semantics));
    Value above =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, size, least);
    Value below =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, size, infinity);
    result = arith::AndIOp::create(b, above, below);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

bool isRoughQuotient(arith::DivFOp op, int64_t lanes) {
  auto type = dyn_cast<VectorType>(op.getType());
  return type && type.getElementType().isF32() && type.getRank() == 1 &&
         !type.isScalable() && type.getDimSize(0) % lanes == 0 &&
         isRough(op.getFastmath());
}

Value callIntrinsic(ImplicitLocOpBuilder &b, Type type, StringRef name,
                    ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResult(0);
}

/// 1 / x within 2^-14 of it, unless x is subnormal.
Value roughReciprocal(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<VectorType>(x.getType());
  constexpr int64_t avx512Lanes = 16;
  if (type.getDimSize(0) == avx512Lanes) {
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value all = arith::ConstantOp::create(b, b.getI16IntegerAttr(-1));
    return callIntrinsic(b, type, "llvm.x86.avx512.rcp14.ps.512",
                         {x, none, all});
  }
  // 2^-8 and a step of Newton, which knows 0 times infinity.
  Value first = callIntrinsic(b, type, "llvm.aarch64.neon.frecpe.v4f32", x);
  Value step =
      callIntrinsic(b, type, "llvm.aarch64.neon.frecps.v4f32", {x, first});
  return arith::MulFOp::create(b, first, step);
}

/// x / y as a product with the machine's rough 1 / y.
void expandQuotient(arith::DivFOp op, int64_t lanes) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = cast<VectorType>(op.getType());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t i = 0; i < type.getDimSize(0); i += lanes) {
    auto slice = [&](Value x) -> Value {
      return vector::ExtractStridedSliceOp::create(b, x, {i}, {lanes}, {1});
    };
    Value inverse = roughReciprocal(b, slice(op.getRhs()));
    Value quotient = arith::MulFOp::create(b, slice(op.getLhs()), inverse);
    result =
        vector::InsertStridedSliceOp::create(b, quotient, result, {i}, {1});
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// The larger of two numbers by a comparison, one instruction of x86.
void expandMaximum(arith::MaximumFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                                         op.getRhs(), op.getLhs());
  op.replaceAllUsesWith(
      arith::SelectOp::create(b, isLarger, op.getRhs(), op.getLhs())
          .getResult());
  op.erase();
}

struct ExpandMath : aikernel::impl::ExpandMathPassBase<ExpandMath> {
  using Base::Base;

  void runOnOperation() override {
    // A target knows; the option is for code without one.
    bool fuses = aikernel::fusesMultiplyAdd(getOperation(), hasFma);
    bool hasMinMax = aikernel::keepsNaNInMinMax(getOperation());
    bool hasCheapAddends = aikernel::hasOnlyNeon(getOperation());
    int64_t roughLanes = aikernel::getRoughReciprocalLanes(getOperation());
    SmallVector<Operation *> worklist, classes;
    getOperation()->walk([&](Operation *op) {
      if (auto quotient = dyn_cast<arith::DivFOp>(op);
          quotient && roughLanes && isRoughQuotient(quotient, roughLanes))
        return expandQuotient(quotient, roughLanes);
      if (auto maximum = dyn_cast<arith::MaximumFOp>(op);
          maximum && !hasMinMax &&
          !isa<TensorType>(op->getResult(0).getType()) &&
          op->hasAttr(aikernel::kMayDropNaNAttrName))
        return expandMaximum(maximum);
      if (isa<math::IsInfOp, math::IsNormalOp>(op) &&
          !isa<TensorType>(op->getOperand(0).getType()))
        classes.push_back(op);
      if (isExpandable(op, fuses))
        worklist.push_back(op);
    });
    for (Operation *op : classes)
      expandClass(op);
    for (Operation *op : worklist) {
      ImplicitLocOpBuilder builder(op->getLoc(), op);
      Type type = op->getResult(0).getType();
      bool isNarrow = !getElementTypeOrSelf(type).isF32();
      Type wide = builder.getF32Type();
      if (auto vector = dyn_cast<VectorType>(type))
        wide = vector.clone(builder.getF32Type());
      SmallVector<Value> operands(op->getOperands());
      if (isNarrow)
        for (Value &operand : operands)
          operand = arith::ExtFOp::create(builder, wide, operand);
      MathEmitter emitter(builder, wide, fuses, hasMinMax, hasCheapAddends);
      Value result = expand(emitter, op, operands, fuses);
      if (isNarrow)
        result = arith::TruncFOp::create(builder, type, result);
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};

} // namespace
