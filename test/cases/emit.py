#===- emit.py - A case as MLIR text --------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The one place that knows how ops are spelled. In: a case; out: the text of its
# function. Cases whose text is the same, names apart, get the same name.
#
#===----------------------------------------------------------------------===#

import hashlib
import re

from cases import program

#: Attributes that are enums: how their value is wrapped.
_ENUMS = {
    "activation": "#aikernel.activation<{}>",
    "approximate": "#aikernel.gelu_approximation<{}>",
    "style": "#aikernel.rope_style<{}>",
    "layout": "#aikernel.layout_kind<{}>",
    "activations": "#aikernel.quant_activations<{}>",
}

_INDENT = "  "


def _number(value):
    return f"{value:.9e}"


def _attribute(name, value):
    if value is True:
        return name
    if name in _ENUMS:
        return f"{name} = {_ENUMS[name].format(value)}"
    if name == "scaling":
        kind, *numbers = value
        inside = ", ".join([kind] + [_number(float(n)) for n in numbers])
        return f"scaling = #aikernel.rope_scaling<{inside}>"
    if name == "format":
        kind, *group = value
        inside = ", ".join([kind] + [f"group = {g}" for g in group])
        return f"format = #aikernel.quant<{inside}>"
    if isinstance(value, int):
        return f"{name} = {value} : i64"
    return f"{name} = {_number(value)} : f32"


def _signature(case, node):
    inputs = ", ".join(case.types[n].text() for n in node.names())
    results = [case.types[r].text() for r in node.results]
    return f"({inputs}) -> " + (results[0] if len(results) == 1
                                else f"({', '.join(results)})")


def _aikernel_op(case, node):
    plain = ", ".join(f"%{n}" for g, n in node.operands if not g)
    groups = "".join(f" {g} %{n}" for g, n in node.operands if g)
    attributes = ", ".join(_attribute(k, v) for k, v in node.attributes)
    attributes = f" {{{attributes}}}" if attributes else ""
    results = ", ".join(f"%{r}" for r in node.results)
    return [f"{results} = aikernel.{node.op} {plain}{groups}{attributes} : "
            f"{_signature(case, node)}"]


def _arith_op(case, node):
    operands = ", ".join(f"%{n}" for n in node.names())
    first, result = case.types[node.names()[0]], case.types[node.results[0]]
    name = node.op.split(".")[1]
    types = (f"{first.text()} to {result.text()}"
             if name in ("extf", "truncf") else result.text())
    return [f"%{node.results[0]} = {node.op} {operands} : {types}"]


def _reshape_op(case, node):
    """expand_heads: [B,S,H*D] -> [B,S,H,D]; collapse_heads: back."""
    source, target = node.names()[0], node.results[0]
    before, after = case.types[source], case.types[target]
    rank = min(len(before.dims), len(after.dims))
    groups = [f"[{i}]" for i in range(rank - 1)] + [f"[{rank - 1}, {rank}]"]
    groups = f"[{', '.join(groups)}]"
    if node.op == "collapse_heads":
        return [f"%{target} = tensor.collapse_shape %{source} {groups} : "
                f"{before.text()} into {after.text()}"]
    lines, sizes = [], []
    for i, dim in enumerate(after.dims):
        if not dim.dynamic:
            sizes.append(str(dim.size))
            continue
        lines.append(f"%{target}_i{i} = arith.constant {i} : index")
        lines.append(f"%{target}_d{i} = tensor.dim %{source}, "
                     f"%{target}_i{i} : {before.text()}")
        sizes.append(f"%{target}_d{i}")
    return lines + [f"%{target} = tensor.expand_shape %{source} {groups} "
                    f"output_shape [{', '.join(sizes)}] : {before.text()} "
                    f"into {after.text()}"]


