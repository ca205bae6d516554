//===- KernelTable.cpp - The tables that a launcher exports ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows and strings must lie inside the launcher, tables must end, and numbers
// must be possible: they become arguments of a device's driver.
//
//===----------------------------------------------------------------------===//

#include "Core/KernelTable.h"

#include "AIKernel-c/Runtime.h"
#include "Core/Status.h"

#include <string.h>

using namespace aik;

namespace {
/// A whole string of the image with 1 to `longest` characters.
bool isText(const HostImage &image, const char *text, size_t longest) {
  for (size_t length = 0; length <= longest; ++length) {
    if (!image.contains(reinterpret_cast<uint64_t>(text + length)))
      return false;
    if (text[length] == 0)
      return length > 0;
  }
  return false;
}

const char *whyImpossible(const HostImage &image, const aik_kernel &kernel) {
  constexpr uint32_t flags = AIK_KERNEL_STATUS | AIK_KERNEL_OVERLAPS |
                             AIK_KERNEL_RESIDENT | AIK_KERNEL_TENSOR_MAPS;
  if (!isText(image, kernel.name, AIK_MAX_NAME))
    return "has no name";
  if (kernel.threads == 0 || kernel.threads > KernelTable::maxThreads)
    return "has an impossible number of threads";
  if (kernel.cluster == 0 || kernel.cluster > KernelTable::maxCluster)
    return "has an impossible number of blocks in a cluster";
  if (kernel.shared_bytes > KernelTable::maxSharedBytes)
    return "asks for too much shared memory";
  if (kernel.parameters > KernelTable::maxParameters)
    return "has too many parameters";
  if ((kernel.flags & ~flags) || kernel.reserved)
    return "has an unknown flag";
  bool hasStatus = kernel.flags & AIK_KERNEL_STATUS;
  bool isResident = kernel.flags & AIK_KERNEL_RESIDENT;
  if (kernel.parameters < uint32_t(hasStatus) + uint32_t(isResident))
    return hasStatus && kernel.parameters == 0
               ? "has no parameter for its status"
               : "has no parameter for the number of its blocks";
  return nullptr;
}

bool isOneOf(uint32_t value, uint32_t a, uint32_t b, uint32_t c) {
  return value == 0 || value == a || value == b || value == c;
}

/// `kernel` is the one that the map names, or null.
const char *whyImpossible(const aik_tensor_map &map, const aik_kernel *kernel) {
  uint32_t bytes = aik_dtype_size(map.dtype);
  if (!kernel || !(kernel->flags & AIK_KERNEL_TENSOR_MAPS))
    return "is not of a kernel that has tensor maps";
  uint32_t first = kernel->flags & AIK_KERNEL_STATUS ? 1 : 0;
  uint32_t last = kernel->flags & AIK_KERNEL_RESIDENT ? 1 : 0;
  if (map.parameter < first || map.parameter > KernelTable::maxParameters ||
      map.parameter + AIK_MAP_WORDS + last > kernel->parameters)
    return "has an impossible parameter";
  if (bytes == 0)
    return "has an unknown element type";
  if (map.rank == 0 || map.rank > AIK_MAX_MAP_RANK)
    return "has an impossible rank";
  if (!isOneOf(map.swizzle, 32, 64, 128) ||
      !isOneOf(map.l2_promotion, 64, 128, 256))
    return "has an unknown swizzle or promotion";
  for (uint32_t i = 0; i < AIK_MAX_MAP_RANK; ++i)
    if (map.box[i] == 0 || map.box[i] > 256 ||
        (i >= map.rank && map.box[i] != 1))
      return "has an impossible box";
  uint32_t inner = map.box[0] * bytes;
  if (inner % 16 || (map.swizzle && inner > map.swizzle))
    return "has an impossible box";
  return nullptr;
}

/// Counts rows up to the one without a string.
template <typename Row, typename Check>
int32_t countRows(const HostImage &image, const Row *rows, const char *target,
                  const char *table, uint32_t &count, Check check) {
  for (count = 0; count < KernelTable::maxRows; ++count) {
    const Row *row = rows + count;
    if (!image.contains(reinterpret_cast<uint64_t>(row)) ||
        !image.contains(reinterpret_cast<uint64_t>(row + 1) - 1))
      return fail(AIK_ENOEXEC,
                  "the launcher of '%.120s' has no end of its table %s", target,
                  table);
    const char *text;
    memcpy(&text, row, sizeof(text)); // the first field of either row
    if (!text)
      return 0;
    if (const char *why = check(*row))
      return fail(AIK_ENOEXEC, "row %u of %s of the launcher of '%.120s' %s",
                  count, table, target, why);
  }
  return fail(AIK_ENOEXEC,
              "the launcher of '%.120s' has more than %u rows in %s", target,
              KernelTable::maxRows, table);
}
} // namespace

int32_t KernelTable::read(HostImage &launcher, const char *target) {
  kernels = static_cast<const aik_kernel *>(launcher.symbol("aik$kernels"));
  checks = static_cast<const aik_device_check *>(launcher.symbol("aik$checks"));
  if (!kernels || !checks)
    return fail(AIK_ENOEXEC, "the launcher of '%.120s' does not export '%s'",
                target, kernels ? "aik$checks" : "aik$kernels");
  launcher.locate(kernels);
  if (int32_t status = countRows(
          launcher, kernels, target, "aik$kernels", kernelCount,
          [&](const aik_kernel &row) { return whyImpossible(launcher, row); }))
    return status;
  if (int32_t status =
          countRows(launcher, checks, target, "aik$checks", checkCount,
                    [&](const aik_device_check &row) -> const char * {
                      if (!isText(launcher, row.text, 4096))
                        return "has no text";
                      return row.code > 0 && row.code < 4096 && !row.reserved
                                 ? nullptr
                                 : "has an impossible code";
                    }))
    return status;
  bool hasMaps = false;
  for (uint32_t i = 0; i < kernelCount; ++i)
    hasMaps |= (kernels[i].flags & AIK_KERNEL_TENSOR_MAPS) != 0;
  if (!hasMaps)
    return 0;
  maps = static_cast<const aik_tensor_map *>(launcher.symbol("aik$maps"));
  if (!maps)
    return fail(AIK_ENOEXEC,
                "the launcher of '%.120s' does not export 'aik$maps'", target);
  const aik_kernel *kernel = nullptr;
  return countRows(
      launcher, maps, target, "aik$maps", mapCount,
      [&](const aik_tensor_map &row) -> const char * {
        if (!isText(launcher, row.kernel, AIK_MAX_NAME))
          return "has no name";
        const aik_kernel *before = kernel;
        kernel = kernelOf(row, before);
        bool isApart = false;
        if (kernel && kernel == before)
          isApart = row.parameter < (&row)[-1].parameter + AIK_MAP_WORDS;
        else if (kernel)
          for (const aik_tensor_map *other = maps; other < &row; ++other)
            isApart |= strcmp(other->kernel, row.kernel) == 0;
        return isApart ? "is not behind its kernel's others"
                       : whyImpossible(row, kernel);
      });
}

const aik_kernel *KernelTable::kernelOf(const aik_tensor_map &map,
                                        const aik_kernel *near) const {
  uint32_t first = near ? uint32_t(near - kernels) : 0;
  for (uint32_t i = 0; i < kernelCount; ++i) {
    const aik_kernel &kernel = kernels[(first + i) % kernelCount];
    if (strcmp(kernel.name, map.kernel) == 0)
      return &kernel;
  }
  return nullptr;
}
