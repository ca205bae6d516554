//===- Reference.h - What every reference operation uses ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference library computes each aikernel operation with clear loops, in
// f64 inside, and rounds once at the result. In: operands as aik_tensor views
// of any strides, results whose shape the caller has filled in, and the op's
// attributes as doubles in a fixed order (given above each function). Out: the
// results' elements. Nothing is allocated and nothing can fail: shapes are
// checked before.
//
// An absent optional operand has dtype AIK_DTYPE_NONE and data NULL.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BUILTINS_REFERENCE_REFERENCE_H
#define AIKERNEL_BUILTINS_REFERENCE_REFERENCE_H

#include "AIKernel-c/Entry.h"

#include "../Math/Math.h"

/// Rows are worked on in pieces that fit local buffers of this many doubles.
enum { ChunkSize = 256 };

/// Elements `offset`, `offset + stride`, ... of a tensor, as doubles.
void aik_ref_load_row(const aik_tensor *tensor, int64_t offset, int64_t stride,
                      int64_t count, double *row);
/// Rounds each double once, to the tensor's element type.
void aik_ref_store_row(const aik_tensor *tensor, int64_t offset, int64_t stride,
                       int64_t count, const double *row);
/// Copies elements; bit for bit where both have the same element type.
void aik_ref_copy_row(const aik_tensor *from, int64_t fromOffset,
                      int64_t fromStride, const aik_tensor *to,
                      int64_t toOffset, int64_t toStride, int64_t count);

static inline double loadElement(const aik_tensor *tensor, int64_t offset) {
  double value;
  aik_ref_load_row(tensor, offset, 0, 1, &value);
  return value;
}
static inline void storeElement(const aik_tensor *tensor, int64_t offset,
                                double value) {
  aik_ref_store_row(tensor, offset, 0, 1, &value);
}

static inline int isPresent(const aik_tensor *tensor) {
  return tensor->dtype != AIK_DTYPE_NONE;
}

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// How many elements the first `rank` dimensions span.
static inline int64_t countOf(const aik_tensor *tensor, uint32_t rank) {
  int64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i)
    count *= tensor->dims[i];
  return count;
}

/// The rows of a tensor along `axis`. A scalar is one row of one element.
typedef struct Rows {
  int64_t count;
  int64_t length;
  uint32_t axis;
} Rows;

static inline Rows rowsAlong(const aik_tensor *tensor, uint32_t axis) {
  Rows rows = {1, 1, axis};
  for (uint32_t i = 0; i < tensor->rank; ++i)
    *(i == axis ? &rows.length : &rows.count) *= tensor->dims[i];
  return rows;
}

static inline uint32_t lastAxis(const aik_tensor *tensor) {
  return tensor->rank ? tensor->rank - 1 : 0;
}

/// Where row number `row` (row-major over all axes but the rows' own) starts.
static inline int64_t rowOffset(const aik_tensor *tensor, Rows rows,
                                int64_t row) {
  int64_t offset = 0;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    if (i == rows.axis)
      continue;
    offset += row % tensor->dims[i] * tensor->strides[i];
    row /= tensor->dims[i];
  }
  return offset;
}

static inline int64_t rowStride(const aik_tensor *tensor, Rows rows) {
  return tensor->rank ? tensor->strides[rows.axis] : 0;
}

/// The activations; `kind` as in aikernel.linear's attribute.
enum ActivationKind {
  ActivationNone = 0,
  ActivationRelu = 1,
  ActivationGelu = 2,
  ActivationGeluTanh = 3,
  ActivationSilu = 4
};
double aik_ref_activate(int kind, double x);

/// The operations.
typedef void aik_ref_fn(const aik_tensor *operands, aik_tensor *results,
                        const double *params);
aik_ref_fn aik_ref_matmul, aik_ref_linear;
aik_ref_fn aik_ref_relu, aik_ref_gelu, aik_ref_silu, aik_ref_sigmoid,
    aik_ref_tanh, aik_ref_swiglu, aik_ref_geglu;
aik_ref_fn aik_ref_rms_norm, aik_ref_layer_norm, aik_ref_l2_norm,
    aik_ref_softmax;
aik_ref_fn aik_ref_attention, aik_ref_rope, aik_ref_kv_append;
aik_ref_fn aik_ref_quantize, aik_ref_dequantize, aik_ref_quant_gemv,
    aik_ref_quant_matmul, aik_ref_int8_matmul;

#endif // AIKERNEL_BUILTINS_REFERENCE_REFERENCE_H
