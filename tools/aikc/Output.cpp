//===- Output.cpp - Files that appear whole or not at all -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the files of one run. Out: all of them, or none and a coded message.
//
//===----------------------------------------------------------------------===//

#include "Output.h"
#include "Emergency.h"
#include "llvm/ADT/STLExtras.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;

bool aikc::isSameFile(const std::string &a, const std::string &b) {
  struct stat first, second;
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static ExitStatus reportWrite(const std::string &path, int error,
                              Messages &messages) {
  std::string name = path == "-" ? "<stdout>" : path;
  return messages.error(Code::CannotWrite,
                        quote(name) +
                            " cannot be written: " + std::strerror(error));
}

ExitStatus aikc::printToUser(const std::string &text, Messages &messages) {
  if (writeAll(STDOUT_FILENO, text))
    return kExitOk;
  return reportWrite("-", errno, messages);
}

ExitStatus OutputFiles::failToWrite(const std::string &path, int error) {
  return reportWrite(path, error, messages);
}

/// Where a rename would replace a symbolic link, the file behind it is meant.
static std::string resolveLinks(const std::string &path) {
  std::unique_ptr<char, decltype(&::free)> real(
      ::realpath(path.c_str(), nullptr), &::free);
  return real ? std::string(real.get()) : path;
}

ExitStatus OutputFiles::addFolder(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0)
    return S_ISDIR(info.st_mode) ? kExitOk : failToWrite(path, ENOTDIR);
  // Remembered first: a signal may come between the two.
  int number = rememberTemporary(path, /*isFolder=*/true);
  if (::mkdir(path.c_str(), 0777) != 0) {
    int error = errno;
    forgetTemporary(number);
    return failToWrite(path, error);
  }
  folders.push_back({path, number});
  return kExitOk;
}

/// Creates a file beside `path`. Its name is remembered before it exists, so
/// that no signal finds it unknown.
static int openTemporary(const std::string &path, std::string &name,
                         int &number) {
  static unsigned counter = 0;
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  for (;;) {
    name = folder + ".aikc-" + std::to_string(::getpid()) + "-" +
           std::to_string(counter++);
    number = rememberTemporary(name);
    int fd =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
      return fd;
    int error = errno;
    forgetTemporary(number);
    errno = error;
    if (error != EEXIST)
      return -1;
  }
}

ExitStatus OutputFiles::add(const std::string &path, std::string bytes) {
  struct stat info;
  bool exists = path != "-" && ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return failToWrite(path, EISDIR);
  if (path == "-" || (exists && !S_ISREG(info.st_mode))) {
    streams.push_back({path, std::move(bytes)});
    return kExitOk;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0)
    return failToWrite(path, errno);

  File file;
  file.path = exists ? resolveLinks(path) : path;
  int fd = openTemporary(file.path, file.temporary, file.number);
  if (fd < 0)
    return failToWrite(path, errno);
  files.push_back(file);

  // Private while it is written; in the end like any file that a tool makes.
  mode_t mask = ::umask(0);
  ::umask(mask);
  mode_t mode = exists ? info.st_mode & 07777 : 0666 & ~mask;
  errno = 0;
  bool written = writeAll(fd, bytes) && ::fchmod(fd, mode) == 0;
  int error = errno;
  if (::close(fd) != 0 && written) {
    written = false;
    error = errno;
  }
  return written ? kExitOk : failToWrite(path, error);
}

ExitStatus OutputFiles::commit() {
  // A reader may keep us waiting: this can still be interrupted.
  for (const Stream &stream : streams) {
    int fd = stream.path == "-"
                 ? STDOUT_FILENO
                 : ::open(stream.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return failToWrite(stream.path, errno);
    bool written = writeAll(fd, stream.bytes);
    int error = errno;
    if (stream.path != "-" && ::close(fd) != 0 && written) {
      written = false;
      error = errno;
    }
    if (!written)
      return failToWrite(stream.path, error);
  }
  enterFinalStage();
  for (File &file : files) {
    if (::rename(file.temporary.c_str(), file.path.c_str()) != 0) {
      int error = errno;
      for (File &earlier : files)
        if (earlier.done)
          ::unlink(earlier.path.c_str());
      return failToWrite(file.path, error);
    }
    file.done = true;
    forgetTemporary(file.number);
  }
  for (Folder &folder : folders)
    forgetTemporary(folder.number);
  folders.clear();
  return kExitOk;
}

OutputFiles::~OutputFiles() {
  for (File &file : files)
    if (!file.done) {
      ::unlink(file.temporary.c_str());
      forgetTemporary(file.number);
    }
  for (Folder &folder : llvm::reverse(folders)) {
    ::rmdir(folder.path.c_str());
    forgetTemporary(folder.number);
  }
}
