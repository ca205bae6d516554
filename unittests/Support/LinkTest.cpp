//===- LinkTest.cpp - lld in process --------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: objects made here from YAML, and bytes that are none. Out: one line for
// each link that gives something else than it should: shared objects with what
// was exported, the same bytes twice, and an error, not a crash, for everything
// else.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Link.h"
#include "Check.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/YAMLTraits.h"
#include <csignal>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

using namespace llvm;
using aiktest::finish;
using aiktest::run;

namespace {

/// An object of x86-64 code that defines the function `name`; where `callee` is
/// not empty, the function calls it.
std::string makeObject(StringRef name, StringRef callee = "") {
  std::string text =
      "--- !ELF\n"
      "FileHeader: { Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL,\n"
      "              Machine: EM_X86_64 }\n"
      "Sections:\n"
      "  - { Name: .text, Type: SHT_PROGBITS,\n"
      "      Flags: [ SHF_ALLOC, SHF_EXECINSTR ], Content: E800000000C3 }\n";
  if (!callee.empty())
    text += "  - { Name: .rela.text, Type: SHT_RELA, Info: .text,\n"
            "      Relocations: [ { Offset: 1, Symbol: " +
            callee.str() +
            ", Type: R_X86_64_PLT32,\n"
            "                       Addend: -4 } ] }\n";
  text += "Symbols:\n  - { Name: " + name.str() +
          ", Type: STT_FUNC, Section: .text, Binding: STB_GLOBAL, Size: 6 }\n";
  if (!callee.empty())
    text += "  - { Name: " + callee.str() + ", Binding: STB_GLOBAL }\n";
  text += "...\n";
  yaml::Input input(text);
  SmallString<0> bytes;
  raw_svector_ostream out(bytes);
  bool made = yaml::convertYAML(input, out, [](const Twine &message) {
    aiktest::report(__FILE__, __LINE__, message.str());
  });
  CHECK(made);
  return bytes.str().str();
}

std::string link(ArrayRef<std::string> objects) {
  SmallVector<StringRef> inputs(objects.begin(), objects.end());
  Expected<std::string> result = aikernel::linkShared(inputs);
  if (!result) {
    aiktest::report(__FILE__, __LINE__, toString(result.takeError()));
    return "";
  }
  return *result;
}

std::string complaintAbout(ArrayRef<StringRef> objects) {
  Expected<std::string> result = aikernel::linkShared(objects);
  if (result)
    return "";
  return toString(result.takeError());
}

std::vector<std::string> exportsOf(StringRef bytes) {
  std::vector<std::string> names;
  auto file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "linked"));
  if (!file) {
    aiktest::report(__FILE__, __LINE__, toString(file.takeError()));
    return names;
  }
  auto *elf = cast<object::ELFObjectFileBase>(file->get());
  for (object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators())
    if (Expected<StringRef> name = symbol.getName())
      names.push_back(name->str());
    else
      aiktest::report(__FILE__, __LINE__, toString(name.takeError()));
  return names;
}

void linksAndExports() {
  std::string object = makeObject("entry");
  std::string bytes = link({object});
  CHECK(exportsOf(bytes) == std::vector<std::string>{"entry"});
}

void resolvesBetweenObjects() {
  std::string caller = makeObject("caller", "helper");
  std::string helper = makeObject("helper");
  std::string bytes = link({caller, helper});
  CHECK_EQ(exportsOf(bytes).size(), 2);
}

void refusesUndefinedSymbols() {
  std::string caller = makeObject("caller", "missing");
  std::string complaint = complaintAbout({caller});
  CHECK(StringRef(complaint).contains("undefined symbol: missing"));
}

void refusesDuplicateSymbols() {
  std::string one = makeObject("entry"), two = makeObject("entry");
  std::string complaint = complaintAbout({one, two});
  CHECK(StringRef(complaint).contains("duplicate symbol: entry"));
}

void refusesWhatIsNoObject() {
  std::string zeros(64, '\0');
  for (StringRef bytes : {StringRef("this is not an object"), StringRef(zeros),
                          StringRef("\x7f")})
    CHECK(!complaintAbout({bytes}).empty());
  CHECK(!complaintAbout({}).empty());
}

/// What lld calls fatal is an error of this link, not the end of the process.
void survivesFatalErrors() {
  std::string object = makeObject("entry", "missing");
  for (size_t size = 1; size < object.size(); size += 7)
    CHECK(!complaintAbout({StringRef(object).take_front(size)}).empty());
  CHECK(!link({makeObject("entry")}).empty());
}

/// Without room for a file, or without files, a link is an error and the next
/// one works.
void survivesLimits() {
  std::string object = makeObject("entry");
  ::signal(SIGXFSZ, SIG_IGN);
  for (auto [resource, value] : {std::pair(RLIMIT_FSIZE, rlim_t(16)),
                                 std::pair(RLIMIT_NOFILE, rlim_t(0)),
                                 std::pair(RLIMIT_NOFILE, rlim_t(4))}) {
    rlimit before, tight;
    CHECK_EQ(::getrlimit(resource, &before), 0);
    tight = before;
    tight.rlim_cur = value;
    CHECK_EQ(::setrlimit(resource, &tight), 0);
    std::string complaint = complaintAbout({object});
    CHECK_EQ(::setrlimit(resource, &before), 0);
    CHECK(StringRef(complaint).starts_with("AIK-E0201: the linker's "));
    CHECK(!link({object}).empty());
  }
}

/// A library leaves the signals of the process alone.
void leavesSignalsAlone() {
  CHECK(!link({makeObject("entry")}).empty());
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGABRT}) {
    struct sigaction action;
    CHECK_EQ(::sigaction(number, nullptr, &action), 0);
    CHECK(action.sa_handler == SIG_DFL);
  }
}

/// A failed link leaves nothing behind that would disturb the next one.
void worksAfterAFailure() {
  CHECK(!complaintAbout({"garbage"}).empty());
  CHECK(!link({makeObject("entry")}).empty());
}

void equalInputsGiveEqualBytes() {
  std::string object = makeObject("entry");
  CHECK(link({object}) == link({object}));
}

/// lld has one global state; threads take turns.
void threadsTakeTurns() {
  std::string object = makeObject("entry");
  std::string expected = link({object});
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string &result : results)
    threads.emplace_back([&] {
      if (Expected<std::string> bytes = aikernel::linkShared({object}))
        result = *bytes;
      else
        consumeError(bytes.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : results)
    CHECK(result == expected);
}

} // namespace

int main() {
  run("links and exports", linksAndExports);
  run("resolves between objects", resolvesBetweenObjects);
  run("refuses undefined symbols", refusesUndefinedSymbols);
  run("refuses duplicate symbols", refusesDuplicateSymbols);
  run("refuses what is no object", refusesWhatIsNoObject);
  run("survives fatal errors", survivesFatalErrors);
  run("survives limits", survivesLimits);
  run("leaves signals alone", leavesSignalsAlone);
  run("works after a failure", worksAfterAFailure);
  run("equal inputs give equal bytes", equalInputsGiveEqualBytes);
  run("threads take turns", threadsTakeTurns);
  return finish();
}
