//===- DeviceImageChoice.cpp - Which image a device gets ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the artifact's images, a device with memory of its own and the
// caller's wish. What comes out: the device image that fits best, and the host
// image that launches its kernels, or a sentence that says what was found.
//
//===----------------------------------------------------------------------===//

#include "Core/Artifact.h"
#include "Core/CpuFeatures.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
uint32_t processorOf(const aik_meta_image &image) {
  return uint32_t(image.features & 0xffff);
}

/// Of two that fit, the better one: rank, then what needs no compiling.
bool isBetter(const aik_meta_image &one, const aik_meta_image &other) {
  if (one.rank != other.rank)
    return one.rank > other.rank;
  return one.kind == AIK_IMAGE_CUBIN && other.kind == AIK_IMAGE_PTX;
}

/// "is a cubin image for sm_90 alone", "is a host image".
void describeImage(const aik_meta_image &image, char *out, size_t outBytes) {
  const char *kind = aik_image_kind_name(image.kind);
  if (image.kind == AIK_IMAGE_PTX || image.kind == AIK_IMAGE_CUBIN)
    snprintf(out, outBytes, "is a %s image for sm_%u%s", kind,
             processorOf(image), image.features & AIK_SM_EXACT ? " alone" : "");
  else if (image.kind == AIK_IMAGE_HSACO)
    snprintf(out, outBytes, "is a %s image for gfx%x", kind,
             processorOf(image));
  else
    snprintf(out, outBytes, "is a %s image", kind);
}

/// Is there an image of the same target before this one that such devices take?
bool isNamedBefore(const ArtifactView &view, const Device &device,
                   uint32_t index) {
  for (uint32_t i = 0; i < index; ++i)
    if (device.takes(view.images[i].kind) &&
        strcmp(view.string(view.images[i].target),
               view.string(view.images[index].target)) == 0)
      return true;
  return false;
}

/// Names each target of such devices once, as long as there is room.
int32_t refuseAll(const Artifact &artifact, Device &device) {
  const ArtifactView &view = artifact.view;
  char reasons[320] = "";
  size_t used = 0;
  uint32_t unnamed = 0;
  for (uint32_t i = 0; i < view.header->image_count; ++i) {
    const aik_meta_image &image = view.images[i];
    if (!device.takes(image.kind) || isNamedBefore(view, device, i))
      continue;
    char what[80], reason[200];
    describeImage(image, what, sizeof(what));
    snprintf(reason, sizeof(reason), "%s'%.80s' %s", used ? "; " : "",
             view.string(image.target), what);
    size_t length = strlen(reason);
    if (unnamed || used + length >= sizeof(reasons)) {
      ++unnamed;
      continue;
    }
    memcpy(reasons + used, reason, length + 1);
    used += length;
  }
  char more[32] = "";
  if (unnamed)
    snprintf(more, sizeof(more), "; and %u more", unnamed);
  aik_device_info info = {};
  device.describe(info);
  return fail(AIK_EOPNOTSUPP, "no image fits %s (%.16s): %s%s", info.name,
              info.arch,
              used ? reasons : "the artifact has none for such devices", more);
}

int32_t refuseOne(const Artifact &artifact, Device &device, uint32_t index) {
  const aik_meta_image &image = artifact.view.images[index];
  char what[80];
  describeImage(image, what, sizeof(what));
  aik_device_info info = {};
  device.describe(info);
  return fail(AIK_EOPNOTSUPP, "image '%.120s' %s, which %s (%.16s) cannot run",
              artifact.view.string(image.target), what, info.name, info.arch);
}
} // namespace

int32_t aik::chooseDeviceImage(const Artifact &artifact, Device &device,
                               const char *wanted, uint32_t &index) {
  const ArtifactView &view = artifact.view;
  bool any = !wanted || strcmp(wanted, "auto") == 0;
  bool found = false, named = false;
  for (uint32_t i = 0; i < view.header->image_count; ++i) {
    const aik_meta_image &image = view.images[i];
    if (!any && (image.kind == AIK_IMAGE_LAUNCHER ||
                 strcmp(view.string(image.target), wanted) != 0))
      continue;
    if (!named && !found)
      index = i;
    named = true;
    if (!device.fits(image))
      continue;
    if (!found || isBetter(image, view.images[index]))
      index = i;
    found = true;
  }
  if (found)
    return 0;
  if (any)
    return refuseAll(artifact, device);
  return named ? refuseOne(artifact, device, index)
               : fail(AIK_ENOENT, "the artifact has no image '%.200s'", wanted);
}

bool aik::chooseCompiledInstead(const Artifact &artifact, Device &device,
                                const char *wanted, uint32_t &index) {
  const ArtifactView &view = artifact.view;
  bool any = !wanted || strcmp(wanted, "auto") == 0;
  uint32_t limit = processorOf(view.images[index]);
  const char *target = view.string(view.images[index].target);
  bool found = false;
  for (uint32_t i = 0; i < view.header->image_count; ++i) {
    const aik_meta_image &image = view.images[i];
    if (image.kind != AIK_IMAGE_PTX || processorOf(image) > limit ||
        !device.fits(image) ||
        (!any && strcmp(view.string(image.target), target) != 0))
      continue;
    if (!found || isBetter(image, view.images[index]))
      index = i;
    found = true;
  }
  return found;
}

bool aik::fitsFoundDevice(Runtime &runtime, const aik_meta_image &image) {
  if (image.kind == AIK_IMAGE_LAUNCHER)
    return image.arch == hostArch() && missingFeatures(runtime, image) == 0;
  // A driver is not loaded only to answer this.
  if (fitsHost(runtime, image) || !runtime.cuda)
    return false;
  bool found = false;
  for (uint32_t i = 0; i < runtime.deviceCount && !found; ++i) {
    Device *device = nullptr;
    if (makeDevice(runtime, i, &device) != 0)
      break;
    found = device->fits(image);
    device->destroy();
  }
  return found;
}

int32_t aik::findLauncher(const Artifact &artifact, uint32_t deviceImage,
                          uint32_t &index) {
  const ArtifactView &view = artifact.view;
  const char *target = view.string(view.images[deviceImage].target);
  for (index = 0; index < view.header->image_count; ++index) {
    const aik_meta_image &image = view.images[index];
    if (image.kind == AIK_IMAGE_LAUNCHER &&
        fitsFoundDevice(artifact.runtime, image) &&
        strcmp(view.string(image.target), target) == 0)
      return 0;
  }
  return fail(AIK_EOPNOTSUPP,
              "image '%.120s' has no launcher that this %s CPU can run", target,
              aik_arch_name(hostArch()));
}
