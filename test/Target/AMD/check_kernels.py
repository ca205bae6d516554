#!/usr/bin/python3
#===- check_kernels.py - Looks into a code object for AMD's GPUs ----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_kernels.py NOTES DISASSEMBLY PROCESSOR [INSTRUCTION KERNEL...]
#        check_kernels.py --artifact FILE [KERNELS-WITH-A-STACK...]
#
# In: what `llvm-readelf --notes` and `llvm-objdump -d` print. Out: `N kernels`,
# and one line for each kernel whose metadata is not what a launch assumes
# (parameters are words of eight bytes and nothing hidden, the wavefront is the
# processor's, local memory fits, and so do the threads), or that spills, has a
# stack or calls; and for each KERNEL that has no INSTRUCTION, or for
# KERNEL=COUNT not that many of it. 1 if there is such a line.
#
# Of an artifact, all code objects for AMD's GPUs are looked into. Kernels whose
# names are like one of those that are given may have a stack and call; any may keep
# scalars in the lanes of a vector register, which costs no memory.
#
#===----------------------------------------------------------------------===#

import fnmatch
import math
import re
import struct
import subprocess
import sys
import tempfile

#: Wavefront, bytes of local memory, registers of a thread.
PROCESSORS = {"gfx942": (64, 65536, 512), "gfx1100": (32, 65536, 256)}
MUST_BE_ZERO = ("private_segment_fixed_size", "sgpr_spill_count",
                "vgpr_spill_count")
SCALARS = "sgpr_spill_count"
ELF, MACHINE_AMDGPU = b"\x7fELF", 224
#: The last byte of an object's flags.
FLAGS = {0x4c: "gfx942", 0x41: "gfx1100"}
FORBIDDEN = re.compile(r"\b(scratch_\w+|s_swappc_b64|s_setpc_b64)\b")


def read_notes(text):
    """{kernel: {field: value}}, with the sizes and kinds of its parameters."""
    kernels = {}
    for part in re.split(r"^  - ", text, flags=re.M)[1:]:
        fields = dict(re.findall(r"^ {4}\.(\w+): +(\S+)$", "    " + part, re.M))
        fields["offsets"] = re.findall(r"\.offset: +(\d+)", part)
        fields["sizes"] = re.findall(r"\.size: +(\d+)", part)
        fields["kinds"] = re.findall(r"\.value_kind: +(\w+)", part)
        block = re.search(r"\.reqd_workgroup_size:((\s+- \d+)+)", part)
        fields["threads"] = math.prod(
            map(int, re.findall(r"\d+", block.group(1)))) if block else 0
        if "name" in fields:
            kernels[fields["name"]] = fields
    return kernels


def read_code(text, ends=None):
    """{symbol: lines}; `ends` are of those behind which there is other code
    without a symbol."""
    code, name = {}, None
    for line in text.splitlines():
        start = re.match(r"[0-9a-f]+ <(\S+)>:", line)
        if start:
            name = start[1]
            code[name] = []
            continue
        instruction, _, rest = line.partition("//")
        address = re.match(r" *([0-9A-F]+):", rest)
        if name and not (ends and address
                         and int(address[1], 16) >= ends[name]):
            code[name].append(instruction.strip())
    return code


def read_ends(text):
    """{symbol: address behind it} from `llvm-readelf --symbols`"""
    found = re.findall(r"([0-9a-f]{16}) +(\d+) FUNC .* (\S+)$", text, re.M)
    return {name: int(value, 16) + int(size) for value, size, name in found}


def complaints(fields, lines, processor):
    wavefront, local, registers = PROCESSORS[processor]
    for field in MUST_BE_ZERO:
        if fields.get(field) != "0":
            yield f"{field} is {fields.get(field)}"
    if fields.get("uses_dynamic_stack") != "false":
        yield "it has a stack"
    if fields.get("wavefront_size") != str(wavefront):
        yield f"its wavefront is {fields.get('wavefront_size')}"
    if int(fields["group_segment_fixed_size"]) > local:
        yield "its local memory does not fit"
    if int(fields["vgpr_count"]) > registers:
        yield f"it wants {fields['vgpr_count']} registers"
    if fields.get("max_flat_workgroup_size") != str(fields["threads"]):
        yield (f"it is launched with {fields['threads']} threads and may have "
               f"{fields.get('max_flat_workgroup_size')}")
    count = len(fields["offsets"])
    words = [str(8 * i) for i in range(count)]
    if fields["offsets"] != words or set(fields["sizes"]) - {"8"}:
        yield "its parameters are not words"
    if fields["kernarg_segment_size"] != str(8 * count):
        yield (f"it has {count} parameters in "
               f"{fields['kernarg_segment_size']} bytes")
    hidden = [kind for kind in fields["kinds"] if kind.startswith("hidden")]
    if hidden:
        yield f"it has {hidden[0]}"
    for line in lines:
        if FORBIDDEN.search(line):
            yield line
            break
    if not any(line.startswith("s_endpgm") for line in lines):
        yield "it does not end"


def main(notes, disassembly, processor, wanted=None, *where):
    with open(notes) as file:
        kernels = read_notes(file.read())
    with open(disassembly) as file:
        code = read_code(file.read())
    bad = 0 if kernels else 1
    print(f"{len(kernels)} kernels")
    for name, fields in kernels.items():
        for complaint in complaints(fields, code.get(name, []), processor):
            print(f"{name}: {complaint}")
            bad += 1
    for word in where:
        name, _, count = word.partition("=")
        found = sum(1 for line in code.get(name, []) if re.match(wanted, line))
        if not found:
            print(f"{name}: no {wanted}")
            bad += 1
        elif count and found != int(count):
            print(f"{name}: {found} {wanted}, expected {count}")
            bad += 1
    return 1 if bad else 0


def code_objects(artifact):
    """(processor, bytes) of each; what follows one in the file is not read."""
    at = artifact.find(ELF)
    while at >= 0:
        if struct.unpack_from("<H", artifact, at + 18)[0] == MACHINE_AMDGPU:
            flags = struct.unpack_from("<I", artifact, at + 48)[0]
            yield FLAGS[flags & 0xff], artifact[at:]
        at = artifact.find(ELF, at + 1)


def check_artifact(path, *with_stack):
    with open(path, "rb") as file:
        objects = list(code_objects(file.read()))
    bad = 0 if objects else 1
    for processor, code in objects:
        with tempfile.NamedTemporaryFile(suffix=".hsaco") as file:
            file.write(code)
            file.flush()
            notes, symbols, disassembly = (
                subprocess.run([f"{tool}-22", *flags, file.name], text=True,
                               check=True, stdout=subprocess.PIPE).stdout
                for tool, flags in (
                    ("llvm-readelf", ["--notes"]),
                    ("llvm-readelf", ["--symbols", "--wide"]),
                    ("llvm-objdump", ["-d", f"--mcpu={processor}"])))
        kernels = read_notes(notes)
        bodies = read_code(disassembly, read_ends(symbols))
        print(f"{processor}: {len(kernels)} kernels")
        bad += not kernels
        for name, fields in kernels.items():
            lines = bodies.get(name, [])
            fields[SCALARS] = "0"
            if any(fnmatch.fnmatch(name, one) for one in with_stack):
                fields.update({field: "0" for field in MUST_BE_ZERO})
                lines = [x for x in lines if not FORBIDDEN.search(x)]
            for complaint in complaints(fields, lines, processor):
                print(f"{processor}: {name}: {complaint}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--artifact"]:
        sys.exit(check_artifact(*sys.argv[2:]))
    sys.exit(main(*sys.argv[1:]))
