#!/usr/bin/python3
# ===- check_artifact.py - .aikx files damaged by hand -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# Each file is sound but for one thing; where the damage lies in the metadata,
# its hash is made anew, so that the reader has to look.
# usage: check_artifact.py FOLDER
#
# ===----------------------------------------------------------------------===#

import hashlib
import struct
import sys

import harness

SAMPLE = harness.make_sample
META, HEADER, IMAGE, FUNCTION, VALUE = 64, 64, 64, 16, 280


class Artifact:
    """The bytes of a sample with two functions, and where things are."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.sections = struct.unpack_from("<Q", data, 40)[0]
        self.meta_size = struct.unpack_from("<Q", data, self.sections + 96)[0]
        counts = struct.unpack_from("<4I", data, META + 16)
        self.images = META + HEADER
        self.functions = self.images + IMAGE * counts[0]
        self.values = self.functions + FUNCTION * counts[1]
        self.strings = self.values + VALUE * counts[2]

    def put(self, at, layout, *values):
        struct.pack_into("<" + layout, self.data, at, *values)
        return self

    def hashed(self):
        self.data[META + 32:META + 64] = bytes(32)
        digest = hashlib.sha256(
            self.data[META:META + self.meta_size]).digest()
        self.data[META + 32:META + 64] = digest
        return bytes(self.data)


def dim(value, group, index):
    """Offset in a value: group 0 dims, 1 min, 2 max, 3 multiple_of."""
    return VALUE * value + 24 + 64 * group + 8 * index


# name, what to damage, whether the hash is made anew, code, status, sentence
ROWS = [
    # The container.
    ("empty", lambda a: b"", 0, "0501", 1, "not an artifact"),
    ("63 bytes", lambda a: a.data[:63], 0, "0501", 1, "63 bytes"),
    ("magic", lambda a: a.put(0, "B", 0), 0, "0501", 1, "ELF64"),
    ("32-bit ELF", lambda a: a.put(4, "B", 1), 0, "0501", 1, "ELF64"),
    ("big-endian ELF", lambda a: a.put(5, "B", 2), 0, "0501", 1, "ELF64"),
    ("a shared object", lambda a: a.put(16, "H", 3), 0, "0501", 1, "type 3"),
    ("an entry point", lambda a: a.put(24, "Q", 1), 0, "0501", 1, "header"),
    ("no sections", lambda a: a.put(60, "H", 0), 0, "0501", 1, "sections"),
    ("65535 sections", lambda a: a.put(60, "H", 65535), 0, "0501", 1,
     "65535 sections"),
    ("section table far away", lambda a: a.put(40, "Q", 1 << 63), 0, "0501", 1,
     "section table"),
    ("one byte short", lambda a: a.data[:-1], 0, "0501", 1, "truncated"),
    ("one byte long", lambda a: a.data + b"\0", 0, "0501", 1, "section table"),
    ("section offset", lambda a: a.put(a.sections + 64 + 24, "Q", 128), 0,
     "0501", 1, "out of order"),
    ("section size", lambda a: a.put(a.sections + 128 + 32, "Q", 1 << 62), 0,
     "0501", 1, "out of range"),
    ("section type", lambda a: a.put(a.sections + 64 + 4, "I", 8), 0, "0501",
     1, "wrong type"),
    ("section name", lambda a: a.put(a.sections + 64, "I", 0), 0, "0501", 1,
     "not named"),
    # The hashes.
    ("metadata without its hash", lambda a: a.put(a.strings + 1, "B", 0x41), 0,
     "0501", 1, "hash of its metadata"),
    ("another code", lambda a: a.put(a.sections - 200, "B", 0x41), 0, "0501",
     1, "hash of image"),
    ("another hash of code", lambda a: a.put(a.images + 32, "Q", 0), 1, "0501",
     1, "hash of image 0"),
    # The metadata.
    ("metadata magic", lambda a: a.put(META, "B", 0), 1, "0501", 1, "AIKXMETA"),
    ("format version 2", lambda a: a.put(META + 8, "I", 2), 1, "0502", 3,
     "format 2"),
    ("entry ABI 7", lambda a: a.put(META + 12, "I", 7), 1, "0502", 3,
     "entry ABI 7"),
    ("4 billion images", lambda a: a.put(META + 16, "I", 0xffffffff), 1,
     "0501", 1, "more than"),
    ("one function more", lambda a: a.put(META + 20, "I", 3), 1, "0501", 1,
     "tables"),
    ("no values", lambda a: a.put(META + 24, "I", 0), 1, "0501", 1, "tables"),
    ("huge names", lambda a: a.put(META + 28, "I", 1 << 20), 1, "0501", 1,
     "tables"),
    ("image kind", lambda a: a.put(a.images, "I", 77), 1, "0501", 1, "kind 77"),
    ("image arch", lambda a: a.put(a.images + 4, "I", 9), 1, "0501", 1,
     "architecture 9"),
    ("image features", lambda a: a.put(a.images + 8, "Q", 1 << 63), 1, "0501",
     1, "feature"),
    ("image size", lambda a: a.put(a.images + 16, "Q", 5), 1, "0501", 1,
     "5 bytes"),
    ("image name", lambda a: a.put(a.images + 24, "I", 1 << 30), 1, "0501", 1,
     "out of range"),
    ("function name", lambda a: a.put(a.functions, "I", 0), 1, "0501", 1,
     "characters"),
    ("two equal functions", lambda a: a.put(
        a.functions + FUNCTION, "I", struct.unpack_from(
            "<I", a.data, a.functions)[0]), 1, "0501", 1, "named"),
    ("argument count", lambda a: a.put(a.functions + 8, "I", 1 << 31), 1,
     "0501", 1, "arguments"),
    ("first value", lambda a: a.put(a.functions + 4, "I", 1), 1, "0501", 1,
     "out of order"),
    ("control byte in a name", lambda a: a.put(a.strings + 1, "B", 0x1b), 1,
     "0501", 1, "control character"),
    ("names not ended", lambda a: a.put(META + a.meta_size - 1, "B", 0x41), 1,
     "0501", 1, "NUL"),
    ("element type 0", lambda a: a.put(a.values + 4, "I", 0), 1, "0501", 1,
     "element type"),
    ("element type 99", lambda a: a.put(a.values + 4, "I", 99), 1, "0501", 1,
     "element type"),
    ("rank 9", lambda a: a.put(a.values + 8, "I", 9), 1, "0501", 1, "rank"),
    ("flag 8", lambda a: a.put(a.values + 12, "I", 8), 1, "0501", 1, "flag"),
    ("donated to result 5", lambda a: a.put(a.values + 12, "II", 2, 5), 1,
     "0501", 1, "donated"),
    ("reserved", lambda a: a.put(a.values + 20, "I", 1), 1, "0501", 1,
     "reserved"),
    ("dimension -2", lambda a: a.put(a.values + dim(0, 0, 0), "q", -2), 1,
     "0501", 1, "dimension"),
    ("dimension 2^62", lambda a: a.put(a.values + dim(0, 0, 0), "q", 1 << 62),
     1, "0501", 1, "too large"),
    ("min over max", lambda a: a.put(a.values + dim(0, 1, 0), "q", 5).put(
        a.values + dim(0, 2, 0), "q", 4), 1, "0501", 1, "fact"),
    ("multiple of 0", lambda a: a.put(a.values + dim(0, 3, 0), "q", 0), 1,
     "0501", 1, "fact"),
    ("a dimension beyond the rank", lambda a: a.put(
        a.values + dim(0, 0, 7), "q", 1), 1, "0501", 1, "beyond"),
]


def main():
    harness.fresh_folder(sys.argv[1])
    sound = SAMPLE.make(["add_one", "gather"])
    for what, damage, rehash, code, status, sentence in ROWS:
        artifact = Artifact(sound)
        damaged = damage(artifact)
        data = artifact.hashed() if rehash else bytes(
            damaged.data if isinstance(damaged, Artifact) else damaged)
        with open("bad.aikx", "wb") as file:
            file.write(data)
        for words in (["--list"], ["--function", "add_one", "--output",
                                   "y=@y.npy"]):
            harness.expect_error(f"{what} {words[0]}", ["bad.aikx", *words],
                                 "AIK-R" + code, status, sentence)
    with open("good.aikx", "wb") as file:
        file.write(Artifact(sound).hashed())
    rc, out, err = harness.aik_run("good.aikx", "--verify=ref")
    harness.check("the sample itself is sound", rc == 0, err)
    # Code that a function's name does not lead to.
    artifact = Artifact(sound)
    at = sound.index(b"gather\0", artifact.strings)
    artifact.put(at, "B", ord("G"))
    with open("bad.aikx", "wb") as file:
        file.write(artifact.hashed())
    harness.expect_error("a function without code",
                         ["bad.aikx", "--function", "add_one"], "AIK-R0501", 1,
                         "Gather")
    harness.finish()


main()
