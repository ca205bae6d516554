#===- program.py - What a case is: types, inputs, ops --------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# A case is a small function made of ops, its inputs and a tier. Dimensions are
# named by letters; `dynamic` says which of them are `?` in the program, and the
# type of every op's result follows from its operands here. Cases with the same
# text share one compiled function, so that a dynamic function is compiled once
# and run on many shapes.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass, field
import zlib
from typing import Callable, NamedTuple, Optional

import numpy as np

from oracle import quant

TIERS = ("exact", "bounded", "elementwise", "edge", "property")


class Dim(NamedTuple):
    size: int
    dynamic: bool

    def text(self):
        return "?" if self.dynamic else str(self.size)


ONE = Dim(1, False)


@dataclass(frozen=True)
class TensorType:
    dtype: str
    dims: tuple

    @property
    def shape(self):
        return tuple(d.size for d in self.dims)

    def text(self):
        return f"tensor<{''.join(d.text() + 'x' for d in self.dims)}" \
               f"{self.dtype}>"


@dataclass(frozen=True)
class Input:
    name: str
    type: TensorType
    fill: Callable          # (rng, shape, dtype) -> values, see fills.py
    attributes: str = ""    # of the function argument, as text


@dataclass(frozen=True)
class Node:
    op: str
    operands: tuple         # (group or "", value name) in order
    attributes: tuple       # (name, python value) in order
    results: tuple          # value names

    def names(self):
        return [name for _, name in self.operands]

    def operand(self, group):
        return next((n for g, n in self.operands if g == group), None)

    def attribute(self, name, default=None):
        return dict(self.attributes).get(name, default)


@dataclass
class Case:
    id: str
    family: str
    op: str                 # what the support matrix counts it under
    tier: str
    compare: str            # "exact", "bounded", "ulp" or "quality"
    inputs: list
    nodes: list
    types: dict             # value name -> TensorType
    outputs: list           # value names
    fails: Optional[str] = None         # the run-time error that must come
    variants: list = field(default_factory=list)    # see properties.py
    relation: Optional[Callable] = None

    @property
    def dynamic(self):
        return any(d.dynamic for i in self.inputs for d in i.type.dims)

    @property
    def dtype(self):
        """The types the support matrix shows: operands' and the result's."""
        floats = [i.type.dtype for i in self.inputs
                  if not i.type.dtype.startswith(("i", "u"))]
        formats = [n.attribute("format")[0] for n in self.nodes
                   if n.attribute("format")]
        seen = list(dict.fromkeys(formats + floats[:2] + [
            self.types[self.outputs[0]].dtype]))
        return "/".join(seen)

    def rng(self, salt=""):
        return np.random.default_rng(zlib.crc32((self.id + salt).encode()))


def _matmul_dims(types, attributes, _):
    a, b = types[0].dims, types[1].dims
    m, k = a[-2:] if not attributes.get("transpose_a") else a[:-3:-1]
    k2, n = b[-2:] if not attributes.get("transpose_b") else b[:-3:-1]
    left, right = list(a[:-2]), list(b[:-2])
    longest = max(len(left), len(right))
    left = [ONE] * (longest - len(left)) + left
    right = [ONE] * (longest - len(right)) + right
    return tuple(_broadcast(l, r) for l, r in zip(left, right)) + (m, n)


def _broadcast(left, right):
    """Equal, or 1 on one side; two dynamic dims may turn out either way."""
    if ONE in (left, right):
        return right if left == ONE else left
    if not (left.dynamic and right.dynamic):
        return right if left.dynamic else left
    return Dim(right.size if left.size == 1 else left.size, True)


def _linear_dims(types, attributes, _):
    n = types[1].dims[0 if attributes.get("transpose_b") else 1]
    return types[0].dims[:-1] + (n,)


def _same_dims(types, attributes, _):
    return types[0].dims


def _attention_dims(types, attributes, index):
    q, v = types[0].dims, types[2].dims
    if index == 0:
        return q[:3] + v[3:]
    return q[:3] if attributes.get("layout") != "bshd" \
        else (q[0], q[2], q[1])


