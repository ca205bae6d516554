//===- Entry.h - The ABI between compiled functions and their caller ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C, no dependency. Compiled code, the runtime, the reference library
// and other people's programs all include this file; the compiler mirrors its
// layouts (lib/Target/CPU) and a unit test holds the two together.
//
// For every public function `f` a host image exports five symbols:
//
//   int32_t f$shape(env, args, results)      fills dtype, rank, dims, strides
//   int64_t f$workspace(env, args)           bytes of scratch that f$run needs
//   int64_t f$prepare(env, args, prepared, storage)
//                                            storage NULL: bytes needed for
//                                            repacked weights (0: none); else
//                                            packs, and `prepared` are the
//                                            arguments to give to f$run
//   int32_t f$cost(env, args, cost)          arithmetic and bytes of one call
//   int32_t f$run(env, args, results, workspace)
//
// 0 or a positive value is success, -AIK_E* is failure. The caller owns
// results and workspace; workspace is aligned to AIK_WORKSPACE_ALIGNMENT.
// Tensors handed to compiled code are dense and row-major (the runtime copies
// others first); a tensor with a zero dimension may have a null pointer.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_C_ENTRY_H
#define AIKERNEL_C_ENTRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AIK_ENTRY_ABI_VERSION 1u
#define AIK_MAX_RANK 8
#define AIK_WORKSPACE_ALIGNMENT 64
#define AIK_DEVICE_ALIGNMENT 16u /* of tensors in the memory of a GPU */
#define AIK_MAX_MAP_RANK 5       /* of a tensor map */
#define AIK_MAP_WORDS 16         /* of a kernel's parameters, for one map */

/// Element types. The numbers are part of the artifact format.
enum {
  AIK_DTYPE_NONE = 0,
  AIK_F32 = 1,
  AIK_F64 = 2,
  AIK_F16 = 3,
  AIK_BF16 = 4,
  AIK_F8E4M3FN = 5,
  AIK_F8E5M2 = 6,
  AIK_I8 = 7,
  AIK_U8 = 8,
  AIK_I16 = 9,
  AIK_I32 = 10,
  AIK_I64 = 11,
  AIK_BOOL = 12, /* one byte, 0 or 1 */
  AIK_DTYPE_COUNT = 13
};

/// Error numbers: Linux's asm-generic values, returned negated.
enum {
  AIK_EPERM = 1,
  AIK_ENOENT = 2,
  AIK_EIO = 5,
  AIK_ENOEXEC = 8,
  AIK_EBADF = 9,
  AIK_EAGAIN = 11,
  AIK_ENOMEM = 12,
  AIK_EACCES = 13,
  AIK_EFAULT = 14,
  AIK_EBUSY = 16,
  AIK_EEXIST = 17,
  AIK_ENODEV = 19,
  AIK_EINVAL = 22,
  AIK_EMFILE = 24,
  AIK_ENOSPC = 28,
  AIK_ERANGE = 34,
  AIK_ENOSYS = 38,
  AIK_EBADMSG = 74,
  AIK_EOPNOTSUPP = 95,
  AIK_ETIMEDOUT = 110,
  AIK_EOWNERDEAD = 130
};

/// A view of memory. Scalars (an `i64` or `f32` argument) travel as rank 0.
/// An absent optional operand has `data` null and `dtype` AIK_DTYPE_NONE.
typedef struct aik_tensor {
  void *data;
  uint32_t dtype;
  uint32_t rank;
  int64_t dims[AIK_MAX_RANK];
  int64_t strides[AIK_MAX_RANK]; /* in elements */
} aik_tensor;

/// What one call costs: floating-point operations, and bytes of arguments
/// read and results written (each counted once).
typedef struct aik_cost {
  int64_t flops;
  int64_t bytes;
} aik_cost;

typedef struct aik_env aik_env;

/// The body of a parallel loop: iterations [begin, end). A non-zero return
/// stops the loop and becomes its result.
typedef int32_t (*aik_parallel_body)(void *captures, int64_t begin,
                                     int64_t end);

/// The only way from compiled code to the runtime. Fields are only ever added
/// at the end; `size` says how many there are.
struct aik_env {
  uint32_t size;
  uint32_t version;
  void *context;
  /// Runs `body` over [0, count), split as the runtime likes; returns when all
  /// iterations are done. Nested calls run serially.
  int32_t (*parallel_for)(const aik_env *env, int64_t count,
                          aik_parallel_body body, void *captures);
  /// Records `text` in this thread's fault record and returns -code.
  int32_t (*fail)(const aik_env *env, int32_t code, const char *text);
  /// The numbered calls of Runtime.h (AIK_SYS_*): >= 0 or -AIK_E*.
  int64_t (*syscall)(const aik_env *env, int64_t number, int64_t a0, int64_t a1,
                     int64_t a2, int64_t a3, int64_t a4, int64_t a5);
  /// Only for launchers (see below): puts `blocks` blocks of one of their
  /// kernels on the device's queue. `parameters` may be changed, and is read
  /// before the call returns.
  int32_t (*launch)(const aik_env *env, uint32_t kernel, int64_t blocks,
                    void *parameters);
  /// How many threads share a parallel loop; 0: not known. Nothing but the
  /// order of work depends on it.
  uint32_t threads;
  uint32_t reserved;
};

