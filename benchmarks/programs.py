#===- programs.py - Programs that test/cases cannot build -----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: sizes and a weight format. Out: (MLIR text, function name) of quantized
# products, of a copy, and of one decode step of a transformer layer, also for
# compilers that know no block formats.
#
#===----------------------------------------------------------------------===#

import formats


def _tensor(*dims_and_type):
    return f"tensor<{'x'.join(map(str, dims_and_type))}>"


def copy(rows, columns):
    """A function that returns its argument must still fill the result."""
    type = _tensor(rows, columns, "f32")
    return (f"func.func @copy(%x: {type}) -> {type} {{\n"
            f"  return %x : {type}\n}}\n", "copy")


def int8_matmul(m, k, n):
    a, b, y = _tensor(m, k, "i8"), _tensor(k, n, "i8"), _tensor(m, n, "f32")
    sa, sb = _tensor(m, "f32"), _tensor(n, "f32")
    return (
        f"func.func @int8_matmul(%a: {a}, %b: {b} {{aikernel.weight}}, "
        f"%scale_a: {sa}, %scale_b: {sb}) -> {y} {{\n"
        f"  %y = aikernel.int8_matmul %a, %b, %scale_a, %scale_b : "
        f"({a}, {b}, {sa}, {sb}) -> {y}\n"
        f"  return %y : {y}\n}}\n", "int8_matmul")


def _attributes(name):
    return (f"{{format = #aikernel.quant<{name}>, "
            f"activations = #aikernel.quant_activations<q8>}}")


def quantized(op, name, rows, k, n):
    x = _tensor(k, "f32") if op == "quant_gemv" else _tensor(rows, k, "f32")
    y = _tensor(n, "f32") if op == "quant_gemv" else _tensor(rows, n, "f32")
    w = _tensor(n, formats.row_bytes(name, k), "i8")
    return (
        f"func.func @{op}_{name}(%x: {x}, %w: {w} {{aikernel.weight}}) "
        f"-> {y} {{\n"
        f"  %y = aikernel.{op} %x, %w {_attributes(name)} : ({x}, {w}) -> {y}\n"
        f"  return %y : {y}\n}}\n", f"{op}_{name}")


def layer_weights(d, kv, hidden):
    """[N, K] of every matrix of the layer."""
    return {"wq": (d, d), "wk": (kv, d), "wv": (kv, d), "wo": (d, d),
            "wg": (hidden, d), "wu": (hidden, d), "wd": (d, hidden)}


#: What a byte of codes adds to a sum, before its block's scale: q8_0 has a code
#: in it, q4_0 two, 16 apart.
_SPELLED_BODY = {
    "q8_0": """
    %c = arith.sitofp %code : i8 to f32
    %p = arith.mulf %c, %x0 : f32""",
    "q4_0": """
    %four = arith.constant 4 : i8
    %eight = arith.constant 8 : i8
    %fifteen = arith.constant 15 : i8
    %low = arith.andi %code, %fifteen : i8
    %high = arith.shrui %code, %four : i8
    %lowless = arith.subi %low, %eight : i8
    %highless = arith.subi %high, %eight : i8
    %c0 = arith.sitofp %lowless : i8 to f32
    %c1 = arith.sitofp %highless : i8 to f32
    %p0 = arith.mulf %c0, %x0 : f32
    %p1 = arith.mulf %c1, %x1 : f32
    %p = arith.addf %p0, %p1 : f32"""}


def spelled_weights(name, weights):
    """(codes [N, blocks, bytes] int8, scales [N, blocks] float32) as products
    that are spelled out read them; uint8 [N, bytes] of a block format."""
    scales, _ = formats.scales_and_codes(name, weights)
    blocks = weights.reshape(*scales.shape, -1)
    return blocks[..., 2:].copy().view("i1"), scales


