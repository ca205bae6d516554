#!/usr/bin/python3
#===- check_cubin.py - Is a tile program's machine code as it should be? ----===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_cubin.py FILE.ptx FILE.cubin KERNEL=[LOOP[+END]/]PRODUCTS[:DESCRIPTORS[:FENCES]]...
#        check_cubin.py FILE.ptx FILE.cubin KERNEL=NAME:COUNT,NAME:COUNT...
#
# Assembles the PTX with ptxas and looks for what costs a tile program its speed
# without a word: spills, a stack, products that wait for each other (C75xx), and
# between the first and the last matrix instruction of a kernel fences (MEMBAR)
# or descriptors that are not known to be the same for a warp (R2UR), of which
# there may be DESCRIPTORS and FENCES where the loop seldom comes. Each KERNEL has
# that many matrix instructions, the last LOOP of which, before END more, are those
# of its loops, or that many of each NAME.
#
#===----------------------------------------------------------------------===#

import re
import struct
import subprocess
import sys

# The low twelve bits of an instruction of sm_80, sm_89 and sm_90a.
OPCODES = {0x2ca: "R2UR", 0x992: "MEMBAR", 0x9f0: "GMMA", 0xdf0: "GMMA",
           0x9f1: "GMMA", 0x9f3: "GMMA", 0x23c: "HMMA", 0x83b: "LDSM",
           0xfae: "LDGSTS"}


def code_of(path, kernel):
    """The instructions of a kernel, from the section named after it."""
    with open(path, "rb") as file:
        data = file.read()
    offset = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size)
                for i in range(count)]
    for section in sections:
        name = data[sections[names][4] + section[0]:].split(b"\0")[0]
        if name.decode() == ".text." + kernel:
            text = data[section[4]:section[4] + section[5]]
            return [OPCODES.get(struct.unpack_from("<Q", text, i)[0] & 0xfff)
                    for i in range(0, len(text), 16)]
    sys.exit(f"there is no kernel {kernel}")


def assemble(ptx, cubin):
    with open(ptx) as file:
        target = re.search(r"^\.target (\w+)", file.read(), re.M)[1]
    done = subprocess.run(["ptxas", "-v", "-O3", "-arch=" + target, ptx, "-o",
                           cubin], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    bad = re.findall(r".*C75\d\d.*|.*[1-9]\d* bytes (?:stack|spill).*",
                     done.stdout)
    if done.returncode or bad:
        sys.exit("\n".join(bad) or done.stdout)


def check(cubin, kernel, products, descriptors=0, fences=0):
    code = code_of(cubin, kernel)
    in_loop, products = (products.split("/") * 2)[:2]
    in_loop, after = map(int, (in_loop.split("+") + ["0"])[:2])
    products = int(products)
    at = [i for i, name in enumerate(code) if name == "GMMA"]
    if len(at) != products:
        sys.exit(f"{kernel} has {len(at)} matrix instructions, "
                 f"expected {products}")
    loop = code[at[-in_loop - after]:at[-1 - after]]
    for name, most in [("MEMBAR", fences), ("R2UR", descriptors)]:
        if loop.count(name) > int(most):
            sys.exit(f"{kernel} has {loop.count(name)} {name} in its loop")
    print(f"{kernel}: as it should be")


def check_counts(cubin, kernel, counts):
    code = code_of(cubin, kernel)
    for name, count in (word.split(":") for word in counts.split(",")):
        if code.count(name) != int(count):
            sys.exit(f"{kernel} has {code.count(name)} {name}, "
                     f"expected {count}")
    print(f"{kernel}: as it should be")


assemble(sys.argv[1], sys.argv[2])
for word in sys.argv[3:]:
    kernel, numbers = word.split("=")
    if numbers[0].isdigit():
        check(sys.argv[2], kernel, *numbers.split(":"))
    else:
        check_counts(sys.argv[2], kernel, numbers)
