#!/usr/bin/python3
#===- check_tiles.py - Counts the instructions of register tiles ---------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_tiles.py --table FILE [--aikc PATH] [--only ROW] [--self-test]
#
# In: the table of matrix instructions as C++. Out: one line per row and
# `N passed, N failed`. For each row a product is compiled for a target that
# has it. In the innermost loop of its tile the expected instructions are there,
# as many as expected, and nothing touches the stack; the loops that pack full
# panels move vectors, not elements. A row without an entry here fails, and so
# does an entry without a row. Rows that may read their left operand in place
# are checked with one that they pack, too, and those whose tiles pack columns
# with few rows.
#
#===----------------------------------------------------------------------===#

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

#: target, operand type, type of the sums, what one iteration contains, rows of
#: a product that has this row of the table, and what it contains where rows are
#: read in place, if that is something else.
Gate = collections.namedtuple("Gate", "target operand sum counts rows in_place",
                              defaults=[672, None])

V4 = "cpu:x86-64-v4"
GATES = {
    "bfmmla": Gate("cpu:aarch64+bf16", "bf16", "f32",
                   {"bfmmla": 192, "ldr q": 80, "prfm": 8}),
    "smmla": Gate("cpu:aarch64+i8mm", "i8", "i32",
                  {"smmla": 192, "ldr q": 80, "prfm": 8}),
    "sdot": Gate("cpu:aarch64+dotprod", "i8", "i32", {"sdot": 48}),
    "fmlal": Gate("cpu:aarch64+fp16+fhm", "f16", "f32", {"fmlal ": 48, "fmlal2": 48}),
    "fcvtl": Gate("cpu:aarch64", "f16", "f32",
                  {"fcvtl2?": 12, "fmla": 12, "prfm": 2}, rows=1),
    "zip1": Gate("cpu:aarch64", "bf16", "f32",
                 {"zip1": 6, "zip2": 6, "fmla": 12, "prfm": 2}, rows=1),
    "smlal": Gate("cpu:aarch64", "i16", "i32", {"smlal2?": 64}),
    **{f"{row}.{bits}": Gate(f"cpu:aarch64+sve{bits}{feature}", operand, total,
                             counts)
       for bits in (256, 512)
       for row, feature, operand, total, counts in [
           ("bfmmla", "+bf16", "bf16", "f32",
            {r"bfmmla z\d+\.s": 96, "ld1rqh": 16, "ldr z": 24}),
           ("smmla", "+i8mm", "i8", "i32",
            {r"smmla z\d+\.s": 48, "ld1rqb": 8, "ldr z": 12}),
           ("sdot", "", "i8", "i32",
            {r"sdot z\d+\.s": 96, "ld1rw": 32, "ldr z": 12}),
           ("fmla.f32", "", "f32", "f32",
            {r"fm(la|ad) z\d+\.s": 96, "ld1rw": 32, "ldr z": 12}),
           ("fmla.f64", "", "f64", "f64",
            {r"fm(la|ad) z\d+\.d": 96, "ld1rd": 32, "ldr z": 12})]},
    "fmla.f32": Gate("cpu:aarch64", "f32", "f32", {"fmla": 48}),
    "fmla.f64": Gate("cpu:aarch64", "f64", "f64", {"fmla": 96}),
    "tdpbf16ps": Gate(V4 + "+avx512bf16+amx-tile+amx-bf16", "bf16", "f32",
                      {"tdpbf16ps": 2, "tileloadd": 2, "tileloaddt1": 1,
                       "tilestored": 0},
                      rows=768,
                      in_place={"tdpbf16ps": 4, "tileloadd": 2,
                                "tileloaddt1": 2, "tilestored": 0}),
    "tdpbf16ps.f32": Gate(V4 + "+amx-tile+amx-bf16", "f32", "f32",
                          {"tdpbf16ps": 12, "tileloadd": 10, "tileloaddt1": 3,
                           "tilestored": 0}),
    "tdpfp16ps": Gate(V4 + "+amx-tile+amx-fp16", "f16", "f32",
                      {"tdpfp16ps": 2, "tileloadd": 2, "tileloaddt1": 1,
                       "tilestored": 0},
                      rows=768,
                      in_place={"tdpfp16ps": 4, "tileloadd": 2,
                                "tileloaddt1": 2, "tilestored": 0}),
    "tdpbssd": Gate(V4 + "+amx-tile+amx-int8", "i8", "i32",
                    {"tdpbssd": 2, "tileloadd": 2, "tileloaddt1": 1,
                     "tilestored": 0},
                    rows=768,
                    in_place={"tdpbssd": 4, "tileloadd": 2, "tileloaddt1": 2,
                              "tilestored": 0}),
    "vpdpbusd.512": Gate(V4 + "+avx512vnni", "i8", "i32",
                         {"vpdpbusd .*%zmm": 96}),
    "vpdpbusd.256": Gate("cpu:x86-64-v3+avxvnni", "i8", "i32",
                         {"vpdpbusd .*%ymm": 48}),
    "vdpbf16ps.512": Gate(V4 + "+avx512bf16", "bf16", "f32",
                          {"vdpbf16ps .*%zmm": 56}),
    "vpmaddwd.512": Gate(V4, "i8", "i32",
                         {"vpmaddwd .*%zmm": 24, "vpaddd .*%zmm": 24}),
    "vcvtph2ps.512": Gate(V4, "f16", "f32",
                          {r"vfmadd\d*ps .*%zmm": 96, "vcvtph2ps .*%zmm": 12,
                           "vpbroadcast": 0}, rows=32),
    "vpslld.512": Gate(V4, "bf16", "f32",
                       {r"vfmadd\d*ps .*%zmm": 96, "vpslld .*%zmm": 12,
                        "vpmovzxwd .*%zmm": 12, "vpbroadcast": 0}, rows=32),
    "vfmadd.f32.512": Gate(V4, "f32", "f32", {r"vfmadd\d*ps .*%zmm": 96}),
    "vfmadd.f64.512": Gate(V4, "f64", "f64", {r"vfmadd\d*pd .*%zmm": 96}),
    "vpmaddwd.256": Gate("cpu:x86-64-v3", "i8", "i32",
                         {"vpmaddwd .*%ymm": 8, "vpaddd .*%ymm": 8}),
    "vcvtph2ps.256": Gate("cpu:x86-64-v3", "f16", "f32",
                          {r"vfmadd\d*ps .*%ymm": 48, "vcvtph2ps .*%ymm": 8,
                           "vpbroadcast": 0}, rows=24),
    "vpslld.256": Gate("cpu:x86-64-v3", "bf16", "f32",
                       {r"vfmadd\d*ps .*%ymm": 48, "vpslld .*%ymm": 8,
                        "vpmovzxwd .*%ymm": 8, "vpbroadcast": 0}, rows=24),
    "vfmadd.f32.256": Gate("cpu:x86-64-v3", "f32", "f32",
                           {r"vfmadd\d*ps .*%ymm": 48}),
    "vfmadd.f64.256": Gate("cpu:x86-64-v3", "f64", "f64",
                           {r"vfmadd\d*pd .*%ymm": 48}),
    "pmaddwd": Gate("cpu:x86-64", "i8", "i32", {"pmaddwd": 8, "paddd": 8}),
    "mulps": Gate("cpu:x86-64", "f32", "f32", {"mulps": 32, "addps": 32}),
    "mulpd": Gate("cpu:x86-64", "f64", "f64", {"mulpd": 32, "addpd": 32}),
}


