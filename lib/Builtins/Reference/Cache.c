//===- Cache.c - Reference of kv_append -----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result is the old cache with the new rows written from row pos[b] on, in
// every head. Elements are copied bit for bit. The result may be the cache's
// own memory.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

/// [cache, new, pos] -> [cache']; {layout 0 bhsd, 1 bshd}. Positions are
/// checked before: 0 <= pos[b] and pos[b] + S <= Smax.
void aik_ref_kv_append(const aik_tensor *operands, aik_tensor *results,
                       const double *params) {
  const aik_tensor *cache = &operands[0], *new = &operands[1];
  const aik_tensor *pos = &operands[2], *out = &results[0];
  uint32_t headAxis = params[0] != 0 ? 2 : 1;
  uint32_t sequenceAxis = 3 - headAxis;

  Rows rows = rowsAlong(cache, 3);
  for (int64_t row = 0; row < rows.count; ++row)
    aik_ref_copy_row(cache, rowOffset(cache, rows, row), cache->strides[3], out,
                     rowOffset(out, rows, row), out->strides[3], rows.length);

  Rows newRows = rowsAlong(new, 3);
  for (int64_t row = 0; row < newRows.count; ++row) {
    // The row's place in the cache: the same batch and head, moved on by the
    // batch's position.
    int64_t index[3], rest = row;
    for (int i = 2; i >= 0; --i) {
      index[i] = rest % new->dims[i];
      rest /= new->dims[i];
    }
    index[sequenceAxis] +=
        (int64_t)loadElement(pos, index[0] * pos->strides[0]);
    int64_t target = 0;
    for (int i = 0; i < 3; ++i)
      target += index[i] * out->strides[i];
    aik_ref_copy_row(new, rowOffset(new, newRows, row), new->strides[3], out,
                     target, out->strides[3], newRows.length);
  }
}
