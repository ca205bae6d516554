//===- Tensor.h - A tensor that owns its memory ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element type, dimensions and a Buffer; dense and row-major.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_TENSOR_H
#define AIK_RUN_TENSOR_H

#include "Buffer.h"
#include "ElementType.h"
#include "Numbers.h"

#include <vector>

namespace aikrun {

struct Tensor {
  const ElementType *type = nullptr;
  std::vector<int64_t> dims;
  Buffer buffer;

  static Error allocate(const ElementType &type,
                        const std::vector<int64_t> &dims, bool guarded,
                        MemoryBudget &budget, Tensor &out);

  uint64_t elementCount() const { return buffer.size() / type->size; }
  uint8_t *element(uint64_t index) const {
    return buffer.data() + index * type->size;
  }

  /// What compiled code is given; valid as long as this tensor.
  aik_tensor view() const;

  /// "[1, 2]": where element `index` of row-major order lies.
  std::string indexText(uint64_t index) const;
};

} // namespace aikrun

#endif // AIK_RUN_TENSOR_H
