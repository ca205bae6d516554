#!/bin/sh
# Builds the runtime and its tests with g++ -fsanitize=thread and runs those
# that use threads. Needs no CMake configuration of its own.
# usage: thread_sanitizer_test.sh SOURCE_ROOT TEST_IMAGE TEST_LAUNCHER FAKE_CUDA
set -eu
root=$1
image=$2
launcher=$3
fake=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c++17 -O1 -g1 -fsanitize=thread -Wno-tsan -fno-rtti -I$root/include -I$root/lib/Runtime -I$root/unittests/Runtime"
tests="Conformance/ConformanceTest CoreTest RingTest SleepingPlaceTest ThreadPoolTest FaultInjectionTest FaultModelTest CudaTest"

sources="$(find "$root/lib/Runtime" "$root/lib/Artifact" -name '*.cpp') $root/unittests/Runtime/TestSupport.cpp $root/unittests/Runtime/CountingSys.cpp"
for name in $tests; do sources="$sources $root/unittests/Runtime/$name.cpp"; done
export flags work
# One object per source, two at a time, named after the whole path.
printf '%s\n' $sources | xargs -P 2 -I{} sh -c \
  'g++ $flags -c "{}" -o "$work/$(printf %s "{}" | tr / _).o"'
common=$(ls "$work"/*.o | grep -v 'Test\.cpp\.o$')
status=0
for name in $tests; do
  base=$(basename "$name")
  g++ -fsanitize=thread "$work"/*_"$base".cpp.o $common -o "$work/$base" -ldl -lpthread
  # Sanitizers want a memory layout that some kernels randomise too widely.
  run="$work/$base"
  if setarch -R true 2>/dev/null; then run="setarch -R $run"; fi
  echo "$base:"
  set -- "$image"
  [ "$base" != CudaTest ] || set -- "$image" "$launcher" "$fake"
  TSAN_OPTIONS=halt_on_error=0:exitcode=66 $run "$@" || status=1
done
exit $status
