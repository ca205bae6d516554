#!/usr/bin/python3
#===- emulate.py - Matrix instructions in plain arithmetic ---------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: emulate.py IN OUT --arch aarch64|x86_64
#
# In: a module of the phase `target` for a CPU that is not here. Out: the same
# code for the baseline of an architecture that is, with calls of functions that
# say in LLVM's plain arithmetic what each matrix instruction does. So packing,
# blocking, edges and corrections of rows that no machine at hand can run are
# run nevertheless.
#
#===----------------------------------------------------------------------===#

import argparse
import re
import sys

BASELINE = {
    "aarch64": '#aikernel.target<"cpu:aarch64", arch = "aarch64", features = '
               '"", vector_bits = 128>',
    "x86_64": '#aikernel.target<"cpu:x86-64", arch = "x86_64", features = "", '
              'vector_bits = 128>',
}
TILE = "vector<256xi32>"
WORDS = "vector<16xi32>"


FLOATS = ("f16", "bf16")


class Body:
    """Lines of a function, with fresh names."""

    def __init__(self):
        self.lines, self.count = [], 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"%r{self.count} = {text}")
        return f"%r{self.count}"

    def splat(self, value, kind):
        return self.op(f"llvm.mlir.constant(dense<{value}> : {kind}) : {kind}")

    def pick(self, word, kind, element, index, unsigned=False):
        """Part `index` of each 32-bit word, widened."""
        if element == "bf16":
            if index == 0:
                word = self.op(f"llvm.shl {word}, {self.splat(16, kind)}"
                               f" : {kind}")
            else:
                word = self.op(f"llvm.and {word}, {self.splat(-65536, kind)}"
                               f" : {kind}")
            return self.op(f"llvm.bitcast {word} : {kind} to "
                           f"{kind.replace('i32', 'f32')}")
        if element == "f16":
            halves = kind.replace("i32", "i16")
            if index == 1:
                word = self.op(f"llvm.lshr {word}, {self.splat(16, kind)}"
                               f" : {kind}")
            half = self.op(f"llvm.trunc {word} : {kind} to {halves}")
            half = self.op(f"llvm.bitcast {half} : {halves} to "
                           f"{kind.replace('i32', 'f16')}")
            return self.op(f"llvm.fpext {half} : {kind.replace('i32', 'f16')}"
                           f" to {kind.replace('i32', 'f32')}")
        bits = int(element[1:])
        up = self.splat(32 - bits * (index + 1), kind)
        down = self.splat(32 - bits, kind)
        word = self.op(f"llvm.shl {word}, {up} : {kind}")
        return self.op(f"llvm.{'l' if unsigned else 'a'}shr {word}, {down}"
                       f" : {kind}")

    def multiply_add(self, total, a, b, kind, element, unsigned):
        """total + sum over the parts of each word of a times those of b."""
        letter = "f" if element in FLOATS else ""
        kind_of_sum = kind.replace("i32", "f32") if letter else kind
        parts = 32 // int(element.lstrip("bfi"))
        for index in range(parts):
            x = self.pick(a, kind, element, index, unsigned)
            y = self.pick(b, kind, element, index)
            product = self.op(f"llvm.{letter}mul {x}, {y} : {kind_of_sum}")
            total = self.op(f"llvm.{letter}add {total}, {product} : "
                            f"{kind_of_sum}")
        return total


def function(name, arguments, result, body, value=None):
    arrow = f" -> {result}" if result else ""
    given = ", ".join(f"%{n}: {t}" for n, t in arguments)
    end = f"llvm.return {value} : {result}" if result else "llvm.return"
    return "\n".join([
        f"    llvm.func internal @{name}({given}){arrow} "
        'attributes {passthrough = ["noinline"]} {',
        *["      " + line for line in body.lines], "      " + end, "    }"])


def vector_dot(name, lanes, element, accumulates, unsigned):
    body = Body()
    words = f"vector<{lanes}xi32>"
    operand = f"vector<{lanes * 32 // int(element.lstrip('bfi'))}x{element}>"
    sums = words.replace("i32", "f32") if element in FLOATS else words
    a, b = (body.op(f"llvm.bitcast %{x} : {operand} to {words}") for x in "ab")
    start = "%c" if accumulates else body.splat(0, words)
    value = body.multiply_add(start, a, b, words, element, unsigned)
    given = ([("c", sums)] if accumulates else []) + [("a", operand),
                                                      ("b", operand)]
    return function(name, given, sums, body, value)


