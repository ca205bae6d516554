#!/usr/bin/python3
#===- check_hostile.py - Right and wrong sizes for hostile.mlir -------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_hostile.py ARTIFACT
#
# Every buffer ends at an unmapped page. A right call succeeds; a wrong one
# comes back with the error and the sentence that the table names, in the image
# that the runtime takes and in the reference, with one thread and with two.
# The last line is `N passed, N failed`.
#
#===----------------------------------------------------------------------===#

import re
import subprocess
import sys

import numpy as np


def number(value):
    """A file with a number that has no exact double."""
    name = f"{value}.npy".replace("-", "minus")
    np.save(name, np.array(value, np.int64))
    return name


#: function, inputs as `aik-run --cases` takes them, and either None or a part
#: of the sentence.
CASES = [
    ("extract", "arange:3x8,full:2:scalar,full:7:scalar", None),
    ("extract", "arange:3x8,full:3:scalar,full:7:scalar", "index 0"),
    ("extract", "arange:3x8,full:-1:scalar,full:7:scalar", "index 0"),
    ("extract", "arange:3x8,full:2:scalar,full:8:scalar", "index 1"),
    ("extract", f"arange:3x8,{number(2 ** 62)},full:0:scalar", "index 0"),
    ("extract", "arange:0x8,full:0:scalar,full:0:scalar", "index 0"),
    ("insert", "arange:3,full:2:scalar", None),
    ("insert", "arange:3,full:3:scalar", "tensor.insert: index 0"),
    ("insert", "arange:3,full:-1:scalar", "tensor.insert: index 0"),
    ("cast", "arange:8", None),
    ("cast", "arange:7", "tensor.cast: dimension 0 is not 8"),
    ("cast", "arange:0", "tensor.cast: dimension 0 is not 8"),
    ("extract_slice", "arange:9,full:5:scalar", None),
    ("extract_slice", "arange:9,full:6:scalar", "out of dimension 0"),
    ("extract_slice", "arange:9,full:-1:scalar", "out of dimension 0"),
    ("extract_slice", f"arange:9,{number(2 ** 63 - 2)}",
     "out of dimension 0"),
    ("strided_slice", "arange:10,full:0:scalar,full:3:scalar", None),
    ("strided_slice", "arange:9,full:0:scalar,full:3:scalar",
     "out of dimension 0"),
    ("strided_slice", "arange:9,full:8:scalar,full:0:scalar",
     "out of dimension 0"),
    ("strided_slice", "arange:9,full:8:scalar,full:-1:scalar",
     "out of dimension 0"),
    ("strided_slice", f"arange:9,full:0:scalar,{number(2 ** 62)}",
     "out of dimension 0"),
    ("insert_slice", "arange:3,arange:8,full:5:scalar", None),
    ("insert_slice", "arange:0,arange:8,full:8:scalar", None),
    ("insert_slice", "arange:3,arange:8,full:6:scalar", "out of dimension 0"),
    ("insert_slice", "arange:3,arange:8,full:-1:scalar", "out of dimension 0"),
    ("insert_slice", "arange:9,arange:8,full:0:scalar", "out of dimension 0"),
    ("insert_other_size", "arange:3,arange:8,full:3:scalar", None),
    ("insert_other_size", "arange:3,arange:8,full:4:scalar",
     "differs from the slice's size"),
    ("gather", "arange:5x4,full:4:9", None),
    ("gather", "arange:5x4,full:5:9", "tensor.extract: index 0"),
    ("gather", "arange:5x4,full:-1:900", "tensor.extract: index 0"),
    ("gather", "arange:5x4,full:2000000000:1", "tensor.extract: index 0"),
    ("gather", "arange:0x4,full:0:3", "tensor.extract: index 0"),
    ("gather", "arange:0x4,full:0:0", None),
    ("forall", "arange:9,arange:9", None),
    ("forall", "arange:8,arange:900", "out of dimension 0"),
    ("loop", "arange:9,arange:9", None),
    ("loop", "arange:8,arange:9", "tensor.extract: index 0"),
    ("loop", "arange:1,arange:90000", "tensor.extract: index 0"),
    ("step", "arange:9,full:2:scalar", None),
    ("step", "arange:9,full:0:scalar", "the step is not positive"),
    ("step", "arange:9,full:-1:scalar", "the step is not positive"),
    ("step", f"arange:9,{number(2 ** 63 - 5)}", None),
    ("conv", "arange:1x9x3,arange:3x3x2,zeros:1x4x2", None),
    ("conv", "arange:1x8x3,arange:3x3x2,zeros:1x4x2", "is too small"),
    ("conv", "arange:1x0x3,arange:3x3x2,zeros:1x4x2", "is too small"),
    ("conv", "arange:1x0x3,arange:3x3x2,zeros:1x0x2", None),
    ("reversed", "arange:8,zeros:8", None),
    ("reversed", "arange:9,zeros:3", None),
    ("reversed", "arange:8,zeros:9", "is too small"),
    ("reversed", "arange:7,zeros:8", "is too small"),
    ("fourth", "arange:4,zeros:9", None),
    ("fourth", "arange:3,zeros:0", None),
    ("fourth", "arange:3,zeros:9", "is too small"),
    ("expand", "arange:12,full:3:scalar", None),
    ("expand", "arange:12,full:4:scalar", "do not multiply"),
    ("expand", "arange:13,full:3:scalar", "do not multiply"),
    ("expand", f"arange:12,{number(2 ** 62 + 3)}", "do not multiply"),
    ("pad", "arange:9", None),
    ("pad", "arange:16", None),
    ("pad", "arange:17", "the padding of dimension 0 is negative"),
    ("empty", "arange:9", None),
    ("empty", "arange:8", None),
    ("empty", "arange:7", "a size is negative"),
    ("outer", "zeros:9x0,zeros:9x0", None),
    ("outer", "zeros:16777216x0,zeros:16777216x0", "more than 2^48 bytes"),
    ("outer", f"zeros:{2 ** 33}x0,zeros:{2 ** 33}x0", "more than 2^48 bytes"),
    ("outer", f"zeros:{2 ** 40}x0,zeros:{2 ** 22}x0", "more than 2^48 bytes"),
    ("load", "arange:3x4,full:2:scalar,full:3:scalar", None),
    ("load", "arange:3x4,full:3:scalar,full:0:scalar", "memref.load: index 0"),
    ("load", "arange:3x4,full:0:scalar,full:-1:scalar", "memref.load: index 1"),
    ("store", "arange:3,full:2:scalar", None),
    ("store", "arange:3,full:3:scalar", "memref.store: index 0"),
    ("store", f"arange:3,{number(-2 ** 62)}", "memref.store: index 0"),
    ("copy", "arange:3,arange:3", None),
    ("copy", "arange:3,arange:2", "differs from the target's"),
    ("subview", "arange:9,full:4:scalar,full:5:scalar", None),
    ("subview", "arange:9,full:9:scalar,full:0:scalar", None),
    ("subview", "arange:9,full:5:scalar,full:5:scalar", "out of dimension 0"),
    ("subview", "arange:9,full:5:scalar,full:-1:scalar", "out of dimension 0"),
    ("map", "arange:9,arange:9", None),
    ("map", "arange:9,arange:8", "differs from dimension 0"),
    ("divide", "full:7:scalar,full:2:scalar", None),
    ("divide", "full:7:scalar,full:0:scalar", "the divisor is 0"),
    ("divide", f"{number(-2 ** 63)},full:-1:scalar", None),
    ("divide_all", "full:7:33,zeros:33", None),
    ("divide_all", f"full:{-2 ** 31}:33,full:-1:33", None),
    ("float_index", "arange:9,full:8:scalar", None),
    ("float_index", "arange:9,full:9:scalar", "tensor.extract: index 0"),
    ("float_index", "arange:9,full:-1:scalar", "tensor.extract: index 0"),
    ("float_index", "arange:9,full:1e30:scalar", "tensor.extract: index 0"),
    ("float_index", "arange:9,full:-1e30:scalar", "tensor.extract: index 0"),
    ("divided", "arange:9,arange:2", None),
    ("divided", "arange:9,arange:0", "the divisor is 0"),
    ("scratch", "full:9:scalar,full:8:scalar", None),
    ("scratch", "full:9:scalar,full:9:scalar", "memref.load: index 0"),
    ("scratch", "full:0:scalar,full:0:scalar", "memref.load: index 0"),
    ("scratch", "full:-1:scalar,full:0:scalar", "a size is negative"),
    ("pinned", "full:9:scalar,full:3:scalar,full:8:scalar", None),
    ("pinned", "full:9:scalar,full:3:scalar,full:9:scalar",
     "memref.load: index 0"),
    ("pinned", "full:0:scalar,full:3:scalar,full:0:scalar",
     "memref.load: index 0"),
    ("pinned", "full:-5:scalar,full:3:scalar,full:100000000:scalar",
     "alloc_pinned: a size is negative"),
    ("pinned", f"{number(2 ** 31)},{number(2 ** 32)},full:0:scalar",
     "alloc_pinned: the memory is too large"),
    ("pinned", f"{number(2 ** 40)},full:1024:scalar,full:0:scalar",
     "alloc_pinned: the memory is too large"),
    ("affine", "arange:9,full:6:scalar", None),
    ("affine", "arange:9,full:7:scalar", "memref.store: index 0"),
    ("affine", "arange:9,full:-7:scalar", None),
    ("concat", "arange:3x4,arange:3x4", None),
    ("concat", "arange:3x4,arange:3x5", "tensor.concat"),
    ("concat", "arange:3x5,arange:3x4", "tensor.concat"),
    ("assert", "arange:3", None),
    ("assert", "arange:4", "there are not 3"),
]

