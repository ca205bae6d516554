#===- mutants.py - Kernels with a mistake --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# For the self-test: computes a case as a simple kernel would, in a given
# arithmetic, with one op of the oracle replaced by a plausible mistake. Each
# mistake must be noticed by some case of the table.
#
#===----------------------------------------------------------------------===#

import contextlib

import numpy as np

from oracle import (activation, attention, cache, dtypes, foreign, linear,
                    norm, position, quant)

from cases import evaluate


def compute(case, inputs, arithmetic):
    """Stored results; every op computes in `arithmetic` and is rounded."""
    stored = dict(inputs)
    for node in case.nodes:
        if node.op == "kv_append":
            results = [cache.kv_append(*(stored[n] for n in node.names()),
                                       **evaluate._attributes(node))]
        else:
            values = {}
            for name in node.names():
                value = dtypes.load(stored[name], case.types[name].dtype)
                wide = dtypes.is_float(case.types[name].dtype)
                values[name] = value.astype(arithmetic) if wide else value
            results = evaluate._apply(node, values)
        for name, result in zip(node.results, results):
            type = case.types[name]
            if node.op != "kv_append":
                result = evaluate.finished(
                    node, np.asarray(result, np.float64), type.dtype)
                result = dtypes.store(result, type.dtype)
            stored[name] = result.reshape(type.shape)
    return [stored[o] for o in case.outputs]


@contextlib.contextmanager
def installed(mistake):
    """`mistake` is (module, name, function): put in place, then taken out."""
    module, name, function = mistake
    original = getattr(module, name)
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, original)


def _wrong(module, name, change):
    """The op with `change(original, *operands, **attributes)` instead."""
    original = getattr(module, name)
    return module, name, lambda *a, **k: change(original, *a, **k)


def _narrow_sums(original, a, b, **k):
    """Partial sums kept in bf16."""
    if k.get("transpose_a"):
        a = np.swapaxes(a, -1, -2)
    if k.get("transpose_b"):
        b = np.swapaxes(b, -1, -2)
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    total = np.zeros(shape + (a.shape[-2], b.shape[-1]))
    with np.errstate(invalid="ignore"):
        for i in range(a.shape[-1]):
            total = dtypes.round_to(
                total + a[..., :, i:i + 1] * b[..., i:i + 1, :], "bf16")
    return total


def _lost_tail(original, a, b, **k):
    """The last element of a sum that is not a multiple of 4 is left out."""
    inner = a.shape[-2 if k.get("transpose_a") else -1]
    if inner % 4 == 0 or inner < 4:
        return original(a, b, **k)
    keep = slice(0, inner - 1)
    a = a[..., keep, :] if k.get("transpose_a") else a[..., keep]
    b = b[..., keep] if k.get("transpose_b") else b[..., keep, :]
    return original(a, b, **k)


def _first_batch(original, a, b, **k):
    """Every batch of b is its first one."""
    if b.ndim > 2 and b.size:
        b = np.broadcast_to(b[(0,) * (b.ndim - 2)], b.shape)
    return original(a, b, **k)


def _bias_after(original, x, w, bias=None, activation="none", **k):
    y = original(x, w, None, activation, **k)
    return y if bias is None else y + bias


def _unbiased(original, x, gamma, beta, eps):
    n = x.shape[-1]
    if n < 2:
        return original(x, gamma, beta, eps)
    with np.errstate(all="ignore"):
        centred = x - x.mean(-1, keepdims=True)
        var = (centred ** 2).sum(-1, keepdims=True) / (n - 1)
        return gamma * centred / np.sqrt(var + eps) + beta


def _eps_outside(original, x, gamma, eps):
    with np.errstate(all="ignore"):
        return gamma * x / (np.sqrt((x * x).mean(-1, keepdims=True)) + eps) \
            if x.size else x


def _eps_added(original, x, eps):
    """eps as rms_norm has it, inside the root."""
    with np.errstate(all="ignore"):
        return x / np.sqrt((x * x).sum(-1, keepdims=True) + eps)


def _number_maximum(original, x, eps):
    """A maximum that prefers numbers to NaN."""
    with np.errstate(all="ignore"):
        length = np.sqrt((x * x).sum(-1, keepdims=True))
        return x / np.fmax(length, eps)


def _no_maximum(original, x, axis=-1):
    with np.errstate(all="ignore"):
        e = np.exp(x.astype(np.float32))
        return e / e.sum(axis=axis, keepdims=True)


def _float_angles(pos, base, dim, scaling=("none",)):
    """pos * frequency in f32: wrong far out."""
    f = np.array([float(v) for v in position.frequencies(base, dim, scaling)],
                 np.float32)
    return (np.asarray(pos)[..., None].astype(np.float32) * f).astype(float)


