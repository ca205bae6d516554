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
#        gpu_check.sh soak FOLDER [COUNT]   launch COUNT (100000) kernels there
#
# `pack` compiles a sample of the op cases, all those of tile programs, random
# pieces of networks, the examples and the programs of benchmarks/gpu for the GPU
# into FOLDER. `run` is for the machine with the GPU, which needs g++ and Python
# with numpy but no LLVM: it builds the runtime, checks the driver on the device
# and what a launch costs, runs the cases against the oracle, those of tile
# programs ten times, which must give the same bits, and the examples against
# their references. Where there is PyTorch it then measures the programs beside
# it; a target that is missed is a failure. FOLDER/gpu.json has it all. `sanitize`
# runs a hundred cases under each tool of compute-sanitizer. `soak` launches
# kernels whose blocks stay for several tiles on two streams at once, and looks
# for hangs and for results with other bits. Without a GPU these say so and
# succeed.
#
# initcheck does not see what bulk copies write (docs/Testing.md): it
# gets the cases compiled for sm_80, whose kernels write by plain stores. That
# kernels of sm_90a read nothing that nobody wrote is shown by `run`, where
# every workspace is full of NaN before a call.
#
#===----------------------------------------------------------------------===#

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

targets=nvidia:sm_90a,nvidia:sm_80,cpu:x86-64-v3
most_megabytes=64
most_launch_nanoseconds=500 # more than the driver's own launch takes
most_sanitizer_seconds=90   # for an artifact's cases: what hangs is a failure

