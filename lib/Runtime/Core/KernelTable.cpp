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

#include "AIKernel-c/Artifact.h"
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
  constexpr uint32_t flags = AIK_KERNEL_STATUS | AIK_KERNEL_OVERLAPS;
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
  if ((kernel.flags & AIK_KERNEL_STATUS) && kernel.parameters == 0)
    return "has no parameter for its status";
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
  return countRows(launcher, checks, target, "aik$checks", checkCount,
                   [&](const aik_device_check &row) -> const char * {
                     if (!isText(launcher, row.text, 4096))
                       return "has no text";
                     return row.code > 0 && row.code < 4096 && !row.reserved
                                ? nullptr
                                : "has an impossible code";
                   });
}
