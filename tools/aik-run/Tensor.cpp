//===- Tensor.cpp - A tensor that owns its memory -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From an element type and dimensions to memory and an aik_tensor over it.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

namespace aikrun {

Error Tensor::allocate(const ElementType &type,
                       const std::vector<int64_t> &dims, bool guarded,
                       MemoryBudget &budget, Tensor &out) {
  uint64_t bytes;
  if (dims.size() > AIK_MAX_RANK || !byteCount(dims, type.size, bytes))
    return Error(Code::TooLarge, format("a tensor of shape %s does not fit "
                                        "in the address space",
                                        shapeText(dims).c_str()));
  out.type = &type;
  out.dims = dims;
  return Buffer::allocate(bytes, guarded, budget, out.buffer);
}

aik_tensor Tensor::view() const {
  aik_tensor tensor = {};
  tensor.data = buffer.data();
  tensor.dtype = type->dtype;
  tensor.rank = static_cast<uint32_t>(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- != 0;) {
    tensor.dims[i] = dims[i];
    tensor.strides[i] = stride;
    // A zero dimension leaves the outer strides as if it were one.
    stride *= dims[i] ? dims[i] : 1;
  }
  return tensor;
}

std::string Tensor::indexText(uint64_t index) const {
  std::string text = "]";
  for (size_t i = dims.size(); i-- != 0;) {
    uint64_t dim = static_cast<uint64_t>(dims[i]);
    text = (i ? ", " : "") + std::to_string(index % dim) + text;
    index /= dim;
  }
  return "[" + text;
}

} // namespace aikrun
