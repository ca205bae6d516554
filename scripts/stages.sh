#===- stages.sh - The stages of test.sh --------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Sourced by test.sh. A stage is a function stage_NAME that adds to the
# variables `passed` and `failed`; its output is its log.
#
#===----------------------------------------------------------------------===#

stages=(layout format docs build unit lit roundtrip oracle cases graphs cross
        gpu errors examples fuzz asan alone)
# Only when they are named: a whole run has to be short enough to be done often.
on_request=(table)

summary() {
  case $1 in
    layout) say "names, places and includes, and their checkers" ;;
    format) say "clang-format on every C++ file" ;;
    docs) say "pages that are made from tables, links between pages" ;;
    build) say "everything that the preset dev builds" ;;
    unit) say "unit tests" ;;
    lit) say "lit tests" ;;
    roundtrip) say "dialect tests with all IR printed and parsed again" ;;
    oracle) say "the oracle, the case table and its judge, by themselves" ;;
    cases) say "op cases of each kind against the oracle, on this machine" ;;
    table) say "every op case, on this machine (on request: ten minutes)" ;;
    graphs) say "125 random programs against the oracle" ;;
    cross) say "one artifact on both machines, and samples of cases on $other_arch and SVE, under qemu" ;;
    gpu) say "cases on a fake CUDA driver, and compiled for every kind of GPU" ;;
    errors) say "wrong programs and wrong command lines" ;;
    examples) say "every example, against its reference" ;;
    fuzz) say "readers on damaged input, under ASan and UBSan" ;;
    asan) say "runtime tests under ASan and UBSan" ;;
    alone) say "aik-run with one g++ line" ;;
  esac
}

needs_build() {
  case $1 in layout | format | docs | oracle | asan | alone) return 1 ;; esac
}

# --- Counting -----------------------------------------------------------------

# one WHAT COMMAND...: counts as one test.
one() {
  local what=$1
  shift
  say "== $what"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    say "FAILED: $what"
    return 1
  fi
}

# begin NAME COMMAND...: a command that uses one processor, beside others; then
# `one WHAT ended NAME` waits for it.
declare -A begun
begin() {
  local name=$1
  shift
  "$@" >"$logs/$name.txt" 2>&1 &
  begun[$name]=$!
}
ended() {
  local status=0
  wait "${begun[$1]}" || status=$?
  cat "$logs/$1.txt"
  return $status
}

# counted COMMAND...: a command that ends with `N passed, N failed`.
counted() {
  local output=$logs/counted.txt status=0 line
  "$@" >"$output" 2>&1 || status=$?
  cat "$output"
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$output" | tail -n 1)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    [ "$status" -eq 0 ] || [ "${BASH_REMATCH[2]}" -ne 0 ] || {
      say "FAILED: exit status $status though nothing failed: $*"
      failed=$((failed + 1))
    }
  else
    say "FAILED: exit status $status and no summary line: $*"
    failed=$((failed + 1))
  fi
}

# lit_on FOLDER OPTION...: counts lit's verdicts.
lit_on() {
  local results=$logs/lit.json folder=$1
  shift
  rm -f "$results"
  timeout 900 "$AIK_LLVM/bin/lit" -sv -j "$(nproc)" -o "$results" "$@" \
    "$AIK_BUILD/test/$folder"
  counted /usr/bin/python3 - "$results" <<'PYTHON'
import collections, json, sys
codes = collections.Counter(t["code"] for t in json.load(open(sys.argv[1]))["tests"])
good = codes["PASS"] + codes["XFAIL"] + codes["FLAKYPASS"]
skipped = codes["UNSUPPORTED"] + codes["EXCLUDED"] + codes["SKIPPED"]
print(dict(codes))
print(f"{good} passed, {sum(codes.values()) - good - skipped} failed")
PYTHON
}

# --- The stages -----------------------------------------------------------------

stage_layout() {
  one "check_layout.py" scripts/check_layout.py
  one "check_layering.py" scripts/check_layering.py
  counted scripts/check_layout.py --self-test
  counted scripts/check_layering.py --self-test
}

stage_format() { one "clang-format" scripts/format.sh --check; }

