#===- evaluate.py - What a case must give --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Runs a case's ops through the oracle. In: a case and its stored inputs; out:
# per result an `Expected`: the exact bits, or a value with a bound, or a value
# with a number of ulps.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

from oracle import (activation, attention, bounds, byte_sums, cache, dtypes,
                    foreign, linear, norm, position, quant)
from oracle.bounds import Approx

from cases import fills, program

#: The elementwise contract: ulps, and for gelu left of -2 an absolute error.
#: f64 stands beside an oracle that is itself a few ulps off.
ULPS = {"f32": 2, "bf16": 1, "f16": 1, "f64": 8}
GELU_ULPS = {"f32": 8, "bf16": 1, "f16": 1, "f64": 32}
GELU_TAIL = {"f32": 2.0 ** -25, "f64": 2.0 ** -49}

#: Chains of more ops than this are judged by how far their results scatter;
#: networks, whose sums are long, from two ops on.
DEEP, TRIALS, SIGMAS = 6, 6, 8.0


@dataclass
class Expected:
    dtype: str
    stored: np.ndarray              # the right bits, rounded to nearest
    value: Optional[np.ndarray]     # float64, unrounded; None for bits
    compare: str                    # "exact", "bounded", "ulp" or "quality"
    limit: Optional[np.ndarray] = None      # error or ulps, per element
    absolute: Optional[np.ndarray] = None   # also good: this near (ulp)
    warn: Optional[np.ndarray] = None       # suspicious beyond this error
    payloads: bool = False          # NaNs must keep their bits
    miss: Optional[Callable] = None  # stored -> squared error (quality)


def _put_row(matrix, row):
    return np.concatenate([row[None], matrix[1:]])


#: Ops of linalg and tensor that take values to other places; the largest error
#: of a row is one of its maximum.
MOVERS = {
    "put_row": _put_row,
    "spread": lambda like, part, dimensions=(0,): np.broadcast_to(
        np.expand_dims(part, dimensions), like.shape),
    "transpose": lambda x, **k: foreign.transpose(x, **k),
    "row_max": lambda x: x.max(1),
}


#: Ops that give the same numbers another shape.
RESHAPES = ("expand_heads", "collapse_heads", "split_heads", "merge_heads")


def inputs_of(case):
    """name -> stored tensor, the same in every run."""
    rng = case.rng()
    return {i.name: fills.stored(i.fill, rng, i.type) for i in case.inputs}


def _attributes(node):
    return {k: v for k, v in node.attributes if k not in ("heads",)}


def _unary(name, approximate="none"):
    return "gelu_tanh" if name == "gelu" and approximate == "tanh" else name


def _apply(node, values):
    """The op's float64 results from float64 operands, in order."""
    args = [values[n] for g, n in node.operands if not g]
    groups = {g: values[n] for g, n in node.operands if g}
    attributes = _attributes(node)
    if node.op in ("matmul", "linear"):
        return [getattr(linear, node.op)(*args, **groups, **attributes)]
    if node.op in ("relu", "gelu", "silu", "sigmoid", "tanh", "swiglu",
                   "geglu"):
        return [getattr(activation, node.op)(*args, **attributes)]
    if node.op in ("rms_norm", "layer_norm", "l2_norm", "softmax"):
        return [getattr(norm, node.op)(*args, **attributes)]
    if node.op == "attention":
        return list(attention.attention(*args, **groups, **attributes))
    if node.op == "rope":
        return [position.rope(*args, **attributes)]
    if node.op == "kv_append":
        return [cache.kv_append(*args, **attributes)]
    if node.op == "quantize":
        if attributes["format"][0] in quant.GROUPED:
            made = quant.quantize_groups(args[0], attributes["format"],
                                         len(node.results) == 3)
            return list(made[:len(node.results)])
        return [quant.quantize(*args, **attributes)]
    if node.op in ("dequantize", "quant_gemv", "quant_matmul", "int8_matmul"):
        return [getattr(quant, node.op)(*args, **groups, **attributes)]
    if node.op == "arith.addf":
        return [args[0] + args[1]]
    if node.op == "arith.subf":
        return [args[0] - args[1]]
    if node.op == "arith.mulf":
        return [args[0] * args[1]]
    if node.op == "arith.maximumf":
        return [np.maximum(args[0], args[1])]
    if node.op == "linalg.abs":
        return [np.abs(args[0])]
    if node.op in MOVERS:
        return [MOVERS[node.op](*args, **attributes)]
    if node.op in program.RESULT_PLACES:
        function = getattr(foreign, node.op.removeprefix("linalg."))
        return [function(*args, **attributes)]
    if node.op == "math.rsqrt":
        return [1 / np.sqrt(args[0])]
    if node.op in ("arith.extf", "arith.truncf"):
        return [args[0]]
    if node.op in RESHAPES:
        return [args[0]]        # reshaped to the result's type by the caller
    raise ValueError(f"the oracle has no {node.op}")


