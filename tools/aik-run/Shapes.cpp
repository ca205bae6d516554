//===- Shapes.cpp - Choosing shapes for arguments that have none ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a signature with unknown dimensions to shapes that the function takes.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "AIKernel-c/Artifact.h"
#include "Numbers.h"

#include <algorithm>
#include <limits>

namespace aikrun {
namespace {

/// How many combinations are tried at most; one try costs microseconds.
constexpr size_t maxTries = 20000;

struct Unknown {
  size_t arg, dim;
  int64_t min, max, multipleOf;

  /// `wish` moved to the nearest value that the facts allow.
  int64_t allowed(int64_t wish) const {
    int64_t value = std::max(wish, min);
    int64_t rest = multipleOf > 1 ? value % multipleOf : 0;
    // Up to the next multiple, where there is room for one.
    if (rest && value <= std::numeric_limits<int64_t>::max() - multipleOf)
      value += multipleOf - rest;
    if (max >= 0 && value > max)
      value = multipleOf > 1 ? max - max % multipleOf : max;
    return value;
  }
};

/// Values worth trying, the most likely first.
std::vector<int64_t> candidates(const Function &function,
                                const std::vector<bool> &fixed,
                                const std::vector<Dims> &shapes) {
  std::vector<int64_t> values = {defaultDim};
  auto add = [&](int64_t value) {
    if (value > 0 && values.size() < 12 &&
        std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  };
  for (size_t i = 0; i < function.args.size(); ++i)
    for (int64_t dim : fixed[i] ? shapes[i] : function.args[i].dims)
      add(dim);
  for (const Value &result : function.results)
    for (int64_t dim : result.dims)
      add(dim);
  add(1);
  return values;
}

} // namespace

Error chooseShapes(
    const Function &function, const std::vector<bool> &fixed,
    std::vector<Dims> &shapes,
    const std::function<Error(const std::vector<Dims> &)> &accepts) {
  std::vector<Unknown> unknowns;
  for (size_t i = 0; i < function.args.size(); ++i) {
    if (fixed[i])
      continue;
    const Value &value = function.args[i];
    shapes[i] = value.dims;
    for (size_t j = 0; j < value.dims.size(); ++j)
      if (value.dims[j] == AIK_DYNAMIC)
        unknowns.push_back(
            {i, j, value.min[j], value.max[j], value.multipleOf[j]});
  }
  auto put = [&](const Unknown &unknown, int64_t wish) {
    shapes[unknown.arg][unknown.dim] = unknown.allowed(wish);
  };
  for (const Unknown &unknown : unknowns)
    put(unknown, unknown.min > 0 ? unknown.min : defaultDim);
  std::vector<Dims> first = shapes;
  Error refusal = accepts(shapes);
  if (!refusal || unknowns.empty())
    return refusal;

  std::vector<int64_t> values = candidates(function, fixed, shapes);
  // The largest of the first choices meets every `min`.
  for (const Unknown &unknown : unknowns) {
    int64_t value = first[unknown.arg][unknown.dim];
    if (std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  }
  for (int64_t value : values) {
    for (const Unknown &unknown : unknowns)
      put(unknown, value);
    if (!accepts(shapes))
      return Error();
  }
  // Every combination, the last unknown turning fastest, the first choice of
  // each dimension before the others.
  std::vector<size_t> digit(unknowns.size());
  for (size_t tries = 0; tries < maxTries; ++tries) {
    for (size_t i = 0; i < unknowns.size(); ++i) {
      const Unknown &unknown = unknowns[i];
      put(unknown,
          digit[i] ? values[digit[i] - 1] : first[unknown.arg][unknown.dim]);
    }
    if (!accepts(shapes))
      return Error();
    size_t i = unknowns.size();
    while (i != 0 && ++digit[i - 1] == values.size() + 1)
      digit[--i] = 0;
    if (i == 0)
      break;
  }
  std::string tried;
  for (size_t i = 0; i < function.args.size(); ++i)
    tried += format("%s%s=%s", i ? ", " : "", function.args[i].name.c_str(),
                    shapeText(first[i]).c_str());
  return Error(Code::NoShape,
               format("no default shape suits %s; for %s: %s",
                      quoted(function.name).c_str(), tried.c_str(),
                      refusal.sentence().c_str()),
               "give the shapes, for example --input " +
                   function.args[unknowns[0].arg].name + "=random:1:2x3");
}

} // namespace aikrun