stage_docs() {
  one "Dialect.md, Passes.md and Errors.md" scripts/generate_docs.py --check
  one "SupportMatrix.md" same_matrix
  one "mutants" scripts/mutants.py --check
  one "links" scripts/check_links.py
  counted scripts/check_links.py --self-test
}

same_matrix() {
  test/cases/run_cases.py --list --matrix "$logs/SupportMatrix.md" &&
    diff "$logs/SupportMatrix.md" docs/SupportMatrix.md
}

stage_build() { one "ninja" configure_and_build; }

stage_unit() {
  ctest --test-dir "$AIK_BUILD" -j "$(nproc)" --timeout 300 \
    --output-on-failure --no-tests=error >"$logs/ctest.txt" 2>&1
  cat "$logs/ctest.txt"
  count_ctest "$logs/ctest.txt"
}

count_ctest() {
  local line
  line=$(grep -E 'tests passed, [0-9]+ tests failed out of' "$1")
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  else
    failed=$((failed + 1))
  fi
}

stage_lit() { lit_on ""; }

stage_roundtrip() { lit_on Dialect --param AIK_ROUNDTRIP_IR=1; }

stage_oracle() {
  counted test/cases/run_cases.py --self-test
  counted test/Integration/errors/run_errors.py --self-test
}

# The first image of those that `cpu` stands for: all that this machine has. The
# second is the baseline of its architecture; there is none where that is all.
own_target() { cpu_image 1; }
baseline_target() { cpu_image 2; }
cpu_image() {
  "$AIK_BUILD/bin/aikc" targets |
    sed -n "s/^Here 'cpu' stands for //p" | awk -F ' and ' "{ print \$$1 }"
}

# Nearly all the time is aikc's, so nothing is compiled that is not run: for this
# machine the largest case of each kind and as many others, for the baseline a
# sample. Those of tile programs are sizes that GPUs take in another way; for
# CPUs they are like the others, and a sample suffices.
stage_cases() {
  local own baseline
  own=$(own_target) baseline=$(baseline_target)
  counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --skip tile --kinds --sample 1600 --target "$own"
  [ -z "$baseline" ] ||
    counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
      --skip tile --sample 240 --target "$baseline" \
      --flags=--strip-reference --isa best
  counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --filter tile --sample 60 --target "$own" --flags=--strip-reference \
    --isa best
}

stage_table() {
  local baseline
  baseline=$(baseline_target)
  counted timeout 3600 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --target "$(own_target)"
  [ -z "$baseline" ] ||
    counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
      --skip tile --kinds --target "$baseline" --flags=--strip-reference \
      --isa best
}

stage_graphs() {
  counted timeout 900 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --graphs 100 --networks 25
}

