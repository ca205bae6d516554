//===- Quantize.c - quantize, for the reference and for kernels -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: rows of floats. Out: packed blocks, or integers with scales and zero
// points. Arithmetic is f32, in the order that GGUF's reference quantizers
// have, so that the bits are theirs. Kernels call this too: packing weights is
// not a hot path, and a search is clearer in C. What checks it is the oracle.
//
//===----------------------------------------------------------------------===//

#include "Quant.h"

/// Processors differ in the NaN that they compute; here it is always the same.
static void storeHalf(uint8_t *bytes, float x) {
  uint16_t half = isNaN(x) ? 0x7e00 : toHalf(x);
  bytes[0] = (uint8_t)half;
  bytes[1] = (uint8_t)(half >> 8);
}

static float inverseOf(float d) { return d != 0 ? 1.0f / d : 0.0f; }

/// NaN if there is any.
static float leastOf(const float *x, int64_t count, float start) {
  float least = start;
  for (int64_t i = 0; i < count; ++i)
    if (x[i] < least || isNaN(x[i]))
      least = x[i];
  return least;
}
static float mostOf(const float *x, int64_t count, float start) {
  float most = start;
  for (int64_t i = 0; i < count; ++i)
    if (x[i] > most || isNaN(x[i]))
      most = x[i];
  return most;
}

static void packNibbles(const int *codes, uint8_t *qs) {
  for (int j = 0; j < 16; ++j)
    qs[j] = (uint8_t)((codes[j] & 15) | (codes[j + 16] & 15) << 4);
}

static void packFifthBits(const int *codes, uint8_t *qh) {
  for (int i = 0; i < 4; ++i)
    qh[i] = 0;
  for (int j = 0; j < 32; ++j)
    qh[j / 8] |= (uint8_t)((codes[j] >> 4) << (j % 8));
}

/// Codes around `middle`; the number of largest magnitude becomes code 0.
static void quantizeAround(const float *x, int middle, uint8_t *block,
                           int *codes) {
  float d = largestOf(x, 32) / (float)-middle;
  float inverse = inverseOf(d);
  for (int i = 0; i < 32; ++i)
    codes[i] =
        saturated(x[i] * inverse + ((float)middle + 0.5f), 0, 2 * middle - 1);
  storeHalf(block, d);
}

/// Codes from the least number, 0, to the largest, `top`.
static void quantizeBetween(const float *x, int top, uint8_t *block,
                            int *codes) {
  float least = leastOf(x, 32, x[0]);
  float d = (mostOf(x, 32, x[0]) - least) / (float)top;
  float inverse = inverseOf(d);
  for (int i = 0; i < 32; ++i)
    codes[i] = saturated((x[i] - least) * inverse + 0.5f, 0, top);
  storeHalf(block, d);
  storeHalf(block + 2, least);
}

static void quantizeQ8_0(const float *x, uint8_t *block) {
  float d = singleMagnitude(largestOf(x, 32)) / 127.0f;
  float inverse = inverseOf(d);
  for (int i = 0; i < 32; ++i)
    block[2 + i] = (uint8_t)saturated(roundf(x[i] * inverse), -127, 127);
  storeHalf(block, d);
}

static void quantizeMXFP4(const float *given, uint8_t *block) {
  static const int8_t values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                    0, -1, -2, -3, -4, -6, -8, -12};
  const float top = 0x1.fffffep127f;
  float x[32];
  for (int i = 0; i < 32; ++i)
    x[i] = isNaN(given[i])   ? 0.0f
           : given[i] > top  ? top
           : given[i] < -top ? -top
                             : given[i];
  float largest = singleMagnitude(largestOf(x, 32));
  int exponent = largest > 0 ? exponentOf((double)largest) - 2 + 127 : 0;
  block[0] = (uint8_t)(exponent < 0 ? 0 : exponent);
  float scale = (float)powerOfTwo(block[0] - 128);
  int codes[32];
  for (int i = 0; i < 32; ++i) {
    codes[i] = 0;
    float best = singleMagnitude(x[i]);
    for (int code = 1; code < 16; ++code) {
      float error = singleMagnitude((float)values[code] * scale - x[i]);
      if (error < best) {
        best = error;
        codes[i] = code;
      }
    }
  }
  packNibbles(codes, block + 1);
}

static void quantizeBlock(int kind, const float *x, uint8_t *block) {
  int codes[32];
  switch (kind) {
  case QuantQ4_0:
    quantizeAround(x, 8, block, codes);
    packNibbles(codes, block + 2);
    break;
  case QuantQ4_1:
    quantizeBetween(x, 15, block, codes);
    packNibbles(codes, block + 4);
    break;
  case QuantQ5_0:
    quantizeAround(x, 16, block, codes);
    packNibbles(codes, block + 6);
    packFifthBits(codes, block + 2);
    break;
  case QuantQ5_1:
    quantizeBetween(x, 31, block, codes);
    packNibbles(codes, block + 8);
    packFifthBits(codes, block + 4);
    break;
  case QuantQ8_0:
    quantizeQ8_0(x, block);
    break;
  case QuantMXFP4:
    quantizeMXFP4(x, block);
    break;
  default:
    aik_quantize_long_block(kind, x, block);
  }
}

