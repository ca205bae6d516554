//===- ReferenceAttentionTest.cpp - attention, rope and kv_append ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The references against direct formulas with the whole score matrix, over
// grouped heads, causal masks, windows, soft caps, broadcast masks, lengths,
// sinks, both layouts, scattered memory and empty tensors.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "TensorBuilder.h"

using namespace harness;

namespace {

struct AttentionCase {
  int64_t batch = 2, heads = 4, keyHeads = 2, queries = 5, keys = 9;
  int64_t depth = 6, width = 7;
  bool causal = false;
  int64_t window = 0;
  double softcap = 0;
  Dims mask;              // empty: none
  std::vector<int> kvLen; // empty: none
  bool sinks = false, lse = true, bshd = false;
  uint32_t dtype = AIK_F64;
  int scramble = 0;
};

constexpr double scale = 0.37;

Dims shape(const AttentionCase &c, int64_t heads, int64_t rows, int64_t width) {
  return c.bshd ? Dims{c.batch, rows, heads, width}
                : Dims{c.batch, heads, rows, width};
}

double element(const AttentionCase &c, const Tensor &t, int64_t b, int64_t h,
               int64_t s, int64_t d) {
  return c.bshd ? t.at({b, s, h, d}) : t.at({b, h, s, d});
}

double maskAt(const Tensor &mask, Dims index) {
  index.erase(index.begin(), index.end() - (int64_t)mask.dims.size());
  for (size_t i = 0; i < index.size(); ++i)
    if (mask.dims[i] == 1)
      index[i] = 0;
  return mask.at(index);
}

struct Operands {
  Operands(const AttentionCase &c, Random &random)
      : q(c.dtype, shape(c, c.heads, c.queries, c.depth), c.scramble),
        k(c.dtype, shape(c, c.keyHeads, c.keys, c.depth), (c.scramble + 1) % 4),
        v(c.dtype, shape(c, c.keyHeads, c.keys, c.width), (c.scramble + 2) % 4),
        mask(c.dtype, c.mask, c.scramble), kvLen(AIK_I32, {c.batch}, 1),
        sinks(AIK_F32, {c.heads}, 1) {
    for (Tensor *t : {&q, &k, &v, &mask, &sinks})
      t->randomize(random);
    if (!c.mask.empty()) {
      mask.set(1, -INFINITY);
      mask.set(3, -INFINITY);
    }
    for (size_t b = 0; b < c.kvLen.size(); ++b)
      kvLen.set((int64_t)b, c.kvLen[b]);
  }
  Tensor q, k, v, mask, kvLen, sinks;
};

/// The scores of one query; -inf where a key is not visible.
std::vector<double> scoresOf(const AttentionCase &c, const Operands &in,
                             int64_t b, int64_t h, int64_t i) {
  int64_t len = c.keys;
  if (!c.kvLen.empty())
    len = std::clamp<int64_t>(c.kvLen[(size_t)b], 0, c.keys);
  int64_t keyHead = h / (c.heads / c.keyHeads);
  std::vector<double> scores((size_t)c.keys, -INFINITY);
  for (int64_t j = 0; j < len; ++j) {
    if (c.causal && !(j <= i + (len - c.queries)))
      continue;
    if (c.window && !(j > i + (len - c.queries) - c.window))
      continue;
    double s = 0;
    for (int64_t d = 0; d < c.depth; ++d)
      s += element(c, in.q, b, h, i, d) * element(c, in.k, b, keyHead, j, d);
    s *= scale;
    if (c.softcap != 0)
      s = c.softcap * std::tanh(s / c.softcap);
    if (!c.mask.empty())
      s += maskAt(in.mask, {b, h, i, j});
    scores[(size_t)j] = s;
  }
  return scores;
}

void testAttention(const AttentionCase &c, uint64_t seed) {
  Random random(seed);
  Operands in(c, random);
  Tensor o(c.dtype, shape(c, c.heads, c.queries, c.width), c.scramble);
  Tensor lse(AIK_F32, {c.batch, c.heads, c.queries}, c.scramble);
  aik_tensor operands[] = {in.q.view,
                           in.k.view,
                           in.v.view,
                           c.mask.empty() ? Tensor::absent() : in.mask.view,
                           c.kvLen.empty() ? Tensor::absent() : in.kvLen.view,
                           c.sinks ? in.sinks.view : Tensor::absent()};
  aik_tensor results[] = {o.view, c.lse ? lse.view : Tensor::absent()};
  double params[] = {scale, (double)c.causal, (double)c.window, c.softcap,
                     (double)c.bshd};
  aikb_aik_ref_attention(operands, results, params);

  std::vector<double> outputs((size_t)o.count()), logSums((size_t)lse.count());
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t i = 0; i < c.queries; ++i) {
        std::vector<double> scores = scoresOf(c, in, b, h, i);
        double sum = c.sinks ? std::exp(in.sinks.get(h)) : 0;
        for (double s : scores)
          sum += std::exp(s);
        for (int64_t d = 0; d < c.width; ++d) {
          double value = 0;
          for (int64_t j = 0; j < c.keys && sum != 0; ++j)
            value += std::exp(scores[(size_t)j]) / sum *
                     element(c, in.v, b, h / (c.heads / c.keyHeads), j, d);
          Dims index = c.bshd ? Dims{b, i, h, d} : Dims{b, h, i, d};
          outputs[(size_t)o.rowMajor(index)] = value;
        }
        logSums[(size_t)lse.rowMajor({b, h, i})] = std::log(sum);
      }
  compare("attention", o, 1e-13, [&](int64_t i) { return outputs[(size_t)i]; });
  if (c.lse)
    compare("attention lse", lse, 1e-13,
            [&](int64_t i) { return logSums[(size_t)i]; });
}

