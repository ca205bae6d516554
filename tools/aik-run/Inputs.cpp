//===- Inputs.cpp - Where the inputs of a run come from -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the text of an input to its values.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include <cmath>

namespace aikrun {
namespace {

/// SplitMix64's output function at position `index` of stream `seed`: a
/// counter-based generator, so values do not depend on an order of filling.
uint64_t randomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u;
  for (int round = 0; round < 2; ++round) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
  }
  return z;
}

std::vector<std::string> splitColons(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool parseRange(const std::string &text, InputSpec &spec) {
  size_t dots = text.find("..");
  spec.hasRange = true;
  return dots != std::string::npos &&
         parseDouble(text.substr(0, dots), spec.low) &&
         parseDouble(text.substr(dots + 2), spec.high) && spec.low <= spec.high;
}

/// The range of random values where the user gave none.
void defaultRange(const ElementType &type, double &low, double &high) {
  low = type.isFloat ? -1 : 0;
  high = type.isFloat ? 1 : 9;
  if (type.dtype == AIK_BOOL)
    high = 1;
  if (type.dtype == AIK_I8 || type.dtype == AIK_U8) {
    low = static_cast<double>(type.low);
    high = static_cast<double>(type.high);
  }
}

/// Glorot's rule: a product with an m x n matrix of values within
/// sqrt(6 / (m + n)) keeps the size of what goes in, whichever of the two is
/// summed over. A vector is a gain or a bias and stays as it is.
void scaleWeights(const Dims &dims, double &low, double &high) {
  if (dims.size() < 2)
    return;
  double sum = static_cast<double>(dims[dims.size() - 2]) +
               static_cast<double>(dims[dims.size() - 1]);
  if (sum <= 6)
    return;
  high = std::sqrt(6 / sum);
  low = -high;
}

Error badRange(const ElementType &type, double low, double high) {
  return Error(Code::BadRange, format("the values %g to %g do not fit %s", low,
                                      high, type.name));
}

/// Integers must hold whole numbers of their range; 2^53 keeps doubles exact.
Error checkIntegers(const ElementType &type, double low, double high) {
  const double exact = 9007199254740992.0;
  if (type.isFloat)
    return Error();
  double floor = type.size == 8 ? -exact : static_cast<double>(type.low);
  double ceiling = type.size == 8 ? exact : static_cast<double>(type.high);
  if (low < floor || high > ceiling ||
      low != static_cast<double>(static_cast<int64_t>(low)) ||
      high != static_cast<double>(static_cast<int64_t>(high)))
    return badRange(type, low, high);
  return Error();
}

} // namespace

Error parseInputSpec(const std::string &text, InputSpec &spec) {
  spec = InputSpec();
  Error bad(Code::BadInputSpec, "an input cannot be " + quoted(text),
            "use @file.npy, random:SEED[:SHAPE[:LO..HI]], zeros[:SHAPE], "
            "ones[:SHAPE], arange[:SHAPE] or full:VALUE[:SHAPE], a shape "
            "being 2x3x4 or scalar");
  if (text.size() > 1 && text[0] == '@') {
    spec.kind = InputSpec::File;
    spec.path = text.substr(1);
    return Error();
  }
  std::vector<std::string> parts = splitColons(text);
  size_t next = 1;
  if (parts[0] == "random") {
    if (parts.size() < 2 || !parseUnsigned(parts[next++], spec.seed))
      return bad;
  } else if (parts[0] == "full") {
    spec.kind = InputSpec::Full;
    if (parts.size() < 2 || !parseDouble(parts[next++], spec.value))
      return bad;
  } else if (parts[0] == "zeros") {
    spec.kind = InputSpec::Zeros;
  } else if (parts[0] == "ones") {
    spec.kind = InputSpec::Ones;
  } else if (parts[0] == "arange") {
    spec.kind = InputSpec::Arange;
  } else {
    return bad;
  }
  // An empty shape stands for the default one: random:1::0..5.
  if (next < parts.size() && parts[next].find("..") == std::string::npos) {
    spec.hasShape = !parts[next].empty();
    if (spec.hasShape && !parseShape(parts[next], spec.shape))
      return bad;
    ++next;
  }
  if (next < parts.size() && spec.kind == InputSpec::Random &&
      !parseRange(parts[next++], spec))
    return bad;
  return next == parts.size() ? Error() : bad;
}

InputSpec defaultSpec(const Value &value, uint64_t seed) {
  InputSpec spec;
  spec.seed = seed;
  if (value.type->dtype == AIK_I32 || value.type->dtype == AIK_I64)
    spec.kind = InputSpec::Zeros;
  spec.likeWeights = value.isWeight && value.type->isFloat;
  return spec;
}

Error fill(const InputSpec &spec, Tensor &tensor) {
  const ElementType &type = *tensor.type;
  uint64_t count = tensor.elementCount();
  double low = spec.low, high = spec.high;
  if (spec.kind == InputSpec::Random) {
    if (!spec.hasRange)
      defaultRange(type, low, high);
    if (spec.likeWeights)
      scaleWeights(tensor.dims, low, high);
    if (Error error = checkIntegers(type, low, high))
      return error;
    uint64_t steps = static_cast<uint64_t>(high - low) + 1;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t bits = randomBits(spec.seed, i);
      if (type.isFloat)
        // 2^-53 times 53 bits: uniform in [0, 1).
        storeDouble(type, low + (high - low) * (bits >> 11) * 0x1p-53,
                    tensor.element(i));
      else
        storeInteger(type,
                     static_cast<int64_t>(low) +
                         static_cast<int64_t>(bits % steps),
                     tensor.element(i));
    }
    return Error();
  }
  if (spec.kind == InputSpec::Arange) {
    // Wraps for integers that are too small to count that far.
    for (uint64_t i = 0; i < count; ++i)
      if (type.isFloat)
        storeDouble(type, static_cast<double>(i), tensor.element(i));
      else
        storeInteger(type,
                     static_cast<int64_t>(type.dtype == AIK_BOOL ? i % 2 : i),
                     tensor.element(i));
    return Error();
  }
  double value = spec.kind == InputSpec::Full   ? spec.value
                 : spec.kind == InputSpec::Ones ? 1
                                                : 0;
  if (Error error = checkIntegers(type, value, value))
    return error;
  for (uint64_t i = 0; i < count; ++i)
    storeDouble(type, value, tensor.element(i));
  return Error();
}

} // namespace aikrun
