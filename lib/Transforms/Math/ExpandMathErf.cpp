//===- ExpandMathErf.cpp - erf and erfc on f32 ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Near zero both come from x + x P(x^2). Further out erf(x) = 1 - exp(-G(x)),
// where G is a polynomial for -log(erfc), and erfc(x) = exp(-x^2) R(t), where
// R is a polynomial in t = (x - 3) / (x + 3): the relative error of erfc stays
// small down to its subnormal tail, which gelu needs for negative x.
//
//===----------------------------------------------------------------------===//

#include "ExpandMathEmitter.h"

using namespace mlir;

namespace aikernel::expandmath {

/// erf(x) for |x| <= 1.
static Value emitErfNearZero(MathEmitter &e, Value x) {
  Value p = e.polynomial(e.mul(x, x), {0.128379166f, -0.37612626f, 0.112835787f,
                                       -0.0268533472f, 0.0051871622f,
                                       -0.00079978531f, 7.80690316e-05f});
  return e.multiplyAdd(p, x, x);
}

Value emitErf(MathEmitter &e, Value x) {
  Value magnitude = e.absolute(x);
  Value small = emitErfNearZero(e, magnitude);

  Value bounded = e.atMost(magnitude, 4.0f);
  Value g = e.polynomial(bounded, {-0.000169204126f, 1.12948835f, 0.633401096f,
                                   0.108219951f, -0.0250802226f, 0.00415606191f,
                                   -0.00043134563f, 2.08239362e-05f});
  Value large = e.sub(e.constant(1.0f), emitExpInRange(e, e.negate(g)));

  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, magnitude, e.constant(1.0f));
  return e.copySign(e.select(isSmall, small, large), x);
}

Value emitErfc(MathEmitter &e, Value x) {
  Value magnitude = e.absolute(x);
  Value small = e.sub(e.constant(1.0f), emitErfNearZero(e, x));

  Value bounded = e.atMost(magnitude, 10.2f);
  Value three = e.constant(3.0f);
  Value t = e.div(e.sub(bounded, three), e.add(bounded, three));
  Value p = e.polynomial(t, {0.179001153f, -0.326233566f, 0.245603636f,
                             -0.150115445f, 0.0716688633f, -0.0243990943f,
                             0.00424933899f, 0.000737054099f, -0.00054029451f});
  // exp magnifies the rounding error of the square: carry it along.
  Value square = e.mul(bounded, bounded);
  Value squareLow = e.fusedMultiplyAdd(bounded, bounded, e.negate(square));
  Value corrected = e.multiplyAdd(p, e.negate(squareLow), p);
  Value tail = e.mul(emitExp(e, e.negate(square)), corrected);
  Value isNegative = e.compare(arith::CmpFPredicate::OLT, x, e.constant(0.0f));
  tail = e.select(isNegative, e.sub(e.constant(2.0f), tail), tail);

  Value isSmall =
      e.compare(arith::CmpFPredicate::OLT, magnitude, e.constant(0.75f));
  return e.select(isSmall, small, tail);
}

} // namespace aikernel::expandmath
