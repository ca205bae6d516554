//===- Runtime.h - The C API of libaikrt ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C. What goes in: an .aikx artifact, tensors, command packets. What
// comes out: the functions of the artifact, run on a device.
//
// The order of a normal program:
//
//   aik_runtime_open -> aik_artifact_open_file -> aik_device_open("cpu")
//     -> aik_module_load -> aik_artifact_find_function
//     -> aik_function_shape / workspace / prepare / run -> ..._close
//
// Rules that hold for every call:
//  - 0 or a positive value is success, -AIK_E* (Entry.h) is failure. After a
//    failure aik_fault_read gives this thread's record and aik_fault_message
//    one whole sentence that names what was wrong.
//  - Objects are 64-bit handles with a generation: a closed, stale, foreign or
//    invented handle gives -AIK_ENOENT, never undefined behaviour. 0 is never
//    a handle. Closing something that is in use gives -AIK_EBUSY.
//  - Structs open with `size` and `version`. The caller sets both (the
//    AIK_INIT macro does) in structs that go in and in structs that come out;
//    a struct too small for its version gives -AIK_EINVAL.
//  - All calls may be made from several threads, except that
//    aik_runtime_close must be the last one. In a forked child every call
//    gives -AIK_EPERM and touches nothing.
//  - A null pointer where one is needed gives -AIK_EFAULT.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_C_RUNTIME_H
#define AIKERNEL_C_RUNTIME_H

#include "AIKernel-c/Artifact.h"
#include "AIKernel-c/Entry.h"
#include "AIKernel-c/Packet.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AIK_API __attribute__((visibility("default")))
#else
#define AIK_API
#endif

#define AIK_RUNTIME_VERSION 1u

/// Sets the two fields that every struct opens with: `AIK_INIT(&options);`
/// after zeroing it.
#define AIK_INIT(pointer)                                                      \
  ((pointer)->size = (uint32_t)sizeof(*(pointer)),                             \
   (pointer)->version = AIK_RUNTIME_VERSION)

typedef struct aik_runtime aik_runtime;
typedef uint64_t aik_handle;

//===----------------------------------------------------------------------===//
// The fault record
//===----------------------------------------------------------------------===//

/// Why the last failing call of this thread failed. 128 bytes.
typedef struct aik_fault {
  uint32_t size;
  uint32_t version;
  int32_t code;         /* positive AIK_E*; 0: nothing has failed yet */
  uint32_t number;      /* AIK_SYS_* of the failing call, or AIK_NO_NUMBER */
  int64_t backend_code; /* what the OS, driver or kernel itself returned */
  uint32_t device;      /* index as in aik_device_enumerate, or AIK_NO_DEVICE */
  uint32_t reserved;
  uint64_t kernel_hash; /* aik_name_hash of the kernel's name, or 0 */
  uint64_t address;     /* of the faulting kernel or memory, or 0 */
  char text[80];        /* the sentence, cut to fit, ended by a NUL */
} aik_fault;

#define AIK_NO_NUMBER 0xffffffffu
#define AIK_NO_DEVICE 0xffffffffu

/// Copies this thread's record. Returns its code (0: none).
AIK_API int32_t aik_fault_read(aik_fault *out);
/// This thread's whole sentence, "" when nothing has failed. Valid until the
/// thread's next failing call.
AIK_API const char *aik_fault_message(void);
AIK_API void aik_fault_clear(void);
/// "EINVAL" for AIK_EINVAL or -AIK_EINVAL; "E?" for a number not listed.
AIK_API const char *aik_error_name(int32_t code);
/// FNV-1a, 64 bits.
AIK_API uint64_t aik_name_hash(const char *name);

/// "f32" for AIK_F32; "?" for a number not listed.
AIK_API const char *aik_dtype_name(uint32_t dtype);
/// Bytes of one element; 0 for a number not listed.
AIK_API uint32_t aik_dtype_size(uint32_t dtype);
/// The name of one feature bit ("avx2", "dotprod"), or NULL.
AIK_API const char *aik_feature_name(uint32_t arch, uint32_t bit);
AIK_API const char *aik_arch_name(uint32_t arch);
AIK_API const char *aik_image_kind_name(uint32_t kind);

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

/// What compiled functions, and bodies of their loops, may use of the stack of
/// the thread that runs them.
#define AIK_STACK_BYTES (1u << 20)

