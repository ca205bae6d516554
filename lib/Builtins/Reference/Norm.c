//===- Norm.c - Reference of the normalizations and softmax ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row at a time: the statistics over the whole row first, in f64, then each
// element.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

static double sumOfRow(const aik_tensor *x, Rows rows, int64_t row,
                       double (*term)(double value, double shift),
                       double shift) {
  double values[ChunkSize], sum = 0;
  int64_t offset = rowOffset(x, rows, row), stride = rowStride(x, rows);
  for (int64_t start = 0; start < rows.length; start += ChunkSize) {
    int64_t count = smaller(ChunkSize, rows.length - start);
    aik_ref_load_row(x, offset + start * stride, stride, count, values);
    for (int64_t i = 0; i < count; ++i)
      sum += term(values[i], shift);
  }
  return sum;
}

static double plain(double value, double shift) { return value - shift; }
static double squared(double value, double shift) {
  return (value - shift) * (value - shift);
}
static double exponential(double value, double shift) {
  return exp(value - shift);
}

/// y = (x - shift) * factor * gamma + beta along one row; gamma and beta may
/// be null.
static void scaleRow(const aik_tensor *x, const aik_tensor *y, Rows rows,
                     int64_t row, double shift, double factor,
                     const aik_tensor *gamma, const aik_tensor *beta) {
  int64_t xOffset = rowOffset(x, rows, row), xStride = rowStride(x, rows);
  int64_t yOffset = rowOffset(y, rows, row), yStride = rowStride(y, rows);
  for (int64_t i = 0; i < rows.length; ++i) {
    double value = loadElement(x, xOffset + i * xStride);
    value = (value - shift) * factor;
    if (gamma)
      value *= loadElement(gamma, i * gamma->strides[0]);
    if (beta)
      value += loadElement(beta, i * beta->strides[0]);
    storeElement(y, yOffset + i * yStride, value);
  }
}

/// [x, gamma] -> [y] = gamma x / sqrt(mean(x^2) + eps); {eps}
void aik_ref_rms_norm(const aik_tensor *operands, aik_tensor *results,
                      const double *params) {
  const aik_tensor *x = &operands[0];
  Rows rows = rowsAlong(x, lastAxis(x));
  for (int64_t row = 0; row < rows.count; ++row) {
    double mean = sumOfRow(x, rows, row, squared, 0) / (double)rows.length;
    double factor = 1 / __builtin_sqrt(mean + params[0]);
    scaleRow(x, &results[0], rows, row, 0, factor, &operands[1], 0);
  }
}

/// [x, gamma, beta] -> [y] = gamma (x - mean) / sqrt(var + eps) + beta, with
/// the biased variance, in two passes; {eps}
void aik_ref_layer_norm(const aik_tensor *operands, aik_tensor *results,
                        const double *params) {
  const aik_tensor *x = &operands[0];
  Rows rows = rowsAlong(x, lastAxis(x));
  for (int64_t row = 0; row < rows.count; ++row) {
    double length = (double)rows.length;
    double mean = sumOfRow(x, rows, row, plain, 0) / length;
    double variance = sumOfRow(x, rows, row, squared, mean) / length;
    double factor = 1 / __builtin_sqrt(variance + params[0]);
    scaleRow(x, &results[0], rows, row, mean, factor, &operands[1],
             &operands[2]);
  }
}

/// [x] -> [y] = x / max(sqrt(sum(x^2)), eps), as PyTorch's normalize; {eps}
void aik_ref_l2_norm(const aik_tensor *operands, aik_tensor *results,
                     const double *params) {
  const aik_tensor *x = &operands[0];
  Rows rows = rowsAlong(x, lastAxis(x));
  for (int64_t row = 0; row < rows.count; ++row) {
    double norm = __builtin_sqrt(sumOfRow(x, rows, row, squared, 0));
    if (norm < params[0])
      norm = params[0];
    scaleRow(x, &results[0], rows, row, 0, 1 / norm, 0, 0);
  }
}

/// The largest element of a row, NaN aside; -inf if there is none.
static double largest(const aik_tensor *x, Rows rows, int64_t row) {
  int64_t offset = rowOffset(x, rows, row), stride = rowStride(x, rows);
  double result = -AIK_INFINITY;
  for (int64_t i = 0; i < rows.length; ++i) {
    double value = loadElement(x, offset + i * stride);
    if (value > result)
      result = value;
  }
  return result;
}

/// [x] -> [y]; {axis, not negative}. A row of -inf gives zeros; a NaN or +inf
/// makes its row NaN where IEEE arithmetic does.
void aik_ref_softmax(const aik_tensor *operands, aik_tensor *results,
                     const double *params) {
  const aik_tensor *x = &operands[0], *y = &results[0];
  Rows rows = rowsAlong(x, (uint32_t)params[0]);
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t xOffset = rowOffset(x, rows, row), xStride = rowStride(x, rows);
    int64_t yOffset = rowOffset(y, rows, row), yStride = rowStride(y, rows);
    double shift = largest(x, rows, row);
    if (shift == -AIK_INFINITY)
      shift = 0;
    double sum = sumOfRow(x, rows, row, exponential, shift);
    for (int64_t i = 0; i < rows.length; ++i) {
      double value = exp(loadElement(x, xOffset + i * xStride) - shift);
      storeElement(y, yOffset + i * yStride, sum == 0 ? 0 : value / sum);
    }
  }
}
