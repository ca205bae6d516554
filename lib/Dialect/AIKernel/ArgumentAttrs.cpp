//===- ArgumentAttrs.cpp - Attributes on function arguments and results ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a function with `aikernel.*` attributes on arguments or results. Out: one
// sentence for the first one that is misspelled or contradicts the types.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace aikernel;

static LogicalResult verifyDonate(FunctionOpInterface function, unsigned index,
                                  Attribute value) {
  // An entry (aik-build-entries) keeps the attributes of the function it was
  // made from, but has results of its own.
  if (function->hasAttr(kEntryAttr))
    return success();
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getType().isSignlessInteger(64))
    return function.emitOpError()
           << "argument " << index << " has 'aikernel.donate' = " << value
           << " but it takes the number of a result, "
              "an i64";
  int64_t result = number.getInt();
  if (result < 0 || result >= static_cast<int64_t>(function.getNumResults()))
    return function.emitOpError()
           << "argument " << index << " is donated to result " << result
           << " but the function has " << function.getNumResults()
           << " results";
  Type from = function.getArgumentTypes()[index];
  Type to = function.getResultTypes()[result];
  if (from != to)
    return function.emitOpError()
           << "argument " << index << " has type " << from
           << " but is donated to result " << result << " of type " << to;
  for (unsigned other = 0; other != index; ++other)
    if (function.getArgAttr(other, kDonateAttr) == value)
      return function.emitOpError()
             << "argument " << index << " is donated to result " << result
             << " but argument " << other << " already is";
  return success();
}

static LogicalResult verifyName(FunctionOpInterface function, unsigned index,
                                Attribute value, bool isResult) {
  StringRef kind = isResult ? "result" : "argument";
  auto name = dyn_cast<StringAttr>(value);
  if (!name || name.getValue().empty() || name.getValue().size() > 255)
    return function.emitOpError()
           << kind << " " << index << " has 'aikernel.name' = " << value
           << " but a name is a string of 1 to 255 characters";
  // Names are printed, and stand before the `=` of `--input NAME=VALUE`.
  if (llvm::any_of(name.getValue(),
                   [](char c) {
                     return (c >= 0 && c < 0x20) || c == 0x7f || c == '=';
                   }) ||
      !llvm::json::isUTF8(name.getValue()))
    return function.emitOpError()
           << kind << " " << index << " has 'aikernel.name' = " << value
           << " but a name is UTF-8 without control characters and '='";
  // Those without a name are called by their number.
  StringRef number = name.getValue();
  unsigned position;
  unsigned count =
      isResult ? function.getNumResults() : function.getNumArguments();
  if (number.consume_front(isResult ? "result" : "arg") &&
      !number.getAsInteger(10, position) && position < count &&
      position != index && Twine(position).str() == number)
    return function.emitOpError()
           << kind << " " << index << " is named " << value
           << " but that is how " << kind << " " << position
           << " is called when it has no name";
  for (unsigned other = 0; other != index; ++other) {
    Attribute taken = isResult ? function.getResultAttr(other, kNameAttr)
                               : function.getArgAttr(other, kNameAttr);
    if (taken == value)
      return function.emitOpError()
             << kind << " " << index << " is named " << value << " but " << kind
             << " " << other << " already is";
  }
  return success();
}

static LogicalResult verifyDimensionFact(FunctionOpInterface function,
                                         unsigned index, StringRef fact,
                                         Attribute value) {
  auto facts = dyn_cast<DenseI64ArrayAttr>(value);
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[index]);
  if (!facts)
    return function.emitOpError()
           << "argument " << index << " has '" << fact << "' = " << value
           << " but it takes an array<i64: ...>";
  if (!type || !type.hasRank() || type.getRank() != facts.size())
    return function.emitOpError()
           << "argument " << index << " has " << facts.size() << " values in '"
           << fact << "' but type " << function.getArgumentTypes()[index];
  int64_t least = fact == kMaxAttr ? -1 : fact == kMinAttr ? 0 : 1;
  for (auto [dim, number] : llvm::enumerate(facts.asArrayRef())) {
    if (number < least)
      return function.emitOpError()
             << "argument " << index << " has '" << fact << "' " << number
             << " in dimension " << dim << " but the least is " << least;
    if (type.isDynamicDim(dim))
      continue;
    int64_t size = type.getDimSize(dim);
    bool holds = fact == kMinAttr   ? size >= number
                 : fact == kMaxAttr ? number == -1 || size <= number
                                    : size % number == 0;
    if (!holds)
      return function.emitOpError()
             << "argument " << index << " has '" << fact << "' " << number
             << " but size " << size << " in dimension " << dim;
  }
  auto most = function.getArgAttrOfType<DenseI64ArrayAttr>(index, kMaxAttr);
  if (fact == kMinAttr && most && most.size() == facts.size())
    for (auto [dim, low, high] :
         llvm::enumerate(facts.asArrayRef(), most.asArrayRef()))
      if (high != -1 && low > high)
        return function.emitOpError()
               << "argument " << index << " has '" << kMinAttr << "' " << low
               << " but '" << kMaxAttr << "' " << high << " in dimension "
               << dim;
  return success();
}

LogicalResult
AIKernelDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                          unsigned index,
                                          NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  StringRef name = attribute.getName().getValue();
  if (!function)
    return op->emitOpError() << "has '" << name
                             << "' on a block argument but only arguments of "
                                "functions take it";
  Attribute value = attribute.getValue();
  if (name == kWeightAttr) {
    // A weight is read by every call; what is donated is gone after one.
    if (function.getArgAttr(index, kDonateAttr))
      return op->emitOpError()
             << "argument " << index
             << " has both 'aikernel.weight' and 'aikernel.donate' but a "
                "weight keeps its contents";
    if (!isa<UnitAttr>(value))
      return op->emitOpError()
             << "argument " << index << " has 'aikernel.weight' = " << value
             << " but it takes no value";
    if (!isa<ShapedType>(function.getArgumentTypes()[index]))
      return op->emitOpError() << "argument " << index << " has type "
                               << function.getArgumentTypes()[index]
                               << " but a weight is a tensor";
    return success();
  }
  if (name == kDonateAttr)
    return verifyDonate(function, index, value);
  if (name == kNameAttr)
    return verifyName(function, index, value, /*isResult=*/false);
  if (name == kMinAttr || name == kMaxAttr || name == kMultipleOfAttr)
    return verifyDimensionFact(function, index, name, value);
  // What passes write on the arguments of entry points.
  if (op->hasAttr("aikernel.entry") &&
      (name == "aikernel.result" || name == "aikernel.donor" ||
       name == "aikernel.workspace" || name == "aikernel.prepared"))
    return success();
  return op->emitOpError()
         << "argument " << index << " has the unknown attribute '" << name
         << "' but the known ones are weight, donate, name, min, max and "
            "multiple_of";
}

LogicalResult AIKernelDialect::verifyRegionResultAttribute(
    Operation *op, unsigned regionIndex, unsigned index,
    NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && name == kNameAttr)
    return verifyName(function, index, attribute.getValue(), /*isResult=*/true);
  return op->emitOpError() << "result " << index
                           << " has the unknown attribute '" << name
                           << "' but results take only 'aikernel.name'";
}
