#!/bin/bash
#===- format.sh - clang-format on every C and C++ file ------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: format.sh [--check]
#
# Formats in place; with --check nothing is written, and each file that would
# change is named.
#
#===----------------------------------------------------------------------===#

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
files() {
  find include lib tools unittests test examples cmake \
    '(' -name '*.cpp' -o -name '*.h' -o -name '*.c' ')' -type f -print0
}
run() { files | xargs -0 -P "$(nproc)" -n 16 clang-format-22 "$@"; }

case ${1:-} in
  '') run -i ;;
  --check)
    if ! output=$(run --dry-run -Werror 2>&1); then
      unformatted=$(sed -nE 's/^([^ :]+):[0-9]+:[0-9]+: .*/\1/p' <<<"$output" |
        sort -u)
      echo "${unformatted:-$output}"
      echo "Run scripts/format.sh."
      exit 1
    fi ;;
  *) echo "usage: format.sh [--check]" >&2; exit 2 ;;
esac
