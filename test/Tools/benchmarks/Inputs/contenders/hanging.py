#===- hanging.py - A contender for tests: no end --------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Never comes back from its first call.
#
#===----------------------------------------------------------------------===#

import time

from contenders import Contender


class Hanging(Contender):
    name, version = "hanging", "1"

    def matmul(self, task, a, b):
        return (lambda: time.sleep(1e6)), None


open = Hanging
