//===- QuantProduct.c - Reference of products with quantized matrices -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are exact; activations are those of x, or 8-bit integers made from
// them in f32 as the contract says. Sums are kept in f64 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Quant.h"

/// How a block of activations became integers.
typedef struct ActivationScale {
  float inverse;    // integers are the rounded products with this
  double scale;     // what an integer stands for
  int halvesToEven; // else away from zero
} ActivationScale;

static int isLong(int kind) { return aik_quant_piece_size(kind) == LongBlock; }

static int isGrouped(int kind) { return kind == QuantI4 || kind == QuantI8; }

static float inverseOf(float d) { return d != 0 ? 1.0f / d : 0.0f; }

/// `largest` is the number of largest magnitude of the block.
static ActivationScale scaleFor(int kind, float largest) {
  ActivationScale result = {0, 0, isLong(kind)};
  if (isLong(kind)) {
    result.inverse = largest != 0 ? -127.0f / largest : 0.0f;
    result.scale = largest != 0 ? (double)(1.0f / result.inverse) : 0.0;
    return result;
  }
  float d = singleMagnitude(largest) / 127.0f;
  result.inverse = inverseOf(d);
  result.scale = isGrouped(kind) ? (double)d : fromHalf(toHalf(d));
  return result;
}

static int activationCode(ActivationScale scale, float x) {
  float product = scale.inverse * x;
  float whole = scale.halvesToEven ? rintf(product) : roundf(product);
  return saturated(whole, -127, 127);
}

static float singleAt(const aik_tensor *tensor, int64_t offset) {
  return (float)loadElement(tensor, offset);
}

/// One row of x and the rows of w that are multiplied with it.
typedef struct Product {
  QuantRows weights;
  const aik_tensor *x;
  int64_t xOffset, xStride, depth;
  int quantizeActivations;
} Product;

static void loadWeightPiece(const Product *p, int64_t row, int64_t index,
                            QuantPiece *piece) {
  const QuantRows *w = &p->weights;
  aik_quant_load_piece(w, row * w->packed->strides[0],
                       isPresent(w->scales) ? row * w->scales->strides[0] : 0,
                       isPresent(w->zeros) ? row * w->zeros->strides[0] : 0,
                       index, piece);
}

/// sums[n] += piece `index` of row first + n times the activations there.
static void addFloatPiece(const Product *p, int64_t index, int64_t first,
                          int64_t count, double *sums) {
  int size = aik_quant_piece_size(p->weights.kind);
  double x[LongBlock];
  QuantPiece piece;
  aik_ref_load_row(p->x, p->xOffset + index * size * p->xStride, p->xStride,
                   size, x);
  for (int64_t n = 0; n < count; ++n) {
    loadWeightPiece(p, first + n, index, &piece);
    for (int i = 0; i < size; ++i)
      sums[n] += pieceValue(&piece, i) * x[i];
  }
}

/// The same with activations of the block that `scale` and `scaledSum` (the f16
/// of the sum of all its activations) belong to.
static void addIntegerPiece(const Product *p, ActivationScale scale,
                            double scaledSum, int64_t index, int64_t first,
                            int64_t count, double *sums) {
  int kind = p->weights.kind, size = aik_quant_piece_size(kind);
  int code[LongBlock];
  QuantPiece piece;
  for (int i = 0; i < size; ++i)
    code[i] = activationCode(
        scale, singleAt(p->x, p->xOffset + (index * size + i) * p->xStride));
  for (int64_t n = 0; n < count; ++n) {
    loadWeightPiece(p, first + n, index, &piece);
    int64_t products = 0, minimums = 0;
    for (int i = 0; i < size; ++i) {
      products += (int64_t)piece.subScale[i] * piece.code[i] * code[i];
      minimums += (int64_t)piece.subMinimum[i] * code[i];
    }
    sums[n] += piece.scale * scale.scale * (double)products;
    if (piece.hasMinimum)
      sums[n] += piece.minimum *
                 (isLong(kind) ? scale.scale * (double)minimums : scaledSum);
  }
}

