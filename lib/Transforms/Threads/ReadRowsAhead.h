//===- ReadRowsAhead.h - A row is read while another is written -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the loop over a range of a parallel loop's iterations. Out: the same,
// where it fits, such that the first loop of an iteration runs beside the last
// one of the iteration before.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TRANSFORMS_THREADS_READROWSAHEAD_H
#define AIKERNEL_LIB_TRANSFORMS_THREADS_READROWSAHEAD_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aikernel {

void readRowsAhead(mlir::scf::ForOp rows);

} // namespace aikernel

#endif // AIKERNEL_LIB_TRANSFORMS_THREADS_READROWSAHEAD_H
