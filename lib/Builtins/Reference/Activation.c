//===- Activation.c - Reference of the elementwise activations ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = f(x) element by element. Written so that the tails keep their relative
// accuracy (gelu through erfc, silu through the smaller exponential); NaN stays
// NaN, and -inf gives what -inf * 0 gives: NaN for silu and gelu.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

static double relu(double x) { return x > 0 || isNaN(x) ? x : 0; }

static double sigmoid(double x) {
  if (x >= 0)
    return 1 / (1 + exp(-x));
  double e = exp(x);
  return e / (1 + e);
}

static double silu(double x) { return x * sigmoid(x); }

/// x Phi(x), with Phi(x) = erfc(-x / sqrt 2) / 2.
static double gelu(double x) {
  const double sqrtHalf = 0x1.6a09e667f3bcdp-1;
  return 0.5 * x * erfc(-x * sqrtHalf);
}

/// x (1 + tanh u) / 2 = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3).
static double geluTanh(double x) {
  const double sqrtTwoOverPi = 0x1.9884533d43651p-1;
  return x * sigmoid(2 * sqrtTwoOverPi * (x + 0.044715 * x * x * x));
}

double aik_ref_activate(int kind, double x) {
  switch (kind) {
  case ActivationRelu:
    return relu(x);
  case ActivationGelu:
    return gelu(x);
  case ActivationGeluTanh:
    return geluTanh(x);
  case ActivationSilu:
    return silu(x);
  default:
    return x;
  }
}

/// results[0] = f(operands[0]), or f(operands[0]) * operands[1] if `gated`.
static void elementwise(double (*f)(double), int gated,
                        const aik_tensor *operands, aik_tensor *results) {
  const aik_tensor *x = &operands[0], *y = &results[0];
  Rows rows = rowsAlong(y, lastAxis(y));
  double values[ChunkSize], factors[ChunkSize];
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t start = 0; start < rows.length; start += ChunkSize) {
      int64_t count = smaller(ChunkSize, rows.length - start);
      int64_t xStride = rowStride(x, rows), yStride = rowStride(y, rows);
      aik_ref_load_row(x, rowOffset(x, rows, row) + start * xStride, xStride,
                       count, values);
      for (int64_t i = 0; i < count; ++i)
        values[i] = f(values[i]);
      if (gated) {
        const aik_tensor *up = &operands[1];
        int64_t upStride = rowStride(up, rows);
        aik_ref_load_row(up, rowOffset(up, rows, row) + start * upStride,
                         upStride, count, factors);
        for (int64_t i = 0; i < count; ++i)
          values[i] *= factors[i];
      }
      aik_ref_store_row(y, rowOffset(y, rows, row) + start * yStride, yStride,
                        count, values);
    }
  }
}

/// [x] -> [y]
void aik_ref_relu(const aik_tensor *operands, aik_tensor *results,
                  const double *params) {
  (void)params;
  elementwise(relu, 0, operands, results);
}

/// [x] -> [y]
void aik_ref_silu(const aik_tensor *operands, aik_tensor *results,
                  const double *params) {
  (void)params;
  elementwise(silu, 0, operands, results);
}

/// [x] -> [y]
void aik_ref_sigmoid(const aik_tensor *operands, aik_tensor *results,
                     const double *params) {
  (void)params;
  elementwise(sigmoid, 0, operands, results);
}

/// [x] -> [y]
void aik_ref_tanh(const aik_tensor *operands, aik_tensor *results,
                  const double *params) {
  (void)params;
  elementwise(tanh, 0, operands, results);
}

/// [x] -> [y]; {approximate: 0 none, 1 tanh}
void aik_ref_gelu(const aik_tensor *operands, aik_tensor *results,
                  const double *params) {
  elementwise(params[0] != 0 ? geluTanh : gelu, 0, operands, results);
}

/// [gate, up] -> [y] = silu(gate) * up
void aik_ref_swiglu(const aik_tensor *operands, aik_tensor *results,
                    const double *params) {
  (void)params;
  elementwise(silu, 1, operands, results);
}

/// [gate, up] -> [y] = gelu(gate) * up; {approximate: 0 none, 1 tanh}
void aik_ref_geglu(const aik_tensor *operands, aik_tensor *results,
                   const double *params) {
  elementwise(params[0] != 0 ? geluTanh : gelu, 1, operands, results);
}
