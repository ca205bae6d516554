#===- op_programs.py - Programs that break an op's contract --------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# One wrong thing each: a rank, a size, an element type, an attribute. All are
# refused by the op's verifier with AIK-E0002.
#
#===----------------------------------------------------------------------===#

from dataclasses import replace

from programs import Program


def _wrong(name, op, types, results, mentions, attributes="", groups=()):
    """A function whose only op is wrong. `groups`: optional operands, as
    (keyword, type) after the plain ones."""
    names = [f"a{i}" for i in range(len(types) + len(groups))]
    every = list(types) + [t for _, t in groups]
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip(names, every))
    plain = ", ".join(f"%{n}" for n in names[:len(types)])
    extra = "".join(f" {g} %{n}" for (g, _), n in
                    zip(groups, names[len(types):]))
    outs = ", ".join(f"%r{i}" for i in range(len(results)))
    arrow = results[0] if len(results) == 1 else f"({', '.join(results)})"
    attributes = f" {{{attributes}}}" if attributes else ""
    text = (f"func.func @f({arguments}) -> {arrow} {{\n"
            f"  {outs} = aikernel.{op} {plain}{extra}{attributes} : "
            f"({', '.join(every)}) -> {arrow}\n"
            f"  return {outs} : {', '.join(results)}\n}}\n")
    return Program(f"{op}_{name}", text, 2, f"{op}.*({mentions})")


def _t(shape, dtype="f32"):
    return f"tensor<{shape}x{dtype}>" if shape else f"tensor<{dtype}>"


def _matmul(name, a, b, c, mentions, attributes=""):
    return _wrong(name, "matmul", [a, b], [c], mentions, attributes)


def _attention(name, mentions, q="2x4x3x8", k="2x2x5x8", v="2x2x5x8",
               out="2x4x3x8", attributes="", groups=(), dtype="f32",
               lse=None):
    results = [_t(out, dtype)] + ([lse] if lse else [])
    types = [_t(q, dtype), _t(k, dtype), _t(v, dtype)]
    return _wrong(name, "attention", types, results, mentions, attributes,
                  groups)


def _rope(name, mentions, attributes="base = 1.0e4 : f32", x="2x4x3x8",
          pos="tensor<2x3xi32>", dtype="f32"):
    return _wrong(name, "rope", [_t(x, dtype), pos], [_t(x, dtype)],
                  mentions, attributes)


def _append(name, mentions, cache="2x1x8x4", new="2x1x1x4", out=None,
            new_type="f32", pos="tensor<2xi32>"):
    return _wrong(name, "kv_append", [_t(cache), _t(new, new_type), pos],
                  [_t(out or cache)], mentions)


def _parsed(program):
    """The wrong kind of attribute is noticed while the op is being read."""
    mentions = program.mentions.split(".*", 1)[1]
    return replace(program, code=(1, 2), mentions=mentions)


MATMUL = [
    _matmul("inner", _t("3x5"), _t("6x2"), _t("3x2"), "5.*6|6.*5"),
    _matmul("inner_transposed", _t("3x5"), _t("5x2"), _t("3x2"),
            "5.*2|2.*5", "transpose_b"),
    _matmul("rows", _t("3x5"), _t("5x2"), _t("4x2"), "3.*4|4.*3"),
    _matmul("columns", _t("3x5"), _t("5x2"), _t("3x7"), "2.*7|7.*2"),
    _matmul("vector", _t("5"), _t("5x2"), _t("2"), "rank"),
    _matmul("batch", _t("2x3x5"), _t("4x5x2"), _t("2x3x2"), "2.*4|4.*2"),
    _matmul("result_rank", _t("2x3x5"), _t("5x2"), _t("3x2"), "rank"),
    _matmul("integers", _t("3x5", "i32"), _t("5x2", "i32"), _t("3x2", "i32"),
            "i32"),
    _matmul("f8_result", _t("3x5"), _t("5x2"), _t("3x2", "f8E4M3FN"),
            "f8E4M3FN"),
    _parsed(_wrong("flag_value", "matmul", [_t("3x5"), _t("5x2")], [_t("3x2")],
           "transpose_a|unit", "transpose_a = 3 : i64")),
]

