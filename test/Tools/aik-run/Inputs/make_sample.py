#!/usr/bin/python3
# ===- make_sample.py - Writes a small .aikx for the tests of aik-run -------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# Compiles sample_kernels.c and writes an artifact from the description in
# Artifact.h, without the compiler: usable before aikc works, and a second
# opinion on the format.
#
# usage: make_sample.py OUT.aikx [function...] [--no-reference] [--no-host]
#                       [--cuda]
#
# ===----------------------------------------------------------------------===#

import argparse
import hashlib
import os
import platform
import shutil
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", "..", ".."))
ALIGNMENT = 64
DYNAMIC = -1

F32, F64, F16, BF16, F8E4M3FN, F8E5M2 = 1, 2, 3, 4, 5, 6
I8, U8, I16, I32, I64, BOOL = 7, 8, 9, 10, 11, 12
WEIGHT, DONATED, MUTABLE = 1, 2, 4
HOST, REFERENCE, PTX, LAUNCHER = 1, 2, 3, 6
X86_64, AARCH64 = 1, 2


def value(name, dtype, dims, flags=0, facts=None):
    """One aik_meta_value; facts is (min, max, multiple_of) of every dim."""
    return {"name": name, "dtype": dtype, "dims": dims, "flags": flags,
            "facts": facts or (0, -1, 1)}


def elementwise(dtype=F32, flags=0, facts=None, dims=(DYNAMIC,)):
    return ([value("x", dtype, dims, flags, facts)],
            [value("y", dtype, dims)])


GOOD = {
    "add_one": elementwise(),
    "matmul": ([value("a", F32, (DYNAMIC, DYNAMIC)),
                value("b", F32, (DYNAMIC, DYNAMIC))],
               [value("c", F32, (DYNAMIC, DYNAMIC))]),
    "affine": ([value("x", F32, (DYNAMIC, DYNAMIC)),
                value("w", F32, (8, 4), WEIGHT)],
               [value("", F32, (DYNAMIC, 4))]),
    "gather": ([value("table", F32, (DYNAMIC, 4)),
                value("ids", I32, (DYNAMIC,))],
               [value("rows", F32, (DYNAMIC, 4))]),
    "divide": ([value("step", I64, ()), value("x", F32, (DYNAMIC,))],
               [value("y", F32, (DYNAMIC,))]),
    "bump": ([value("state", I32, (4,), MUTABLE)], []),
}
BAD = {name: elementwise() for name in
       ("wrong", "forgets", "fails", "overrun", "underrun", "scribble",
        "picky")}
# Several signatures over the same code: `copy` under one name per case.
COPIES = {
    "copy_" + name: elementwise(dtype) for name, dtype in
    (("f32", F32), ("f64", F64), ("f16", F16), ("bf16", BF16),
     ("f8e4m3fn", F8E4M3FN), ("f8e5m2", F8E5M2), ("i8", I8), ("u8", U8),
     ("i16", I16), ("i32", I32), ("i64", I64), ("bool", BOOL))}
COPIES["copy_facts"] = elementwise(facts=(6, 20, 4))
COPIES["copy_donated"] = elementwise(flags=DONATED)
COPIES["copy_weights"] = elementwise(flags=WEIGHT, dims=(40, 56))
COPIES["copy_cube"] = elementwise(dims=(DYNAMIC,) * 3)
COPIES["copy_scalar"] = elementwise(dims=())
COPIES["copy_huge"] = elementwise(dims=(1 << 20, 1 << 20))
SIGNATURES = {**GOOD, **COPIES, **BAD}


def compile_image(compiler, folder, reference, names, launcher=False):
    """A shared object without undefined symbols, as the compiler makes."""
    suffixes = ("shape", "workspace", "prepare", "cost", "run")
    aliases = "".join(
        f'.globl "{name}${s}"\n.set "{name}${s}", "copy${s}"\n'
        for name in names if name in COPIES for s in suffixes)
    kernels = os.path.join(
        HERE, "sample_launcher.c" if launcher else "sample_kernels.c")
    source = os.path.join(folder, "image.c")
    with open(source, "w") as file:
        file.write(f'#include "{kernels}"\n')
        if aliases:
            file.write(f"asm({c_string(aliases)});\n")
    image = os.path.join(folder, "image.so")
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "-nostdlib", "-ffreestanding",
         "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
         "-Wl,--no-undefined", "-Wl,--build-id=none",
         "-I" + os.path.join(ROOT, "include"), source, "-o", image]
        + (["-DREFERENCE"] if reference else []), check=True)
    with open(image, "rb") as file:
        return file.read()


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace(
        "\n", "\\n") + '"'


class Strings:
    def __init__(self):
        self.bytes = b"\0"
        self.offsets = {"": 0}

    def add(self, text):
        if text not in self.offsets:
            self.offsets[text] = len(self.bytes)
            self.bytes += text.encode() + b"\0"
        return self.offsets[text]


