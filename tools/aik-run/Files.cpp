//===- Files.cpp - Reading and writing files safely -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX calls with short counts and EINTR handled; every failure names the
// file and the system's reason.
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aikrun {
namespace {

Error cannotRead(const std::string &name, const char *reason) {
  return Error(Code::CannotRead,
               format("%s cannot be read: %s", quoted(name).c_str(), reason));
}

constexpr uint64_t chunk = uint64_t(1) << 30; // some systems cap one call

} // namespace

InputFile::~InputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Error InputFile::open(const std::string &path) {
  name = path;
  // A FIFO would block the open for ever.
  descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return cannotRead(name, std::strerror(errno));
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return cannotRead(name, std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return cannotRead(name, S_ISDIR(info.st_mode) ? "it is a directory"
                                                  : "it is no regular file");
  bytes = static_cast<uint64_t>(info.st_size);
  return Error();
}

Error InputFile::read(uint64_t offset, void *into, uint64_t count) const {
  char *to = static_cast<char *>(into);
  while (count) {
    ssize_t got = ::pread(descriptor, to, count < chunk ? count : chunk,
                          static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannotRead(name, std::strerror(errno));
    if (got == 0)
      return cannotRead(name, "it became shorter while it was read");
    to += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<uint64_t>(got);
  }
  return Error();
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : name(std::move(other.name)), temporary(std::move(other.temporary)),
      descriptor(other.descriptor) {
  other.descriptor = -1;
  other.temporary.clear();
}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Error OutputFile::failed(const char *what) {
  return Error(Code::CannotWrite,
               format("%s cannot be written: %s", quoted(name).c_str(), what));
}

Error OutputFile::open(const std::string &path) {
  name = path;
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return failed(S_ISDIR(info.st_mode) ? "it is a directory"
                                        : "it is no regular file");
  // O_EXCL: another process, or a file with this odd name, is never touched.
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    std::string candidate = format("%s.tmp-%ld-%u", path.c_str(),
                                   static_cast<long>(::getpid()), attempt);
    descriptor = ::open(candidate.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      temporary = std::move(candidate);
      return Error();
    }
    if (errno != EEXIST)
      break;
  }
  return failed(std::strerror(errno));
}

Error OutputFile::write(const void *data, uint64_t count) {
  const char *from = static_cast<const char *>(data);
  while (count) {
    ssize_t put = ::write(descriptor, from, count < chunk ? count : chunk);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return failed(std::strerror(errno));
    from += put;
    count -= static_cast<uint64_t>(put);
  }
  return Error();
}

Error OutputFile::commit() {
  int closed = ::close(descriptor);
  descriptor = -1;
  if (closed != 0 || ::rename(temporary.c_str(), name.c_str()) != 0)
    return failed(std::strerror(errno));
  temporary.clear();
  return Error();
}

Error readText(const std::string &path, uint64_t cap, std::string &text) {
  Error tooLarge(Code::TooLarge,
                 format("%s is larger than the %llu bytes that are read",
                        quoted(path).c_str(), (unsigned long long)cap));
  if (path == "-") {
    char block[65536];
    ssize_t got;
    while ((got = ::read(STDIN_FILENO, block, sizeof block)) != 0) {
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return cannotRead("standard input", std::strerror(errno));
      text.append(block, static_cast<size_t>(got));
      if (text.size() > cap)
        return tooLarge;
    }
    return Error();
  }
  InputFile file;
  if (Error error = file.open(path))
    return error;
  if (file.size() > cap)
    return tooLarge;
  text.resize(file.size());
  return file.read(0, &text[0], text.size());
}

} // namespace aikrun