typedef struct aik_runtime_options {
  uint32_t size;
  uint32_t version;
  /// Threads that a parallel loop may use, the caller's included. 0: the
  /// environment's AIK_THREADS, else what affinity and cgroup limits allow. Of
  /// a pool of the caller's: how many threads it has, by which work is divided;
  /// 0: not known.
  uint32_t threads;
  uint32_t reserved;
  /// CPU feature bits to treat as absent, to try an artifact's other images.
  uint64_t hidden_features;
  /// A pool of the caller's: when set, the runtime starts no worker threads
  /// and hands its parallel loops here, from the thread that called, but for
  /// those known to be over in 20 microseconds. Bodies may be called from any
  /// thread that has a stack of AIK_STACK_BYTES, on ranges that together are
  /// [0, count); the call must return after all of them, with what a failing
  /// one returned, or 0.
  int32_t (*parallel_for)(void *pool, int64_t count, aik_parallel_body body,
                          void *captures);
  void *pool;
  /// How long waits may spin before they sleep. 0: 2 microseconds; where each
  /// thread of the pool has a CPU its workers 50, so that they are awake for
  /// the next loop, and callers that wait for the last of them 2000.
  uint64_t spin_ns;
} aik_runtime_options;

/// `options` may be NULL.
AIK_API int32_t aik_runtime_open(const aik_runtime_options *options,
                                 aik_runtime **out);
/// Closes everything that is still open. -AIK_EBUSY when queued work does not
/// stop within ten seconds (the runtime then stays open).
AIK_API int32_t aik_runtime_close(aik_runtime *runtime);

typedef struct aik_runtime_info {
  uint32_t size;
  uint32_t version;
  uint32_t entry_abi;
  uint32_t arch;     /* AIK_ARCH_* of this machine */
  uint64_t features; /* bits of this CPU, without the hidden ones */
  uint64_t page_size;
  uint32_t threads;      /* that a parallel loop on `cpu` may use */
  uint32_t device_count; /* as far as they were looked for: those of drivers
                            count from the first enumeration or opening */
  uint32_t max_queues;
  uint32_t max_queue_slots;
} aik_runtime_info;

AIK_API int32_t aik_runtime_describe(aik_runtime *runtime,
                                     aik_runtime_info *out);

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

#define AIK_MAX_ARTIFACT_BYTES (1ull << 30)

/// Read whole, checked whole, then believed. -AIK_ENOEXEC: not an artifact.
/// -AIK_EBADMSG: damaged. -AIK_EOPNOTSUPP: a version this runtime is too old
/// for.
AIK_API int32_t aik_artifact_open_file(aik_runtime *runtime, const char *path,
                                       aik_handle *artifact);
/// The bytes are copied.
AIK_API int32_t aik_artifact_open_memory(aik_runtime *runtime,
                                         const void *bytes, size_t byte_count,
                                         aik_handle *artifact);
/// -AIK_EBUSY while a module of it is loaded.
AIK_API int32_t aik_artifact_close(aik_runtime *runtime, aik_handle artifact);

typedef struct aik_artifact_info {
  uint32_t size;
  uint32_t version;
  uint32_t format_version;
  uint32_t entry_abi;
  uint32_t image_count;
  uint32_t function_count;
  uint64_t byte_count;
  uint8_t meta_sha256[32];
} aik_artifact_info;

typedef struct aik_image_info {
  uint32_t size;
  uint32_t version;
  uint32_t kind; /* AIK_IMAGE_* */
  uint32_t arch; /* AIK_ARCH_* */
  uint64_t features;
  uint64_t missing; /* of `features`, those this CPU lacks (same arch only) */
  uint64_t byte_count;
  const void *bytes; /* valid until the artifact is closed */
  uint32_t rank;
  int32_t fits; /* 1: this CPU, or a device found by aik_device_enumerate or
                   aik_device_open, can run it */
  uint8_t sha256[32];
  char target[AIK_MAX_NAME + 1];
} aik_image_info;

typedef struct aik_function_info {
  uint32_t size;
  uint32_t version;
  uint32_t arg_count;
  uint32_t result_count;
  char name[AIK_MAX_NAME + 1];
} aik_function_info;

