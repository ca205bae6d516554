//===- OpDocs.h - The dialect's documentation, as data --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the Markdown that mlir-tblgen -gen-op-doc makes of each family's .td
// file, compiled into the program. Out: one record per op.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_OPDOCS_H
#define AIKC_OPDOCS_H

#include <string>
#include <vector>

namespace aikc {

/// An operand, attribute or result.
struct OpField {
  std::string name, description;
};

struct OpDoc {
  std::string name;    // aikernel.rms_norm
  std::string family;  // Norm
  std::string summary; // one line
  std::string syntax;
  std::string description; // several paragraphs, with an example
  std::vector<OpField> operands, attributes, results;
};

/// All ops that a person may write, family by family.
std::vector<OpDoc> readOpDocs();

} // namespace aikc

#endif // AIKC_OPDOCS_H
