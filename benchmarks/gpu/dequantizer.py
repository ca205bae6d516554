#===- dequantizer.py - 4-bit weights as bf16, by Triton -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: codes [N, K / 2] and scales [N, K / 128]. Out: a call that writes the
# numbers [N, K]: what a peer does that multiplies by cuBLAS.
#
#===----------------------------------------------------------------------===#

import triton
import triton.language as tl


@triton.jit
def _dequantize(codes, scales, out, width: tl.constexpr, groups: tl.constexpr,
                block: tl.constexpr):
    row, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    at = part * block + tl.arange(0, block)
    byte = tl.load(codes + row * width + at)
    low, high = ((byte << 4) >> 4).to(tl.int8), (byte >> 4).to(tl.int8)
    scale = tl.load(scales + row * groups + at // 64).to(tl.float32)
    both = tl.interleave(low.to(tl.float32) * scale,
                         high.to(tl.float32) * scale)
    to = part * block * 2 + tl.arange(0, 2 * block)
    tl.store(out + row * width * 2 + to, both.to(tl.bfloat16))


def dequantize(codes, scales, out):
    rows, width = codes.shape
    block = min(2048, width)
    _dequantize[(rows, width // block)](codes, scales, out, width,
                                        scales.shape[1], block)
