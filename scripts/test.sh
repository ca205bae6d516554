#!/bin/bash
#===- test.sh - All tests, in stages -----------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: test.sh [STAGE...]      all stages, or only these; --list names them,
# and those that are run only when they are named
#
# Installs what is missing, builds, and runs the stages of stages.sh in order.
# Each prints one line with its counts and its time, and the end of its log
# when something failed; logs are in build/test-logs. The last line is
# `N passed, N failed`; the exit status is 1 when anything failed. Works from
# any folder.
#
#===----------------------------------------------------------------------===#

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source scripts/stages.sh

case ${1:-} in
  --list)
    for stage in "${stages[@]}" "${on_request[@]}"; do
      printf '%-9s  %s\n' "$stage" "$(summary "$stage")"
    done
    exit ;;
  -*) say "usage: test.sh [--list | STAGE...]" >&2; exit 2 ;;
esac
chosen=("$@")
[ ${#chosen[@]} -gt 0 ] || chosen=("${stages[@]}")
for stage in "${chosen[@]}"; do
  declare -F "stage_$stage" >/dev/null || {
    say "error: there is no stage $stage; there are:" \
      "${stages[*]} ${on_request[*]}" >&2
    exit 2
  }
done

install_packages
logs=$AIK_BUILD/test-logs
mkdir -p "$logs"
begin=$EPOCHREALTIME
all_passed=0 all_failed=0 built=

# run_stage NAME: its counts come from what it told `passed` and `failed`.
run_stage() {
  local stage_begin=$EPOCHREALTIME log=$logs/$1.log
  passed=0 failed=0
  # Tested, so that `set -e` is off inside and every stage runs to its end.
  if "stage_$1" >"$log" 2>&1; then :; fi
  if [ $((passed + failed)) -eq 0 ]; then
    say "the stage counted nothing" >>"$log"
    failed=1
  fi
  printf '%-9s %6d passed, %d failed  %7s s  %s\n' "$1" "$passed" "$failed" \
    "$(seconds_since "$stage_begin")" "$(summary "$1")"
  if [ "$failed" -ne 0 ]; then
    tail -n 40 "$log" | sed 's/^/    /'
    say "    (all of it: build/test-logs/$1.log)"
  fi
  all_passed=$((all_passed + passed))
  all_failed=$((all_failed + failed))
}

for stage in "${chosen[@]}"; do
  # Most stages need the tools; without them they could only fail.
  if [ -z "$built" ] && needs_build "$stage"; then
    built=1
    run_stage build
    if [ "$failed" -ne 0 ]; then
      say "The build failed; the stages that need it were not run."
      break
    fi
  fi
  [ "$stage" = build ] || run_stage "$stage"
done

say "Total time: $(seconds_since "$begin") s"
say "$all_passed passed, $all_failed failed"
[ "$all_failed" -eq 0 ]
