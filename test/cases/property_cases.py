#===- property_cases.py - Relations between two runs ---------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# A property case runs one compiled function twice, on its own inputs and on
# inputs derived from them, holds both runs against the oracle, and then the two
# results against each other: same bits where the same numbers meet in the same
# order, within both bounds where the order may differ.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import dtypes

from cases import cache_cases, fills, linear_cases, norm_cases
from cases.attention_cases import WHOLE, attention


def _same_bits(pick_first=lambda r: r, pick_second=lambda r: r):
    """The results agree bit for bit after picking the parts that must."""
    def relation(first, second, *_):
        for a, b in zip(first, second):
            if not np.array_equal(
                    np.ascontiguousarray(pick_first(a)).view(np.uint8),
                    np.ascontiguousarray(pick_second(b)).view(np.uint8)):
                return "bits changed that the property keeps"
        return None
    return relation


def _within(pick_first=lambda r: r, pick_second=lambda r: r):
    """The results agree within the sum of both runs' bounds."""
    def relation(first, second, wanted_first, wanted_second):
        for a, b, wa, wb in zip(first, second, wanted_first, wanted_second):
            left = pick_first(dtypes.load(a, wa.dtype))
            right = pick_second(dtypes.load(b, wb.dtype))
            limit = pick_first(wa.limit) + pick_second(wb.limit)
            if not (np.abs(left - right) <= limit).all():
                return "the two runs differ by more than both bounds"
        return None
    return relation


def related(name, case, twin, derive, relation):
    """`case` with a second run on `twin`'s shapes; `derive` makes its inputs
    from the first run's."""
    case.id = f"property.{name}.{case.id}"
    case.variants = [(twin, derive)]
    case.relation = relation
    return case


def _quarters(rng, shape, dtype):
    """Multiples of 1/4: adding a small integer is exact in every type."""
    return rng.integers(-12, 13, shape) / 4.0


def _softmax_shift():
    for dtype in ("f32", "bf16", "f16", "f64"):
        for dynamic in ("", "XY"):
            def build():
                return norm_cases.softmax(dtype, (5, 19), None, "property",
                                          dynamic, _quarters)

            def shifted(inputs, dtype=dtype):
                x = dtypes.load(inputs["x"], dtype) + 8.0
                return {"x": dtypes.store(x, dtype)}
            yield related("shift", build(), build(), shifted, _within())


def _key_permutation():
    for dtype in ("f32", "bf16", "f16"):
        for dynamic in ("", WHOLE):
            def build():
                return attention(dtype, (2, 4, 2, 5, 21, 8, 8), "property",
                                 dynamic, mask="1 1 S T", lse=True)

            def permuted(inputs):
                order = np.random.default_rng(7).permutation(21)
                return {**inputs, "k": inputs["k"][:, :, order],
                        "v": inputs["v"][:, :, order],
                        "m": inputs["m"][..., order]}
            yield related("permutation", build(), build(), permuted,
                          _within())


def _causal_prefix():
    """Appending a query and a key together leaves the older rows alone."""
    for dtype in ("f32", "bf16", "f16"):
        for length in (4, 7, 16, 31):
            def build(size):
                return attention(dtype, (1, 2, 1, size, size, 8, 8),
                                 "property", WHOLE, causal=True,
                                 tag=f"from{length}")

            def longer(inputs, dtype=dtype):
                rng = np.random.default_rng(11)
                result = {}
                for name, tensor in inputs.items():
                    shape = tensor.shape[:2] + (3,) + tensor.shape[3:]
                    more = dtypes.store(rng.normal(size=shape), dtype)
                    result[name] = np.concatenate([tensor, more], 2)
                return result
            yield related("prefix", build(length), build(length + 3), longer,
                          _within(pick_second=lambda r, n=length: r[:, :, :n]))


def _hidden_rows():
    """Whatever lies past kv_len, no bit of the result changes."""
    for dtype in ("f32", "bf16", "f16"):
        for dynamic in ("", WHOLE):
            for queries, layout in ((1, None), (4, None), (4, "bshd")):
                def build():
                    return attention(dtype, (2, 2, 1, queries, 20, 8, 8),
                                     "property", dynamic, kv_len=[9, 16],
                                     causal=True, lse=True, layout=layout)

                def scribbled(inputs, layout=layout):
                    result = dict(inputs)
                    for name in ("k", "v"):
                        tensor = inputs[name].copy()
                        rows = tensor if layout is None else \
                            np.swapaxes(tensor, 1, 2)
                        for batch, length in enumerate((9, 16)):
                            hidden = rows[batch, :, length:]
                            hidden[...] = hidden[..., ::-1].copy()
                            hidden[:, ::2] = 77
                        result[name] = tensor
                    return result
                yield related("hidden", build(), build(), scribbled,
                              _same_bits())


def _sliced_cache():
    """A cache of which kv_len rows count equals the cache cut there."""
    for dtype in ("f32", "bf16", "f16"):
        for length in (1, 8, 13):
            def build(keys):
                return attention(dtype, (1, 2, 1, 3, keys, 8, 8), "property",
                                 WHOLE, kv_len=[length], lse=True,
                                 tag=f"of{length}")

            def sliced(inputs, n=length):
                return {**inputs, "k": inputs["k"][:, :, :n],
                        "v": inputs["v"][:, :, :n]}
            yield related("sliced", build(24), build(length), sliced,
                          _within())


def _repeatable():
    """The same inputs give the same bits; batches do not touch."""
    def again(inputs):
        return dict(inputs)

    def swapped(inputs):
        return {name: tensor[::-1].copy() if tensor.ndim > 1 else tensor
                for name, tensor in inputs.items()}

    for dtype in ("f32", "bf16", "f16"):
        types = (dtype,) * 3
        yield related("again", linear_cases.matmul(
            types, (33, 65, 17), "property", "MKN", compare="bounded",
            a_fill=fills.normal(), b_fill=fills.normal()),
            linear_cases.matmul(
                types, (33, 65, 17), "property", "MKN", compare="bounded"),
            again, _same_bits())
        shape = (2, 2, 1, 6, 11, 8, 8)
        yield related("batches", attention(dtype, shape, "property", WHOLE,
                                           causal=True),
                      attention(dtype, shape, "property", WHOLE, causal=True),
                      swapped, _same_bits(pick_second=lambda r: r[::-1]))
        yield related("rows", norm_cases.norm(
            "layer_norm", dtype, (4, 33), "property", "XY"),
            norm_cases.norm("layer_norm", dtype, (4, 33), "property", "XY"),
            lambda inputs: {**inputs, "x": inputs["x"][::-1].copy()},
            _same_bits(pick_second=lambda r: r[::-1]))


def _append_twice():
    """Two appended rows equal one append of both."""
    for dtype in ("f32", "bf16"):
        def build(rows):
            return cache_cases.append(dtype, (1, 2, 9, rows, 4), [3],
                                      "property", cache_cases.WHOLE)

        def first_row(inputs):
            return {**inputs, "new": inputs["new"][:, :, :1].copy()}
        older = _same_bits(lambda r: r[:, :, :4], lambda r: r[:, :, :4])
        yield related("append", build(2), build(1), first_row, older)


def cases():
    yield from _softmax_shift()
    yield from _key_permutation()
    yield from _causal_prefix()
    yield from _hidden_rows()
    yield from _sliced_cache()
    yield from _repeatable()
    yield from _append_twice()
