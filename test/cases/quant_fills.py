#===- quant_fills.py - Packed bytes for cases ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Fills of [..., bytes] in a format: random codes with scales that suit a tier,
# every value of every byte, or extreme scales. And activations that become
# integers exactly.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import quant

#: f16 numbers that scales may be: zeros, subnormals, largest, specials.
EXTREMES = np.array([0.0, -0.0, 2.0 ** -24, -2.0 ** -24, 1023 * 2.0 ** -24,
                     2.0 ** -14, 65504.0, -65504.0, np.inf, -np.inf, np.nan,
                     1.0, -1.0, 2.0 ** -14 + 2.0 ** -24, 0.333, 1000.0],
                    np.float16)


def _blocks(format, shape):
    width = quant.block_of(format)[1]
    return tuple(shape[:-1]) + (shape[-1] // width, width)


def _put_half(blocks, at, values):
    bits = np.asarray(values, np.float16).view(np.uint16)
    bits = np.broadcast_to(bits, blocks.shape[:-1])
    blocks[..., at] = bits & 255
    blocks[..., at + 1] = bits >> 8


def _put_scales(blocks, name, scale, minimum):
    """f16 scale and minimum, where the format has them."""
    if name in quant.GROUPED or name == "mxfp4":
        return
    _put_half(blocks, 208 if name == "q6_k" else 0, scale)
    if name in ("q4_1", "q5_1", "q4_k", "q5_k"):
        _put_half(blocks, 2, minimum)


def _raw(rng, shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


def _finish(blocks, shape):
    return blocks.reshape(shape).view(np.int8)


def any_bytes():
    return lambda rng, shape, dtype: _raw(rng, shape).view(np.int8)


def small(format):
    """Scales that are small powers of two, sub-block scales up to 3."""
    name = format[0]

    def fill(rng, shape, dtype):
        return _finish(_with_small_scales(
            name, _raw(rng, _blocks(format, shape)), rng), shape)
    return fill


def largest(format):
    """The codes of row r are all ones, zeros, or half of their bits; scales as
    in `small`."""
    def fill(rng, shape, dtype):
        where = _blocks(format, shape)
        rows = np.arange(int(np.prod(where[:-2]))).reshape(where[:-2] + (1, 1))
        codes = np.array([0xff, 0x00, 0x80, 0x7f, 0x77], np.uint8)[rows % 5]
        return _finish(_with_small_scales(
            format[0], np.broadcast_to(codes, where).copy(), rng), shape)
    return fill


def _with_small_scales(name, blocks, rng):
    where = blocks.shape
    _put_scales(blocks, name, rng.choice([1, 2, -1, 0.5], where[:-1]),
                rng.integers(-3, 4, where[:-1]))
    if name in ("q4_k", "q5_k"):
        blocks[..., 4:12] &= 3
        blocks[..., 12:16] &= 0x33
    if name == "q6_k":
        blocks[..., 192:208] = rng.integers(
            -2, 3, where[:-1] + (16,)).astype(np.int8).view(np.uint8)
    if name == "mxfp4":
        blocks[..., 0] = rng.integers(127, 130, where[:-1])
    return blocks


def spread(format):
    """Random scales of ordinary size, everything else any bits."""
    name = format[0]

    def fill(rng, shape, dtype):
        where = _blocks(format, shape)
        blocks = _raw(rng, where)
        _put_scales(blocks, name, rng.normal(0, 1 / 16, where[:-1]),
                    rng.normal(0, 1 / 8, where[:-1]))
        if name == "mxfp4":
            blocks[..., 0] = rng.integers(120, 132, where[:-1])
        return _finish(blocks, shape)
    return fill


def every_byte(format):
    """Row r has (r + 37 j) mod 256 at byte j: 256 rows have every value at
    every byte. Scales are 1, minimums 2."""
    name = format[0]

    def fill(rng, shape, dtype):
        where = _blocks(format, shape)
        rows = np.arange(int(np.prod(where[:-2]))).reshape(where[:-2] + (1, 1))
        places = np.arange(where[-2] * where[-1]).reshape(where[-2:])
        blocks = ((rows + 37 * places) % 256).astype(np.uint8)
        _put_scales(blocks, name, 1.0, 2.0)
        return _finish(blocks, shape)
    return fill


def _by_number(format, put):
    """Any bytes, into which `put` writes the scales of numbered blocks."""
    def fill(rng, shape, dtype):
        where = _blocks(format, shape)
        blocks = _raw(rng, where)
        count = int(np.prod(where[:-1]))
        put(blocks, np.arange(count).reshape(where[:-1]), rng)
        return _finish(blocks, shape)
    return fill


def extreme(format):
    """Every pair of extreme scale and minimum, and every exponent."""
    def put(blocks, number, rng):
        _put_scales(blocks, format[0], EXTREMES[number % 16],
                    EXTREMES[number // 16 % 16])
        if format[0] == "mxfp4":
            blocks[..., 0] = number % 256
    return _by_number(format, put)


def far(format):
    """Powers of two as scales, as large and as small as the format has them
    (mxfp4: as sums of a block leave room for), minimums of ordinary size."""
    def put(blocks, number, rng):
        powers = np.array([2.0 ** 15, -2.0 ** 15, 2.0 ** -24, 1.0, 0.0])
        _put_scales(blocks, format[0], powers[number % 5],
                    rng.integers(-3, 4, number.shape))
        if format[0] == "mxfp4":
            blocks[..., 0] = number % 236
    return _by_number(format, put)


def stored(blocks):
    """These bytes, one block per row."""
    rows = np.array([list(b) for b in blocks], np.uint8).view(np.int8)
    return lambda rng, shape, dtype: rows.reshape(shape)


def whole(format, limit=126):
    """Integers, each block with one of magnitude 127: 8-bit activations hold
    them exactly."""
    elements = quant.block_of(format)[0]

    def fill(rng, shape, dtype):
        blocks = rng.integers(-limit, limit + 1, tuple(shape[:-1]) + (
            shape[-1] // elements, elements)).astype(np.float64)
        place = rng.integers(0, elements, blocks.shape[:-1] + (1,))
        sign = rng.choice([-127.0, 127.0], blocks.shape[:-1] + (1,))
        np.put_along_axis(blocks, place, sign, -1)
        return blocks.reshape(shape)
    return fill


def whole_largest():
    """All of magnitude 127; none, one in three, two in five or four in nine are
    negative, so that sums with equal codes are not zero."""
    def fill(rng, shape, dtype):
        x = np.full(shape, 127.0).reshape(-1, shape[-1])
        place = np.arange(shape[-1])
        for number, row in enumerate(x):
            run, period = ((0, 1), (1, 3), (2, 5), (4, 9))[number % 4]
            row[place % period < run] *= -1
            row *= (1, -1)[number // 4 % 2]
        return x.reshape(shape)
    return fill
