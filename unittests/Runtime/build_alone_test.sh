#!/bin/sh
# Builds libaikrt with the one line of lib/Runtime/README.md, links a C program
# to it, and checks what the library needs, exports and weighs.
# usage: build_alone_test.sh SOURCE_ROOT
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $1"; echo "0 passed, 1 failed"; exit 1; }

line=$(sed -n 's/^\(g++ .*\)$/\1/p' "$root/lib/Runtime/README.md")
[ "$(printf '%s\n' "$line" | wc -l)" = 1 ] || fail "README.md has not exactly one g++ line"
cp -r "$root/include" "$work/include"
mkdir "$work/lib"
cp -r "$root/lib/Runtime" "$work/lib/Runtime"
cd "$work"
sh -c "$line" || fail "the line does not build the library"

cat > user.c <<'END'
#include "AIKernel-c/Runtime.h"
#include <stdio.h>
int main(void) {
  aik_runtime *runtime = 0;
  aik_handle device = 0;
  if (aik_runtime_open(0, &runtime) || aik_device_open(runtime, "cpu", &device))
    return 1;
  if (aik_device_open(runtime, "toaster", &device) != -AIK_ENODEV)
    return 2;
  puts(aik_fault_message());
  return aik_runtime_close(runtime);
}
END
gcc -std=c99 -Wall -Wextra -pedantic -Werror -Iinclude user.c -L. -laikrt -o user || fail "a C99 program does not build against it"
LD_LIBRARY_PATH=. ./user || fail "the C program does not run"

needed=$(readelf -d libaikrt.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so\|^ld-linux\|^libdl\|^libpthread' || true)
[ -z "$needed" ] || fail "it needs $needed"
others=$(nm -D --defined-only libaikrt.so | awk '{print $3}' | grep -v '^aik_' || true)
[ -z "$others" ] || fail "it exports $others"
text=$(size -A libaikrt.so | awk '$1 == ".text" {print $2}')
[ "$text" -le 98304 ] || fail "its code has $text bytes, 98304 are the most"
echo "libaikrt.so: $text bytes of code"
echo "1 passed, 0 failed"
