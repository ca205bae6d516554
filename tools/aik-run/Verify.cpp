//===- Verify.cpp - Comparing results with the reference ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two runs of one function on equal inputs go in; agreement, or the first
// element that differs with both values, comes out.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace aikrun {
namespace {

double largestFinite(const Tensor &tensor) {
  double largest = 0;
  for (uint64_t i = 0; i < tensor.elementCount(); ++i) {
    double value = std::fabs(loadDouble(*tensor.type, tensor.element(i)));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  return largest;
}

Error mismatch(const std::string &name, const Tensor &result,
               const Tensor &reference, uint64_t index, double allowed,
               const Comparison &comparison) {
  const ElementType &type = *result.type;
  // Tolerances are for numbers: a NaN or an infinity must be in both.
  bool bothFinite = std::isfinite(loadDouble(type, result.element(index))) &&
                    std::isfinite(loadDouble(type, reference.element(index)));
  std::string limit;
  if (type.isFloat)
    limit = bothFinite ? format("; %.3g is allowed", allowed)
                       : "; no tolerance covers what is not finite";
  return Error(
      Code::Mismatch,
      format("%s%s is %s and the reference says %s%s; %llu of %llu elements "
             "differ, max abs error %.3g",
             name.c_str(), result.indexText(index).c_str(),
             elementText(type, result.element(index)).c_str(),
             elementText(type, reference.element(index)).c_str(), limit.c_str(),
             (unsigned long long)comparison.mismatches,
             (unsigned long long)comparison.elements, comparison.maxError));
}

} // namespace

Error compareTensors(const std::string &name, const Tensor &result,
                     const Tensor &reference, const Tolerance &tolerance,
                     Comparison &comparison) {
  const ElementType &type = *result.type;
  if (&type != reference.type || result.dims != reference.dims)
    return Error(Code::Mismatch,
                 format("%s is %s of shape %s and the reference says %s of "
                        "shape %s",
                        name.c_str(), type.name, shapeText(result.dims).c_str(),
                        reference.type->name,
                        shapeText(reference.dims).c_str()));
  double relative =
      tolerance.relative >= 0 ? tolerance.relative : type.relativeTolerance;
  double scale = tolerance.scale >= 0 ? tolerance.scale : type.scaleTolerance;
  comparison = Comparison();
  comparison.largest = largestFinite(reference);
  double floor = tolerance.absolute;
  if (type.isFloat)
    floor += scale * comparison.largest;
  comparison.elements = result.elementCount();
  uint64_t first = 0;
  double allowedAtFirst = 0;
  for (uint64_t i = 0; i < comparison.elements; ++i) {
    const void *a = result.element(i), *b = reference.element(i);
    double got = loadDouble(type, a), want = loadDouble(type, b);
    comparison.allZero &= want == 0;
    comparison.anyFinite |= std::isfinite(want);
    double error = std::fabs(got - want), allowed = 0;
    bool same;
    if (!type.isFloat) {
      same = std::memcmp(a, b, type.size) == 0;
    } else if (std::isfinite(got) && std::isfinite(want)) {
      allowed = floor + relative * std::fabs(want);
      same = error <= allowed;
      comparison.maxUlp = std::max(comparison.maxUlp, ulpDistance(type, a, b));
    } else {
      same = std::isnan(got) ? std::isnan(want) : got == want;
      error = 0;
    }
    if (error > comparison.maxError) {
      comparison.maxError = error;
      comparison.maxErrorAt = i;
    }
    if (same || comparison.mismatches++)
      continue;
    first = i;
    allowedAtFirst = allowed;
  }
  if (comparison.mismatches)
    return mismatch(name, result, reference, first, allowedAtFirst, comparison);
  return Error();
}

Error verifyCall(const Module &module, const Module &reference,
                 const Function &function, const std::vector<Tensor> &args,
                 const CallSettings &settings, const Tolerance &tolerance,
                 std::vector<Tensor> &results, std::string &summary) {
  // Different poisons: an element that neither run writes still differs.
  std::vector<Tensor> argsHere, argsThere, expected;
  if (Error error = copyArguments(args, settings, argsHere))
    return error;
  if (Error error = copyArguments(args, settings, argsThere))
    return error;
  if (Error error = call(module, function, argsHere, 0xA5, settings, results))
    return error;
  CallSettings plain = settings;
  plain.donate = false;
  plain.label += "the reference of ";
  if (Error error = call(reference, function, argsThere, 0x5A, plain, expected))
    return std::move(error).at("in the reference");

  Comparison all;
  all.allZero = true;
  std::string worst;
  auto compare = [&](const Value &value, const Tensor &got,
                     const Tensor &want) {
    Comparison one;
    if (Error error = compareTensors(function.name + ": " + value.name, got,
                                     want, tolerance, one))
      return error;
    all.elements += one.elements;
    all.allZero &= one.allZero;
    all.anyFinite |= one.anyFinite;
    all.maxUlp = std::max(all.maxUlp, one.maxUlp);
    all.largest = std::max(all.largest, one.largest);
    if (one.maxError > all.maxError) {
      all.maxError = one.maxError;
      worst = " at " + value.name + got.indexText(one.maxErrorAt);
    }
    return Error();
  };
  for (size_t i = 0; i < results.size(); ++i)
    if (Error error = compare(function.results[i], results[i], expected[i]))
      return error;
  for (size_t i = 0; i < args.size(); ++i)
    if (function.args[i].isMutable && argsHere[i].type)
      if (Error error = compare(function.args[i], argsHere[i], argsThere[i]))
        return error;
  summary =
      format("%llu elements, values up to %.3g, max abs error %.3g, max %llu "
             "ulp%s",
             (unsigned long long)all.elements, all.largest, all.maxError,
             (unsigned long long)all.maxUlp, worst.c_str());
  if (all.elements && (all.allZero || !all.anyFinite))
    summary += all.allZero ? "; all zeros, which proves little"
                           : "; nothing finite, which proves little";
  return Error();
}

} // namespace aikrun
