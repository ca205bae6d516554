#!/usr/bin/python3
# ===- check_usage.py - Wrong command lines and their codes -----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# One row per wrong command line: words, code, exit status, part of the
# sentence. usage: check_usage.py FOLDER
#
# ===----------------------------------------------------------------------===#

import os
import sys

import harness

# Found wrong before any file is opened.
USAGE = [
    ("", "0105", "artifact to run is missing"),
    ("--nonsense", "0101", "`--nonsense`"),
    ("good.aikx --inptu x=zeros", "0101", "`--inptu`"),
    ("good.aikx -input x=zeros", "0101", "`-input`"),
    ("good.aikx --func matmul", "0101", "`--func`"),
    ("good.aikx -x", "0101", "`-x`"),
    ("good.aikx --function", "0102", "--function needs a value"),
    ("good.aikx -o", "0102", "-o needs a value"),
    ("good.aikx --list=yes", "0103", "--list takes no value"),
    ("good.aikx --bench=1", "0103", "--bench takes no value"),
    ("good.aikx --threads 0", "0104", "--threads does not take `0`"),
    ("good.aikx --threads two", "0104", "`two`"),
    ("good.aikx --bench --repeat 1", "0104", "--repeat"),
    ("good.aikx --bench --repeat 1e3", "0104", "`1e3`"),
    ("good.aikx --bench --warmup -1", "0104", "`-1`"),
    ("good.aikx --bench -o xml", "0104", "`xml`"),
    ("good.aikx --verify=numpy", "0104", "`numpy`"),
    ("good.aikx --verify=ref --rtol -1", "0104", "--rtol"),
    ("good.aikx --verify=ref --rtol nan", "0104", "`nan`"),
    ("good.aikx --seed 99999999999999999999", "0104", "--seed"),
    ("good.aikx --max-memory 4Q", "0104", "`4Q`"),
    ("good.aikx --max-memory 99999999T", "0104", "--max-memory"),
    ("good.aikx --function=", "0104", "--function"),
    ("- --list", "0104", "standard input"),
    ("good.aikx other.aikx", "0106", "`other.aikx`"),
    ("compare a.json", "0105", "two benchmark files"),
    ("compare a.json b.json c.json", "0106", "`c.json`"),
    ("good.aikx --list --list", "0107", "--list is given twice"),
    ("good.aikx --seed 1 --seed 2", "0107", "--seed is given twice"),
    ("good.aikx --bench --verify=ref", "0108", "--bench"),
    ("good.aikx --bench --guard", "0108", "--guard"),
    ("good.aikx --list --bench", "0108", "--list"),
    ("good.aikx --repeat 3", "0108", "--repeat needs --bench"),
    ("good.aikx --rtol 1", "0108", "--rtol needs --verify=ref"),
    ("good.aikx --first 2", "0108", "--first needs --cases"),
    ("good.aikx --cases c.txt --function f", "0108", "--cases"),
    ("good.aikx --device null --verify=ref", "0108",
     "--device null cannot be used with --verify"),
    ("good.aikx --device null --output y=@y.npy", "0108", "--output"),
    ("good.aikx --verify=ref --cases c.txt --device=null", "0108", "--verify"),
    ("good.aikx --cases c.txt --device=null", "0108", "--cases"),
    ("compare a.json b.json --bench", "0108", "compare"),
    ("good.aikx --input x", "0109", "`x`"),
    ("good.aikx --input =zeros", "0109", "`=zeros`"),
    ("good.aikx --input x=", "0109", "`x=`"),
    ("good.aikx --input x=noise", "0109", "`noise`"),
    ("good.aikx --input x=@", "0109", "`@`"),
    ("good.aikx --input x=random", "0109", "`random`"),
    ("good.aikx --input x=random:-1", "0109", "`random:-1`"),
    ("good.aikx --input x=random:1:2x", "0109", "`random:1:2x`"),
    ("good.aikx --input x=random:1:-2", "0109", "`random:1:-2`"),
    ("good.aikx --input x=random:1:1x1x1x1x1x1x1x1x1", "0109", "random"),
    ("good.aikx --input x=random:1:2:5..1", "0109", "5..1"),
    ("good.aikx --input x=random:1:2:0..1:3", "0109", ":3"),
    ("good.aikx --input x=zeros:0..1", "0109", "zeros:0..1"),
    ("good.aikx --input x=full:inf", "0109", "full:inf"),
    ("good.aikx --input x=zeros --input x=ones", "0111", "`x` twice"),
    ("good.aikx --output y=o.npy", "0110", "`y=o.npy`"),
    ("good.aikx --output y", "0110", "`y`"),
]

