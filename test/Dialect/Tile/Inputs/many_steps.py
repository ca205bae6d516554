#===- many_steps.py - A program with as many waits as wanted ----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: many_steps.py RINGS TIMES   each of the rings is filled and read so often
#
#===----------------------------------------------------------------------===#

import sys

rings, times = range(int(sys.argv[1])), range(int(sys.argv[2]))
fill = "aik_tile.fill %r{0} {{ aik_tile.load %m[%at, %at] tile 0 : !map }} : !ring"
read = ("%s{0}x{1} = aik_tile.acquire %r{0} : !ring -> !stage\n"
        "aik_tile.release %s{0}x{1} : !stage")
print("!ring = !aik_tile.ring<2, <64x64xbf16>>",
      "!stage = !aik_tile.stage<<64x64xbf16>>",
      "!map = !aik_tile.map<64x64xbf16>",
      "func.func @f(%m: !map, %at: i32) {",
      "aik_tile.program cluster 1 {",
      *(f"%r{ring} = aik_tile.make_ring : !ring" for ring in rings),
      "aik_tile.role warpgroups 1 registers 40 {", "^bb0(%g: i32):",
      *(fill.format(ring) for _ in times for ring in rings),
      "}",
      "aik_tile.role warpgroups 1 registers 128 {", "^bb0(%g: i32):",
      *(read.format(ring, time) for time in times for ring in rings),
      "}", "}", "return", "}", sep="\n")
