//===- TuningTable.h - Schedules that were measured -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table is JSON: rows that name a product, a schedule, the artifact and the
// function that try it, and, when aik-run --tune has been there, microseconds.
// --tune-candidates writes tables, --tuning reads them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_TUNINGTABLE_H
#define AIKC_TUNINGTABLE_H

#include "Options.h"
#include "Output.h"

namespace aikc {

/// Of each product of the table that was measured, the quickest schedule.
ExitStatus
readTuningTable(const std::string &path,
                std::vector<std::pair<std::string, std::string>> &tuning,
                Messages &messages);

/// Writes a table and an artifact for each of its rows: the program with one
/// likely schedule of one product. `scheduled` is the text of that phase, in
/// which candidates are named.
ExitStatus saveCandidates(const Options &options, aikernel::Compiler &compiler,
                          const aikernel::CompileOptions &compileOptions,
                          llvm::StringRef program, llvm::StringRef name,
                          llvm::StringRef scheduled, OutputFiles &outputs,
                          Messages &messages);

} // namespace aikc

#endif // AIKC_TUNINGTABLE_H
