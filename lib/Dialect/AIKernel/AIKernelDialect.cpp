//===- AIKernelDialect.cpp - Registration, attributes and argument facts --===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: nothing. What comes out: the dialect with its ops, attributes,
// types and the verification of its attributes on function arguments.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace aikernel;

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.cpp.inc"
#include "AIKernel/Dialect/AIKernel/AIKernelEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "AIKernel/Dialect/AIKernel/AIKernelAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "AIKernel/Dialect/AIKernel/AIKernelTypes.cpp.inc"

#include "AIKernel/Dialect/AIKernel/AIKernelInterfaces.cpp.inc"

void AIKernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "AIKernel/Dialect/AIKernel/AIKernelAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "AIKernel/Dialect/AIKernel/AIKernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "AIKernel/Dialect/AIKernel/AIKernelOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// RopeScalingAttr
//===----------------------------------------------------------------------===//

unsigned RopeScalingAttr::getConstantCount(RopeScalingKind kind) {
  switch (kind) {
  case RopeScalingKind::None:
    return 0;
  case RopeScalingKind::Linear:
    return 1;
  case RopeScalingKind::Llama3:
    return 4;
  case RopeScalingKind::Yarn:
    return 5;
  }
  llvm_unreachable("a rope scaling kind without a constant count");
}

LogicalResult
RopeScalingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        RopeScalingKind kind, DenseF64ArrayAttr constants) {
  unsigned expected = getConstantCount(kind);
  if (constants.size() != expected)
    return emitError() << "rope_scaling '" << stringifyRopeScalingKind(kind)
                       << "' takes " << expected << " constants but has "
                       << constants.size();
  for (double value : constants.asArrayRef())
    if (!(value >= 1.0e-30) || value > 1.0e30)
      return emitError() << "rope_scaling '" << stringifyRopeScalingKind(kind)
                         << "' needs constants from 1e-30 to 1e30 but has "
                         << value;
  ArrayRef<double> values = constants.asArrayRef();
  if (kind == RopeScalingKind::Llama3 && values[1] >= values[2])
    return emitError() << "rope_scaling 'llama3' has the low factor "
                       << values[1] << " but the high factor " << values[2]
                       << ", which must be larger";
  return success();
}

Attribute RopeScalingAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<RopeScalingKind> kind = symbolizeRopeScalingKind(keyword);
  if (!kind) {
    parser.emitError(location)
        << "rope_scaling is none, linear, llama3 or yarn but was '" << keyword
        << "'";
    return {};
  }
  SmallVector<double> constants;
  while (succeeded(parser.parseOptionalComma())) {
    double value;
    if (parser.parseFloat(value))
      return {};
    constants.push_back(value);
  }
  if (parser.parseGreater())
    return {};
  MLIRContext *context = parser.getContext();
  return parser.getChecked<RopeScalingAttr>(
      location, context, *kind, DenseF64ArrayAttr::get(context, constants));
}

void RopeScalingAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRopeScalingKind(getKind());
  for (double value : getConstants().asArrayRef()) {
    printer << ", ";
    printer.printFloat(APFloat(value));
  }
  printer << '>';
}