def _byte_sums(case, node, kept):
    """How the target adds the products of this op, where it does so in its own
    way: both factors are 8-bit floats."""
    types = tuple(case.types[name].dtype for group, name in node.operands
                  if not group)
    are_bytes = all(dtype.startswith("f8") for dtype in types)
    return byte_sums.Sums(kept, types) if kept and are_bytes else None


def _bound(case, node, pairs, results, u, kept=None):
    """Errors of the unrounded results, by the op's error model."""
    args = [pairs[n] for g, n in node.operands if not g]
    groups = {g: pairs[n] for g, n in node.operands if g}
    attributes = _attributes(node)
    op, dtype = node.op, case.types[node.results[0]].dtype
    if all(r.size == 0 for r in results):
        return [np.zeros(r.shape) for r in results]
    if op == "matmul":
        return [bounds.matmul(*args, u, **attributes,
                              sums=_byte_sums(case, node, kept))]
    if op == "linear":
        kind = attributes.pop("activation", "none")
        bias = groups.get("bias")
        before = linear.linear(args[0].value, args[1].value,
                               None if bias is None else bias.value,
                               **attributes)
        return [bounds.linear(*args, bias, before, u, kind, **attributes,
                              sums=_byte_sums(case, node, kept),
                              dtype=dtype)]
    if op in ("relu", "gelu", "silu", "sigmoid", "tanh"):
        return [bounds.unary(args[0], _unary(op, **attributes), u, dtype)]
    if op in ("swiglu", "geglu"):
        kind = _unary("silu" if op == "swiglu" else "gelu", **attributes)
        return [bounds.gated(*args, kind, u, dtype)]
    if op in ("rms_norm", "layer_norm", "l2_norm"):
        return [getattr(bounds, op)(*args, attributes["eps"], u)]
    if op == "softmax":
        return [bounds.softmax(args[0], results[0],
                               attributes.get("axis", -1), u)]
    if op == "attention":
        rounded = case.types[node.operands[2][1]].dtype
        lengths, sinks = groups.get("kv_len"), groups.get("sinks")
        return list(bounds.attention(
            *args, groups.get("mask"), results[0], u, rounded,
            kv_len=None if lengths is None else lengths.value,
            sinks=None if sinks is None else sinks.value, **attributes))
    if op == "rope":
        return [bounds.rope(args[0], args[1].value, u, **attributes)]
    if op == "kv_append":
        return [cache.kv_append(args[0].error, args[1].error, args[2].value,
                                **attributes)]
    if op in ("quant_gemv", "quant_matmul"):
        values = {g: a.value for g, a in groups.items()}
        x = args[0] if op == "quant_matmul" else \
            Approx(args[0].value[None], args[0].error[None])
        error = bounds.quant_matmul(x, args[1].value, u, **values,
                                    **attributes)
        return [error if op == "quant_matmul" else error[0]]
    if op == "int8_matmul":
        return [4 * u * np.abs(results[0]) + bounds.FLUSH]
    if op in ("arith.addf", "arith.subf"):
        return [args[0].error + args[1].error]
    if op == "arith.maximumf":
        return [np.maximum(args[0].error, args[1].error)]
    if op in MOVERS:
        return [MOVERS[op](*(a.error for a in args), **attributes)]
    if op == "arith.mulf":
        return [np.abs(args[0].value) * args[1].error + args[0].error
                * (np.abs(args[1].value) + args[1].error)]
    return [args[0].error]


