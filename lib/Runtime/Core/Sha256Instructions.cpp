//===- Sha256Instructions.cpp - SHA-256 by the CPU's instructions ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: whole blocks. Out: the state after them. Only the functions with a target
// attribute use the instructions, so the file builds without any flag, and
// compressWithInstructions gives one only when the feature bits allow it.
//
//===----------------------------------------------------------------------===//

#include "Core/Sha256.h"
#include "Sys.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

using namespace aik;

#if defined(__aarch64__)

// GCC 12 has these intrinsics under the name of the whole group only.
__attribute__((target("+crypto"))) static void
compressWithSha2(uint32_t state[8], const uint8_t *blocks, size_t blockCount) {
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; blockCount != 0; --blockCount, blocks += Sha256::blockBytes) {
    auto words = [blocks](int i) {
      return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(blocks + 16 * i)));
    };
    uint32x4_t w0 = words(0), w1 = words(1), w2 = words(2), w3 = words(3);
    uint32x4_t abcdBefore = abcd, efghBefore = efgh;
    for (int round = 0; round < 64; round += 4) {
      uint32x4_t sum = vaddq_u32(w0, vld1q_u32(&sha256Constants[round]));
      uint32x4_t old = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, old, sum);
      uint32x4_t next = vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3);
      w0 = w1;
      w1 = w2;
      w2 = w3;
      w3 = next;
    }
    abcd = vaddq_u32(abcd, abcdBefore);
    efgh = vaddq_u32(efgh, efghBefore);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

Sha256Compress aik::compressWithInstructions(Sys &sys) {
  constexpr int sha2Bit = 6; // HWCAP_SHA2
  return sys.auxiliary(0) >> sha2Bit & 1 ? compressWithSha2 : nullptr;
}

#else

__attribute__((target("sha,sse4.1"))) static void
compressWithShaNi(uint32_t state[8], const uint8_t *blocks, size_t blockCount) {
  auto *halves = reinterpret_cast<__m128i *>(state);
  const __m128i bigEndian =
      _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions want the state as {f, e, b, a} and {h, g, d, c}.
  __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xb1);
  __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blockCount != 0; --blockCount, blocks += Sha256::blockBytes) {
    auto *input = reinterpret_cast<const __m128i *>(blocks);
    __m128i w0 = _mm_shuffle_epi8(_mm_loadu_si128(input), bigEndian);
    __m128i w1 = _mm_shuffle_epi8(_mm_loadu_si128(input + 1), bigEndian);
    __m128i w2 = _mm_shuffle_epi8(_mm_loadu_si128(input + 2), bigEndian);
    __m128i w3 = _mm_shuffle_epi8(_mm_loadu_si128(input + 3), bigEndian);
    __m128i abefBefore = abef, cdghBefore = cdgh;
    for (int round = 0; round < 64; round += 4) {
      auto *constants =
          reinterpret_cast<const __m128i *>(&sha256Constants[round]);
      __m128i sum = _mm_add_epi32(w0, _mm_loadu_si128(constants));
      // Two rounds each; what was {a, b, e, f} becomes {c, d, g, h}.
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1),
                                   _mm_alignr_epi8(w3, w2, 4));
      w0 = w1;
      w1 = w2;
      w2 = w3;
      w3 = _mm_sha256msg2_epu32(next, w3);
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(halves, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, feba, 8));
}

Sha256Compress aik::compressWithInstructions(Sys &) {
  constexpr uint32_t ssse3 = 1u << 9, sse41 = 1u << 19; // leaf 1, ecx
  constexpr uint32_t sha = 1u << 29;                    // leaf 7, ebx
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & ssse3) || !(c & sse41))
    return nullptr;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & sha))
    return nullptr;
  return compressWithShaNi;
}

#endif
