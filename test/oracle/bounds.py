#===- bounds.py - How wrong a computed result may be ---------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The error model of each op. In: operands as pairs (value, largest error so
# far), attributes, and the types; out: the largest error of the float64 result
# before it is rounded. `finish` adds the rounding. Chains of ops pass the pairs
# on, so that a fused kernel is judged by the roundings its program writes.
#
# u is the unit roundoff of the sums: 2^-24, or 2^-52 where everything is f64
# (twice the real one, because the oracle computes in float64 as well).
# gamma(n) = n u / (1 - n u) bounds n roundings in a row, in any order of the
# additions, which is what lets every tiling and split pass.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass

import numpy as np

from oracle import (activation, attention as attention_oracle, byte_sums,
                    dtypes, position, quant)

#: What a kernel may lose where an intermediate result is subnormal.
FLUSH = 2.0 ** -125

#: Largest slope of each activation, rounded up.
SLOPE = {"none": 1.0, "relu": 1.0, "gelu": 1.13, "gelu_tanh": 1.13,
         "silu": 1.1, "sigmoid": 0.25, "tanh": 1.0}


@dataclass
class Approx:
    """A value and the largest error that a correct program can have there."""
    value: np.ndarray
    error: np.ndarray

    @staticmethod
    def exact(value):
        value = np.asarray(value, np.float64)
        return Approx(value, np.zeros_like(value))


def unit(dtypes_used):
    """The unit roundoff of sums over operands and results of these types."""
    floats = [d for d in dtypes_used if dtypes.is_float(d)]
    return 2.0 ** -52 if all(d == "f64" for d in floats) else 2.0 ** -24


def gamma(n, u):
    return n * u / (1.0 - n * u)


def finish(value, error, dtype):
    """The result's pair, after rounding to `dtype`."""
    size = np.abs(value) + error
    return Approx(value, error + dtypes.rounding_error(size, dtype))


# Linear: |C^ - C| <= gamma_n (|A||B|); n is K products and K - 1 additions
# (fused or not), one more each for a bias. `sums`: the operands are 8-bit floats
# whose products the target's instructions add in their own way.

def matmul(a, b, u, transpose_a=False, transpose_b=False, fast=False,
           sums=None):
    va, ea, vb, eb = a.value, a.error, b.value, b.error
    if transpose_a:
        va, ea = np.swapaxes(va, -1, -2), np.swapaxes(ea, -1, -2)
    if transpose_b:
        vb, eb = np.swapaxes(vb, -1, -2), np.swapaxes(eb, -1, -2)
    cut = byte_sums.bound(va, vb, sums, fast) if sums else 0.0
    va, vb = np.abs(va), np.abs(vb)
    terms = va.shape[-1]
    size = np.matmul(va + ea, vb + eb)
    return (gamma(terms + 1, u) * size + np.matmul(ea, vb + eb)
            + np.matmul(va, eb) + terms * FLUSH + cut)


def linear(x, w, bias, before, u, activation="none", transpose_b=False,
           fast=False, sums=None, dtype=None):
    """`before` is the exact sum that goes into the activation."""
    flat = Approx(x.value.reshape(-1, w.value.shape[transpose_b]),
                  x.error.reshape(-1, w.value.shape[transpose_b]))
    error = matmul(flat, w, u, transpose_b=transpose_b, fast=fast,
                   sums=sums).reshape(before.shape)
    if bias is not None:
        error = error + bias.error + u * (np.abs(bias.value) + np.abs(before)
                                          + error)
    return unary(Approx(before, error), activation, u, dtype)


# Activation: the slope carries the operand's error; 16u is the 8 ulp that the
# contract gives gelu (2 ulp for the others would be 4u), 2^-25 is its absolute
# error in the left tail. Results of 16 bits, of which 1 ulp is asked
# (evaluate.py), are made with rough quotients and short powers: at most 2^-12.5
# of them was seen, in gelu of f16 with NEON. The gate of a product is one of them.

def unary(x, name, u, dtype=None):
    value = x.value
    if name in ("none", "relu"):
        return SLOPE[name] * x.error
    function = {"sigmoid": activation.sigmoid, "tanh": activation.tanh,
                **activation.BY_NAME}[name]
    error = SLOPE[name] * x.error + 16 * u * np.abs(function(value)) + FLUSH
    if name.startswith("gelu"):
        tail = value < -2 + x.error
        error = error + np.where(tail, 2.0 ** -25 if u > 2.0 ** -30 else 8 * u,
                                 0.0)
    if dtype in ("f16", "bf16"):
        error = error + 2.0 ** -12 * np.abs(function(value))
    return error


def gated(gate, up, name, u, dtype=None):
    """act(gate) * up: the product rule, and one more rounding."""
    error = unary(gate, name, u, dtype)
    size = np.abs(activation.BY_NAME[name](gate.value))
    return ((error + 2 * u * size) * (np.abs(up.value) + up.error)
            + size * up.error)


