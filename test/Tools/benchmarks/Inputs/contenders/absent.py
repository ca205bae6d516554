#===- absent.py - A contender for tests: not installed --------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Stands for a library that is not on this machine.
#
#===----------------------------------------------------------------------===#

from contenders import NotInstalled


def open(threads, tools):
    raise NotInstalled("no libabsent.so")
