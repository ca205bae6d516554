//===- Commands.h - What aik-run can be asked to do -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per command. Each writes its result to standard output and
// gives back the error that decides the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_COMMANDS_H
#define AIK_RUN_COMMANDS_H

#include "Options.h"

namespace aikrun {

/// Runs, verifies or measures (Run.cpp).
Error runCommand(const Options &options);

/// Shows images and signatures (List.cpp).
Error listCommand(const Options &options);

/// Runs the lines of a case file (Batch.cpp).
Error batchCommand(const Options &options);

/// Measures the schedules of a table (Tune.cpp).
Error tuneCommand(const Options &options);

/// Compares two benchmark reports (Compare.cpp).
Error compareCommand(const Options &options);

} // namespace aikrun

#endif // AIK_RUN_COMMANDS_H