def pack_value(entry, strings):
    rank = len(entry["dims"])
    low, high, multiple = entry["facts"]
    pad = 8 - rank
    dynamic = [d == DYNAMIC for d in entry["dims"]]

    def row(fact, none):
        return [fact if is_dynamic else none for is_dynamic in dynamic] + \
            [0] * pad
    dims = list(entry["dims"]) + [0] * pad
    return struct.pack("<6I32q", strings.add(entry["name"]), entry["dtype"],
                       rank, entry["flags"], 0, 0, *dims, *row(low, 0),
                       *row(high, -1), *row(multiple, 1))


def metadata(images, names):
    """images: (kind, arch, features, target, rank, bytes)."""
    strings = Strings()
    image_rows = b"".join(
        struct.pack("<IIQQII32s", kind, arch, features, len(data),
                    strings.add(target), rank, hashlib.sha256(data).digest())
        for kind, arch, features, target, rank, data in images)
    function_rows = value_rows = b""
    first = 0
    for name in names:
        args, results = SIGNATURES[name]
        function_rows += struct.pack("<4I", strings.add(name), first,
                                     len(args), len(results))
        first += len(args) + len(results)
        value_rows += b"".join(
            pack_value(v, strings) for v in args + results)

    def head(digest):
        return struct.pack("<8s6I32s", b"AIKXMETA", 1, 1, len(images),
                           len(names), first, len(strings.bytes), digest)
    body = image_rows + function_rows + value_rows + strings.bytes
    digest = hashlib.sha256(head(bytes(32)) + body).digest()
    return head(digest) + body


def container(meta, images):
    names = [b"", b".aik.meta"] + [
        b".aik.image.%d" % i for i in range(len(images))] + [b".shstrtab"]
    table = b"".join(name + b"\0" for name in names)
    contents = [None, meta] + [image[-1] for image in images] + [table]
    out = bytearray(64)
    headers = bytearray(64)
    name_at = 1
    for i, data in enumerate(contents[1:], 1):
        out += bytes(-len(out) % ALIGNMENT)
        kind = 3 if i == len(contents) - 1 else 1  # SHT_STRTAB, SHT_PROGBITS
        headers += struct.pack("<IIQQQQIIQQ", name_at, kind, 0, 0, len(out),
                               len(data), 0, 0, ALIGNMENT, 0)
        name_at += len(names[i]) + 1
        out += data
    out += bytes(-len(out) % 8)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    out[0:64] = struct.pack("<16sHHIQQQIHHHHHH", ident, 0, 0, 1, 0, 0,
                            len(out), 0, 64, 0, 0, 64, len(contents),
                            len(contents) - 1)
    return bytes(out + headers)


def make(names, compiler=None, reference=True, host=True, arch=None,
         cuda=False):
    machine = arch or platform.machine()
    here, there = (X86_64, AARCH64) if machine in ("x86_64", "amd64") else \
        (AARCH64, X86_64)
    labels = {X86_64: "x86-64", AARCH64: "aarch64"}
    compiler = compiler or next(
        c for c in ("cc", "gcc", "clang-22", "clang") if shutil.which(c))
    images = []
    with tempfile.TemporaryDirectory() as folder:
        if host:
            data = compile_image(compiler, folder, False, names)
            images.append((HOST, here, 0, "cpu:" + labels[here], 1, data))
        # An image of the other architecture, so that one always does not fit.
        images.append((HOST, there, 0, "cpu:" + labels[there], 1,
                       b"not for this machine"))
        if reference:
            data = compile_image(compiler, folder, True, names)
            images.append((REFERENCE, here, 0, "reference", 0, data))
        if cuda:
            data = compile_image(compiler, folder, False, names, True)
            images.append((LAUNCHER, here, 0, "nvidia:sm_80", 0, data))
            images.append((PTX, 0, 80, "nvidia:sm_80", 1,
                           b"// The fake driver has the kernels' twins.\n"))
    return container(metadata(images, names), images)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("out")
    parser.add_argument("functions", nargs="*", help="good, all or names")
    parser.add_argument("--no-reference", action="store_true")
    parser.add_argument("--no-host", action="store_true")
    parser.add_argument("--cuda", action="store_true",
                        help="kernels for the fake CUDA driver as well")
    parser.add_argument("--compiler")
    parser.add_argument("--arch", help="of the images: x86_64 or aarch64")
    options = parser.parse_args()
    names = []
    for word in options.functions or ["good"]:
        names += {"good": list(GOOD), "all": list(SIGNATURES)}.get(word, [word])
    data = make(names, options.compiler, not options.no_reference,
                not options.no_host, options.arch, options.cuda)
    with open(options.out, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
