#!/usr/bin/python3
#===- edit_table.py - A row of a tuning table becomes the quickest ----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: edit_table.py TABLE ROW      gives row ROW the shortest time
#        edit_table.py TABLE every    checks that every row has a time
#
#===----------------------------------------------------------------------===#

import json
import sys

with open(sys.argv[1]) as file:
    table = json.load(file)
if not all(row["microseconds"] > 0 for row in table["rows"]):
    sys.exit("a row has no time")
if sys.argv[2] != "every":
    for number, row in enumerate(table["rows"]):
        row["microseconds"] = 1.5 if number == int(sys.argv[2]) else 10 + number
    with open(sys.argv[1], "w") as file:
        json.dump(table, file)
