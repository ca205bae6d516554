//===- ExpandMathEmitter.h - Writes f32 arithmetic on scalars or vectors --===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to ExpandMath*.cpp. MathEmitter gives arith ops short names on one
// type, f32 or a vector of f32; the emit* functions write one elementary
// function each and return its value.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_MATH_EXPANDMATHEMITTER_H
#define AIKERNEL_LIB_TRANSFORMS_MATH_EXPANDMATHEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aikernel::expandmath {

using mlir::Value;

/// An addf x * y + z that may be rounded once.
struct MultiplyAdd {
  Value x, y, z;
};
std::optional<MultiplyAdd> matchMultiplyAdd(mlir::Operation *sum);

class MathEmitter {
public:
  /// `type` is f32 or a vector of it. Constants are cheap to add to where
  /// aik-load-addends takes them from memory.
  MathEmitter(mlir::ImplicitLocOpBuilder &builder, mlir::Type type, bool hasFma,
              bool hasMinMax, bool hasCheapAddends = false)
      : b(builder), type(type), hasFma(hasFma), hasMinMax(hasMinMax),
        hasCheapAddends(hasCheapAddends) {}

  Value constant(float value);
  Value intConstant(uint32_t value);
  Value longConstant(uint64_t value);
  Value doubleConstant(double value);

  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value negate(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(b, x); }
  Value absolute(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value copySign(Value magnitude, Value sign) {
    return mlir::math::CopySignOp::create(b, magnitude, sign);
  }

  /// x * y + z, rounded once or twice.
  Value multiplyAdd(Value x, Value y, Value z);
  /// x * y + z where the product must not be rounded.
  Value fusedMultiplyAdd(Value x, Value y, Value z);
  /// coefficients[0] + coefficients[1] x + ...
  Value polynomial(Value x, llvm::ArrayRef<float> coefficients);
  /// The same by pairs of terms, then pairs of pairs: a shorter chain, and
  /// fewer constants to be added to, which AArch64 has to copy; rounded more
  /// often. Where constants are cheap to add to, term after term: a product
  /// less.
  Value pairedPolynomial(Value x, llvm::ArrayRef<float> coefficients);

  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  /// The bounds apply to numbers; NaN passes.
  Value clamp(Value x, float low, float high);
  Value atMost(Value x, float high);
  Value atLeast(Value x, float low);

  Value toBits(Value x) {
    return mlir::arith::BitcastOp::create(b, withElement(b.getI32Type()), x);
  }
  Value fromBits(Value x) { return mlir::arith::BitcastOp::create(b, type, x); }
  /// 2^n for n in [-126, 127], n of type i32.
  Value powerOfTwo(Value n);

  mlir::Type withElement(mlir::Type element);
  mlir::ImplicitLocOpBuilder &builder() { return b; }
  mlir::Type getType() { return type; }
  bool addsToConstantsCheaply() const { return hasCheapAddends; }

private:
  Value splat(mlir::Type type, mlir::TypedAttr value);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type type;
  bool hasFma;
  bool hasMinMax;
  bool hasCheapAddends;
};

/// How far a result may be off: by units in the last place of f32, by 2^-17 of
/// it, or by 2^-13, which is little once it is rounded to 16 bits.
enum class Accuracy { Full, Narrow, Rough };

// ExpandMathExp.cpp
Value emitExp(MathEmitter &e, Value x);
Value emitExp2(MathEmitter &e, Value x);
/// See kAtMostZeroAttrName.
Value emitExpAtMostZero(MathEmitter &e, Value x, Accuracy accuracy);
Value emitExp2AtMostZero(MathEmitter &e, Value x, Accuracy accuracy);
/// See kInRangeAttrName.
Value emitExpInRange(MathEmitter &e, Value x);
Value emitExp2InRange(MathEmitter &e, Value x, Accuracy accuracy);
Value emitTanh(MathEmitter &e, Value x, Accuracy accuracy);
// ExpandMathErf.cpp
Value emitErf(MathEmitter &e, Value x);
Value emitErfc(MathEmitter &e, Value x);
// ExpandMathLog.cpp
Value emitLog(MathEmitter &e, Value x);
Value emitRsqrt(MathEmitter &e, Value x);
// ExpandMathTrig.cpp
Value emitSin(MathEmitter &e, Value x);
Value emitCos(MathEmitter &e, Value x);

} // namespace aikernel::expandmath

#endif // AIKERNEL_LIB_TRANSFORMS_MATH_EXPANDMATHEMITTER_H
