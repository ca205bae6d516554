//===- VectorBodies.h - Bodies of elementwise ops on vectors --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What aik-vectorize and the epilogues of register tiles know about the ops in
// the body of a linalg.generic.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_VECTORS_VECTORBODIES_H
#define AIKERNEL_TRANSFORMS_VECTORS_VECTORBODIES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace aikernel {

/// Does the op mean the same on vectors, lane by lane?
bool isLanewise(mlir::Operation &op);

/// f64 transcendental functions become library calls, one lane at a time:
/// such bodies stay scalar.
bool callsLibrary(mlir::Operation &op);

/// Does aik-expand-math write it as a long chain of multiplications?
bool isPolynomial(mlir::Operation &op);

/// The value in every lane; a vector and what has one lane stay as they are.
mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  int64_t width);

/// The op on what `values` has for its operands. Values that are the same in
/// all lanes stay scalar until they meet a vector.
void cloneScalarOrVector(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Operation &source, int64_t width,
                         mlir::IRMapping &values);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_VECTORS_VECTORBODIES_H
