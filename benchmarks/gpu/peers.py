#===- peers.py - What PyTorch has for each op -----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a case of cases.py and its tensors by name. Out: what is right, in float32,
# and peers: {name: function of the tensors}. `compiled` is torch.compile of
# what `eager` does.
#
#===----------------------------------------------------------------------===#

import torch
import torch.nn.functional as F

import data

#: Of the result, relative: the norm of the error, and the largest error.
TOLERANCE = {"f32": (1e-5, 1e-4), "f16": (1e-3, 4e-3), "bf16": (5e-3, 2e-2)}


def _norm(op, t):
    width = (t["x"].shape[-1],)
    if op == "rms_norm":
        return F.rms_norm(t["x"], width, t["g"], 1e-5)
    return F.layer_norm(t["x"], width, t["g"], t["b"], 1e-5)


def turn(x, cos, sin):
    """Feature i with feature i + D / 2."""
    one, two = x.float().chunk(2, -1)
    return torch.cat([one * cos - two * sin, two * cos + one * sin],
                     -1).to(x.dtype)


def angles(positions, width, base=1e4):
    rate = base ** (-torch.arange(0, width, 2, device=positions.device,
                                  dtype=torch.float64) / width)
    turn = positions.double()[..., None] * rate
    return turn.cos().float(), turn.sin().float()


def _rope_append(t):
    cos, sin = t["cos"], t["sin"]
    count = t["k"].shape[2]
    t["kc"][:, :, data.FIRST:data.FIRST + count] = turn(t["k"], cos, sin)
    t["vc"][:, :, data.FIRST:data.FIRST + count] = t["v"]
    return turn(t["q"], cos, sin), t["kc"], t["vc"]


_EAGER = {
    "rms_norm": lambda t: _norm("rms_norm", t),
    "layer_norm": lambda t: _norm("layer_norm", t),
    "softmax": lambda t: torch.softmax(t["x"], -1),
    "swiglu": lambda t: F.silu(t["x"]) * t["up"],
    "elementwise": lambda t: F.gelu(t["x"]) * t["y"] + t["x"],
    "linear": lambda t: F.linear(t["x"], t["w"]),
    "linear_residual": lambda t: torch.addmm(t["r"], t["x"], t["w"].t()),
    "linear_gelu": lambda t: F.gelu(F.linear(t["x"], t["w"], t["b"])),
    "rope_append": _rope_append,
}

#: Ops that can be judged in parts along the first dimension of these inputs.
_BY_ROWS = {"rms_norm": ("x",), "layer_norm": ("x",), "softmax": ("x",),
            "swiglu": ("x", "up"), "elementwise": ("x", "y")}


def complete(case, tensors):
    """Adds what PyTorch computes ahead."""
    if case.op == "rope_append":
        cos, sin = angles(tensors["pos"][0], tensors["q"].shape[-1])
        return {**tensors, "cos": cos, "sin": sin}
    return tensors


def _eager(case):
    """What to do to the tensors of a case."""
    if case.op != "matmul":
        return _EAGER[case.op]

    def matmul(t):
        a, b = (t[name].t() if kind == "t" else t[name]
                for name, kind in zip("ab", case.options["layout"]))
        return a @ b
    return matmul


