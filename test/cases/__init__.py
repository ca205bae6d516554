#===- __init__.py - The table of op cases --------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# One table of op cases as data: it drives the tests, the support matrix and the
# benchmarks' choice of shapes. `run_cases.py` is the program to call.
#
#===----------------------------------------------------------------------===#

