//===- CudaTensorMap.cpp - Kernel parameters that describe tensors --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map depends on nothing but its row and its words, so one that is kept never
// has to be thrown away, only overwritten.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaTensorMap.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
/// CUtensorMapDataType. The map only moves bytes, so that what it has no name
/// for goes as an integer of the same size.
int typeOf(uint32_t dtype) {
  switch (dtype) {
  case AIK_F32:
    return 7;
  case AIK_F64:
    return 8;
  case AIK_F16:
    return 6;
  case AIK_BF16:
    return 9;
  case AIK_I16:
    return 1;
  case AIK_I32:
    return 3;
  case AIK_I64:
    return 5;
  default:
    return 0; // bytes
  }
}

/// CUtensorMapSwizzle and CUtensorMapL2promotion count powers of two.
int stepsFrom(uint32_t least, uint32_t bytes) {
  int steps = 0;
  for (; bytes >= least; bytes /= 2)
    ++steps;
  return steps;
}

uint32_t hashOf(const aik_tensor_map *row, const uint64_t *words) {
  uint64_t hash = reinterpret_cast<uint64_t>(row) / sizeof(*row);
  for (uint32_t i = 0; i < AIK_MAP_WORDS; ++i)
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
  return uint32_t(hash >> 32);
}

/// "3 x 7 x 64", outermost first.
void listNumbers(char *out, size_t outBytes, const uint64_t *first,
                 uint32_t count) {
  *out = 0;
  for (uint32_t i = count; i-- > 0;) {
    size_t used = strlen(out);
    snprintf(out + used, outBytes - used, "%s%llu", used ? " x " : "",
             (unsigned long long)first[i]);
  }
}

int32_t refuse(const aik_tensor_map &row, const uint64_t *words) {
  constexpr size_t longest = AIK_MAX_MAP_RANK * 24;
  char sizes[longest], steps[longest];
  listNumbers(sizes, longest, words + 1, row.rank);
  listNumbers(steps, longest, words + 1 + AIK_MAX_MAP_RANK, row.rank - 1);
  return failWith(cu::invalidValue, AIK_EINVAL,
                  "kernel '%s' cannot have a tensor map of %s elements at "
                  "0x%llx%s%s%s",
                  row.kernel, sizes, (unsigned long long)words[0],
                  *steps ? ", " : "", steps, *steps ? " bytes apart" : "");
}
} // namespace

int32_t CudaTensorMaps::start(Sys &sys) {
  if (entries)
    return 0;
  entries = static_cast<Entry *>(sys.allocate(sizeof(Entry) * kept, 64));
  if (!entries)
    return fail(AIK_ENOMEM, "no memory for tensor maps");
  memset(static_cast<void *>(entries), 0, sizeof(Entry) * kept);
  return 0;
}

void CudaTensorMaps::stop(Sys &sys) {
  sys.release(entries);
  entries = nullptr;
}

/// Where the map is, or else the place of the one that was not used longest.
CudaTensorMaps::Entry &CudaTensorMaps::findPlace(const aik_tensor_map &row,
                                                 const uint64_t *words) {
  Entry *set = entries + hashOf(&row, words) % (kept / places) * places;
  Entry *oldest = set;
  for (Entry *entry = set; entry != set + places; ++entry) {
    if (entry->row == &row &&
        memcmp(entry->words, words, sizeof(entry->words)) == 0)
      return *entry;
    if (entry->usedAt < oldest->usedAt)
      oldest = entry;
  }
  return *oldest;
}

int32_t CudaTensorMaps::encode(CudaDevice &device, const aik_tensor_map &row,
                               uint64_t *words) {
  Entry &entry = findPlace(row, words);
  entry.usedAt = ++uses;
  if (entry.row != &row || memcmp(entry.words, words, sizeof(entry.words))) {
    constexpr uint32_t ones[AIK_MAX_MAP_RANK] = {1, 1, 1, 1, 1};
    entry.row = nullptr;
    cu::Result code = device.cuda.call.TensorMapEncodeTiled(
        entry.map, typeOf(row.dtype), row.rank,
        reinterpret_cast<void *>(words[0]), words + 1,
        words + 1 + AIK_MAX_MAP_RANK, row.box, ones, /*interleave=*/0,
        stepsFrom(32, row.swizzle), stepsFrom(64, row.l2_promotion),
        /*outside=*/0);
    if (code == cu::invalidValue)
      return refuse(row, words);
    if (int32_t failed =
            device.check(code, "a tensor map cannot be made", row.kernel))
      return failed;
    memcpy(entry.words, words, sizeof(entry.words));
    entry.row = &row;
  }
  memcpy(words, entry.map, sizeof(entry.map));
  return 0;
}
