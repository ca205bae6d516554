//===- Link.cpp - lld in process ------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: object files in memory. Out: what lld made of them. lld wants names of
// files, so its inputs are files in memory and its output is a pipe, named by
// their places in /proc/self/fd. A disk is never touched: lld maps an output
// file into memory, where a full disk would end the process, and installs
// signal handlers to remove it. lld keeps its state in a global, so only one
// link runs at a time.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

LLD_HAS_DRIVER(elf)

using namespace llvm;

/// lld's context is global, so its users take turns.
static std::mutex &linkerMutex() {
  static std::mutex mutex;
  return mutex;
}

namespace {

Error fail(int number, const Twine &what) {
  std::error_code code(number, std::generic_category());
  return createStringError(code, "AIK-E0201: " + what + ": " + code.message());
}

/// Closed when it goes out of scope.
class File {
public:
  explicit File(int fd = -1) : fd(fd) {}
  File(File &&other) : fd(std::exchange(other.fd, -1)) {}
  File &operator=(File &&other) {
    std::swap(fd, other.fd);
    return *this;
  }
  ~File() { close(); }

  void close() {
    if (fd >= 0)
      ::close(std::exchange(fd, -1));
  }
  std::string path() const { return ("/proc/self/fd/" + Twine(fd)).str(); }

  int fd;
};

/// A file in memory that holds `bytes`.
Expected<File> makeFile(StringRef bytes) {
  File file(::memfd_create("aikernel-link", MFD_CLOEXEC));
  if (file.fd < 0)
    return fail(errno, "the linker's input has no place in memory");
  while (!bytes.empty()) {
    ssize_t written = ::write(file.fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail(errno, "the linker's input has no place in memory");
    bytes = bytes.drop_front(written);
  }
  return file;
}

/// A pipe whose other end is read by a thread until all writers are gone.
class Reader {
public:
  ~Reader() { (void)finish(); }

  Error start() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return fail(errno, "the linker's output has no pipe");
    from = File(ends[0]);
    to = File(ends[1]);
    // Signals are for the threads of whoever uses this library.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // Small, because stacks count where memory is limited.
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, 4 * kBlock);
    int error = ::pthread_create(
        &thread, &attributes,
        [](void *self) -> void * {
          static_cast<Reader *>(self)->read();
          return nullptr;
        },
        this);
    ::pthread_attr_destroy(&attributes);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error)
      return fail(error, "the linker's output has no thread to read it");
    running = true;
    return Error::success();
  }

  std::string path() const { return to.path(); }

  /// Everything that was written.
  std::string finish() {
    to.close();
    if (std::exchange(running, false))
      ::pthread_join(thread, nullptr);
    return std::move(bytes);
  }

private:
  static constexpr size_t kBlock = 1 << 16;

  void read() {
    char block[kBlock];
    for (;;) {
      ssize_t count = ::read(from.fd, block, sizeof(block));
      if (count > 0)
        bytes.append(block, count);
      else if (count == 0 || errno != EINTR)
        return;
    }
  }

  File from, to;
  pthread_t thread = {};
  bool running = false;
  std::string bytes;
};

/// Switches LLVM's crash recovery on; leaves it as it was. While it is on, a
/// crash of another thread still goes to the handler that was there before.
class CrashRecovery {
public:
  CrashRecovery() {
    CrashRecoveryContext probe;
    probe.RunSafely(
        [&] { wasOn = CrashRecoveryContext::GetCurrent() != nullptr; });
    if (!wasOn)
      CrashRecoveryContext::Enable();
  }
  ~CrashRecovery() {
    if (!wasOn)
      CrashRecoveryContext::Disable();
  }

private:
  bool wasOn = false;
};

Expected<std::string> link(ArrayRef<StringRef> objects,
                           ArrayRef<const char *> flags) {
  SmallVector<File> files;
  SmallVector<std::string> paths;
  for (StringRef object : objects) {
    Expected<File> file = makeFile(object);
    if (!file)
      return file.takeError();
    paths.push_back(file->path());
    files.push_back(std::move(*file));
  }
  Reader output;
  if (Error error = output.start())
    return std::move(error);
  // lld opens each again; where that will not do, it is better said here.
  for (const std::string &path : paths)
    if (File again(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); again.fd < 0)
      return fail(errno, "the linker's input " + path + " cannot be opened");
  paths.push_back(output.path());

  SmallVector<const char *> args{"ld.lld"};
  append_range(args, flags);
  for (const std::string &path : ArrayRef(paths).drop_back())
    args.push_back(path.c_str());
  args.append({"-o", paths.back().c_str()});

  std::string complaints;
  raw_string_ostream stream(complaints);
  {
    std::lock_guard<std::mutex> lock(linkerMutex());
    CrashRecovery recovery;
    lld::Result result =
        lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0) {
      // Other threads open files, too: what could be opened above now cannot.
      for (int number : {EMFILE, ENFILE})
        if (StringRef(complaints)
                .contains(std::generic_category().message(number)))
          return fail(number, "the linker's files cannot be opened");
      return createStringError(inconvertibleErrorCode(),
                               "the linker failed: " + complaints);
    }
  }
  std::string bytes = output.finish();
  if (bytes.empty())
    return createStringError(inconvertibleErrorCode(),
                             "the linker wrote nothing");
  return bytes;
}

} // namespace

Expected<std::string> aikernel::linkShared(ArrayRef<StringRef> objects) {
  // Separate code keeps W^X pages; no build id or comment, so that equal
  // inputs give equal bytes.
  return link(objects,
              {"-shared", "--no-undefined", "--gc-sections", "--build-id=none",
               "-s", "-z", "noexecstack", "-z", "now", "-z", "relro",
               "--hash-style=gnu", "--threads=1"});
}
