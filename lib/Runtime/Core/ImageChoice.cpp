//===- ImageChoice.cpp - Which image of an artifact runs here -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the artifact's images, this CPU's features and the caller's
// wish. What comes out: one image that certainly runs, or a sentence that says
// what each of the others is missing.
//
//===----------------------------------------------------------------------===//

#include "Core/Artifact.h"
#include "Core/CpuFeatures.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
bool isHostKind(const aik_meta_image &image) {
  return image.kind == AIK_IMAGE_HOST || image.kind == AIK_IMAGE_REFERENCE;
}

/// "is for x86-64", "needs sve sve2", "is a ptx image".
void describeRefusal(const Runtime &runtime, const aik_meta_image &image,
                     char *out, size_t outBytes) {
  if (!isHostKind(image)) {
    snprintf(out, outBytes, "is a %s image", aik_image_kind_name(image.kind));
  } else if (image.arch != hostArch()) {
    snprintf(out, outBytes, "is for %s", aik_arch_name(image.arch));
  } else {
    snprintf(out, outBytes, "needs");
    appendFeatures(image.arch, missingFeatures(runtime, image), " ", out,
                   outBytes);
  }
}

int32_t refuseOne(const Artifact &artifact, uint32_t index) {
  const aik_meta_image &image = artifact.view.images[index];
  char why[200];
  describeRefusal(artifact.runtime, image, why, sizeof(why));
  return fail(AIK_EOPNOTSUPP, "image '%.120s' %s, which this %s CPU %s",
              artifact.view.string(image.target), why,
              aik_arch_name(hostArch()),
              isHostKind(image) && image.arch == hostArch() ? "does not have"
                                                            : "cannot run");
}

int32_t refuseAll(const Artifact &artifact) {
  char reasons[360] = "";
  for (uint32_t i = 0; i < artifact.view.header->image_count; ++i) {
    const aik_meta_image &image = artifact.view.images[i];
    if (image.kind == AIK_IMAGE_REFERENCE)
      continue;
    char why[160];
    describeRefusal(artifact.runtime, image, why, sizeof(why));
    size_t used = strlen(reasons);
    snprintf(reasons + used, sizeof(reasons) - used, "%s'%.80s' %s",
             used ? "; " : "", artifact.view.string(image.target), why);
  }
  return fail(AIK_EOPNOTSUPP, "no image fits this %s CPU: %s",
              aik_arch_name(hostArch()),
              *reasons ? reasons : "the artifact has none to choose from");
}

/// The first image that `matches`, one for this architecture before others.
template <typename Test>
bool find(const ArtifactView &view, Test matches, uint32_t &index) {
  bool found = false;
  for (uint32_t i = 0; i < view.header->image_count; ++i) {
    if (!matches(view.images[i]))
      continue;
    if (!found || (view.images[index].arch != hostArch() &&
                   view.images[i].arch == hostArch()))
      index = i;
    found = true;
  }
  return found;
}
} // namespace

uint64_t aik::missingFeatures(const Runtime &runtime,
                              const aik_meta_image &image) {
  uint64_t present = image.arch == hostArch() ? runtime.features : 0;
  return image.features & ~present;
}

bool aik::fitsHost(const Runtime &runtime, const aik_meta_image &image) {
  return isHostKind(image) && image.arch == hostArch() &&
         missingFeatures(runtime, image) == 0;
}

int32_t aik::chooseImage(const Artifact &artifact, const char *wanted,
                         uint32_t &index) {
  const ArtifactView &view = artifact.view;
  const Runtime &runtime = artifact.runtime;
  if (!wanted || strcmp(wanted, "auto") == 0) {
    bool found = false;
    for (uint32_t i = 0; i < view.header->image_count; ++i) {
      const aik_meta_image &image = view.images[i];
      if (image.kind != AIK_IMAGE_HOST || !fitsHost(runtime, image))
        continue;
      if (!found || image.rank > view.images[index].rank)
        index = i;
      found = true;
    }
    return found ? 0 : refuseAll(artifact);
  }
  bool reference = strcmp(wanted, "reference") == 0;
  bool found = find(
      view,
      [&](const aik_meta_image &image) {
        return reference ? image.kind == AIK_IMAGE_REFERENCE
                         : strcmp(view.string(image.target), wanted) == 0;
      },
      index);
  if (!found)
    return fail(AIK_ENOENT, "the artifact has no image '%.200s'", wanted);
  return fitsHost(runtime, view.images[index]) ? 0 : refuseOne(artifact, index);
}
