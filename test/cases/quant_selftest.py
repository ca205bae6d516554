#===- quant_selftest.py - The tests of the quantized oracle --------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Part of selftest.py. The oracle's formats against stored vectors, its products
# against slow loops and against the bound of 8-bit activations, its quantizers
# against numbers worked out by hand, and the judge of searching quantizers.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import quant

from cases import compare, evaluate, quant_cases, quant_fills, table
from cases.quant_vectors import VECTORS

RNG = np.random.default_rng(77)


def _need(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


def check_quant_vectors():
    _need(set(VECTORS) == set(quant.BLOCKS), "a format has no vectors")
    for name, (blocks, bits) in VECTORS.items():
        for block, expected in zip(blocks, bits):
            packed = np.frombuffer(bytes.fromhex(block), np.uint8)
            value = quant.dequantize(packed[None], format=(name,))[0]
            want = np.frombuffer(bytes.fromhex(expected), ">u4")
            got = value.astype(np.float32).view(np.uint32)
            _need(len(packed) == quant.BLOCKS[name][1]
                  and np.array_equal(got, want), f"{name}: {value[:8]}")


def _operands(kind, rows, blocks):
    format, has_zeros = kind
    width = quant.block_of(format)[1]
    packed = quant_fills.spread(format)(RNG, (rows, blocks * width), "i8")
    options = {"format": format}
    if format[0] in quant.GROUPED:
        options["scales"] = RNG.normal(size=(rows, blocks))
        if has_zeros:
            options["zeros"] = RNG.integers(-8, 8, (rows, blocks))
    return packed, options


def check_quant_products_against_loops():
    for kind in quant_cases.KINDS:
        size = quant.block_of(kind[0])[0]
        w, options = _operands(kind, 3, 2)
        x = RNG.normal(size=(2, 2 * size))
        weights = quant.dequantize(w, **options)
        got = quant.quant_matmul(x, w, **options)
        want = [[sum(a * b for a, b in zip(row, weight))
                 for weight in weights] for row in x]
        _need(np.allclose(got, want, 1e-12, 1e-12), f"{kind}: f32")
        # Integers are near x, and the product is that of the integers.
        codes, scale, total = quant.quantize_activations(x, kind[0])
        near = (codes * scale).reshape(x.shape)
        step = np.repeat(np.abs(scale[..., 0]), size, -1)
        _need((np.abs(near - x) <= 0.51 * step + 2.0 ** -11 * 127 * step)
              .all(), f"{kind}: activations")
        got = quant.quant_matmul(x, w, **options, activations="q8")
        want = near @ weights.T
        parts = quant.parts(w, **options)
        slack = 1e-9
        if kind[0][0] in ("q4_1", "q5_1"):      # the sum is an f16
            exact = (scale * codes.sum(-1, keepdims=True))[..., 0]
            slack = (np.abs(total[..., 0] - exact)
                     @ np.abs(parts.minimum[..., 0]).T) + 1e-9
            _need((np.abs(total[..., 0] - exact) <= 2.0 ** -9
                   * np.abs(exact) + 1e-6).all(), f"{kind}: f16 sums")
        _need((np.abs(got - want) <= slack + 1e-9 * np.abs(want)).all(),
              f"{kind}: q8 is not the product of its integers")
        # What quantizing activations may cost.
        error = np.abs(got - x @ weights.T)
        bound = (0.52 * step + 0.07 * step) @ np.abs(weights).T
        _need((error <= bound + slack).all(), f"{kind}: q8 costs too much")


def check_int8_against_loops():
    a, b = RNG.integers(-128, 128, (3, 7)), RNG.integers(-128, 128, (4, 7))
    sa, sb = RNG.normal(size=3), RNG.normal(size=1)
    za, zb = np.array([5]), RNG.integers(-128, 128, 4)
    got = quant.int8_matmul(a, b, sa, sb, za, zb, True)
    for m, n in np.ndindex(3, 4):
        total = sum((int(a[m, k]) - 5) * (int(b[n, k]) - int(zb[n]))
                    for k in range(7))
        _need(abs(got[m, n] - total * sa[m] * sb[0]) < 1e-9, "int8_matmul")


def _codes(x, name):
    row = np.zeros(quant.BLOCKS[name][0])
    row[:len(x)] = x
    parts = quant.parts(quant.quantize(row[None], (name,)), (name,))
    return parts.code[0, 0, :len(x)].tolist(), float(parts.scale[0, 0, 0])


def check_quantizers_by_hand():
    _need(_codes([-8, -7, 0, 7], "q4_0") == ([-8, -7, 0, 7], 1.0), "q4_0")
    _need(_codes([8, 7.49, 7.5, -7], "q4_0") == ([-8, -7, -7, 7], -1.0),
          "q4_0 keeps the sign of its largest number")
    _need(_codes([-16, 15, 3.2], "q5_0") == ([-16, 15, 3], 1.0), "q5_0")
    _need(_codes([-127, 0.5, 1.5, -2.5, 2.49], "q8_0")
          == ([-127, 1, 2, -3, 2], 1.0), "q8_0 rounds halves away from zero")
    _need(_codes([15, 0, 7.5, 7.49], "q4_1") == ([15, 0, 8, 7], 1.0), "q4_1")
    _need(_codes([31, 0, 7.5], "q5_1") == ([31, 0, 8], 1.0), "q5_1")
    _need(_codes([6, 5, -0.5, 0.25, 3.5, 2.4], "mxfp4")
          == ([12, 8, -1, 0, 6, 4], 0.5), "mxfp4")
    for name in quant.BLOCKS:
        x = RNG.normal(size=(8, 512))
        back = quant.dequantize(quant.quantize(x, (name,)), format=(name,))
        rms = np.sqrt(np.mean((back - x) ** 2))
        limit = {"q4_0": 0.1, "q4_1": 0.095, "q5_0": 0.05, "q5_1": 0.045,
                 "q8_0": 0.007, "q4_k": 0.09, "q5_k": 0.045, "q6_k": 0.025,
                 "mxfp4": 0.14}[name]
        _need(rms < limit, f"{name}: rms error {rms}")
    for name, zeros in (("i4", False), ("i4", True), ("i8", False),
                        ("i8", True)):
        x = RNG.normal(size=(4, 64)) + 1
        q, scales, points = quant.quantize_groups(x, (name, 32), zeros)
        back = quant.dequantize(q, scales, points, (name, 32))
        step = np.repeat(np.abs(scales), 32, -1)
        _need((np.abs(back - x) <= 1.01 * step).all(), f"{name} {zeros}")


def check_quality_is_judged():
    for case in table.all_cases():
        if case.compare != "quality" or case.tier != "exact":
            continue
        inputs = evaluate.inputs_of(case)
        expected, = evaluate.expected(case, inputs)
        right = expected.stored
        _need(compare.mismatch(right, expected) is None, case.id)
        worse = right.copy()
        worse.reshape(-1, right.shape[-1])[0, -40:-20] ^= 0x44
        for wrong in (np.zeros_like(right), worse):
            _need(compare.mismatch(wrong, expected) is not None,
                  f"{case.id}: a worse result would pass")