LINEAR = [
    _wrong("inner", "linear", [_t("3x5"), _t("6x2")], [_t("3x2")],
           "5.*6|6.*5"),
    _wrong("bias", "linear", [_t("3x5"), _t("5x2")], [_t("3x2")],
           "2.*4|4.*2|bias", groups=[("bias", _t("4"))]),
    _wrong("bias_rank", "linear", [_t("3x5"), _t("5x2")], [_t("3x2")],
           "rank|bias", groups=[("bias", _t("3x2"))]),
    _wrong("weight_rank", "linear", [_t("3x5"), _t("1x5x2")],
           [_t("3x2")], "rank|w"),
    _wrong("result", "linear", [_t("2x3x5"), _t("5x2")], [_t("6x2")],
           "rank|result"),
    _parsed(_wrong("activation_text", "linear", [_t("3x5"), _t("5x2")],
           [_t("3x2")], "activation", 'activation = "gelu"')),
]

ELEMENTWISE = [
    _wrong("integers", "relu", [_t("4", "i32")], [_t("4", "i32")], "i32"),
    _wrong("shape", "gelu", [_t("4")], [_t("5")], "4.*5|5.*4|type"),
    _wrong("type", "silu", [_t("4")], [_t("4", "bf16")],
           "f32.*bf16|bf16.*f32"),
    _wrong("f8", "tanh", [_t("4", "f8E5M2")], [_t("4", "f8E5M2")],
           "f8E5M2"),
    _wrong("rank", "sigmoid", [_t("4")], [_t("4x1")], "rank|type|4x1"),
    _wrong("shape", "swiglu", [_t("3x4"), _t("3x5")], [_t("3x4")],
           "4.*5|5.*4|type"),
    _wrong("type", "geglu", [_t("3x4"), _t("3x4", "f16")], [_t("3x4")],
           "f16.*f32|f32.*f16"),
]

NORMS = [
    _wrong("gamma", "rms_norm", [_t("3x5"), _t("4")], [_t("3x5")],
           "4.*5|5.*4", "eps = 1.0e-5 : f32"),
    _wrong("gamma_rank", "rms_norm", [_t("3x5"), _t("3x5")], [_t("3x5")],
           "rank|gamma", "eps = 1.0e-5 : f32"),
    _wrong("eps", "rms_norm", [_t("3x5"), _t("5")], [_t("3x5")],
           "eps", "eps = -1.0 : f32"),
    _wrong("no_eps", "rms_norm", [_t("3x5"), _t("5")], [_t("3x5")],
           "eps"),
    _wrong("scalar", "rms_norm", [_t(""), _t("5")], [_t("")],
           "rank", "eps = 1.0e-5 : f32"),
    _wrong("gamma_type", "rms_norm", [_t("3x5"), _t("5", "bf16")],
           [_t("3x5")], "bf16", "eps = 1.0e-5 : f32"),
    _wrong("beta", "layer_norm", [_t("3x5"), _t("5"), _t("6")],
           [_t("3x5")], "5.*6|6.*5", "eps = 1.0e-5 : f32"),
    _wrong("eps_nan", "layer_norm", [_t("3x5"), _t("5"), _t("5")],
           [_t("3x5")], "eps", "eps = 0x7FC00000 : f32"),
    _parsed(_wrong("eps_type", "layer_norm", [_t("3x5"), _t("5"), _t("5")],
           [_t("3x5")], "eps", "eps = 1 : i64")),
    _wrong("eps", "l2_norm", [_t("3x5")], [_t("3x5")], "eps",
           "eps = -1.0 : f32"),
    _wrong("result", "l2_norm", [_t("3x5")], [_t("3x4")], "5.*4|4.*5|type",
           "eps = 1.0e-12 : f32"),
    _wrong("scalar", "l2_norm", [_t("")], [_t("")], "rank",
           "eps = 1.0e-12 : f32"),
    _wrong("axis", "softmax", [_t("3x5")], [_t("3x5")], "axis.*2|2.*axis",
           "axis = 2 : i64"),
    _wrong("axis_low", "softmax", [_t("3x5")], [_t("3x5")],
           "axis|-3", "axis = -3 : i64"),
    _wrong("scalar", "softmax", [_t("")], [_t("")], "axis|rank"),
]