def _top_left(original, batch, queries, keys, kv_len=None, causal=False,
              window=None):
    """Causal aligned at the first key instead of the last."""
    seen = original(batch, queries, keys, kv_len)
    if causal:
        seen &= np.tril(np.ones((queries, keys), bool))
    return seen


def _interleaved(bytes):
    """Neighbours in one byte instead of halves of the block."""
    return np.stack([bytes & 15, bytes >> 4], -1).reshape(
        bytes.shape[:-1] + (2 * bytes.shape[-1],))


def _scales_of_six(original, s):
    """The scales of the second half without their upper bits."""
    return tuple(np.where(np.arange(8) < 4, t, t & 15) for t in original(s))


def _unrounded_scale(original, x, format):
    """The scale of activations kept in f32."""
    codes, scale, total = original(x, format)
    elements = quant.block_of(format)[0]
    blocks = np.abs(np.asarray(x)).reshape(codes.shape[:-1] + (elements,))
    return codes, blocks.max(-1, keepdims=True) / 127, total


def _start_again(original, x, dimensions, combiner, start):
    """Each of two parts begins with what the destination holds."""
    half = x.shape[dimensions[0]] // 2
    parts = [original(part, dimensions, combiner, start)
             for part in np.split(x, [half], dimensions[0])]
    return parts[0] + parts[1] if combiner in ("sum", "squares") else \
        original(np.stack(parts), (0,), combiner, start)


def _wrong_way(original, x, permutation=(1, 0)):
    return original(x, np.argsort(permutation))


def _upside_down(original, x, shape, *steps):
    """Windows that are turned around, as mathematics defines convolutions."""
    for (i, j), part in original(x, shape, *steps):
        yield (shape[0] - 1 - i, shape[1] - 1 - j), part


def _change(**fixed):
    return lambda original, *a, **k: original(*a, **{**k, **fixed})


def _without(*names):
    return lambda original, *a, **k: original(
        *a, **{n: v for n, v in k.items() if n not in names})


