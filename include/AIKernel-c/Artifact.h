//===- Artifact.h - The .aikx file format ---------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C. The writer (lib/Artifact), the loader (lib/Runtime/Core) and
// `aikc inspect` all read the format from here.
//
// An .aikx file is a little-endian ELF64 container (ET_NONE, EM_NONE, no
// program header) that `readelf -S` lists:
//
//   [0] null   [1] .aik.meta   [2..] .aik.image.<n>, one per image   [last]
//   .shstrtab
//
// The ELF header comes first, then the sections in that order, each aligned to
// AIK_SECTION_ALIGNMENT, and the section header table last. Each image is a
// complete file of its kind (a host image is a shared object). Images with the
// same bytes are stored once: the section of a later one has the offset and
// size of the first one's.
//
// .aik.meta holds, back to back and without padding between them:
//
//   aik_meta_header
//   aik_meta_image    [image_count]
//   aik_meta_function [function_count]
//   aik_meta_value    [value_count]      arguments, then results, per function
//   char              strings[string_bytes]   names, each ended by a NUL;
//                                             offset 0 is the empty string
//
// `meta_sha256` is taken over the whole section with that field zeroed, and
// each image's `sha256` over its section's bytes. A reader checks both before
// it believes anything else.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_C_ARTIFACT_H
#define AIKERNEL_C_ARTIFACT_H

#include "AIKernel-c/Entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AIK_META_MAGIC "AIKXMETA" /* eight bytes, no NUL */
#define AIK_META_VERSION 1u
#define AIK_SECTION_ALIGNMENT 64u
#define AIK_META_SECTION ".aik.meta"
#define AIK_IMAGE_SECTION_PREFIX ".aik.image."

/// Caps that a reader enforces whatever the file says.
#define AIK_MAX_IMAGES 64u
#define AIK_MAX_FUNCTIONS 4096u
#define AIK_MAX_VALUES 65536u /* of one artifact */
#define AIK_MAX_FUNCTION_VALUES                                                \
  256u /* arguments, and results, of one function */
#define AIK_MAX_STRING_BYTES (1u << 20)
#define AIK_MAX_NAME 255u

enum {
  AIK_IMAGE_HOST = 1,
  AIK_IMAGE_REFERENCE = 2,
  AIK_IMAGE_PTX = 3,
  AIK_IMAGE_CUBIN = 4,
  AIK_IMAGE_HSACO = 5,
  /* host code that launches the kernels of the device images with the same
     target (Entry.h) */
  AIK_IMAGE_LAUNCHER = 6
};

/// Features of device images. PTX and cubin: the compute capability as a
/// number (90 for sm_90), and a bit that says it is for that very one. HSACO:
/// the processor's number as it is written, in hexadecimal (0x942, 0x1100).
#define AIK_SM_EXACT (1ull << 16)

/// Instruction sets of host images and launchers (and 0 for device images).
enum { AIK_ARCH_NONE = 0, AIK_ARCH_X86_64 = 1, AIK_ARCH_AARCH64 = 2 };

/// Feature bits of host images, per architecture. An image runs where all its
/// bits are present; they are independent bits, not a ladder.
enum {
  AIK_X86_SSE42 = 0,
  AIK_X86_AVX = 1,
  AIK_X86_AVX2 = 2,
  AIK_X86_FMA = 3,
  AIK_X86_F16C = 4,
  AIK_X86_BMI2 = 5,
  AIK_X86_AVX512F = 6,
  AIK_X86_AVX512BW = 7,
  AIK_X86_AVX512VL = 8,
  AIK_X86_AVX512DQ = 9,
  AIK_X86_AVX512CD = 10,
  AIK_X86_AVX512VNNI = 11,
  AIK_X86_AVX512BF16 = 12,
  AIK_X86_AVX512FP16 = 13,
  AIK_X86_AVXVNNI = 14,
  AIK_X86_AMX_TILE = 15,
  AIK_X86_AMX_BF16 = 16,
  AIK_X86_AMX_INT8 = 17,
  AIK_X86_BMI1 = 18,
  AIK_X86_LZCNT = 19,
  AIK_X86_MOVBE = 20,
  AIK_X86_POPCNT = 21,
  AIK_X86_SSSE3 = 22,
  AIK_X86_SSE41 = 23,
  AIK_X86_CX16 = 24,
  AIK_X86_AMX_FP16 = 25,
  AIK_X86_AVX512VBMI = 26
};
enum {
  AIK_ARM_FP16 = 0,
  AIK_ARM_DOTPROD = 1,
  AIK_ARM_BF16 = 2,
  AIK_ARM_I8MM = 3,
  AIK_ARM_SVE = 4,
  AIK_ARM_SVE2 = 5,
  AIK_ARM_LSE = 6,
  AIK_ARM_FHM = 7,
  /* SVE, and its vectors have exactly this many bits */
  AIK_ARM_SVE128 = 8,
  AIK_ARM_SVE256 = 9,
  AIK_ARM_SVE512 = 10
};

typedef struct aik_meta_header {
  uint8_t magic[8];
  uint32_t version;
  uint32_t entry_abi;
  uint32_t image_count;
  uint32_t function_count;
  uint32_t value_count;
  uint32_t string_bytes;
  uint8_t meta_sha256[32];
} aik_meta_header; /* 64 bytes */

typedef struct aik_meta_image {
  uint32_t kind;     /* AIK_IMAGE_* */
  uint32_t arch;     /* AIK_ARCH_* */
  uint64_t features; /* 1 << AIK_X86_* or AIK_ARM_* */
  uint64_t size;     /* equals the section's size */
  uint32_t target;   /* string: the target as the user may write it */
  uint32_t rank;     /* of the images that fit, the highest rank is taken */
  uint8_t sha256[32];
} aik_meta_image; /* 64 bytes */

typedef struct aik_meta_function {
  uint32_t name;        /* string */
  uint32_t first_value; /* index of its first argument in the value table */
  uint32_t arg_count;
  uint32_t result_count; /* its results follow its arguments */
} aik_meta_function;     /* 16 bytes */

enum {
  AIK_VALUE_WEIGHT = 1,  /* constant after f$prepare */
  AIK_VALUE_DONATED = 2, /* the argument may become result `donates` in place */
  AIK_VALUE_MUTABLE = 4, /* a memref argument: the function may write to it */
  AIK_VALUE_ALL_FLAGS = 7
};

/// Facts about dimensions; AIK_DYNAMIC where `dims` is not known, and 0, -1
/// and 1 where no fact was given.
#define AIK_DYNAMIC ((int64_t)-1)
typedef struct aik_meta_value {
  uint32_t name; /* string; empty: called argN or resultN */
  uint32_t dtype;
  uint32_t rank;
  uint32_t flags;
  uint32_t donates;
  uint32_t reserved;
  int64_t dims[AIK_MAX_RANK];
  int64_t min[AIK_MAX_RANK];
  int64_t max[AIK_MAX_RANK];
  int64_t multiple_of[AIK_MAX_RANK];
} aik_meta_value; /* 280 bytes */

#ifdef __cplusplus
}
#endif

#endif /* AIKERNEL_C_ARTIFACT_H */
