//===- Packet.h - The packets of command queues ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C, included by Runtime.h. 64 bytes each; the compiler mirrors these
// layouts.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_C_PACKET_H
#define AIKERNEL_C_PACKET_H

#include "AIKernel-c/Entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bits of the 16-bit header. Packets of one queue run in the order of the
/// ring, each after the one before, so AIK_PACKET_BARRIER and the fence scopes
/// change nothing.
enum {
  AIK_PACKET_VENDOR = 0, /* type, bits 7:0 */
  AIK_PACKET_INVALID = 1,
  AIK_PACKET_KERNEL = 2,
  AIK_PACKET_BARRIER_AND = 3,
  AIK_PACKET_BARRIER_OR = 5,
  AIK_PACKET_TYPE_MASK = 0xff,
  AIK_PACKET_BARRIER = 1 << 8,        /* wait for all packets before */
  AIK_PACKET_ACQUIRE_SYSTEM = 2 << 9, /* bits 10:9 */
  AIK_PACKET_RELEASE_SYSTEM = 2 << 11 /* bits 12:11 */
};

enum {
  AIK_VENDOR_NOP = 0,
  AIK_VENDOR_COPY = 1,
  AIK_VENDOR_FILL = 2,
  AIK_VENDOR_SIGNAL = 3,
  AIK_VENDOR_WAIT_VALUE = 4,
  AIK_VENDOR_TIMESTAMP = 5
};

/// `completion_signal`, in every packet: 0, or a signal handle whose value is
/// decremented by one when the packet is done. Reserved fields must be 0.

/// A kernel launch, bit for bit AQL's. On the host `kernel_object` is the
/// address of an aik_host_kernel and `kernarg` its argument block; the grid is
/// ignored, because the CPU twin computes the whole kernel. On a GPU
/// `kernel_object` is what AIK_SYS_GPU_KERNEL gives, `kernarg` the parameters
/// in host memory, exactly kernarg_bytes of them, and `grid_x` a multiple of
/// the kernel's threads (0: one block); there is no other dimension.
typedef struct aik_kernel_packet {
  uint16_t header;            /*  0: AIK_PACKET_KERNEL | ... */
  uint16_t setup;             /*  2: number of grid dimensions, 0 to 3 */
  uint16_t workgroup_x;       /*  4 */
  uint16_t workgroup_y;       /*  6 */
  uint16_t workgroup_z;       /*  8 */
  uint16_t reserved0;         /* 10 */
  uint32_t grid_x;            /* 12: in work-items */
  uint32_t grid_y;            /* 16 */
  uint32_t grid_z;            /* 20 */
  uint32_t private_bytes;     /* 24 */
  uint32_t group_bytes;       /* 28 */
  uint64_t kernel_object;     /* 32 */
  uint64_t kernarg;           /* 40: alive until the fence is reached */
  uint64_t kernarg_bytes;     /* 48: its size, so that aik_memory_free sees what
                                     it points to; host: 0: not known */
  uint64_t completion_signal; /* 56 */
} aik_kernel_packet;

/// 0 or -AIK_E*; a failure poisons the queue.
typedef int32_t (*aik_host_kernel)(const aik_env *env, void *argument_block);

/// Waits until all (AND) or one (OR) of the named signals has the value 0.
typedef struct aik_barrier_packet {
  uint16_t header;            /*  0: AIK_PACKET_BARRIER_AND or _OR */
  uint16_t reserved0;         /*  2 */
  uint32_t reserved1;         /*  4 */
  uint64_t signals[5];        /*  8: handles; 0: not used */
  uint64_t reserved2;         /* 48 */
  uint64_t completion_signal; /* 56 */
} aik_barrier_packet;

/// The regions of a copy must not overlap.
typedef struct aik_copy_packet {
  uint16_t header;            /*  0: AIK_PACKET_VENDOR */
  uint16_t subtype;           /*  2: AIK_VENDOR_COPY */
  uint32_t reserved0;         /*  4 */
  uint64_t destination;       /*  8: address */
  uint64_t source;            /* 16: address */
  uint64_t byte_count;        /* 24 */
  uint64_t reserved1[3];      /* 32 */
  uint64_t completion_signal; /* 56 */
} aik_copy_packet;

typedef struct aik_fill_packet {
  uint16_t header;            /*  0: AIK_PACKET_VENDOR */
  uint16_t subtype;           /*  2: AIK_VENDOR_FILL */
  uint32_t pattern_bytes;     /*  4: 1, 2, 4 or 8 */
  uint64_t destination;       /*  8: address, a multiple of pattern_bytes */
  uint64_t pattern;           /* 16: the low pattern_bytes bytes are used */
  uint64_t byte_count;        /* 24: a multiple of pattern_bytes */
  uint64_t reserved1[3];      /* 32 */
  uint64_t completion_signal; /* 56 */
} aik_fill_packet;

enum { AIK_SIGNAL_SET = 0, AIK_SIGNAL_ADD = 1 };
typedef struct aik_signal_packet {
  uint16_t header;            /*  0: AIK_PACKET_VENDOR */
  uint16_t subtype;           /*  2: AIK_VENDOR_SIGNAL */
  uint32_t operation;         /*  4: AIK_SIGNAL_SET or _ADD */
  uint64_t signal;            /*  8: handle */
  int64_t value;              /* 16 */
  uint64_t reserved1[4];      /* 24 */
  uint64_t completion_signal; /* 56 */
} aik_signal_packet;

enum { AIK_WAIT_EQ = 0, AIK_WAIT_GE = 1, AIK_WAIT_LT = 2 };
typedef struct aik_wait_packet {
  uint16_t header;       /*  0: AIK_PACKET_VENDOR */
  uint16_t subtype;      /*  2: AIK_VENDOR_WAIT_VALUE */
  uint32_t condition;    /*  4: AIK_WAIT_*: signal's value EQ/GE/LT value */
  uint64_t signal;       /*  8: handle */
  int64_t value;         /* 16 */
  uint64_t reserved1[4]; /* 24 */
  uint64_t completion_signal; /* 56 */
} aik_wait_packet;

/// Writes the monotonic clock in nanoseconds to `destination`.
typedef struct aik_timestamp_packet {
  uint16_t header;            /*  0: AIK_PACKET_VENDOR */
  uint16_t subtype;           /*  2: AIK_VENDOR_TIMESTAMP */
  uint32_t reserved0;         /*  4 */
  uint64_t destination;       /*  8: address of a uint64_t */
  uint64_t reserved1[5];      /* 16 */
  uint64_t completion_signal; /* 56 */
} aik_timestamp_packet;

typedef union aik_packet {
  uint16_t header;
  uint64_t words[8];
  aik_kernel_packet kernel;
  aik_barrier_packet barrier;
  aik_copy_packet copy;
  aik_fill_packet fill;
  aik_signal_packet signal;
  aik_wait_packet wait;
  aik_timestamp_packet timestamp;
} aik_packet; /* 64 bytes, aligned to 8 */

#ifdef __cplusplus
}
#endif

#endif /* AIKERNEL_C_PACKET_H */