def finished(node, result, dtype):
    """What is rounded to the result's type: dequantized numbers are rounded
    to f32 on the way, as the contract says."""
    if node.op == "dequantize" and dtype != "f64":
        return dtypes.round_to(result, "f32")
    return result


def _exact(case, inputs):
    """Stored results, rounded to nearest at each op."""
    stored = dict(inputs)
    for node in case.nodes:
        if node.op == "kv_append":      # moves bits
            results = [cache.kv_append(*(stored[n] for n in node.names()),
                                       **_attributes(node))]
        else:
            values = {n: dtypes.load(stored[n], case.types[n].dtype)
                      for n in node.names()}
            results = _apply(node, values)
        for name, result in zip(node.results, results):
            type = case.types[name]
            if node.op != "kv_append":
                result = dtypes.store(finished(node, result, type.dtype),
                                      type.dtype)
            stored[name] = result.reshape(type.shape)
    moved = all(node.op == "kv_append" for node in case.nodes)
    return [Expected(case.types[o].dtype, stored[o], None, "exact",
                     payloads=moved) for o in case.outputs]


def _summed(case, node):
    """The types that decide in what type the op keeps its sums."""
    if node.op == "int8_matmul":
        return [case.types[node.results[0]].dtype]
    count = 2 if node.op in ("matmul", "linear") else 1
    return [case.types[n].dtype
            for n in node.names()[:count] + [node.results[0]]]


def _bounded(case, inputs, kept):
    pairs = {n: Approx.exact(dtypes.load(t, case.types[n].dtype))
             for n, t in inputs.items()}
    for node in case.nodes:
        u = bounds.unit(_summed(case, node))
        values = {n: pairs[n].value for n in node.names()}
        results = _apply(node, values)
        with np.errstate(invalid="ignore", over="ignore"):
            errors = _bound(case, node, pairs, results, u, kept)
            for name, result, error in zip(node.results, results, errors):
                type = case.types[name]
                # Where an infinity makes a value exact (0 = x / inf), the
                # error model divides it by itself.
                error = np.where(np.isfinite(result) & np.isnan(error), 0.0,
                                 error)
                moves = node.op in MOVERS or node.op in (
                    "arith.maximumf", "linalg.abs", "kv_append",
                    "arith.extf") + RESHAPES
                pair = Approx(result, error) if moves else \
                    bounds.finish(result, error, type.dtype)
                pairs[name] = Approx(pair.value.reshape(type.shape),
                                     pair.error.reshape(type.shape))
    limits = {o: pairs[o].error for o in case.outputs}
    if len(case.nodes) > (1 if case.family == "network" else DEEP):
        for name, limit in _scatter(case, inputs, pairs).items():
            limits[name] = np.minimum(limits[name], limit)
    return [Expected(case.types[o].dtype,
                     dtypes.store(pairs[o].value, case.types[o].dtype),
                     pairs[o].value, "bounded", limits[o],
                     warn=_warning(case, o, pairs))
            for o in case.outputs]


def _scatter(case, inputs, pairs):
    """How far results scatter when every op lands at random within its own
    allowed error and is rounded: output -> the error that is left to it.

    Through a whole transformer block worst cases multiply to a bound that
    would let anything pass; a correct kernel stays within a few standard
    deviations of what its ops may do. The deviation of an element is taken
    from the trials, but at least that of all elements that scatter. Where
    computed numbers are quantized on the way, one that is near the middle of
    two steps moves a few results by as much as a step: there twice the largest
    deviation of any element is left.
    """
    rng = case.rng("spread")
    squares = {o: 0.0 for o in case.outputs}
    largest = {o: 0.0 for o in case.outputs}
    for _ in range(TRIALS):
        values = {n: dtypes.load(t, case.types[n].dtype)
                  for n, t in inputs.items()}
        for node in case.nodes:
            operands = {n: Approx.exact(values[n]) for n in node.names()}
            results = _apply(node, values)
            errors = _bound(case, node, operands, results,
                            bounds.unit(_summed(case, node)))
            for name, result, error in zip(node.results, results, errors):
                type = case.types[name]
                landed = result + error * rng.uniform(-1, 1, result.shape)
                values[name] = dtypes.round_to(landed, type.dtype).reshape(
                    type.shape)
        for o in case.outputs:
            square = (values[o] - pairs[o].value) ** 2
            squares[o] = squares[o] + square
            largest[o] = max(largest[o], np.sqrt(square.max(initial=0.0)))
    in_steps = _moved_in_steps(case)
    return {o: np.maximum(_deviations(squares[o]),
                          2 * largest[o] if o in in_steps else 0.0)
            for o in case.outputs}