ATTENTION = [
    _attention("rank", "rank", q="4x3x8"),
    _attention("heads", "4.*3|3.*4|multiple", k="2x3x5x8", v="2x3x5x8"),
    _attention("features", "8.*7|7.*8", k="2x2x5x7"),
    _attention("keys", "5.*6|6.*5", v="2x2x6x8"),
    _attention("batch", "2.*3|3.*2", k="3x2x5x8"),
    _attention("result", "8.*9|9.*8", out="2x4x3x9"),
    _attention("window_alone", "window", attributes="window = 4 : i64"),
    _attention("window_zero", "window",
               attributes="causal, window = 0 : i64"),
    _attention("softcap_zero", "softcap", attributes="softcap = 0.0 : f32"),
    _attention("scale_nan", "scale", attributes="scale = 0x7FC00000 : f32"),
    _attention("mask", "mask", groups=[("mask", _t("1x1x3x4"))]),
    _attention("mask_type", "mask", groups=[("mask", _t("1x1x3x5", "i32"))]),
    _attention("kv_len_type", "kv_len", groups=[("kv_len", "tensor<2xi64>")]),
    _attention("kv_len_size", "kv_len|2.*3|3.*2",
               groups=[("kv_len", "tensor<3xi32>")]),
    _attention("sinks", "sinks|4.*2|2.*4", groups=[("sinks", _t("2"))]),
    _attention("sinks_type", "sinks", groups=[("sinks", _t("4", "f16"))]),
    _attention("lse_type", "lse", lse=_t("2x4x3", "f16")),
    _attention("lse_shape", "lse|3.*5", lse=_t("2x4x5")),
    _attention("f8", "f8E4M3FN", dtype="f8E4M3FN"),
    _parsed(_attention("layout", "layout",
               attributes='layout = "bshd"')),
]

ROPE = [
    _rope("rank", "rank", x="4x3x8"),
    _rope("odd", "dim|even", attributes="base = 1.0e4 : f32, dim = 5 : i64"),
    _rope("odd_features", "even|7", x="2x4x3x7"),
    _rope("dim", "dim.*10|10",
          attributes="base = 1.0e4 : f32, dim = 10 : i64"),
    _rope("base", "base", attributes="base = -1.0 : f32"),
    _rope("no_base", "base", attributes="dim = 4 : i64"),
    _rope("pos_type", "pos", pos="tensor<2x3xi64>"),
    _rope("pos_shape", "pos|3.*4|4.*3", pos="tensor<2x4xi32>"),
    _rope("any_features", "dim|D", x="2x4x3x?"),
]

CACHE = [
    _append("rank", "rank", "2x8x4", "2x1x4"),
    _append("features", "4.*5|5.*4", new="2x1x1x5"),
    _append("too_long", "9.*8|8.*9", new="2x1x9x4"),
    _append("types", "f16", new_type="f16"),
    _append("pos_type", "pos", pos="tensor<2xi64>"),
    _append("result", "8.*9|9.*8|type", out="2x1x9x4"),
]

_Q4 = "format = #aikernel.quant<q4_0>"
_I4 = "format = #aikernel.quant<i4, group = 32>"
_S = _t("1")


