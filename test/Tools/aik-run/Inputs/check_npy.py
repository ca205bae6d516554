#!/usr/bin/python3
# ===- check_npy.py - .npy files by hand, wrong and right -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# usage: check_npy.py FOLDER
#
# ===----------------------------------------------------------------------===#

import os
import resource
import struct
import sys

import numpy

import harness

GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"


def npy(header=GOOD, data=bytes(12), version=1, minor=0, length=None,
        magic=b"\x93NUMPY"):
    text = header.encode() + b"\n"
    length = len(text) if length is None else length
    size = struct.pack("<H" if version == 1 else "<I", length)
    return magic + bytes([version, minor]) + size + text + data


def replaced(old, new):
    return npy(GOOD.replace(old, new))


MALFORMED = [
    ("empty", b"", "0301", 1),
    ("text", b"1 2 3\n", "0301", 1),
    ("magic", npy(magic=b"\x93NUMPX"), "0301", 1),
    ("only magic", b"\x93NUMPY", "0301", 1),
    ("version 0", npy(version=0), "0302", 3),
    ("version 4", npy(version=4), "0302", 3),
    ("version 1.1", npy(minor=1), "0302", 3),
    ("cut in the length", npy(version=2)[:11], "0303", 1),
    ("length past the end", npy(length=60000), "0303", 1),
    ("length of 4 GiB", npy(version=2, length=0xffffffff), "0303", 1),
    ("header too long", npy(GOOD + " " * 70000, version=2), "0303", 1),
    ("no header", npy(header="", length=0), "0304", 1),
    ("no dictionary", npy("[1, 2]"), "0304", 1),
    ("not closed", npy(GOOD[:-1]), "0304", 1),
    ("text after }", npy(GOOD + " x"), "0304", 1),
    ("unknown key", npy(GOOD[:-1] + "'x': 1}"), "0304", 1),
    ("key twice", npy(GOOD[:-1] + "'shape': (3,)}"), "0304", 1),
    ("no shape", npy("{'descr': '<f4', 'fortran_order': False}"), "0304", 1),
    ("no descr", npy("{'fortran_order': False, 'shape': (3,)}"), "0304", 1),
    ("no order", npy("{'descr': '<f4', 'shape': (3,)}"), "0304", 1),
    ("order 1", replaced("False", "1"), "0304", 1),
    ("shape a list", replaced("(3,)", "[3]"), "0304", 1),
    ("shape a number", replaced("(3,)", "(3)"), "0304", 1),
    ("shape negative", replaced("(3,)", "(-3,)"), "0304", 1),
    ("shape of names", replaced("(3,)", "(n,)"), "0304", 1),
    ("shape not closed", replaced("(3,), }", "(3,"), "0304", 1),
    ("big-endian", replaced("<f4", ">f4"), "0305", 3),
    ("objects", replaced("<f4", "|O"), "0305", 3),
    ("strings", replaced("<f4", "<U4"), "0305", 3),
    ("complex", replaced("<f4", "<c8"), "0305", 3),
    ("records", replaced("'<f4'", "[('a', '<f4')]"), "0305", 3),
    ("f16 bytes", replaced("<f4", "<f16"), "0305", 3),
    ("nine dimensions", replaced("(3,)", "(1,1,1,1,1,1,1,1,3)"), "0306", 3),
    ("huge dimension", replaced("(3,)", "(99999999999999999999,)"), "0307", 1),
    ("overflow", replaced("(3,)", "(4294967296, 4294967296)"), "0307", 1),
    ("overflow behind a zero",
     npy(GOOD.replace("(3,)", "(0, 4294967296, 4294967296)"), b""), "0307", 1),
    ("data too short", npy(data=bytes(11)), "0308", 1),
    ("data too long", npy(data=bytes(13)), "0308", 1),
    ("no data", npy(data=b""), "0308", 1),
    ("terabytes declared", replaced("(3,)", "(1099511627776,)"), "0308", 1),
    ("another type", npy(GOOD.replace("f4", "i4")), "0404", 1),
    ("another rank", npy(GOOD.replace("(3,)", "(1, 3)")), "0405", 1),
]


def check_malformed():
    for what, data, code, status in MALFORMED:
        with open("bad.npy", "wb") as file:
            file.write(data)
        harness.expect_error(what, ["copy.aikx", "--function", "copy_f32",
                                    "--input", "x=@bad.npy", "--output",
                                    "y=@o.npy"], "AIK-R" + code, status)


def round_trip(what, function, array, expected=None):
    numpy.save("in.npy", array)
    rc, _, err = harness.aik_run("copy.aikx", "--function", function,
                                 "--input", "x=@in.npy",
                                 "--output", "y=@out.npy")
    if rc:
        harness.check(what, False, err)
        return
    out = numpy.load("out.npy")
    expected = array if expected is None else expected
    harness.check(what, out.dtype == expected.dtype
                  and out.shape == expected.shape
                  and out.tobytes() == expected.tobytes(order="C"),
                  f"{out} {expected}")


