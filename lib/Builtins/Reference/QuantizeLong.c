//===- QuantizeLong.c - Searches for the scales of q4_k, q5_k, q6_k -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: 256 floats. Out: the bytes of a block. Per sub-block, some ways to round
// are tried; each gives the scale (and minimum) of least squared error for its
// codes, and the best one stays. The scales are then rounded to their own few
// bits, where neighbours are tried again, and the codes are rounded for what
// the scales have become.
//
//===----------------------------------------------------------------------===//

#include "Quant.h"

enum { Trials = 21 };

/// The integer nearest to x in [least, most]; `least` for NaN.
static int clamped(double x, int least, int most) {
  x = x >= least ? x : least;
  x = x <= most ? x : most;
  return (int)nearestInteger(x);
}

/// x rounded to f16, the largest finite number if it is beyond.
static uint16_t finiteHalf(double x) {
  uint32_t bits = narrow(x, halfFormat);
  return (uint16_t)((bits & 0x7fff) >= 0x7c00 ? (bits & 0x8000) | 0x7bff
                                              : bits);
}

static void storeHalfBits(uint8_t *bytes, uint16_t half) {
  bytes[0] = (uint8_t)half;
  bytes[1] = (uint8_t)(half >> 8);
}

//===----------------------------------------------------------------------===//
// q4_k and q5_k: scale * code - minimum
//===----------------------------------------------------------------------===//

/// A sub-block's approximation x = scale * code - minimum; both at least 0.
typedef struct Line {
  double scale, minimum;
} Line;

/// The squared error when codes are rounded for this line.
static double errorOfLine(const float *x, int top, Line line) {
  double inverse = line.scale > 0 ? 1 / line.scale : 0, error = 0;
  for (int i = 0; i < 32; ++i) {
    int code = clamped((x[i] + line.minimum) * inverse, 0, top);
    double miss = line.scale * code - line.minimum - x[i];
    error += miss * miss;
  }
  return error;
}

/// The line of least squares through the codes that `inverse` gives.
static Line fitLine(const float *x, int top, double least, double inverse) {
  double n = 32, q = 0, qq = 0, s = 0, qs = 0;
  for (int i = 0; i < 32; ++i) {
    int code = clamped((x[i] - least) * inverse, 0, top);
    q += code;
    qq += (double)code * code;
    s += x[i];
    qs += (double)code * x[i];
  }
  double determinant = n * qq - q * q;
  if (determinant <= 0)
    return (Line){0, least < 0 ? -least : 0};
  Line line = {(n * qs - q * s) / determinant, (q * qs - qq * s) / determinant};
  if (line.minimum < 0) // the line goes through the origin instead
    line = (Line){qs / qq, 0};
  if (line.scale < 0)
    line.scale = 0;
  return line;
}

static Line searchLine(const float *x, int top) {
  double least = 0, most = x[0];
  for (int i = 0; i < 32; ++i) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  if (most <= least)
    return (Line){0, -least};
  Line best = {(most - least) / top, -least};
  double bestError = errorOfLine(x, top, best);
  for (int trial = 0; trial < Trials; ++trial) {
    double steps = top - 1.0 + 0.1 * trial;
    Line line = fitLine(x, top, least, steps / (most - least));
    double error = errorOfLine(x, top, line);
    if (error < bestError) {
      bestError = error;
      best = line;
    }
  }
  return best;
}

/// The 6-bit scale and minimum whose line has the least error, near `line`.
static void roundLine(const float *x, int top, Line line, double d, double dmin,
                      int *scale, int *minimum) {
  int s = clamped(d > 0 ? line.scale / d : 0, 0, 63);
  int m = clamped(dmin > 0 ? line.minimum / dmin : 0, 0, 63);
  double best = -1;
  for (int ds = -1; ds <= 1; ++ds) {
    for (int dm = -1; dm <= 1; ++dm) {
      int triedScale = clamped(s + ds, 0, 63),
          triedMinimum = clamped(m + dm, 0, 63);
      double error =
          errorOfLine(x, top, (Line){d * triedScale, dmin * triedMinimum});
      if (best < 0 || error < best) {
        best = error;
        *scale = triedScale;
        *minimum = triedMinimum;
      }
    }
  }
}

static void packScales(const int *scales, const int *minimums, uint8_t *s) {
  for (int j = 0; j < 4; ++j) {
    s[j] = (uint8_t)(scales[j] | (scales[j + 4] >> 4) << 6);
    s[j + 4] = (uint8_t)(minimums[j] | (minimums[j + 4] >> 4) << 6);
    s[j + 8] = (uint8_t)((scales[j + 4] & 15) | (minimums[j + 4] & 15) << 4);
  }
}

