//===- Signature.cpp - What a function of an artifact takes and gives -----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signature as text, and the check of a given tensor against it.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "AIKernel-c/Artifact.h"
#include "Numbers.h"

namespace aikrun {

std::string Value::text() const {
  return format("%s[%s]", type->name,
                dims.empty() ? "" : shapeText(dims).c_str());
}

Error Value::check(const ElementType &given, const Dims &shape) const {
  if (given.dtype != type->dtype)
    return Error(Code::TypeMismatch,
                 format("%s is %s and %s was given", quoted(name).c_str(),
                        text().c_str(), given.name));
  if (shape.size() != dims.size())
    return Error(Code::RankMismatch,
                 format("%s is %s, rank %zu, and shape %s was given",
                        quoted(name).c_str(), text().c_str(), dims.size(),
                        shapeText(shape).c_str()));
  for (size_t i = 0; i < dims.size(); ++i) {
    std::string wanted;
    if (dims[i] != AIK_DYNAMIC && shape[i] != dims[i])
      wanted = format("is %lld", (long long)dims[i]);
    else if (shape[i] < min[i])
      wanted = format("is at least %lld", (long long)min[i]);
    else if (max[i] >= 0 && shape[i] > max[i])
      wanted = format("is at most %lld", (long long)max[i]);
    else if (multipleOf[i] > 1 && shape[i] % multipleOf[i])
      wanted = format("is a multiple of %lld", (long long)multipleOf[i]);
    else
      continue;
    return Error(Code::DimMismatch,
                 format("dimension %zu of %s %s and shape %s was given", i,
                        quoted(name).c_str(), wanted.c_str(),
                        shapeText(shape).c_str()));
  }
  return Error();
}

} // namespace aikrun
