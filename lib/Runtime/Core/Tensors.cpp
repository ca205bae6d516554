//===- Tensors.cpp - Checking and densifying the caller's tensors ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strides are in elements and may be zero, negative or in any order.
//
//===----------------------------------------------------------------------===//

#include "Core/Tensors.h"

#include "Core/Status.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
constexpr int64_t maxTensorBytes = int64_t(1) << 48;

/// "[2, ?, 8]".
void printDims(const int64_t *dims, uint32_t rank, char *out, size_t outBytes) {
  size_t used = size_t(snprintf(out, outBytes, "["));
  for (uint32_t d = 0; d < rank && used < outBytes; ++d) {
    const char *comma = d ? ", " : "";
    int count = dims[d] == AIK_DYNAMIC
                    ? snprintf(out + used, outBytes - used, "%s?", comma)
                    : snprintf(out + used, outBytes - used, "%s%lld", comma,
                               (long long)dims[d]);
    used += size_t(count);
  }
  if (used < outBytes)
    snprintf(out + used, outBytes - used, "]");
}

/// Distance in elements from the first to the lowest and highest element.
/// False: it overflows.
bool extent(const aik_tensor &tensor, int64_t &lowest, int64_t &highest) {
  lowest = highest = 0;
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.dims[d] <= 1)
      continue;
    int64_t reach;
    if (__builtin_mul_overflow(tensor.dims[d] - 1, tensor.strides[d], &reach))
      return false;
    int64_t &side = reach < 0 ? lowest : highest;
    if (__builtin_add_overflow(side, reach, &side))
      return false;
  }
  return lowest > -maxTensorBytes && highest < maxTensorBytes;
}

/// What is known of a dimension that is not known.
bool meetsFacts(const aik_meta_value &wanted, uint32_t d, int64_t size) {
  return size >= wanted.min[d] &&
         (wanted.max[d] < 0 || size <= wanted.max[d]) &&
         (wanted.multiple_of[d] == 1 || size % wanted.multiple_of[d] == 0);
}
} // namespace

ValueText::ValueText(const ValueName &value) {
  const char *kind = value.isResult ? "result" : "argument";
  if (value.name && *value.name)
    snprintf(text, sizeof(text), "%s '%.80s' of '%.80s'", kind, value.name,
             value.function);
  else
    snprintf(text, sizeof(text), "%s %u of '%.80s'", kind, value.index,
             value.function);
}

int32_t aik::checkTensor(const ValueName &value, const aik_tensor &tensor,
                         bool needsData) {
  uint32_t elementBytes = aik_dtype_size(tensor.dtype);
  if (elementBytes == 0)
    return fail(AIK_EINVAL, "%s has the unknown element type %u",
                ValueText(value).text, tensor.dtype);
  if (tensor.rank > AIK_MAX_RANK)
    return fail(AIK_EINVAL, "%s has rank %u, %d is the most",
                ValueText(value).text, tensor.rank, AIK_MAX_RANK);
  int64_t bytes = elementBytes;
  bool empty = false;
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.dims[d] < 0)
      return fail(AIK_EINVAL, "%s has %lld as dimension %u",
                  ValueText(value).text, (long long)tensor.dims[d], d);
    empty |= tensor.dims[d] == 0;
    if (tensor.dims[d] > 0 &&
        (__builtin_mul_overflow(bytes, tensor.dims[d], &bytes) ||
         bytes > maxTensorBytes))
      return fail(AIK_EINVAL, "%s is larger than %lld bytes",
                  ValueText(value).text, (long long)maxTensorBytes);
  }
  int64_t lowest, highest;
  if (!extent(tensor, lowest, highest))
    return fail(AIK_EINVAL, "%s has strides that reach out of memory",
                ValueText(value).text);
  if (needsData && !empty && !tensor.data)
    return fail(AIK_EFAULT, "%s has no data", ValueText(value).text);
  return 0;
}

