#===- honest.py - A contender for tests: numpy ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Computes products with numpy.
#
#===----------------------------------------------------------------------===#

import numpy as np

from contenders import Contender, widened


class Honest(Contender):
    name, version = "honest", "numpy"

    def matmul(self, task, a, b):
        a, b = widened(a), widened(b)
        out = np.zeros((a.shape[0], b.shape[1]), np.float32)
        return (lambda: np.matmul(a, b, out)), lambda: out


open = Honest