# aik-run for the other architecture, from its sources, when they changed. Its
# guarded buffers leave the room that qemu needs (tools/aik-run/Buffer.cpp).
build_other_runner() {
  local folder=$AIK_BUILD/other runner=$AIK_BUILD/other/aik-run
  if [ -x "$runner" ] && [ -z "$(find include/AIKernel-c lib/Runtime \
    tools/aik-run -type f -newer "$runner" -print -quit)" ]; then
    return
  fi
  rm -rf "$folder" && mkdir -p "$folder" &&
    runner_sources | xargs -P "$(nproc)" -I SOURCE bash -c '
      object=$2/$(echo "$1" | tr / .).o
      exec "$3" -std=c++17 -O1 -DAIK_GUARD_SLACK=64 -Iinclude -Ilib/Runtime \
        -c "$1" -o "$object"
    ' _ SOURCE "$folder" "$other_gxx" &&
    "$other_gxx" "$folder"/*.o -o "$runner" -ldl -lpthread
}

runner_sources() { find lib/Runtime tools/aik-run -name '*.cpp' | sort; }

stage_cross() {
  one "aik-run for $other_arch" build_other_runner || return
  begin both run_on_both "$AIK_BUILD/examples/both.aikx"
  one "products on $other_arch" run_products "$other_target" \
    "$other_run $AIK_BUILD/other/aik-run"
  one "a scalar multiply-add at the end of a buffer" run_last_element
  counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --skip tile --small --sample 80 --target "$other_target" \
    --runner "$other_run $AIK_BUILD/other/aik-run"
  # Other cases for each length of SVE vectors.
  local bits
  for bits in 128 256 512; do
    one "products with SVE of $bits bits" run_products "$(sve_target "$bits")" \
      "$(sve_run "$bits")"
    counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
      --skip tile --small --sample $((56 + bits / 64)) --isa best \
      --target "$(sve_target "$bits")" \
      --flags=--strip-reference --runner "$(sve_run "$bits")"
  done
  one "another length is refused" refuse_length
  one "one artifact for both" ended both
  # aikc itself is there for this architecture only.
  [ "$host_arch" != aarch64 ] || one "cpu takes the machine's length" take_length
}

# The fake driver runs the twins of kernels: all but the code of the device.
# Samples have at least one case of each op.
stage_gpu() {
  local fake=$AIK_BUILD/unittests/Runtime/fake-cuda folder own
  own=$(own_target)
  begin programs measured_programs "$fake"
  begin spills no_spills
  counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --sample 40 --target "nvidia:sm_90a,$own" --flags=--strip-reference \
    --isa best --no-guard \
    --runner "env LD_LIBRARY_PATH=$fake $AIK_BUILD/bin/aik-run --device nvidia:0"
  # Few samples have one of these.
  counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --filter 'quant_matmul*tile*' --target "nvidia:sm_90a,$own" \
    --flags=--strip-reference --isa best --no-guard \
    --runner "env LD_LIBRARY_PATH=$fake $AIK_BUILD/bin/aik-run --device nvidia:0"
  folder=$(mktemp -d)
  counted timeout 1800 test/cases/run_cases.py --quiet --jobs "$(nproc)" \
    --sample 30 --target "nvidia:sm_80,amd:gfx942,amd:gfx1100,$own" \
    --flags=--strip-reference --compile-to "$folder"
  # Quantizers of K formats look for scales on a stack.
  one "kernels of all ops for AMD's GPUs" test/Target/AMD/check_kernels.py \
    --artifact "$folder/g0.aikx" 'quantize_*'
  rm -rf "$folder"
  counted benchmarks/selftest.py
  one "commands" run_commands "$fake"
  one "what a launch costs, and when it is too much" launch_cost "$fake"
  one "no GPU, no check" scripts/gpu_check.sh run "$AIK_BUILD"
  one "programs that are measured on GPUs" ended programs
  one "registers suffice" ended spills
  # Alone: beside others, its launches would be slow enough to be called a hang.
  one "a soak, and what it would find" short_soak "$fake"
}

# Kernels whose speed is measured keep all they hold in registers. (Those of tile
# programs are compiled with --fail-on-warnings: some in lit tests and as cases,
# all by `gpu_check.sh pack`.)
no_spills() {
  local folder program status=0
  command -v ptxas >/dev/null || {
    say "not looked at: there is no ptxas here"
    return
  }
  folder=$(mktemp -d)
  benchmarks/gpu/cases.py "$folder" >/dev/null &&
    rm -f "$folder"/{linear,matmul,prefill,scaled_matmul,int,layer_prefill}*.mlir &&
    cp benchmarks/gpu/decode.mlir "$folder" || return
  for program in "$folder"/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --target=nvidia:sm_90a --emit=ptx \
      -o "$folder/kernels.ptx" &&
      ptxas -v -arch=sm_90a "$folder/kernels.ptx" -o "$folder/kernels.cubin" \
        2>"$folder/log" || return
    if grep -B 1 '[1-9][0-9]* bytes spill' "$folder/log"; then
      say "$(basename "$program"): kernels that need more registers than there are"
      status=1
    fi
  done
  say "$(ls "$folder"/*.mlir | wc -l) programs"
  rm -rf "$folder"
  return $status
}

# The launches of the fake driver are no measure, but what is too much is found.
launch_cost() {
  local folder cost tests=unittests/Runtime/CudaDevice status=0
  folder=$(mktemp -d)
  g++ -std=c++17 -shared -fPIC -Iinclude "$tests/CudaDeviceLauncher.cpp" \
    -o "$folder/launcher.so" &&
    "$AIK_BUILD/bin/aikc" benchmarks/gpu/launch.mlir --strip-reference \
      --target=nvidia:sm_90a,cpu -o "$folder/launch.aikx" || return
  # The fake driver looks for the twin of kernel_null in what is loaded.
  cost="env LD_LIBRARY_PATH=$1 LD_PRELOAD=$folder/launcher.so
    $AIK_BUILD/bin/CudaLaunchCost $folder/launch.aikx $tests/kernels.ptx"
  $cost 1000000000 || return
  $cost 0.001 && return 1
  rm -rf "$folder"
}

# Command buffers, which are graphs on the fake driver.
run_commands() {
  local artifact=$AIK_BUILD/examples/commands.aikx
  local run="env LD_LIBRARY_PATH=$1 $AIK_BUILD/bin/aik-run"
  "$AIK_BUILD/bin/aikc" test/Integration/Inputs/commands.mlir \
    --target=nvidia:sm_90a,cpu -o "$artifact" &&
    $run "$artifact" --device nvidia:0 --verify=ref --function again &&
    $run "$artifact" --device nvidia:0 --verify=ref --function turns \
      --input n=full:4 &&
    "$AIK_BUILD/bin/aikc" examples/submit.mlir --target=nvidia:sm_90a,cpu \
      -o "$artifact" &&
    $run "$artifact" --device nvidia:0 --verify=ref
}

# With small sizes, on the fake driver, against their references.
measured_programs() {
  local folder program run="env LD_LIBRARY_PATH=$1 $AIK_BUILD/bin/aik-run"
  folder=$(mktemp -d)
  benchmarks/gpu/cases.py "$folder" --tiny 'softmax.32*' 'gemv.bf16.*x512' 'int4_matmul*' \
    'quant_gemv.q4_k.*x512' 'elementwise*' 'decode.b2*' 'linear*' || return
  for program in "$folder"/*.mlir; do
    "$AIK_BUILD/bin/aikc" "$program" --target=nvidia:sm_90a,cpu \
      --fail-on-warnings -o "$program.aikx" || return
    case $program in
      *layer_decode*) $run "$program.aikx" --device nvidia:0 --verify=ref \
        --input arg1=full:63 --input arg2=full:63 || return ;;
      *layer_prefill*) $run "$program.aikx" --device nvidia:0 --verify=ref \
        --input arg1=full:63 || return ;;
      *) $run "$program.aikx" --device nvidia:0 --verify=ref || return ;;
    esac
  done
  rm -rf "$folder"
}

# On the fake driver: launches that all give the same, that never end, and of
# which one fails. It does a hundred of them, 4 s of work, before the next move
# is to be seen, so that on a busy machine 20 s would be too few.
short_soak() {
  local folder soak="env LD_LIBRARY_PATH=$1 $AIK_BUILD/bin/CudaSoak" status
  folder=$(mktemp -d)
  "$AIK_BUILD/bin/aikc" test/Target/NVIDIA/Inputs/soak.mlir --strip-reference \
    --target=nvidia:sm_90a,cpu -o "$folder/soak.aikx" || return
  $soak "$folder/soak.aikx" 240 120 || return
  status=0
  AIK_FAKE_CUDA=hang $soak "$folder/soak.aikx" 240 0.5 || status=$?
  [ $status -eq 3 ] || return 1
  status=0
  AIK_FAKE_CUDA=launch:100:700 $soak "$folder/soak.aikx" 240 120 || status=$?
  [ $status -eq 1 ] || return 1
  rm -rf "$folder"
}

# Code for one length would compute garbage at another.
refuse_length() {
  local artifact=$AIK_BUILD/examples/length.aikx length
  "$AIK_BUILD/bin/aikc" examples/norm.mlir --target=cpu:aarch64+sve256 \
    -o "$artifact" && $(sve_run 256) "$artifact" --verify=ref || return
  for length in 128 512; do
    { $(sve_run $length) "$artifact" --verify=ref 2>&1 || true; } |
      grep 'AIK-R0502: .* needs sve256' || return
  done
}

run_on_both() {
  mkdir -p "$(dirname "$1")"
  "$AIK_BUILD/bin/aikc" examples/block.mlir --target="cpu,$other_target" \
    -o "$1" &&
    "$AIK_BUILD/bin/aik-run" "$1" --verify=ref &&
    $other_run "$AIK_BUILD/other/aik-run" "$1" --verify=ref
}

take_length() {
  local run
  run=$(sve_run 512)
  ${run%aik-run}aikc targets | grep "^Here 'cpu' stands for cpu:.*+sve512"
}

# The rest of a row that is no whole vector ends with the buffer.
run_last_element() {
  test/cases/run_cases.py --quiet --isa best --target "$other_target" \
    --only layer_norm.f32.3x127.dynamic.bounded \
    --runner "$other_run $AIK_BUILD/other/aik-run"
}

# Every type that has a matrix instruction, with edges and sums of two blocks.
run_products() { # TARGET RUNNER
  local function shape left right artifact=$AIK_BUILD/examples/products.aikx
  "$AIK_BUILD/bin/aikc" test/Target/CPU/Inputs/products.mlir \
    --target="$1" -o "$artifact" || return
  for function in int8 bfloat16 float32 float64; do
    for shape in "65x70 70x67" "40x1700 1700x33"; do
      read -r left right <<<"$shape"
      $2 "$artifact" --function "$function" --guard \
        --verify=ref --input "arg0=random:1:$left" \
        --input "arg1=random:2:$right" || return
    done
  done
}

stage_errors() {
  counted test/Integration/errors/run_errors.py --jobs "$(nproc)" \
    --aikc "$AIK_BUILD/bin/aikc"
}

stage_examples() {
  local file name
  for file in examples/*.mlir; do
    name=$(basename "$file" .mlir)
    one "$file" run_example "$file" "$AIK_BUILD/examples/$name.aikx"
  done
  # Its caches are donated, and position 100 makes it read what they hold.
  one "attention-decode in place" run_example examples/attention-decode.mlir \
    "$AIK_BUILD/examples/in-place.aikx" --donate --input position=full:100
}

# run_example PROGRAM ARTIFACT OPTION...
run_example() {
  mkdir -p "$(dirname "$2")"
  "$AIK_BUILD/bin/aikc" "$1" -o "$2" &&
    "$AIK_BUILD/bin/aik-run" "$2" --verify=ref --guard "${@:3}"
}

stage_fuzz() {
  local kind seeds=()
  one "building fuzz-readers" ninja -C "$AIK_BUILD" -j "$(jobs)" fuzz-readers
  # Besides this machine's, two levels whose images have the same bytes.
  one "an artifact to damage" "$AIK_BUILD/bin/aikc" examples/matmul.mlir \
    --target=cpu,cpu:aarch64,cpu:aarch64+lse -o "$AIK_BUILD/fuzz-seed.aikx"
  [ -f "$AIK_BUILD/fuzz-seed.aikx" ] && seeds=("$AIK_BUILD/fuzz-seed.aikx")
  for kind in artifact cubin npy json cli; do
    one "$kind" timeout 300 "$AIK_BUILD/bin/fuzz-readers" "$kind" \
      "${seeds[@]}" --count 10000
  done
}

stage_asan() {
  one "build" build_asan || return
  ctest --test-dir "$AIK_ROOT/build-asan" -j "$(nproc)" --timeout 300 \
    --output-on-failure --no-tests=error >"$logs/ctest-asan.txt" 2>&1
  cat "$logs/ctest-asan.txt"
  count_ctest "$logs/ctest-asan.txt"
}

build_asan() {
  { [ -f build-asan/build.ninja ] || cmake --preset asan; } &&
    ninja -C build-asan -j "$(nproc)"
}

stage_alone() {
  local folder=$AIK_BUILD/alone
  mkdir -p "$folder"
  # unittests/Runtime does the same with the library.
  one "aik-run" g++ -std=c++17 -O0 -Iinclude -Ilib/Runtime \
    $(runner_sources) -o "$folder/aik-run" -ldl -lpthread
  one "it runs" "$folder/aik-run" --version
}