int32_t aik::checkAgainst(const ValueName &value, const aik_meta_value &wanted,
                          const int64_t *wantedDims, const aik_tensor &tensor) {
  char dims[120], found[120];
  auto describe = [&] {
    printDims(wantedDims, wanted.rank, dims, sizeof(dims));
    printDims(tensor.dims, tensor.rank, found, sizeof(found));
  };
  if (tensor.dtype != wanted.dtype) {
    describe();
    return fail(AIK_EINVAL, "%s wants element type %s, found %s",
                ValueText(value).text, aik_dtype_name(wanted.dtype),
                aik_dtype_name(tensor.dtype));
  }
  if (tensor.rank != wanted.rank) {
    describe();
    return fail(AIK_EINVAL, "%s wants rank %u %s, found rank %u %s",
                ValueText(value).text, wanted.rank, dims, tensor.rank, found);
  }
  for (uint32_t d = 0; d < wanted.rank; ++d) {
    int64_t size = tensor.dims[d];
    if (wantedDims[d] != AIK_DYNAMIC && size != wantedDims[d]) {
      describe();
      return fail(AIK_EINVAL, "%s wants dims %s, found %s",
                  ValueText(value).text, dims, found);
    }
    if (wantedDims[d] == AIK_DYNAMIC && !meetsFacts(wanted, d, size)) {
      describe();
      char most[32] = "any";
      if (wanted.max[d] >= 0)
        snprintf(most, sizeof(most), "%lld", (long long)wanted.max[d]);
      return fail(AIK_EINVAL,
                  "%s wants dimension %u from %lld to %s and a multiple of "
                  "%lld, found %lld",
                  ValueText(value).text, d, (long long)wanted.min[d], most,
                  (long long)wanted.multiple_of[d], (long long)size);
    }
  }
  return 0;
}

int64_t aik::plainBytes(const aik_meta_value &wanted, const int64_t *wantedDims,
                        const aik_tensor &tensor, uint32_t alignment) {
  uint32_t rank = tensor.rank;
  if (tensor.dtype != wanted.dtype || rank != wanted.rank ||
      rank > AIK_MAX_RANK || !tensor.data)
    return 0;
  int64_t count = 1;
  for (uint32_t d = rank; d-- > 0;) {
    int64_t size = tensor.dims[d];
    if (size <= 0 || tensor.strides[d] != count)
      return 0;
    if (size != wantedDims[d] &&
        (wantedDims[d] != AIK_DYNAMIC || !meetsFacts(wanted, d, size)))
      return 0;
    if (__builtin_mul_overflow(count, size, &count) || count > maxTensorBytes)
      return 0;
  }
  // Sizes of elements and alignments are powers of two.
  uint32_t elementBytes = aik_dtype_size(tensor.dtype);
  uintptr_t below = (elementBytes - 1) | (alignment - 1);
  int64_t bytes = count * elementBytes;
  bool isAligned = (reinterpret_cast<uintptr_t>(tensor.data) & below) == 0;
  return isAligned && bytes <= maxTensorBytes ? bytes : 0;
}

bool aik::isAsWanted(const aik_meta_value &wanted, const aik_tensor &tensor) {
  if (tensor.dtype != wanted.dtype || tensor.rank != wanted.rank)
    return false;
  for (uint32_t d = 0; d < wanted.rank; ++d)
    if (tensor.dims[d] <= 0 || tensor.dims[d] != wanted.dims[d])
      return false;
  return true;
}

