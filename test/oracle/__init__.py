#===- __init__.py - The numpy oracle -------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# What each op of the `aikernel` dialect means, one numpy float64 function per
# op and one file per op family. Written from the dialect's contract alone: it
# shares no code and no idea with the compiler or with the reference inside an
# artifact, so that it can judge both.
#
#===----------------------------------------------------------------------===#
