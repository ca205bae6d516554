//===- TensorBuilder.h - Tensors with awkward strides for tests -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Tensor owns its memory, laid out with permuted and padded strides, so that
// a reference that assumes dense memory fails. compare() checks a result
// against a formula.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_BUILTINS_TENSORBUILDER_H
#define AIKERNEL_UNITTESTS_BUILTINS_TENSORBUILDER_H

#include "AIKernel-c/Entry.h"
#include "Harness.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace harness {

using Dims = std::vector<int64_t>;

inline size_t sizeOf(uint32_t dtype) {
  switch (dtype) {
  case AIK_F64:
  case AIK_I64:
    return 8;
  case AIK_F32:
  case AIK_I32:
    return 4;
  case AIK_F16:
  case AIK_BF16:
  case AIK_I16:
    return 2;
  default:
    return 1;
  }
}

/// A tensor of `dtype` (F64, F32, BF16 or an integer) with its own memory.
class Tensor {
public:
  /// `scramble` 0 is dense; other numbers permute and pad the memory order.
  Tensor(uint32_t dtype, const Dims &dims, int scramble = 0) : dims(dims) {
    view = {};
    view.dtype = dtype;
    view.rank = (uint32_t)dims.size();
    int64_t stride = scramble ? 2 : 1;
    for (size_t i = dims.size(); i-- > 0;) {
      size_t axis = (i + (size_t)scramble) % dims.size();
      view.dims[axis] = dims[axis];
      view.strides[axis] = stride;
      stride = stride * dims[axis] + (scramble ? 3 : 0);
    }
    bytes.assign((size_t)(stride + 8) * sizeOf(dtype), padding);
    view.data = bytes.data();
  }
  Tensor(const Tensor &) = delete;

  static aik_tensor absent() { return aik_tensor{}; }

  int64_t count() const {
    int64_t result = 1;
    for (int64_t dim : dims)
      result *= dim;
    return result;
  }

  /// Element number i in row-major order.
  double get(int64_t i) const {
    const unsigned char *at = bytes.data() + byteOffset(i);
    switch (view.dtype) {
    case AIK_F64:
      return read<double>(at);
    case AIK_F32:
      return read<float>(at);
    case AIK_BF16:
      return bitCast<float>((uint32_t)read<uint16_t>(at) << 16);
    case AIK_I64:
      return (double)read<int64_t>(at);
    case AIK_I32:
      return read<int32_t>(at);
    case AIK_I16:
      return read<int16_t>(at);
    case AIK_U8:
      return read<uint8_t>(at);
    default:
      return read<int8_t>(at);
    }
  }

  /// `value` must be exact in the type.
  void set(int64_t i, double value) {
    unsigned char *at = bytes.data() + byteOffset(i);
    switch (view.dtype) {
    case AIK_F64:
      return write(at, value);
    case AIK_F32:
      return write(at, (float)value);
    case AIK_BF16:
      return write(at, (uint16_t)(bitsOf((float)value) >> 16));
    case AIK_I64:
      return write(at, (int64_t)value);
    case AIK_I32:
      return write(at, (int32_t)value);
    case AIK_I16:
      return write(at, (int16_t)value);
    default:
      return write(at, (int8_t)value);
    }
  }

  double at(const Dims &index) const { return get(rowMajor(index)); }

  int64_t rowMajor(const Dims &index) const {
    int64_t i = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      i = i * dims[axis] + index[axis];
    return i;
  }

  /// Random multiples of 1/16, exact in bf16 too.
  Tensor &randomize(Random &random, double limit = 2) {
    for (int64_t i = 0; i < count(); ++i)
      set(i, std::floor(random.uniform(-limit, limit) * 16) / 16);
    return *this;
  }

  /// Bytes between the elements are as they were made.
  bool paddingIntact() const {
    std::vector<bool> used(bytes.size());
    for (int64_t i = 0; i < count(); ++i)
      for (size_t byte = 0; byte < sizeOf(view.dtype); ++byte)
        used[byteOffset(i) + byte] = true;
    for (size_t byte = 0; byte < bytes.size(); ++byte)
      if (!used[byte] && bytes[byte] != padding)
        return false;
    return true;
  }

  Dims dims;
  aik_tensor view;
  std::vector<unsigned char> bytes;

private:
  static constexpr unsigned char padding = 0xa5;

  size_t byteOffset(int64_t i) const {
    int64_t offset = 0;
    for (size_t axis = dims.size(); axis-- > 0;) {
      offset += i % dims[axis] * view.strides[axis];
      i /= dims[axis];
    }
    return (size_t)offset * sizeOf(view.dtype);
  }
  template <typename T>
  static T read(const unsigned char *at) {
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  template <typename T>
  static void write(unsigned char *at, T value) {
    std::memcpy(at, &value, sizeof(value));
  }
};

/// x rounded to nearest even in one of the float types above.
inline double roundTo(uint32_t dtype, double x) {
  if (dtype == AIK_F32)
    return (float)x;
  if (dtype == AIK_BF16 && std::isfinite(x) && x != 0) {
    double unit = std::ldexp(1.0, std::max(std::ilogb(x), -126) - 7);
    return std::rint(x / unit) * unit;
  }
  return x;
}

/// Every element of `got` is what a number within `tolerance` (relative and
/// absolute) of `expected(i)` rounds to; NaN and infinity match.
inline void compare(const char *what, const Tensor &got, double tolerance,
                    const std::function<double(int64_t)> &expected) {
  bool ok = true;
  for (int64_t i = 0; i < got.count() && ok; ++i) {
    double e = expected(i), g = got.get(i);
    double slack = tolerance * (1 + std::fabs(e));
    uint32_t dtype = got.view.dtype;
    ok = std::isfinite(e)
             ? g >= roundTo(dtype, e - slack) && g <= roundTo(dtype, e + slack)
             : same(g, e);
    if (!ok)
      check(false, "%s: element %lld is %.17g, expected %.17g", what,
            (long long)i, g, e);
  }
  if (ok)
    check(true, "%s", what);
  check(got.paddingIntact(), "%s: wrote between the elements", what);
}

} // namespace harness

#endif // AIKERNEL_UNITTESTS_BUILTINS_TENSORBUILDER_H
