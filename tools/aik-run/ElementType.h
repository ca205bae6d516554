//===- ElementType.h - The element types that aik-run handles -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each AIK_* element type is called, how large it is, how it travels in
// an .npy file, and how one element becomes a double and back.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_ELEMENTTYPE_H
#define AIK_RUN_ELEMENTTYPE_H

#include "AIKernel-c/Entry.h"

#include <string>

namespace aikrun {

struct ElementType {
  uint32_t dtype;   // AIK_*
  const char *name; // as in MLIR
  uint32_t size;    // bytes
  char npyKind;     // f, i, u or b; with the size it makes "<f4"
  bool isFloat;
  // The range of an integer type; for floats, unused.
  int64_t low, high;
  // The defaults of --verify=ref.
  double relativeTolerance, scaleTolerance;
};

/// Null for a number that is no element type.
const ElementType *elementType(uint32_t dtype);

/// The element at `data` as a double (exact but for i64 over 2^53).
double loadDouble(const ElementType &type, const void *data);

/// The element at `data` as an integer; of integer types only.
int64_t loadInteger(const ElementType &type, const void *data);

/// Stores `value` rounded to nearest even; integers are truncated and must be
/// in range.
void storeDouble(const ElementType &type, double value, void *data);
void storeInteger(const ElementType &type, int64_t value, void *data);

/// The number of representable values between two floats of `type` that are
/// not NaN.
uint64_t ulpDistance(const ElementType &type, const void *a, const void *b);

/// An element as text, with enough digits to tell two values apart.
std::string elementText(const ElementType &type, const void *data);

} // namespace aikrun

#endif // AIK_RUN_ELEMENTTYPE_H
