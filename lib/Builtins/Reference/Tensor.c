//===- Tensor.c - Elements of every type to and from f64 ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads are exact but for i64 beyond 2^53; stores round to nearest even once,
// straight from f64. Integers saturate, and a NaN becomes 0 there.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "../Convert/Narrow.h"

#define FOR_EACH_ELEMENT(statement)                                            \
  do {                                                                         \
    for (int64_t i = 0; i < count; ++i, offset += stride) {                    \
      statement;                                                               \
    }                                                                          \
  } while (0)

void aik_ref_load_row(const aik_tensor *tensor, int64_t offset, int64_t stride,
                      int64_t count, double *row) {
  const void *data = tensor->data;
  switch (tensor->dtype) {
  case AIK_F32:
    FOR_EACH_ELEMENT(row[i] = ((const float *)data)[offset]);
    break;
  case AIK_F64:
    FOR_EACH_ELEMENT(row[i] = ((const double *)data)[offset]);
    break;
  case AIK_F16:
    FOR_EACH_ELEMENT(row[i] =
                         widen(((const uint16_t *)data)[offset], halfFormat));
    break;
  case AIK_BF16: // the upper half of an f32
    FOR_EACH_ELEMENT(row[i] = singleFromBits(
                         (uint32_t)((const uint16_t *)data)[offset] << 16));
    break;
  case AIK_F8E4M3FN:
    FOR_EACH_ELEMENT(
        row[i] = widen(((const uint8_t *)data)[offset], f8E4M3FNFormat));
    break;
  case AIK_F8E5M2:
    FOR_EACH_ELEMENT(row[i] =
                         widen(((const uint8_t *)data)[offset], f8E5M2Format));
    break;
  case AIK_I8:
    FOR_EACH_ELEMENT(row[i] = ((const int8_t *)data)[offset]);
    break;
  case AIK_U8:
  case AIK_BOOL:
    FOR_EACH_ELEMENT(row[i] = ((const uint8_t *)data)[offset]);
    break;
  case AIK_I16:
    FOR_EACH_ELEMENT(row[i] = ((const int16_t *)data)[offset]);
    break;
  case AIK_I32:
    FOR_EACH_ELEMENT(row[i] = ((const int32_t *)data)[offset]);
    break;
  case AIK_I64:
    FOR_EACH_ELEMENT(row[i] = (double)((const int64_t *)data)[offset]);
    break;
  default:
    FOR_EACH_ELEMENT(row[i] = AIK_NAN);
  }
}

/// x rounded to nearest even and held within [least, most]; both are exact.
static double toWhole(double x, double least, double most) {
  if (isNaN(x))
    return 0;
  double whole = rint(x);
  return whole < least ? least : whole > most ? most : whole;
}

static int64_t toInt64(double x) {
  if (rint(x) >= 0x1p63)
    return INT64_MAX;
  return (int64_t)toWhole(x, -0x1p63, 0x1p62 + (0x1p62 - 0x1p10));
}

void aik_ref_store_row(const aik_tensor *tensor, int64_t offset, int64_t stride,
                       int64_t count, const double *row) {
  void *data = tensor->data;
  switch (tensor->dtype) {
  case AIK_F32:
    FOR_EACH_ELEMENT(((float *)data)[offset] = (float)row[i]);
    break;
  case AIK_F64:
    FOR_EACH_ELEMENT(((double *)data)[offset] = row[i]);
    break;
  case AIK_F16:
    FOR_EACH_ELEMENT(((uint16_t *)data)[offset] =
                         (uint16_t)narrow(row[i], halfFormat));
    break;
  case AIK_BF16:
    FOR_EACH_ELEMENT(((uint16_t *)data)[offset] =
                         (uint16_t)narrow(row[i], bfloatFormat));
    break;
  case AIK_F8E4M3FN:
    FOR_EACH_ELEMENT(((uint8_t *)data)[offset] =
                         (uint8_t)narrow(row[i], f8E4M3FNFormat));
    break;
  case AIK_F8E5M2:
    FOR_EACH_ELEMENT(((uint8_t *)data)[offset] =
                         (uint8_t)narrow(row[i], f8E5M2Format));
    break;
  case AIK_I8:
    FOR_EACH_ELEMENT(((int8_t *)data)[offset] =
                         (int8_t)toWhole(row[i], -128, 127));
    break;
  case AIK_U8:
    FOR_EACH_ELEMENT(((uint8_t *)data)[offset] =
                         (uint8_t)toWhole(row[i], 0, 255));
    break;
  case AIK_BOOL:
    FOR_EACH_ELEMENT(((uint8_t *)data)[offset] = row[i] != 0);
    break;
  case AIK_I16:
    FOR_EACH_ELEMENT(((int16_t *)data)[offset] =
                         (int16_t)toWhole(row[i], -0x1p15, 0x1p15 - 1));
    break;
  case AIK_I32:
    FOR_EACH_ELEMENT(((int32_t *)data)[offset] =
                         (int32_t)toWhole(row[i], -0x1p31, 0x1p31 - 1));
    break;
  case AIK_I64:
    FOR_EACH_ELEMENT(((int64_t *)data)[offset] = toInt64(row[i]));
    break;
  default:
    break;
  }
}

static int elementSize(uint32_t dtype) {
  switch (dtype) {
  case AIK_F64:
  case AIK_I64:
    return 8;
  case AIK_F32:
  case AIK_I32:
    return 4;
  case AIK_F16:
  case AIK_BF16:
  case AIK_I16:
    return 2;
  default:
    return 1;
  }
}

void aik_ref_copy_row(const aik_tensor *from, int64_t fromOffset,
                      int64_t fromStride, const aik_tensor *to,
                      int64_t toOffset, int64_t toStride, int64_t count) {
  int size = elementSize(from->dtype);
  for (int64_t i = 0; i < count; ++i) {
    if (from->dtype != to->dtype) {
      storeElement(to, toOffset, loadElement(from, fromOffset));
    } else {
      const unsigned char *source =
          (const unsigned char *)from->data + fromOffset * size;
      unsigned char *target = (unsigned char *)to->data + toOffset * size;
      for (int byte = 0; byte < size; ++byte)
        target[byte] = source[byte];
    }
    fromOffset += fromStride;
    toOffset += toStride;
  }
}
