//===- SaveTemps.h - What --save-temps writes -----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the IR at the end of the phase `target`. Out: for each target in it the
// LLVM IR, the assembly and the object file.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_SAVETEMPS_H
#define AIKC_SAVETEMPS_H

#include "Options.h"
#include "Output.h"

namespace aikc {

ExitStatus saveTemps(const Options &options, aikernel::Compiler &compiler,
                     llvm::StringRef targetText, OutputFiles &outputs,
                     Messages &messages);

} // namespace aikc

#endif // AIKC_SAVETEMPS_H
