//===- Input.cpp - Reading files and standard input -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a path. Out: its bytes. Pipes and devices are read like files.
//
//===----------------------------------------------------------------------===//

#include "Input.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;

/// Zero, or what the operating system said.
static int readToEnd(int fd, std::string &bytes) {
  constexpr size_t kChunk = 1 << 16;
  for (;;) {
    size_t before = bytes.size();
    bytes.resize(before + kChunk);
    ssize_t count = ::read(fd, &bytes[before], kChunk);
    bytes.resize(before + (count > 0 ? count : 0));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    if (count == 0)
      return 0;
    if (bytes.size() > kMaxInputBytes)
      return EFBIG;
  }
}

ExitStatus aikc::readInput(const std::string &path, std::string &bytes,
                           Messages &messages) {
  bool isStandardInput = path == "-";
  int fd = isStandardInput ? STDIN_FILENO
                           : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int error = fd < 0 ? errno : readToEnd(fd, bytes);
  if (fd >= 0 && !isStandardInput)
    ::close(fd);
  if (!error)
    return kExitOk;
  std::string name = isStandardInput ? kStandardInputName : path;
  std::string reason =
      error == EFBIG ? "it is larger than 256 MiB" : std::strerror(error);
  return messages.error(Code::CannotRead,
                        quote(name) + " cannot be read: " + reason);
}
