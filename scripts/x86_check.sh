#!/bin/bash
#===- x86_check.sh - Kernels on an x86-64 machine with AVX-512 or AMX --------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: x86_check.sh pack FOLDER   where aikc is built: compiles products,
#                                   attention and rows, for several x86-64
#                                   targets, into FOLDER
#        x86_check.sh run FOLDER    on the x86-64 machine, which needs g++ alone:
#                                   builds aik-run and verifies each program
#                                   against the reference inside its artifact,
#                                   on each target that the machine has
#
# Inputs come from seeds. The last lines of `run` are a table and
# `N passed, N failed`; on another kind of machine it says so and succeeds.
#
#===----------------------------------------------------------------------===#

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

vnni=cpu:x86-64-v4+avx512vnni+avx512bf16+avx512vbmi
targets=(cpu:x86-64-v2 cpu:x86-64-v3 cpu:x86-64-v3+avxvnni cpu:x86-64-v4 "$vnni"
         "$vnni+amx-tile+amx-bf16+amx-int8"
         "$vnni+amx-tile+amx-bf16+amx-int8+amx-fp16")
# Left and right of products of unknown sizes: tiles, edges, long sums, rows of
# one, nothing to add.
shapes=("128x256 256x96" "65x70 70x67" "40x3100 3100x33" "1x300 300x1000"
        "17x64 64x5" "5x0 0x7" "300x1000 1000x257")
functions=(int8 bfloat16 float16 float32 float64)

pack() {
  local folder=$1 list
  mkdir -p "$folder"
  list=$(IFS=,; say "${targets[*]}")
  cp test/Target/CPU/Inputs/products.mlir "$folder/products.mlir"
  cp test/Target/CPU/Inputs/block-formats.mlir "$folder/blocks.mlir"
  # The same for as many rows as there are.
  sed 's/<48x/<?x/g' "$folder/blocks.mlir" >"$folder/rows.mlir"
  print_cases "$folder" matmul 'matmul.*static*' 60
  print_cases "$folder" bytes 'int8_matmul*static*' 20
  print_cases "$folder" linear 'linear.*static*' 24
  print_cases "$folder" quantized '*quant_*.q[0-9]_*static*' 80
  print_cases "$folder" attention 'attention*static*' 80
  print_cases "$folder" norms '*norm*static*' 60
  print_cases "$folder" softmax 'softmax*static*' 24
  print_cases "$folder" activations '[gs]*lu*static*' 60
  for program in "$folder"/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --target="$list" -o "${program%.mlir}.aikx"
  done
  say "$(du -sh "$folder" | cut -f 1) in $folder; carry it and this checkout to" \
    "the machine and run: scripts/x86_check.sh run FOLDER"
}

print_cases() { # FOLDER NAME PATTERN COUNT
  test/cases/run_cases.py --print --filter "$3" --sample "$4" >"$1/$2.mlir"
}

# verify OPTION...: adds to `good` and `bad`; what went wrong is printed.
verify() {
  local output status=0
  output=$("$runner" "$@" --guard --verify=ref 2>&1) || status=$?
  good=$((good + $(grep -c ': ok:' <<<"$output" || true)))
  [ "$status" -eq 0 ] && return
  say "$*: exit status $status"
  grep -v ': ok:' <<<"$output" || true
  if [[ $output =~ ([0-9]+)\ passed,\ ([1-9][0-9]*)\ failed$ ]]; then
    bad=$((bad + BASH_REMATCH[2]))
  else
    bad=$((bad + 1))
  fi
}

run_products() { # TARGET
  local function shape left right
  for function in "${functions[@]}"; do
    for shape in "${shapes[@]}"; do
      read -r left right <<<"$shape"
      verify "$folder/products.aikx" --isa "$1" --function "$function" \
        --input "arg0=random:1:$left" --input "arg1=random:2:$right"
    done
  done
}

# Bytes of weights are such that scales are neither infinite nor NaN.
run_blocks() { # TARGET NAME ROWS
  local function bytes
  for function in q4_0 q4_1 q5_0 q5_1 q8_0 q4_k q5_k q6_k mxfp4 i4_32 i4_64 \
    i8_16 i8_40; do
    bytes=0..59
    case $function in
      mxfp4) bytes=120..127 ;;
      i*) bytes=-128..127 ;;
    esac
    verify "$folder/$2.aikx" --isa "$1" --function "$function" \
      --input "arg0=random:1:$3x1280" --input "arg1=random:2::$bytes"
  done
}

run() {
  local folder=$1 target artifact name count rows=() all_good=0 all_bad=0
  [ -f "$folder/products.aikx" ] ||
    fail "$folder has no products.aikx; make it with x86_check.sh pack"
  if [ "$host_arch" != x86_64 ]; then
    say "This machine is $host_arch, not x86_64: nothing to run."
    return
  fi
  runner=$folder/aik-run
  build_runner "$runner"
  "$runner" --version
  local here
  here=$("$runner" "$folder/products.aikx" --list)
  for target in "${targets[@]}"; do
    if ! grep -F "| $target " <<<"$here" | grep -q '| yes *|$'; then
      rows+=("$(printf '%-62s %s' "$target" 'not on this machine')")
      continue
    fi
    for artifact in "$folder"/*.aikx; do
      name=$(basename "$artifact" .aikx) good=0 bad=0
      case $name in
        products) run_products "$target" ;;
        blocks) run_blocks "$target" blocks 48 ;;
        rows) for count in 1 4 7 12 21 48; do
          run_blocks "$target" rows "$count"
        done ;;
        *) verify "$artifact" --isa "$target" ;;
      esac
      rows+=("$(printf '%-62s %-10s %4d passed, %d failed' "$target" "$name" \
        "$good" "$bad")")
      all_good=$((all_good + good)) all_bad=$((all_bad + bad))
    done
  done
  printf '%s\n' "${rows[@]}"
  case " ${rows[*]} " in
    *avx512vnni*passed*) ;;
    *) say "This CPU has no AVX-512 VNNI: those targets were not run." ;;
  esac
  say "$all_good passed, $all_bad failed"
  [ "$all_bad" -eq 0 ]
}

case ${1:-}:$# in
  pack:2 | run:2) "$1" "$2" ;;
  *) say "usage: x86_check.sh pack FOLDER | run FOLDER" >&2; exit 2 ;;
esac
