//===- TuningRows.h - Schedules that are measured -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels whose schedule is to be chosen, by name. Out: what a table of
// measured schedules says, and rows for a table that is yet to be measured.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_GPU_TUNINGROWS_H
#define AIKERNEL_LIB_TARGET_GPU_TUNINGROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace aikernel {

/// The schedule that the program's table has for `name`, or nothing.
mlir::Attribute measuredSchedule(mlir::ModuleOp module, llvm::StringRef name);

/// Says at the root of a kernel why the schedule given for it is none.
void refuseSchedule(mlir::Operation *root, llvm::StringRef name,
                    llvm::StringRef objection);

/// Where the program asks for schedules to measure, its module for one target
/// lists the best few of those that were ranked for `kernel`.
void offerSchedules(mlir::func::FuncOp kernel, llvm::StringRef name,
                    llvm::ArrayRef<mlir::Attribute> ranked);

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_GPU_TUNINGROWS_H
