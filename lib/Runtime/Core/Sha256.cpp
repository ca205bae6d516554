//===- Sha256.cpp - SHA-256 -----------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FIPS 180-4, written from the standard. The blocks are compressed by the
// CPU's own instructions where it has them (Sha256Instructions.cpp), which is
// ten times as fast as the portable code here.
//
//===----------------------------------------------------------------------===//

#include "Core/Sha256.h"
#include "Sys.h"

#include <string.h>

using namespace aik;

const uint32_t aik::sha256Constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {
uint32_t rotateRight(uint32_t value, int count) {
  return (value >> count) | (value << (32 - count));
}

uint32_t loadBigEndian(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 |
         uint32_t(bytes[2]) << 8 | bytes[3];
}

void compressBlock(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = loadBigEndian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t small0 = rotateRight(w[i - 15], 7) ^ rotateRight(w[i - 15], 18) ^
                      (w[i - 15] >> 3);
    uint32_t small1 = rotateRight(w[i - 2], 17) ^ rotateRight(w[i - 2], 19) ^
                      (w[i - 2] >> 10);
    w[i] = w[i - 16] + small0 + w[i - 7] + small1;
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; ++i) {
    uint32_t big1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    uint32_t choose = (e & f) ^ (~e & g);
    uint32_t t1 = h + big1 + choose + sha256Constants[i] + w[i];
    uint32_t big0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + big0 + majority;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
} // namespace

void aik::compressPortably(uint32_t state[8], const uint8_t *blocks,
                           size_t blockCount) {
  for (; blockCount != 0; --blockCount, blocks += Sha256::blockBytes)
    compressBlock(state, blocks);
}

Sha256::Sha256() : Sha256(nullptr) {
  compress = compressWithInstructions(hostSys());
  if (!compress)
    compress = compressPortably;
}

Sha256::Sha256(Sha256Compress compress)
    : compress(compress),
      state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::add(const void *bytes, size_t byteCount) {
  if (byteCount == 0)
    return;
  auto *next = static_cast<const uint8_t *>(bytes);
  size_t held = size_t(total % blockBytes);
  total += byteCount;
  if (held) {
    size_t wanted = blockBytes - held;
    size_t taken = byteCount < wanted ? byteCount : wanted;
    memcpy(block + held, next, taken);
    next += taken;
    byteCount -= taken;
    if (held + taken < blockBytes)
      return;
    compress(state, block, 1);
  }
  size_t rest = byteCount % blockBytes;
  compress(state, next, byteCount / blockBytes);
  memcpy(block, next + (byteCount - rest), rest);
}

void Sha256::finish(uint8_t digest[digestBytes]) {
  uint64_t bits = total * 8;
  uint8_t tail[72] = {0x80};
  size_t padding = 1 + (119 - size_t(total % 64)) % 64;
  for (int i = 0; i < 8; ++i)
    tail[padding + size_t(i)] = uint8_t(bits >> (56 - 8 * i));
  add(tail, padding + 8);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j)
      digest[4 * i + j] = uint8_t(state[i] >> (24 - 8 * j));
}

void Sha256::hash(const void *bytes, size_t byteCount,
                  uint8_t digest[digestBytes]) {
  Sha256 sha;
  sha.add(bytes, byteCount);
  sha.finish(digest);
}