#: Rows of the table that read rows of these lengths in place (the longer ones
#: to and fro), and longer ones, which they pack.
SHORT, LONG = 384, 2048
IN_PLACE = {"tdpbf16ps": (SHORT, 832), "tdpfp16ps": (SHORT, 832),
            "tdpbssd": (SHORT, 1664), "vfmadd.f32.512": (SHORT,),
            "vfmadd.f64.512": (SHORT,)}


def program(gate, depth, name="product", columns=192):
    """A product for every row of the table, of full tiles."""
    operand, result = gate.operand, gate.sum
    kind = "f" if result.startswith("f") else "i"
    # One row is packed for if the other operand already is, and streamed if
    # that is large.
    weight = ""
    if gate.rows == 1:
        columns, weight = 1536, " {aikernel.weight}"
    size = {"m": gate.rows, "k": depth, "n": columns}
    a, b, c = (f"tensor<{size[x]}x{size[y]}x{t}>" for x, y, t in
               [("m", "k", operand), ("k", "n", operand), ("m", "n", result)])
    widen = ["%u = arith.constant 0 : i1"]
    left, right = "%x", "%y"
    if operand != result:
        extend = "arith.extf" if kind == "f" else "arith.extsi"
        widen = [f"%u = {extend} %x : {operand} to {result}",
                 f"%v = {extend} %y : {operand} to {result}"]
        left, right = "%u", "%v"
    zero = "0.0" if kind == "f" else "0"
    maps = ", ".join(f"affine_map<(m, n, k) -> ({dims})>"
                     for dims in ["m, k", "k, n", "m, n"])
    return "\n".join([
        f"func.func @{name}(%a: {a}, %b: {b}{weight}) -> {c} {{",
        f"  %zero = arith.constant {zero} : {result}",
        f"  %empty = tensor.empty() : {c}",
        f"  %start = linalg.fill ins(%zero : {result}) outs(%empty : {c})"
        f" -> {c}",
        f"  %c = linalg.generic {{indexing_maps = [{maps}], iterator_types ="
        f' ["parallel", "parallel", "reduction"]}}'
        f" ins(%a, %b : {a}, {b}) outs(%start : {c}) {{",
        f"  ^bb0(%x: {operand}, %y: {operand}, %s: {result}):",
        *["    " + line for line in widen],
        f"    %p = arith.mul{kind} {left}, {right} : {result}",
        f"    %t = arith.add{kind} %s, %p : {result}",
        f"    linalg.yield %t : {result}",
        f"  }} -> {c}",
        f"  return %c : {c}", "}", ""])