static void quantizeLines(int kind, const float *x, uint8_t *block) {
  int top = kind == QuantQ5_K ? 31 : 15;
  Line lines[8];
  double mostScale = 0, mostMinimum = 0;
  for (int j = 0; j < 8; ++j) {
    lines[j] = searchLine(x + 32 * j, top);
    mostScale = lines[j].scale > mostScale ? lines[j].scale : mostScale;
    mostMinimum =
        lines[j].minimum > mostMinimum ? lines[j].minimum : mostMinimum;
  }
  uint16_t halfScale = finiteHalf(mostScale / 63);
  uint16_t halfMinimum = finiteHalf(mostMinimum / 63);
  storeHalfBits(block, halfScale);
  storeHalfBits(block + 2, halfMinimum);
  double d = fromHalf(halfScale), dmin = fromHalf(halfMinimum);

  int scales[8], minimums[8], codes[LongBlock];
  for (int j = 0; j < 8; ++j) {
    roundLine(x + 32 * j, top, lines[j], d, dmin, &scales[j], &minimums[j]);
    double step = d * scales[j], shift = dmin * minimums[j];
    for (int i = 32 * j; i < 32 * j + 32; ++i)
      codes[i] = step > 0 ? clamped((x[i] + shift) * (1 / step), 0, top) : 0;
  }
  packScales(scales, minimums, block + 4);
  uint8_t *qh = block + 16, *qs = block + (kind == QuantQ5_K ? 48 : 16);
  for (int l = 0; l < 32; ++l) {
    if (kind == QuantQ5_K)
      qh[l] = 0;
    for (int p = 0; p < 4; ++p) {
      int low = codes[64 * p + l], high = codes[64 * p + 32 + l];
      qs[32 * p + l] = (uint8_t)((low & 15) | (high & 15) << 4);
      if (kind == QuantQ5_K)
        qh[l] |= (uint8_t)((low >> 4) << (2 * p) | (high >> 4) << (2 * p + 1));
    }
  }
}

//===----------------------------------------------------------------------===//
// q6_k: scale * code, codes from -32 to 31
//===----------------------------------------------------------------------===//

static double errorOfScale(const float *x, double scale) {
  double inverse = scale != 0 ? 1 / scale : 0, error = 0;
  for (int i = 0; i < 16; ++i) {
    double miss = scale * clamped(x[i] * inverse, -32, 31) - x[i];
    error += miss * miss;
  }
  return error;
}

static double searchScale(const float *x) {
  double largest = largestOf(x, 16);
  if (largest == 0)
    return 0;
  double best = largest / -32, bestError = errorOfScale(x, best);
  for (int trial = 0; trial < Trials; ++trial) {
    double inverse = -(31.0 + 0.1 * trial) / largest, qq = 0, qs = 0;
    for (int i = 0; i < 16; ++i) {
      int code = clamped(x[i] * inverse, -32, 31);
      qq += (double)code * code;
      qs += (double)code * x[i];
    }
    double scale = qq > 0 ? qs / qq : 0, error = errorOfScale(x, scale);
    if (error < bestError) {
      bestError = error;
      best = scale;
    }
  }
  return best;
}

static void quantizeQ6K(const float *x, uint8_t *block) {
  double scales[16], most = 0;
  for (int j = 0; j < 16; ++j) {
    scales[j] = searchScale(x + 16 * j);
    most = magnitude(scales[j]) > magnitude(most) ? scales[j] : most;
  }
  uint16_t half = finiteHalf(most / -128);
  storeHalfBits(block + 208, half);
  double d = fromHalf(half);

  int codes[LongBlock];
  for (int j = 0; j < 16; ++j) {
    const float *part = x + 16 * j;
    int near = clamped(d != 0 ? scales[j] / d : 0, -128, 127), chosen = near;
    double best = errorOfScale(part, d * near);
    for (int step = -1; step <= 1; step += 2) {
      int tried = clamped(near + step, -128, 127);
      double error = errorOfScale(part, d * tried);
      if (error < best) {
        best = error;
        chosen = tried;
      }
    }
    block[192 + j] = (uint8_t)chosen;
    double inverse = d * chosen != 0 ? 1 / (d * chosen) : 0;
    for (int i = 0; i < 16; ++i)
      codes[16 * j + i] = clamped(part[i] * inverse, -32, 31) + 32;
  }
  for (int n = 0; n < 2; ++n) {
    for (int l = 0; l < 32; ++l) {
      const int *code = &codes[128 * n + l];
      block[64 * n + l] = (uint8_t)((code[0] & 15) | (code[64] & 15) << 4);
      block[64 * n + 32 + l] =
          (uint8_t)((code[32] & 15) | (code[96] & 15) << 4);
      block[128 + 32 * n + l] =
          (uint8_t)(code[0] >> 4 | (code[32] >> 4) << 2 | (code[64] >> 4) << 4 |
                    (code[96] >> 4) << 6);
    }
  }
}

void aik_quantize_long_block(int kind, const float *x, uint8_t *block) {
  int finite = 1;
  for (int i = 0; i < LongBlock; ++i)
    finite &= isFinite(x[i]);
  if (!finite) { // NaN scales make every element NaN
    int bytes = aik_quant_piece_bytes(kind);
    for (int i = 0; i < bytes; ++i)
      block[i] = 0;
    storeHalfBits(kind == QuantQ6_K ? block + 208 : block, 0x7e00);
  } else if (kind == QuantQ6_K) {
    quantizeQ6K(x, block);
  } else {
    quantizeLines(kind, x, block);
  }
}