typedef struct aik_value_info {
  uint32_t size;
  uint32_t version;
  uint32_t dtype;
  uint32_t rank;
  uint32_t flags;   /* AIK_VALUE_* */
  uint32_t donates; /* the result, where AIK_VALUE_DONATED is set */
  int64_t dims[AIK_MAX_RANK];
  int64_t min[AIK_MAX_RANK];
  int64_t max[AIK_MAX_RANK];
  int64_t multiple_of[AIK_MAX_RANK];
  char name[AIK_MAX_NAME + 1]; /* argN or resultN where the file has none */
} aik_value_info;

AIK_API int32_t aik_artifact_describe(aik_runtime *runtime, aik_handle artifact,
                                      aik_artifact_info *out);
AIK_API int32_t aik_artifact_image(aik_runtime *runtime, aik_handle artifact,
                                   uint32_t index, aik_image_info *out);
AIK_API int32_t aik_artifact_function(aik_runtime *runtime, aik_handle artifact,
                                      uint32_t index, aik_function_info *out);
/// Returns the function's index.
AIK_API int32_t aik_artifact_find_function(aik_runtime *runtime,
                                           aik_handle artifact,
                                           const char *name);
AIK_API int32_t aik_artifact_argument(aik_runtime *runtime, aik_handle artifact,
                                      uint32_t function, uint32_t index,
                                      aik_value_info *out);
AIK_API int32_t aik_artifact_result(aik_runtime *runtime, aik_handle artifact,
                                    uint32_t function, uint32_t index,
                                    aik_value_info *out);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

enum { AIK_DEVICE_CPU = 1, AIK_DEVICE_NULL = 2, AIK_DEVICE_GPU = 3 };

typedef struct aik_device_info {
  uint32_t size;
  uint32_t version;
  uint32_t index;
  uint32_t kind;
  uint64_t memory_bytes; /* 0: not known */
  uint32_t threads;
  uint32_t epoch; /* counts resets */
  char name[64];  /* "cpu", "null", "nvidia:0" */
  char arch[256]; /* "aarch64+fp16+dotprod", "sm_90" */
} aik_device_info;

/// Fills up to `capacity` entries and returns how many devices there are.
/// `out` may be NULL when capacity is 0; out[0].size is the stride.
AIK_API int32_t aik_device_enumerate(aik_runtime *runtime, aik_device_info *out,
                                     uint32_t capacity);
/// `name` is `cpu`, `null`, `nvidia:0` (the CUDA driver 12.0 or later must be
/// installed) ... A name that is known but not to be
/// had here gives -AIK_ENODEV and says why.
AIK_API int32_t aik_device_open(aik_runtime *runtime, const char *name,
                                aik_handle *device);
/// -AIK_EBUSY while a module, queue, graph, buffer of its own memory or mapping
/// of it exists.
AIK_API int32_t aik_device_close(aik_runtime *runtime, aik_handle device);
AIK_API int32_t aik_device_describe(aik_runtime *runtime, aik_handle device,
                                    aik_device_info *out);
/// The record of the fault that poisoned a queue of this device;
/// -AIK_ENOENT when none did.
AIK_API int32_t aik_device_fault(aik_runtime *runtime, aik_handle device,
                                 aik_fault *out);
/// Drops all queued work, clears the fault and starts a new epoch: fences from
/// before give -AIK_ENOENT, queues stay and may be used again. On a GPU that
/// has a fault, everything in its memory is lost with it: modules are loaded
/// again, and buffers and graphs from before give -AIK_ENOENT. One without a
/// fault only finishes what was launched; -AIK_ETIMEDOUT where that takes more
/// than ten seconds leaves everything as it is.
///
/// The fault of an NVIDIA GPU is that of its primary context, which all of the
/// process use: the reset takes it from the CUDA runtime, PyTorch and other
/// aik_runtimes, too, which must not use what they have in it, and another
/// aik_runtime needs a reset of its own. Where one of those has reset it, this
/// one makes everything anew and leaves their context alone. After some faults
/// the CUDA driver lets the process have no other context (seen with version
/// 580 after an illegal address): -AIK_ENODEV, and the device stays unusable in
/// this process.
AIK_API int32_t aik_device_reset(aik_runtime *runtime, aik_handle device);
/// Waits until all runs and graphs launched before are done; timeout_ns < 0:
/// for ever. A check that failed in a kernel gives its own error, once. A fault
/// of the device gives -AIK_EIO, now and from every later call, until
/// aik_device_reset; the sentence names the kernels that it can come from.
/// -AIK_ETIMEDOUT leaves everything as it is. What was put on streams of the
/// caller's (aik_run_options) is taken for done: callers wait for those first.
AIK_API int32_t aik_device_wait(aik_runtime *runtime, aik_handle device,
                                int64_t timeout_ns);

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

