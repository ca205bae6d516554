#===- formats.py - Block-quantized weights --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The GGUF block formats as bytes: how large they are, random valid weights,
# and their exact values. In: a format's name and a shape; out: uint8 arrays of
# [rows, bytes per row], or float32 arrays of [rows, K]. Field layouts are those
# of ggml: little-endian, blocks along K, no padding.
#
#===----------------------------------------------------------------------===#

from typing import NamedTuple

import numpy as np

#: MXFP4's values, doubled.
_E2M1 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12],
                 np.float32)


class Format(NamedTuple):
    block: int          # weights in one block
    size: int           # bytes of one block
    scales: tuple       # byte offsets of its f16 scales
    dequantize: object  # uint8 [blocks, size] -> float32 [blocks, block]

    @property
    def bits(self):
        return 8 * self.size / self.block


def _half(blocks, offset):
    return np.ascontiguousarray(blocks[:, offset:offset + 2]).view(
        "<f2").astype(np.float32)


def _nibbles(packed):
    """The low nibbles of all bytes, then the high ones."""
    return np.concatenate([packed & 15, packed >> 4], 1).astype(np.float32)


def _fifth_bits(blocks, offset):
    word = np.ascontiguousarray(blocks[:, offset:offset + 4]).view("<u4")
    return ((word >> np.arange(32, dtype=np.uint32)) & 1).astype(np.float32)


def _q4_0(b):
    return _half(b, 0) * (_nibbles(b[:, 2:]) - 8)


def _q4_1(b):
    return _half(b, 0) * _nibbles(b[:, 4:]) + _half(b, 2)


def _q5_0(b):
    return _half(b, 0) * (_nibbles(b[:, 6:]) + 16 * _fifth_bits(b, 2) - 16)


def _q5_1(b):
    return _half(b, 0) * (_nibbles(b[:, 8:]) + 16 * _fifth_bits(b, 4)) \
        + _half(b, 2)


def _q8_0(b):
    return _half(b, 0) * b[:, 2:].view(np.int8).astype(np.float32)


def _mxfp4(b):
    scale = np.ldexp(np.float32(1), b[:, :1].astype(np.int32) - 128)
    return _E2M1[np.concatenate([b[:, 1:] & 15, b[:, 1:] >> 4], 1)] * scale


def _six_bit_scales(s):
    """The 8 scales and 8 minima of Q4_K and Q5_K, packed into 12 bytes."""
    scale = np.concatenate(
        [s[:, :4] & 63, (s[:, 8:] & 15) | ((s[:, :4] >> 6) << 4)], 1)
    least = np.concatenate(
        [s[:, 4:8] & 63, (s[:, 8:] >> 4) | ((s[:, 4:8] >> 6) << 4)], 1)
    return scale.astype(np.float32), least.astype(np.float32)


def _k_values(b, packed):
    """Nibbles in the order of the weights: [blocks, 8 sub-blocks, 32]."""
    packed = packed.reshape(len(b), 4, 1, 32)
    return np.concatenate([packed & 15, packed >> 4], 2).reshape(
        len(b), 8, 32).astype(np.float32)


def _k_scaled(b, values):
    scale, least = _six_bit_scales(b[:, 4:16])
    return ((_half(b, 0) * scale)[..., None] * values
            - (_half(b, 2) * least)[..., None]).reshape(len(b), 256)


def _q4_k(b):
    return _k_scaled(b, _k_values(b, b[:, 16:144]))


def _q5_k(b):
    bits = (b[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]) & 1
    return _k_scaled(b, _k_values(b, b[:, 48:176])
                     + 16 * bits.astype(np.float32))


def _q6_k(b):
    low = b[:, :128].reshape(-1, 2, 2, 32)          # half, group of 32
    high = b[:, 128:192].reshape(-1, 2, 1, 32)
    nibble = np.concatenate([low & 15, low >> 4], 2)
    top = (high >> np.array([0, 2, 4, 6], np.uint8)[:, None]) & 3
    values = (nibble | top << 4).astype(np.float32) - 32
    scale = b[:, 192:208].view(np.int8).astype(np.float32) * _half(b, 208)
    return values.reshape(len(b), 256) * np.repeat(scale, 16, 1)


FORMATS = {
    "q4_0": Format(32, 18, (0,), _q4_0),
    "q4_1": Format(32, 20, (0, 2), _q4_1),
    "q5_0": Format(32, 22, (0,), _q5_0),
    "q5_1": Format(32, 24, (0, 2), _q5_1),
    "q8_0": Format(32, 34, (0,), _q8_0),
    "q4_k": Format(256, 144, (0, 2), _q4_k),
    "q5_k": Format(256, 176, (0, 2), _q5_k),
    "q6_k": Format(256, 210, (208,), _q6_k),
    "mxfp4": Format(32, 17, (), _mxfp4),
}


def row_bytes(name, k):
    form = FORMATS[name]
    if k % form.block:
        raise ValueError(f"{name} needs a multiple of {form.block}, not {k}")
    return k // form.block * form.size


def random_weights(name, rng, rows, k):
    """Any bytes are weights, once the scales are numbers of a sane size: those
    here give a standard deviation near 1 / sqrt(4096)."""
    form = FORMATS[name]
    data = rng.integers(0, 256, (rows * row_bytes(name, k) // form.size,
                                 form.size), np.uint8)
    if name == "mxfp4":
        data[:, 0] = rng.integers(117, 122, len(data))
    scales = rng.uniform(0.5, 1.5, (len(data), len(form.scales)))
    for place, offset in enumerate(form.scales):
        data[:, offset:offset + 2] = scales[:, place:place + 1].astype(
            "<f2").view(np.uint8)
    if form.scales:
        scales *= 2.0 ** -6 / form.dequantize(data[:256]).std()
        for place, offset in enumerate(form.scales):
            data[:, offset:offset + 2] = scales[:, place:place + 1].astype(
                "<f2").view(np.uint8)
    return data.reshape(rows, -1)


def dequantize(name, weights):
    form = FORMATS[name]
    blocks = np.ascontiguousarray(weights).reshape(-1, form.size)
    return form.dequantize(blocks).reshape(len(weights), -1)


def scales_and_codes(name, weights):
    """Of q4_0 and q8_0, uint8 [rows, bytes]: float32 [rows, blocks] and the
    integers that they multiply, int8 [rows, K]. None for other formats."""
    form = FORMATS[name]
    blocks = weights.reshape(-1, form.size)
    if name == "q4_0":
        codes = _nibbles(blocks[:, 2:]).astype(np.int8) - np.int8(8)
    elif name == "q8_0":
        codes = blocks[:, 2:].view(np.int8)
    else:
        return None
    rows = len(weights)
    return _half(blocks, 0).reshape(rows, -1), codes.reshape(rows, -1)
