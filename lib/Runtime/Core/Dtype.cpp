//===- Dtype.cpp - Names and sizes of element types and image kinds -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables behind the small naming calls of the C API.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"

namespace {
struct DtypeRow {
  const char *name;
  uint32_t bytes;
};
// Indexed by AIK_F32 ... AIK_BOOL, spelled as MLIR spells them.
constexpr DtypeRow dtypes[AIK_DTYPE_COUNT] = {
    {"none", 0},     {"f32", 4},    {"f64", 8}, {"f16", 2}, {"bf16", 2},
    {"f8E4M3FN", 1}, {"f8E5M2", 1}, {"i8", 1},  {"u8", 1},  {"i16", 2},
    {"i32", 4},      {"i64", 8},    {"bool", 1}};
constexpr const char *imageKinds[] = {"?",     "host",  "reference", "ptx",
                                      "cubin", "hsaco", "launcher"};
} // namespace

const char *aik_dtype_name(uint32_t dtype) {
  return dtype < AIK_DTYPE_COUNT ? dtypes[dtype].name : "?";
}

uint32_t aik_dtype_size(uint32_t dtype) {
  return dtype < AIK_DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

const char *aik_image_kind_name(uint32_t kind) {
  return imageKinds[kind <= AIK_IMAGE_LAUNCHER ? kind : 0];
}