class _Writer:
    """Lines of a function; every op gives a fresh value of a known type."""

    def __init__(self):
        self.lines, self.types = [], {}

    def op(self, name, text, operands, result):
        value = f"%v{len(self.lines)}"
        types = ", ".join(self.types[o] for o in operands)
        self.lines.append(f"  {value} = {name} {', '.join(operands)}{text} : "
                          f"({types}) -> {result}")
        self.types[value] = result
        return value

    def add(self, left, right):
        value = f"%v{len(self.lines)}"
        self.types[value] = self.types[left]
        self.lines.append(f"  {value} = arith.addf {left}, {right} : "
                          f"{self.types[left]}")
        return value

    def spelled_product(self, name, x, w, n, k):
        """x W^T with the block format's arithmetic in linalg."""
        halves, types = self.halves_of_blocks(name, x, k)
        types += [self.types[w], self.types[w + "_scales"]]
        loops = "(m, n, b, i)"
        maps = [f"{loops} -> (m, b, i)"] * len(halves)
        maps += [f"{loops} -> (n, b, i)", f"{loops} -> (n, b)",
                 f"{loops} -> (m, n)"]
        maps = ", ".join(f"affine_map<{m}>" for m in maps)
        value, result = f"%v{len(self.lines)}", _tensor(1, n, "f32")
        elements = ", ".join(f"%x{i}: f32" for i in range(len(halves)))
        self.lines.append(f"""\
  {value}e = tensor.empty() : {result}
  {value}o = arith.constant 0.0 : f32
  {value}z = linalg.fill ins({value}o : f32) outs({value}e : {result}) -> {result}
  {value} = linalg.generic {{indexing_maps = [{maps}], iterator_types = \
["parallel", "parallel", "reduction", "reduction"]}} \
ins({", ".join([*halves, w, w + "_scales"])} : {", ".join(types)}) \
outs({value}z : {result}) {{
  ^bb0({elements}, %code: i8, %scale: f32, %sum: f32):{_SPELLED_BODY[name]}
    %scaled = arith.mulf %p, %scale : f32
    %next = arith.addf %sum, %scaled : f32
    linalg.yield %next : f32
  }} -> {result}""")
        self.types[value] = result
        return value

    def halves_of_blocks(self, name, x, k):
        """x as [1, blocks, codes of a block]; for q4_0 each half of the blocks,
        since a byte has a code of either."""
        count, parts = k // 32, {"q8_0": 1, "q4_0": 2}[name]
        type = _tensor(1, count, 32 // parts, "f32")
        if parts == 1:
            whole = self.reshape(x, "expand_shape", "[[0], [1, 2]]", type)
            return [whole], [type]
        blocks = self.reshape(x, "expand_shape", "[[0], [1, 2, 3]]",
                              _tensor(1, count, parts, 16, "f32"))
        halves = []
        for half in range(parts):
            halves.append(f"{blocks}h{half}")
            self.lines.append(
                f"  {halves[-1]} = tensor.extract_slice {blocks}"
                f"[0, 0, {half}, 0] [1, {count}, 1, 16] [1, 1, 1, 1] : "
                f"{self.types[blocks]} to {type}")
        return halves, [type] * parts

    def reshape(self, source, kind, groups, result):
        value = f"%v{len(self.lines)}"
        sizes = ""
        if kind == "expand_shape":
            dims = result[len("tensor<"):-1].split("x")[:-1]
            sizes = f" output_shape [{', '.join(dims)}]"
        self.lines.append(f"  {value} = tensor.{kind} {source} {groups}{sizes} "
                          f": {self.types[source]} into {result}")
        self.types[value] = result
        return value


def layer_decode(name, d, heads, groups, hidden, context, is_spelled=False):
    """One token: norm, q/k/v, rope, both caches appended in place, attention
    over `context` positions, projection, norm, gated MLP. The caches are
    [1, heads, positions, width]. `name` is a block format, with f32 for all
    else, or the element type of everything. Where products of a block format
    are spelled out, each matrix `w` is followed by `w_scales`."""
    width = d // heads
    kv = groups * width
    shapes = layer_weights(d, kv, hidden)
    is_block = name in formats.FORMATS
    element = "f32" if is_block else name
    cache = _tensor(1, groups, context, width, element)

    def stored(w, n, k):
        if is_spelled:
            size = formats.FORMATS[name].size - 2
            return {f"%{w}": _tensor(n, k // 32, size, "i8"),
                    f"%{w}_scales": _tensor(n, k // 32, "f32")}
        return {f"%{w}": _tensor(n, formats.row_bytes(name, k), "i8")
                if is_block else _tensor(n, k, element)}
    types = {"%x": _tensor(1, d, element), "%pos": "tensor<1x1xi32>",
             "%at": "tensor<1xi32>", "%g1": _tensor(d, element),
             "%g2": _tensor(d, element), "%kc": cache, "%vc": cache,
             **{a: t for w, (n, k) in shapes.items()
                for a, t in stored(w, n, k).items()}}
    flags = {**{f"%{w}": " {aikernel.weight}" for w in (*shapes, "g1", "g2")},
             "%kc": " {aikernel.donate = 1 : i64}",
             "%vc": " {aikernel.donate = 2 : i64}"}
    write = _Writer()
    write.types.update(types)

    def product(x, w):
        if is_spelled:
            return write.spelled_product(name, x, "%" + w, *shapes[w])
        op = ("quant_matmul", _attributes(name)) if is_block \
            else ("linear", "{transpose_b}")
        return write.op("aikernel." + op[0], " " + op[1], [x, "%" + w],
                        _tensor(1, shapes[w][0], element))

    def norm(x, gain):
        return write.op("aikernel.rms_norm", " {eps = 1.0e-5 : f32}",
                        [x, gain], types["%x"])

    def heads_of(x, count):
        return write.reshape(x, "expand_shape", "[[0], [1, 2, 3]]",
                             _tensor(1, count, 1, width, element))

    def turned(x):
        return write.op("aikernel.rope", " {base = 1.0e4 : f32}", [x, "%pos"],
                        write.types[x])

    h = norm("%x", "%g1")
    q = turned(heads_of(product(h, "wq"), heads))
    k = turned(heads_of(product(h, "wk"), groups))
    v = heads_of(product(h, "wv"), groups)
    keys = write.op("aikernel.kv_append", "", ["%kc", k, "%at"], cache)
    values = write.op("aikernel.kv_append", "", ["%vc", v, "%at"], cache)
    o = write.op("aikernel.attention", " {causal}", [q, keys, values],
                 _tensor(1, heads, 1, width, element))
    o = write.reshape(o, "collapse_shape", "[[0], [1, 2, 3]]", types["%x"])
    x = write.add("%x", product(o, "wo"))
    h = norm(x, "%g2")
    gated = write.op("aikernel.swiglu", "",
                     [product(h, "wg"), product(h, "wu")],
                     _tensor(1, hidden, element))
    y = write.add(x, product(gated, "wd"))
    arguments = ", ".join(f"{a}: {t}{flags.get(a, '')}"
                          for a, t in types.items())
    results = f"{types['%x']}, {cache}, {cache}"
    body = "\n".join(write.lines)
    return (f"func.func @layer_decode({arguments}) -> ({results}) {{\n{body}\n"
            f"  return {y}, {keys}, {values} : {results}\n}}\n",
            "layer_decode")


def layer_prefill(element, d, heads, groups, hidden, tokens):
    """All tokens of a prompt: norm, q/k/v, rope, causal attention, projection,
    norm, gated MLP. Heads stay where the projections put them."""
    width = d // heads
    shapes = layer_weights(d, groups * width, hidden)
    whole = _tensor(tokens, d, element)
    types = {"%x": whole, "%pos": _tensor(1, tokens, "i32"),
             "%g1": _tensor(d, element), "%g2": _tensor(d, element),
             **{f"%{w}": _tensor(n, k, element)
                for w, (n, k) in shapes.items()}}
    write = _Writer()
    write.types.update(types)

    def product(x, w):
        return write.op("aikernel.linear", " {transpose_b}", [x, "%" + w],
                        _tensor(tokens, shapes[w][0], element))

    def norm(x, gain):
        return write.op("aikernel.rms_norm", " {eps = 1.0e-5 : f32}",
                        [x, gain], whole)

    def heads_of(x, count):
        return write.reshape(x, "expand_shape", "[[0, 1], [2, 3]]",
                             _tensor(1, tokens, count, width, element))

    layout = "layout = #aikernel.layout_kind<bshd>"

    def turned(x):
        return write.op("aikernel.rope", f" {{base = 1.0e4 : f32, {layout}}}",
                        [x, "%pos"], write.types[x])

    h = norm("%x", "%g1")
    q = turned(heads_of(product(h, "wq"), heads))
    k = turned(heads_of(product(h, "wk"), groups))
    v = heads_of(product(h, "wv"), groups)
    o = write.op("aikernel.attention", f" {{causal, {layout}}}", [q, k, v],
                 write.types[q])
    o = write.reshape(o, "collapse_shape", "[[0, 1], [2, 3]]", whole)
    x = write.add("%x", product(o, "wo"))
    h = norm(x, "%g2")
    gated = write.op("aikernel.swiglu", "",
                     [product(h, "wg"), product(h, "wu")],
                     _tensor(tokens, hidden, element))
    y = write.add(x, product(gated, "wd"))
    arguments = ", ".join(
        f"{a}: {t}" + ("" if a in ("%x", "%pos") else " {aikernel.weight}")
        for a, t in types.items())
    body = "\n".join(write.lines)
    return (f"func.func @layer_prefill({arguments}) -> {whole} {{\n{body}\n"
            f"  return {y} : {whole}\n}}\n", "layer_prefill")
