#===- wrong.py - A contender for tests: wrong results ---------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Fast, because it leaves the last column out.
#
#===----------------------------------------------------------------------===#

import numpy as np

from contenders import Contender, widened


class Wrong(Contender):
    name, version = "wrong", "1"

    def matmul(self, task, a, b):
        a, b = widened(a), widened(b)
        out = np.zeros((a.shape[0], b.shape[1]), np.float32)

        def call():
            out[:, :-1] = a @ b[:, :-1]
        return call, lambda: out


open = Wrong