def _moved_in_steps(case):
    """The values that depend on computed numbers that were quantized."""
    given, found = {i.name for i in case.inputs}, set()
    for node in case.nodes:
        quantizes = node.attribute("activations") == "q8" and \
            node.names()[0] not in given
        if quantizes or found.intersection(node.names()):
            found.update(node.results)
    return found


def _deviations(squares):
    """From the sums of squares of all trials."""
    moved = squares[squares > 0]
    common = moved.mean() if moved.size else 0.0
    return SIGMAS * np.sqrt(np.maximum(squares, common) / TRIALS)


def _warning(case, output, pairs):
    """8 sqrt(n) u (|A||B|) instead of gamma_n: what random roundings give."""
    node = case.nodes[-1]
    if node.op != "matmul" or len(case.nodes) != 1:
        return None
    terms = case.types[node.names()[0]].dims
    n = max(terms[-2 if node.attribute("transpose_a") else -1].size, 1)
    if 8 * np.sqrt(n) >= n:
        return None
    pair = pairs[output]
    rounding = dtypes.rounding_error(pair.value, case.types[output].dtype)
    return (pair.error - rounding) * (8 / np.sqrt(n)) + rounding


def _ulp(case, inputs):
    """One elementwise op: its value, and how many ulps it may be away."""
    node, = case.nodes
    values = {n: dtypes.load(inputs[n], case.types[n].dtype)
              for n in node.names()}
    value, = _apply(node, values)
    name, = case.outputs
    dtype = case.types[name].dtype
    limit = np.full(value.shape, ULPS[dtype], np.float64)
    absolute = np.zeros(value.shape)
    if node.op == "relu":
        limit[...] = 0
    if node.op in ("gelu", "geglu"):
        limit[...] = GELU_ULPS[dtype]
        tail = np.where(values[node.names()[0]] < -2, GELU_TAIL.get(dtype, 0),
                        0.0)
        absolute = tail if node.op == "gelu" else \
            tail * np.nan_to_num(np.abs(values[node.names()[1]]), posinf=0)
    if node.op in ("swiglu", "geglu") and dtype in ("f32", "f64"):
        # An ulp of the factor can be two of the product, which adds its own.
        limit = 2 * limit + 1
    return [Expected(dtype, dtypes.store(value, dtype), value, "ulp", limit,
                     absolute)]


def _quality(case, inputs):
    """A quantizer that searches: the oracle's is the simplest there is, and
    no block of the result may be further from x than its block."""
    node, = case.nodes
    name, = case.outputs
    type = case.types[name]
    x = dtypes.load(inputs[node.names()[0]],
                    case.types[node.names()[0]].dtype)
    format = node.attribute("format")

    def miss(stored):
        error = quant.dequantize(stored, format=format) - x
        blocks = error.reshape(-1, quant.block_of(format)[0])
        return (blocks ** 2).sum(-1)

    naive = dtypes.store(_apply(node, {node.names()[0]: x})[0], type.dtype)
    return [Expected(type.dtype, naive.reshape(type.shape), None, "quality",
                     limit=miss(naive) * (1 + 1e-9), miss=miss)]


def expected(case, inputs=None, kept=None):
    """One Expected per result; ValueError where the op must refuse. `kept`:
    bits that the target's instructions keep in sums of 8-bit floats, where that
    is fewer than f32 has."""
    inputs = inputs_of(case) if inputs is None else inputs
    if case.compare == "bounded":
        return _bounded(case, inputs, kept)
    return {"exact": _exact, "ulp": _ulp,
            "quality": _quality}[case.compare](case, inputs)