//===----------------------------------------------------------------------===//
// Launchers: the host's part of a program for another device
//===----------------------------------------------------------------------===//
//
// A launcher is a host image that exports the same five symbols per function.
// Its tensors, workspace and storage are the device's memory, of which it
// computes addresses and nothing else; only rank-0 arguments are the host's.
// What is to be done it launches, and it is done when the device's queue is.
// It exports tables beside its functions, each ended by a row with a null
// string, and kernels are numbered by their row:
//
//   const aik_kernel aik$kernels[]
//   const aik_device_check aik$checks[]
//   const aik_tensor_map aik$maps[]      where a kernel has tensor maps

enum {
  /// The first parameter is the address of an aik_device_status, which the
  /// runtime fills in.
  AIK_KERNEL_STATUS = 1,
  /// The launch may begin while the one before it, of the same run, still runs:
  /// the kernel waits for that itself. The first launch of a run begins when
  /// all before it is done, so what no kernel of the run writes may be read
  /// before the wait.
  AIK_KERNEL_OVERLAPS = 2,
  /// Blocks take work until there is none, so that a launch needs no more of
  /// them than the device holds at the same time, in whole clusters: the
  /// runtime launches no more. The last parameter is how many there are, which
  /// it fills in.
  AIK_KERNEL_RESIDENT = 4,
  /// Some parameters are tensor maps.
  AIK_KERNEL_TENSOR_MAPS = 8
};

/// A kernel's parameters are words of eight bytes: addresses, integers, and the
/// bits of narrower values in the low bytes.
typedef struct aik_kernel {
  const char *name;      /* of the function in the device image */
  uint32_t threads;      /* of a block */
  uint32_t cluster;      /* blocks of a cluster, which follow each other; 1:
                            there are none */
  uint32_t shared_bytes; /* of shared memory that a launch has to ask for */
  uint32_t parameters;   /* words */
  uint32_t flags;        /* AIK_KERNEL_* */
  uint32_t reserved;
  /// The kernel's twin: does on this CPU what the whole grid does, with the
  /// same parameters. Null where there is none.
  void (*twin)(int64_t blocks, void *parameters);
} aik_kernel;

/// A parameter that is a tensor map (on NVIDIA a CUtensorMap): sixteen words,
/// the first of them number `parameter`. The launcher writes there what the map
/// is of, and the runtime puts the map in its place; where a device wants it
/// aligned, that is between the runtime and the device.
///
///   word 0        the address, a multiple of 16
///   words 1 to 5  sizes in elements, the innermost dimension first
///   words 6 to 9  distances in bytes, multiples of 16, between neighbours in
///                 the second dimension, the third ...
///   others        0, as are sizes and distances beyond the rank
///
/// Maps of one kernel are rows that follow each other, in the order of their
/// parameters. A twin gets these words instead. Elements outside of the sizes
/// are read as zeros and not written.
typedef struct aik_tensor_map {
  const char *kernel;    /* its name */
  uint32_t parameter;    /* word */
  uint32_t dtype;        /* AIK_* */
  uint32_t rank;         /* 1 to AIK_MAX_MAP_RANK */
  uint32_t swizzle;      /* of shared memory: 0, 32, 64 or 128 bytes */
  uint32_t l2_promotion; /* what the cache fetches: 0, 64, 128 or 256 bytes */
  uint32_t box[5];       /* elements of one copy, innermost first; 1 beyond the
                            rank */
} aik_tensor_map;

/// What a kernel's check says when it fails.
typedef struct aik_device_check {
  const char *text;
  int32_t code; /* AIK_E* */
  uint32_t reserved;
} aik_device_check;

/// In the device's memory. Kernels with AIK_KERNEL_STATUS do nothing while
/// `check` is not 0.
typedef struct aik_device_status {
  uint32_t check; /* 0, or the number of the failed check, counted from 1 */
  uint32_t reserved[15];
} aik_device_status;

typedef int32_t (*aik_shape_fn)(const aik_env *, const aik_tensor *args,
                                aik_tensor *results);
typedef int64_t (*aik_workspace_fn)(const aik_env *, const aik_tensor *args);
typedef int64_t (*aik_prepare_fn)(const aik_env *, const aik_tensor *args,
                                  aik_tensor *prepared, void *storage);
typedef int32_t (*aik_cost_fn)(const aik_env *, const aik_tensor *args,
                               aik_cost *cost);
typedef int32_t (*aik_run_fn)(const aik_env *, const aik_tensor *args,
                              aik_tensor *results, void *workspace);

#ifdef __cplusplus
}
#endif

#endif /* AIKERNEL_C_ENTRY_H */