typedef struct aik_load_options {
  uint32_t size;
  uint32_t version;
  /// NULL or "auto": of the images that fit, the one with the highest rank.
  /// "reference": the reference image. Else the target as `aikc inspect` shows
  /// it. An image that does not fit is refused, and the sentence names what is
  /// missing.
  const char *image;
} aik_load_options;

/// Loads one image of the artifact onto the device. `options` may be NULL.
AIK_API int32_t aik_module_load(aik_runtime *runtime, aik_handle artifact,
                                aik_handle device,
                                const aik_load_options *options,
                                aik_handle *module);
/// On a GPU it waits for what was launched of the module, on whichever stream;
/// then, where a caller's was used, for everything in the device's context,
/// which CUDA does not do while any stream is being captured.
AIK_API int32_t aik_module_unload(aik_runtime *runtime, aik_handle module);

typedef struct aik_module_info {
  uint32_t size;
  uint32_t version;
  aik_handle artifact;
  aik_handle device;
  uint32_t image; /* index in the artifact */
  uint32_t function_count;
} aik_module_info;

AIK_API int32_t aik_module_describe(aik_runtime *runtime, aik_handle module,
                                    aik_module_info *out);

/// All five check the number, dtype, rank, static dims and facts of the
/// arguments first and name the argument, what was wanted and what was found.
/// Strides may be anything; tensors that are not dense are copied. Only `run`
/// and `prepare` (of weights) need `data`, and all need it of rank-0 arguments.

/// Fills dtype, rank, dims and dense strides of each result; leaves `data`.
AIK_API int32_t aik_function_shape(aik_runtime *runtime, aik_handle module,
                                   uint32_t function, const aik_tensor *args,
                                   uint32_t arg_count, aik_tensor *results,
                                   uint32_t result_count);
/// Bytes of scratch that one run needs.
AIK_API int64_t aik_function_workspace(aik_runtime *runtime, aik_handle module,
                                       uint32_t function,
                                       const aik_tensor *args,
                                       uint32_t arg_count);
/// With `storage` NULL: bytes needed for prepared weights (0: nothing to do).
/// Else packs the weights into `storage` (aligned to AIK_WORKSPACE_ALIGNMENT)
/// and fills `prepared` with arg_count arguments for runs with
/// AIK_RUN_PREPARED; only the weights among them differ from `args`.
AIK_API int64_t aik_function_prepare(aik_runtime *runtime, aik_handle module,
                                     uint32_t function, const aik_tensor *args,
                                     uint32_t arg_count, aik_tensor *prepared,
                                     void *storage, uint64_t storage_bytes);
AIK_API int32_t aik_function_cost(aik_runtime *runtime, aik_handle module,
                                  uint32_t function, const aik_tensor *args,
                                  uint32_t arg_count, aik_cost *out);

enum {
  /// Weights come from aik_function_prepare. Without it, a function that wants
  /// packed weights packs them for this one call.
  AIK_RUN_PREPARED = 1,
  /// On a device with memory of its own: return when the work is on the
  /// device's queue. Runs of one device follow each other; aik_device_wait
  /// waits for them and gives what went wrong. Elsewhere it changes nothing.
  AIK_RUN_ASYNC = 2,
  /// Put the work on `stream`, a stream of the caller's, instead of the
  /// device's own queue. -AIK_EOPNOTSUPP where a device has none.
  AIK_RUN_ON_STREAM = 4
};

