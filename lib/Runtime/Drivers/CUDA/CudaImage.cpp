//===- CudaImage.cpp - Images that the CUDA driver is given ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a cubin or PTX, which is checked first. What comes out: a
// module of the CUDA driver, or why there is none, with the kernel where that
// is known.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaModule.h"

#include "Core/ElfCheck.h"

#include <stdlib.h>
#include <string.h>

using namespace aik;

namespace {
/// The driver does not take the image, whatever the state of the machine.
bool isRefusal(cu::Result code) {
  switch (code) {
  case cu::invalidImage:
  case cu::noBinaryForGpu:
  case cu::invalidPtx:
  case cu::jitCompilerNotFound:
  case cu::unsupportedPtxVersion:
  case cu::jitCompilationDisabled:
  case cu::invalidSource:
    return true;
  default:
    return false;
  }
}

/// cuModuleLoadDataEx takes no size and finds out by itself what it is given.
const char *whyUnsafe(const aik_meta_image &image, const uint8_t *bytes) {
  if (image.kind != AIK_IMAGE_PTX)
    return elf::whyNoCubin(bytes, image.size);
  bool isText = image.size && memchr("/. \t\r\n", bytes[0], 6) &&
                !memchr(bytes, 0, image.size);
  return isText ? nullptr : "it is not PTX";
}

/// The line of the compiler's log that names a function, or else the first;
/// the others are cut off.
const char *tellingLine(char *log) {
  char *line = strstr(log, "unction '");
  while (line && line != log && line[-1] != '\n')
    --line;
  line = line ? line : log;
  line[strcspn(line, "\n")] = 0;
  return line;
}

/// The log counts lines ("..., line 7; error: ..."): which kernel is that in?
void findKernel(const char *ptx, const char *said, char *out, size_t outBytes) {
  const char *number = strstr(said, "line ");
  long left = number ? strtol(number + strlen("line "), nullptr, 10) : 0;
  for (; left > 0 && ptx; --left) {
    const char *entry = strstr(ptx, ".entry ");
    const char *end = strchr(ptx, '\n');
    if (entry && (!end || entry < end)) {
      entry += strlen(".entry ");
      size_t length = strcspn(entry, " \t\r\n(");
      length = length < outBytes ? length : outBytes - 1;
      memcpy(out, entry, length);
      out[length] = 0;
    }
    ptx = end ? end + 1 : nullptr;
  }
}
} // namespace

int32_t CudaModule::loadImage(bool &refused) {
  const cu::Functions &call = device.cuda.call;
  if (const char *why = whyUnsafe(image, imageBytes))
    return fail(AIK_ENOEXEC, "%s image '%.100s' cannot be loaded: %s",
                aik_image_kind_name(image.kind), imageTarget, why);
  ScopedMemory text(device.runtime.sys);
  const void *data = imageBytes;
  if (image.kind == AIK_IMAGE_PTX) {
    auto *copy = static_cast<char *>(text.allocate(image.size + 1, 1));
    if (!copy)
      return fail(AIK_ENOMEM, "no memory for %llu bytes of PTX",
                  (unsigned long long)image.size);
    memcpy(copy, imageBytes, image.size);
    copy[image.size] = 0;
    data = copy;
  }
  char log[2048] = "";
  int options[] = {cu::jitErrorLogBuffer, cu::jitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  cu::Result code = call.ModuleLoadDataEx(&module, data, 2, options, values);
  if (code == cu::success)
    return 0;
  module = nullptr;
  if (!isRefusal(code))
    return device.check(code, "the image cannot be loaded", imageTarget);
  refused = true;
  bool isText = image.kind == AIK_IMAGE_PTX;
  const char *why = tellingLine(log);
  char kernel[AIK_MAX_NAME + 1] = "";
  if (isText)
    findKernel(static_cast<const char *>(data), why, kernel, sizeof(kernel));
  return failWith(code, AIK_ENOEXEC,
                  "the CUDA driver refuses %s image '%.100s': %s (%d)%s%.200s"
                  "%s%.100s%s",
                  aik_image_kind_name(image.kind), imageTarget,
                  device.cuda.nameOf(code), code, *why ? ": " : "", why,
                  *kernel ? ", in kernel '" : "", kernel, *kernel ? "'" : "");
}
