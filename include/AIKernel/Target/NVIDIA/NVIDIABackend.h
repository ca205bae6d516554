//===- NVIDIABackend.h - The back end of nvidia:* targets -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one instance of the class; Target.cpp returns it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_NVIDIA_NVIDIABACKEND_H
#define AIKERNEL_TARGET_NVIDIA_NVIDIABACKEND_H

#include "AIKernel/Target/Target.h"

namespace aikernel {

const TargetBackend *getNVIDIABackend();

} // namespace aikernel

#endif // AIKERNEL_TARGET_NVIDIA_NVIDIABACKEND_H