typedef struct aik_run_options {
  uint32_t size;
  uint32_t version;
  uint32_t flags;
  uint32_t reserved;
  void *workspace; /* NULL: the runtime allocates for this call; on a device
                      with memory of its own it keeps what it allocated */
  uint64_t workspace_bytes;
  /// With AIK_RUN_ON_STREAM: on an NVIDIA device a CUstream (or cudaStream_t)
  /// of its primary context, the one that the CUDA runtime, and with it
  /// PyTorch, uses; NULL is CUDA's default stream. Else NULL.
  ///
  /// Work there follows what the caller put there before. aik_device_wait does
  /// not wait for it: the caller does, and aik_device_wait after that gives a
  /// check that failed. Until it is called, a check that fails in what another
  /// thread runs may be this thread's error, too. Memory that the runtime keeps
  /// for runs is handed from one stream to the next by events, which a stream
  /// that is being captured refuses: runs in it bring their own workspace and
  /// prepared weights.
  void *stream;
} aik_run_options;

/// On a device with memory of its own (AIK_DEVICE_GPU), tensors are in buffers
/// of that device (`data` is a device_address), or in memory that the caller
/// has from elsewhere and the device can use; dense and row-major. Only rank-0
/// arguments are the host's, and are read before the call returns.
/// Results must have the shape that aik_function_shape gives. They must not
/// overlap each other or an argument, except one donated to that very result
/// and starting at the same address. `options` may be NULL.
AIK_API int32_t aik_function_run(aik_runtime *runtime, aik_handle module,
                                 uint32_t function, const aik_tensor *args,
                                 uint32_t arg_count, aik_tensor *results,
                                 uint32_t result_count,
                                 const aik_run_options *options);

//===----------------------------------------------------------------------===//
// Graphs: runs that were recorded, to repeat them at less cost
//===----------------------------------------------------------------------===//

/// From here on runs with AIK_RUN_ASYNC on the device are recorded instead of
/// done, from whichever thread; others give -AIK_EBUSY. Only devices with
/// memory of their own can: -AIK_EOPNOTSUPP.
AIK_API int32_t aik_graph_begin(aik_runtime *runtime, aik_handle device);
/// Ends the recording. Tensors and rank-0 values are those of the recorded
/// runs; workspace is the graph's own. Modules in it cannot be unloaded. When
/// this fails, nothing is being recorded any more.
AIK_API int32_t aik_graph_end(aik_runtime *runtime, aik_handle device,
                              aik_handle *graph);
/// Puts all of it on the device's queue; aik_device_wait waits for it.
AIK_API int32_t aik_graph_launch(aik_runtime *runtime, aik_handle graph);
/// Puts all of it on a stream of the caller's (see aik_run_options), behind
/// what is there and behind earlier launches of the same graph.
AIK_API int32_t aik_graph_launch_on(aik_runtime *runtime, aik_handle graph,
                                    void *stream);
/// Waits until the device no longer uses it, as aik_module_unload does.
AIK_API int32_t aik_graph_close(aik_runtime *runtime, aik_handle graph);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

enum {
  AIK_MEM_HUGE_TRY = 1,  /* huge pages, else transparent ones, else small */
  AIK_MEM_HUGE_MUST = 2, /* huge pages or -AIK_ENOMEM */
  AIK_MEM_LOCK_TRY = 4,  /* page-locked if the limits allow it */
  AIK_MEM_LOCK_MUST = 8, /* page-locked, or -AIK_ENOMEM / -AIK_EPERM */
  AIK_MEM_POPULATE = 16, /* touch every page now */
  AIK_MEM_HUGE_1G = 32,  /* with HUGE_*: ask for 1 GiB pages first */
  AIK_MEM_ALL_FLAGS = 63
};

/// What was obtained, which may be less than what was asked.
typedef struct aik_memory_info {
  uint32_t size;
  uint32_t version;
  void *address; /* NULL where the host must not touch it */
  aik_handle handle;
  uint64_t byte_count; /* usable bytes, at least what was asked */
  uint64_t page_size;  /* of the mapping: 4096, 2 MiB, 1 GiB ... */
  uint32_t locked;     /* 1: page-locked */
  uint32_t huge;       /* 0: small, 1: transparent (asked for), 2: hugetlb */
  int32_t numa;        /* node of the first page, or -1: not known */
  uint32_t device;     /* index of the owning device, or AIK_NO_DEVICE */
  uint64_t device_address;
} aik_memory_info;

/// Zeroed host memory. `alignment` 0 means 64; else a power of two up to 1 GiB.
AIK_API int32_t aik_memory_alloc(aik_runtime *runtime, uint64_t byte_count,
                                 uint64_t alignment, uint32_t flags,
                                 aik_memory_info *out);
