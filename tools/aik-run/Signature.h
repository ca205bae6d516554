//===- Signature.h - What a function of an artifact takes and gives -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of an artifact's description that aik-run needs, in plain C++.
// Program.cpp fills it from the runtime's queries.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_SIGNATURE_H
#define AIK_RUN_SIGNATURE_H

#include "ElementType.h"
#include "Error.h"

#include <string>
#include <vector>

namespace aikrun {

using Dims = std::vector<int64_t>;

/// An argument or a result. In `dims`, AIK_DYNAMIC is a dimension that is not
/// known; min, max and multipleOf are 0, -1 and 1 where no fact was given.
struct Value {
  std::string name; // never empty: argN or resultN
  const ElementType *type = nullptr;
  Dims dims, min, max, multipleOf;
  bool isWeight = false;
  bool isMutable = false; // the function may write to this argument
  int donates = -1;       // the result that its memory may become, or -1

  /// "f32[?x4096]".
  std::string text() const;

  /// Whether a tensor of this shape may be given for it.
  Error check(const ElementType &given, const Dims &shape) const;
};

struct Function {
  std::string name;
  std::vector<Value> args, results;
};

} // namespace aikrun

#endif // AIK_RUN_SIGNATURE_H