def _heads_op(case, node):
    """split_heads: [S,H*D] -> [1,S,H,D]; merge_heads: back."""
    source, target = node.names()[0], node.results[0]
    before, after = case.types[source].text(), case.types[target].text()
    groups = "[[0, 1], [2, 3]]"
    if node.op == "merge_heads":
        return [f"%{target} = tensor.collapse_shape %{source} {groups} : "
                f"{before} into {after}"]
    _, tokens, heads, width = case.types[target].dims
    lines, sizes = _sizes(case, source, (0,), target)
    shape = ", ".join(map(str, (1, *(sizes or [tokens.size]), heads.size,
                                width.size)))
    return lines + [f"%{target} = tensor.expand_shape %{source} {groups} "
                    f"output_shape [{shape}] : {before} into {after}"]


def _sizes(case, name, dims, prefix):
    """Lines that ask `name` for these of its sizes, and the sizes' names,
    which start with `prefix`: it may be asked again."""
    lines, sizes = [], []
    for place in dims:
        if case.types[name].dims[place].dynamic:
            size = f"%{prefix}_s{place}"
            lines += [f"{size}i = arith.constant {place} : index",
                      f"{size} = tensor.dim %{name}, {size}i : "
                      f"{case.types[name].text()}"]
            sizes.append(size)
    return lines, sizes


def _linalg_op(case, node):
    """Ops of linalg and tensor, with the destinations that they need."""
    names, result = node.names(), node.results[0]
    types = [case.types[n].text() for n in names]
    made, kind = case.types[result].text(), case.types[result].dtype
    if node.op == "put_row":        # the first row of a matrix
        lines, sizes = _sizes(case, names[1], (0,), result)
        length = sizes[0] if sizes else case.types[names[1]].dims[0].size
        lines.append(f"%{result} = tensor.insert_slice %{names[1]} into "
                     f"%{names[0]}[0, 0] [1, {length}] [1, 1] : {types[1]} "
                     f"into {types[0]}")
    else:
        order = list(node.attribute("permutation", (1, 0)))
        dims = {"transpose": order, "row_max": (0,)}.get(
            node.op, range(len(case.types[names[0]].dims)))
        lines, sizes = _sizes(case, names[0], dims, result)
        out = f"%{result}_e"
        lines.append(f"{out} = tensor.empty({', '.join(sizes)}) : {made}")
        if node.op == "row_max":
            low = f"%{result}_l"
            lines += [f"{low} = arith.constant -1.0e+4 : {kind}",
                      f"%{result}_f = linalg.fill ins({low} : {kind}) "
                      f"outs({out} : {made}) -> {made}"]
            lines.append(f"%{result} = linalg.reduce {{ arith.maximumf }} "
                         f"ins(%{names[0]} : {types[0]}) outs(%{result}_f : "
                         f"{made}) dimensions = [1]")
        elif node.op == "transpose":
            lines.append(f"%{result} = linalg.transpose ins(%{names[0]} : "
                         f"{types[0]}) outs({out} : {made}) "
                         f"permutation = {order}")
        elif node.op == "spread":
            along = list(node.attribute("dimensions", (0,)))
            lines.append(f"%{result} = linalg.broadcast ins(%{names[1]} : "
                         f"{types[1]}) outs({out} : {made}) "
                         f"dimensions = {along}")
        else:
            lines.append(f"%{result} = {node.op} ins(%{names[0]} : "
                         f"{types[0]}) outs({out} : {made}) -> {made}")
    return lines


#: How floats and integers are combined.
_COMBINERS = {"sum": ("addf", "addi"), "squares": ("addf", "addi"),
              "max": ("maximumf", "maxsi"), "min": ("minimumf", "minsi")}


def _is_integer(type):
    return type.dtype.startswith("i")


