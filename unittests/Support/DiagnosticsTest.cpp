//===- DiagnosticsTest.cpp - The table of error codes ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the table of codes. Out: one line for each code that is used twice, has
// no text, is not read back from its own spelling or has a wrong exit status,
// and exit status 1.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Diagnostics.h"
#include "Check.h"
#include <set>

using namespace aikernel;
using aiktest::finish;
using aiktest::run;

namespace {

void codesAreUniqueAndInOrder() {
  std::set<unsigned> seen;
  unsigned last = 0;
  for (const CodeInfo &info : getCodes()) {
    unsigned number = static_cast<unsigned>(info.code);
    CHECK(seen.insert(number).second);
    CHECK(number > last);
    last = number;
  }
  CHECK(!seen.count(0));
}

void everyCodeHasItsTexts() {
  for (const CodeInfo &info : getCodes()) {
    CHECK(!info.title.empty());
    CHECK(!info.hint.empty());
    CHECK(!info.explanation.empty());
    CHECK(info.hint.find('\n') == llvm::StringRef::npos);
    CHECK(info.title.back() != '.');
    CHECK(info.explanation.back() == '.');
  }
}

void codesAreReadBack() {
  for (const CodeInfo &info : getCodes()) {
    std::string text = formatCode(info.code) + ": something went wrong";
    CHECK_EQ(formatCode(info.code).size(), 9);
    llvm::StringRef message = text;
    CHECK(takeCode(message) == info.code);
    CHECK_EQ(message.str(), "something went wrong");
  }
  CHECK_EQ(formatCode(Code::Verify), "AIK-E0002");
  CHECK_EQ(formatCode(Code::TimeLimit), "AIK-E0301");
}

/// What is no code at the start of a message is left where it is.
void otherTextIsLeftAlone() {
  for (llvm::StringRef text :
       {"", "AIK-E", "AIK-E0002", "AIK-E0002:", "AIK-E0002 no colon",
        "AIK-E2: short", "AIK-Eabcd: letters", "AIK-E9999: no such code",
        "AIK-E0000: the code of nothing", " AIK-E0002: a blank first",
        "'f' failed with AIK-E0002: inside", "AIK-E-002: a sign"}) {
    llvm::StringRef message = text;
    CHECK(takeCode(message) == Code::None);
    CHECK_EQ(message.str(), text.str());
  }
}

void exitStatusesFollowTheKind() {
  for (const CodeInfo &info : getCodes()) {
    unsigned number = static_cast<unsigned>(info.code);
    CHECK(info.exitStatus != kExitOk);
    // By hundreds: programs, usage, files, limits.
    if (number >= 100 && number < 200)
      CHECK(info.exitStatus == kExitUsage);
    if (number >= 300)
      CHECK(info.exitStatus == kExitLimit);
  }
  CHECK(getInfo(Code::Parse).exitStatus == kExitInput);
  CHECK(getInfo(Code::Verify).exitStatus == kExitInput);
  CHECK(getInfo(Code::Unsupported).exitStatus == kExitUnsupported);
  CHECK(getInfo(Code::Contract).exitStatus == kExitInternal);
  CHECK(getInfo(Code::CannotRead).exitStatus == kExitFile);
  CHECK(getInfo(Code::CannotWrite).exitStatus == kExitFile);
}

/// A code without an entry is an error of the compiler.
void unknownCodesAreInternal() {
  CHECK(getInfo(Code::None).code == Code::Internal);
  CHECK(getInfo(static_cast<Code>(777)).code == Code::Internal);
}

} // namespace

int main() {
  run("codes are unique and in order", codesAreUniqueAndInOrder);
  run("every code has its texts", everyCodeHasItsTexts);
  run("codes are read back", codesAreReadBack);
  run("other text is left alone", otherTextIsLeftAlone);
  run("exit statuses follow the kind", exitStatusesFollowTheKind);
  run("unknown codes are internal", unknownCodesAreInternal);
  return finish();
}
