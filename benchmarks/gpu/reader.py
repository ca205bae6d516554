#===- reader.py - A kernel that only reads --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The ceiling of what streams weights. In: integers that are never negative,
# which nobody tells the compiler. Out: nothing. It is written for Triton, which
# PyTorch brings along.
#
#===----------------------------------------------------------------------===#

import triton
import triton.language as tl


@triton.jit
def read(source, sink, count, block: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * block
    index = start + tl.arange(0, block)
    values = tl.load(source + index, mask=index < count, other=0)
    least = tl.min(values)
    if least < 0:
        tl.store(sink, 1.0)
