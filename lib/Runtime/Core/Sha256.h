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

struct Sys;

/// Takes whole blocks of 64 bytes into the state.
using Sha256Compress = void (*)(uint32_t state[8], const uint8_t *blocks,
                                size_t blockCount);

/// Works everywhere.
void compressPortably(uint32_t state[8], const uint8_t *blocks,
                      size_t blockCount);

/// With the CPU's SHA-256 instructions; null where it has none.
Sha256Compress compressWithInstructions(Sys &sys);

/// One for each of the 64 rounds.
extern const uint32_t sha256Constants[64];

class Sha256 {
public:
  static constexpr size_t digestBytes = 32;
  static constexpr size_t blockBytes = 64;

  /// By the fastest way that this CPU has.
  Sha256();
  explicit Sha256(Sha256Compress compress);
  void add(const void *bytes, size_t byteCount);
  void finish(uint8_t digest[digestBytes]);

  static void hash(const void *bytes, size_t byteCount,
                   uint8_t digest[digestBytes]);

private:
  Sha256Compress compress;
  uint32_t state[8];
  uint64_t total = 0;
  uint8_t block[blockBytes];
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_SHA256_H