def functions(text):
    """Name -> (lines without comments, lines as they are)."""
    found, name = {}, None
    for line in text.splitlines():
        start = re.match(r"([A-Za-z_][\w$.]*):", line)
        if start and not start[1].startswith(".L"):
            name = start[1]
            found[name] = []
        elif name and re.match(r"\.Lfunc_end", line):
            name = None
        elif name:
            line = re.split(r"\s*(?:# |// )", line)[0].strip()
            line = re.sub(r"\s+", " ", line).replace("{vex} ", "")
            if line and (line.endswith(":") or not line.startswith(".")):
                found[name].append(line)
    return found


def innermost_loops(lines):
    """The instructions of each loop that contains no other."""
    labels = {line[:-1]: i for i, line in enumerate(lines)
              if line.endswith(":")}
    spans = []
    for i, line in enumerate(lines):
        if re.match(r"(j\w+|b(\.\w+)?|cbn?z|tbn?z) ", line):
            label = re.split(r"[ ,]+", line)[-1]
            if labels.get(label, i) < i:
                spans.append((labels[label], i))
    return [[line for line in lines[a:b + 1] if not line.endswith(":")]
            for a, b in spans
            if not any(a <= c and d <= b and (a, b) != (c, d)
                       for c, d in spans)]


def count(loop, pattern):
    return sum(bool(re.match(pattern + r"(\b|\d)", line)) for line in loop)


def touches_stack(line, lines):
    """A frame pointer is one only where the function makes it one."""
    if re.search(r"\(%rsp|\[sp\b", line):
        return True
    if re.search(r"\(%rbp", line):
        return any(re.match(r"movq %rsp, %rbp", each) for each in lines)
    if re.search(r"\[x29\b", line):
        return any(re.match(r"(mov|add) x29, sp", each) for each in lines)
    return False


#: Where the sibling of a core is busy, every tile register that holds numbers
#: leaves fewer to rename the next ones to. Rows in place have a square of sums.
TILES, TILES_IN_PLACE = 4, 7


def check_tile_registers(code, most):
    for name, lines in code.items():
        for line in lines:
            if any(int(n) >= most for n in re.findall(r"%tmm(\d)", line)):
                yield f"{name} has more than {most} tile registers: {line}"
                break


def check_tile(gate, code):
    loops = [(loop, lines) for name, lines in code.items()
             if name.startswith("aik$tiles") for loop in innermost_loops(lines)]
    if not loops:
        yield "there is no loop in aik$tiles"
        return
    main = next(iter(gate.counts))
    loop, lines = max(loops, key=lambda pair: count(pair[0], main))
    for pattern, expected in gate.counts.items():
        if count(loop, pattern) != expected:
            yield (f"{count(loop, pattern)} of '{pattern}' in the tile's loop, "
                   f"expected {expected}")
    for line in loop:
        if touches_stack(line, lines):
            yield f"the tile's loop touches the stack: {line}"


