//===- main.cpp - aikc, the compiler's command line -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a command line. Out: what it asks for, and one of the exit statuses of
// AIKernel/Support/Diagnostics.h.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Emergency.h"
#include "Output.h"
#include "llvm/Config/llvm-config.h"
#include <exception>
#include <fcntl.h>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;

/// Started with a closed stream, the next file to be opened would take its
/// place, and messages would end up in somebody's output.
static void openClosedStreams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0)
      (void)::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

static ExitStatus run(int argc, char **argv, Messages &messages) {
  Options options;
  if (ExitStatus status = parseOptions(argc, argv, options, messages))
    return status;
  if (ExitStatus status = applyLimits(options.limits, messages))
    return status;
  switch (options.command) {
  case Command::Compile:
    return runCompile(options, messages);
  case Command::Check:
    return runCheck(options, messages);
  case Command::Explain:
    return runExplain(options, messages);
  case Command::Doctor:
    return runDoctor(options, messages);
  case Command::Targets:
    return runTargets(options, messages);
  case Command::Ops:
    return runOps(options, messages);
  case Command::Inspect:
    return runInspect(options, messages);
  case Command::Help:
    return printToUser(getHelpText(), messages);
  case Command::Version:
    return printToUser(
        "aikc " AIKERNEL_VERSION " (LLVM " LLVM_VERSION_STRING ")\n", messages);
  }
  return kExitInternal;
}

int main(int argc, char **argv) {
  openClosedStreams();
  Messages messages;
  configureMessages(argc, argv, messages);
  installEmergencyHandlers(messages);
  try {
    return run(argc, argv, messages);
  } catch (const std::bad_alloc &) {
    endForLackOfMemory();
  } catch (const std::exception &error) {
    return messages.error(Code::Internal, error.what());
  }
}