/// The activations from `start` on that share a scale.
static void addIntegerBlock(const Product *p, int64_t start, int64_t length,
                            int64_t first, int64_t count, double *sums) {
  int kind = p->weights.kind, size = aik_quant_piece_size(kind);
  float largest = 0;
  for (int64_t i = 0; i < length; ++i) {
    float pair[2] = {largest,
                     singleAt(p->x, p->xOffset + (start + i) * p->xStride)};
    largest = largestOf(pair, 2);
  }
  ActivationScale scale = scaleFor(kind, largest);
  int64_t sum = 0;
  for (int64_t i = 0; i < length; ++i)
    sum += activationCode(
        scale, singleAt(p->x, p->xOffset + (start + i) * p->xStride));
  float d = singleMagnitude(largest) / 127.0f;
  double scaledSum = fromHalf(toHalf((float)sum * d));
  for (int64_t i = 0; i < length; i += size)
    addIntegerPiece(p, scale, scaledSum, (start + i) / size, first, count,
                    sums);
}

static void multiplyRow(const Product *p, int64_t first, int64_t count,
                        double *sums) {
  int kind = p->weights.kind, size = aik_quant_piece_size(kind);
  for (int64_t n = 0; n < count; ++n)
    sums[n] = 0;
  int64_t block = isGrouped(kind) ? p->weights.group : size;
  for (int64_t k = 0; k < p->depth; k += p->quantizeActivations ? block : size)
    if (p->quantizeActivations)
      addIntegerBlock(p, k, block, first, count, sums);
    else
      addFloatPiece(p, k / size, first, count, sums);
}

/// [x, w, scales?, zeros?] -> [y]; {format, group, activations: 0 f32, 1 q8}
void aik_ref_quant_matmul(const aik_tensor *operands, aik_tensor *results,
                          const double *params) {
  const aik_tensor *x = &operands[0], *y = &results[0];
  Rows rows = rowsAlong(y, lastAxis(y));
  double sums[ChunkSize];
  for (int64_t row = 0; row < rows.count; ++row) {
    Product product = {{(int)params[0], (int64_t)params[1], &operands[1],
                        &operands[2], &operands[3]},
                       x,
                       rowOffset(x, rows, row),
                       rowStride(x, rows),
                       x->dims[x->rank - 1],
                       params[2] != 0};
    int64_t offset = rowOffset(y, rows, row), stride = rowStride(y, rows);
    for (int64_t n = 0; n < rows.length; n += ChunkSize) {
      int64_t count = smaller(ChunkSize, rows.length - n);
      multiplyRow(&product, n, count, sums);
      aik_ref_store_row(y, offset + n * stride, stride, count, sums);
    }
  }
}

/// As quant_matmul, for a vector x.
void aik_ref_quant_gemv(const aik_tensor *operands, aik_tensor *results,
                        const double *params) {
  aik_ref_quant_matmul(operands, results, params);
}

/// Element i of a vector, or its only one.
static double pickElement(const aik_tensor *tensor, int64_t i, double absent) {
  if (!isPresent(tensor))
    return absent;
  return loadElement(tensor, tensor->dims[0] == 1 ? 0 : i * tensor->strides[0]);
}

/// [a, b, scale_a, scale_b, zero_a?, zero_b?] -> [y]; {transpose_b}
void aik_ref_int8_matmul(const aik_tensor *operands, aik_tensor *results,
                         const double *params) {
  const aik_tensor *a = &operands[0], *b = &operands[1], *y = &results[0];
  int inner = params[0] != 0;
  for (int64_t m = 0; m < y->dims[0]; ++m) {
    for (int64_t n = 0; n < y->dims[1]; ++n) {
      int zeroA = (int)pickElement(&operands[4], m, 0);
      int zeroB = (int)pickElement(&operands[5], n, 0);
      uint32_t sum = 0; // wraps around as the contract says
      for (int64_t k = 0; k < a->dims[1]; ++k) {
        int left =
            ((const int8_t *)a->data)[m * a->strides[0] + k * a->strides[1]];
        int right =
            ((const int8_t *)
                 b->data)[k * b->strides[inner] + n * b->strides[1 - inner]];
        sum += (uint32_t)((left - zeroA) * (right - zeroB));
      }
      storeElement(y, m * y->strides[0] + n * y->strides[1],
                   (double)(int32_t)sum * pickElement(&operands[2], m, 1) *
                       pickElement(&operands[3], n, 1));
    }
  }
}
