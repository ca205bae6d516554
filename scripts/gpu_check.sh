#!/bin/bash
#===- gpu_check.sh - The tests and benchmarks that need a GPU ----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: gpu_check.sh pack FOLDER [CASES]   compile here
#        gpu_check.sh run FOLDER            run there
#
# `pack` compiles a sample of the op cases, the examples and the programs of
# benchmarks/gpu for the GPU into FOLDER. `run` is for the machine with the
# GPU, which needs g++ and Python with numpy but no LLVM: it builds the runtime,
# checks the driver on the device, runs the cases against the oracle and the
# examples against their references. Where there is PyTorch it then measures the
# programs beside it. Without a GPU it says so and succeeds.
#
#===----------------------------------------------------------------------===#

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

targets=nvidia:sm_90a,nvidia:sm_80,cpu:x86-64-v3

pack() {
  local folder=$1 program
  rm -rf "$folder"
  mkdir -p "$folder"
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_90a,cpu:x86-64-v3 \
    --flags=--strip-reference --compile-to "$folder/cases" --sample "${2:-800}" --group 25
  rm -f "$folder"/cases/*.mlir
  for program in examples/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --target="$targets" \
      -o "$folder/$(basename "$program" .mlir).aikx"
  done
  benchmarks/gpu/cases.py "$folder/benchmarks"
  for program in "$folder"/benchmarks/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --target="$targets" --strip-reference \
      -o "${program%.mlir}.aikx"
  done
  say "$(du -sh "$folder" | cut -f 1) in $folder; carry it and this checkout to" \
    "the machine and run: scripts/gpu_check.sh run FOLDER"
}

run() {
  local folder=$1 status=0
  if [ ! -e /dev/nvidiactl ]; then
    say "No NVIDIA GPU is here: nothing to run."
    return
  fi
  [ -d "$folder/cases" ] ||
    fail "$folder has no cases; make it with gpu_check.sh pack"
  build_runner "$folder/aik-run"
  "$folder/aik-run" --version
  unittests/Runtime/cuda_device_test.sh . || status=1
  python3 test/cases/run_cases.py --compiled "$folder/cases" \
    --runner "$folder/aik-run --device nvidia:0" --no-guard --isa best \
    --jobs 8 --show-failures 20 || status=1
  local program
  for program in examples/*.mlir; do
    # One drives the queue of the CPU itself, on the CPU's memory.
    case $program in */submit.mlir) continue ;; esac
    "$folder/aik-run" "$folder/$(basename "$program" .mlir).aikx" \
      --device nvidia:0 --verify=ref || status=1
  done
  if python3 -c 'import torch' 2>/dev/null; then
    build_library "$folder/libaikrt.so"
    benchmarks/gpu/run.py --artifacts "$folder/benchmarks" \
      --runtime "$folder/libaikrt.so" --json "$folder/gpu.json" || status=1
    benchmarks/gpu/layer.py --artifacts "$folder/benchmarks" \
      --runtime "$folder/libaikrt.so" || status=1
  else
    say "PyTorch is not here: nothing to measure beside."
  fi
  return $status
}

case ${1:-}:$# in
  pack:[23] | run:2) "$@" ;;
  *) say "usage: gpu_check.sh pack FOLDER [CASES] | run FOLDER" >&2; exit 2 ;;
esac