#: (what is wrong, op, mistake)
MISTAKES = [
    ("sums in bf16", "matmul", _wrong(linear, "matmul", _narrow_sums)),
    ("a lost tail", "matmul", _wrong(linear, "matmul", _lost_tail)),
    ("one batch for all", "matmul", _wrong(linear, "matmul", _first_batch)),
    ("transpose_a ignored when square", "matmul", _wrong(
        linear, "matmul", lambda original, a, b, **k: original(
            a, b, **{**k, "transpose_a": False}) if k.get("transpose_a")
        and a.shape[-1] == a.shape[-2] else original(a * 1.0000001, b, **k))),
    ("bias after the activation", "linear",
     _wrong(linear, "linear", _bias_after)),
    ("bias forgotten", "linear", _wrong(linear, "linear", _without("bias"))),
    ("activation forgotten", "linear",
     _wrong(linear, "linear", _without("activation"))),
    ("gelu by tanh", "gelu", _wrong(activation, "gelu",
                                    _change(approximate="tanh"))),
    ("gelu by erf", "gelu", _wrong(activation, "gelu",
                                   _change(approximate="none"))),
    ("silu as relu", "silu", _wrong(activation, "silu",
                                    lambda original, x: np.maximum(x, 0))),
    ("relu drops NaN", "relu", _wrong(activation, "relu", lambda original, x:
                                      np.fmax(x, 0))),
    ("sigmoid by tanh, which loses the left tail", "sigmoid", _wrong(
        activation, "sigmoid", lambda original, x: 0.5 * (1 + np.tanh(
            0.5 * x)))),
    ("tanh as x below 2^-6", "tanh", _wrong(
        activation, "tanh", lambda original, x: np.where(
            np.abs(x) < 2.0 ** -6, x, original(x)))),
    ("gate and up exchanged", "swiglu", _wrong(
        activation, "swiglu", lambda original, g, u: original(u, g))),
    ("eps outside the root", "rms_norm",
     _wrong(norm, "rms_norm", _eps_outside)),
    ("no gamma", "rms_norm", _wrong(norm, "rms_norm", lambda o, x, g, **k:
                                    o(x, np.ones_like(g), **k))),
    ("unbiased variance", "layer_norm",
     _wrong(norm, "layer_norm", _unbiased)),
    ("eps added instead of a maximum", "l2_norm",
     _wrong(norm, "l2_norm", _eps_added)),
    ("mean instead of sum", "l2_norm", _wrong(
        norm, "l2_norm", lambda o, x, eps: o(x, eps) * np.sqrt(x.shape[-1]))),
    ("no maximum with eps", "l2_norm", _wrong(
        norm, "l2_norm", lambda o, x, eps: o(x, 0.0))),
    ("NaN lost in the maximum", "l2_norm", _wrong(
        norm, "l2_norm", _number_maximum)),
    ("no maximum subtracted", "softmax",
     _wrong(norm, "softmax", _no_maximum)),
    ("axis ignored", "softmax", _wrong(norm, "softmax", _without("axis"))),
    ("scale ignored", "attention",
     _wrong(attention, "attention", _without("scale"))),
    ("softcap ignored", "attention",
     _wrong(attention, "attention", _without("softcap"))),
    ("window ignored", "attention",
     _wrong(attention, "attention", _without("window"))),
    ("sinks ignored", "attention",
     _wrong(attention, "attention", _without("sinks"))),
    ("kv_len ignored", "attention",
     _wrong(attention, "attention", _without("kv_len"))),
    ("mask ignored", "attention",
     _wrong(attention, "attention", _without("mask"))),
    ("causal aligned at the top left", "attention",
     _wrong(attention, "visible_keys", _top_left)),
    ("key heads repeated the wrong way", "attention", _wrong(
        attention, "attention", lambda o, q, k, v, **a: o(
            q, *(np.flip(t, 1 if a.get("layout") != "bshd" else 2)
                 for t in (k, v)), **a))),
    ("angles in f32", "rope", (position, "angles", _float_angles)),
    ("styles exchanged", "rope", _wrong(position, "rope",
                                        _change(style="interleaved"))),
    ("scaling ignored", "rope", _wrong(position, "rope",
                                       _without("scaling"))),
    ("turned the other way", "rope", _wrong(
        position, "rope", lambda o, x, pos, **k: o(x, -np.asarray(pos), **k))),
    ("appended one row late", "kv_append", _wrong(
        cache, "kv_append", lambda o, c, n, pos, **k: o(
            c, n, np.maximum(np.asarray(pos) - 1, 0), **k))),
    ("layout ignored", "kv_append", _wrong(
        cache, "kv_append", lambda o, c, n, pos, **k: c)),
    ("nibbles of neighbours", "dequantize",
     (quant, "_two_halves", _interleaved)),
    ("fifth bits backwards", "dequantize", _wrong(
        quant, "_bits32", lambda o, b: o(b)[..., ::-1])),
    ("upper bits of scales lost", "dequantize",
     _wrong(quant, "_k_scales", _scales_of_six)),
    ("high bits of q6_k without their low ones", "dequantize", _wrong(
        quant, "_q6_codes", lambda o, low, high: o(low, high & 0x55))),
    ("zero points ignored", "dequantize",
     _wrong(quant, "dequantize", _without("zeros"))),
    ("numbers of e2m1 not doubled", "dequantize",
     (quant, "E2M1_DOUBLED", quant.E2M1_DOUBLED / 2)),
    ("activations halfway to even", "quant_gemv",
     (quant, "_away", np.rint)),
    ("scale of activations not rounded", "quant_gemv",
     _wrong(quant, "quantize_activations", _unrounded_scale)),
    ("float activations instead", "quant_matmul",
     _wrong(quant, "quant_matmul", _without("activations"))),
    ("halves to even", "quantize", (quant, "_away", np.rint)),
    ("inverse of the rounded scale", "quantize", _wrong(
        quant, "_inverse", lambda o, d: o(d.astype(np.float16).astype(
            np.float32)))),
    ("magnitude without a sign", "quantize", _wrong(
        quant, "_largest", lambda o, x: np.abs(o(x)))),
    ("one zero point for both", "int8_matmul", _wrong(
        quant, "int8_matmul", lambda o, *a, zero_a=0, zero_b=0, **k: o(
            *a, zero_a=zero_a, **k))),
    ("scales of rows for columns", "int8_matmul", _wrong(
        quant, "int8_matmul", lambda o, a, b, sa, sb, **k: o(
            a, b, sa[:1], sb, **k))),
    ("parts that start again", "linalg.reduce",
     _wrong(foreign, "reduce", _start_again)),
    ("a start of zero", "linalg.reduce",
     _wrong(foreign, "reduce", _change(start=0))),
    ("the sum not started", "linalg.vecmat",
     _wrong(foreign, "vecmat", _change(start=0))),
    ("turned the other way", "transpose",
     _wrong(foreign, "transpose", _wrong_way)),
    ("a maximum from zero", "linalg.pooling_nhwc_max",
     _wrong(foreign, "pooling_nhwc_max", _change(start=0))),
    ("windows upside down", "linalg.conv_2d_nchw_fchw",
     _wrong(foreign, "_windows", _upside_down)),
]