/// -AIK_EBUSY while a queued packet names it.
AIK_API int32_t aik_memory_free(aik_runtime *runtime, aik_handle memory);
/// Which allocation an address lies in; -AIK_ENOENT for memory not ours.
AIK_API int32_t aik_memory_query(aik_runtime *runtime, const void *address,
                                 aik_memory_info *out);

/// Memory that the device's functions and packets may use; freed with
/// aik_memory_free. On `cpu` it is host memory; on a GPU it is its own, not
/// zeroed, and `device_address` is what tensors and packets are given.
AIK_API int32_t aik_buffer_create(aik_runtime *runtime, aik_handle device,
                                  uint64_t byte_count, uint32_t flags,
                                  aik_memory_info *out);
/// Bounds-checked copies between host memory and a buffer, done on return.
AIK_API int32_t aik_buffer_write(aik_runtime *runtime, aik_handle buffer,
                                 uint64_t offset, const void *source,
                                 uint64_t byte_count);
AIK_API int32_t aik_buffer_read(aik_runtime *runtime, aik_handle buffer,
                                uint64_t offset, void *destination,
                                uint64_t byte_count);

//===----------------------------------------------------------------------===//
// Queues, fences and signals
//===----------------------------------------------------------------------===//

/// The mapped head of a queue's region; slots follow at AIK_RING_SLOTS.
/// All indexes are monotonic 64-bit counts, masked only on access.
#define AIK_RING_MAGIC 0x524b4941u /* "AIKR" */
#define AIK_RING_SLOTS 0x1000u
enum {
  AIK_RING_MAGIC_AT = 0x000, /* u32 magic, version, order, slot bytes, epoch,
                                owner pid; u64 feature bits */
  AIK_RING_WRITE_INDEX_AT = 0x080,
  AIK_RING_READ_INDEX_AT = 0x100,
  AIK_RING_DOORBELL_AT = 0x180,
  AIK_RING_FLAGS_AT = 0x200,
  AIK_RING_KICK_AT = 0x204,
  AIK_RING_SPACE_AT = 0x240,
  AIK_RING_FAULT_AT = 0x280
};
enum { AIK_RING_NEED_KICK = 1, AIK_RING_POISONED = 2, AIK_RING_DRAINING = 4 };

typedef struct aik_queue_config {
  uint32_t size;
  uint32_t version;
  uint32_t order;         /* log2 of the slots, 1 to 16; 0: 8 */
  uint32_t kernarg_bytes; /* of the arena for argument blocks; 0: none */
  /// A reserved but never published slot older than this poisons the queue
  /// with EOWNERDEAD. 0: never.
  uint64_t stall_ns;
} aik_queue_config;

typedef struct aik_queue_info {
  uint32_t size;
  uint32_t version;
  aik_handle queue;
  aik_handle timeline; /* its signal: counts packets done */
  void *region;        /* the head described above */
  void *slots;         /* 64 bytes each */
  uint64_t slot_count;
  volatile uint64_t *doorbell;
  void *kernarg; /* arena; the caller divides it and reuses a block
                    only after its packet's fence */
  uint64_t kernarg_bytes;
} aik_queue_info;

/// When the packets of a submission are done, `signal` is >= `value`.
typedef struct aik_fence {
  aik_handle signal;
  uint64_t value;
} aik_fence;

/// `config` may be NULL.
AIK_API int32_t aik_queue_create(aik_runtime *runtime, aik_handle device,
                                 const aik_queue_config *config,
                                 aik_queue_info *out);
enum { AIK_QUEUE_DRAIN = 0, AIK_QUEUE_ABORT = 1 };
/// DRAIN finishes the queued packets, ABORT drops those not yet begun; waits
/// on dropped work give -AIK_EIO. -AIK_ETIMEDOUT leaves the queue in place.
AIK_API int32_t aik_queue_destroy(aik_runtime *runtime, aik_handle queue,
                                  uint32_t mode, int64_t timeout_ns);
/// Copies `count` packets to the ring, all or none: -AIK_EAGAIN when they do
/// not fit now, -AIK_EINVAL for a malformed one (the sentence says which),
/// -AIK_EIO when the queue is poisoned. `fence` may be NULL.
AIK_API int32_t aik_queue_submit(aik_runtime *runtime, aik_handle queue,
                                 const aik_packet *packets, uint64_t count,
                                 aik_fence *fence);

