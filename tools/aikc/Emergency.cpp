//===- Emergency.cpp - When the process must end now ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a signal, a fatal error or memory that ran out. Out: temporary files
// removed, one message written, the process ended.
//
//===----------------------------------------------------------------------===//

#include "Emergency.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {

// Signal handlers get no argument of ours, hence the globals. Paths are
// copies that are never freed: a handler may be reading them.
constexpr int kMaxTemporaries = 512;
struct Temporary {
  std::atomic<const char *> path{nullptr};
  std::atomic<bool> isFolder{false};
};
Temporary temporaries[kMaxTemporaries];

std::atomic<bool> ending{false};
thread_local bool endedHere = false;

constexpr size_t kMaxReproducerName = 4096;
char reproducerTemplate[kMaxReproducerName];
std::string crashText, outOfMemoryText;
std::string fatalBefore, fatalAfter;   // around LLVM's reason
std::string replayBefore, replayAfter; // around the file's name
std::atomic<const char *> programBytes{nullptr};
std::atomic<size_t> programSize{0};
std::atomic<const char *> replayText{nullptr};

const int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
const int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

void removeTemporaries() {
  for (bool folders : {false, true})
    for (Temporary &temporary : temporaries)
      if (const char *path = temporary.path.load())
        if (temporary.isFolder == folders)
          folders ? ::rmdir(path) : ::unlink(path);
}

/// Fills `name` with the path of a new file that holds the program.
bool createReproducer(char *name, StringRef program) {
  std::memcpy(name, reproducerTemplate, kMaxReproducerName);
  int fd = ::mkstemps(name, std::strlen(".mlir"));
  if (fd < 0)
    return false;
  bool written = writeAll(fd, program);
  ::close(fd);
  if (!written)
    ::unlink(name);
  return written;
}

void writeText(StringRef text) { (void)writeAll(STDERR_FILENO, text); }

void leaveReproducer() {
  const char *program = programBytes.load();
  static char name[kMaxReproducerName];
  if (!program || !createReproducer(name, StringRef(program, programSize)))
    return;
  writeText(replayBefore);
  writeText(name);
  if (const char *replay = replayText.load())
    writeText(replay);
  writeText(replayAfter);
}

/// True for the first thread that wants to end the process, and again for that
/// thread; the others have nothing left to do.
void becomeTheOneWhoEnds() {
  if (!ending.exchange(true))
    endedHere = true;
  else if (!endedHere)
    for (;;)
      ::pause();
}

// Stands in prepared text for what is known only later.
constexpr char kMark[] = "@@@";

void splitAtMark(const std::string &text, std::string &before,
                 std::string &after) {
  size_t at = text.find(kMark);
  before = text.substr(0, at);
  after = text.substr(at + std::strlen(kMark));
}

void onEndingSignal(int number) {
  removeTemporaries();
  ::signal(number, SIG_DFL);
  // The signal is blocked while its handler runs; it arrives on return.
  ::raise(number);
}

void onCrashSignal(int number) {
  ::signal(number, SIG_DFL);
  removeTemporaries();
  writeText(crashText);
  leaveReproducer();
  ::_exit(kExitInternal);
}

void onFatalError(void *, const char *reason, bool) {
  removeTemporaries();
  writeText(fatalBefore);
  writeText(reason);
  writeText(fatalAfter);
  leaveReproducer();
  ::_exit(kExitInternal);
}

void onBadAlloc(void *, const char *, bool) { endForLackOfMemory(); }

} // namespace

void aikc::installEmergencyHandlers(const Messages &messages) {
  crashText = messages.render(Code::Internal, "the compiler crashed");
  splitAtMark(messages.render(Code::Internal,
                              std::string("the compiler gave up: ") + kMark),
              fatalBefore, fatalAfter);
  Diagnostic note;
  note.severity = Severity::Note;
  note.message = std::string("this replays it: aikc ") + kMark;
  splitAtMark(messages.render(note), replayBefore, replayAfter);
  prepareMemoryMessage(messages, "the system gives");
  const char *folder = std::getenv("TMPDIR");
  std::string name =
      std::string(folder && *folder ? folder : "/tmp") + "/aikc-XXXXXX.mlir";
  if (name.size() < kMaxReproducerName)
    std::memcpy(reproducerTemplate, name.c_str(), name.size() + 1);

  // A crash is often a stack overflow, which leaves no stack to handle it on.
  static char alternateStack[64 * 1024];
  stack_t stack = {};
  stack.ss_sp = alternateStack;
  stack.ss_size = sizeof alternateStack;
  ::sigaltstack(&stack, nullptr);

  struct sigaction action = {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = onEndingSignal;
  for (int number : kEndingSignals) {
    // Whoever starts us with a signal ignored (nohup) wants it ignored.
    struct sigaction before;
    if (::sigaction(number, nullptr, &before) == 0 &&
        before.sa_handler != SIG_IGN)
      ::sigaction(number, &action, nullptr);
  }
  action.sa_handler = onCrashSignal;
  action.sa_flags = SA_ONSTACK;
  for (int number : kCrashSignals)
    ::sigaction(number, &action, nullptr);

  // A file over the limit of its size is then an error like any other.
  ::signal(SIGXFSZ, SIG_IGN);

  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  std::set_new_handler(endForLackOfMemory);
}

int aikc::rememberTemporary(const std::string &path, bool isFolder) {
  for (int i = 0; i < kMaxTemporaries; ++i) {
    if (temporaries[i].path.load())
      continue;
    temporaries[i].isFolder = isFolder;
    temporaries[i].path = ::strdup(path.c_str());
    return i;
  }
  return -1;
}

void aikc::forgetTemporary(int number) {
  if (number >= 0)
    temporaries[number].path = nullptr;
}

RememberedProgram::RememberedProgram(StringRef program,
                                     StringRef replayOptions) {
  replayText = ::strdup(replayOptions.str().c_str());
  programSize = program.size();
  programBytes = program.data();
}

RememberedProgram::~RememberedProgram() { programBytes = nullptr; }

void aikc::enterFinalStage() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int number : kEndingSignals)
    ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  becomeTheOneWhoEnds();
}

void aikc::endProcess(StringRef text, ExitStatus status) {
  becomeTheOneWhoEnds();
  removeTemporaries();
  writeText(text);
  ::_exit(status);
}

void aikc::prepareMemoryMessage(const Messages &messages,
                                const std::string &limit) {
  outOfMemoryText = messages.render(
      Code::MemoryLimit, "the compilation needs more memory than " + limit);
}

void aikc::endForLackOfMemory() { endProcess(outOfMemoryText, kExitLimit); }

std::string aikc::writeReproducer(StringRef program) {
  char name[kMaxReproducerName];
  return createReproducer(name, program) ? std::string(name) : std::string();
}
