//===- Position.c - Reference of rope -------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rotates pairs of features by an angle proportional to the position, computed
// in f64 (independent of the fixed-point turns of compiled code). With
// f_i = base^(-2i/dim) for pair i, the scalings are those of the Hugging Face
// models:
//
//   linear  f / factor
//   llama3  with wavelength w = 2 pi / f, L = original_max_position:
//             w < L / high_freq_factor   f
//             w > L / low_freq_factor    f / factor
//             between                    (1 - s) f / factor + s f,
//             s = (L / w - low_freq_factor) / (high_freq_factor -
//                 low_freq_factor)
//   yarn    with d(n) = dim ln(L / (2 pi n)) / (2 ln base),
//             low = max(floor(d(beta_fast)), 0),
//             high = min(ceil(d(beta_slow)), dim - 1), high + 0.001 if equal,
//             ramp = clamp((i - low) / (high - low), 0, 1):
//             ramp f / factor + (1 - ramp) f,
//           and sine and cosine are multiplied by attention_factor (given as
//           0: 0.1 ln(factor) + 1 for factor > 1, else 1).
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

enum ScalingKind {
  ScalingNone = 0,
  ScalingLinear = 1,
  ScalingLlama3 = 2,
  ScalingYarn = 3
};

static const double twoPi = 0x1.921fb54442d18p+2;

static double llama3Frequency(double frequency, const double *scaling) {
  double factor = scaling[0], lowFactor = scaling[1], highFactor = scaling[2];
  double original = scaling[3];
  double wavelength = twoPi / frequency;
  if (wavelength < original / highFactor)
    return frequency;
  if (wavelength > original / lowFactor)
    return frequency / factor;
  double smooth =
      (original / wavelength - lowFactor) / (highFactor - lowFactor);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

/// The pair that turns `rotations` times over the original context.
static double correctionPair(double rotations, double original, double base,
                             double dim) {
  return dim * log(original / (rotations * twoPi)) / (2 * log(base));
}

static double yarnFrequency(double frequency, double pair, double base,
                            double dim, const double *scaling) {
  double factor = scaling[0], original = scaling[1];
  double low = floor(correctionPair(scaling[2], original, base, dim));
  double high = ceil(correctionPair(scaling[3], original, base, dim));
  low = fmax(low, 0);
  high = fmin(high, dim - 1);
  if (low == high)
    high += 0.001;
  double ramp = fmin(fmax((pair - low) / (high - low), 0), 1);
  return ramp * frequency / factor + (1 - ramp) * frequency;
}

static double frequencyOf(double pair, const double *params) {
  double base = params[0], dim = params[1];
  const double *scaling = params + 5;
  double frequency = pow(base, -2 * pair / dim);
  switch ((int)params[4]) {
  case ScalingLinear:
    return frequency / scaling[0];
  case ScalingLlama3:
    return llama3Frequency(frequency, scaling);
  case ScalingYarn:
    return yarnFrequency(frequency, pair, base, dim, scaling);
  default:
    return frequency;
  }
}

static double attentionFactor(const double *params) {
  const double *scaling = params + 5;
  if ((int)params[4] != ScalingYarn)
    return 1;
  if (scaling[4] != 0)
    return scaling[4];
  return scaling[0] > 1 ? 0.1 * log(scaling[0]) + 1 : 1;
}

/// Two features of one row.
typedef struct Pair {
  int64_t first;
  int64_t second;
} Pair;

/// Turns the two features in every head of one token.
static void rotatePair(const aik_tensor *x, const aik_tensor *y,
                       uint32_t headAxis, int64_t xOffset, int64_t yOffset,
                       Pair features, double cosine, double sine) {
  for (int64_t head = 0; head < x->dims[headAxis]; ++head) {
    int64_t from = xOffset + head * x->strides[headAxis];
    int64_t to = yOffset + head * y->strides[headAxis];
    double a = loadElement(x, from + features.first * x->strides[3]);
    double b = loadElement(x, from + features.second * x->strides[3]);
    storeElement(y, to + features.first * y->strides[3], a * cosine - b * sine);
    storeElement(y, to + features.second * y->strides[3],
                 b * cosine + a * sine);
  }
}

/// [x, pos] -> [y]; {base, dim, style 0 half 1 interleaved, layout 0 bhsd
/// 1 bshd, scaling 0 none 1 linear 2 llama3 3 yarn, p0 ... p4}: linear
/// {factor}, llama3 {factor, low_freq_factor, high_freq_factor,
/// original_max_position}, yarn {factor, original_max_position, beta_fast,
/// beta_slow, attention_factor or 0}
void aik_ref_rope(const aik_tensor *operands, aik_tensor *results,
                  const double *params) {
  const aik_tensor *x = &operands[0], *pos = &operands[1], *y = &results[0];
  int64_t dim = (int64_t)params[1], half = dim / 2;
  int interleaved = params[2] != 0;
  uint32_t headAxis = params[3] != 0 ? 2 : 1;
  uint32_t sequenceAxis = 3 - headAxis;
  double factor = attentionFactor(params);

  // The features past `dim` pass unchanged.
  Rows rows = rowsAlong(x, 3);
  for (int64_t row = 0; row < rows.count; ++row)
    aik_ref_copy_row(x, rowOffset(x, rows, row) + dim * x->strides[3],
                     x->strides[3], y,
                     rowOffset(y, rows, row) + dim * y->strides[3],
                     y->strides[3], rows.length - dim);

  for (int64_t pair = 0; pair < half; ++pair) {
    double frequency = frequencyOf((double)pair, params);
    Pair features = {interleaved ? 2 * pair : pair,
                     interleaved ? 2 * pair + 1 : pair + half};
    for (int64_t batch = 0; batch < x->dims[0]; ++batch) {
      for (int64_t token = 0; token < x->dims[sequenceAxis]; ++token) {
        double position =
            loadElement(pos, batch * pos->strides[0] + token * pos->strides[1]);
        double sine, cosine;
        sincos(position * frequency, &sine, &cosine);
        rotatePair(x, y, headAxis,
                   batch * x->strides[0] + token * x->strides[sequenceAxis],
                   batch * y->strides[0] + token * y->strides[sequenceAxis],
                   features, factor * cosine, factor * sine);
      }
    }
  }
}