AIK_API int32_t aik_signal_create(aik_runtime *runtime, int64_t initial,
                                  aik_handle *signal);
AIK_API int32_t aik_signal_destroy(aik_runtime *runtime, aik_handle signal);
/// The value now; the failure, if any, comes as the return value.
AIK_API int32_t aik_signal_read(aik_runtime *runtime, aik_handle signal,
                                int64_t *value);
AIK_API int32_t aik_signal_set(aik_runtime *runtime, aik_handle signal,
                               int64_t value);
/// timeout_ns < 0: for ever; 0: only look. -AIK_ETIMEDOUT leaves everything as
/// it is, and waiting again is legal. -AIK_EIO: the work failed; the thread's
/// fault record is then the queue's.
AIK_API int32_t aik_signal_wait(aik_runtime *runtime, aik_handle signal,
                                uint32_t condition, int64_t value,
                                int64_t timeout_ns);
AIK_API int32_t aik_fence_wait(aik_runtime *runtime, const aik_fence *fence,
                               int64_t timeout_ns);

//===----------------------------------------------------------------------===//
// Tracing
//===----------------------------------------------------------------------===//

enum {
  AIK_TRACE_RUN = 1,
  AIK_TRACE_SUBMIT = 2,
  AIK_TRACE_PACKET = 4,
  AIK_TRACE_WAIT = 8,
  AIK_TRACE_MEMORY = 16,
  AIK_TRACE_FAULT = 32,
  AIK_TRACE_MODULE = 64,
  AIK_TRACE_USER = 128,
  AIK_TRACE_ALL = 255
};

typedef struct aik_trace_event {
  uint64_t time_ns;
  uint32_t id; /* one AIK_TRACE_* bit, or what trace.emit was given */
  uint32_t sequence;
  uint64_t a;
  uint64_t b;
} aik_trace_event;

/// Takes the oldest events out; returns how many. Events that were overwritten
/// before they were read show as gaps in `sequence`.
AIK_API int32_t aik_trace_read(aik_runtime *runtime, aik_trace_event *out,
                               uint32_t capacity);

typedef struct aik_stats {
  uint32_t size;
  uint32_t version;
  uint64_t runs;
  uint64_t dense_copies; /* tensors copied because they were not dense */
  uint64_t submissions;
  uint64_t packets;
  uint64_t waits;
  uint64_t allocations;
  uint64_t frees;
  uint64_t huge_fallbacks; /* huge pages asked for and not obtained */
  uint64_t lock_fallbacks; /* page-locking asked for and not obtained */
  uint64_t faults;         /* queues poisoned */
  uint64_t parallel_loops;
  uint64_t trace_events;
} aik_stats;

AIK_API int32_t aik_stats_read(aik_runtime *runtime, aik_stats *out);

//===----------------------------------------------------------------------===//
// The numbered calls: what compiled code reaches through aik_env.syscall
//===----------------------------------------------------------------------===//

/// Pointers travel as int64_t. Numbers are frozen; others give -AIK_ENOSYS.
enum {
  AIK_SYS_ABI_INFO = 0,   /* aik_runtime_info *out, size */
  AIK_SYS_PROC_EXIT = 1,  /* code; does not return */
  AIK_SYS_IO_WRITE = 2,   /* fd, buf, len -> bytes, may be short */
  AIK_SYS_IO_READ = 3,    /* fd, buf, len -> bytes, may be short, 0 at end */
  AIK_SYS_IO_OPEN = 4,    /* path, AIK_O_* -> fd */
  AIK_SYS_IO_CLOSE = 5,   /* fd */
  AIK_SYS_MEM_MMAP = 6,   /* hint, len, AIK_PROT_*, AIK_MEM_*, fd, offset
                             -> address; fd -1: anonymous, else private */
  AIK_SYS_MEM_MUNMAP = 7, /* address, len: exactly one mapping of call 6 */
  AIK_SYS_TIME_CLOCK = 8, /* AIK_CLOCK_*, device -> ns */
  AIK_SYS_SYNC_WAIT = 9,  /* uint32_t *, expected, timeout_ns (< 0: none) */
  AIK_SYS_SYNC_WAKE = 10, /* uint32_t *, n -> woken */
  AIK_SYS_SCHED_YIELD = 11,

