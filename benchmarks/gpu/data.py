#===- data.py - What the GPU benchmarks compute on ------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: an Input of cases.py. Out: a torch tensor on the device, random in the way
# that its `fill` says. Block-quantized weights are made and expanded on the
# device; check_formats compares that with formats.py.
#
#===----------------------------------------------------------------------===#

import numpy as np
import torch

import formats

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16,
          "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2,
          "i8": torch.int8, "i32": torch.int32}
#: The position that rope and kv_append begin at.
FIRST = 10


def fill(input, device):
    type = DTYPES[input.type]
    if input.fill in formats.FORMATS:
        return random_weights(input.fill, input.shape, device)
    if input.fill == "positions":
        return (torch.arange(input.shape[-1], device=device) + FIRST).to(
            type).reshape(input.shape)
    if input.fill == "first":
        return torch.full(input.shape, FIRST, dtype=type, device=device)
    if input.fill == "bytes":
        return torch.randint(-128, 128, input.shape, dtype=type, device=device)
    if input.fill == "gain":
        return (torch.rand(input.shape, device=device) + 0.5).to(type)
    # Large tensors in parts: the random numbers are f32.
    values = torch.empty(input.shape, dtype=type, device=device)
    scale = input.shape[-1] ** -0.5 if input.fill == "weights" else 1.0
    flat = values.view(-1)
    for start in range(0, flat.numel(), 1 << 26):
        part = flat[start:start + (1 << 26)]
        part.copy_(torch.randn(part.numel(), device=device) * scale)
    return values


#===----------------------------------------------------------------------===#
# Block formats
#===----------------------------------------------------------------------===#

def random_weights(name, shape, device):
    """As formats.random_weights: any bytes, with scales of a sane size."""
    form = formats.FORMATS[name]
    data = torch.randint(0, 256, (shape[0] * shape[1] // form.size, form.size),
                         dtype=torch.uint8, device=device)

    def set_scales(factor):
        for offset in form.scales:
            scale = (torch.rand(len(data), 1, device=device) + 0.5) * factor
            data[:, offset:offset + 2] = scale.half().view(torch.uint8)
    set_scales(1.0)
    set_scales(2.0 ** -6 / _EXPAND[name](data[:256]).std().item())
    return data.view(shape[0], -1).view(torch.int8)


def dequantize(name, weights):
    """float32 [rows, K], as formats.dequantize."""
    form = formats.FORMATS[name]
    blocks = weights.view(torch.uint8).reshape(-1, form.size)
    return _EXPAND[name](blocks).reshape(len(weights), -1)


def from_int4(codes, scales):
    """float32 [rows, K] of two's complement halves of bytes, the low one first,
    with a scale for each 128."""
    numbers = torch.stack([(codes << 4) >> 4, codes >> 4], -1)
    return (numbers.reshape(len(codes), -1).float()
            * scales.float().repeat_interleave(128, 1))


def as_integers(name, x):
    """What `activations = q8` makes of x, in float32."""
    blocks = x.float().view(-1, 256 if name.endswith("_k") else 32)
    largest = blocks.abs().argmax(1, keepdim=True)
    if name.endswith("_k"):
        scale = -127 / blocks.gather(1, largest)
        return ((blocks * scale).round().clamp(max=127) / scale).view(-1)
    scale = blocks.gather(1, largest).abs() / 127
    # Halves away from zero.
    integers = (blocks / scale).abs().add(0.5).floor() * blocks.sign()
    return (integers * scale.half().float()).view(-1)


def check_formats(device):
    for name in _EXPAND:
        weights = random_weights(name, (4, formats.row_bytes(name, 512)),
                                 device)
        wanted = formats.dequantize(
            name, weights.view(torch.uint8).cpu().numpy())
        if not np.array_equal(dequantize(name, weights).cpu().numpy(), wanted):
            raise AssertionError(f"data.dequantize is wrong for {name}")


def _half(b, offset):
    return b[:, offset:offset + 2].contiguous().view(torch.float16).float()


def _nibbles(packed):
    return torch.cat([packed & 15, packed >> 4], 1).float()


def _q4_0(b):
    return _half(b, 0) * (_nibbles(b[:, 2:]) - 8)


def _q8_0(b):
    return _half(b, 0) * b[:, 2:].contiguous().view(torch.int8).float()


def _k_scaled(b, values):
    s = b[:, 4:16]
    scale = torch.cat([s[:, :4] & 63, (s[:, 8:] & 15) | (s[:, :4] >> 6) << 4],
                      1).float()
    least = torch.cat([s[:, 4:8] & 63,
                       (s[:, 8:] >> 4) | (s[:, 4:8] >> 6) << 4], 1).float()
    return ((_half(b, 0) * scale)[..., None] * values
            - (_half(b, 2) * least)[..., None]).reshape(len(b), 256)


def _k_values(b, packed):
    packed = packed.reshape(len(b), 4, 1, 32)
    return torch.cat([packed & 15, packed >> 4], 2).reshape(
        len(b), 8, 32).float()


def _q4_k(b):
    return _k_scaled(b, _k_values(b, b[:, 16:144]))


def _q5_k(b):
    shifts = torch.arange(8, dtype=torch.uint8, device=b.device)[:, None]
    bits = (b[:, None, 16:48] >> shifts) & 1
    return _k_scaled(b, _k_values(b, b[:, 48:176]) + 16 * bits.float())


def _q6_k(b):
    low = b[:, :128].reshape(-1, 2, 2, 32)
    high = b[:, 128:192].reshape(-1, 2, 1, 32)
    shifts = torch.tensor([0, 2, 4, 6], dtype=torch.uint8,
                          device=b.device)[:, None]
    values = (torch.cat([low & 15, low >> 4], 2)
              | ((high >> shifts) & 3) << 4).float() - 32
    scale = b[:, 192:208].contiguous().view(torch.int8).float() * _half(b, 208)
    return values.reshape(len(b), 256) * scale.repeat_interleave(16, 1)


_EXPAND = {"q4_0": _q4_0, "q8_0": _q8_0, "q4_k": _q4_k, "q5_k": _q5_k,
           "q6_k": _q6_k}
