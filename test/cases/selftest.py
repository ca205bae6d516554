#===- selftest.py - The tests of the tests -------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Runs without a compiler. The element types against numpy's, erf against the C
# library's, the ops against the properties the dialect states and against slow
# loops; then the judge: over the whole table an honest f32 computation passes,
# results with one wrong element, with swapped rows or of zeros do not, and each
# of a list of plausible mistakes is caught by some case.
#
#===----------------------------------------------------------------------===#

import contextlib
import functools
import math
import os
import re
import subprocess
import sys
import traceback
import warnings

import numpy as np

from oracle import (activation, attention, cache, dtypes, foreign, linear,
                    norm, position, special)

from cases import (compare, emit, evaluate, judge, mutants, network_cases,
                   table, tools)
from cases.byte_sums_selftest import (  # noqa: F401 (main finds them)
    check_byte_sums_by_hand, check_byte_sums_stay_within_their_bound,
    check_wrong_byte_sums_are_noticed)
from cases.quant_selftest import (  # noqa: F401 (main finds them)
    check_int8_against_loops, check_quality_is_judged,
    check_quant_products_against_loops, check_quant_vectors,
    check_quantizers_by_hand)

RNG = np.random.default_rng(2024)


def _need(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


# Element types.

def check_conversions_agree_with_numpy():
    bits = RNG.integers(0, 1 << 64, 200000, dtype=np.uint64).view(np.float64)
    near = np.ldexp(RNG.normal(size=200000), RNG.integers(-160, 140, 200000))
    given = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504.0, 65519.99, 65520.0,
             2.0 ** -25, 1.5 * 2.0 ** -25, 2.0 ** -149, 2.0 ** -150]
    values = np.concatenate([bits, near, given])
    with np.errstate(all="ignore"):
        for dtype in ("f32", "f16"):
            ours = dtypes.store(values, dtype)
            theirs = values.astype(ours.dtype)
            nan = np.isnan(values)
            _need(np.array_equal(dtypes.codes_of(ours, dtype)[~nan],
                                 dtypes.codes_of(theirs, dtype)[~nan]),
                  f"{dtype} rounds differently from numpy")
            _need(np.isnan(dtypes.load(ours, dtype)[nan]).all(),
                  f"{dtype} loses NaN")


def check_every_code_goes_round():
    for dtype in ("bf16", "f16", "f8E4M3FN", "f8E5M2"):
        form = dtypes.FLOATS[dtype]
        codes = np.arange(1 << form.bits).astype(form.code_type)
        values = dtypes.decode(codes, dtype)
        nan = np.isnan(values)
        _need(np.array_equal(dtypes.encode(values, dtype)[~nan], codes[~nan]),
              f"{dtype}: decoding and encoding changes a code")
        # Ties go to the even code, everything else to the nearer one.
        positive = np.sort(values[np.isfinite(values) & (values >= 0)])
        middle = (positive[:-1] + positive[1:]) / 2
        below = dtypes.encode(positive[:-1], dtype).astype(int)
        tied = dtypes.encode(middle, dtype).astype(int)
        below = below[1:] if positive[0] == positive[1] else below
        middle_up = dtypes.encode(np.nextafter(middle, np.inf), dtype)
        _need((tied % 2 == 0)[1:].all(), f"{dtype}: a tie is not even")
        _need((middle_up.astype(int)[1:] ==
               dtypes.encode(positive[1:], dtype).astype(int)[1:]).all(),
              f"{dtype}: above a tie is not rounded up")


def check_known_values():
    for dtype, value, code in [
            ("bf16", 1.0, 0x3F80), ("bf16", -2.5, 0xC020),
            ("bf16", 3.3895313892515355e38, 0x7F7F), ("bf16", 3.4e38, 0x7F80),
            ("f8E4M3FN", 448.0, 0x7E), ("f8E4M3FN", 2.0 ** -9, 0x01),
            ("f8E5M2", 57344.0, 0x7B), ("f8E5M2", 1e9, 0x7C),
            ("f16", 2.0 ** -24, 0x0001), ("f32", 1.0, 0x3F800000)]:
        got = int(dtypes.encode(np.array([value]), dtype)[0])
        _need(got == code, f"{dtype} of {value} is {got:#x}, not {code:#x}")


