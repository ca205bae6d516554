#!/usr/bin/python3
#===- link_test.py - No call of LLVM's own stays undefined -----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Writes a function for every arithmetic instruction, conversion and math
# intrinsic on every type and a few vector widths, compiles them together with
# the builtins for several processors, and requires that nothing is left
# undefined; nor is anything in the objects of the builtins that ship. Requires of
# these and of what `opt -O2` makes of the bitcode that no memory function calls
# itself or another.
#
#===------------------------------------------------------------------------===#

import argparse
import os
import re
import subprocess
import sys
import tempfile

FLOATS = {"half": ("f16", 16), "bfloat": ("bf16", 16), "float": ("f32", 32), "double": ("f64", 64)}
UNARY = ("sqrt sin cos tan exp exp2 exp10 log log10 log2 fabs floor ceil trunc rint nearbyint round roundeven "
         "tanh sinh cosh asin acos atan").split()
BINARY = "minnum maxnum minimum maximum minimumnum maximumnum copysign pow atan2".split()
INTEGERS = ("i8", "i16", "i32", "i64")
PROCESSORS = {
    "x86_64": [[], ["-mcpu=x86-64-v2"], ["-mcpu=x86-64-v3"], ["-mcpu=x86-64-v4"]],
    "aarch64": [[], ["-mattr=+bf16,+fullfp16,+sve,+lse"]],
}


class Module:
    """Collects functions that each do one thing."""

    def __init__(self):
        self.declarations = set()
        self.functions = []

    def instruction(self, result, arguments, text):
        names = ", ".join("%s %%%s" % (kind, name) for kind, name in zip(arguments, "abc"))
        self.functions.append("define %s @probe%d(%s) {\n  %%r = %s\n  ret %s %%r\n}"
                              % (result, len(self.functions), names, text, result))

    def call(self, result, callee, arguments, extra=()):
        kinds = list(arguments) + [kind for kind, _ in extra]
        self.declarations.add("declare %s @%s(%s)" % (result, callee, ", ".join(kinds)))
        given = ["%s %%%s" % (kind, name) for kind, name in zip(arguments, "abc")]
        given += ["%s %s" % item for item in extra]
        if result == "void":
            names = ", ".join("%s %%%s" % (kind, name) for kind, name in zip(arguments, "abc"))
            self.functions.append("define void @probe%d(%s) {\n  call void @%s(%s)\n  ret void\n}"
                                  % (len(self.functions), names, callee, ", ".join(given)))
        else:
            self.instruction(result, arguments, "call %s @%s(%s)" % (result, callee, ", ".join(given)))

    def text(self):
        return "\n".join(sorted(self.declarations) + self.functions)


def shaped(kind, suffix, width):
    return ("<%d x %s>" % (width, kind), "v%d%s" % (width, suffix)) if width else (kind, suffix)


def add_floats(module, width):
    for kind, (suffix, bits) in FLOATS.items():
        t, s = shaped(kind, suffix, width)
        for name in UNARY:
            module.call(t, "llvm.%s.%s" % (name, s), [t])
        for name in BINARY:
            module.call(t, "llvm.%s.%s" % (name, s), [t, t])
        for name in ("fma", "fmuladd"):
            module.call(t, "llvm.%s.%s" % (name, s), [t, t, t])
        for name in "fadd fsub fmul fdiv frem".split():
            module.instruction(t, [t, t], "%s %s %%a, %%b" % (name, t))
        for other, (_, other_bits) in FLOATS.items():
            wide = shaped(other, "", width)[0]
            if other_bits < bits:
                module.instruction(wide, [t], "fptrunc %s %%a to %s" % (t, wide))
            if other_bits > bits:
                module.instruction(wide, [t], "fpext %s %%a to %s" % (t, wide))
        for integer in INTEGERS:
            i, si = shaped(integer, integer, width)
            for name in ("sitofp", "uitofp"):
                module.instruction(t, [i], "%s %s %%a to %s" % (name, i, t))
            for name in ("fptosi", "fptoui"):
                module.instruction(i, [t], "%s %s %%a to %s" % (name, t, i))
                module.call(i, "llvm.%s.sat.%s.%s" % (name, si, s), [t])


