//===- ArtifactReader.h - Checked view of .aikx bytes ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: bytes that anybody may have written. What comes out: a view
// whose every index, offset and string has been checked, or an error and its
// sentence. Nothing is allocated. Each byte of the file is either hashed or has
// to have one certain value, so no damage goes unseen.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_ARTIFACTREADER_H
#define AIKERNEL_RUNTIME_CORE_ARTIFACTREADER_H

#include "AIKernel-c/Artifact.h"
#include "Core/Cursor.h"

namespace aik {

struct ArtifactView {
  const aik_meta_header *header = nullptr;
  const aik_meta_image *images = nullptr;
  const aik_meta_function *functions = nullptr;
  const aik_meta_value *values = nullptr;
  const char *strings = nullptr;
  const uint8_t *imageBytes[AIK_MAX_IMAGES] = {};

  const char *string(uint32_t offset) const { return strings + offset; }
};

/// `bytes` must be aligned to 8 and outlive the view.
int32_t readArtifact(const uint8_t *bytes, uint64_t byteCount,
                     ArtifactView &out);

/// The first 64 bytes of a file: 0 when they open an artifact.
int32_t checkArtifactHeader(const uint8_t *bytes, uint64_t byteCount);

/// Second half of readArtifact: the contents of .aik.meta, already hashed.
int32_t readMetadata(const uint8_t *bytes, uint64_t byteCount,
                     ArtifactView &out);

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_ARTIFACTREADER_H
