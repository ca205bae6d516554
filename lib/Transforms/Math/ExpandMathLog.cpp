//===- ExpandMathLog.cpp - log and rsqrt on f32 ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// log(2^k m) = k ln 2 + log(m) with m in [sqrt(1/2), sqrt(2)) and
// log(1 + f) = f - f^2 / 2 + f^3 P(f).
//
//===----------------------------------------------------------------------===//

#include "ExpandMathEmitter.h"

#include <limits>

using namespace mlir;

namespace aikernel::expandmath {

Value emitLog(MathEmitter &e, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  auto is = [&](arith::CmpFPredicate predicate, float bound) {
    return e.compare(predicate, x, e.constant(bound));
  };

  Value isSubnormal = is(arith::CmpFPredicate::OLT, 1.17549435e-38f);
  Value normal = e.select(isSubnormal, e.mul(x, e.constant(8388608.0f)), x);
  Value bits = e.toBits(normal);
  // The bits of sqrt(1/2): subtracting them makes the exponent field k.
  Value offset = arith::SubIOp::create(b, bits, e.intConstant(0x3f3504f3));
  Value k = arith::ShRSIOp::create(b, offset, e.intConstant(23));
  Value kBits = arith::ShLIOp::create(b, k, e.intConstant(23));
  Value m = e.fromBits(arith::SubIOp::create(b, bits, kBits));
  Value unscaled = arith::SubIOp::create(b, k, e.intConstant(23));
  Value exponent = arith::SIToFPOp::create(b, e.getType(),
                                           e.select(isSubnormal, unscaled, k));

  Value f = e.sub(m, e.constant(1.0f));
  Value square = e.mul(f, f);
  Value p = e.polynomial(f, {0.333333105f, -0.24999994f, 0.200022012f,
                             -0.16668652f, 0.142187297f, -0.123961642f,
                             0.11885234f, -0.117219031f, 0.0680306405f});
  Value low = e.multiplyAdd(e.mul(square, f), p,
                            e.mul(exponent, e.constant(1.42860677e-06f)));
  low = e.multiplyAdd(square, e.constant(-0.5f), low);
  Value result =
      e.multiplyAdd(exponent, e.constant(0.693145751953125f), e.add(f, low));

  constexpr float infinity = std::numeric_limits<float>::infinity();
  result = e.select(is(arith::CmpFPredicate::OEQ, infinity), x, result);
  result = e.select(is(arith::CmpFPredicate::OEQ, 0.0f), e.constant(-infinity),
                    result);
  result =
      e.select(is(arith::CmpFPredicate::OLT, 0.0f),
               e.constant(std::numeric_limits<float>::quiet_NaN()), result);
  return e.select(e.compare(arith::CmpFPredicate::UNO, x, x), x, result);
}

Value emitRsqrt(MathEmitter &e, Value x) {
  return e.div(e.constant(1.0f), e.sqrt(x));
}

} // namespace aikernel::expandmath
