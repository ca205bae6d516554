//===- Quant.h - Quantized rows, as the reference sees them ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the layout of each format, byte by byte, and sharing nothing
// with the descriptions that the compiler generates code from: this is what
// generated code is compared with.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_REFERENCE_QUANT_H
#define AIKERNEL_BUILTINS_REFERENCE_QUANT_H

#include "Reference.h"

#include "../Convert/Narrow.h"

/// The numbers of `format` in the attribute; those of GGUF but for i4 and i8.
enum QuantKind {
  QuantQ4_0 = 2,
  QuantQ4_1 = 3,
  QuantQ5_0 = 6,
  QuantQ5_1 = 7,
  QuantQ8_0 = 8,
  QuantQ4_K = 12,
  QuantQ5_K = 13,
  QuantQ6_K = 14,
  QuantMXFP4 = 39,
  QuantI4 = 104,
  QuantI8 = 108
};

enum { LongBlock = 256, LongBlockBytes = 210, GroupedPiece = 8 };

/// A quantized matrix: packed rows, and for i4 and i8 their scales and
/// optional zero points.
typedef struct QuantRows {
  int kind;
  int64_t group;
  const aik_tensor *packed, *scales, *zeros;
} QuantRows;

/// Some elements of a row: a block, or 8 elements of a group. Element i is
/// scale * subScale[i] * code[i], plus minimum * subMinimum[i] if there is one.
typedef struct QuantPiece {
  double scale, minimum;
  int hasMinimum;
  int subScale[LongBlock], subMinimum[LongBlock], code[LongBlock];
} QuantPiece;

/// Elements per piece, and bytes per piece.
int aik_quant_piece_size(int kind);
int aik_quant_piece_bytes(int kind);

/// Piece number `index` of the row that starts at these offsets.
void aik_quant_load_piece(const QuantRows *rows, int64_t packedOffset,
                          int64_t scalesOffset, int64_t zerosOffset,
                          int64_t index, QuantPiece *piece);

static inline double pieceValue(const QuantPiece *piece, int i) {
  double value = piece->scale * piece->subScale[i] * piece->code[i];
  return piece->hasMinimum ? value + piece->minimum * piece->subMinimum[i]
                           : value;
}

/// A float rounded to f16.
static inline uint16_t toHalf(float x) {
  return (uint16_t)narrow((double)x, halfFormat);
}
static inline double fromHalf(uint32_t bits) { return widen(bits, halfFormat); }

static inline float singleMagnitude(float x) { return (float)magnitude(x); }

/// The number of largest magnitude, the first of equal ones; NaN if there is
/// any.
static inline float largestOf(const float *x, int64_t count) {
  float largest = 0;
  for (int64_t i = 0; i < count; ++i)
    if (singleMagnitude(x[i]) > singleMagnitude(largest) || isNaN(x[i]))
      largest = x[i];
  return largest;
}

/// x as an integer in [least, most]; NaN becomes 0.
static inline int saturated(float x, int least, int most) {
  if (isNaN(x))
    return 0;
  return x<(float)least ? least : x>(float) most ? most : (int)x;
}

/// The bytes of one block of q4_k, q5_k or q6_k.
void aik_quantize_long_block(int kind, const float *x, uint8_t *block);

#endif // AIKERNEL_BUILTINS_REFERENCE_QUANT_H
