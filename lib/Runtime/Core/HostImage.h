//===- HostImage.h - A host image, loaded into this process ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the bytes of a shared object whose hash was checked. What comes
// out: its functions. The bytes are copied to a sealed file in memory and
// loaded from there, so nothing can change between check and use.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_HOSTIMAGE_H
#define AIKERNEL_RUNTIME_CORE_HOSTIMAGE_H

#include "Sys.h"

namespace aik {

class HostImage {
public:
  explicit HostImage(Sys &sys) : sys(sys) {}
  ~HostImage() { unload(); }
  HostImage(const HostImage &) = delete;
  HostImage &operator=(const HostImage &) = delete;

  int32_t load(const uint8_t *bytes, uint64_t byteCount, uint32_t arch,
               const char *target);
  void unload();

  /// Null when the image exports no such symbol.
  void *symbol(const char *name) { return sys.symbol(library, name); }

  /// After the first symbol is known: where the image lies.
  void locate(const void *anySymbol);
  bool contains(uint64_t address) const {
    return base && address >= base && address - base < span;
  }

private:
  int32_t check(const uint8_t *bytes, uint64_t byteCount, uint32_t arch,
                const char *target);

  Sys &sys;
  int fd = -1;
  void *library = nullptr;
  uint64_t base = 0;
  uint64_t span = 0;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_HOSTIMAGE_H
