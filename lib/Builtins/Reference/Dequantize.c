//===- Dequantize.c - Reference of dequantize -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of each format, written out. All products and sums here are exact
// in f64; the one rounding to f32 is the contract's.
//
//===----------------------------------------------------------------------===//

#include "Quant.h"

static const int8_t doubledE2M1[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                       0, -1, -2, -3, -4, -6, -8, -12};

int aik_quant_piece_size(int kind) {
  switch (kind) {
  case QuantQ4_K:
  case QuantQ5_K:
  case QuantQ6_K:
    return LongBlock;
  case QuantI4:
  case QuantI8:
    return GroupedPiece;
  default:
    return 32;
  }
}

int aik_quant_piece_bytes(int kind) {
  switch (kind) {
  case QuantQ4_0:
    return 18;
  case QuantQ4_1:
    return 20;
  case QuantQ5_0:
    return 22;
  case QuantQ5_1:
    return 24;
  case QuantQ8_0:
    return 34;
  case QuantQ4_K:
    return 144;
  case QuantQ5_K:
    return 176;
  case QuantQ6_K:
    return 210;
  case QuantMXFP4:
    return 17;
  case QuantI4:
    return GroupedPiece / 2;
  default:
    return GroupedPiece;
  }
}

static double halfAt(const uint8_t *bytes) {
  return fromHalf((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8);
}

/// Blocks of 32 with 16 bytes of nibbles: the low ones are the first half.
static void loadNibbles(const uint8_t *qs, QuantPiece *piece) {
  for (int j = 0; j < 16; ++j) {
    piece->code[j] = qs[j] & 15;
    piece->code[j + 16] = qs[j] >> 4;
  }
}

/// Adds 16 where the bit of qh is set.
static void loadFifthBits(const uint8_t *qh, QuantPiece *piece) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i)
    bits |= (uint32_t)qh[i] << (8 * i);
  for (int j = 0; j < 32; ++j)
    piece->code[j] += 16 * (int)((bits >> j) & 1);
}

static void shiftCodes(QuantPiece *piece, int count, int offset) {
  for (int i = 0; i < count; ++i)
    piece->code[i] -= offset;
}

/// The 6-bit scales and minimums of q4_k and q5_k.
static void loadPackedScales(const uint8_t *s, QuantPiece *piece) {
  for (int j = 0; j < 8; ++j) {
    int scale, minimum;
    if (j < 4) {
      scale = s[j] & 63;
      minimum = s[j + 4] & 63;
    } else {
      scale = (s[j + 4] & 15) | ((s[j - 4] >> 6) << 4);
      minimum = (s[j + 4] >> 4) | ((s[j] >> 6) << 4);
    }
    for (int i = 0; i < 32; ++i) {
      piece->subScale[32 * j + i] = scale;
      piece->subMinimum[32 * j + i] = minimum;
    }
  }
}

static void loadQ45K(int kind, const uint8_t *block, QuantPiece *piece) {
  piece->scale = halfAt(block);
  piece->minimum = -halfAt(block + 2);
  piece->hasMinimum = 1;
  loadPackedScales(block + 4, piece);
  const uint8_t *qh = block + 16;
  const uint8_t *qs = block + (kind == QuantQ5_K ? 48 : 16);
  for (int p = 0; p < 4; ++p) {
    for (int l = 0; l < 32; ++l) {
      int low = qs[32 * p + l] & 15, high = qs[32 * p + l] >> 4;
      if (kind == QuantQ5_K) {
        low += 16 * ((qh[l] >> (2 * p)) & 1);
        high += 16 * ((qh[l] >> (2 * p + 1)) & 1);
      }
      piece->code[64 * p + l] = low;
      piece->code[64 * p + 32 + l] = high;
    }
  }
}

static void loadQ6K(const uint8_t *block, QuantPiece *piece) {
  const uint8_t *ql = block, *qh = block + 128;
  const int8_t *scales = (const int8_t *)(block + 192);
  piece->scale = halfAt(block + 208);
  for (int n = 0; n < 2; ++n) {
    for (int l = 0; l < 32; ++l) {
      int a = ql[64 * n + l], b = ql[64 * n + 32 + l], h = qh[32 * n + l];
      int *code = &piece->code[128 * n + l];
      code[0] = (a & 15) + 16 * (h & 3);
      code[32] = (b & 15) + 16 * ((h >> 2) & 3);
      code[64] = (a >> 4) + 16 * ((h >> 4) & 3);
      code[96] = (b >> 4) + 16 * ((h >> 6) & 3);
    }
  }
  for (int i = 0; i < LongBlock; ++i) {
    piece->subScale[i] = scales[i / 16];
    piece->code[i] -= 32;
  }
}