def check_ulp_distance():
    x = dtypes.store(np.array([1.0, -0.0, 1.0, np.nan, np.inf, np.nan]), "bf16")
    y = dtypes.store(np.array([1.0 + 2 ** -6, 0.0, -1.0, np.nan, 3e38, 1.0]),
                     "bf16")
    got = dtypes.ulp_distance(x, y, "bf16")
    _need(list(got) == [2, 0, 2 * 0x3F80, 0, np.inf, np.inf], f"{got}")
    one = np.array([1.0])
    _need(dtypes.ulp_distance(one, np.nextafter(one, 2), "f64")[0] == 1, "f64")


# Special functions.

def check_erf_against_the_c_library():
    x = np.concatenate([RNG.normal(0, 3, 20000), np.linspace(-27, 26, 5001),
                        [0.0, 1.9999999999, 2.0, 2.0000000001]])
    for ours, theirs, name in ((special.erf, math.erf, "erf"),
                               (special.erfc, math.erfc, "erfc")):
        want = np.array([theirs(v) for v in x])
        far = dtypes.ulp_distance(ours(x), want, "f64")[np.abs(want) > 1e-290]
        _need(far.max() <= 8, f"{name} is {far.max():g} ulp off")
    s = special.sigmoid(np.array([-800.0, -40.0, 0.0, 40.0, np.nan]))
    _need(s[0] == 0 and abs(s[1] / math.exp(-40) - 1) < 1e-15 and s[2] == 0.5
          and s[3] == 1 / (1 + math.exp(-40)) and np.isnan(s[4]), f"{s}")


# Ops against slow loops written another way.

def check_linear_against_loops():
    a, b = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(4, 5))
    want = [[[math.fsum(a[i, m, k] * b[k, n] for k in range(4))
              for n in range(5)] for m in range(3)] for i in range(2)]
    for got in (linear.matmul(a, b), linear.matmul(np.swapaxes(a, 1, 2), b.T,
                                                   True, True),
                linear.linear(a, b), linear.linear(a, b.T, transpose_b=True)):
        _need(np.allclose(got, want, 1e-14, 1e-14), "linear")
    bias = RNG.normal(size=5)
    _need(np.allclose(linear.linear(a, b, bias, "relu"),
                      np.maximum(np.array(want) + bias, 0), 1e-14, 1e-14),
          "bias and relu")
    inf = linear.matmul(np.array([[np.inf, 1.0]]), np.array([[0.0], [1.0]]))
    _need(np.isnan(inf).all(), "inf times 0 is NaN")


def check_norms_against_loops():
    x, g, b = RNG.normal(3, 2, (2, 7)), RNG.normal(size=7), RNG.normal(size=7)
    for row, rms, layer, unit, clamped, soft in zip(
            x, norm.rms_norm(x, g, 0.1), norm.layer_norm(x, g, b, 0.1),
            norm.l2_norm(x, 0.1), norm.l2_norm(x, 100.0), norm.softmax(x)):
        square = math.fsum(v * v for v in row) / 7
        mean = math.fsum(row) / 7
        var = math.fsum((v - mean) ** 2 for v in row) / 7
        total = math.fsum(math.exp(v) for v in row)
        for j in range(7):
            _need(abs(rms[j] - g[j] * row[j] / math.sqrt(square + 0.1)) < 1e-13
                  and abs(layer[j] - (g[j] * (row[j] - mean)
                                      / math.sqrt(var + 0.1) + b[j])) < 1e-13
                  and abs(unit[j] - row[j] / math.sqrt(7 * square)) < 1e-14
                  and abs(clamped[j] - row[j] / 100) < 1e-14
                  and abs(soft[j] - math.exp(row[j]) / total) < 1e-14, "norm")


