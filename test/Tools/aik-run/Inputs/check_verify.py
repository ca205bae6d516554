#!/usr/bin/python3
# ===- check_verify.py - --verify=ref, --guard and --donate -------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# Right functions pass; each kind of wrong function is named as such.
# usage: check_verify.py FOLDER
#
# ===----------------------------------------------------------------------===#

import re
import sys

import numpy

import harness
from harness import aik_run, check, expect_error


def check_right_functions():
    for more in ([], ["--guard"], ["--guard", "--threads", "1"],
                 ["--seed", "5"]):
        rc, out, err = aik_run("good.aikx", "--verify=ref", *more)
        lines = out.splitlines()
        check(f"all functions pass {more}", rc == 0 and not err
              and lines[-1] == "6 passed, 0 failed"
              and sum(": ok: " in line for line in lines) == 6, out + err)
    check("an error is measured", re.search(
        r"^matmul: ok: 289 elements, values up to \S+, max abs error "
        r"[1-9]\S+, max \d+ ulp at "
        r"c\[\d+, \d+\]$", out, re.M), out)
    check("a shared dimension is found", "affine: ok: 32 elements" in out, out)
    check("zeros that are refused become ones",
          "divide: ok: 17 elements" in out, out)
    rc, plain, err = aik_run("good.aikx", "--function", "divide",
                             "--input", "x=full:6:2")
    check("ones, not something else", "min 6, mean 6, max 6" in plain, plain)
    check("written arguments are compared",
          "bump: ok: 4 elements" in out, out)
    rc, out, err = aik_run("good.aikx", "--verify=ref", "--function", "matmul",
                           "--input", "a=random:1:3x5",
                           "--input", "b=random:2:5x2")
    check("given shapes", rc == 0 and "matmul: ok: 6 elements" in out, out)
    rc, out, err = aik_run("good.aikx", "--verify=ref", "--function", "add_one",
                           "--input", "x=full:-1:4")
    check("a result of zeros is remarked upon",
          rc == 0 and "proves little" in out, out)
    rc, out, err = aik_run("good.aikx", "--verify=ref", "--function", "add_one",
                           "--input", "x=zeros:0")
    check("empty tensors", rc == 0 and "0 elements" in out, out + err)


def check_wrong_functions():
    expect_error("a wrong element", ["bad.aikx", "--verify=ref", "--function",
                                     "wrong", "--input", "x=arange:6"],
                 "AIK-R0601", 6,
                 "wrong: y[3] is 4.5 and the reference says 4; ")
    expect_error("a NaN", ["bad.aikx", "--verify=ref", "--function", "wrong",
                           "--input", "x=full:-2e30:6", "--rtol", "0.5"],
                 "AIK-R0601", 6, "wrong: y[3] is nan and the reference says "
                 "-2.00000003e+30; no tolerance covers what is not finite; 1 of 6 ")
    rc, out, err = aik_run("bad.aikx", "--verify=ref", "--function", "wrong")
    check("the same without inputs", rc == 6 and "AIK-R0601" in err
          and "0 passed, 1 failed" in out, out + err)
    rc, out, err = aik_run("bad.aikx", "--verify=ref", "--function", "wrong",
                           "--atol", "0.6")
    check("--atol", rc == 0 and "1 passed, 0 failed" in out, out + err)
    rc, out, err = aik_run("bad.aikx", "--verify=ref", "--function", "wrong",
                           "--input", "x=full:99:5", "--rtol", "0.006",
                           "--scale-rtol", "0")
    check("--rtol", rc == 0, out + err)
    rc, out, err = aik_run("bad.aikx", "--verify=ref", "--function", "wrong",
                           "--input", "x=full:99:5", "--rtol", "0.004",
                           "--scale-rtol", "0")
    check("--rtol too small", rc == 6, out + err)
    expect_error("an element that neither image writes",
                 ["bad.aikx", "--verify=ref", "--function", "forgets",
                  "--input", "x=zeros:4"], "AIK-R0601", 6, "forgets: y[3] is ")
    rc, out, err = aik_run("mixed.aikx", "--verify=ref")
    check("the others are still verified", rc == 6 and "add_one: ok" in out
          and "1 passed, 1 failed" in out, out + err)


def check_guard():
    for function, code, sentence in (
            ("overrun", "AIK-R0604", "past the end of `x`"),
            ("underrun", "AIK-R0602", "begins 4 bytes before `y`"),
            ("scribble", "AIK-R0603", "wrote to `x`")):
        for size in (1, 16, 17, 1024, 5000):
            words = ["bad.aikx", "--function", function, "--input",
                     f"x=random:1:{size}", "--output", "y=@y.npy"]
            expect_error(f"{function} of {size} elements", words + ["--guard"],
                         code, 6, sentence)
    rc, out, err = aik_run("bad.aikx", "--function", "scribble")
    check("without --guard nobody looks", rc == 0, err)


def check_donation():
    numpy.save("x.npy", numpy.float32([1, 2, 3]))
    for more in ([], ["--donate"], ["--donate", "--guard"]):
        rc, out, err = aik_run("donated.aikx", "--input", "x=@x.npy",
                               "--output", "y=@y.npy", *more)
        check(f"donated argument {more}", rc == 0 and
              numpy.load("y.npy").tolist() == [1, 2, 3], out + err)
    rc, out, err = aik_run("donated.aikx", "--verify=ref", "--donate")
    check("verified in place", rc == 0 and "1 passed" in out, out + err)
    numpy.save("s.npy", numpy.int32([5, 6, 7, 8]))
    rc, out, err = aik_run("good.aikx", "--function", "bump",
                           "--input", "state=@s.npy",
                           "--output", "state=@t.npy")
    check("a written argument is saved", rc == 0 and
          numpy.load("t.npy").tolist() == [6, 7, 8, 9], out + err)


def check_weights():
    """Glorot's bound for 40 x 56 is sqrt(6 / 96) = 0.25."""
    def drawn(*words):
        rc, out, err = aik_run("weights.aikx", "--output", "y=@y.npy", *words)
        check(f"weights {words}", rc == 0, err)
        return numpy.abs(numpy.load("y.npy"))
    check("weights are scaled", 0.24 < drawn().max() <= 0.25)
    check("weights are spread", 0.11 < drawn("--seed", "2").mean() < 0.14)
    check("unless the user says otherwise",
          0.97 < drawn("--input", "x=random:1").max() <= 1)


harness.fresh_folder(sys.argv[1])
harness.sample("good.aikx", list(harness.make_sample.GOOD))
harness.sample("bad.aikx", list(harness.make_sample.BAD))
harness.sample("mixed.aikx", ["wrong", "add_one"])
harness.sample("donated.aikx", ["copy_donated"])
harness.sample("weights.aikx", ["copy_weights"])
check_right_functions()
check_weights()
check_wrong_functions()
check_guard()
check_donation()
harness.finish()
