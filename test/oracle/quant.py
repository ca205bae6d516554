#===- quant.py - Quantized formats, quantizers and products --------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: packed bytes (as integers of any sign) and a format, written as a tuple:
# ("q4_0",) or ("i4", 32). Out: numbers. Written from the tables of formats, and
# with numpy's f16 and f32 arithmetic where the contract counts roundings.
#
# `Parts` are what an element is made of:
#   scale * sub_scale * code  (+ minimum * sub_minimum)
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass
from typing import Optional

import numpy as np

#: name -> elements and bytes of a block.
BLOCKS = {"q4_0": (32, 18), "q4_1": (32, 20), "q5_0": (32, 22),
          "q5_1": (32, 24), "q8_0": (32, 34), "q4_k": (256, 144),
          "q5_k": (256, 176), "q6_k": (256, 210), "mxfp4": (32, 17)}
LONG = ("q4_k", "q5_k", "q6_k")
GROUPED = ("i4", "i8")

E2M1_DOUBLED = np.array([0, 1, 2, 3, 4, 6, 8, 12,
                         0, -1, -2, -3, -4, -6, -8, -12])


def block_of(format):
    """(elements, bytes) of a block."""
    name, *group = format
    if name == "i4":
        return group[0], group[0] // 2
    if name == "i8":
        return group[0], group[0]
    return BLOCKS[name]


@dataclass
class Parts:
    """All of shape [..., blocks, elements], or 1 for what elements share."""
    scale: np.ndarray
    sub_scale: np.ndarray
    code: np.ndarray
    minimum: Optional[np.ndarray] = None
    sub_minimum: Optional[np.ndarray] = None

    def value(self):
        with np.errstate(invalid="ignore", over="ignore"):
            value = self.scale * self.sub_scale * self.code
            if self.minimum is not None:
                value = value + self.minimum * self.sub_minimum
        return value

    def size(self):
        """At least the magnitude of every part that a kernel may add up."""
        size = np.abs(self.scale * self.sub_scale * self.code)
        if self.minimum is not None:
            size = size + np.abs(self.minimum * self.sub_minimum)
        return size


def _half(low, high):
    bits = (low.astype(np.uint16) | (high.astype(np.uint16) << 8))
    return bits.view(np.float16).astype(np.float64)


def _two_halves(bytes):
    """Low nibbles, then high ones."""
    return np.concatenate([bytes & 15, bytes >> 4], -1)


def _bits32(bytes):
    """Four bytes -> 32 bits, least significant first."""
    return np.concatenate([(bytes[..., i:i + 1] >> np.arange(8)) & 1
                           for i in range(4)], -1)


def _k_scales(s):
    """12 bytes -> eight scales and eight minimums of 6 bits."""
    low, middle, top = s[..., 0:4], s[..., 4:8], s[..., 8:12]
    scales = np.concatenate([low & 63, (top & 15) | ((low >> 6) << 4)], -1)
    minimums = np.concatenate([middle & 63, (top >> 4) | ((middle >> 6) << 4)],
                              -1)
    return scales, minimums


def _k_nibbles(qs):
    """128 bytes: for each 32 of them the low halves, then the high ones."""
    return np.concatenate([_two_halves(qs[..., 32 * p:32 * p + 32])
                           for p in range(4)], -1)


def _q6_codes(ql, qh):
    parts = []
    for n in range(2):
        a = ql[..., 64 * n:64 * n + 32]
        b = ql[..., 64 * n + 32:64 * n + 64]
        h = qh[..., 32 * n:32 * n + 32]
        parts += [(a & 15) + 16 * (h & 3), (b & 15) + 16 * ((h >> 2) & 3),
                  (a >> 4) + 16 * ((h >> 4) & 3), (b >> 4) + 16 * (h >> 6)]
    return np.concatenate(parts, -1)


