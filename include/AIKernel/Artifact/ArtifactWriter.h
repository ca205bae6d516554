//===- ArtifactWriter.h - Writes .aikx files ------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a description of images, functions and their values. What
// comes out: the bytes of the file that AIKernel-c/Artifact.h defines, the same
// for the same description, or a sentence that says what is wrong with it.
// Needs no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_ARTIFACT_ARTIFACTWRITER_H
#define AIKERNEL_ARTIFACT_ARTIFACTWRITER_H

#include "AIKernel-c/Artifact.h"

#include <string>
#include <vector>

namespace aik {

/// One dimension of a value, with what is known about it.
struct ArtifactDim {
  int64_t size = AIK_DYNAMIC;
  int64_t min = 0;
  int64_t max = -1; // no fact
  int64_t multipleOf = 1;
};

/// An argument or a result.
struct ArtifactValue {
  std::string name; // empty: called argN or resultN
  uint32_t dtype = AIK_F32;
  std::vector<ArtifactDim> dims;
  uint32_t flags = 0;   // AIK_VALUE_*
  uint32_t donates = 0; // with AIK_VALUE_DONATED
};

struct ArtifactFunction {
  std::string name;
  std::vector<ArtifactValue> arguments;
  std::vector<ArtifactValue> results;
};

/// A complete file for one target.
struct ArtifactImage {
  uint32_t kind = AIK_IMAGE_HOST;
  uint32_t arch = AIK_ARCH_NONE;
  uint64_t features = 0;
  uint32_t rank = 0;
  std::string target;
  std::string bytes;
};

struct ArtifactDescription {
  std::vector<ArtifactImage> images;
  std::vector<ArtifactFunction> functions;
};

/// True: `out` holds the file. False: `error` holds one sentence and `out` is
/// empty.
bool writeArtifact(const ArtifactDescription &description, std::string &out,
                   std::string &error);

} // namespace aik

#endif // AIKERNEL_ARTIFACT_ARTIFACTWRITER_H
