//===- Guard.cpp - Watching the buffers of one call -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler of SIGSEGV and SIGBUS only looks up the address, writes a ready
// sentence and leaves; a fault elsewhere gets the default treatment.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include <csignal>
#include <unistd.h>

namespace aikrun {
namespace {

const GuardScope *activeScope = nullptr;

void onFault(int number, siginfo_t *info, void *) {
  const std::string *sentence =
      activeScope ? activeScope->sentenceFor(info->si_addr) : nullptr;
  if (!sentence) {
    std::signal(number, SIG_DFL); // returning repeats the fault
    return;
  }
  ssize_t ignored = ::write(STDERR_FILENO, sentence->data(), sentence->size());
  (void)ignored;
  ::_exit(exitStatus(Code::GuardFault));
}

void installHandler() {
  static bool installed = false;
  if (installed)
    return;
  installed = true;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

uint64_t hashBytes(const Buffer &buffer) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t i = 0; i < buffer.size(); ++i)
    hash = (hash ^ buffer.data()[i]) * 0x100000001b3u;
  return hash;
}

} // namespace

GuardScope::GuardScope(std::string text) : label(std::move(text)) {
  installHandler();
  activeScope = this;
}

GuardScope::~GuardScope() { activeScope = nullptr; }

void GuardScope::watch(const std::string &name, const Buffer &buffer,
                       bool readOnly) {
  Watched entry{name, &buffer, readOnly, readOnly ? hashBytes(buffer) : 0, {}};
  entry.sentence = format(
      "aik-run: error: %s: %s reads or writes past the end of %s\n",
      codeText(Code::GuardFault).c_str(), label.c_str(), quoted(name).c_str());
  buffers.push_back(std::move(entry));
}

Error GuardScope::check() const {
  for (const Watched &entry : buffers) {
    uint64_t distance;
    if (!entry.buffer->canaryIntact(distance))
      return Error(Code::CanaryDamaged,
                   format("%s wrote to memory that begins %llu bytes before %s",
                          label.c_str(), (unsigned long long)distance,
                          quoted(entry.name).c_str()));
    if (!entry.buffer->slackIntact())
      return Error(Code::GuardFault,
                   format("%s writes past the end of %s", label.c_str(),
                          quoted(entry.name).c_str()));
    if (entry.readOnly && hashBytes(*entry.buffer) != entry.hash)
      return Error(Code::InputChanged,
                   format("%s wrote to %s, which it may only read",
                          label.c_str(), quoted(entry.name).c_str()));
  }
  return Error();
}

const std::string *GuardScope::sentenceFor(const void *address) const {
  for (const Watched &entry : buffers)
    if (entry.buffer->guards(address))
      return &entry.sentence;
  return nullptr;
}

} // namespace aikrun
