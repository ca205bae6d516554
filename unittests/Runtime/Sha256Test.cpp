//===- Sha256Test.cpp - SHA-256, both ways --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard's vectors, messages in pieces, and the CPU's instructions
// against the portable code on random messages.
//
//===----------------------------------------------------------------------===//

#include "Core/Sha256.h"
#include "Check.h"
#include "Sys.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

using namespace aiktest;

namespace {
std::string hex(const uint8_t *bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", bytes[i]);
    text += two;
  }
  return text;
}

/// In pieces of `piece` bytes; null is the way that the CPU allows.
std::string sha(const std::string &message, aik::Sha256Compress compress,
                size_t piece = ~size_t(0)) {
  aik::Sha256 state = compress ? aik::Sha256(compress) : aik::Sha256();
  for (size_t at = 0; at < message.size();) {
    size_t count = std::min(piece, message.size() - at);
    state.add(message.data() + at, count);
    at += count;
  }
  uint8_t digest[aik::Sha256::digestBytes];
  state.finish(digest);
  return hex(digest, sizeof(digest));
}

/// The vectors of FIPS 180-4 and NIST's examples.
void hashesLikeTheStandard() {
  for (aik::Sha256Compress way :
       {aik::Sha256Compress(nullptr), &aik::compressPortably}) {
    CHECK_EQ(sha("", way), "e3b0c44298fc1c149afbf4c8996fb924"
                           "27ae41e4649b934ca495991b7852b855");
    CHECK_EQ(sha("abc", way), "ba7816bf8f01cfea414140de5dae2223"
                              "b00361a396177a9cb410ff61f20015ad");
    CHECK_EQ(
        sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", way),
        "248d6a61d20638b8e5c026930c3e6039"
        "a33ce45964ff2167f6ecedd419db06c1");
    CHECK_EQ(sha("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                 way),
             "cf5b16a778af8380036ce59e7b049237"
             "0b249b11e8f07a51afac45037afee9d1");
    CHECK_EQ(sha(std::string(1000000, 'a'), way),
             "cdc76e5c9914fb9281a1c7e284d73e67"
             "f1809a48a497200e046d39ccc7112cd0");
  }
}

std::string randomBytes(size_t count, std::mt19937_64 &random) {
  std::string bytes(count, '\0');
  for (char &byte : bytes)
    byte = char(random());
  return bytes;
}

/// In pieces of every size, around the block boundaries.
void takesPieces() {
  std::mt19937_64 random(1);
  std::string message = randomBytes(300, random);
  for (size_t length : {0, 55, 56, 63, 64, 65, 119, 120, 128, 300}) {
    std::string part = message.substr(0, length);
    for (size_t piece = 1; piece < 140; piece += 13)
      CHECK_EQ(sha(part, nullptr, piece), sha(part, aik::compressPortably));
  }
}

/// On random bytes of every small length and of random larger ones.
void instructionsAgree() {
  aik::Sha256Compress fast = aik::compressWithInstructions(aik::hostSys());
  if (!fast) {
    std::puts("this CPU has no SHA-256 instructions");
    return;
  }
  std::mt19937_64 random(2);
  for (size_t i = 0; i < 600; ++i) {
    size_t length = i < 300 ? i : random() % 20000;
    std::string message = randomBytes(length + 1, random);
    message.erase(0, 1); // often unaligned
    CHECK_EQ(sha(message, fast), sha(message, aik::compressPortably));
  }
}

void followsFeatureBits() {
#if defined(__aarch64__)
  struct Masked : aik::Sys {
    uint64_t bits = 0;
    uint64_t auxiliary(int) override { return bits; }
  } masked;
  CHECK(aik::compressWithInstructions(masked) == nullptr);
  masked.bits = ~(uint64_t(1) << 6);
  CHECK(aik::compressWithInstructions(masked) == nullptr);
  masked.bits = 1 << 6;
  CHECK(aik::compressWithInstructions(masked) != nullptr);
#endif
}
} // namespace

int main() {
  run("hashes like the standard", hashesLikeTheStandard);
  run("takes pieces", takesPieces);
  run("instructions agree", instructionsAgree);
  run("follows feature bits", followsFeatureBits);
  return finish();
}
