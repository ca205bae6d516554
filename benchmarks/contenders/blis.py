#===- blis.py - BLIS ------------------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Debian's libblis4-pthread: sgemm.
#
#===----------------------------------------------------------------------===#

import ctypes as c

from contenders import load_library
from contenders.cblas import Blas


class Blis(Blas):
    name = "blis"

    def __init__(self, threads, tools):
        library = load_library("libblis.so.4", "libblis.so")
        super().__init__(threads, tools, library)
        # dim_t is 64 bits wide in Debian's build.
        library.bli_thread_set_num_threads(c.c_int64(threads))
        for name in ("bli_info_get_version_str", "bli_arch_string"):
            getattr(library, name).restype = c.c_char_p
        arch = library.bli_arch_string(library.bli_arch_query_id()).decode()
        version = library.bli_info_get_version_str().decode()
        self.version = f"BLIS {version}, kernels for {arch}"


open = Blis
