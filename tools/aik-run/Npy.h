//===- Npy.h - Reading and writing .npy files -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file format of numpy arrays, versions 1.0 to 3.0, little endian. bf16
// travels as u2 and the two f8 types as u1, because numpy has no name for
// them. A reader allocates only after shape and file size agree.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_NPY_H
#define AIK_RUN_NPY_H

#include "Files.h"
#include "Tensor.h"

namespace aikrun {

struct NpyHeader {
  char kind = 0;     // f, i, u or b
  uint32_t size = 0; // bytes of one element
  bool fortranOrder = false;
  std::vector<int64_t> dims;
  uint64_t dataOffset = 0;
  uint64_t dataBytes = 0;
};

/// The longest header that is read, magic and length included.
constexpr uint64_t npyHeaderCap = 65536;

/// Reads the header from the first `available` bytes of a file that has
/// `fileSize` bytes. `available` must be the file, or npyHeaderCap of it.
Error parseNpyHeader(const uint8_t *bytes, uint64_t available,
                     uint64_t fileSize, NpyHeader &header);

/// Reads a file as a tensor of `type`.
Error readNpy(const std::string &path, const ElementType &type, bool guarded,
              MemoryBudget &budget, Tensor &tensor);

/// Writes version 1.0 into `file`, which the caller commits.
Error writeNpy(const std::string &path, const Tensor &tensor, OutputFile &file);

} // namespace aikrun

#endif // AIK_RUN_NPY_H