def parts(q, format, scales=None, zeros=None):
    name = format[0]
    elements, width = block_of(format)
    q = np.asarray(q).astype(np.int64) & 255
    blocks = q.reshape(q.shape[:-1] + (q.shape[-1] // width, width))
    one = np.ones(blocks.shape[:-1] + (1,), np.int64)
    if name in GROUPED:
        return _grouped_parts(blocks, name, one, scales, zeros)
    byte = [blocks[..., i:i + 1] for i in range(4)]
    if name == "mxfp4":
        code = E2M1_DOUBLED[_two_halves(blocks[..., 1:])]
        return Parts(np.ldexp(1.0, byte[0] - 128), one, code)
    if name == "q6_k":
        raw = _q6_codes(blocks[..., :128], blocks[..., 128:192])
        sub = blocks[..., 192:208]
        sub = np.repeat(np.where(sub > 127, sub - 256, sub), 16, -1)
        return Parts(_half(blocks[..., 208:209], blocks[..., 209:210]), sub,
                     raw - 32)
    d = _half(byte[0], byte[1])
    if name in ("q4_k", "q5_k"):
        sub, minimum = (np.repeat(t, 32, -1)
                        for t in _k_scales(blocks[..., 4:16]))
        raw = _k_nibbles(blocks[..., 48 if name == "q5_k" else 16:])
        if name == "q5_k":
            qh = blocks[..., 16:48]
            raw = raw + 16 * np.concatenate([(qh >> j) & 1 for j in range(8)],
                                            -1)
        return Parts(d, sub, raw, -_half(byte[2], byte[3]), minimum)
    if name == "q8_0":
        raw = blocks[..., 2:]
        raw = np.where(raw > 127, raw - 256, raw)
        return Parts(d, one, raw)
    if name == "q4_0":
        raw = _two_halves(blocks[..., 2:])
        return Parts(d, one, raw - 8)
    if name == "q5_0":
        raw = _two_halves(blocks[..., 6:]) + 16 * _bits32(blocks[..., 2:6])
        return Parts(d, one, raw - 16)
    raw = _two_halves(blocks[..., 4 if name == "q4_1" else 8:])
    if name == "q5_1":
        raw = raw + 16 * _bits32(blocks[..., 4:8])
    return Parts(d, one, raw, _half(byte[2], byte[3]), one)


def _grouped_parts(blocks, name, one, scales, zeros):
    if name == "i4":
        raw = np.stack([blocks & 15, blocks >> 4], -1).reshape(
            blocks.shape[:-1] + (2 * blocks.shape[-1],))
        raw = np.where(raw > 7, raw - 16, raw)
    else:
        raw = np.where(blocks > 127, blocks - 256, blocks)
    code = raw if zeros is None else raw - np.asarray(zeros)[..., None]
    return Parts(np.asarray(scales, np.float64)[..., None], one, code)


def _rows(blocks):
    return blocks.reshape(blocks.shape[:-2]
                          + (blocks.shape[-2] * blocks.shape[-1],))


def dequantize(q, scales=None, zeros=None, format=None):
    """Exact, as float64. Results other than f64 are rounded to f32 first."""
    return _rows(parts(q, format, scales, zeros).value())


# Products.

def _product(x, p):
    return np.matmul(x, np.swapaxes(_rows(p.value()), -1, -2).astype(x.dtype))


def quant_matmul(x, w, scales=None, zeros=None, format=None,
                 activations="f32"):
    p = parts(w, format, scales, zeros)
    if activations == "q8":
        return sum(_integer_terms(x, p, format))
    with np.errstate(invalid="ignore", over="ignore"):
        return _product(x, p)


def quant_gemv(x, w, **k):
    return quant_matmul(x[None], w, **k)[0]


def quantize_activations(x, format):
    """f32 numbers -> integers [..., blocks, elements], scale and f16 scaled
    sum per block (float64)."""
    name = format[0]
    elements = block_of(format)[0]
    x = np.asarray(x, np.float64).astype(np.float32)
    x = x.reshape(x.shape[:-1] + (x.shape[-1] // elements, elements))
    with np.errstate(all="ignore"):
        amax = np.max(np.abs(x), -1, keepdims=True)
        if name in LONG:
            inverse = np.where(amax == 0, np.float32(0),
                               np.float32(-127) / amax)
            scale = np.where(amax == 0, np.float32(0), np.float32(1) / inverse)
            whole = np.rint(inverse * x)
        else:
            d = amax / np.float32(127)
            inverse = np.where(d == 0, np.float32(0), np.float32(1) / d)
            whole = _away(inverse * x)
            scale = d if name in GROUPED else d.astype(np.float16)
        codes = np.nan_to_num(np.clip(whole, -127, 127), nan=0).astype(
            np.int64)
        total = (codes.sum(-1, keepdims=True).astype(np.float32)
                 * (amax / np.float32(127))).astype(np.float16)
    return codes, scale.astype(np.float64), total.astype(np.float64)


def _away(x):
    """Nearest integer, halves away from zero, of float32."""
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0).astype(
        np.float32)


def _integer_terms(x, p, format):
    """The scaled sums of codes and of minimums, [..., N] each."""
    codes, scale, total = quantize_activations(x, format)

    def dot(weights):       # [N, B, E] and [M, B, E] -> [M, N, B]
        return np.einsum("nbe,mbe->mnb", np.broadcast_to(
            weights, p.code.shape).astype(np.int64), codes)

    with np.errstate(invalid="ignore", over="ignore"):
        per_block = scale[..., 0][:, None, :]
        yield (p.scale[..., 0] * per_block
               * dot(p.sub_scale * p.code)).sum(-1)
        if p.minimum is None:
            return
        if format[0] in LONG:
            weight = per_block * dot(p.sub_minimum)
        else:
            weight = total[..., 0][:, None, :]
        yield (p.minimum[..., 0] * weight).sum(-1)


def integer_size(x, w, scales=None, zeros=None, format=None):
    """The sum of the magnitudes that the integer product adds up."""
    p = parts(w, format, scales, zeros)
    codes, scale, total = quantize_activations(x, format)
    scale = np.abs(scale[..., 0])[:, None, :]
    sums = np.abs(np.einsum("nbe,mbe->mnb", np.broadcast_to(
        p.sub_scale * p.code, p.code.shape).astype(np.int64), codes))
    size = (np.abs(p.scale[..., 0]) * scale * sums).sum(-1)
    if p.minimum is not None:
        other = np.abs(total[..., 0])[:, None, :]
        if format[0] in LONG:
            other = scale * np.abs(np.einsum(
                "nbe,mbe->mnb", p.sub_minimum.astype(np.int64), codes))
        size = size + (np.abs(p.minimum[..., 0]) * other).sum(-1)
    return size


def int8_matmul(a, b, scale_a, scale_b, zero_a=0, zero_b=0, transpose_b=False):
    a = a - np.reshape(zero_a, (-1, 1))
    b = (b.T if transpose_b else b) - np.reshape(zero_b, (1, -1))
    sums = np.matmul(a.astype(np.int64), b.astype(np.int64))
    sums = sums.astype(np.int32)        # wraps around
    with np.errstate(invalid="ignore", over="ignore"):
        return sums * (np.reshape(scale_a, (-1, 1))
                       * np.reshape(scale_b, (1, -1)))


# Quantizers: the reference quantizers in f32. NaN in a block makes its scale
# NaN; integers saturate, and a NaN becomes 0.

def _to_codes(x, low, high):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.clip(np.trunc(x), low, high), nan=0).astype(
            np.int64)


def _largest(x):
    """The signed number of largest magnitude, the first of equals, or NaN."""
    at = np.argmax(np.where(np.isnan(x), np.inf, np.abs(x)), -1)
    first = np.take_along_axis(x, at[..., None], -1)
    return np.where(np.isnan(x).any(-1, keepdims=True), np.float32(np.nan),
                    first)


def _inverse(d):
    return np.where(d == 0, np.float32(0), np.float32(1) / d)


def _half_bytes(d):
    bits = d.astype(np.float32).astype(np.float16).view(np.uint16).astype(
        np.int64)
    return np.concatenate([bits & 255, bits >> 8], -1)


def _pack_nibbles(codes):
    return (codes[..., :16] & 15) | ((codes[..., 16:] & 15) << 4)


def _pack_bits(codes):
    bits = (codes >> 4).reshape(codes.shape[:-1] + (4, 8))
    return (bits << np.arange(8)).sum(-1)


def _around(x, middle):
    d = _largest(x) / np.float32(-middle)
    codes = _to_codes(x * _inverse(d) + np.float32(middle + 0.5), 0,
                      2 * middle - 1)
    return d, codes


def _between(x, top):
    low, high = (f(x, -1, keepdims=True) for f in (np.min, np.max))
    d = (high - low) / np.float32(top)
    return d, low, _to_codes((x - low) * _inverse(d) + np.float32(0.5), 0, top)


def _mxfp4(x):
    top = np.finfo(np.float32).max
    x = np.clip(np.nan_to_num(x, nan=0, posinf=top, neginf=-top), -top, top)
    amax = np.max(np.abs(x), -1, keepdims=True)
    e = np.where(amax > 0, np.frexp(amax.astype(np.float64))[1] - 1 - 2 + 127,
                 0)
    e = np.maximum(e, 0)
    scale = np.ldexp(np.float64(1), e - 128).astype(np.float32)
    error = np.abs(E2M1_DOUBLED.astype(np.float32) * scale[..., None]
                   - x[..., None])
    return np.concatenate([e, _pack_nibbles(np.argmin(error, -1))], -1)


def quantize(x, format=None):
    """Bytes 0..255 as integers (with scales and zero points for i4, i8 when
    there is more than one result: see quantize_groups)."""
    name = format[0]
    elements, _ = block_of(format)
    x = np.asarray(x, np.float64).astype(np.float32)
    x = x.reshape(x.shape[:-1] + (x.shape[-1] // elements, elements))
    with np.errstate(all="ignore"):
        if name == "q4_0":
            d, codes = _around(x, 8)
            out = [_half_bytes(d), _pack_nibbles(codes)]
        elif name == "q5_0":
            d, codes = _around(x, 16)
            out = [_half_bytes(d), _pack_bits(codes), _pack_nibbles(codes)]
        elif name == "q4_1":
            d, m, codes = _between(x, 15)
            out = [_half_bytes(d), _half_bytes(m), _pack_nibbles(codes)]
        elif name == "q5_1":
            d, m, codes = _between(x, 31)
            out = [_half_bytes(d), _half_bytes(m), _pack_bits(codes),
                   _pack_nibbles(codes)]
        elif name == "q8_0":
            d = np.abs(_largest(x)) / np.float32(127)
            codes = _to_codes(_away(x * _inverse(d)), -127, 127)
            out = [_half_bytes(d), codes & 255]
        elif name == "mxfp4":
            out = [_mxfp4(x)]
        else:
            out = [naive_long(x, name)]
    return _rows(np.concatenate(out, -1))


def quantize_groups(x, format, zero_points):
    """(integers packed into bytes 0..255, scales f32, zero points)."""
    name, group = format
    low, high = (-8, 7) if name == "i4" else (-128, 127)
    x = np.asarray(x, np.float64).astype(np.float32)
    x = x.reshape(x.shape[:-1] + (x.shape[-1] // group, group))
    with np.errstate(all="ignore"):
        largest = _largest(x)
        zero = np.zeros(largest.shape, np.int64)
        if zero_points:
            least = np.minimum(np.min(x, -1, keepdims=True), np.float32(0))
            most = np.maximum(np.max(x, -1, keepdims=True), np.float32(0))
            scale = (most - least) / np.float32(high - low)
            zero = _to_codes(_away(-least * _inverse(scale))
                             + np.float32(low), low, high)
        elif name == "i4":
            scale = largest / np.float32(-8)
        else:
            scale, low = np.abs(largest) / np.float32(127), -127
        codes = _to_codes(_away(x * _inverse(scale))
                          + zero.astype(np.float32), low, high)
    codes = _rows(codes)
    if name == "i4":
        codes = (codes[..., 0::2] & 15) | ((codes[..., 1::2] & 15) << 4)
    return codes & 255, scale[..., 0].astype(np.float64), zero[..., 0]


def naive_long(x, name):
    """A K format by extremes alone: what a search must not be worse than."""
    x = np.asarray(x, np.float64)
    size = 16 if name == "q6_k" else 32
    parts_of = x.reshape(x.shape[:-1] + (256 // size, size))
    shape = x.shape[:-1]
    if name == "q6_k":
        large = np.abs(parts_of).max(-1)
        d = (large.max(-1, keepdims=True) / (31 * 127)).astype(np.float16)
        d64 = d.astype(np.float64)
        sub = np.clip(np.rint(large / 31 / np.where(d64 > 0, d64, 1)), 0, 127)
        step = (d64 * sub)[..., None]
        code = np.rint(parts_of / np.where(step > 0, step, 1))
        code = np.where(step > 0, np.clip(code, -32, 31), 0).astype(
            np.int64).reshape(shape + (2, 4, 32)) + 32
        low = code & 15
        ql = np.stack([low[..., 0, :] | (low[..., 2, :] << 4),
                       low[..., 1, :] | (low[..., 3, :] << 4)], -2)
        qh = ((code >> 4) << (2 * np.arange(4)[:, None])).sum(-2)
        return np.concatenate([ql.reshape(shape + (128,)),
                               qh.reshape(shape + (64,)),
                               sub.astype(np.int64), _half_bytes(d)], -1)
    top = 31 if name == "q5_k" else 15
    least = np.minimum(parts_of.min(-1), 0)
    steps, shifts = (parts_of.max(-1) - least) / top, -least
    d, dmin = ((t.max(-1, keepdims=True) / 63).astype(np.float16)
               for t in (steps, shifts))
    scale, minimum = (np.clip(np.rint(t / np.where(u > 0, u, 1)), 0,
                              63).astype(np.int64)
                      for t, u in ((steps, d.astype(np.float64)),
                                   (shifts, dmin.astype(np.float64))))
    step = (d.astype(np.float64) * scale)[..., None]
    shift = (dmin.astype(np.float64) * minimum)[..., None]
    code = np.rint((parts_of + shift) / np.where(step > 0, step, 1))
    code = np.where(step > 0, np.clip(code, 0, top), 0).astype(np.int64)
    packed = np.concatenate([
        scale[..., :4] | ((scale[..., 4:] >> 4) << 6),
        minimum[..., :4] | ((minimum[..., 4:] >> 4) << 6),
        (scale[..., 4:] & 15) | ((minimum[..., 4:] & 15) << 4)], -1)
    pairs = (code & 15).reshape(shape + (4, 2, 32))
    qs = (pairs[..., 0, :] | (pairs[..., 1, :] << 4)).reshape(shape + (128,))
    out = [_half_bytes(d), _half_bytes(dmin), packed]
    if top == 31:
        out.append(((code >> 4) << np.arange(8)[:, None]).sum(-2))
    return np.concatenate(out + [qs], -1)
