#!/bin/bash
#===- quickstart.sh - From nothing to a running transformer block ------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Installs the packages, builds the tools, compiles examples/block.mlir, checks
# the result against the reference inside the artifact and measures it. Doing
# it again takes seconds. Works from any folder.
#
#===----------------------------------------------------------------------===#

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

begin=$EPOCHREALTIME
say "[1/4] Packages"
install_packages

say "[2/4] Building aikc, aik-run and aik-opt"
mkdir -p "$AIK_BUILD"
log=$AIK_BUILD/quickstart.log
configure_and_build aikc aik-run aik-opt >"$log" 2>&1 || {
  tail -n 40 "$log" >&2
  fail "the build failed; all of its output is in build/quickstart.log"
}

say "[3/4] Compiling examples/block.mlir for this machine"
artifact=$AIK_BUILD/block.aikx
compile_begin=$EPOCHREALTIME
say "  \$ aikc examples/block.mlir -o build/block.aikx"
"$AIK_BUILD/bin/aikc" examples/block.mlir -o "$artifact"
compile_seconds=$(seconds_since "$compile_begin")

say "[4/4] Running it"
say "  \$ aik-run build/block.aikx --verify=ref"
"$AIK_BUILD/bin/aik-run" "$artifact" --verify=ref
say "  \$ aik-run build/block.aikx --bench"
"$AIK_BUILD/bin/aik-run" "$artifact" --bench

say ""
say "Done in $(seconds_since "$begin") s. The transformer block compiled in" \
  "$compile_seconds s,"
say "agrees with its reference, and is measured above."
say "The tools are in build/bin, the artifact is build/block.aikx."
say "Next: README.md, or scripts/test.sh for all tests."