def _sum_op(case, node):
    """Ops of linalg that combine numbers with what their destination starts
    with."""
    result, types = node.results[0], [case.types[n] for n in node.names()]
    made, attributes = case.types[result], dict(node.attributes)
    lines, sizes = [], []
    for operand, place, *window in program.result_places(
            node.op, attributes, len(types[0].dims)):
        if not window:
            asked, names = _sizes(case, node.names()[operand], (place,),
                                  f"{result}_{operand}")
            lines, sizes = lines + asked, sizes + names
    start = attributes["start"]
    start = str(start) if _is_integer(made) else _number(start)
    lines += [f"%{result}_e = tensor.empty({', '.join(sizes)}) : "
              f"{made.text()}",
              f"%{result}_c = arith.constant {start} : {made.dtype}",
              f"%{result}_f = linalg.fill ins(%{result}_c : {made.dtype}) "
              f"outs(%{result}_e : {made.text()}) -> {made.text()}"]
    operands = f"ins({', '.join('%' + n for n in node.names())} : " \
               f"{', '.join(t.text() for t in types)}) " \
               f"outs(%{result}_f : {made.text()})"
    if node.op == "linalg.reduce":
        along = f"dimensions = {list(attributes['dimensions'])}"
        return lines + _reduce_lines(result, attributes["combiner"], types[0],
                                     made, f"{operands} {along}")
    steps = ", ".join(
        f"{name} = dense<{list(attributes[name])}> : tensor<2xi64>"
        for name in ("dilations", "strides") if name in attributes)
    steps = f" {{{steps}}}" if steps else ""
    return lines + [f"%{result} = {node.op}{steps} {operands} -> "
                    f"{made.text()}"]


def _reduce_lines(result, combiner, read, made, operands):
    op = "arith." + _COMBINERS[combiner][_is_integer(made)]
    if combiner != "squares" and read.dtype == made.dtype:
        return [f"%{result} = linalg.reduce {{ {op} }} {operands}"]
    kind, value, body = made.dtype, "%in", []
    if read.dtype != kind:
        body = [f"%wide = arith.extf %in : {read.dtype} to {kind}"]
        value = "%wide"
    if combiner == "squares":
        body.append(f"%square = arith.mulf {value}, {value} : {kind}")
        value = "%square"
    body += [f"%next = {op} %sum, {value} : {kind}",
             f"linalg.yield %next : {kind}"]
    return [f"%{result} = linalg.reduce {operands}",
            f"{_INDENT}(%in: {read.dtype}, %sum: {kind}) {{",
            *(2 * _INDENT + line for line in body), _INDENT + "}"]


def _lines(case, node):
    if node.op.startswith(("arith.", "math.")):
        return _arith_op(case, node)
    if node.op in program.RESULT_PLACES:
        return _sum_op(case, node)
    if node.op.startswith("linalg.") or node.op in (
            "put_row", "row_max", "transpose", "spread"):
        return _linalg_op(case, node)
    if node.op in ("expand_heads", "collapse_heads"):
        return _reshape_op(case, node)
    if node.op in ("split_heads", "merge_heads"):
        return _heads_op(case, node)
    return _aikernel_op(case, node)


def _body(case):
    arguments = ", ".join(
        f"%{i.name}: {i.type.text()}"
        + (f" {{{i.attributes}}}" if i.attributes else "")
        for i in case.inputs)
    results = [case.types[o].text() for o in case.outputs]
    arrow = results[0] if len(results) == 1 else f"({', '.join(results)})"
    lines = [f"({arguments}) -> {arrow} {{"]
    for node in case.nodes:
        lines += [_INDENT + line for line in _lines(case, node)]
    lines.append(f"{_INDENT}return {', '.join('%' + o for o in case.outputs)}"
                 f" : {', '.join(results)}")
    lines.append("}")
    return "\n".join(lines)


def function_name(case):
    """Readable, and the same for all cases that share the text."""
    digest = hashlib.sha256(_body(case).encode()).hexdigest()[:10]
    return re.sub(r"\W+", "_", case.op) + "_" + digest


def kind(case):
    """The same for all cases whose texts differ in numbers alone: sizes and
    attributes."""
    return re.sub(r"(?<=[<x])(\d+|\?)(?=x)|\b\d+(\.\d+)?(e[+-]\d+)?(?= :|,|>)",
                  "#", _body(case))


def function_text(case):
    return f"func.func @{function_name(case)}{_body(case)}\n"


def module_text(cases):
    """The functions of `cases`, each once, in order of first use."""
    texts = dict.fromkeys(function_text(c) for c in cases)
    return "\n".join(texts)