def check_attention_against_loops():
    b, hq, hkv, sq, skv, d = 2, 4, 2, 3, 6, 5
    q, k, v = (RNG.normal(size=s) for s in
               ((b, hq, sq, d), (b, hkv, skv, d), (b, hkv, skv, d)))
    mask, sinks = RNG.normal(size=(1, hq, 1, skv)), RNG.normal(size=hq)
    lengths, scale, cap, window = [5, 2], 0.3, 2.0, 2
    out, lse = attention.attention(q, k, v, mask, lengths, sinks, scale, True,
                                   window, cap)
    swap = (0, 2, 1, 3)
    other, _ = attention.attention(q.transpose(swap), k.transpose(swap),
                                   v.transpose(swap), mask, lengths, sinks,
                                   scale, True, window, cap, "bshd")
    _need(np.array_equal(other.transpose(swap), out), "layouts differ")
    for n, h, i in np.ndindex(b, hq, sq):
        g, shift = h // (hq // hkv), lengths[n] - sq
        seen = [j for j in range(skv) if j < lengths[n] and j <= i + shift
                and j > i + shift - window]
        s = [cap * math.tanh(scale * math.fsum(q[n, h, i] * k[n, g, j]) / cap)
             + mask[0, h, 0, j] for j in seen]
        total = math.fsum([math.exp(t) for t in s] + [math.exp(sinks[h])])
        want = sum((math.exp(t) / total * v[n, g, j]
                    for t, j in zip(s, seen)), np.zeros(d))
        _need(np.allclose(out[n, h, i], want, 1e-12, 1e-12), "attention")
        _need(abs(lse[n, h, i] - math.log(total)) < 1e-12, "lse")


def check_windows_against_loops():
    x, w = RNG.normal(size=(2, 9, 8, 3)), RNG.normal(size=(3, 2, 3, 4))
    steps = {"strides": (2, 1), "dilations": (1, 3)}
    apart = foreign.depthwise_conv_2d_nhwc_hwc(x, w[..., 0], 2.0, **steps)
    full = foreign.conv_2d_nhwc_hwcf(x, w, 2.0, **steps)
    total = foreign.pooling_nhwc_sum(x, w[..., 0, 0], 2.0, **steps)
    top = foreign.pooling_nhwc_max(x, w[..., 0, 0], 0.5, **steps)
    _need(full.shape == (2, 4, 5, 4) and apart.shape == (2, 4, 5, 3), "shapes")
    for n, i, j in np.ndindex(2, 4, 5):
        seen = [((a, b), x[n, 2 * i + a, j + 3 * b])
                for a in range(3) for b in range(2)]
        for c in range(3):
            here = [v[c] for _, v in seen]
            _need(abs(apart[n, i, j, c] - 2 - math.fsum(
                v[c] * w[at + (c, 0)] for at, v in seen)) < 1e-13
                and abs(total[n, i, j, c] - 2 - math.fsum(here)) < 1e-13
                and top[n, i, j, c] == max(here + [0.5]), "channels apart")
        for f in range(4):
            _need(abs(full[n, i, j, f] - 2 - math.fsum(
                v[c] * w[at + (c, f)] for at, v in seen
                for c in range(3))) < 1e-13, "convolution")
    turned = foreign.conv_2d_nchw_fchw(x.transpose(0, 3, 1, 2),
                                       w.transpose(3, 2, 0, 1), 2.0, **steps)
    _need(np.allclose(turned.transpose(0, 2, 3, 1), full, 1e-13), "layouts")
    _need(np.array_equal(foreign.conv_1d(np.arange(5), np.array([1, 10]), 100),
                         [110, 121, 132, 143]), "a line")


# The properties the dialect states.

def check_softmax_properties():
    x = RNG.normal(size=(4, 9))
    _need(np.allclose(norm.softmax(x + 5), norm.softmax(x), 1e-13), "shift")
    _need(np.array_equal(norm.softmax(np.full((1, 3), -np.inf)),
                         np.zeros((1, 3))), "a row of -inf gives zeros")
    _need(np.isnan(norm.softmax(np.array([[np.inf, 1.0]]))).all(), "infinity")
    _need(np.allclose(norm.softmax(x, 0), norm.softmax(x.T).T), "axis")


def check_l2_norm_properties():
    x = RNG.normal(size=(4, 9))
    _need(np.allclose(np.linalg.norm(norm.l2_norm(x), axis=-1), 1.0, 1e-14)
          and np.allclose(norm.l2_norm(7 * x), norm.l2_norm(x), 1e-13),
          "rows have length 1 at any scale")
    zeros = np.zeros((1, 3))
    _need(np.array_equal(norm.l2_norm(zeros, 1e-12), zeros)
          and np.isnan(norm.l2_norm(zeros, 0.0)).all(), "rows of zeros")
    _need(np.isnan(norm.l2_norm(np.array([[np.nan, 1.0]]))).all(), "NaN")
    _need(np.array_equal(norm.l2_norm(np.array([[np.inf, 1.0]])),
                         [[np.nan, 0.0]], True), "infinity")