def _bytes(shape):
    return _t(shape, "i8")


QUANT = [
    _wrong("bytes", "dequantize", [_bytes("8x35")], [_t("8x64")],
           "35.*multiple of 18", _Q4),
    _wrong("size", "dequantize", [_bytes("8x36")], [_t("8x32")],
           "36.*32.*takes 18", _Q4),
    _wrong("type", "dequantize", [_t("8x36", "f16")], [_t("8x64")], "f16",
           _Q4),
    _wrong("result", "dequantize", [_bytes("8x36")], [_t("8x64", "i32")],
           "i32", _Q4),
    _wrong("no_scales", "dequantize", [_bytes("8x16")], [_t("8x32")],
           "scales", _I4),
    _wrong("scales", "dequantize", [_bytes("8x36")], [_t("8x64")], "scales",
           _Q4, [("scales", _t("8x2"))]),
    _wrong("groups", "dequantize", [_bytes("8x16")], [_t("8x32")],
           "2.*32.*takes 1", _I4, [("scales", _t("8x2"))]),
    _wrong("no_format", "dequantize", [_bytes("8x36")], [_t("8x64")],
           "format"),
    _parsed(_wrong("format", "dequantize", [_bytes("8x36")], [_t("8x64")],
                   "q2_k", "format = #aikernel.quant<q2_k>")),
    _parsed(_wrong("group", "dequantize", [_bytes("8x36")], [_t("8x64")],
                   "group.*multiple of 8",
                   "format = #aikernel.quant<i4, group = 20>")),
    _parsed(_wrong("huge_group", "dequantize", [_bytes("8x36")],
                   [_t("8x64")], "group",
                   "format = #aikernel.quant<i8, group = 1048576>")),
    _wrong("elements", "quantize", [_t("8x33")], [_bytes("8x36")],
           "33.*multiple of 32", _Q4),
    _wrong("size", "quantize", [_t("8x32")], [_bytes("8x36")],
           "36.*32.*takes 18", _Q4),
    _wrong("results", "quantize", [_t("8x32")], [_bytes("8x18"), _t("8x1")],
           "2 results", _Q4),
    _wrong("no_scales", "quantize", [_t("8x32")], [_bytes("8x16")],
           "1 result", _I4),
    _wrong("inner", "quant_gemv", [_t("64"), _bytes("8x18")], [_t("8")],
           "18.*64.*takes 36", _Q4),
    _wrong("matrix", "quant_gemv", [_t("2x32"), _bytes("8x18")], [_t("8")],
           "rank", _Q4),
    _wrong("rows", "quant_matmul", [_t("3x32"), _bytes("8x18")],
           [_t("4x8")], "4.*3", _Q4),
    _wrong("integers", "quant_matmul", [_bytes("3x32"), _bytes("8x18")],
           [_t("3x8")], "i8", _Q4),
    _parsed(_wrong("activations", "quant_gemv", [_t("32"), _bytes("8x18")],
                   [_t("8")], "activations",
                   _Q4 + ', activations = "q8"')),
    _wrong("inner", "int8_matmul", [_bytes("3x8"), _bytes("7x4"), _S, _S],
           [_t("3x4")], "7.*8"),
    _wrong("scale", "int8_matmul",
           [_bytes("3x8"), _bytes("8x4"), _t("2"), _S], [_t("3x4")],
           "scale_a.*2.*3"),
    _wrong("unsigned", "int8_matmul",
           [_t("3x8", "ui8"), _bytes("8x4"), _S, _S], [_t("3x4")], "ui8"),
    _wrong("zero", "int8_matmul", [_bytes("3x8"), _bytes("8x4"), _S, _S],
           [_t("3x4")], "zero_b", groups=[("zero_b", _t("4", "i32"))]),
]

ALL = (MATMUL + LINEAR + ELEMENTWISE + NORMS + ATTENTION + ROPE + CACHE
       + QUANT)
