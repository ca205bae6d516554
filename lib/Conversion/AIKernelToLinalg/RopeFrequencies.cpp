//===- RopeFrequencies.cpp - Turns per position of rope's pairs -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the attributes of a rope op. Out: one 64-bit fraction of a turn per pair.
// Everything is computed in 113-bit software floats, so that compilers on all
// hosts write the same bits; a long double would not do.
//
//===----------------------------------------------------------------------===//

#include "RopeFrequencies.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using llvm::APFloat;

namespace aikernel::tolinalg {

namespace {

/// A number with 113 bits of precision.
class Quad {
public:
  Quad(double value) : value(value) {
    bool losesInfo;
    this->value.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven,
                        &losesInfo);
  }
  explicit Quad(llvm::StringRef decimal)
      : value(APFloat::IEEEquad(), decimal) {}

  Quad operator+(const Quad &y) const { return value + y.value; }
  Quad operator-(const Quad &y) const { return value - y.value; }
  Quad operator*(const Quad &y) const { return value * y.value; }
  Quad operator/(const Quad &y) const { return value / y.value; }
  bool operator<(const Quad &y) const { return value < y.value; }
  bool operator==(const Quad &y) const { return value == y.value; }

  /// this * 2^exponent.
  Quad scaled(int exponent) const {
    return llvm::scalbn(value, exponent, APFloat::rmNearestTiesToEven);
  }
  /// The exponent e with 2^e <= |this| < 2^(e+1).
  int exponent() const { return llvm::ilogb(value); }
  Quad rounded(APFloat::roundingMode mode) const {
    APFloat copy = value;
    copy.roundToIntegral(mode);
    return copy;
  }
  int64_t toInteger() const {
    llvm::APSInt result(64, /*isUnsigned=*/false);
    bool isExact;
    value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
    return result.getSExtValue();
  }
  /// The low 64 bits of this number rounded to an integer.
  uint64_t toWrappedInteger() const {
    llvm::APSInt result(512, /*isUnsigned=*/false);
    bool isExact;
    value.convertToInteger(result, APFloat::rmNearestTiesToEven, &isExact);
    return result.trunc(64).getZExtValue();
  }

private:
  Quad(APFloat value) : value(std::move(value)) {}
  APFloat value;
};

const llvm::StringRef piDigits = "3.14159265358979323846264338327950288419717";
const llvm::StringRef ln2Digits =
    "0.693147180559945309417232121458176568075500";

/// x = 2^e m with m in [1, 2), and log(m) = 2 atanh((m - 1) / (m + 1)).
Quad logarithm(const Quad &x) {
  int exponent = x.exponent();
  Quad m = x.scaled(-exponent);
  Quad t = (m - 1.0) / (m + 1.0);
  Quad square = t * t, power = t, sum = t;
  // |t| <= 1/3: 40 terms reach 3^-80 < 2^-113.
  for (int k = 1; k <= 40; ++k) {
    power = power * square;
    sum = sum + power / Quad(2.0 * k + 1.0);
  }
  return Quad(exponent) * Quad(ln2Digits) + sum + sum;
}

/// exp(x) = 2^n exp(r) with |r| <= ln(2) / 2, by Taylor's series.
Quad exponential(const Quad &x) {
  Quad n = (x / Quad(ln2Digits)).rounded(APFloat::rmNearestTiesToEven);
  Quad r = x - n * Quad(ln2Digits);
  Quad term = 1.0, sum = 1.0;
  for (int k = 1; k <= 32; ++k) {
    term = term * r / Quad(k);
    sum = sum + term;
  }
  return sum.scaled(static_cast<int>(n.toInteger()));
}

Quad clampToUnit(const Quad &x) {
  if (x < 0.0)
    return 0.0;
  return Quad(1.0) < x ? Quad(1.0) : x;
}

/// The blend of f and f / factor: how much of the latter pair `index` gets.
class Yarn {
public:
  Yarn(ArrayRef<double> constants, int64_t dim, const Quad &logBase)
      : first(0.0), last(0.0) {
    Quad original = constants[1];
    auto pairOf = [&](double rotations) {
      Quad turns = original / (Quad(2.0) * Quad(piDigits) * Quad(rotations));
      return Quad(double(dim)) * logarithm(turns) / (Quad(2.0) * logBase);
    };
    first = pairOf(constants[2]).rounded(APFloat::rmTowardNegative);
    if (first < 0.0)
      first = 0.0;
    last = pairOf(constants[3]).rounded(APFloat::rmTowardPositive);
    if (Quad(double(dim - 1)) < last)
      last = double(dim - 1);
    if (first == last)
      last = last + 0.001;
  }
  Quad interpolated(int64_t index) const {
    return clampToUnit((Quad(double(index)) - first) / (last - first));
  }

private:
  Quad first, last;
};

Quad scaleLlama3(const Quad &f, ArrayRef<double> constants) {
  Quad factor = constants[0], low = constants[1], high = constants[2],
       original = constants[3];
  Quad waveLength = Quad(2.0) * Quad(piDigits) / f;
  if (waveLength < original / high)
    return f;
  if (original / low < waveLength)
    return f / factor;
  Quad smooth = (original / waveLength - low) / (high - low);
  return (Quad(1.0) - smooth) * f / factor + smooth * f;
}

} // namespace

SmallVector<uint64_t> computeTurnsPerPosition(RopeOp op) {
  int64_t dim = op.getRotatedDim();
  Quad logBase = logarithm(Quad(op.getBase().convertToDouble()));
  RopeScalingKind kind = RopeScalingKind::None;
  ArrayRef<double> constants;
  if (std::optional<RopeScalingAttr> scaling = op.getScaling()) {
    kind = scaling->getKind();
    constants = scaling->getConstants().asArrayRef();
  }
  std::optional<Yarn> yarn;
  if (kind == RopeScalingKind::Yarn)
    yarn.emplace(constants, dim, logBase);

  SmallVector<uint64_t> turns;
  for (int64_t i = 0; i < dim / 2; ++i) {
    Quad f = exponential(Quad(-2.0 * double(i)) / Quad(double(dim)) * logBase);
    if (kind == RopeScalingKind::Linear) {
      f = f / Quad(constants[0]);
    } else if (kind == RopeScalingKind::Llama3) {
      f = scaleLlama3(f, constants);
    } else if (yarn) {
      Quad r = yarn->interpolated(i);
      f = (Quad(1.0) - r) * f + r * f / Quad(constants[0]);
    }
    Quad perTurn = f / (Quad(2.0) * Quad(piDigits));
    turns.push_back(perTurn.scaled(64).toWrappedInteger());
  }
  return turns;
}

double attentionFactor(RopeOp op) {
  std::optional<RopeScalingAttr> scaling = op.getScaling();
  if (!scaling || scaling->getKind() != RopeScalingKind::Yarn)
    return 1.0;
  return scaling->getConstants().asArrayRef()[4];
}

} // namespace aikernel::tolinalg
