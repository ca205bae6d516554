//===- DoctorTrial.h - A program compiled and run in process --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: whether a tiny program can be compiled, linked, loaded and run here, and
// gives the right numbers.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_DOCTORTRIAL_H
#define AIKC_DOCTORTRIAL_H

#include <string>

namespace aikc {

struct TrialResult {
  std::string problem; // empty: all is well
  std::string image;   // the target of the image that was taken
  double compileMilliseconds = 0;
};

TrialResult runTrial();

} // namespace aikc

#endif // AIKC_DOCTORTRIAL_H