def _expand_dims(types, attributes, _):
    heads = attributes["heads"]
    *rest, last = types[0].dims
    return tuple(rest) + (Dim(heads, False),
                          Dim(last.size // heads, False))


def _collapse_dims(types, attributes, _):
    *rest, heads, width = types[0].dims
    return tuple(rest) + (Dim(heads.size * width.size, False),)


def _split_dims(types, attributes, _):
    return (ONE,) + _expand_dims(types, attributes, _)


def _merge_dims(types, attributes, _):
    return _collapse_dims(types, attributes, _)[1:]


def _blocks(dim, size, per):
    """`per` for each `size` of a dimension."""
    return Dim(dim.size // size * per, dim.dynamic)


def _dequantize_dims(types, attributes, _):
    elements, width = quant.block_of(attributes["format"])
    *rest, last = types[0].dims
    return tuple(rest) + (_blocks(last, width, elements),)


def _quantize_dims(types, attributes, index):
    elements, width = quant.block_of(attributes["format"])
    *rest, last = types[0].dims
    return tuple(rest) + (_blocks(last, elements, 1 if index else width),)


def _quant_product_dims(types, attributes, _):
    return types[0].dims[:-1] + (types[1].dims[0],)


def _int8_matmul_dims(types, attributes, _):
    n = types[1].dims[0 if attributes.get("transpose_b") else 1]
    return types[0].dims[:1] + (n,)


def _transpose_dims(types, attributes, _):
    order = attributes.get("permutation", (1, 0))
    return tuple(types[0].dims[place] for place in order)


def _row_max_dims(types, attributes, _):
    return types[0].dims[:-1]


#: Where ops of linalg that sum take the sizes of their results from: an operand
#: and a place there; a third number is the place, in the second operand, of the
#: size of the window that moves along it.
RESULT_PLACES = {
    "linalg.reduce": None,      # what it does not sum along
    "linalg.dot": (),
    "linalg.matvec": ((0, 0),),
    "linalg.vecmat": ((1, 1),),
    "linalg.matmul": ((0, 0), (1, 1)),
    "linalg.batch_matmul": ((0, 0), (0, 1), (1, 2)),
    "linalg.batch_matvec": ((0, 0), (0, 1)),
    "linalg.batch_vecmat": ((0, 0), (1, 2)),
    "linalg.conv_1d": ((0, 0, 0),),
    "linalg.conv_2d_nhwc_hwcf": ((0, 0), (0, 1, 0), (0, 2, 1), (1, 3)),
    "linalg.conv_2d_nchw_fchw": ((0, 0), (1, 0), (0, 2, 2), (0, 3, 3)),
    "linalg.depthwise_conv_2d_nhwc_hwc": ((0, 0), (0, 1, 0), (0, 2, 1),
                                          (0, 3)),
    "linalg.pooling_nhwc_max": ((0, 0), (0, 1, 0), (0, 2, 1), (0, 3)),
    "linalg.pooling_nhwc_sum": ((0, 0), (0, 1, 0), (0, 2, 1), (0, 3)),
}


def result_places(op, attributes, rank):
    """`rank` is that of the first operand."""
    if op == "linalg.reduce":
        return [(0, place) for place in range(rank)
                if place not in attributes["dimensions"]]
    return RESULT_PLACES[op]


def _placed_dims(op):
    def infer(types, attributes, _):
        made, steps = [], iter(zip(attributes.get("strides", (1, 1)),
                                   attributes.get("dilations", (1, 1))))
        for operand, place, *window in result_places(op, attributes,
                                                     len(types[0].dims)):
            dim = types[operand].dims[place]
            if window:
                assert not dim.dynamic, "emit.py knows no sizes of windows"
                stride, dilation = next(steps)
                last = dilation * (types[1].dims[window[0]].size - 1)
                dim = Dim((dim.size - last - 1) // stride + 1, False)
            made.append(dim)
        return tuple(made)
    return infer


RESULT_DIMS = {
    "matmul": _matmul_dims,
    "linear": _linear_dims,
    "attention": _attention_dims,
    "expand_heads": _expand_dims,
    "collapse_heads": _collapse_dims,
    "split_heads": _split_dims,
    "merge_heads": _merge_dims,
    "dequantize": _dequantize_dims,
    "quantize": _quantize_dims,
    "quant_gemv": _quant_product_dims,
    "quant_matmul": _quant_product_dims,
    "int8_matmul": _int8_matmul_dims,
    "transpose": _transpose_dims,
    "row_max": _row_max_dims,
    **{op: _placed_dims(op) for op in RESULT_PLACES},
}


class Builder:
    """Puts a case together; `dynamic` is a string of dimension letters."""

    def __init__(self, family, op, id, tier, sizes, dynamic="", compare=None):
        assert tier in TIERS, tier
        self.sizes, self.dynamic = sizes, set(dynamic)
        self.case = Case(id, family, op, tier,
                         compare or {"elementwise": "ulp", "edge": "exact",
                                     "property": "bounded"}.get(tier, tier),
                         [], [], {}, [])

    def dims(self, letters):
        """"B 1 S 4" -> dims; a number is a static dimension."""
        return tuple(Dim(int(w), False) if w.isdigit() else
                     Dim(self.sizes[w], w in self.dynamic)
                     for w in letters.split())

    def input(self, name, dtype, letters, fill, attributes=""):
        type = TensorType(dtype, self.dims(letters))
        self.case.inputs.append(Input(name, type, fill, attributes))
        self.case.types[name] = type
        return name

    def op(self, op, *operands, result=None, results=1, groups=None,
           **attributes):
        """Adds an op; `result` is its element type (default: the first
        operand's), or a tuple of one for each result; `groups` are the
        optional operands by keyword."""
        attributes = {k: float(np.float32(v)) if isinstance(v, float) else v
                      for k, v in attributes.items()
                      if v is not None and v is not False}
        pairs = [("", o) for o in operands]
        pairs += [(g, o) for g, o in (groups or {}).items() if o is not None]
        types = [self.case.types[o] for _, o in pairs]
        infer = RESULT_DIMS.get(op, _same_dims)
        names = []
        for index in range(results):
            name = f"v{len(self.case.types)}"
            dtype = "f32" if index else result or types[0].dtype
            if isinstance(result, tuple):
                dtype = result[index]
            self.case.types[name] = TensorType(
                dtype, infer(types, attributes, index))
            names.append(name)
        self.case.nodes.append(Node(op, tuple(pairs),
                                    tuple(attributes.items()), tuple(names)))
        return names[0] if results == 1 else names

    def done(self, *outputs):
        self.case.outputs = list(outputs)
        return self.case
