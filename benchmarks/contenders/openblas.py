#===- openblas.py - OpenBLAS ----------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Debian's libopenblas0-pthread: sgemm.
#
#===----------------------------------------------------------------------===#

import ctypes as c

from contenders import load_library
from contenders.cblas import Blas


class OpenBlas(Blas):
    name = "openblas"

    def __init__(self, threads, tools):
        library = load_library("libopenblas.so.0", "libopenblas.so")
        super().__init__(threads, tools, library)
        library.openblas_set_num_threads(c.c_int(threads))
        library.openblas_get_config.restype = c.c_char_p
        self.version = library.openblas_get_config().decode().strip()


open = OpenBlas
