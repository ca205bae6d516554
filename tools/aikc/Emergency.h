//===- Emergency.h - When the process must end now ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a signal, a limit that was reached, a crash. Out: no half-written file,
// one message, the right exit status. What is printed and removed then is
// prepared beforehand, because little is allowed in a signal handler and
// nothing can be allocated when memory has run out.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_EMERGENCY_H
#define AIKC_EMERGENCY_H

#include "Messages.h"

namespace aikc {

/// Installs the handlers. SIGINT, SIGTERM, SIGHUP and SIGPIPE end the process
/// as they would have, without leaving files; SIGSEGV and its like, and LLVM's
/// fatal errors, become an internal error with a reproducer.
void installEmergencyHandlers(const Messages &messages);

/// A file (or an empty folder) to remove if the process ends before
/// `forgetTemporary` is called with the same number. -1: no room.
int rememberTemporary(const std::string &path, bool isFolder = false);
void forgetTemporary(int number);

/// While it lives, a crash writes `program` as its reproducer and prints
/// `replayOptions` after the file's name.
class RememberedProgram {
public:
  RememberedProgram(llvm::StringRef program, llvm::StringRef replayOptions);
  ~RememberedProgram();
};

/// From here on no limit can end the process; if one is already doing so, does
/// not return. Also holds back SIGINT and its like.
void enterFinalStage();

/// Removes what was remembered, prints `text` and leaves. Async-signal-safe.
[[noreturn]] void endProcess(llvm::StringRef text, ExitStatus status);

/// What endForLackOfMemory says from now on: the name of the limit.
void prepareMemoryMessage(const Messages &messages, const std::string &limit);

/// The same with the prepared message about memory.
[[noreturn]] void endForLackOfMemory();

/// Creates the file of a reproducer in the folder for temporary files; gives
/// its path, or nothing.
std::string writeReproducer(llvm::StringRef program);

} // namespace aikc

#endif // AIKC_EMERGENCY_H