void testAttentions() {
  uint64_t seed = 1;
  const std::vector<Dims> masks = {
      {2, 4, 5, 9}, {1, 1, 5, 9}, {5, 9}, {9}, {4, 1, 9}};
  for (uint32_t dtype : {AIK_F64, AIK_F32, AIK_BF16})
    for (int flags = 0; flags < 128; ++flags) {
      AttentionCase c;
      c.dtype = dtype;
      c.bshd = flags & 1;
      c.causal = flags & 2;
      c.window = (flags & 6) == 6 ? 3 : 0;
      c.softcap = flags & 8 ? 1.5 : 0;
      c.sinks = flags & 16;
      if (flags & 32)
        c.kvLen = {7, 2};
      if (flags & 64)
        c.mask = masks[seed % masks.size()];
      c.scramble = flags % 4;
      c.lse = flags % 3;
      testAttention(c, ++seed);
    }
  AttentionCase c;
  c.causal = true;
  c.kvLen = {0, 100}; // nothing valid; clamped to all
  testAttention(c, 1001);
  c.sinks = true;
  testAttention(c, 1002);
  c.kvLen = {-5, 3};
  testAttention(c, 1003);
  c = {};
  c.depth = 300; // more than a chunk
  c.width = 520;
  testAttention(c, 1004);
  c = {};
  c.keys = 0; // no key at all: zeros
  testAttention(c, 1005);
  c = {};
  c.queries = 0;
  testAttention(c, 1006);
  c = {};
  c.queries = 9; // more queries than keys: the first see none
  c.keys = 4;
  c.causal = true;
  testAttention(c, 1007);
  c = {};
  c.heads = c.keyHeads = 3;
  c.batch = 1;
  testAttention(c, 1008);
  c.heads = 6;
  c.keyHeads = 1;
  testAttention(c, 1009);
}

/// A NaN in a visible key makes the row NaN, in an invisible one nothing; and
/// scores of a thousand do not overflow.
void testAttentionExtremes() {
  Tensor q(AIK_F32, {1, 1, 2, 1}), k(AIK_F32, {1, 1, 2, 1});
  Tensor v(AIK_F32, {1, 1, 2, 1}), o(AIK_F32, {1, 1, 2, 1});
  for (int64_t i = 0; i < 2; ++i) {
    q.set(i, 1);
    k.set(i, i == 0 ? 1 : NAN);
    v.set(i, 2);
  }
  aik_tensor none = Tensor::absent();
  aik_tensor operands[] = {q.view, k.view, v.view, none, none, none};
  aik_tensor results[] = {o.view, none};
  double params[] = {1, 1, 0, 0, 0};
  aikb_aik_ref_attention(operands, results, params);
  compare("attention with a NaN key", o, 0,
          [](int64_t i) { return i == 0 ? 2.0 : NAN; });
  k.set(0, 3000);
  k.set(1, 2000);
  aikb_aik_ref_attention(operands, results, params);
  compare("attention with large scores", o, 0, [](int64_t) { return 2.0; });
  // Scores of -inf alone see nothing, even of NaN values and with a sink.
  Tensor mask(AIK_F32, {1, 2}), sinks(AIK_F32, {1}), lse(AIK_F32, {1, 1, 2});
  mask.set(0, -INFINITY);
  mask.set(1, -INFINITY);
  sinks.set(0, 0.5);
  v.set(0, NAN);
  operands[3] = mask.view;
  operands[5] = sinks.view;
  results[1] = lse.view;
  aikb_aik_ref_attention(operands, results, params);
  compare("attention to nothing", o, 0, [](int64_t) { return 0.0; });
  compare("lse of a sink alone", lse, 0, [](int64_t) { return 0.5; });
}