RESULTS = {"extract": 1, "insert": 1, "divide_all": 2, "store": 0, "copy": 0,
           "subview": 0, "map": 0, "affine": 0}


def run(artifact, options):
    """The answer to each case."""
    lines = "".join(
        f"{function} {inputs} -> {','.join('-' * RESULTS.get(function, 1))}\n"
        for function, inputs, _ in CASES)
    done = subprocess.run(["aik-run", artifact, "--cases", "-", "--guard",
                           *options], input=lines, text=True,
                          capture_output=True)
    answers = {}
    for line in done.stdout.splitlines():
        found = re.match(r"(\d+) ((ok|error) .*)", line)
        if found:
            answers[int(found[1])] = found[2]
    if len(answers) != len(CASES):
        print(done.stdout[-300:], done.stderr[-300:], done.returncode)
    first = min(answers, default=0)
    return [answers.get(first + i, "nothing") for i in range(len(CASES))]


def check_division(artifact):
    """What has no quotient has the one that the language pages promise."""
    low = -2 ** 31
    a = np.array([7, -7, low, low, 5, 0, 9], np.int32)
    b = np.array([0, 0, -1, 0, -1, 0, 2], np.int32)
    np.save("a.npy", a)
    np.save("b.npy", b)
    subprocess.run(["aik-run", artifact, "--function", "divide_all", "--input",
                    "arg0=@a.npy", "--input", "arg1=@b.npy", "--output",
                    "result0=@q.npy", "--output", "result1=@r.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    return (np.load("q.npy").tolist() == [0, 0, low, 0, -5, 0, 4] and
            np.load("r.npy").tolist() == [7, -7, 0, low, 0, 0, 1])


def main():
    artifact = sys.argv[1]
    passed = failed = 0
    for options in (["--threads", "1"], ["--threads", "2"],
                    ["--isa", "reference"]):
        for (function, inputs, wanted), answer in zip(CASES,
                                                      run(artifact, options)):
            right = answer.startswith("ok") if wanted is None else \
                answer.startswith("error") and wanted in answer
            passed += right
            failed += not right
            if not right:
                print(f"FAIL {' '.join(options)} {function} {inputs}: {answer}"
                      f"; wanted {wanted or 'ok'}")
    right = check_division(artifact)
    passed += right
    failed += not right
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
