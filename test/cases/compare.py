#===- compare.py - Judges a result ---------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: the stored result of a run and what was expected; out: None, or one
# sentence that names the worst element.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import dtypes


def _place(index, shape):
    return "[" + ", ".join(str(i) for i in np.unravel_index(index, shape)) + "]"


def _complaint(bad, got, expected, measure):
    """The sentence about the worst of the `bad` elements."""
    worst = int(np.argmax(np.where(bad, measure, -1.0)))
    show = [dtypes.load(t, expected.dtype).reshape(-1)[worst]
            for t in (got, expected.stored)]
    return (f"{int(bad.sum())} of {bad.size} elements are wrong; worst at "
            f"{_place(worst, bad.shape)}: got {show[0]!r}, "
            f"expected {show[1]!r}")


def mismatch(got, expected):
    """None where `got` is right."""
    want = expected.stored
    if got.dtype != want.dtype:
        return f"the result is stored as {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"the result has shape {got.shape}, expected {want.shape}"
    if got.size == 0:
        return None
    judge = {"exact": _exact, "bounded": _bounded, "ulp": _ulp,
             "quality": _quality}
    return judge[expected.compare](got, expected)


def _exact(got, expected):
    bits = dtypes.codes_of(got, expected.dtype)
    want = dtypes.codes_of(expected.stored, expected.dtype)
    bad = bits != want
    if not expected.payloads and dtypes.is_float(expected.dtype):
        bad &= ~(np.isnan(dtypes.load(got, expected.dtype))
                 & np.isnan(dtypes.load(expected.stored, expected.dtype)))
    if not bad.any():
        return None
    if dtypes.is_float(expected.dtype):
        measure = dtypes.ulp_distance(got, expected.stored, expected.dtype)
        return _complaint(bad, got, expected, measure) + " (bits must agree)"
    return _complaint(bad, got, expected, bad.astype(float))


def _bounded(got, expected):
    value = dtypes.load(got, expected.dtype)
    want = dtypes.load(expected.stored, expected.dtype)
    special = ~np.isfinite(want)
    same = (np.isnan(value) & np.isnan(want)) | (value == want)
    with np.errstate(invalid="ignore"):
        error = np.abs(value - expected.value)
        # Near the largest finite number an allowed error may reach infinity.
        bad = np.where(special, ~same, ~(error <= expected.limit))
        measure = np.where(special | ~np.isfinite(error), np.inf,
                           error / np.maximum(expected.limit, 1e-300))
    if not bad.any():
        return None
    sentence = _complaint(bad, got, expected, measure)
    worst = float(np.max(np.where(bad, measure, 0.0)))
    return f"{sentence} ({worst:.3g} times the allowed error)"


def _quality(got, expected):
    miss = expected.miss(got)
    bad = ~(miss <= expected.limit)
    if not bad.any():
        return None
    worst = int(np.argmax(np.where(bad, miss - expected.limit, -1.0)))
    return (f"{int(bad.sum())} of {bad.size} blocks are worse than a simple "
            f"quantizer's; block {worst} has the squared error "
            f"{miss[worst]:.6g}, allowed {expected.limit[worst]:.6g}")


def _ulp(got, expected):
    distance = dtypes.ulp_distance(got, expected.stored, expected.dtype)
    bad = ~(distance <= expected.limit)
    if expected.absolute is not None:
        with np.errstate(invalid="ignore"):
            near = np.abs(dtypes.load(got, expected.dtype) - expected.value)
            bad &= ~(near <= expected.absolute)
    if not bad.any():
        return None
    worst = float(np.max(np.where(bad, distance, 0.0)))
    return _complaint(bad, got, expected, distance) + f" ({worst:g} ulp)"


def suspicious(got, expected):
    """True where a bounded result is right but worse than roundings at
    random would make it: worth a look, not a failure."""
    if expected.warn is None or got.size == 0:
        return False
    error = np.abs(dtypes.load(got, expected.dtype) - expected.value)
    return bool((error > expected.warn).any())


def largest_ulp(got, expected):
    """The largest finite distance, for the ulp table of the docs."""
    distance = dtypes.ulp_distance(got, expected.stored, expected.dtype)
    finite = distance[np.isfinite(distance)]
    return float(finite.max()) if finite.size else 0.0