# Found wrong with the files at hand.
FILES = [
    ("absent.aikx", "0201", 4, "absent.aikx"),
    (". --list", "0201", 4, "."),
    ("text.aikx", "0501", 1, "not an artifact"),
    ("empty.aikx", "0501", 1, "not an artifact"),
    ("cut.aikx --list", "0501", 1, "damaged"),
    ("code.aikx --list", "0501", 1, "hash"),
    ("good.aikx", "0407", 2, "6 functions"),
    ("good.aikx --verify=ref --input x=zeros", "0407", 2, "--function"),
    ("good.aikx --function nosuch", "0401", 1, "`nosuch`"),
    ("good.aikx --function add_one --input z=zeros", "0402", 1, "`z`"),
    ("good.aikx --function add_one --output z=@z.npy", "0403", 1, "`z`"),
    ("good.aikx --function add_one --output x=@z.npy", "0403", 1, "`x`"),
    ("good.aikx --function add_one --input x=zeros:2x2", "0405", 1, "2x2"),
    ("good.aikx --function affine --input w=zeros:8x5", "0406", 1, "`w`"),
    ("good.aikx --function affine --input x=zeros:3x9", "0504", 1, "8 columns"),
    ("good.aikx --function matmul --input a=zeros:2x3 --input b=zeros:4x2",
     "0504", 1, "rows of b"),
    ("facts.aikx --input x=zeros:4", "0406", 1, "at least 6"),
    ("facts.aikx --input x=zeros:24", "0406", 1, "at most 20"),
    ("facts.aikx --input x=zeros:10", "0406", 1, "multiple of 4"),
    ("good.aikx --function gather --input ids=full:1.5:2", "0409", 1, "i32"),
    ("good.aikx --function gather --input ids=random:1:2:0..3000000000",
     "0409", 1, "i32"),
    ("good.aikx --function gather --input ids=full:99:2", "0504", 1,
     "id is out of range"),
    ("good.aikx --function gather --input ids=full:-1:2", "0504", 1, "ERANGE"),
    ("good.aikx --function add_one --input x=@absent.npy", "0201", 4,
     "absent.npy"),
    ("good.aikx --function add_one --input x=@.", "0201", 4, "directory"),
    ("good.aikx --function add_one --input x=@fifo", "0201", 4, "regular"),
    ("good.aikx --function add_one --output y=@no/such/o.npy", "0202", 4,
     "no/such"),
    ("good.aikx --function add_one --output y=@folder", "0202", 4, "directory"),
    ("good.aikx --function add_one --input x=zeros:1000000 --max-memory 1M",
     "0203", 5, "memory limit"),
    ("huge.aikx", "0203", 5, "memory limit"),
    ("good.aikx --function add_one --input x=zeros:9223372036854775807",
     "0203", 5, "9223372036854775807"),
    ("picky.aikx", "0408", 1, "this shape will not do"),
    ("fails.aikx", "0504", 1, "the cache is full"),
    ("fails.aikx --verify=ref", "0504", 1, "the cache is full"),
    ("noref.aikx --verify=ref", "0505", 3, "no reference"),
    ("noref.aikx --isa reference", "0505", 3, "no reference"),
    ("nohost.aikx", "0502", 3, "no image fits"),
    ("good.aikx --function add_one --isa cpu:z80", "0506", 3, "cpu:z80"),
    ("good.aikx --function add_one --isa FOREIGN", "0502", 3, "cannot run"),
    ("good.aikx --function add_one --device nvidia:999", "0503", 3, "nvidia"),
    ("good.aikx --function add_one --device amd:0", "0503", 3, "amd:0"),
    ("good.aikx --function add_one --device toaster", "0104", 2, "toaster"),
    ("good.aikx --cases absent.txt", "0201", 4, "absent.txt"),
    ("compare absent.json absent.json", "0201", 4, "absent.json"),
    ("compare text.aikx text.aikx", "0701", 1, "not JSON"),
    ("compare empty.json empty.json", "0701", 1, "not a benchmark"),
]


def main():
    harness.fresh_folder(sys.argv[1])
    good = list(harness.make_sample.GOOD)
    harness.sample("good.aikx", good)
    harness.sample("noref.aikx", ["add_one"], reference=False)
    harness.sample("nohost.aikx", ["add_one"], reference=False, host=False)
    for name, function in (("facts", "copy_facts"), ("huge", "copy_huge"),
                           ("picky", "picky"), ("fails", "fails")):
        harness.sample(name + ".aikx", [function])
    with open("good.aikx", "rb") as file:
        whole = file.read()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for name, data in (("text.aikx", b"hello\n"), ("empty.aikx", b""),
                       ("cut.aikx", whole[:-100]), ("code.aikx", damaged),
                       ("empty.json", b"{}")):
        with open(name, "wb") as file:
            file.write(data)
    os.mkfifo("fifo")
    os.mkdir("folder")
    # The sample's image for the other architecture.
    foreign = "cpu:x86-64" if b"cpu:aarch64\0" in whole[:whole.find(
        b"cpu:x86-64\0")] else "cpu:aarch64"

    for words, code, sentence in USAGE:
        harness.expect_error(f"[{words}]", words.split(), "AIK-R" + code, 2,
                             sentence)
    for words, code, status, sentence in FILES:
        words = words.replace("FOREIGN", foreign)
        harness.expect_error(f"[{words}]", words.split(),
                             "AIK-R" + code, status, sentence)
    rc, out, err = harness.aik_run("good.aikx", "--input", "x\x1b[31m")
    harness.check("control bytes are escaped",
                  rc == 2 and "\x1b" not in err and "\\x1b" in err, err)
    for word in ("--help", "-h"):
        rc, out, err = harness.aik_run(word)
        harness.check(word, rc == 0 and "usage: aik-run" in out and not err
                      and max(map(len, out.splitlines())) <= 81)
    rc, out, err = harness.aik_run("--version")
    harness.check("--version", rc == 0 and out.startswith("aik-run "))
    harness.finish()


main()