def tile_dot(name, element):
    body = Body()
    kind = WORDS.replace("i32", "f32") if element in FLOATS else WORDS
    result = "%c"
    for row in range(16):
        before = body.op(f"llvm.intr.vector.extract %c[{row * 16}] : {WORDS} "
                         f"from {TILE}")
        before = body.op(f"llvm.bitcast {before} : {WORDS} to {kind}")
        # As the instruction does: what it adds up meets the sum at the end.
        total = body.op(f"llvm.bitcast {body.splat(0, WORDS)} : {WORDS} to "
                        f"{kind}")
        for k in range(16):
            lane = ", ".join([str(row * 16 + k)] * 16)
            a = body.op(f"llvm.shufflevector %a, %a [{lane}] : {TILE}")
            b = body.op(f"llvm.intr.vector.extract %b[{k * 16}] : {WORDS} "
                        f"from {TILE}")
            total = body.multiply_add(total, a, b, WORDS, element, False)
        letter = "f" if element in FLOATS else ""
        total = body.op(f"llvm.{letter}add {before}, {total} : {kind}")
        total = body.op(f"llvm.bitcast {total} : {kind} to {WORDS}")
        result = body.op(f"llvm.intr.vector.insert {total}, {result}"
                         f"[{row * 16}] : {WORDS} into {TILE}")
    shape = [(n, "i16") for n in "mnk"]
    return function(name, shape + [(n, TILE) for n in "cab"], TILE, body,
                    result)


def tile_memory(name, loads):
    """What is loaded is zero past `m` rows of `n` bytes; whole ones are
    stored."""
    body = Body()
    value = body.splat(0, TILE)
    none = body.splat(0, WORDS)
    mask = "vector<16xi1>"
    lanes = body.op("llvm.mlir.constant(dense<["
                    + ", ".join(str(4 * i) for i in range(16))
                    + f"]> : {WORDS}) : {WORDS}")
    if loads:
        n = body.op("llvm.zext %n : i16 to i32")
        zero = body.op("llvm.mlir.constant(0 : i32) : i32")
        n = body.op(f"llvm.insertelement {n}, {none}[{zero} : i32] : {WORDS}")
        n = body.op(f"llvm.shufflevector {n}, {n} [{', '.join(['0'] * 16)}]"
                    f" : {WORDS}")
        columns = body.op(f'llvm.icmp "slt" {lanes}, {n} : {WORDS}')
        never = body.splat("false", mask)
    for row in range(16):
        index = body.op(f"llvm.mlir.constant({row} : i64) : i64")
        offset = body.op(f"llvm.mul %stride, {index} : i64")
        place = body.op(f"llvm.getelementptr %p[{offset}] : "
                        "(!llvm.ptr, i64) -> !llvm.ptr, i8")
        if loads:
            number = body.op(f"llvm.mlir.constant({row} : i16) : i16")
            is_there = body.op(f'llvm.icmp "slt" {number}, %m : i16')
            seen = body.op(f"llvm.select {is_there}, {columns}, {never} : i1, "
                           f"{mask}")
            part = body.op(f"llvm.intr.masked.load {place}, {seen}, {none} "
                           "{alignment = 1 : i32} : (!llvm.ptr, "
                           f"{mask}, {WORDS}) -> {WORDS}")
            value = body.op(f"llvm.intr.vector.insert {part}, {value}"
                            f"[{row * 16}] : {WORDS} into {TILE}")
        else:
            part = body.op(f"llvm.intr.vector.extract %v[{row * 16}] : "
                           f"{WORDS} from {TILE}")
            body.lines.append(f"llvm.store {part}, {place} {{alignment = 1 : "
                              f"i64}} : {WORDS}, !llvm.ptr")
    given = [("m", "i16"), ("n", "i16"), ("p", "!llvm.ptr"),
             ("stride", "i64")] + ([] if loads else [("v", TILE)])
    return function(name, given, TILE if loads else "", body, value)


