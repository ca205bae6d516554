#===- attention.py - Oracle of the attention family ----------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# attention on float64 arrays. `lse` is the log of the softmax denominator, the
# sink included, and -inf for a query that sees neither key nor sink. A key that
# a query may not see has no influence on it at all: its values may be NaN.
#
#===----------------------------------------------------------------------===#

import numpy as np


def to_bhsd(tensor, layout):
    """[B,S,H,D] -> [B,H,S,D] and back; the same swap does both."""
    return tensor if layout == "bhsd" else np.swapaxes(tensor, 1, 2)


def visible_keys(batch, queries, keys, kv_len=None, causal=False, window=None):
    """bool [B,Sq,Skv]: which key each query sees, by position alone."""
    lengths = np.full(batch, keys) if kv_len is None else np.asarray(kv_len)
    i = np.arange(queries)[None, :, None]
    j = np.arange(keys)[None, None, :]
    length = lengths[:, None, None]
    seen = np.broadcast_to(j < length, (batch, queries, keys)).copy()
    if causal:
        seen &= j <= i + (length - queries)
        if window is not None:
            seen &= j > i + (length - queries) - window
    return seen


def scores(q, k, seen, mask=None, scale=None, softcap=None):
    """[B,Hq,Sq,Skv], -inf where not seen; q and k are bhsd."""
    group = q.shape[1] // max(k.shape[1], 1)
    if scale is None:
        scale = 1.0 / np.sqrt(q.shape[3]) if q.shape[3] else 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        s = scale * np.matmul(q, np.swapaxes(np.repeat(k, group, 1), 2, 3))
        if softcap is not None:
            s = softcap * np.tanh(s / softcap)
        if mask is not None:
            s = s + mask
    return np.where(seen[:, None], s, -np.inf)


def probabilities(s, sinks=None):
    """softmax over the last axis with sinks in the denominator; and lse."""
    shape = s.shape[:3] + (1,)
    top = s.max(axis=-1, keepdims=True, initial=-np.inf)
    if sinks is not None:
        top = np.maximum(top, np.broadcast_to(sinks[None, :, None, None],
                                              shape))
    unseen = np.isneginf(top)
    shift = np.where(unseen, 0.0, top)
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = np.exp(s - shift)
        total = weights.sum(axis=-1, keepdims=True)
        if sinks is not None:
            total = total + np.exp(sinks[None, :, None, None] - shift)
        p = weights / np.where(unseen, 1.0, total)
        lse = np.where(unseen, -np.inf, shift + np.log(total))
    return p, lse[..., 0]


def weighted_sum(p, values, seen):
    """[B,H,Sq,Dv]: p values, where what is not seen adds nothing, be it NaN."""
    finite = np.isfinite(values)
    total = np.matmul(p, np.where(finite, values, 0.0))
    wild = np.flatnonzero(~finite.all(axis=(0, 1, 3)))  # keys
    if wild.size:
        odd = np.where(finite, 0.0, values)[:, :, None, wild]
        parts = p[..., wild, None] * odd                # [B,H,Sq,wild,Dv]
        total += np.where(seen[..., wild, None], parts, 0.0).sum(axis=3)
    return total


def attention(q, k, v, mask=None, kv_len=None, sinks=None, scale=None,
              causal=False, window=None, softcap=None, layout="bhsd"):
    """softmax(S) V and the log-sum-exp [B,Hq,Sq]."""
    q, k, v = (to_bhsd(t, layout) for t in (q, k, v))
    batch, heads, queries, _ = q.shape
    keys = k.shape[2]
    group = heads // max(k.shape[1], 1)
    seen = visible_keys(batch, queries, keys, kv_len, causal, window)
    p, lse = probabilities(scores(q, k, seen, mask, scale, softcap), sinks)
    with np.errstate(invalid="ignore"):
        out = weighted_sum(np.where(seen[:, None], p, 0.0),
                           np.repeat(v, group, 1), seen[:, None])
        # A query whose scores are all -inf sees no key, whatever v holds.
        blind = (p == 0.0).all(axis=-1)[..., None]
        out = np.where(blind, 0.0, out)
    return to_bhsd(out, layout), lse
