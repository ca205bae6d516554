#!/usr/bin/python3
#===- same_bits_test.py - All architectures compute the same bits ----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# In: commands that each print a digest (Digest.cpp). All must print the same.
#
#===------------------------------------------------------------------------===#

import shlex
import subprocess
import sys

digests = [subprocess.run(shlex.split(command), stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
           for command in sys.argv[1:]]
for command, digest in zip(sys.argv[1:], digests):
    print(digest, command)
same = len(digests) > 0 and all(digests) and len(set(digests)) == 1
print("%d passed, %d failed" % (same, not same))
sys.exit(not same)