def add_scalars(module):
    for kind in ("float", "double"):
        s = FLOATS[kind][0]
        module.call(kind, "llvm.powi.%s.i32" % s, [kind, "i32"])
        module.call(kind, "llvm.ldexp.%s.i32" % s, [kind, "i32"])
        module.call("{%s, i32}" % kind, "llvm.frexp.%s.i32" % s, [kind])
        for name in ("sincos", "modf"):
            module.call("{%s, %s}" % (kind, kind), "llvm.%s.%s" % (name, s), [kind])
        for name in ("lround", "llround", "lrint", "llrint"):
            module.call("i64", "llvm.%s.i64.%s" % (name, s), [kind])
        # What the math dialect's libm lowering calls by name.
        tail = "f" if kind == "float" else ""
        for name in "erf erfc expm1 log1p tanh".split():
            module.call(kind, name + tail, [kind])


def add_memory(module):
    for name in ("memcpy", "memmove"):
        module.call("void", "llvm.%s.p0.p0.i64" % name, ["ptr", "ptr", "i64"], [("i1", "false")])
    module.call("void", "llvm.memset.p0.i64", ["ptr", "i8", "i64"], [("i1", "false")])
    module.call("i32", "memcmp", ["ptr", "ptr", "i64"])


def add_integers(module, width):
    for integer in INTEGERS:
        i = shaped(integer, integer, width)[0]
        for name in "mul sdiv udiv srem urem shl lshr ashr".split():
            module.instruction(i, [i, i], "%s %s %%a, %%b" % (name, i))


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit("%s failed:\n%s" % (" ".join(command), result.stderr[:2000]))
    return result.stdout


def symbols(llvm_nm, path, option):
    return {line.split()[-1] for line in run([llvm_nm, option, path]).splitlines() if line.strip()}


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--llc", required=True)
    parser.add_argument("--bitcode", required=True, help="folder with <arch>.bc")
    options = parser.parse_args()
    tool = lambda name: re.sub("llc", name, os.path.basename(options.llc))
    tool_path = lambda name: os.path.join(os.path.dirname(options.llc), tool(name))
    module = Module()
    for width in (0, 8):
        add_floats(module, width)
        add_integers(module, width)
    add_scalars(module)
    add_memory(module)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe.ll")
        with open(probe, "w") as file:
            file.write(module.text())
        for arch, processors in PROCESSORS.items():
            bitcode = os.path.join(options.bitcode, arch + ".bc")
            for flags in processors:
                missing = set()
                defined = set()
                # The program and the builtins, each for this processor.
                for source in (probe, bitcode):
                    target = os.path.join(folder, "out.o")
                    run([options.llc, "-mtriple=%s-unknown-linux-gnu" % arch, "-relocation-model=pic",
                         "-filetype=obj", source, "-o", target] + flags)
                    missing |= symbols(tool_path("llvm-nm"), target, "--undefined-only")
                    defined |= symbols(tool_path("llvm-nm"), target, "--defined-only")
                missing -= defined | {"_GLOBAL_OFFSET_TABLE_"}
                failed += bool(missing)
                passed += not missing
                if missing:
                    print("FAIL: %s %s: undefined %s" % (arch, " ".join(flags), " ".join(sorted(missing))))
            shipped = bitcode + ".o"
            missing = symbols(tool_path("llvm-nm"), shipped, "--undefined-only") - {"_GLOBAL_OFFSET_TABLE_"}
            failed += bool(missing)
            passed += not missing
            if missing:
                print("FAIL: the object for %s: undefined %s" % (arch, " ".join(sorted(missing))))
            optimized = run([tool_path("opt"), "-O2", "-S", bitcode])
            for name in ("memcpy", "memmove", "memset", "memcmp"):
                body = re.search(r"^define [^\n]*@%s\(.*?^}" % name, optimized, re.M | re.S).group(0)
                calls = re.findall(r"call [^\n]*@(?:llvm\.)?(mem\w+)", body)
                code = run([tool_path("llvm-objdump"), "-dr", "--no-show-raw-insn", "--disassemble-symbols=" + name,
                            shipped])
                instructions = code[code.index("<%s>:" % name):].splitlines()[1:]
                calls += [line.strip() for line in instructions
                          if re.search(r"\b(call|jmp|bl|b)\w*\s.*<mem\w+>|R_\w+\s+mem\w+", line)]
                failed += bool(calls) or not instructions
                passed += not calls and bool(instructions)
                if calls or not instructions:
                    print("FAIL: %s: %s calls %s" % (arch, name, " ".join(calls)))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
