//===- Sha256.h - SHA-256 -------------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FIPS 180-4. Bytes go in piece by piece, 32 bytes come out. Used by the
// artifact's writer and its loader.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_SHA256_H
#define AIKERNEL_RUNTIME_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

namespace aik {

class Sha256 {
public:
  static constexpr size_t digestBytes = 32;

  Sha256();
  void add(const void *bytes, size_t byteCount);
  void finish(uint8_t digest[digestBytes]);

  static void hash(const void *bytes, size_t byteCount,
                   uint8_t digest[digestBytes]);

private:
  uint32_t state[8];
  uint64_t total = 0;
  uint8_t block[64];
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_SHA256_H
