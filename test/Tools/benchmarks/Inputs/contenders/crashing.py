#===- crashing.py - A contender for tests: it dies ------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Takes its process along in the first call, as a library with an instruction
# that this CPU lacks would.
#
#===----------------------------------------------------------------------===#

import os
import signal

from contenders import Contender


class Crashing(Contender):
    name, version = "crashing", "1"

    def matmul(self, task, a, b):
        return (lambda: os.kill(os.getpid(), signal.SIGILL)), None


open = Crashing
