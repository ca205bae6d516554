#===- common.sh - What the scripts share -------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Sourced by the other scripts: goes to the root of the project, knows the two
# architectures, installs missing Debian packages, configures and builds.
# AIK_JOBS says how many compilations may run at once.
#
#===----------------------------------------------------------------------===#

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
AIK_ROOT=$PWD
AIK_BUILD=$AIK_ROOT/build
AIK_LLVM=/usr/lib/llvm-22
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1

host_arch=$(uname -m)
case $host_arch in
  x86_64) other_arch=aarch64 other_target=cpu:aarch64 ;;
  aarch64) other_arch=x86_64 other_target=cpu:x86-64-v3,cpu:x86-64 ;;
  *) echo "error: AIKernel runs on x86-64 and AArch64, not on $host_arch" >&2
     exit 3 ;;
esac
other_gxx=$other_arch-linux-gnu-g++
# `max`: all that qemu can do. Its default hides AVX2 in some versions.
other_run="qemu-$other_arch -cpu max -L /usr/$other_arch-linux-gnu"

# aik-run on an AArch64 machine whose SVE vectors have $1 bits, and what such
# machines have besides: SVE2 is found with the shortest vectors.
sve_run() {
  local run="qemu-aarch64 -cpu max,sve-default-vector-length=$(($1 / 8))"
  case $host_arch in
    aarch64) say "$run $AIK_BUILD/bin/aik-run" ;;
    *) say "$run -L /usr/aarch64-linux-gnu $AIK_BUILD/other/aik-run" ;;
  esac
}
sve_target() {
  local extra=
  [ "$1" -gt 128 ] || extra=+sve2
  say "cpu:aarch64+fp16+dotprod+bf16+i8mm$extra+sve$1"
}

say() { printf '%s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Compiling against MLIR takes about 1.5 GB per process.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo)
  [ "$memory" -lt 1 ] && memory=1
  say "${AIK_JOBS:-$((cores < memory ? cores : memory))}"
}

packages() {
  say libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22 \
    libclang-rt-22-dev liblld-22-dev clang-format-22 clang-tidy-22 libboost-program-options-dev \
    ninja-build cmake python3 python3-numpy g++ binutils qemu-user \
    "g++-${other_arch/_/-}-linux-gnu"
}

# Installs what is missing, as root or through sudo; quick when nothing is.
install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this is not Debian or a relative; install: $(packages)"
  local missing=() package as_root=()
  for package in $(packages); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = \
      installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root, and there is no sudo; install as root: ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${missing[*]}"
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
    --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

# configure_and_build [ninja target...]
configure_and_build() {
  [ -f "$AIK_BUILD/build.ninja" ] || cmake --preset dev
  ninja -C "$AIK_BUILD" -j "$(jobs)" "$@"
}

seconds_since() { # a time from $EPOCHREALTIME
  awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'
}

# The runtime alone, for machines without LLVM.
build_alone() { # FILE, FLAG or '', SOURCES...
  local file=$1 folder=$1.objects flag=$2
  shift 2
  rm -rf "$folder" && mkdir -p "$folder"
  find "$@" -name '*.cpp' | sort |
    xargs -P "$(nproc)" -I SOURCE bash -c '
      object=$2/$(echo "$1" | tr / .).o
      exec g++ -std=c++17 -O2 -fPIC -Iinclude -Ilib/Runtime -c "$1" -o "$object"
    ' _ SOURCE "$folder"
  g++ $flag "$folder"/*.o -o "$file" -ldl -lpthread
  rm -rf "$folder"
}
build_runner() { build_alone "$1" '' lib/Runtime tools/aik-run; } # FILE
build_library() { build_alone "$1" -shared lib/Runtime; }         # FILE