def reference(case, t):
    """The results in float32 as [(rows, tensor)]; parts where they are large."""
    if case.op in _BY_ROWS:
        step = max(1, (1 << 27) // t["x"].shape[1])
        for start in range(0, t["x"].shape[0], step):
            rows = slice(start, start + step)
            part = {n: (v[rows] if n in _BY_ROWS[case.op] else v).float()
                    for n, v in t.items()}
            yield 0, rows, _EAGER[case.op](part)
        return
    every = slice(None)
    if case.op == "quant_gemv":
        weights = data.dequantize(case.options["format"], t["w"])
        yield 0, every, weights @ data.as_integers(case.options["format"],
                                                   t["x"])
    elif case.op == "int4_matmul":
        yield 0, every, t["x"].float() @ data.from_int4(t["w"], t["s"]).t()
    elif case.op in ("scaled_matmul", "int8_matmul"):
        # Sums of integers are longer than the numbers that float32 has.
        wide = torch.float64 if case.op == "int8_matmul" else torch.float32
        columns = t["b"].to(wide).t()
        for start in range(0, t["a"].shape[0], 1024):
            rows = slice(start, start + 1024)
            sums = (t["a"][rows].to(wide) @ columns).float()
            yield 0, rows, sums * (t["sa"][rows, None] * t["sb"])
    elif case.op == "decode":
        for b in range(t["q"].shape[0]):
            yield 0, slice(b, b + 1), _attend(
                t["q"][b:b + 1], t["k"][b:b + 1], t["v"][b:b + 1])
    elif case.op == "prefill":
        group = t["q"].shape[1] // t["k"].shape[1]
        for b in range(t["q"].shape[0]):
            for h in range(t["q"].shape[1]):
                yield 0, (b, h), _attend_all(
                    t["q"][b, h], t["k"][b, h // group], t["v"][b, h // group],
                    **case.options)
    elif case.op == "rope_append":
        own = {n: v.clone() if n in ("kc", "vc") else v
               for n, v in complete(case, t).items()}
        for number, value in enumerate(_rope_append(own)):
            yield number, every, value.float()
    else:
        yield 0, every, _eager(case)({n: v.float() for n, v in t.items()})


def _attend(q, k, v):
    batch, heads, _, width = q.shape
    groups = k.shape[1]
    grouped = q.float().view(batch, groups, heads // groups, width)
    scores = grouped @ k.float().transpose(-1, -2) * width ** -0.5
    return (torch.softmax(scores, -1) @ v.float()).view(q.shape)


def _attend_all(q, k, v, causal, window, softcap):
    """One head."""
    scores = q.float() @ k.float().t() * q.shape[-1] ** -0.5
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    hidden = torch.zeros_like(scores, dtype=torch.bool)
    if causal:
        hidden |= torch.ones_like(hidden).triu(1)
    if window:
        hidden |= torch.ones_like(hidden).tril(-window)
    scores.masked_fill_(hidden, float("-inf"))
    return torch.softmax(scores, -1) @ v.float()


def _sdpa(backend, causal=False):
    from torch.nn.attention import sdpa_kernel, SDPBackend

    def attend(t):
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return F.scaled_dot_product_attention(
                t["q"], t["k"], t["v"], is_causal=causal,
                enable_gqa=t["q"].shape[1] != t["k"].shape[1])
    return attend


def peers(case, compiles=True):
    """{name: function of the tensors of one set}"""
    if case.op == "decode":
        return {"cudnn": _sdpa("CUDNN_ATTENTION")}
    if case.op == "prefill":    # which has neither windows nor caps here
        if case.options["window"] or case.options["softcap"]:
            return {}
        return {"cudnn": _sdpa("CUDNN_ATTENTION", case.options["causal"])}
    if case.op == "quant_gemv":
        return _quantized(case)
    if case.op == "scaled_matmul":
        return {"scaled_mm": lambda t: torch._scaled_mm(
            t["a"], t["b"].t(), t["sa"][:, None], t["sb"][None],
            out_dtype=torch.bfloat16, use_fast_accum=case.options["fast"])}
    if case.op == "int4_matmul":
        return {"dequantize, cublas": _dequantized,
                "torch int4": lambda t: _int4(t, t["x"], t["s"].shape[0])}
    if case.op == "int8_matmul":    # without scales, and sums as they are
        return {"int_mm": lambda t: torch._int_mm(t["a"], t["b"].t())}
    eager = _eager(case)
    if case.op in ("linear", "linear_residual", "matmul"):
        return {"cublas": eager}
    found = {"eager": eager}
    if case.op == "linear_gelu":        # its gelu is the one with tanh
        found["cublaslt"] = lambda t: torch._addmm_activation(
            t["b"], t["x"], t["w"].t(), use_gelu=True)
    if compiles:
        compiled = torch.compile(eager, dynamic=False)
        found["compiled"] = compiled
    return found


def _dequantized(t):
    from dequantizer import dequantize
    if "plain" not in t:
        t["plain"] = torch.empty(t["s"].shape[0], t["x"].shape[1],
                                 dtype=torch.bfloat16, device=t["x"].device)
    dequantize(t["w"], t["s"], t["plain"])
    return F.linear(t["x"], t["plain"])


def _int4(t, x, n):
    """Of weights of its own: groups of 128 with a scale and a zero point."""
    if "int4" not in t:
        half, device = x.shape[1] // 2, x.device
        codes = torch.randint(0, 255, (n, half), device=device,
                              dtype=torch.uint8)
        t["int4"] = torch._convert_weight_to_int4pack(codes, 8)
        t["int4 scales"] = torch.randn(half // 64, n, 2,
                                       device=device).to(torch.bfloat16)
    return torch.ops.aten._weight_int4pack_mm(x, t["int4"], 128,
                                              t["int4 scales"])


def _quantized(case):
    """There is no peer for these formats: 16-bit weights, and PyTorch's own 4
    bits with groups of 128, which are fewer than most formats have."""
    def plain(t):
        if "plain" not in t:
            t["plain"] = data.dequantize(case.options["format"],
                                         t["w"]).to(torch.bfloat16)
        return F.linear(t["x"][None], t["plain"])

    return {"cublas bf16": plain, "torch int4": lambda t: _int4(
        t, t["x"][None], case.options["n"])}
