//===- Tensors.h - Checking and densifying the caller's tensors -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: tensors as a caller describes them, and what the metadata
// wants. What comes out: 0, or a sentence that names the value, what was
// wanted and what was found; and dense copies where they are needed.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_TENSORS_H
#define AIKERNEL_RUNTIME_CORE_TENSORS_H

#include "AIKernel-c/Runtime.h"

namespace aik {

/// A value of a function, for sentences: "argument 'x' of 'matmul'".
struct ValueName {
  const char *function;
  const char *name; // may be empty
  uint32_t index;
  bool isResult;
};

/// "argument 'x' of 'f'" or "result 0 of 'f'", written when a sentence needs
/// it.
struct ValueText {
  explicit ValueText(const ValueName &value);
  char text[200];
};

/// Rank and dims possible, element and byte counts within limits, strides that
/// do not overflow; `data` present if needed.
int32_t checkTensor(const ValueName &name, const aik_tensor &tensor,
                    bool needsData);

/// The tensor is what the metadata wants: dtype, rank, facts, and these dims.
int32_t checkAgainst(const ValueName &name, const aik_meta_value &wanted,
                     const int64_t *wantedDims, const aik_tensor &tensor);

/// Bytes of a tensor that is just what is wanted, as most are: of these dims,
/// dense, not empty, and aligned to its element and to `alignment`. Such a one
/// passes both checks above and can be used as it is. 0: who wants to know has
/// to ask them.
int64_t plainBytes(const aik_meta_value &wanted, const int64_t *wantedDims,
                   const aik_tensor &tensor, uint32_t alignment);

/// Of the element type, the rank and the dims that are wanted, none of which is
/// unknown or 0: passes both checks but for strides and data.
bool isAsWanted(const aik_meta_value &wanted, const aik_tensor &tensor);

/// No element is reached by two different indexes, so that it may be written.
bool isWritable(const aik_tensor &tensor);

bool isDense(const aik_tensor &tensor);
/// Dense, and aligned to its element: compiled code may use it as it is.
bool isUsable(const aik_tensor &tensor);
void setDenseStrides(aik_tensor &tensor);

int64_t elementCount(const aik_tensor &tensor);
/// Bytes of a dense copy.
int64_t denseBytes(const aik_tensor &tensor);

/// The bytes that a tensor touches: [begin, end); empty for no elements.
struct ByteRange {
  uint64_t begin, end;
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};
ByteRange byteRange(const aik_tensor &tensor);

/// Between a tensor with any strides and dense memory of the same shape.
void copyToDense(const aik_tensor &tensor, void *dense);
void copyFromDense(const void *dense, const aik_tensor &tensor);

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_TENSORS_H