def check_round_trips():
    bits = numpy.random.default_rng(1).integers(0, 256, 64, numpy.uint8)
    for name, dtype in (("f32", "<f4"), ("f64", "<f8"), ("f16", "<f2"),
                        ("bf16", "<u2"), ("f8e4m3fn", "u1"),
                        ("f8e5m2", "u1"), ("i8", "i1"), ("u8", "u1"),
                        ("i16", "<i2"), ("i32", "<i4"), ("i64", "<i8")):
        round_trip(name, "copy_" + name, bits.view(dtype))
    round_trip("bool", "copy_bool", bits % 2 == 1)
    round_trip("empty", "copy_f32", numpy.zeros(0, numpy.float32))
    round_trip("scalar", "copy_scalar", numpy.float32(2.5))
    cube = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
    round_trip("cube", "copy_cube", cube)
    round_trip("columns first", "copy_cube", numpy.asfortranarray(cube), cube)
    round_trip("columns first, a zero", "copy_cube",
               numpy.asfortranarray(cube[:, :0]), cube[:, :0])
    for version in (2, 3):
        with open("v.npy", "wb") as file:
            file.write(npy(version=version,
                           data=numpy.float32([1, 2, 3]).tobytes()))
        rc, _, err = harness.aik_run("copy.aikx", "--function", "copy_f32",
                                     "--input", "x=@v.npy",
                                     "--output", "y=@out.npy")
        harness.check(f"version {version}", rc == 0 and
                      numpy.load("out.npy").tolist() == [1, 2, 3], err)


def made(function, spec):
    rc, _, err = harness.aik_run("copy.aikx", "--function", function,
                                 "--input", "x=" + spec,
                                 "--output", "y=@out.npy")
    if rc:
        print(err)
        return None
    return numpy.load("out.npy")


def check_made_up():
    check = harness.check
    floats = made("copy_f32", "random:7:10000")
    check("random floats", floats is not None and floats.min() >= -1
          and floats.max() < 1 and abs(floats.mean()) < 0.03
          and abs(floats.std() - 3 ** -0.5) < 0.02)
    again = made("copy_f32", "random:7:10000")
    check("random is repeatable", (floats == again).all())
    other = made("copy_f32", "random:8:10000")
    check("another seed differs", (floats != other).mean() > 0.99)
    ints = made("copy_i32", "random:1:1000:3..5")
    check("random integers", set(ints.tolist()) == {3, 4, 5})
    check("a range without a shape",
          set(made("copy_i64", "random:1::-1..0").tolist()) == {-1, 0})
    check("i8 takes its whole range",
          len(set(made("copy_i8", "random:1:5000").tolist())) == 256)
    check("zeros", not made("copy_f64", "zeros:5").any())
    check("ones", made("copy_i32", "ones:5").tolist() == [1] * 5)
    check("ones in f16", made("copy_f16", "ones:2").tolist() == [1, 1])
    check("ones in bf16", made("copy_bf16", "ones:2").tolist() == [0x3f80] * 2)
    check("full in f8E4M3FN",
          made("copy_f8e4m3fn", "full:-1.5:2").tolist() == [0xbc] * 2)
    check("full in f8E5M2",
          made("copy_f8e5m2", "full:2:1").tolist() == [0x40])
    check("arange", made("copy_cube", "arange:2x1x3").ravel().tolist() ==
          list(range(6)))
    check("the default dimension", made("copy_f32", "zeros").shape == (17,))
    check("facts choose the dimension",
          made("copy_facts", "zeros").shape == (8,))
    # Rounding to nearest even, against numpy's own conversion.
    halves = made("copy_f16", "random:5:4000:-70000..70000")
    wide = made("copy_f64", "random:5:4000:-70000..70000")
    with numpy.errstate(over="ignore"):
        check("rounding to f16", (halves == wide.astype(numpy.float16)).all())
    tiny = made("copy_f16", "random:5:4000:-0.0001..0.0001")
    wide = made("copy_f64", "random:5:4000:-0.0001..0.0001")
    check("rounding to f16 subnormals",
          (tiny == wide.astype(numpy.float16)).all())


def check_full_disk():
    """A limit on the size of files stands in for a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, before[1]))
    harness.expect_error("no space", ["copy.aikx", "--function", "copy_f32",
                                      "--input", "x=zeros:100000", "--output",
                                      "y=@full.npy"], "AIK-R0202", 4,
                         "File too large")
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


harness.fresh_folder(sys.argv[1])
harness.sample("copy.aikx", list(harness.make_sample.COPIES))
check_malformed()
check_round_trips()
check_made_up()
check_full_disk()
os.remove("bad.npy")
harness.finish()
