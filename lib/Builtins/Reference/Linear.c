//===- Linear.c - Reference of matmul and linear --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each result element is a sum over k, in order, in f64; rounded once after
// bias and activation.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

/// A matrix inside a tensor.
typedef struct Matrix {
  const aik_tensor *tensor;
  int64_t offset;
  int64_t rowStride;
  int64_t columnStride;
} Matrix;

static Matrix transposed(Matrix m, int really) {
  if (!really)
    return m;
  return (Matrix){m.tensor, m.offset, m.columnStride, m.rowStride};
}

/// sums[n] = sum over k of a[row, k] b[k, firstColumn + n], n < count.
static void multiplyRow(Matrix a, Matrix b, int64_t row, int64_t depth,
                        int64_t firstColumn, int64_t count, double *sums) {
  double bRow[ChunkSize];
  for (int64_t n = 0; n < count; ++n)
    sums[n] = 0;
  for (int64_t k = 0; k < depth; ++k) {
    double factor = loadElement(a.tensor, a.offset + row * a.rowStride +
                                              k * a.columnStride);
    aik_ref_load_row(b.tensor,
                     b.offset + k * b.rowStride + firstColumn * b.columnStride,
                     b.columnStride, count, bRow);
    for (int64_t n = 0; n < count; ++n)
      sums[n] += factor * bRow[n];
  }
}

/// The matrix of the last two dimensions in batch `index` of the result's
/// batch dimensions; a dimension of 1, or an absent one, is repeated.
static Matrix matrixInBatch(const aik_tensor *tensor, const aik_tensor *result,
                            int64_t index) {
  uint32_t rank = tensor->rank;
  Matrix m = {tensor, 0, tensor->strides[rank - 2], tensor->strides[rank - 1]};
  int axis = (int)rank - 3;
  for (int i = (int)result->rank - 3; i >= 0; --i, --axis) {
    int64_t position = index % result->dims[i];
    index /= result->dims[i];
    if (axis >= 0 && tensor->dims[axis] != 1)
      m.offset += position * tensor->strides[axis];
  }
  return m;
}

/// [a, b] -> [c]; {transpose_a, transpose_b}
void aik_ref_matmul(const aik_tensor *operands, aik_tensor *results,
                    const double *params) {
  const aik_tensor *c = &results[0];
  int64_t batches = countOf(c, c->rank - 2);
  int64_t height = c->dims[c->rank - 2], width = c->dims[c->rank - 1];
  int transposeA = params[0] != 0, transposeB = params[1] != 0;
  int64_t depth = operands[0].dims[operands[0].rank - (transposeA ? 2 : 1)];
  double sums[ChunkSize];
  for (int64_t batch = 0; batch < batches; ++batch) {
    Matrix a = transposed(matrixInBatch(&operands[0], c, batch), transposeA);
    Matrix b = transposed(matrixInBatch(&operands[1], c, batch), transposeB);
    Matrix out = matrixInBatch(c, c, batch);
    for (int64_t row = 0; row < height; ++row) {
      for (int64_t column = 0; column < width; column += ChunkSize) {
        int64_t count = smaller(ChunkSize, width - column);
        multiplyRow(a, b, row, depth, column, count, sums);
        aik_ref_store_row(
            c, out.offset + row * out.rowStride + column * out.columnStride,
            out.columnStride, count, sums);
      }
    }
  }
}

/// [x, w, bias?] -> [y];
/// {activation: 0 none, 1 relu, 2 gelu, 3 gelu_tanh, 4 silu; transpose_b}
void aik_ref_linear(const aik_tensor *operands, aik_tensor *results,
                    const double *params) {
  const aik_tensor *x = &operands[0], *w = &operands[1], *bias = &operands[2];
  const aik_tensor *y = &results[0];
  Rows rows = rowsAlong(y, lastAxis(y));
  int64_t depth = x->dims[x->rank - 1];
  Matrix weights =
      transposed((Matrix){w, 0, w->strides[0], w->strides[1]}, params[1] != 0);
  double sums[ChunkSize], offsets[ChunkSize];
  for (int64_t row = 0; row < rows.count; ++row) {
    Matrix line = {x, rowOffset(x, rows, row), 0, rowStride(x, rows)};
    int64_t yOffset = rowOffset(y, rows, row), yStride = rowStride(y, rows);
    for (int64_t column = 0; column < rows.length; column += ChunkSize) {
      int64_t count = smaller(ChunkSize, rows.length - column);
      multiplyRow(line, weights, 0, depth, column, count, sums);
      if (isPresent(bias)) {
        aik_ref_load_row(bias, column * bias->strides[0], bias->strides[0],
                         count, offsets);
        for (int64_t n = 0; n < count; ++n)
          sums[n] += offsets[n];
      }
      for (int64_t n = 0; n < count; ++n)
        sums[n] = aik_ref_activate((int)params[0], sums[n]);
      aik_ref_store_row(y, yOffset + column * yStride, yStride, count, sums);
    }
  }
}
