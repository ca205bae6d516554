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
#        gpu_check.sh sanitize FOLDER       run there, under compute-sanitizer
#
# `pack` compiles a sample of the op cases, the examples and the programs of
# benchmarks/gpu for the GPU into FOLDER. `run` is for the machine with the
# GPU, which needs g++ and Python with numpy but no LLVM: it builds the runtime,
# checks the driver on the device, runs the cases against the oracle and the
# examples against their references. Where there is PyTorch it then measures the
# programs beside it. `sanitize` runs a hundred cases under each tool of
# compute-sanitizer. Without a GPU both say so and succeed.
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
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_90a,cpu:x86-64-v3 \
    --flags=--strip-reference --compile-to "$folder/sanitize" --sample 100 --group 13
  rm -f "$folder"/*/*.mlir
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

# Ends the script where there is no GPU.
need_gpu() { # FOLDER
  if [ ! -e /dev/nvidiactl ]; then
    say "No NVIDIA GPU is here: nothing to run."
    exit
  fi
  [ -d "$1/cases" ] || fail "$1 has no cases; make it with gpu_check.sh pack"
  build_runner "$1/aik-run"
}

run() {
  local folder=$1 status=0
  need_gpu "$folder"
  "$folder/aik-run" --version
  unittests/Runtime/cuda_device_test.sh . || status=1
  python3 test/cases/run_cases.py --compiled "$folder/cases" \
    --runner "$folder/aik-run --device nvidia:0" --no-guard --isa best \
    --jobs 8 --show-failures 20 || status=1
  local program device
  for program in examples/*.mlir; do
    # One drives the queue of the CPU itself, on the CPU's memory.
    case $program in */submit.mlir) continue ;; esac
    # The same file on the GPU and on the CPU.
    for device in nvidia:0 cpu; do
      "$folder/aik-run" "$folder/$(basename "$program" .mlir).aikx" \
        --device "$device" --verify=ref || status=1
    done
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

# A tool's verdict on each process is the last line of its log.
sanitize() {
  local folder=$1 status=0 tool logs clean all
  need_gpu "$folder"
  command -v compute-sanitizer >/dev/null || fail "there is no compute-sanitizer"
  for tool in memcheck racecheck initcheck synccheck; do
    logs=$folder/$tool
    rm -rf "$logs" && mkdir "$logs"
    say "== $tool"
    python3 test/cases/run_cases.py --compiled "$folder/sanitize" --runner \
      "compute-sanitizer --tool $tool --log-file $logs/%p $folder/aik-run --device nvidia:0" \
      --no-guard --isa best --jobs 8 || status=1
    all=$(find "$logs" -type f | wc -l)
    clean=$(grep -lE '(ERROR|RACECHECK) SUMMARY: 0 ' -r "$logs" | wc -l)
    say "$clean of $all processes are clean"
    [ "$all" -gt 0 ] && [ "$clean" -eq "$all" ] || {
      grep -hE '^=+ (Error|ERROR|Invalid|Uninit|Race|Barrier|Saved|    at)' -r "$logs" |
        sort | uniq -c | sort -rn | head -n 20
      status=1
    }
  done
  return $status
}

case ${1:-}:$# in
  pack:[23] | run:2 | sanitize:2) "$@" ;;
  *) say "usage: gpu_check.sh pack FOLDER [CASES] | run FOLDER | sanitize FOLDER" >&2; exit 2 ;;
esac
