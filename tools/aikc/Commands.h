//===- Commands.h - One function per command of aikc ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: checked options. Out: an exit status; results on standard output or in
// files, problems on standard error.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_COMMANDS_H
#define AIKC_COMMANDS_H

#include "Messages.h"
#include "Options.h"

namespace aikc {

ExitStatus runCompile(const Options &options, Messages &messages);
ExitStatus runCheck(const Options &options, Messages &messages);
ExitStatus runExplain(const Options &options, Messages &messages);
ExitStatus runDoctor(const Options &options, Messages &messages);
ExitStatus runTargets(const Options &options, Messages &messages);
ExitStatus runOps(const Options &options, Messages &messages);
ExitStatus runInspect(const Options &options, Messages &messages);

} // namespace aikc

#endif // AIKC_COMMANDS_H
