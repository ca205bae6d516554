//===- FakeCuda.h - How tests steer the fake CUDA driver ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FakeCuda.cpp is a libcuda.so.1 without a GPU. Knobs are words with commas
// between them, from the environment's AIK_FAKE_CUDA when it is loaded or by
// aik_fake_cuda_configure:
//
//   cuMemAlloc:3:2   the third call of cuMemAlloc from now on returns 2
//   *:17:999         the 17th call of anything
//   launch:2:700     the second kernel that runs faults with 700
//   hang             nothing that is launched gets done
//   sm=80 count=2 memory=1000000 version=11040 missing=cuFuncLoad
//                    what the devices and the driver are
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_FAKECUDA_H
#define AIKERNEL_UNITTESTS_RUNTIME_FAKECUDA_H

extern "C" {
/// Replaces all knobs and counts calls from 0 again.
void aik_fake_cuda_configure(const char *knobs);
/// Calls of the driver since then.
int aik_fake_cuda_calls(void);
/// Contexts retained, memory, modules, streams, events and graphs alive.
int aik_fake_cuda_live(void);
/// Kernels run and allocations made since it was loaded.
int aik_fake_cuda_kernels(void);
int aik_fake_cuda_allocations(void);
/// Tensor maps made since then.
int aik_fake_cuda_maps(void);
/// Launches that could begin before the ones before them had ended.
int aik_fake_cuda_overlaps(void);
/// Graphs made executable since then, and updates of such.
int aik_fake_cuda_graphs(void);
int aik_fake_cuda_updates(void);
/// Calls back once, at the beginning of the next call of this function.
void aik_fake_cuda_before(const char *function, void (*callback)(void));
}

#endif // AIKERNEL_UNITTESTS_RUNTIME_FAKECUDA_H