def check_attention_properties():
    q, k, v = (RNG.normal(size=(2, 2, 8, 4)) for _ in range(3))
    mask = RNG.normal(size=(1, 1, 8, 8))
    whole, _ = attention.attention(q, k, v, mask)
    order = RNG.permutation(8)
    _need(np.allclose(attention.attention(
        q, k[:, :, order], v[:, :, order], mask[..., order])[0], whole, 1e-12),
        "permutation of keys")
    causal, _ = attention.attention(q, k, v, causal=True)
    prefix, _ = attention.attention(q[:, :, :5], k[:, :, :5], v[:, :, :5],
                                    causal=True)
    _need(np.allclose(causal[:, :, :5], prefix, 1e-12), "causal prefix")
    short, lse = attention.attention(q, k, v, kv_len=[3, 5], causal=True)
    dirty = [t.copy() for t in (k, v)]
    for t in dirty:
        t[0, :, 3:], t[1, :, 5:] = np.nan, np.inf
    again, lse2 = attention.attention(q, *dirty, kv_len=[3, 5], causal=True)
    _need(np.array_equal(short, again) and np.array_equal(lse, lse2),
          "rows past kv_len have influence")
    cut, _ = attention.attention(q, k[:, :, :5], v[:, :, :5], causal=True)
    _need(np.allclose(attention.attention(q, k, v, kv_len=[5, 5],
                                          causal=True)[0], cut, 1e-12),
          "sliced and whole caches")
    none, lse = attention.attention(q, k, v, kv_len=[0, 8])
    _need((none[0] == 0).all() and np.isneginf(lse[0]).all()
          and (none[1] != 0).all(), "a query that sees no key gives zeros")
    wide, _ = attention.attention(q, k, v, causal=True, window=100)
    _need(np.array_equal(wide, causal), "a wide window changes nothing")


def check_rope_properties():
    x = RNG.normal(size=(1, 2, 5, 12))
    pos = np.array([[0, 1, 7, 1000, 1000000]])
    for style in ("half", "interleaved"):
        for layout in ("bhsd", "bshd"):
            given = x if layout == "bhsd" else np.swapaxes(x, 1, 2)
            y = position.rope(given, pos, 1e4, 8, style, layout=layout)
            y = y if layout == "bhsd" else np.swapaxes(y, 1, 2)
            _need(np.array_equal(y[..., 8:], x[..., 8:]), "the rest passes")
            _need(np.array_equal(y[:, :, 0], x[:, :, 0]), "position 0")
            _need(np.allclose((y ** 2).sum(-1), (x ** 2).sum(-1), 1e-13),
                  "a rotation keeps lengths")
            first, second = position.pairs(8, style)
            angle = pos[0, 2] * 1e4 ** (-2 * np.arange(4) / 8)
            want = x[0, 0, 2, first] * np.cos(angle) \
                - x[0, 0, 2, second] * np.sin(angle)
            _need(np.allclose(y[0, 0, 2, first], want, 1e-12), "angle")
    # A product of rotated vectors depends on the distance alone.
    a, b = RNG.normal(size=(2, 1, 1, 1, 8))
    dots = [(position.rope(a, np.array([[p + 3]]))
             * position.rope(b, np.array([[p]]))).sum() for p in (0, 999000)]
    _need(abs(dots[0] - dots[1]) < 1e-10, "relative positions")
    # The C library reduces 10^6 radians exactly.
    angle = position.angles(np.array([1000000]), 1e4, 8)[0, 0]
    _need(abs(math.sin(angle) - math.sin(1e6)) < 1e-12, f"10^6 rad: {angle}")
    linear_scaled = position.frequencies(1e4, 8, ("linear", 4.0))
    _need(all(abs(float(f) * 4 - 1e4 ** (-2 * i / 8)) < 1e-15
              for i, f in enumerate(linear_scaled)), "linear scaling")
    for kind in (("llama3", 8.0, 1.0, 4.0, 8192.0),
                 ("yarn", 8.0, 4096.0, 32.0, 1.0, 1.2)):
        plain = position.frequencies(1e4, 64)
        scaled = position.frequencies(1e4, 64, kind)
        ratio = [float(s / p) for s, p in zip(scaled, plain)]
        _need(ratio[0] == 1.0 and abs(ratio[-1] - 0.125) < 1e-15
              and all(a >= b for a, b in zip(ratio, ratio[1:]))
              and any(0.13 < r < 0.99 for r in ratio), f"{kind[0]}: {ratio}")


