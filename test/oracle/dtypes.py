#===- dtypes.py - Element types: exact conversions and ulps --------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Values are float64 arrays; stored tensors are what an .npy file holds: f32,
# f64 and f16 as themselves, bf16 as u2, f8 as u1. `store` rounds to nearest
# even with integer arithmetic of its own (numpy's conversions are only used to
# check it), `load` is exact.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FloatFormat:
    """A binary float format: 1 sign bit, exponent bits, mantissa bits."""
    name: str
    exponent_bits: int
    mantissa_bits: int
    npy: str            # how it travels in an .npy file
    infinities: bool    # False: f8E4M3FN, where overflow becomes NaN

    @property
    def bits(self):
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def bias(self):
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def unit_roundoff(self):
        return 2.0 ** -(self.mantissa_bits + 1)

    @property
    def smallest_subnormal(self):
        return 2.0 ** (1 - self.bias - self.mantissa_bits)

    @property
    def smallest_normal(self):
        return 2.0 ** (1 - self.bias)

    @property
    def infinity_code(self):
        """The first magnitude code that is not a finite number."""
        if not self.infinities:
            return (1 << (self.bits - 1)) - 1
        return ((1 << self.exponent_bits) - 1) << self.mantissa_bits

    @property
    def nan_code(self):
        if not self.infinities:
            return (1 << (self.bits - 1)) - 1
        return self.infinity_code | (1 << (self.mantissa_bits - 1))

    @property
    def largest(self):
        code = np.array([self.infinity_code - 1], self.code_type)
        return float(decode(code, self.name)[0])

    @property
    def code_type(self):
        return np.dtype(f"u{self.bits // 8}")


FLOATS = {f.name: f for f in (
    FloatFormat("f64", 11, 52, "f8", True),
    FloatFormat("f32", 8, 23, "f4", True),
    FloatFormat("f16", 5, 10, "f2", True),
    FloatFormat("bf16", 8, 7, "u2", True),
    FloatFormat("f8E4M3FN", 4, 3, "u1", False),
    FloatFormat("f8E5M2", 5, 2, "u1", True),
)}

INTEGERS = {"i8": "i1", "u8": "u1", "i16": "i2", "i32": "i4", "i64": "i8"}


def is_float(dtype):
    return dtype in FLOATS


def npy_type(dtype):
    """The numpy type under which `dtype` is stored."""
    return np.dtype(FLOATS[dtype].npy if dtype in FLOATS else INTEGERS[dtype])


