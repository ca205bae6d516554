//===- Ptxas.cpp - PTX to machine code by NVIDIA's assembler --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: PTX. Out: a cubin and what ptxas says about each kernel, or what it has
// to say against all of it. The program is run by its argument list, never
// through a shell, in a folder of its own that is gone afterwards.
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

/// The number before `what` in a sentence, or 0.
unsigned numberBefore(StringRef line, StringRef what) {
  size_t end = line.find(what);
  if (end == StringRef::npos)
    return 0;
  StringRef words = line.take_front(end).rtrim();
  unsigned number = 0;
  (void)words.drop_front(words.find_last_not_of("0123456789") + 1)
      .getAsInteger(10, number);
  return number;
}

/// Reads the output of -v, of which the order is not promised.
class LogReader {
public:
  explicit LogReader(SmallVectorImpl<PtxasKernel> &kernels)
      : kernels(kernels) {}

  void read(StringRef log) {
    SmallVector<StringRef> lines;
    log.split(lines, '\n');
    for (StringRef line : lines)
      readLine(line.trim());
  }

private:
  void readLine(StringRef line) {
    size_t note = line.find("(C75");
    if (note != StringRef::npos) {
      StringRef name = line.split("function '").second.split('\'').first;
      find(name).notes.push_back(line.drop_front(note).str());
      return;
    }
    if (StringRef rest = line.split("Compiling entry function '").second;
        !rest.empty()) {
      find(rest.split('\'').first);
      return;
    }
    if (StringRef name = line.split("Function properties for ").second;
        !name.empty()) {
      current = name.trim().str();
      return;
    }
    if (line.contains("bytes stack frame")) {
      PtxasKernel &kernel = find(current);
      kernel.stackBytes = numberBefore(line, "bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, "bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, "bytes spill loads");
    } else if (unsigned registers = numberBefore(line, " registers")) {
      find(current).registers = registers;
    }
  }

  PtxasKernel &find(StringRef name) {
    for (PtxasKernel &kernel : kernels)
      if (kernel.name == name)
        return kernel;
    kernels.emplace_back();
    kernels.back().name = name.str();
    return kernels.back();
  }

  SmallVectorImpl<PtxasKernel> &kernels;
  std::string current;
};

} // namespace

std::string PtxasKernel::describe() const {
  std::string text;
  raw_string_ostream out(text);
  out << registers << " registers, " << stackBytes << " bytes of stack, "
      << spillStoreBytes << " bytes spilled and " << spillLoadBytes
      << " read again";
  for (const std::string &note : notes)
    out << "; " << note;
  return text;
}

Expected<PtxasResult> aikernel::runPtxas(StringRef ptxas, StringRef ptx,
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
  PtxasResult result;
  result.cubin = readFile(output);
  if (result.cubin.empty())
    return fail("ptxas wrote no cubin");
  LogReader(result.kernels).read(said);
  return result;
}