def check_activations():
    x = np.array([-np.inf, -3.0, -0.0, 0.5, np.inf, np.nan])
    for name, function in (("gelu", activation.gelu), ("silu", activation.silu),
                           ("relu", activation.relu)):
        y = function(x)
        _need(np.isnan(y[5]) and y[4] == np.inf and y[2] == 0, name)
    _need(abs(activation.gelu(np.array([1.0]))[0] - 0.8413447460685429) < 1e-15
          and abs(activation.gelu(np.array([1.0]), "tanh")[0]
                  - 0.8411919906082768) < 1e-15, "gelu(1)")
    _need(not np.signbit(activation.relu(x)[2]), "relu(-0) is +0")


def check_kv_append():
    old, new = np.arange(24.0).reshape(1, 2, 4, 3), -np.ones((1, 2, 2, 3))
    got = cache.kv_append(old, new, [1])
    _need((got[:, :, 1:3] == -1).all() and (got[:, :, 0] == old[:, :, 0]).all()
          and (got[:, :, 3] == old[:, :, 3]).all(), "kv_append")
    for start in (-1, 3):
        with contextlib.suppress(ValueError):
            cache.kv_append(old, new, [start])
            raise AssertionError(f"position {start} was accepted")


# The table and the judge.

def check_table_is_as_promised():
    cases = table.all_cases()
    _need(len(cases) >= 1000, f"{len(cases)} cases")
    linear_family = [c for c in cases if c.family in ("linear", "cache")]
    exact = sum(c.tier == "exact" for c in linear_family)
    _need(exact >= 0.4 * len(linear_family), "fewer than 40 % are exact")
    for op in ("matmul", "linear", "relu", "gelu", "silu", "sigmoid", "tanh",
               "swiglu", "geglu", "rms_norm", "layer_norm", "l2_norm",
               "softmax", "attention", "rope", "kv_append", "quantize",
               "dequantize", "quant_gemv", "quant_matmul", "int8_matmul"):
        for dynamic in (False, True):
            _need(any(c.op == op and c.dynamic == dynamic for c in cases),
                  f"no case of {op}, dynamic: {dynamic}")
    texts = {}
    for case in cases:
        name, text = emit.function_name(case), emit.function_text(case)
        _need(texts.setdefault(name, text) == text, f"{name} is two functions")
        for twin, _ in case.variants:
            _need(emit.function_name(twin) == name, f"{case.id}: other text")
    again = table.all_cases()[len(cases) // 3]
    first = cases[len(cases) // 3]
    a, b = evaluate.inputs_of(first), evaluate.inputs_of(again)
    _need(all(np.array_equal(a[n], b[n], True) for n in a), "inputs vary")


def check_groups_are_shared_evenly():
    cases = table.chosen(sample=45)     # and some ops that these leave out
    functions = len({emit.function_name(case) for case in cases})
    for size, jobs, count in ((60, 1, 2), (60, 2, 2), (100, 1, 1), (100, 2, 2),
                              (25, 2, 4), (25, 3, 3), (1, 64, functions)):
        parts = list(judge.groups(cases, size, jobs))
        _need(len(parts) == count, f"{len(parts)} groups, not {count}")
        _need(sorted(c.id for part in parts for c in part)
              == sorted(c.id for c in cases), "cases are lost")


class _Rounds(tools.Tools):
    """A runner whose results change in the third round."""

    def __init__(self, right, changes):
        super().__init__("aikc", "aik-run", "", "")
        self.right, self.changes = right, changes

    def compile(self, name, cases):
        yield "artifact", cases, None

    def run(self, name, artifact, calls, isa, donate, rounds=1):
        answers = [([r.copy() for r in self.right], None)
                   for _ in range(rounds * len(calls))]
        if self.changes and rounds > 2:
            answers[2 * len(calls)][0][0].flat[-1] += 1
        return answers


def check_rounds_are_compared():
    case = table.chosen(["matmul.f32-f32-f32.3x5x7.static.exact"])[0]
    right = [e.stored for e in evaluate.expected(case,
                                                 evaluate.inputs_of(case))]
    for changes, rounds, passes in ((False, 3, True), (True, 2, True),
                                    (True, 3, False)):
        verdict, = judge.judge(_Rounds(right, changes), [case], ["best"], 1, 1,
                               rounds=rounds)
        _need((verdict.sentence is None) == passes,
              f"{rounds} rounds: {verdict.sentence}")
        _need(passes or verdict.sentence == "run 3: result 0 has other bits",
              verdict.sentence)


class _Copies(tools.Tools):
    """A runner that is right in place, and on copies if it is told to be."""

    def __init__(self, right_on_copies):
        super().__init__("aikc", "aik-run", "", "")
        self.right_on_copies, self.results = right_on_copies, {}

    def compile(self, name, cases):
        for case in cases:
            for twin, inputs in judge.runs(case):
                key = self._key(emit.function_name(case),
                                [inputs[i.name] for i in twin.inputs])
                self.results[key] = [
                    e.stored for e in evaluate.expected(twin, inputs)]
        yield "artifact", cases, None

    @staticmethod
    def _key(function, inputs):
        return function, *(array.tobytes() for array in inputs)

    def run(self, name, artifact, calls, isa, donate, rounds=1):
        answers = []
        for function, inputs, _ in calls:
            arrays = [r.copy() for r in self.results[self._key(function,
                                                               inputs)]]
            if not donate and not self.right_on_copies:
                arrays[0].flat[-1] *= -1
            answers.append((arrays, None))
        return answers


def check_copies_are_judged():
    """Of cases that donate alone, which stand among others with several
    calls."""
    every = table.all_cases()
    donating = [c for c in every if c.op == "kv_append" and not c.fails and
                any("donate" in i.attributes for i in c.inputs)][:2]
    varied = [c for c in every if c.variants and not c.fails][:2]
    cases = [varied[0], donating[0], varied[1], donating[1]]
    wanted = {(c.id, isa) for c in cases for isa in ("best", "best/copied")
              if isa == "best" or c in donating}
    for right in (True, False):
        verdicts = judge.judge(_Copies(right), cases, ["best"], 4, 1)
        _need({(v.case.id, v.isa) for v in verdicts} == wanted,
              f"verdicts on {[(v.case.id, v.isa) for v in verdicts]}")
        for verdict in verdicts:
            passes = right or verdict.isa == "best"
            _need((verdict.sentence is None) == passes,
                  f"{verdict.case.id} [{verdict.isa}]: {verdict.sentence}")


#: Elements of a case beyond which it only repeats, slowly, what smaller ones of
#: its op have shown.
LARGE = 200000


@functools.lru_cache(maxsize=None)
def _judged():
    """(case, inputs, expectations) of all but large cases that give results."""
    judged = []
    for case in table.all_cases():
        if not case.fails and table.elements(case) <= LARGE:
            inputs = evaluate.inputs_of(case)
            judged.append((case, inputs, evaluate.expected(case, inputs)))
    return judged


def _rejects(got, expected, id, what):
    _need(compare.mismatch(got, expected) is not None,
          f"{id}: {what} would pass")


def check_broken_results_are_rejected():
    zeros = 0
    for case, inputs, expectations in _judged():
        for expected in expectations:
            right = expected.stored
            _need(compare.mismatch(right, expected) is None, case.id)
            if right.size == 0:
                continue
            value = dtypes.load(right, expected.dtype)
            lively = np.isfinite(value) & (value != 0) if \
                dtypes.is_float(expected.dtype) else value != 0
            if case.tier in ("exact", "bounded", "elementwise"):
                zeros += lively.mean() < 0.2
            if lively.mean() > 0.2 and lively.sum() > 1 \
                    and expected.compare != "quality":
                _rejects(np.zeros_like(right), expected, case.id, "all zeros")
            place = np.flatnonzero(lively)
            if place.size and expected.compare != "quality":
                wrong = right.copy()
                at = place[place.size // 2]
                wrong.reshape(-1)[at] = _far_from(expected, at)
                _rejects(wrong, expected, case.id, "a wrong element")
            rows = right.reshape(-1, right.shape[-1]) if right.ndim else None
            if rows is not None and len(rows) > 2 and _apart(expected):
                _rejects(np.roll(rows, 1, 0).reshape(right.shape), expected,
                         case.id, "shifted rows")
            if right.ndim:
                _rejects(right[..., :-1], expected, case.id, "a short result")
    _need(zeros < 20, f"{zeros} results are mostly zeros")


def _far_from(expected, at):
    """A stored value outside what is allowed for element `at`, just so."""
    value = float(dtypes.load(expected.stored, expected.dtype).reshape(-1)[at])
    if expected.compare == "bounded":
        slack = 1.01 * float(expected.limit.reshape(-1)[at])
        slack += 2 * float(dtypes.rounding_error(abs(value) + slack,
                                                 expected.dtype))
    elif expected.compare == "ulp":
        form = dtypes.FLOATS[expected.dtype]
        steps = float(expected.limit.reshape(-1)[at]) + 2
        slack = steps * 4 * max(form.unit_roundoff * abs(value),
                                form.smallest_subnormal)
        slack += 2 * float(expected.absolute.reshape(-1)[at])
    else:
        slack = max(1.0, abs(value))
        if not dtypes.is_float(expected.dtype):
            return expected.stored.reshape(-1)[at] ^ 1
    return dtypes.store(np.array([value + slack]), expected.dtype)[0]


def _apart(expected):
    """Whether neighbouring rows differ by more than the tolerance."""
    rows = dtypes.load(expected.stored, expected.dtype)
    rows = rows.reshape(-1, rows.shape[-1])
    with np.errstate(invalid="ignore"):
        gap = np.abs(rows - np.roll(rows, 1, 0))
        slack = 4 * np.abs(expected.limit.reshape(gap.shape)) \
            if expected.compare == "bounded" else 1e-2 * np.abs(rows)
        return bool((gap > slack + 1e-30).any())


def check_bounds_are_tight_enough():
    """Half of a result's allowed errors lie well below its values."""
    loose = []
    for case, inputs, expectations in _judged():
        for expected in expectations:
            if expected.compare != "bounded" or not expected.stored.size \
                    or case.tier == "edge":
                continue
            fine = np.isfinite(expected.value)
            size = np.sqrt(np.mean(expected.value[fine] ** 2))
            ratio = np.median(expected.limit[fine]) / max(size, 1e-30)
            u = max(dtypes.FLOATS[d].unit_roundoff for d in
                    (case.inputs[0].type.dtype, expected.dtype))
            if ratio > max(64 * u, 1e-3):
                loose.append((ratio, case.id))
    _need(not loose, f"{len(loose)} bounds are loose, worst "
          f"{max(loose) if loose else ''}")


def check_networks_are_judged():
    """Random networks whose results could be anything would say nothing."""
    for seed in range(10):
        case = network_cases.networks(seed)[0]
        for expected in evaluate.expected(case):
            size = expected.value - expected.value.mean()
            size = np.sqrt(np.mean(size ** 2)) or np.abs(expected.value).max()
            ratio = np.median(expected.limit) / size
            _need(ratio < 0.3, f"{case.id}: {ratio:.2f} of its size is allowed")


def check_honest_kernels_pass():
    """f32 arithmetic, rounded at each op, is within every bound."""
    for case, inputs, expectations in _judged():
        types = (case.inputs[0].type.dtype,
                 case.types[case.outputs[0]].dtype)
        if case.compare == "ulp" or "f64" in types:
            continue
        got = mutants.compute(case, inputs, np.float32)
        for result, expected in zip(got, expectations):
            sentence = compare.mismatch(result, expected)
            _need(sentence is None, f"{case.id}: {sentence}")


def check_mistakes_are_caught():
    for name, op, mistake in mutants.MISTAKES:
        with mutants.installed(mistake):
            caught = any(
                compare.mismatch(g, e) is not None
                for case, inputs, expectations in _judged()
                if len(case.nodes) == 1 and case.nodes[0].op == op
                for g, e in zip(mutants.compute(case, inputs, np.float64),
                                expectations))
        _need(caught, f"no case notices: {name}")


def check_relations_notice():
    """Properties hold for right results and break for wrong ones."""
    for case in table.all_cases():
        if not case.relation:
            continue
        inputs = evaluate.inputs_of(case)
        (twin, derive), = case.variants
        other = derive(inputs)
        wanted = evaluate.expected(case, inputs), evaluate.expected(twin, other)
        results = [[e.stored for e in side] for side in wanted]
        _need(case.relation(*results, *wanted) is None, case.id)
        broken = [_scrambled(e) for e in wanted[1]]
        _need(case.relation(results[0], broken, *wanted) is not None,
              f"{case.id}: a broken second run would pass")


def check_choices_of_nothing_are_refused():
    """A choice without cases gets a sentence and the status of wrong usage."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                          "run_cases.py")
    for words, sentence in ((["--filter", "no such case"], "no case matches"),
                            (["--filter", "rope", "--skip", "rope"],
                             "no case matches"),
                            (["--only", "no such case"], "no case is called"),
                            (["--sample", "0"], "at least 1")):
        run = subprocess.run([sys.executable, script, *words],
                             capture_output=True, text=True)
        _need(run.returncode == 2 and sentence in run.stderr,
              f"{words}: {run.returncode} {run.stderr}")


def check_samples_have_every_op():
    """However few: the ops of the dialect are read from its definition."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                          "..", "include", "AIKernel", "Dialect", "AIKernel")
    defined = set()
    for name in ("Activation", "Attention", "Linear", "Norm", "Quant"):
        with open(os.path.join(folder, name + "Ops.td")) as file:
            defined |= set(re.findall(
                r'AIKernel_(?:Compute|Unary|Gated|QuantProduct)Op<"(\w+)"',
                file.read()))
    _need(len(defined) >= 20, f"only {sorted(defined)} are found")
    for count in (1, 50):
        sample = table.chosen(sample=count)
        ops = {node.op for case in sample for node in case.nodes}
        missing = {op for op in defined if op not in ops}
        _need(not missing, f"a sample of {count} has no {sorted(missing)}")
        _need(count <= len(sample) <= count + len(ops),
              f"a sample of {count} has {len(sample)} cases")


def check_kinds_are_told_by_all_but_numbers():
    product = "matmul.{}.{}.exact"
    names = [product.format(*words) for words in (
        ("f32-f32-f32", "3x5x7.static"), ("f32-f32-f32", "17x31x15.dynamic"),
        ("f16-f16-f16", "3x5x7.static"), ("f32-f32-f32", "5x7x3.tb.dynamic"))]
    small, large, *others = [emit.kind(c) for c in table.chosen(names)]
    _need(small == large, "sizes make kinds")
    _need(len({small, *others}) == 3, "types or attributes make no kinds")
    chosen = table.chosen(kinds=True)
    kinds = {emit.kind(case) for case in table.all_cases()}
    _need(len(chosen) == len(kinds) and {emit.kind(c) for c in chosen} == kinds,
          f"{len(chosen)} cases for {len(kinds)} kinds")
    more = table.chosen(kinds=True, sample=len(kinds) + 700)
    ids = [case.id for case in more]
    _need(len(more) == len(kinds) + 700 and len(set(ids)) == len(ids),
          f"{len(more)} cases for {len(kinds)} kinds and 700 others")
    _need({case.id for case in chosen} <= set(ids), "kinds are left out")


def check_small_cases_are_small():
    small = table.chosen(small=True)
    _need(0 < len(small) < len(table.all_cases()), "none is small, or all are")
    _need(all(table.elements(c) < table.SMALL_ELEMENTS for c in small),
          "large cases are among the small ones")
    _need({node.op for case in small for node in case.nodes} ==
          {node.op for case in table.all_cases() for node in case.nodes},
          "an op has no small case")


def _scrambled(expected):
    value = dtypes.load(expected.stored, expected.dtype)
    return dtypes.store(np.where(np.isfinite(value), value * 2 + 3, 5.0),
                        expected.dtype)


def main():
    passed = failed = 0
    warnings.simplefilter("error")
    for name, check in list(globals().items()):
        if not name.startswith("check_"):
            continue
        try:
            check()
            passed += 1
        except AssertionError as error:
            failed += 1
            print(f"FAIL {name[6:]}: {error}")
        except Exception:
            failed += 1
            print(f"FAIL {name[6:]}: {traceback.format_exc()}")
        sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