/// The formulas of Position.c, with f the unscaled frequency of pair i.
double frequency(const double *params, int64_t i) {
  double base = params[0], dim = params[1];
  double pair = (double)i, f = std::pow(base, -2 * pair / dim);
  const double *p = params + 5;
  if (params[4] == 1)
    return f / p[0];
  if (params[4] == 2) {
    double wave = 2 * M_PI / f;
    if (wave > p[3] / p[1])
      return f / p[0];
    if (wave < p[3] / p[2])
      return f;
    double smooth = (p[3] / wave - p[1]) / (p[2] - p[1]);
    return (1 - smooth) * f / p[0] + smooth * f;
  }
  if (params[4] == 3) {
    auto correction = [&](double rotations) {
      return dim * std::log(p[1] / (rotations * 2 * M_PI)) /
             (2 * std::log(base));
    };
    double low = std::max(std::floor(correction(p[2])), 0.0);
    double high = std::min(std::ceil(correction(p[3])), dim - 1);
    if (low == high)
      high += 0.001;
    double kept = 1 - std::clamp((pair - low) / (high - low), 0.0, 1.0);
    return f / p[0] * (1 - kept) + f * kept;
  }
  return f;
}

void testRope() {
  Random random(7);
  const double scalings[][6] = {{0},
                                {1, 4},
                                {2, 8, 1, 4, 8192},
                                {3, 4, 4096, 32, 1, 0},
                                {3, 40, 4096, 32, 1, 1.5},
                                {3, 4, 64, 32, 1, 0},
                                {3, 4, 1e9, 1e7, 1, 0}};
  for (auto &scaling : scalings)
    for (int flags = 0; flags < 8; ++flags) {
      bool interleaved = flags & 1, bshd = flags & 2;
      int64_t depth = 130, dim = flags & 4 ? 130 : 64;
      double params[10] = {flags & 4 ? 500000.0 : 10000.0, (double)dim,
                           (double)interleaved, (double)bshd};
      std::copy(scaling, scaling + 6, params + 4);
      Dims dims = bshd ? Dims{2, 3, 4, depth} : Dims{2, 4, 3, depth};
      Tensor x(AIK_F64, dims, flags % 4), y(AIK_F64, dims, (flags + 1) % 4);
      Tensor pos(AIK_I32, {2, 3}, flags % 2);
      x.randomize(random);
      const int positions[] = {0, 1, 17, 4096, 100000, 1000000};
      for (int64_t i = 0; i < 6; ++i)
        pos.set(i, positions[i]);
      aik_tensor operands[] = {x.view, pos.view};
      aikb_aik_ref_rope(operands, &y.view, params);
      double factor = 1;
      if (scaling[0] == 3)
        factor = scaling[5] != 0 ? scaling[5] : 0.1 * std::log(scaling[1]) + 1;
      compare("rope", y, 1e-9, [&](int64_t i) {
        int64_t d = i % depth, row = i / depth;
        if (d >= dim)
          return x.get(i);
        int64_t token = bshd ? row / 4 % 3 : row % 3, batch = row / 12;
        int64_t half = dim / 2, pair = interleaved ? d / 2 : d % half;
        bool second = interleaved ? d % 2 : d >= half;
        int64_t distance = interleaved ? 1 : half;
        double other = x.get(second ? i - distance : i + distance);
        double angle = pos.at({batch, token}) * frequency(params, pair);
        return factor * (x.get(i) * std::cos(angle) +
                         (second ? 1 : -1) * other * std::sin(angle));
      });
    }
}

void testAppend() {
  Random random(8);
  for (int flags = 0; flags < 8; ++flags) {
    bool bshd = flags & 1, inPlace = flags & 2;
    int64_t rows = flags & 4 ? 0 : 3;
    Dims cacheDims = bshd ? Dims{2, 9, 4, 5} : Dims{2, 4, 9, 5};
    Dims newDims = bshd ? Dims{2, rows, 4, 5} : Dims{2, 4, rows, 5};
    Tensor cache(AIK_BF16, cacheDims, flags % 4), added(AIK_BF16, newDims, 1);
    Tensor separate(AIK_BF16, cacheDims, 2), pos(AIK_I32, {2});
    cache.randomize(random);
    added.randomize(random);
    pos.set(0, 6);
    pos.set(1, 0);
    cache.set(0, NAN);
    std::vector<double> old;
    for (int64_t i = 0; i < cache.count(); ++i)
      old.push_back(cache.get(i));
    Tensor &out = inPlace ? cache : separate;
    aik_tensor operands[] = {cache.view, added.view, pos.view};
    double layout = bshd;
    aikb_aik_ref_kv_append(operands, &out.view, &layout);
    compare("kv_append", out, 0, [&](int64_t i) {
      int64_t d = i % 5, s = bshd ? i / 20 % 9 : i / 5 % 9, b = i / 180;
      int64_t h = bshd ? i / 5 % 4 : i / 45 % 4;
      int64_t row = s - (int64_t)pos.get(b);
      if (row < 0 || row >= rows)
        return old[(size_t)i];
      return bshd ? added.at({b, row, h, d}) : added.at({b, h, row, d});
    });
  }
}

} // namespace

int main() {
  testAttentions();
  testAttentionExtremes();
  testRope();
  testAppend();
  return summary();
}