  AIK_SYS_MEM_ALLOC_PINNED = 16, /* bytes, align, flags, aik_memory_info *;
                                    flags 0: HUGE_TRY | LOCK_TRY */
  AIK_SYS_MEM_FREE = 17,         /* handle */
  AIK_SYS_MEM_MAP_DEVICE = 18,   /* handle, device, AIK_PROT_*, uint64_t *va */
  AIK_SYS_MEM_QUERY = 19,        /* address, aik_memory_info * */

  AIK_SYS_GPU_ENUMERATE = 32,      /* aik_device_info *, n -> count */
  AIK_SYS_GPU_OPEN = 33,           /* index, flags (0) -> device */
  AIK_SYS_GPU_CLOSE = 34,          /* device */
  AIK_SYS_GPU_MODULE_LOAD = 35,    /* device, .aikx bytes, len, flags (0)
                                      -> module */
  AIK_SYS_GPU_MODULE_UNLOAD = 36,  /* module */
  AIK_SYS_GPU_KERNEL = 37,         /* module, name, aik_kernel_info * */
  AIK_SYS_GPU_QUEUE_CREATE = 38,   /* device, aik_queue_config *,
                                      aik_queue_info * -> queue */
  AIK_SYS_GPU_QUEUE_DESTROY = 39,  /* queue, AIK_QUEUE_*, timeout_ns */
  AIK_SYS_GPU_SUBMIT = 40,         /* queue, aik_packet *, count, aik_fence *;
                                      packets 0: only wake the consumer, after
                                      writing to the mapped ring */
  AIK_SYS_GPU_WAIT = 41,           /* signal, AIK_WAIT_*, value, timeout_ns */
  AIK_SYS_GPU_FAULT = 42,          /* device, aik_fault * */
  AIK_SYS_GPU_RESET = 43,          /* device */
  AIK_SYS_GPU_SIGNAL_CREATE = 44,  /* initial value -> signal */
  AIK_SYS_GPU_SIGNAL_DESTROY = 45, /* signal */

  AIK_SYS_TRACE_CTL = 48,  /* mask of AIK_TRACE_* -> the mask before */
  AIK_SYS_TRACE_EMIT = 49, /* id, a, b */
  AIK_SYS_STATS_READ = 50, /* aik_stats * */

  // Only from a launcher, while its function runs.
  AIK_SYS_COMMANDS_OPEN = 56,   /* name; 0 when it is that of the device which
                                   the function runs on, or "self" */
  AIK_SYS_COMMANDS_BEGIN = 57,  /* number: launches are kept instead of made */
  AIK_SYS_COMMANDS_END = 58,    /* number */
  AIK_SYS_COMMANDS_SUBMIT = 59, /* number: makes the launches that were kept */
  AIK_SYS_COMMANDS_WAIT = 60    /* timeout_ns (< 0: none) */
};

enum {
  AIK_O_READ = 0,
  AIK_O_WRITE = 1,
  AIK_O_READ_WRITE = 2,
  AIK_O_CREATE = 0100,
  AIK_O_TRUNCATE = 01000,
  AIK_O_APPEND = 02000
};
enum { AIK_PROT_READ = 1, AIK_PROT_WRITE = 2 };
enum { AIK_CLOCK_MONOTONIC = 0, AIK_CLOCK_DEVICE = 1 };

typedef struct aik_kernel_info {
  uint32_t size;
  uint32_t version;
  uint64_t kernel_object; /* for aik_kernel_packet */
  uint32_t kernarg_bytes; /* 0: not known (host) */
  uint32_t group_bytes;
  uint32_t private_bytes;
  uint32_t max_threads;
} aik_kernel_info;

/// Success is >= 0, failure -AIK_E*.
AIK_API int64_t aik_syscall(aik_runtime *runtime, int64_t number, int64_t a0,
                            int64_t a1, int64_t a2, int64_t a3, int64_t a4,
                            int64_t a5);

/// The environment that compiled code gets on this device. Valid while the
/// device is open.
AIK_API int32_t aik_device_env(aik_runtime *runtime, aik_handle device,
                               const aik_env **out);

#ifdef __cplusplus
}
#endif

#endif /* AIKERNEL_C_RUNTIME_H */