# Quantized products: exact weights (two more roundings where a minimum is
# added), or exact sums of integers per block of which each is converted, scaled
# twice and added.

# What 8-bit activations stand for is at most half a step from x. Where x itself
# is not exact, another x is half a step from what it stands for as well, and
# scaled sums of blocks may be rounded to the next f16: a fifth of a step.

def _requantized(x, format):
    elements = quant.block_of(format)[0]
    blocks = x.value.shape[:-1] + (x.value.shape[-1] // elements, elements)
    largest = (np.abs(x.value) + x.error).reshape(blocks).max(-1, keepdims=True)
    off = x.error.reshape(blocks)
    step = np.where(off.max(-1, keepdims=True) > 0, 1.2 * largest / 127, 0.0)
    return (off + step).reshape(x.value.shape)


def quant_matmul(x, w, u, scales=None, zeros=None, format=None,
                 activations="f32"):
    weights = quant.parts(w, format, scales, zeros).size()
    weights = weights.reshape(weights.shape[0], x.value.shape[-1])
    if activations == "q8":
        blocks = x.value.shape[-1] // quant.block_of(format)[0]
        size = quant.integer_size(x.value, w, scales, zeros, format)
        error = gamma(2 * blocks + 6, u) * size + FLUSH
        if np.any(x.error):
            error = error + np.matmul(_requantized(x, format), weights.T)
        return error
    terms = x.value.shape[-1]
    sizes = np.abs(x.value) + x.error
    return (gamma(terms + 4, u) * np.matmul(sizes, weights.T)
            + np.matmul(x.error, weights.T) + terms * FLUSH)


# Normalization.

def rms_norm(x, weight, eps, u):
    """The sum of squares has no cancellation: its relative error is
    gamma(n + 2), halved by the root; the root, the quotient and the products
    add 8u."""
    n = max(x.value.shape[-1], 1)
    size = np.abs(x.value)
    mean_square = np.mean(size * size, axis=-1, keepdims=True)
    drift = np.mean(2 * size * x.error + x.error ** 2, axis=-1, keepdims=True)
    scale = 1.0 / np.sqrt(mean_square + eps)
    relative = (0.5 * gamma(n + 2, u) + 8 * u
                + 0.75 * drift * scale * scale)
    strength = np.abs(weight.value) + weight.error
    return (strength * scale * (size * relative + x.error * (1 + relative))
            + weight.error * size * scale + FLUSH)


def l2_norm(x, eps, u):
    """The sum of squares has no cancellation: its relative error is gamma(n),
    halved by the root; the root and the quotient add 2u and a reciprocal 2u
    more. Where eps is the divisor all of that is too much, and harmless. Near
    the threshold the maximum only brings lengths closer together."""
    n = max(x.value.shape[-1], 1)
    size = np.abs(x.value)
    length = np.sqrt(np.sum(size * size, axis=-1, keepdims=True))
    drift = np.sqrt(np.sum(x.error ** 2, axis=-1, keepdims=True))
    divisor = np.maximum(length, eps)
    relative = 0.5 * gamma(n + 1, u) + 4 * u
    least = np.maximum(np.maximum(length - drift, eps), 1e-300)
    return (size * (relative / divisor + drift / (divisor * least))
            + x.error * (1 + relative) / least + FLUSH)


def layer_norm(x, weight, bias, eps, u):
    """The mean is off by gamma(n) mean|x|, which shifts every element. The
    variance may have Welford's error: gamma(n + 4) times the condition number
    sqrt(1 + mean^2 / var)."""
    n = max(x.value.shape[-1], 1)

    def mean(t):
        return np.mean(t, axis=-1, keepdims=True)

    centre = mean(x.value)
    shift = gamma(n + 1, u) * mean(np.abs(x.value)) + mean(x.error)
    size = np.abs(x.value - centre)
    variance = mean(size * size)
    condition = np.sqrt(variance * (variance + centre * centre))
    drift = (gamma(n + 4, u) * (condition + variance) + shift ** 2
             + 2 * mean(size * (x.error + shift)) + mean(x.error ** 2))
    least = np.maximum(variance + eps - drift, eps)
    scale = 1.0 / np.sqrt(variance + eps)
    relative = np.minimum(0.5 * drift / least, 1.0) + 8 * u
    strength = np.abs(weight.value) + weight.error
    moved = x.error + shift + 2 * u * (size + np.abs(centre))
    product = np.abs(weight.value) * size * scale
    return (strength * scale * (size * relative + moved * (1 + relative))
            + weight.error * size * scale + bias.error
            + 2 * u * (product + np.abs(bias.value)) + FLUSH)


def _exponential(distance, size, error, u):
    """Relative error of exp(s - top): the error of s, the roundings of
    s - top and of its product with log2(e), and the exponential's 8u."""
    return np.expm1(np.minimum(error + 2 * u * (distance + size) + 8 * u,
                               50.0))


def softmax(x, p, axis, u):
    """`p` is the exact result."""
    n = x.value.shape[axis]
    top = np.max(x.value, axis=axis, keepdims=True)
    seen = np.isfinite(x.value)
    distance = np.where(seen, np.abs(np.where(seen, x.value, 0.0)
                                     - np.where(np.isfinite(top), top, 0.0)),
                        0.0)
    relative = _exponential(distance, 0.0, x.error, u)
    total = np.sum(p * relative, axis=axis, keepdims=True)
    return p * (relative + total * (1 + relative) + gamma(n + 4, u)) + FLUSH


# Attention.

def attention(q, k, v, mask, result, u, rounded, kv_len=None, sinks=None,
              scale=None, causal=False, window=None, softcap=None,
              layout="bhsd"):
    """Errors of the result and of lse.

    S is off by scale gamma(D + 2)(|Q||K|), the operands' errors, 8u|S| for
    softcap and u for the mask's addition. That is a relative error of each
    probability, to which an online softmax adds 6u for every block it
    rescales (blocks of 8 keys or more). P V adds gamma(Skv), and the
    rounding of P to v's type `rounded` adds u_v |P||V|.
    """
    to_bhsd = attention_oracle.to_bhsd
    vq, eq, vk, ek, vv, ev = (to_bhsd(t, layout) for t in (
        q.value, q.error, k.value, k.error, v.value, v.error))
    batch, heads, queries, width = vq.shape
    keys = vk.shape[2]
    group = heads // max(vk.shape[1], 1)
    vk, ek, vv, ev = (np.repeat(t, group, 1) for t in (vk, ek, vv, ev))
    if scale is None:
        scale = 1.0 / np.sqrt(width) if width else 1.0
    seen = attention_oracle.visible_keys(batch, queries, keys, kv_len, causal,
                                         window)
    s = attention_oracle.scores(vq, vk, seen, None if mask is None
                                else mask.value, scale, softcap)
    p, lse = attention_oracle.probabilities(s, sinks)
    live = np.isfinite(s)

    def clean(t):       # what no query sees may be NaN: it has no influence
        return np.where(np.isfinite(t), t, 0.0)

    aq, ak = np.abs(clean(vq)), np.swapaxes(np.abs(clean(vk)), 2, 3)
    eq, ek = clean(eq), np.swapaxes(clean(ek), 2, 3)
    error = abs(scale) * (
        gamma(width + 2, u) * np.matmul(aq + eq, ak + ek)
        + np.matmul(eq, ak + ek) + np.matmul(aq, ek))
    size = np.where(live, np.abs(s), 0.0)
    if softcap is not None:
        error = error + 8 * u * size
    if mask is not None:
        error = error + u * (size + np.abs(clean(mask.value))) + mask.error
    top = np.where(np.isfinite(lse), lse, 0.0)[..., None]
    relative = np.where(live, _exponential(
        np.abs(np.where(live, s, 0.0) - top), size + np.abs(top), error, u),
        0.0)
    blocks = -(-keys // 8) + 1
    chain = gamma(keys + 4 + 6 * blocks, u)
    u_v, tiny_v = 0.0, 0.0
    if rounded in ("f16", "bf16"):
        u_v = dtypes.FLOATS[rounded].unit_roundoff
        tiny_v = 0.5 * dtypes.FLOATS[rounded].smallest_subnormal
    weights = np.where(live, p, 0.0)
    av, ev = np.abs(clean(vv)), clean(ev)
    total = (weights * relative).sum(-1, keepdims=True) + chain + u_v
    out = (np.matmul(weights * (relative + chain + u_v), av + ev)
           + np.matmul(weights, ev)
           + np.matmul((tiny_v + FLUSH) * live, av)
           + np.abs(clean(to_bhsd(result, layout))) * total * (1 + total))
    lse_error = (total[..., 0] * (1 + total[..., 0])
                 + 8 * u * (1.0 + np.abs(top[..., 0])))
    return to_bhsd(out, layout), lse_error


# Position: cosine and sine may be off by 4u each, the two products and their
# sum by 3u. The constants may come from double arithmetic: the angle is then
# off by 2^-50 of its size before it is reduced to one turn.

def rope(x, pos, u, base, dim=None, style="half", scaling=("none",),
         layout="bhsd"):
    value = np.abs(attention_oracle.to_bhsd(x.value, layout))
    error = attention_oracle.to_bhsd(x.error, layout)
    dim = value.shape[3] if dim is None else dim
    strength = position.magnitude(scaling)
    speed = np.array([float(f) for f in
                      position.frequencies(base, dim, scaling)])
    angle = np.abs(np.asarray(pos, np.float64))[..., None] \
        * (speed * 2.0 ** -50 + 2.0 ** -60)
    relative = strength * (7 * u + angle[:, None])
    first, second = position.pairs(dim, style)
    both = value[..., first] + value[..., second]
    moved = (error[..., first] + error[..., second]) * strength
    result = np.array(error)
    for side in (first, second):
        result[..., side] = both * relative + moved * (1 + 7 * u)
    return attention_oracle.to_bhsd(result, layout)
