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
mode=(-i)
case ${1:-} in
  '') ;;
  --check) mode=(--dry-run -Werror) ;;
  *) echo "usage: format.sh [--check]" >&2; exit 2 ;;
esac
failed=0
while IFS= read -r file; do
  clang-format-22 "${mode[@]}" "$file" </dev/null >/dev/null 2>&1 || {
    echo "$file is not formatted; run scripts/format.sh"
    failed=1
  }
done < <(find include lib tools unittests test examples cmake \
  '(' -name '*.cpp' -o -name '*.h' -o -name '*.c' ')' -type f | sort)
exit "$failed"
