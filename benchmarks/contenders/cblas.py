#===- cblas.py - What the BLAS libraries share ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# cblas_sgemm of a library loaded by ctypes. f32 only: BLAS has no other type
# that matters here. Weights cannot be packed ahead through this interface.
#
#===----------------------------------------------------------------------===#

import ctypes as c

import numpy as np

from contenders import Contender, Unsupported, pointer

_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112


class Blas(Contender):
    def __init__(self, threads, tools, library):
        super().__init__(threads, tools)
        self.library = library

    def _product(self, task, left, right, transposed):
        if task.type != "f32":
            raise Unsupported(f"BLAS has no product of {task.type}")
        m, k, n = task.size("MKN")
        out = np.zeros((m, n), np.float32)
        sgemm = self.library.cblas_sgemm
        sgemm.restype = None
        one, zero = c.c_float(1), c.c_float(0)
        words = (c.c_int(_ROW_MAJOR), c.c_int(_PLAIN),
                 c.c_int(_TRANSPOSED if transposed else _PLAIN), c.c_int(m),
                 c.c_int(n), c.c_int(k), one, pointer(left), c.c_int(k),
                 pointer(right), c.c_int(k if transposed else n), zero,
                 pointer(out), c.c_int(n))

        def call():
            sgemm(*words)
        call.keep = (left, right, out)
        return call, lambda: out

    def matmul(self, task, a, b):
        return self._product(task, a, b, False)

    def linear(self, task, x, w):
        return self._product(task, x, w, True)
