#===- byte_sums_selftest.py - The tests of the bound of 8-bit sums -------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Part of the self-test: what the instructions give stays within the bound, for
# numbers that try to leave it, and wrong kernels do not.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import byte_sums, dtypes

from cases import compare, evaluate, table

KEPT = 13       # of sm_90
SUMS = byte_sums.Sums(KEPT, ("f8E5M2", "f8E5M2"))


def _need(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


def _matrices(rng, dtype, terms, wide):
    for shape in ((6, terms), (terms, 5)):
        values = rng.standard_normal(shape)
        if wide:
            # Subnormals, too.
            values = np.ldexp(values, rng.integers(-9, 5, shape))
        yield dtypes.round_to(values, dtype)


def check_byte_sums_by_hand():
    """One product of 1 beside 31 of 2^-14: each of them is cut to nothing."""
    a, b = np.full((1, 32), 2.0 ** -7), np.full((32, 1), 2.0 ** -7)
    a[0, 0] = b[0, 0] = 1
    _need(byte_sums.product(a, b, SUMS)[0, 0] == 1, "31 small products")
    _need(byte_sums.product(a, b, byte_sums.Sums(14, SUMS.types))[0, 0] == 1 + 31 * 2.0 ** -14,
          "with one more bit they are all there")
    # 2^13 + 1 has as many bits as are kept; half of a unit more is cut.
    a, b = np.ones((1, 64)), np.zeros((64, 1))
    b[0], b[32] = 2.0 ** 13, 1.5
    _need(byte_sums.product(a, b, SUMS)[0, 0] == 2.0 ** 13 + 1, "two steps")
    a, b = np.ones((1, 160)), np.zeros((160, 1))
    b[0], b[128] = 2.0 ** 13, 1.5
    _need(byte_sums.product(a, b, SUMS)[0, 0] == 2.0 ** 13 + 1.5, "two chains")
    _need(byte_sums.product(a, b, SUMS, True)[0, 0] == 2.0 ** 13 + 1, "fast")
    # A subnormal factor has the exponent -14: 2^-16 is cut to units of 2^-14-13.
    a, b = np.full((1, 2), 2.0 ** -16), np.array([[1.0], [2.0 ** -12]])
    _need(byte_sums.product(a, b, SUMS)[0, 0] == 2.0 ** -16, "subnormals")


def check_byte_sums_stay_within_their_bound():
    rng = np.random.default_rng(1)
    for dtype in ("f8E4M3FN", "f8E5M2"):
        for terms in (16, 32, 40, 128, 256, 528):
            for wide in (False, True):
                for fast in (False, True):
                    a, b = _matrices(rng, dtype, terms, wide)
                    sums = byte_sums.Sums(KEPT, (dtype, dtype))
                    error = np.abs(byte_sums.product(a, b, sums, fast) - a @ b)
                    chains = -(-terms // byte_sums.CHAIN)
                    adding = chains * 2.0 ** -24 * (np.abs(a) @ np.abs(b))
                    limit = byte_sums.bound(a, b, sums, fast) + adding
                    _need((error <= limit).all(), f"{dtype} {terms} {fast}")
    # A sum that all products are cut beside: half of the bound is reached.
    a, b = np.ones((1, 128)), np.full((128, 1), 0.96875)
    a[0, 0], b[0] = 16.0, 448.0
    error = abs(byte_sums.product(a, b, SUMS)[0, 0] - (a @ b)[0, 0])
    limit = byte_sums.bound(a, b, SUMS)[0, 0]
    _need(limit / 4 < error <= limit, f"{error} of {limit}")


def _bounded_cases():
    return [c for c in table.all_cases()
            if c.op == "matmul" and c.compare == "bounded"
            and all(i.type.dtype.startswith("f8") for i in c.inputs)
            and c.types[c.outputs[0]].dtype == "f32"]


def check_wrong_byte_sums_are_noticed():
    """By every case that has such sums, also with the bound of sm_90."""
    cases = _bounded_cases()
    _need(len(cases) >= 4, f"only {len(cases)} cases")
    for case in cases:
        inputs = evaluate.inputs_of(case)
        expected, = evaluate.expected(case, inputs, KEPT)
        _need(np.isfinite(expected.limit).all(), f"{case.id} has no bound")
        a, b = (dtypes.load(inputs[i.name], i.type.dtype) for i in case.inputs)
        node, = case.nodes
        if node.attribute("transpose_b"):
            b = np.swapaxes(b, -1, -2)
        fast = bool(node.attribute("fast"))

        def judged(left, right, kept=KEPT, fast=fast):
            sums = byte_sums.Sums(kept, tuple(i.type.dtype
                                              for i in case.inputs))
            got = byte_sums.product(left, right, sums, fast)
            return compare.mismatch(got.astype(np.float32), expected)

        _need(judged(a, b) is None, f"{case.id}: {judged(a, b)}")
        lost = np.array(b)
        lost[..., -1, :] = 0
        mixed = np.array(b)
        mixed[..., [0, 1], :] = b[..., [1, 0], :]
        for what, wrong in (("the last products lost", judged(a, lost)),
                            ("two products mixed up", judged(a, mixed)),
                            ("sums of fewer bits", judged(
                                a, b, 5 if fast else 7, True)),
                            ("a column too far", judged(
                                a, np.roll(b, 1, axis=-1)))):
            _need(wrong is not None, f"{case.id}: {what} would pass")