static void loadBlock(int kind, const uint8_t *block, QuantPiece *piece) {
  switch (kind) {
  case QuantQ4_0:
    loadNibbles(block + 2, piece);
    shiftCodes(piece, 32, 8);
    break;
  case QuantQ4_1:
    loadNibbles(block + 4, piece);
    break;
  case QuantQ5_0:
    loadNibbles(block + 6, piece);
    loadFifthBits(block + 2, piece);
    shiftCodes(piece, 32, 16);
    break;
  case QuantQ5_1:
    loadNibbles(block + 8, piece);
    loadFifthBits(block + 4, piece);
    break;
  case QuantQ8_0:
    for (int i = 0; i < 32; ++i)
      piece->code[i] = (int8_t)block[2 + i];
    break;
  case QuantQ4_K:
  case QuantQ5_K:
    loadQ45K(kind, block, piece);
    return;
  case QuantQ6_K:
    loadQ6K(block, piece);
    return;
  case QuantMXFP4:
    loadNibbles(block + 1, piece);
    for (int i = 0; i < 32; ++i)
      piece->code[i] = doubledE2M1[piece->code[i]];
    piece->scale = powerOfTwo((int)block[0] - 128);
    return;
  }
  piece->scale = halfAt(block);
  if (kind == QuantQ4_1 || kind == QuantQ5_1) {
    piece->minimum = halfAt(block + 2);
    piece->hasMinimum = 1;
  }
}

static void loadGroupedPiece(const QuantRows *rows, const uint8_t *bytes,
                             int64_t scalesOffset, int64_t zerosOffset,
                             int64_t index, QuantPiece *piece) {
  int64_t group = index * GroupedPiece / rows->group;
  const aik_tensor *scales = rows->scales, *zeros = rows->zeros;
  uint32_t last = scales->rank - 1;
  piece->scale =
      loadElement(scales, scalesOffset + group * scales->strides[last]);
  int zero = 0;
  if (isPresent(zeros))
    zero = (int)loadElement(zeros, zerosOffset + group * zeros->strides[last]);
  for (int i = 0; i < GroupedPiece; ++i) {
    int code = (int8_t)bytes[i];
    if (rows->kind == QuantI4) {
      code = (bytes[i / 2] >> (4 * (i % 2))) & 15;
      code = code >= 8 ? code - 16 : code;
    }
    piece->code[i] = code - zero;
  }
}

void aik_quant_load_piece(const QuantRows *rows, int64_t packedOffset,
                          int64_t scalesOffset, int64_t zerosOffset,
                          int64_t index, QuantPiece *piece) {
  uint8_t bytes[LongBlockBytes];
  int count = aik_quant_piece_bytes(rows->kind);
  const aik_tensor *packed = rows->packed;
  int64_t stride = packed->strides[packed->rank - 1];
  for (int i = 0; i < count; ++i)
    bytes[i] = ((const uint8_t *)
                    packed->data)[packedOffset + (index * count + i) * stride];
  piece->minimum = 0;
  piece->hasMinimum = 0;
  for (int i = 0; i < LongBlock; ++i) {
    piece->subScale[i] = 1;
    piece->subMinimum[i] = 1;
  }
  if (rows->kind == QuantI4 || rows->kind == QuantI8)
    loadGroupedPiece(rows, bytes, scalesOffset, zerosOffset, index, piece);
  else
    loadBlock(rows->kind, bytes, piece);
}

/// [q, scales?, zeros?] -> [x]; {format, group}
void aik_ref_dequantize(const aik_tensor *operands, aik_tensor *results,
                        const double *params) {
  QuantRows quantized = {(int)params[0], (int64_t)params[1], &operands[0],
                         &operands[1], &operands[2]};
  const aik_tensor *x = &results[0];
  uint32_t axis = lastAxis(x);
  Rows rows = rowsAlong(x, axis);
  int size = aik_quant_piece_size(quantized.kind);
  double values[LongBlock];
  QuantPiece piece;
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t offset = rowOffset(x, rows, row), stride = rowStride(x, rows);
    int64_t from = rowOffset(&operands[0], rows, row);
    int64_t scales =
        isPresent(&operands[1]) ? rowOffset(&operands[1], rows, row) : 0;
    int64_t zeros =
        isPresent(&operands[2]) ? rowOffset(&operands[2], rows, row) : 0;
    for (int64_t index = 0; index < rows.length / size; ++index) {
      aik_quant_load_piece(&quantized, from, scales, zeros, index, &piece);
      for (int i = 0; i < size; ++i) {
        double value = pieceValue(&piece, i);
        values[i] = x->dtype == AIK_F64 ? value : (double)(float)value;
      }
      aik_ref_store_row(x, offset + index * size * stride, stride, size,
                        values);
    }
  }
}
