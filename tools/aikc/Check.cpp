//===- Check.cpp - aikc check ---------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program. Out: nothing when it parses and verifies, else the problems.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Emergency.h"
#include "Input.h"

using namespace aikc;
using namespace aikernel;

ExitStatus aikc::runCheck(const Options &options, Messages &messages) {
  std::string program;
  if (ExitStatus status = readInput(options.operand, program, messages))
    return status;
  RememberedProgram remembered(program,
                               getReplayOptions(options, Phase::Import));
  CompileOptions compileOptions;
  compileOptions.trustInput = options.trustInput;
  compileOptions.onDiagnostic = [&](const Diagnostic &diagnostic) {
    messages.print(diagnostic);
  };
  std::string name =
      options.operand == "-" ? kStandardInputName : options.operand;
  return Compiler().check(program, name, compileOptions).status;
}
