//===- Ptxas.cpp - PTX to machine code by NVIDIA's assembler --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: PTX. Out: a cubin, or what ptxas has to say against it. The program is
// run by its argument list, never through a shell, in a folder of its own that
// is gone afterwards.
//
//===----------------------------------------------------------------------===//

#include "Ptxas.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace aikernel;

namespace {

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

std::string readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace

Expected<std::string> aikernel::runPtxas(StringRef ptxas, StringRef ptx,
                                         StringRef target) {
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("aikc", folder))
    return fail("no folder for ptxas can be made: " + error.message());
  auto cleanUp =
      make_scope_exit([&] { (void)sys::fs::remove_directories(folder); });
  auto inFolder = [&](StringRef name) {
    SmallString<128> path = folder;
    sys::path::append(path, name);
    return path;
  };
  SmallString<128> input = inFolder("kernels.ptx");
  SmallString<128> output = inFolder("kernels.cubin");
  SmallString<128> log = inFolder("log");
  {
    std::error_code error;
    raw_fd_ostream out(input, error);
    if (!error)
      out << ptx;
    out.flush();
    if (error || out.has_error()) {
      out.clear_error();
      return fail("the PTX for ptxas cannot be written: " + error.message());
    }
  }
  target.consume_front("nvidia:");
  std::string arch = ("-arch=" + target).str();
  SmallVector<StringRef> arguments = {ptxas, "-v",   "-O3", arch,
                                      "-o",  output, input};
  std::optional<StringRef> redirects[] = {StringRef(), log.str(), log.str()};
  std::string complaint;
  int status = sys::ExecuteAndWait(ptxas, arguments, /*Env=*/std::nullopt,
                                   redirects, /*SecondsToWait=*/300,
                                   /*MemoryLimit=*/0, &complaint);
  std::string said = readFile(log);
  if (status != 0) {
    StringRef first = StringRef(said).split('\n').first;
    return fail("ptxas failed: " +
                (first.empty() ? Twine(complaint) : Twine(first)));
  }
  std::string cubin = readFile(output);
  if (cubin.empty())
    return fail("ptxas wrote no cubin");
  return cubin;
}
