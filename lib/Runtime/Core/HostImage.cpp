//===- HostImage.cpp - A host image, loaded into this process -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic loader trusts what it is given, so the headers are checked here
// first: right machine, segments inside the file, and no other library wanted.
//
//===----------------------------------------------------------------------===//

#include "Core/HostImage.h"

#include "AIKernel-c/Runtime.h"
#include "Core/CpuFeatures.h"
#include "Core/Cursor.h"
#include "Core/ElfCheck.h"
#include "Core/Status.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
/// More than any compiled image needs; a runaway would map all memory.
constexpr uint64_t maxSpan = uint64_t(1) << 32;

int32_t refuse(const char *target, const char *why) {
  return fail(AIK_ENOEXEC, "image '%s' cannot be loaded: %s", target, why);
}

int32_t checkDynamic(const uint8_t *bytes, const elf::ProgramHeader &segment,
                     const char *target) {
  for (uint64_t at = 0; at + sizeof(elf::DynamicEntry) <= segment.fileBytes;
       at += sizeof(elf::DynamicEntry)) {
    elf::DynamicEntry entry;
    memcpy(&entry, bytes + segment.offset + at, sizeof(entry));
    if (entry.tag == elf::dynamicEnd)
      return 0;
    if (entry.tag == elf::dynamicNeeded)
      return refuse(target, "it wants another library");
  }
  return refuse(target, "its dynamic section has no end");
}
} // namespace

int32_t HostImage::check(const uint8_t *bytes, uint64_t byteCount,
                         uint32_t arch, const char *target) {
  span = 0;
  elf::Header header;
  if (const char *why = elf::readHeader(bytes, byteCount, header))
    return refuse(target, why);
  if (header.type != elf::typeShared)
    return refuse(target, "it is not a shared object");
  if (header.machine != elfMachine(arch))
    return fail(AIK_EOPNOTSUPP,
                "image '%s' is for ELF machine %u, %s (%u) is wanted", target,
                header.machine, aik_arch_name(arch), elfMachine(arch));
  if (const char *why = elf::whySegmentsAreWrong(bytes, byteCount, header))
    return refuse(target, why);
  bool hasDynamic = false;
  for (uint32_t i = 0; i < header.programHeaderCount; ++i) {
    elf::ProgramHeader segment;
    memcpy(&segment, bytes + header.programHeaders + i * sizeof(segment),
           sizeof(segment));
    if (segment.type == elf::programLoad) {
      uint64_t end = 0;
      if (segment.fileBytes > segment.memoryBytes ||
          __builtin_add_overflow(segment.address, segment.memoryBytes, &end) ||
          end > maxSpan)
        return refuse(target, "a segment is too large");
      span = end > span ? end : span;
    }
    if (segment.type == elf::programDynamic) {
      hasDynamic = true;
      if (int32_t status = checkDynamic(bytes, segment, target))
        return status;
    }
  }
  return hasDynamic ? 0 : refuse(target, "it has no dynamic section");
}

int32_t HostImage::load(const uint8_t *bytes, uint64_t byteCount, uint32_t arch,
                        const char *target) {
  if (int32_t status = check(bytes, byteCount, arch, target))
    return status;
  int64_t opened = sys.memoryFile("aik-image");
  if (opened < 0)
    return failWith(opened, 0, "no file in memory for image '%s'", target);
  fd = int(opened);
  for (uint64_t done = 0; done < byteCount;) {
    int64_t count = sys.write(fd, bytes + done, byteCount - done);
    if (count <= 0) {
      unload();
      return failWith(count, count ? 0 : AIK_EIO,
                      "image '%s' could not be copied to memory", target);
    }
    done += uint64_t(count);
  }
  int64_t sealed = sys.sealFile(fd);
  if (sealed < 0) {
    unload();
    return failWith(sealed, 0, "the copy of image '%s' could not be sealed",
                    target);
  }
  // The loader knows a library by its path, so the number must stay taken for
  // as long as the image is loaded.
  char path[48], error[200] = "";
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  library = sys.loadLibrary(path, error, sizeof(error));
  if (!library) {
    unload();
    return fail(AIK_ENOEXEC, "image '%s' cannot be loaded: %s", target, error);
  }
  return 0;
}

void HostImage::unload() {
  if (library)
    sys.unloadLibrary(library);
  if (fd >= 0)
    sys.close(fd);
  library = nullptr;
  fd = -1;
  base = 0;
}

void HostImage::locate(const void *anySymbol) {
  base = reinterpret_cast<uint64_t>(sys.loadAddress(anySymbol));
}
