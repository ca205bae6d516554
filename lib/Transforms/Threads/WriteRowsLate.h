//===- WriteRowsLate.h - A row is written while another is computed -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the loop over a range of a parallel loop's iterations. Out: the same,
// where it fits, such that the last loop of an iteration, which writes past the
// caches, runs beside a loop of the iteration to come.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_THREADS_WRITEROWSLATE_H
#define AIKERNEL_LIB_TRANSFORMS_THREADS_WRITEROWSLATE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aikernel {

/// Whether it does.
bool writeRowsLate(mlir::scf::ForOp rows);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_THREADS_WRITEROWSLATE_H