def look_up(name, count):
    """Bytes of the same sixteen, by the lower half of an index; 0 for one that
    is negative."""
    body = Body()
    kind = f"vector<{count}xi8>"
    value = body.splat(0, kind)
    zero = body.op("llvm.mlir.constant(0 : i8) : i8")
    fifteen = body.op("llvm.mlir.constant(15 : i8) : i8")
    for i in range(count):
        place = body.op(f"llvm.mlir.constant({i} : i64) : i64")
        index = body.op(f"llvm.extractelement %b[{place} : i64] : {kind}")
        is_none = body.op(f'llvm.icmp "slt" {index}, {zero} : i8')
        index = body.op(f"llvm.and {index}, {fifteen} : i8")
        index = body.op(f"llvm.zext {index} : i8 to i64")
        base = body.op(f"llvm.mlir.constant({i // 16 * 16} : i64) : i64")
        index = body.op(f"llvm.add {index}, {base} : i64")
        byte = body.op(f"llvm.extractelement %a[{index} : i64] : {kind}")
        byte = body.op(f"llvm.select {is_none}, {zero}, {byte} : i1, i8")
        value = body.op(f"llvm.insertelement {byte}, {value}[{place} : i64]"
                        f" : {kind}")
    return function(name, [("a", kind), ("b", kind)], kind, body, value)


def tile_zero(name):
    body = Body()
    value = body.splat(0, TILE)
    return function(name, [("m", "i16"), ("n", "i16")], TILE, body, value)


EMULATED = {
    "llvm.x86.avx512.vpdpbusd.512":
        lambda name: vector_dot(name, 16, "i8", True, True),
    "llvm.x86.avx512.vpdpbusd.256":
        lambda name: vector_dot(name, 8, "i8", True, True),
    "llvm.x86.avx512bf16.dpbf16ps.512":
        lambda name: vector_dot(name, 16, "bf16", True, False),
    "llvm.x86.avx512.pmaddw.d.512":
        lambda name: vector_dot(name, 16, "i16", False, False),
    "llvm.x86.avx2.pmadd.wd":
        lambda name: vector_dot(name, 8, "i16", False, False),
    "llvm.x86.sse2.pmadd.wd":
        lambda name: vector_dot(name, 4, "i16", False, False),
    "llvm.x86.avx512.pshuf.b.512": lambda name: look_up(name, 64),
    "llvm.x86.tdpbf16ps.internal": lambda name: tile_dot(name, "bf16"),
    "llvm.x86.tdpfp16ps.internal": lambda name: tile_dot(name, "f16"),
    "llvm.x86.tdpbssd.internal": lambda name: tile_dot(name, "i8"),
    "llvm.x86.tileloadd64.internal": lambda name: tile_memory(name, True),
    "llvm.x86.tileloaddt164.internal": lambda name: tile_memory(name, True),
    "llvm.x86.tilestored64.internal": lambda name: tile_memory(name, False),
    "llvm.x86.tilezero.internal": tile_zero,
}


def main():
    parser = argparse.ArgumentParser(prog="emulate.py", allow_abbrev=False)
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--arch", choices=sorted(BASELINE), required=True)
    options = parser.parse_args()
    with open(options.input) as file:
        text = file.read()
    used = set(re.findall(r'llvm\.call_intrinsic "(llvm\.x86\.[^"]*)"', text))
    unknown = used - set(EMULATED)
    if unknown or not used:
        sys.exit(f"emulate.py: error: cannot emulate {sorted(unknown)}"
                 if unknown else "emulate.py: error: nothing to emulate")
    text = re.sub(r'llvm\.call_intrinsic "llvm\.x86\.([^"]*)"',
                  r"llvm.call @emulated.\1", text)
    text = text.replace("!llvm.x86_amx", TILE)
    text = re.sub(r"#aikernel\.target<[^>]*>", BASELINE[options.arch], text)
    functions = "\n".join(EMULATED[name](
        "emulated." + name[len("llvm.x86."):]) for name in sorted(used))
    text = re.sub(r"^( *module @target0 .*\{)$",
                  lambda found: found[1] + "\n" + functions, text,
                  flags=re.M)
    with open(options.output, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