#: What moves one element between memory and a register, by its bits.
ELEMENT = {
    8: re.compile(r"(ldu?rs?b|stu?rb) |(ldu?r|stu?r) b\d|"
                  r"(ld1|st1) \{ ?v\d+\.b ?\}\[|v?p(ins|ext)rb .*\(|"
                  r"movb .*\(|mov[zs]b[lq] .*\("),
    16: re.compile(r"(ldu?rs?h|stu?rh) |(ldu?r|stu?r) h\d|"
                   r"(ld1|st1) \{ ?v\d+\.h ?\}\[|v?p(ins|ext)rw .*\(|"
                   r"movw .*\(|mov[zs]w[lq] .*\("),
    32: re.compile(r"(ldu?r|stu?r) [sw]\d|(ld1|st1) \{ ?v\d+\.s ?\}\[|"
                   r"v?p(ins|ext)rd .*\(|movl .*\(|v?mov(ss|d) .*\("),
    64: re.compile(r"(ldu?r|stu?r) [dx]\d|v?movsd .*\("),
}
LOAD = re.compile(r"(ldu?r|ldp) [qzd]\d|ld\d\w* \{|"
                  r"(v|p)\w+ .*\).*%[xyz]mm\d+$|mov([au]p[sd]|dq[au]|q) .*\), %xmm")
STORE = re.compile(r"(stu?r|stp) [qz]\d|st\d\w* \{|v?mov\w+ %[xyz]mm\d+, .*\)$")


def check_packing(operand, code):
    element = ELEMENT[int(operand.lstrip('bfi'))]
    names = [name for name in code if name.startswith("aik$pack")]
    if len(names) < 2:
        yield "there is no function that packs each side"
    for name in names:
        loops = innermost_loops(code[name])
        # LLVM makes a few moves of a lane out of shuffles.
        if not any(any(map(LOAD.match, loop)) and any(map(STORE.match, loop))
                   and 20 * sum(map(bool, map(element.match, loop))) < len(loop)
                   for loop in loops):
            yield f"{name} has no loop over vectors"


#: Products of other sizes in the program use the same tile. Of the registers for
#: addresses so many may be loaded again while it asks for results.
MOST_RELOADS = 4


def check_beside_others(aikc, gate):
    others = [program(gate, SHORT + 32, "longer"),
              program(gate, SHORT, "narrow", columns=40)]
    code = compile_for(aikc, gate, SHORT, *others)
    main, expected = next(iter(gate.counts.items()))
    hot = [(loop, lines) for name, lines in code.items()
           if name.startswith("aik$tiles") for loop in innermost_loops(lines)
           if count(loop, main) == expected]
    if not hot:
        yield "beside other products: there is no loop in aik$tiles"
    for loop, lines in hot:
        reloads = sum(touches_stack(line, lines) for line in loop)
        if reloads > MOST_RELOADS:
            yield ("beside other products: the tile's loop touches the stack "
                   f"{reloads} times")


#: Rows of the table whose tiles pack the columns that they read, where a product
#: has as many rows as this: how many vectors a step multiplies and stores.
FEW_ROWS = 384
Packs = collections.namedtuple("Packs", "multiplies stores")
PACKS_COLUMNS = {"vfmadd.f32.512": Packs(24, 3), "vfmadd.f64.512": Packs(24, 3),
                 "vfmadd.f32.256": Packs(12, 2), "vfmadd.f64.256": Packs(12, 2)}
#: The panel is on the stack, too, but reached by an index.
SPILL = re.compile(r".*\(%rsp\).*mm|.*mm.*\(%rsp\)")


def check_columns(gate, packs, code):
    main, expected = next(iter(gate.counts.items()))
    loops = [loop for name, lines in code.items()
             if name.startswith("aik$tiles") for loop in innermost_loops(lines)]
    stores = [sum(bool(STORE.match(line)) for line in loop) for loop in loops
              if count(loop, main) == packs.multiplies]
    if stores.count(packs.stores) != 1:
        yield (f"few rows: {stores.count(packs.stores)} loops over "
               f"{packs.multiplies} multiplications store {packs.stores} "
               "vectors, expected 1")
    for loop in loops:
        if count(loop, main) in (expected, packs.multiplies):
            yield from (f"few rows: the tile's loop spills: {line}"
                        for line in loop if SPILL.match(line))


