#!/usr/bin/python3
# ===- check_batch.py - --cases and what stays behind -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# Many cases in one process, failing ones among them, and outputs that appear
# only when everything worked. usage: check_batch.py FOLDER
#
# ===----------------------------------------------------------------------===#

import os
import sys

import numpy

import harness
from harness import aik_run, check, expect_error

CASES = """# a comment, and a blank line

add_one x.npy -> y1.npy
  matmul  a.npy,b.npy  ->  c.npy
matmul a.npy,a.npy -> never.npy
nosuch x.npy -> never.npy
add_one absent.npy -> never.npy
add_one x.npy,x.npy -> never.npy
add_one x.npy -> never.npy,never2.npy
add_one x.npy
add_one noise:1 -> never.npy
gather random:3:5x4,full:7:2 -> never.npy
gather @t.npy,random:3:6:0..4 -> g.npy
add_one x.npy -> no/such/folder.npy
add_one x.npy -> -
add_one random:1:9 ->
bump zeros ->
add_one x.npy -> y2.npy
"""
EXPECTED = """1 ok add_one
2 ok matmul
3 error AIK-R0504
4 error AIK-R0401
5 error AIK-R0201
6 error AIK-R0410
7 error AIK-R0410
8 error AIK-R0801
9 error AIK-R0201
10 error AIK-R0504
11 ok gather
12 error AIK-R0202
13 ok add_one
14 ok add_one
15 ok bump
16 ok add_one
7 passed, 9 failed
"""


def statuses(out):
    return [line if "error" not in line else " ".join(line.split()[:3])
            for line in out.splitlines()]


def check_cases():
    before = set(os.listdir("."))
    rc, out, err = aik_run("good.aikx", "--cases", "cases.txt")
    check("one line per case", statuses(out) == EXPECTED.splitlines(), out)
    check("the batch fails as a whole",
          rc == 1 and "AIK-R0802: 9 of 16 cases failed" in err, err)
    check("only good cases leave files", set(os.listdir(".")) - before ==
          {"y1.npy", "y2.npy", "c.npy", "g.npy"}, os.listdir("."))
    check("values", numpy.load("y2.npy").tolist() == [1, 2, 3, 4]
          and (numpy.load("c.npy") == A @ B).all())
    rc, out, err = aik_run("good.aikx", "--cases", "-", "--guard",
                           "--verify=ref", stdin=CASES)
    check("verified, guarded, from standard input",
          [line.split(":")[0] for line in statuses(out)] ==
          EXPECTED.splitlines(), out)
    rc, out, err = aik_run("good.aikx", "--cases", "cases.txt",
                           "--first", "14")
    check("--first", rc == 0 and out.splitlines() ==
          ["14 ok add_one", "15 ok bump", "16 ok add_one",
           "3 passed, 0 failed"], out + err)
    rc, out, err = aik_run("good.aikx", "--cases", "-", stdin="")
    check("no case at all", rc == 0 and out == "0 passed, 0 failed\n", out)


def check_faults():
    text = ("add_one x.npy -> -\nunderrun x.npy -> u.npy\n"
            "overrun x.npy -> v.npy\nadd_one x.npy -> -\n")
    rc, out, err = aik_run("bad.aikx", "--cases", "-", "--guard", stdin=text)
    check("a fault names its case", rc == 6 and
          "AIK-R0604: case 3: `overrun`" in err, err)
    check("what was done before it is told", statuses(out) ==
          ["1 ok add_one", "2 error AIK-R0602"], out)
    check("a damaged canary keeps the output back",
          not os.path.exists("u.npy") and not os.path.exists("v.npy"))
    rc, out, err = aik_run("bad.aikx", "--cases", "-", "--guard",
                           "--first", "4", stdin=text)
    check("the driver can go on", rc == 0 and
          out == "4 ok add_one\n1 passed, 0 failed\n", out)


def check_atomic_output():
    with open("kept.npy", "w") as file:
        file.write("old")
    expect_error("the first of two outputs is not written",
                 ["good.aikx", "--function", "bump", "--input", "state=zeros",
                  "--output", "state=@kept.npy", "--output",
                  "arg0=@no/such.npy"], "AIK-R0202", 4)
    expect_error("a failing function keeps the old file",
                 ["bad.aikx", "--function", "fails", "--output",
                  "y=@kept.npy"], "AIK-R0504", 1)
    expect_error("a mismatch keeps the old file",
                 ["bad.aikx", "--function", "wrong", "--verify=ref",
                  "--output", "y=@kept.npy"], "AIK-R0601", 6)
    with open("kept.npy") as file:
        check("the old file is whole", file.read() == "old")
    rc, out, err = aik_run("bad.aikx", "--function", "add_one",
                           "--input", "x=@x.npy", "--output", "y=@kept.npy")
    check("success replaces it", rc == 0 and
          numpy.load("kept.npy").tolist() == [1, 2, 3, 4], err)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            import subprocess
            rc = subprocess.run(["aik-run", "good.aikx", "--list"],
                                stdout=full, stderr=subprocess.PIPE).returncode
        check("a full standard output is a file error", rc == 4)


harness.fresh_folder(sys.argv[1])
harness.sample("good.aikx", list(harness.make_sample.GOOD))
harness.sample("bad.aikx", ["add_one"] + list(harness.make_sample.BAD))
A = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
B = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
numpy.save("x.npy", numpy.float32([0, 1, 2, 3]))
numpy.save("a.npy", A)
numpy.save("b.npy", B)
numpy.save("t.npy", numpy.zeros((5, 4), numpy.float32))
with open("cases.txt", "w") as cases:
    cases.write(CASES)
check_cases()
check_faults()
check_atomic_output()
harness.finish()
