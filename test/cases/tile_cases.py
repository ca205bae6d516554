#===- tile_cases.py - Products that programs of tiles compute ------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Matrices of 16-bit and 8-bit elements whose rows are multiples of 16 bytes: few rows,
# which change places with the columns on GPUs, sums long enough to be split, and
# sizes just beside those of tiles, in all layouts and with epilogues, and more
# tiles than a GPU has processors. Their ids, and those of attention that tiles
# compute, say `tile`: gpu_check.sh runs all.
#
#===----------------------------------------------------------------------===#

from cases.chain_cases import residual
from cases.linear_cases import linear, matmul
from cases.quant_cases import int8

TYPES = [("bf16", "bf16", "bf16"), ("bf16", "bf16", "f32"),
         ("f16", "f16", "f16"), ("f16", "f16", "f32")]
EIGHT = [("f8E4M3FN", "f8E4M3FN", "bf16"), ("f8E5M2", "f8E5M2", "f16"),
         ("f8E4M3FN", "f8E4M3FN", "f32")]
LAYOUTS = ["", "a", "b", "ab"]
FEW = [(10, 264, 40), (16, 512, 128), (24, 200, 136), (30, 136, 72),
       (32, 1024, 64)]                                  # M, K, N
LONG = [(16, 4096, 64), (64, 4096, 64), (72, 2048, 72), (40, 3000, 48)]
#: More tiles than processors, in which sums wait for the next one's products:
#: all of them in tiles of 192 columns, or half of 256.
KEPT_ALL, KEPT_HALF = (2312, 1288, 2056), (2560, 1288, 2568)
BESIDE = [(40, 72, 136), (72, 136, 264), (136, 64, 72), (264, 200, 48),
          (200, 264, 136)]


def _rows(shape, flags):
    """Rows of 16 bytes where the operands are transposed."""
    m, k, n = shape
    return (m + -m % 8 if "a" in flags else m, k, n)


def _kept():
    for shape in KEPT_ALL, KEPT_HALF:
        m, k, n = shape
        yield matmul(TYPES[0], shape, flags="b", tag="tile")
        yield matmul(TYPES[2], shape, dynamic="M", flags="b", tag="tile")
        yield linear(TYPES[0], (m,), k, n, activation="relu", transpose=True,
                     tag="tile")
        yield linear(TYPES[2], (m,), k, n, "bounded", activation="gelu",
                     transpose=True, tag="tile", weight=True)


def cases():
    seen = set()
    for types in TYPES:
        for flags in LAYOUTS:
            for shape in FEW + LONG + BESIDE:
                key = types, _rows(shape, flags), flags
                if key in seen:
                    continue
                seen.add(key)
                yield matmul(*key[:2], flags=flags, tag="tile")
        for shape in FEW[1:3] + LONG[:2] + BESIDE[1:3]:
            yield matmul(types, shape, "bounded", flags="b", tag="tile")
        yield matmul(types, (72, 512, 136), dynamic="M", flags="b", tag="tile")
    yield from _kept()
    for types in EIGHT:
        for shape in ((64, 512, 64), (72, 272, 144), (200, 256, 136),
                      (136, 2048, 64)):
            yield matmul(types, shape, flags="b", tag="tile")
    for m, k, n in ((64, 512, 64), (72, 272, 144), (200, 256, 136)):
        for result in ("f32", "bf16"):
            yield int8(m, k, n, dynamic=False, rows=True, columns=True,
                       transpose=True, result=result, tag="tile")
    for types in TYPES[0], TYPES[2]:
        for m, k, n in (FEW[0], FEW[1], LONG[0], LONG[2], BESIDE[1]):
            yield linear(types, (m,), k, n, activation="relu", transpose=True,
                         tag="tile")
            for activation in (None, "gelu", "gelu_tanh", "silu"):
                yield linear(types, (m,), k, n, "bounded",
                             activation=activation, transpose=True, tag="tile",
                             weight=True)
        for m, k, n in (FEW[1], FEW[2], LONG[1], BESIDE[0]):
            sizes = {"M": m, "K": k, "N": n}
            yield residual(types[0], sizes)
            yield residual(types[0], sizes, tier="bounded", activation="gelu")