def compile_for(aikc, gate, depth, *others):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "product.mlir")
        with open(source, "w") as file:
            file.write("".join([program(gate, depth), *others]))
        done = subprocess.run(
            [aikc, source, "--emit=asm", "--target=" + gate.target, "-o", "-"],
            capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return functions(done.stdout)


def rows_of(path):
    with open(path) as file:
        text = file.read()
    table = text[text.index("kInstructions[] = {"):]
    return re.findall(r'^    \{"([^"]+)", "', table[:table.index("};")], re.M)


def complaints(aikc, name):
    gate, found = GATES[name], []
    try:
        for depth in IN_PLACE.get(name, ()):
            code = compile_for(aikc, gate, depth)
            found += check_tile(
                gate._replace(counts=gate.in_place or gate.counts), code)
            found += check_tile_registers(code, TILES_IN_PLACE)
        if name in IN_PLACE:
            found += check_beside_others(aikc, gate)
        for depth in (SHORT, LONG) if name in PACKS_COLUMNS else ():
            few = gate._replace(rows=FEW_ROWS)
            found += check_columns(gate, PACKS_COLUMNS[name],
                                   compile_for(aikc, few, depth))
        code = compile_for(aikc, gate, LONG if name in IN_PLACE else SHORT)
    except RuntimeError as error:
        return [str(error)]
    return [*found, *check_tile(gate, code), *check_tile_registers(code, TILES),
            *check_packing(gate.operand, code)]


SPILLING = """
aik$tiles0:
	pushq	%rbp
	movq	%rsp, %rbp
.LBB0_1:
	mulps	(%rdi), %xmm0
	mulps	(%rdi), %xmm0
	addps	-64(%rbp), %xmm0 # 16-byte Folded Reload
	jne	.LBB0_1
	retq
.Lfunc_end0:
"""


def self_test():
    """The gates must close on what they are there for."""
    code = functions(SPILLING)
    wrong = list(check_tile(Gate("", "", "", {"mulps": 2, "addps": 2}), code))
    tests = [
        len(wrong) == 2,
        any("stack" in each for each in wrong),
        any("1 of 'addps'" in each for each in wrong),
        bool(ELEMENT[8].match("ldrb w8, [x1]")),
        bool(ELEMENT[8].match("movzbl (%rdi), %eax")),
        bool(ELEMENT[32].match("ldr s0, [x1]")),
        bool(ELEMENT[32].match("vmovss (%rdi), %xmm0")),
        not ELEMENT[32].match("movaps %xmm0, (%rax)"),
        not ELEMENT[32].match("ldp q0, q1, [x1]"),
        bool(LOAD.match("vmovups (%rdi,%rax), %ymm0")),
        not LOAD.match("movss (%rdi,%rax), %xmm0"),
        bool(STORE.match("vmovups %ymm0, (%rdi)")),
        len(list(check_packing('f32', {}))) == 1,
        len(list(check_tile_registers({"f": ["tilezero %tmm4"]}, 4))) == 1,
        not list(check_tile_registers({"f": ["tilezero %tmm3"]}, 4)),
        bool(SPILL.match("vmovaps 64(%rsp), %zmm1")),
        bool(SPILL.match("vmovaps %ymm1, (%rsp)")),
        not SPILL.match("vmovaps %zmm0, 64(%rsp,%rdi)"),
        len(list(check_columns(Gate("", "", "", {"mulps": 2}), Packs(2, 1),
                               code))) == 1,
    ]
    return [f"self-test {i} failed" for i, good in enumerate(tests)
            if not good]


def main():
    parser = argparse.ArgumentParser(prog="check_tiles.py", allow_abbrev=False)
    parser.add_argument("--table", required=True)
    parser.add_argument("--aikc", default="aikc")
    parser.add_argument("--only", metavar="ROW")
    options = parser.parse_args()
    rows = rows_of(options.table)
    if options.only:
        rows = [row for row in rows if row == options.only]
    passed, wrong = 0, self_test()
    if not options.only:
        wrong += [f"{name}: an entry without a row" for name in GATES
                  if name not in rows]
    for name in rows:
        if name not in GATES:
            wrong.append(f"{name}: a row without an entry in {sys.argv[0]}")
            continue
        found = complaints(options.aikc, name)
        passed += not found
        wrong += [f"{name}: {each}" for each in found]
    for line in wrong:
        print(line)
    print(f"{passed} passed, {len(wrong)} failed")
    return 1 if wrong or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
