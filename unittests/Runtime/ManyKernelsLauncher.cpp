//===- ManyKernelsLauncher.cpp - A launcher with large tables -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// THOUSANDS thousand kernels with a tensor map each, in the order in which it
// takes longest to find them, and one map that is refused at the end. It has
// no functions: its tables are read before they are missed.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

#define KERNEL(number)                                                         \
  {"kernel_" #number,      128, 1,      0, AIK_MAP_WORDS,                      \
   AIK_KERNEL_TENSOR_MAPS, 0,   nullptr},
#define MAP(number) {"kernel_" #number, 0, AIK_F32, 1, 0, 0, {4, 1, 1, 1, 1}},

#define UP(row, a)                                                             \
  row(a##0) row(a##1) row(a##2) row(a##3) row(a##4) row(a##5) row(a##6)        \
      row(a##7) row(a##8) row(a##9)
#define UP2(row, a)                                                            \
  UP(row, a##0)                                                                \
  UP(row, a##1)                                                                \
  UP(row, a##2)                                                                \
  UP(row, a##3)                                                                \
  UP(row, a##4)                                                                \
  UP(row, a##5) UP(row, a##6) UP(row, a##7) UP(row, a##8) UP(row, a##9)
#define UP3(row, a)                                                            \
  UP2(row, a##0)                                                               \
  UP2(row, a##1)                                                               \
  UP2(row, a##2)                                                               \
  UP2(row, a##3)                                                               \
  UP2(row, a##4)                                                               \
  UP2(row, a##5) UP2(row, a##6) UP2(row, a##7) UP2(row, a##8) UP2(row, a##9)
#define DOWN(row, a)                                                           \
  row(a##9) row(a##8) row(a##7) row(a##6) row(a##5) row(a##4) row(a##3)        \
      row(a##2) row(a##1) row(a##0)
#define DOWN2(row, a)                                                          \
  DOWN(row, a##9)                                                              \
  DOWN(row, a##8)                                                              \
  DOWN(row, a##7)                                                              \
  DOWN(row, a##6)                                                              \
  DOWN(row, a##5)                                                              \
  DOWN(row, a##4)                                                              \
  DOWN(row, a##3) DOWN(row, a##2) DOWN(row, a##1) DOWN(row, a##0)
#define DOWN3(row, a)                                                          \
  DOWN2(row, a##9)                                                             \
  DOWN2(row, a##8)                                                             \
  DOWN2(row, a##7)                                                             \
  DOWN2(row, a##6)                                                             \
  DOWN2(row, a##5)                                                             \
  DOWN2(row, a##4)                                                             \
  DOWN2(row, a##3) DOWN2(row, a##2) DOWN2(row, a##1) DOWN2(row, a##0)

EXPORT const aik_kernel kernelTable[] __asm__("aik$kernels");
const aik_kernel kernelTable[] = {
    UP3(KERNEL, 1) UP3(KERNEL, 2) UP3(KERNEL, 3) UP3(KERNEL, 4)
#if THOUSANDS > 4
        UP3(KERNEL, 5)
#endif
            {nullptr, 0, 0, 0, 0, 0, 0, nullptr}};

EXPORT const aik_tensor_map mapTable[] __asm__("aik$maps");
const aik_tensor_map mapTable[] = {
    DOWN3(MAP, 4) DOWN3(MAP, 3) DOWN3(MAP, 2) DOWN3(MAP, 1) // 4000
    {"kernel_none", 0, AIK_F32, 1, 0, 0, {4, 1, 1, 1, 1}},
    {nullptr, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0}}};

EXPORT const aik_device_check checkTable[] __asm__("aik$checks");
const aik_device_check checkTable[] = {{nullptr, 0, 0}};
