//===- Verify.h - Comparing results with the reference --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers and bools must be equal. A float a matches the reference r when
// |a - r| <= absolute + relative |r| + scale max|r|, the maximum taken over
// the finite elements of the tensor: sums of large terms that cancel leave an
// error that belongs to the terms, not to the small sum. NaN matches NaN and
// an infinity matches itself.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_VERIFY_H
#define AIK_RUN_VERIFY_H

#include "Execution.h"
#include "Options.h"

namespace aikrun {

struct Comparison {
  uint64_t elements = 0, mismatches = 0;
  double maxError = 0; // absolute, over elements finite on both sides
  uint64_t maxErrorAt = 0;
  double largest = 0; // finite absolute value of the reference
  uint64_t maxUlp = 0;
  bool allZero = true;    // the reference holds nothing but zeros
  bool anyFinite = false; // the reference holds a finite value
};

/// Compares element by element; a failure names the first mismatch.
Error compareTensors(const std::string &name, const Tensor &result,
                     const Tensor &reference, const Tolerance &tolerance,
                     Comparison &comparison);

/// Runs `function` on copies of `args` in both modules and compares results
/// and the arguments that it writes. `summary` says how close they were.
Error verifyCall(const Module &module, const Module &reference,
                 const Function &function, const std::vector<Tensor> &args,
                 const CallSettings &settings, const Tolerance &tolerance,
                 std::vector<Tensor> &results, std::string &summary);

} // namespace aikrun

#endif // AIK_RUN_VERIFY_H
