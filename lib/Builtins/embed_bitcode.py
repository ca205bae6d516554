#!/usr/bin/python3
#===- embed_bitcode.py - Compiles the builtins to embedded bitcode ---------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# In: the C files of this folder and an architecture. Out: one bitcode file,
# and a C++ file that holds its bytes as an array; for a host also those of an
# object file that was compiled from it for the baseline processor.
#
# Each file is compiled to LLVM text so that attributes can be removed that
# would tie the functions to the baseline processor: target-cpu, tune-cpu and
# target-features go, so that the functions take whatever the compiler's target
# machine says and inline into callers with more features. "no-builtins" goes
# too (it also forbids inlining into callers without it), except under Memory/,
# where a copy loop must never become a call of itself.
#
#===------------------------------------------------------------------------===#

import argparse
import os
import re
import subprocess
import sys

COMPILE_FLAGS = ["-std=c11", "-O2", "-ffreestanding", "-fno-builtin", "-fPIC", "-fvisibility=hidden",
                 "-ffp-contract=off", "-fno-math-errno", "-fno-asynchronous-unwind-tables",
                 "-Wall", "-Wextra", "-Werror"]
TRIPLES = {"x86_64": "x86_64-unknown-linux-gnu", "aarch64": "aarch64-unknown-linux-gnu",
           "nvptx64": "nvptx64-nvidia-cuda", "amdgcn": "amdgcn-amd-amdhsa"}
HOSTS = ["x86_64", "aarch64"]
# As lib/Target/AMD says it for kernels.
FLAGS_OF = {"amdgcn": ["-mcode-object-version=5"]}
TIED_TO_TARGET = re.compile(r'\s*"(target-cpu|tune-cpu|target-features)"="[^"]*"')
NO_BUILTINS = re.compile(r'\s*"no-builtins"')


def run(command, folder):
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit("%s failed:\n%s" % (" ".join(command), result.stderr))


def compile_source(options, source, target_text):
    run([options.clang, "--target=" + TRIPLES[options.arch]] + COMPILE_FLAGS
        + FLAGS_OF.get(options.arch, [])
        + ["-I" + options.include, "-S", "-emit-llvm", source, "-o", target_text], options.folder)
    with open(target_text) as file:
        text = TIED_TO_TARGET.sub("", file.read())
    if not source.startswith("Memory/"):
        text = NO_BUILTINS.sub("", text)
    with open(target_text, "w") as file:
        file.write(text)


def compile_object(options, object_file):
    run([options.clang, "--target=" + TRIPLES[options.arch], "-O2", "-fPIC", "-ffunction-sections",
         "-fdata-sections", "-c", options.bitcode, "-o", object_file], options.folder)


def array_of(name, path):
    with open(path, "rb") as file:
        data = file.read()
    lines = ["extern const unsigned char %s[];" % name, "extern const size_t %sSize;" % name,
             "alignas(16) const unsigned char %s[] = {" % name]
    for start in range(0, len(data), 24):
        lines.append(",".join(str(byte) for byte in data[start:start + 24]) + ",")
    return lines + ["};", "const size_t %sSize = sizeof(%s);" % (name, name)]


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--llvm-link", required=True)
    parser.add_argument("--arch", required=True, choices=sorted(TRIPLES))
    parser.add_argument("--folder", required=True, help="lib/Builtins")
    parser.add_argument("--include", required=True, help="the project's include folder")
    parser.add_argument("--bitcode", required=True, help="file to write")
    parser.add_argument("--array", required=True, help="C++ file to write")
    parser.add_argument("sources", nargs="+", help="relative to the folder")
    options = parser.parse_args()
    texts = []
    for source in options.sources:
        text = "%s.%s.ll" % (options.bitcode, source.replace("/", "."))
        compile_source(options, source, text)
        texts.append(text)
    run([options.llvm_link, "-o", options.bitcode] + texts, os.path.dirname(options.bitcode))
    lines = ["// Written by embed_bitcode.py from the sources of lib/Builtins.", "#include <cstddef>",
             "namespace aikernel::detail {"]
    lines += array_of(options.arch + "Bitcode", options.bitcode)
    if options.arch in HOSTS:
        object_file = options.bitcode + ".o"
        compile_object(options, object_file)
        lines += array_of(options.arch + "Object", object_file)
    with open(options.array, "w") as file:
        file.write("\n".join(lines + ["} // namespace aikernel::detail"]) + "\n")


main()