int64_t aik::elementCount(const aik_tensor &tensor) {
  int64_t count = 1;
  for (uint32_t d = 0; d < tensor.rank; ++d)
    if (tensor.dims[d] == 0)
      return 0;
  for (uint32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.dims[d];
  return count;
}

int64_t aik::denseBytes(const aik_tensor &tensor) {
  return elementCount(tensor) * aik_dtype_size(tensor.dtype);
}

bool aik::isDense(const aik_tensor &tensor) {
  if (elementCount(tensor) == 0)
    return true;
  int64_t stride = 1;
  for (uint32_t d = tensor.rank; d-- > 0;) {
    if (tensor.dims[d] != 1 && tensor.strides[d] != stride)
      return false;
    stride *= tensor.dims[d];
  }
  return true;
}

bool aik::isUsable(const aik_tensor &tensor) {
  // Sizes of elements are powers of two.
  uintptr_t below = aik_dtype_size(tensor.dtype) - 1;
  return (reinterpret_cast<uintptr_t>(tensor.data) & below) == 0 &&
         isDense(tensor);
}

void aik::setDenseStrides(aik_tensor &tensor) {
  int64_t stride = 1;
  for (uint32_t d = AIK_MAX_RANK; d-- > 0;) {
    if (d >= tensor.rank) {
      tensor.dims[d] = tensor.strides[d] = 0;
      continue;
    }
    tensor.strides[d] = stride;
    stride *= tensor.dims[d] > 0 ? tensor.dims[d] : 1;
  }
}

bool aik::isWritable(const aik_tensor &tensor) {
  if (isDense(tensor))
    return true;
  // In order of stride, each dimension must step over all smaller ones.
  uint32_t order[AIK_MAX_RANK];
  uint32_t count = 0;
  auto size = [&](uint32_t d) {
    int64_t stride = tensor.strides[d];
    return stride < 0 ? -stride : stride;
  };
  for (uint32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.dims[d] == 1)
      continue;
    uint32_t at = count++;
    for (; at > 0 && size(order[at - 1]) > size(d); --at)
      order[at] = order[at - 1];
    order[at] = d;
  }
  int64_t reach = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (size(order[i]) <= reach)
      return false;
    reach += (tensor.dims[order[i]] - 1) * size(order[i]);
  }
  return true;
}

ByteRange aik::byteRange(const aik_tensor &tensor) {
  auto data = reinterpret_cast<uint64_t>(tensor.data);
  int64_t lowest, highest;
  if (elementCount(tensor) == 0 || !extent(tensor, lowest, highest))
    return {data, data};
  int64_t bytes = aik_dtype_size(tensor.dtype);
  return {data + uint64_t(lowest * bytes),
          data + uint64_t((highest + 1) * bytes)};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// Visits the rows of a tensor (its last dimension) in row-major order with
/// the address of each row's first element.
template <typename Visitor>
void forEachRow(const aik_tensor &tensor, Visitor visit) {
  if (elementCount(tensor) == 0)
    return;
  int64_t bytes = aik_dtype_size(tensor.dtype);
  int64_t index[AIK_MAX_RANK] = {};
  auto *row = static_cast<uint8_t *>(tensor.data);
  for (;;) {
    visit(row);
    int32_t d = int32_t(tensor.rank) - 2;
    for (; d >= 0; --d) {
      row += tensor.strides[d] * bytes;
      if (++index[d] < tensor.dims[d])
        break;
      row -= tensor.strides[d] * bytes * tensor.dims[d];
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// Copies `count` elements of `bytes` each between two strided rows.
void copyRow(uint8_t *to, int64_t toStride, const uint8_t *from,
             int64_t fromStride, int64_t count, int64_t bytes) {
  if (toStride == bytes && fromStride == bytes) {
    memcpy(to, from, size_t(count * bytes));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + i * toStride, from + i * fromStride, size_t(bytes));
}
} // namespace

void aik::copyToDense(const aik_tensor &tensor, void *dense) {
  int64_t bytes = aik_dtype_size(tensor.dtype);
  int64_t count = tensor.rank ? tensor.dims[tensor.rank - 1] : 1;
  int64_t stride =
      tensor.rank ? tensor.strides[tensor.rank - 1] * bytes : bytes;
  auto *to = static_cast<uint8_t *>(dense);
  forEachRow(tensor, [&](uint8_t *row) {
    copyRow(to, bytes, row, stride, count, bytes);
    to += count * bytes;
  });
}

void aik::copyFromDense(const void *dense, const aik_tensor &tensor) {
  int64_t bytes = aik_dtype_size(tensor.dtype);
  int64_t count = tensor.rank ? tensor.dims[tensor.rank - 1] : 1;
  int64_t stride =
      tensor.rank ? tensor.strides[tensor.rank - 1] * bytes : bytes;
  auto *from = static_cast<const uint8_t *>(dense);
  forEachRow(tensor, [&](uint8_t *row) {
    copyRow(row, stride, from, bytes, count, bytes);
    from += count * bytes;
  });
}