def encode(values, dtype):
    """float64 values -> the format's bit patterns, rounded to nearest even."""
    form = FLOATS[dtype]
    raw = np.ascontiguousarray(values, np.float64).view(np.uint64)
    if form.name == "f64":
        return raw.copy()
    sign = (raw >> np.uint64(63)).astype(np.int64)
    exponent = ((raw >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64)
    fraction = (raw & np.uint64((1 << 52) - 1)).astype(np.int64)
    is_nan = (exponent == 0x7FF) & (fraction != 0)
    is_inf = (exponent == 0x7FF) & (fraction == 0)
    # Subnormal doubles lie far below every other format: they become zero.
    significand = np.where(exponent == 0, 0, fraction | (1 << 52))
    power = exponent - 1023
    lowest = 1 - form.bias
    shift = 52 - form.mantissa_bits + np.maximum(lowest - power, 0)
    shift = np.minimum(shift, 55)       # 55: everything is below half an ulp
    kept = significand >> shift
    rest = significand & ((np.int64(1) << shift) - 1)
    half = np.int64(1) << (shift - 1)
    kept = kept + ((rest > half) | ((rest == half) & (kept & 1 == 1)))
    field = (np.maximum(power, lowest) + form.bias - 1) << form.mantissa_bits
    code = np.where(kept == 0, 0, kept + field)
    code = np.where(is_inf | (code >= form.infinity_code),
                    form.infinity_code, code)
    code = np.where(is_nan, form.nan_code, code)
    return (code | (sign << (form.bits - 1))).astype(form.code_type)


def decode(codes, dtype):
    """Bit patterns -> float64 values, exactly."""
    form = FLOATS[dtype]
    codes = np.ascontiguousarray(codes, form.code_type)
    if form.name == "f64":
        return codes.view(np.float64).copy()
    wide = codes.astype(np.int64)
    magnitude = wide & ((1 << (form.bits - 1)) - 1)
    negative = (wide >> (form.bits - 1)) != 0
    field = magnitude >> form.mantissa_bits
    fraction = magnitude & ((1 << form.mantissa_bits) - 1)
    significand = np.where(field == 0, fraction,
                           fraction | (1 << form.mantissa_bits))
    power = np.maximum(field, 1) - form.bias - form.mantissa_bits
    value = np.ldexp(significand.astype(np.float64), power)
    if form.infinities:
        value = np.where(magnitude == form.infinity_code, np.inf, value)
        value = np.where(magnitude > form.infinity_code, np.nan, value)
    else:
        value = np.where(magnitude == form.infinity_code, np.nan, value)
    return np.where(negative, -value, value)


def store(values, dtype):
    """float64 (or integer) values -> the array an .npy file holds."""
    values = np.asarray(values)
    if dtype in INTEGERS:
        return values.astype(npy_type(dtype))
    shape = values.shape
    codes = encode(values.astype(np.float64).reshape(-1), dtype)
    return codes.view(npy_type(dtype)).reshape(shape)


def load(stored, dtype):
    """The array of an .npy file -> float64 (integers stay integers)."""
    stored = np.asarray(stored)
    if stored.dtype != npy_type(dtype):
        raise ValueError(f"{dtype} travels as {npy_type(dtype)}, "
                         f"not as {stored.dtype}")
    if dtype in INTEGERS:
        return stored.astype(np.int64)
    flat = np.ascontiguousarray(stored).reshape(-1)
    return decode(flat.view(FLOATS[dtype].code_type), dtype).reshape(
        stored.shape)


def codes_of(stored, dtype):
    """The bit patterns of a stored tensor, as unsigned integers."""
    stored = np.ascontiguousarray(stored)
    width = npy_type(dtype).itemsize
    return stored.reshape(-1).view(f"u{width}").reshape(stored.shape)


def round_to(values, dtype):
    """float64 values -> the nearest values of the format, as float64."""
    return load(store(values, dtype), dtype)


def rounding_error(values, dtype):
    """The largest error that rounding `values` to `dtype` can make."""
    form = FLOATS[dtype]
    return (form.unit_roundoff * np.abs(values)
            + 0.5 * form.smallest_subnormal)


def ulp_distance(left, right, dtype):
    """Steps between two stored tensors on the format's number line.

    Both zeros are the same point; a NaN is at distance 0 of any NaN and
    infinitely far from everything else; the step from the largest finite
    number to infinity counts as infinitely far.
    """
    form = FLOATS[dtype]

    def places(stored):
        codes = codes_of(stored, dtype).astype(np.uint64)
        magnitude = codes & np.uint64((1 << (form.bits - 1)) - 1)
        negative = (codes >> np.uint64(form.bits - 1)) != 0
        place = magnitude.astype(np.float64)
        kind = np.where(magnitude > np.uint64(form.infinity_code), 2,
                        np.where(magnitude == np.uint64(form.infinity_code),
                                 1 if form.infinities else 2, 0))
        return np.where(negative, -place, place), kind, negative

    place_l, kind_l, negative_l = places(left)
    place_r, kind_r, negative_r = places(right)
    distance = np.abs(place_l - place_r)
    if form.name == "f64":
        # Doubles hold the 63-bit places only to 2^10: redo near ones exactly.
        near = (negative_l == negative_r)
        difference = (codes_of(left, dtype).astype(np.int64)
                      - codes_of(right, dtype).astype(np.int64))
        distance = np.where(near, np.abs(difference.astype(np.float64)),
                            distance)
    special = (kind_l != 0) | (kind_r != 0)
    same = (kind_l == kind_r) & ((kind_l == 2) | (negative_l == negative_r))
    return np.where(special, np.where(same, 0.0, np.inf), distance)
