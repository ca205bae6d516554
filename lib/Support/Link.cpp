//===- Link.cpp - lld in process ------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: object files in memory. Out: what lld made of them. lld reads and writes
// files and keeps its state in a global, so every link has a folder of its own
// and only one runs at a time.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

/// lld's context is global, so its users take turns.
static std::mutex &linkerMutex() {
  static std::mutex mutex;
  return mutex;
}

static Error writeFile(StringRef path, StringRef bytes) {
  std::error_code ec;
  raw_fd_ostream out(path, ec, sys::fs::OF_None);
  if (ec)
    return createStringError(ec,
                             "AIK-E0201: a temporary file cannot be written");
  out << bytes;
  out.close();
  if (out.has_error()) {
    ec = out.error();
    out.clear_error();
    return createStringError(ec,
                             "AIK-E0201: a temporary file cannot be written");
  }
  return Error::success();
}

static Expected<std::string> link(ArrayRef<StringRef> objects,
                                  ArrayRef<const char *> flags) {
  SmallString<128> folder;
  if (std::error_code ec = sys::fs::createUniqueDirectory("aikc-link", folder))
    return createStringError(ec,
                             "AIK-E0201: a temporary folder cannot be made");
  auto cleanUp =
      make_scope_exit([&] { (void)sys::fs::remove_directories(folder); });

  SmallVector<std::string> paths;
  for (auto [index, object] : enumerate(objects)) {
    SmallString<128> path(folder);
    sys::path::append(path, "in" + Twine(index) + ".o");
    paths.push_back(path.str().str());
    if (Error error = writeFile(paths.back(), object))
      return std::move(error);
  }
  SmallString<128> output(folder);
  sys::path::append(output, "out");

  SmallVector<const char *> args{"ld.lld"};
  append_range(args, flags);
  args.append({"-o", output.c_str()});
  for (const std::string &path : paths)
    args.push_back(path.c_str());

  std::string complaints;
  raw_string_ostream stream(complaints);
  {
    std::lock_guard<std::mutex> lock(linkerMutex());
    lld::Result result =
        lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0)
      return createStringError(inconvertibleErrorCode(),
                               "the linker failed: " + complaints);
  }
  auto buffer = MemoryBuffer::getFile(output, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError(), "the linker wrote nothing");
  return (*buffer)->getBuffer().str();
}

Expected<std::string> aikernel::linkShared(ArrayRef<StringRef> objects) {
  // Separate code keeps W^X pages; no build id or comment, so that equal
  // inputs give equal bytes.
  return link(objects,
              {"-shared", "--no-undefined", "--gc-sections", "--build-id=none",
               "-s", "-z", "noexecstack", "-z", "now", "-z", "relro",
               "--hash-style=gnu", "--threads=1"});
}
