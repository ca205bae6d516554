//===- main.cpp - Runs, verifies and measures an artifact -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line goes in; the exit status that aikc would give for the same
// kind of failure comes out. Links only libaikrt: on a bare machine,
//
//   g++ -std=c++17 -O2 -Iinclude -Ilib/Runtime tools/aik-run/*.cpp
//       $(find lib/Runtime -name '*.cpp') -ldl -lpthread -o aik-run
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Report.h"

#include "AIKernel-c/Runtime.h"

#include <csignal>
#include <exception>
#include <new>

#ifndef AIK_RUN_VERSION
#define AIK_RUN_VERSION "0.1.0"
#endif

namespace {

using namespace aikrun;

Error dispatch(const Options &options) {
  std::string text;
  switch (options.command) {
  case Command::Run:
    return runCommand(options);
  case Command::List:
    return listCommand(options);
  case Command::Batch:
    return batchCommand(options);
  case Command::Compare:
    return compareCommand(options);
  case Command::Tune:
    return tuneCommand(options);
  case Command::Help:
    text = helpText();
    break;
  case Command::Version:
    text = format("aik-run %s (runtime API %u, entry ABI %u, artifact format "
                  "%u)\n",
                  AIK_RUN_VERSION, AIK_RUNTIME_VERSION, AIK_ENTRY_ABI_VERSION,
                  AIK_META_VERSION);
    break;
  }
  if (!print(text))
    return Error(Code::CannotWrite, "standard output cannot be written");
  return Error();
}

} // namespace

int main(int argc, char **argv) {
  // A file over the limit of its size is then an error like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  // The standard library reports exhausted memory by an exception; nothing
  // else in aik-run throws on purpose.
  try {
    Options options;
    Error error = parseOptions(argc, argv, options);
    if (!error)
      error = dispatch(options);
    if (!error)
      return 0;
    // An empty sentence: everything has been said already.
    return error.sentence().empty() ? exitStatus(error.code()) : report(error);
  } catch (const std::bad_alloc &) {
    return report(Error(Code::OutOfMemory, "the system has no memory left"));
  } catch (const std::exception &exception) {
    return report(
        Error(Code::Internal,
              std::string("an unexpected exception: ") + exception.what(),
              "please report this with the command line"));
  }
}