/// Scale, inverse and zero point of a group of which the extremes are known.
typedef struct GroupScale {
  float scale, inverse;
  int zero, least, most;
} GroupScale;

static GroupScale scaleGroup(int kind, float least, float most, float largest,
                             int hasZero) {
  int low = kind == QuantI4 ? -8 : -128, high = -low - 1;
  GroupScale result = {0, 0, 0, low, high};
  if (!hasZero) {
    result.scale =
        kind == QuantI4 ? largest / -8.0f : singleMagnitude(largest) / 127.0f;
    if (kind == QuantI8)
      result.least = -127;
    result.inverse = inverseOf(result.scale);
    return result;
  }
  result.scale = (most - least) / (float)(high - low);
  result.inverse = inverseOf(result.scale);
  result.zero =
      saturated(roundf(-least * result.inverse) + (float)low, low, high);
  return result;
}

static int groupCode(GroupScale scale, float x) {
  return saturated(roundf(x * scale.inverse) + (float)scale.zero, scale.least,
                   scale.most);
}

/// One group: the integers go to `packed` from byte `offset` on.
static GroupScale quantizeGroup(int kind, const aik_tensor *x, int64_t xOffset,
                                int64_t xStride, int64_t group, int hasZero,
                                const aik_tensor *packed, int64_t offset,
                                int64_t stride) {
  float least = 0, most = 0, largest = 0;
  for (int64_t i = 0; i < group; ++i) {
    float value = (float)loadElement(x, xOffset + i * xStride);
    float pair[2] = {largest, value};
    largest = largestOf(pair, 2);
    least = leastOf(&value, 1, least);
    most = mostOf(&value, 1, most);
  }
  if (isNaN(largest))
    least = most = largest;
  GroupScale scale = scaleGroup(kind, least, most, largest, hasZero);
  uint8_t *bytes = (uint8_t *)packed->data;
  for (int64_t i = 0; i < group; ++i) {
    int code = groupCode(scale, (float)loadElement(x, xOffset + i * xStride));
    if (kind == QuantI8)
      bytes[offset + i * stride] = (uint8_t)code;
    else if (i % 2 == 0)
      bytes[offset + i / 2 * stride] = (uint8_t)(code & 15);
    else
      bytes[offset + i / 2 * stride] |= (uint8_t)((code & 15) << 4);
  }
  return scale;
}

static void quantizeGroups(int kind, int64_t group, const aik_tensor *x,
                           aik_tensor *results) {
  const aik_tensor *packed = &results[0], *scales = &results[1],
                   *zeros = &results[2];
  Rows rows = rowsAlong(x, lastAxis(x));
  int64_t groupBytes = kind == QuantI4 ? group / 2 : group;
  int hasZero = isPresent(zeros);
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t from = rowOffset(x, rows, row), step = rowStride(x, rows);
    int64_t to = rowOffset(packed, rows, row);
    int64_t stride = rowStride(packed, rows);
    for (int64_t g = 0; g < rows.length / group; ++g) {
      GroupScale scale =
          quantizeGroup(kind, x, from + g * group * step, step, group, hasZero,
                        packed, to + g * groupBytes * stride, stride);
      storeElement(scales,
                   rowOffset(scales, rows, row) + g * rowStride(scales, rows),
                   (double)scale.scale);
      if (hasZero)
        storeElement(zeros,
                     rowOffset(zeros, rows, row) + g * rowStride(zeros, rows),
                     scale.zero);
    }
  }
}

/// [x] -> [q, scales?, zeros?]; {format, group}
void aik_ref_quantize(const aik_tensor *operands, aik_tensor *results,
                      const double *params) {
  const aik_tensor *x = &operands[0], *packed = &results[0];
  int kind = (int)params[0];
  if (kind == QuantI4 || kind == QuantI8) {
    quantizeGroups(kind, (int64_t)params[1], x, results);
    return;
  }
  int size = aik_quant_piece_size(kind), count = aik_quant_piece_bytes(kind);
  Rows rows = rowsAlong(x, lastAxis(x));
  int64_t step = rowStride(x, rows), stride = rowStride(packed, rows);
  double values[LongBlock];
  float block[LongBlock];
  uint8_t bytes[LongBlockBytes];
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t from = rowOffset(x, rows, row), to = rowOffset(packed, rows, row);
    for (int64_t index = 0; index < rows.length / size; ++index) {
      aik_ref_load_row(x, from + index * size * step, step, size, values);
      for (int i = 0; i < size; ++i)
        block[i] = (float)values[i];
      quantizeBlock(kind, block, bytes);
      for (int i = 0; i < count; ++i)
        ((uint8_t *)packed->data)[to + (index * count + i) * stride] = bytes[i];
    }
  }
}
