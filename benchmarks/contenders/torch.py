#===- torch.py - PyTorch --------------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# torch on the CPU, eager, without gradients: what F.* and @ dispatch to
# (oneDNN, its own kernels, KleidiAI). A layer is written as people write it.
#
#===----------------------------------------------------------------------===#

import numpy as np

from contenders import Contender, NotInstalled, Unsupported
import formats

try:
    import torch
    import torch.nn.functional as F
except (ImportError, OSError) as problem:
    torch = None
    _why = str(problem).split("\n")[0]

_EPS = 1e-5


def _tensor(array):
    if array.dtype == np.uint16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _timed(compute):
    """A call and the result of the last one; outputs are allocated by torch,
    which keeps freed blocks."""
    last = [None]

    def call():
        last[0] = compute()
    return call, lambda: last[0].float().numpy()


def _turns(positions, width, type):
    """cos and sin of the rotary embedding, made once as models do."""
    half = width // 2
    step = 1e4 ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = positions.double()[:, None] * step
    return angle.cos().to(type), angle.sin().to(type)


def _turned(x, turns):
    """x [B, H, S, D], pairs (i, i + D / 2)."""
    cos, sin = turns
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Torch(Contender):
    name = "torch"

    def __init__(self, threads, tools):
        if torch is None:
            raise NotInstalled(_why)
        super().__init__(threads, tools)
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        torch.set_grad_enabled(False)
        self.version = f"torch {torch.__version__}"

    def matmul(self, task, a, b):
        a, b = _tensor(a), _tensor(b)
        return _timed(lambda: a @ b)

    def linear(self, task, x, w):
        x, w = _tensor(x), _tensor(w)
        return _timed(lambda: F.linear(x, w))

    def int8_matmul(self, task, a, b, scale_a, scale_b):
        """The i32 product alone is timed: no scales, less than we do."""
        a, b = _tensor(a), _tensor(b)
        call, result = _timed(lambda: torch._int_mm(a, b))
        return call, lambda: result() * scale_a[:, None] * scale_b

    def rms_norm(self, task, x, gamma):
        x, gamma = _tensor(x), _tensor(gamma)
        return _timed(lambda: F.rms_norm(x, gamma.shape, gamma, _EPS))

    def layer_norm(self, task, x, gamma, beta):
        x, gamma, beta = _tensor(x), _tensor(gamma), _tensor(beta)
        return _timed(lambda: F.layer_norm(x, gamma.shape, gamma, beta, _EPS))

    def softmax(self, task, x):
        x = _tensor(x)
        return _timed(lambda: torch.softmax(x, -1))

    def swiglu(self, task, gate, up):
        gate, up = _tensor(gate), _tensor(up)
        return _timed(lambda: F.silu(gate) * up)

    def copy(self, task, x):
        x = _tensor(x)
        out = torch.zeros_like(x)
        return (lambda: out.copy_(x)), lambda: out.numpy()

    def attention(self, task, q, k, v):
        q, k, v = _tensor(q), _tensor(k), _tensor(v)
        return _timed(lambda: F.scaled_dot_product_attention(
            q, k, v, is_causal=task.options.get("causal", False)))

    def layer_prefill(self, task, x, pos, g1, g2, wq, wk, wv, wo, wg, wu, wd):
        heads, groups, length, d = task.size("HGSD")
        x, g1, g2 = _tensor(x), _tensor(g1), _tensor(g2)
        turns = _turns(torch.from_numpy(pos[0]), d // heads, x.dtype)
        # F.linear takes [N, K]: turned around once, as checkpoints have it.
        wq, wk, wv, wo, wg, wu, wd = (
            _tensor(w).T.contiguous() for w in (wq, wk, wv, wo, wg, wu, wd))

        def split(y, count):
            return y.view(1, length, count, d // heads).transpose(1, 2)

        def layer():
            h = F.rms_norm(x, (d,), g1, _EPS)
            q = _turned(split(F.linear(h, wq), heads), turns)
            k = _turned(split(F.linear(h, wk), groups), turns)
            v = split(F.linear(h, wv), groups)
            o = F.scaled_dot_product_attention(q, k, v, is_causal=True,
                                               enable_gqa=True)
            y = x + F.linear(o.transpose(1, 2).reshape(1, length, d), wo)
            h = F.rms_norm(y, (d,), g2, _EPS)
            return y + F.linear(F.silu(F.linear(h, wg)) * F.linear(h, wu), wd)
        return _timed(layer)

    def layer_decode(self, task, x, pos, at, g1, g2, kc, vc, **weights):
        """In bf16, caches included: its products of f32 and weights of a few
        bits are several times slower than those of bf16."""
        heads, groups, d = task.size("HGD")
        place = int(at[0])
        x, g1, g2, keys, values = (torch.from_numpy(a).bfloat16()
                                   for a in (x, g1, g2, kc, vc))
        turns = _turns(torch.from_numpy(pos[0]), d // heads, x.dtype)
        wq, wk, wv, wo, wg, wu, wd = (
            _quantized_product(task.type, weights[name])
            for name in ("wq", "wk", "wv", "wo", "wg", "wu", "wd"))

        def split(y, count):
            return y.view(1, count, 1, d // heads)

        def layer():
            h = F.rms_norm(x, (d,), g1, _EPS)
            q = _turned(split(wq(h), heads), turns)
            keys[:, :, place:place + 1] = _turned(split(wk(h), groups), turns)
            values[:, :, place:place + 1] = split(wv(h), groups)
            o = F.scaled_dot_product_attention(q, keys, values,
                                               enable_gqa=True)
            y = x + wo(o.view(1, d))
            h = F.rms_norm(y, (d,), g2, _EPS)
            return y + wd(F.silu(wg(h)) * wu(h))
        return _timed(layer)


def _quantized_product(name, weights):
    """x [rows, K] bf16 to x W^T, with the weights in its nearest format: 4
    bits in blocks of 32, or 8 bits with one scale for a row."""
    if name == "q4_0":
        scales, codes = map(torch.from_numpy, formats.scales_and_codes(
            name, weights.view(np.uint8)))
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(
            codes.int() + 8, 1)
        pairs = torch.stack([scales.T, torch.zeros_like(scales.T)],
                            -1).bfloat16()
        return lambda x: torch.ops.aten._weight_int4pack_mm_for_cpu(
            x, packed, formats.FORMATS[name].block, pairs)
    if name == "q8_0":
        matrix = torch.from_numpy(
            formats.dequantize(name, weights.view(np.uint8)))
        scales = matrix.abs().amax(1) / 127
        codes = (matrix / scales[:, None]).round().to(torch.int8)
        scales = scales.bfloat16()
        return lambda x: torch._weight_int8pack_mm(x, codes, scales)
    raise Unsupported(f"it has no {name}")


open = Torch