pack() {
  local folder=$1 program
  rm -rf "$folder"
  mkdir -p "$folder"
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_90a,cpu:x86-64-v3 \
    --flags=--strip-reference --compile-to "$folder/cases" --sample "${2:-800}" --group 25
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_90a,cpu:x86-64-v3 \
    --flags=--strip-reference --compile-to "$folder/networks" --networks 15 --group 8
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_90a,cpu:x86-64-v3 \
    --flags='--strip-reference --remarks' --compile-to "$folder/tiles" --filter tile \
    --group 25
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_90a,cpu:x86-64-v3 \
    --flags=--strip-reference --compile-to "$folder/sanitize" --sample 100 --group 13
  test/cases/run_cases.py --build "$AIK_BUILD" --target nvidia:sm_80,cpu:x86-64-v3 \
    --flags=--strip-reference --compile-to "$folder/initcheck" --sample 100 --group 13
  rm -f "$folder"/*/*.mlir
  compress "$folder"
  for program in examples/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --fail-on-warnings --target="$targets" \
      -o "$folder/$(basename "$program" .mlir).aikx"
  done
  "$AIK_BUILD/bin/aikc" test/Integration/Inputs/commands.mlir --fail-on-warnings \
    --target="$targets" -o "$folder/commands.aikx"
  for program in soak launch; do
    "$AIK_BUILD/bin/aikc" benchmarks/gpu/$program.mlir --fail-on-warnings \
      --target=nvidia:sm_90a,cpu:x86-64-v3 -o "$folder/$program.aikx"
  done
  benchmarks/gpu/cases.py "$folder/benchmarks"
  for program in "$folder"/benchmarks/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --fail-on-warnings --target=nvidia:sm_90a,cpu:x86-64-v3 \
      --strip-reference -o "${program%.mlir}.aikx"
  done
  [ "$(du -sm "$folder" | cut -f 1)" -le "$most_megabytes" ] ||
    fail "$folder has $(du -sm "$folder" | cut -f 1) MB, $most_megabytes are allowed"
  say "$(du -sh "$folder" | cut -f 1) in $folder; carry it and this checkout to" \
    "the machine and run: scripts/gpu_check.sh run FOLDER"
}

# PTX and machine code of cases that are alike become a fourth of it.
case_folders=(cases networks tiles sanitize initcheck)

compress() { # FOLDER
  local part
  for part in "${case_folders[@]}"; do
    tar -C "$1" -czf "$1/$part.tgz" "$part" && rm -r "${1:?}/$part" || return
  done
}

expand() { # FOLDER
  local part
  for part in "${case_folders[@]}"; do
    [ -d "$1/$part" ] || tar -C "$1" -xzf "$1/$part.tgz" || return
  done
}

# Ends the script where there is no GPU.
need_gpu() { # FOLDER
  if [ ! -e /dev/nvidiactl ]; then
    say "No NVIDIA GPU is here: nothing to run."
    exit
  fi
  [ -e "$1/cases.tgz" ] || fail "$1 has no cases; make it with gpu_check.sh pack"
  expand "$1"
  build_runner "$1/aik-run"
}

run() {
  local folder=$1 status=0
  need_gpu "$folder"
  rm -f "$folder"/*.json
  "$folder/aik-run" --version
  unittests/Runtime/cuda_device_test.sh . || status=1
  build_alone "$folder/CudaLaunchCost" '' lib/Runtime \
    unittests/Runtime/CudaDevice/CudaLaunchCost.cpp
  "$folder/CudaLaunchCost" "$folder/launch.aikx" \
    unittests/Runtime/CudaDevice/kernels.ptx "$most_launch_nanoseconds" || status=1
  python3 test/cases/run_cases.py --compiled "$folder/cases" \
    --runner "$folder/aik-run --device nvidia:0" --no-guard --isa best \
    --byte-sums 13 --jobs 8 --show-failures 20 | tee "$folder/cases.txt" || status=1
  python3 test/cases/run_cases.py --compiled "$folder/networks" \
    --runner "$folder/aik-run --device nvidia:0" --no-guard --isa best \
    --byte-sums 13 --jobs 8 --show-failures 20 | tee -a "$folder/cases.txt" || status=1
  # The order in which blocks come to their tiles must not be seen.
  python3 test/cases/run_cases.py --compiled "$folder/tiles" \
    --runner "$folder/aik-run --device nvidia:0" --no-guard --isa best --rounds 10 \
    --byte-sums 13 --jobs 8 --show-failures 20 | tee -a "$folder/cases.txt" || status=1
  local program device
  for program in examples/*.mlir; do
    # The same file on the GPU and on the CPU.
    for device in nvidia:0 cpu; do
      "$folder/aik-run" "$folder/$(basename "$program" .mlir).aikx" \
        --device "$device" --verify=ref || status=1
    done
  done
  # Graphs that are launched again, and updated in each turn.
  "$folder/aik-run" "$folder/commands.aikx" --device nvidia:0 --verify=ref \
    --function again || status=1
  "$folder/aik-run" "$folder/commands.aikx" --device nvidia:0 --verify=ref \
    --function turns --input n=full:5 || status=1
  if python3 -c 'import torch' 2>/dev/null; then
    build_library "$folder/libaikrt.so"
    benchmarks/gpu/run.py --artifacts "$folder/benchmarks" \
      --runtime "$folder/libaikrt.so" --json "$folder/benchmarks.json" \
      --demand || status=1
    local kind
    for kind in '' --prefill; do
      benchmarks/gpu/layer.py --artifacts "$folder/benchmarks" \
        --runtime "$folder/libaikrt.so" --json "$folder/layer$kind.json" \
        --demand $kind || status=1
    done
  else
    say "PyTorch is not here: nothing to measure beside."
  fi
  benchmarks/gpu/join.py "$folder/gpu.json" "$folder/cases.txt" \
    "$folder/benchmarks.json" "$folder/layer.json" "$folder/layer--prefill.json" ||
    status=1
  return $status
}

# A tool's verdict on each process is the last line of its log.
sanitize() {
  local folder=$1 status=0 tool cases logs clean all
  need_gpu "$folder"
  command -v compute-sanitizer >/dev/null || fail "there is no compute-sanitizer"
  for tool in memcheck racecheck initcheck synccheck; do
    logs=$folder/logs.$tool
    rm -rf "$logs" && mkdir "$logs"
    say "== $tool"
    cases=sanitize
    [ "$tool" = initcheck ] && cases=initcheck
    python3 test/cases/run_cases.py --compiled "$folder/$cases" --runner \
      "timeout -k 5 $most_sanitizer_seconds compute-sanitizer --tool $tool
       --log-file $logs/%p $folder/aik-run --device nvidia:0" \
      --no-guard --isa best --byte-sums 13 --jobs 8 || status=1
    all=$(find "$logs" -type f | wc -l)
    clean=$(grep -lE '(ERROR|RACECHECK) SUMMARY: 0 ' -r "$logs" | wc -l)
    say "$clean of $all processes are clean"
    [ "$all" -gt 0 ] && [ "$clean" -eq "$all" ] || {
      grep -hE '^=+ (Error|ERROR|Invalid|Uninit|Race|Barrier|Saved|    at)' -r "$logs" |
        sort | uniq -c | sort -rn | head -n 20 || true
      status=1
    }
  done
  return $status
}

# What the kernels give is right, and then it stays so.
soak() {
  local folder=$1
  need_gpu "$folder"
  "$folder/aik-run" "$folder/soak.aikx" --device nvidia:0 --verify=ref &&
    "$folder/aik-run" "$folder/soak.aikx" --device nvidia:0 --verify=ref \
      --function lengths --input arg3=full:300 || return
  build_alone "$folder/CudaSoak" '' lib/Runtime \
    unittests/Runtime/CudaDevice/CudaSoak.cpp
  timeout 300 "$folder/CudaSoak" "$folder/soak.aikx" "${2:-100000}"
}

case ${1:-}:$# in
  pack:[23] | run:2 | sanitize:2 | soak:[23]) "$@" ;;
  *) say "usage: gpu_check.sh pack FOLDER [CASES] | run FOLDER | sanitize FOLDER |" \
       "soak FOLDER [COUNT]" >&2; exit 2 ;;
esac
