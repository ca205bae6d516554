//===- Attention.c - Reference of attention -------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each query two passes over the keys that it may see: the largest score,
// then the sums of the exponentials and of the weighted values. No score is
// stored; each is computed again where it is needed.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

typedef struct Problem {
  const aik_tensor *q, *k, *v, *mask;
  double scale, softcap;
  uint32_t headAxis, sequenceAxis;
  int64_t groupSize; // query heads per key head
  int64_t depth;
} Problem;

/// One query and the keys [firstKey, endKey) that it may see.
typedef struct Query {
  int64_t batch, head, position;
  int64_t firstKey, endKey;
} Query;

static int64_t offsetOf(const Problem *p, const aik_tensor *tensor,
                        int64_t batch, int64_t head, int64_t position) {
  return batch * tensor->strides[0] + head * tensor->strides[p->headAxis] +
         position * tensor->strides[p->sequenceAxis];
}

static double dotProduct(const aik_tensor *a, int64_t aOffset,
                         const aik_tensor *b, int64_t bOffset, int64_t count) {
  double aRow[ChunkSize], bRow[ChunkSize], sum = 0;
  int64_t aStride = a->strides[3], bStride = b->strides[3];
  for (int64_t start = 0; start < count; start += ChunkSize) {
    int64_t length = smaller(ChunkSize, count - start);
    aik_ref_load_row(a, aOffset + start * aStride, aStride, length, aRow);
    aik_ref_load_row(b, bOffset + start * bStride, bStride, length, bRow);
    for (int64_t i = 0; i < length; ++i)
      sum += aRow[i] * bRow[i];
  }
  return sum;
}

/// The mask is broadcast to [B, Hq, Sq, Skv]: aligned at the last dimension,
/// and a dimension of 1 is repeated.
static double maskValue(const aik_tensor *mask, const Query *query,
                        int64_t key) {
  int64_t position[4] = {query->batch, query->head, query->position, key};
  int64_t offset = 0;
  for (uint32_t i = 0; i < mask->rank; ++i)
    if (mask->dims[i] != 1)
      offset += position[4 - mask->rank + i] * mask->strides[i];
  return loadElement(mask, offset);
}

static double scoreOf(const Problem *p, const Query *query, int64_t key) {
  int64_t keyHead = query->head / p->groupSize;
  double score =
      p->scale *
      dotProduct(p->q,
                 offsetOf(p, p->q, query->batch, query->head, query->position),
                 p->k, offsetOf(p, p->k, query->batch, keyHead, key), p->depth);
  if (p->softcap != 0)
    score = p->softcap * tanh(score / p->softcap);
  if (isPresent(p->mask))
    score += maskValue(p->mask, query, key);
  return score;
}

/// The largest score of the keys that a query sees, NaN aside, or the sink.
static double largestScore(const Problem *p, const Query *query, double sink) {
  double largest = sink;
  for (int64_t key = query->firstKey; key < query->endKey; ++key) {
    double score = scoreOf(p, query, key);
    if (score > largest)
      largest = score;
  }
  return largest;
}

/// Writes one query's output and returns the logarithm of its denominator.
/// `sink` is -inf where there is none.
static double attend(const Problem *p, const Query *query, double sink,
                     const aik_tensor *o) {
  int64_t width = p->v->dims[3], keyHead = query->head / p->groupSize;
  int64_t vStride = p->v->strides[3], oStride = o->strides[3];
  int64_t oOffset = offsetOf(p, o, query->batch, query->head, query->position);
  double sums[ChunkSize], values[ChunkSize], weights;
  double shift = largestScore(p, query, sink);
  if (shift == -AIK_INFINITY)
    shift = 0;
  // The features in chunks; the weights sum up to the same each time. Where
  // they are all zero no key is seen, whatever the values hold.
  int64_t start = 0;
  do {
    int64_t count = smaller(ChunkSize, width - start);
    weights = 0;
    for (int64_t i = 0; i < count; ++i)
      sums[i] = 0;
    for (int64_t key = query->firstKey; key < query->endKey; ++key) {
      double weight = exp(scoreOf(p, query, key) - shift);
      weights += weight;
      int64_t vOffset = offsetOf(p, p->v, query->batch, keyHead, key);
      aik_ref_load_row(p->v, vOffset + start * vStride, vStride, count, values);
      for (int64_t i = 0; i < count; ++i)
        sums[i] += weight * values[i];
    }
    for (int64_t i = 0; i < count; ++i)
      sums[i] = weights == 0 ? 0 : sums[i] / (weights + exp(sink - shift));
    aik_ref_store_row(o, oOffset + start * oStride, oStride, count, sums);
    start += ChunkSize;
  } while (start < width);
  return shift + log(weights + exp(sink - shift));
}

/// A scale that depends on a size only known at run time is given as NaN.
static double scaleOf(double given, int64_t depth) {
  if (given == given)
    return given;
  return depth ? 1 / __builtin_sqrt((double)depth) : 1;
}

/// [q, k, v, mask?, kv_len?, sinks?] -> [o, lse?];
/// {scale (NaN: 1 / sqrt(D)), causal, window (0 none), softcap (0 none),
///  layout 0 bhsd, 1 bshd}
///
/// kv_len is held within [0, Skv]. Key j is visible to query i when j < len
/// and, if causal, j <= i + (len - Sq), and with a window w also
/// j > i + (len - Sq) - w. A query that sees no key, or only scores of -inf,
/// gives zeros and the lse -inf (the sink alone where there is one).
void aik_ref_attention(const aik_tensor *operands, aik_tensor *results,
                       const double *params) {
  const aik_tensor *q = &operands[0], *k = &operands[1], *v = &operands[2];
  const aik_tensor *kvLen = &operands[4], *sinks = &operands[5];
  const aik_tensor *o = &results[0], *lse = &results[1];
  int causal = params[1] != 0;
  int64_t window = (int64_t)params[2];
  uint32_t headAxis = params[4] != 0 ? 2 : 1;
  uint32_t sequenceAxis = 3 - headAxis;
  int64_t heads = q->dims[headAxis], keyHeads = k->dims[headAxis];
  int64_t queries = q->dims[sequenceAxis], keys = k->dims[sequenceAxis];
  Problem p = {q,
               k,
               v,
               &operands[3],
               scaleOf(params[0], q->dims[3]),
               params[3],
               headAxis,
               sequenceAxis,
               keyHeads ? heads / keyHeads : 1,
               q->dims[3]};

  for (int64_t batch = 0; batch < q->dims[0]; ++batch) {
    int64_t length = keys;
    if (isPresent(kvLen)) {
      double given = loadElement(kvLen, batch * kvLen->strides[0]);
      length = larger(0, smaller((int64_t)given, keys));
    }
    for (int64_t head = 0; head < heads; ++head) {
      double sink = -AIK_INFINITY;
      if (isPresent(sinks))
        sink = loadElement(sinks, head * sinks->strides[0]);
      for (int64_t i = 0; i < queries; ++i) {
        Query query = {batch, head, i, 0, length};
        int64_t last = i + (length - queries);
        if (causal)
          query.endKey = smaller(length, last + 1);
        if (causal && window > 0)
          query.firstKey = larger(0, last - window + 1);
        double logSum = attend(&p, &query, sink, o);
        if (lse->data && isPresent(lse))
          storeElement(lse,
                       batch * lse->strides[0] + head * lse->strides[1] +
                           i * lse->strides[2],
                       logSum);
      }
    }
  }
}
