//===- Numbers.cpp - Numbers in text --------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From text that a user or a file gives to numbers, or to a refusal.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "AIKernel-c/Entry.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace aikrun {

bool parseUnsigned(const std::string &text, uint64_t &out) {
  if (text.empty())
    return false;
  uint64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(c - '0'), &value))
      return false;
  }
  out = value;
  return true;
}

bool parseSigned(const std::string &text, int64_t &out) {
  bool negative = !text.empty() && text[0] == '-';
  uint64_t magnitude;
  if (!parseUnsigned(negative ? text.substr(1) : text, magnitude))
    return false;
  const uint64_t limit = std::numeric_limits<int64_t>::max();
  if (magnitude > limit + negative)
    return false;
  out = negative ? static_cast<int64_t>(-magnitude)
                 : static_cast<int64_t>(magnitude);
  return true;
}

bool parseDouble(const std::string &text, double &out) {
  // strtod also reads blanks, hexadecimal, inf and nan, and stops early: only
  // let through what the grammar allows.
  size_t i = 0, digits = 0;
  auto skipDigits = [&] {
    for (; i < text.size() && std::isdigit((unsigned char)text[i]); ++i)
      ++digits;
  };
  if (i < text.size() && text[i] == '-')
    ++i;
  skipDigits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    skipDigits();
  }
  if (digits == 0 || text.size() > 64)
    return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+'))
      ++i;
    digits = 0;
    skipDigits();
    if (digits == 0)
      return false;
  }
  if (i != text.size())
    return false;
  double value = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(value))
    return false;
  out = value;
  return true;
}

bool parseByteCount(const std::string &text, uint64_t &out) {
  if (text.empty())
    return false;
  unsigned shift = 0;
  switch (text.back()) {
  case 'K':
    shift = 10;
    break;
  case 'M':
    shift = 20;
    break;
  case 'G':
    shift = 30;
    break;
  case 'T':
    shift = 40;
    break;
  }
  uint64_t value;
  return parseUnsigned(shift ? text.substr(0, text.size() - 1) : text, value) &&
         !__builtin_mul_overflow(value, uint64_t(1) << shift, &out);
}

bool parseShape(const std::string &text, std::vector<int64_t> &dims) {
  dims.clear();
  if (text == "scalar")
    return true;
  size_t begin = 0;
  while (true) {
    size_t end = text.find('x', begin);
    int64_t dim;
    if (!parseSigned(text.substr(begin, end - begin), dim) || dim < 0 ||
        text[begin] == '-' || dims.size() == AIK_MAX_RANK)
      return false;
    dims.push_back(dim);
    if (end == std::string::npos)
      return true;
    begin = end + 1;
  }
}

std::string shapeText(const std::vector<int64_t> &dims) {
  if (dims.empty())
    return "scalar";
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    text += i ? "x" : "";
    text += dims[i] == -1 ? std::string("?") : std::to_string(dims[i]);
  }
  return text;
}

bool byteCount(const std::vector<int64_t> &dims, uint64_t elementSize,
               uint64_t &out) {
  // A zero dimension makes the product zero, yet the others must still be
  // sound: strides are computed from them.
  uint64_t bytes = elementSize, nonZero = elementSize;
  for (int64_t dim : dims) {
    if (dim < 0 ||
        (dim != 0 &&
         __builtin_mul_overflow(nonZero, static_cast<uint64_t>(dim), &nonZero)))
      return false;
    bytes = dim == 0 ? 0 : bytes;
  }
  if (nonZero > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return false;
  out = bytes == 0 ? 0 : nonZero;
  return true;
}

} // namespace aikrun
