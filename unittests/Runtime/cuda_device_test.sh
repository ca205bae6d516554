#!/bin/sh
# Builds the runtime and CudaDeviceTest with g++ alone and runs it: on a
# machine with an NVIDIA GPU (sm_90 or later) and its driver, nothing else is
# needed. With the path of a folder that has a libcuda.so.1, that one is used.
# usage: cuda_device_test.sh SOURCE_ROOT [DRIVER_FOLDER]
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=$root/unittests/Runtime
g++ -std=c++17 -O2 -shared -fPIC -nostdlib -ffreestanding -fno-builtin -fno-exceptions -fno-rtti -fno-stack-protector -fvisibility=hidden -I"$root/include" "$tests/CudaDevice/CudaDeviceLauncher.cpp" -o "$work/launcher.so"
g++ -std=c++17 -O2 -fno-rtti -I"$root/include" -I"$root/lib/Runtime" -I"$tests" $(find "$root/lib/Runtime" "$root/lib/Artifact" -name '*.cpp') "$tests/TestSupport.cpp" "$tests/CudaDevice/CudaDeviceTest.cpp" -o "$work/CudaDeviceTest" -ldl -lpthread
[ $# -lt 2 ] || export LD_LIBRARY_PATH="$2"
"$work/CudaDeviceTest" "$work/launcher.so" "$tests/CudaDevice/kernels.ptx"
