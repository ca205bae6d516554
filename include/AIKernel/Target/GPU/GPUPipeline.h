//===- GPUPipeline.h - The pipelines that GPUs share ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vendor's back end runs these, gives its own conversion of the device's
// part, and serializes.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_GPU_GPUPIPELINE_H
#define AIKERNEL_TARGET_GPU_GPUPIPELINE_H

#include "AIKernel/Target/Target.h"

namespace aikernel {

using AddDevicePasses = llvm::function_ref<void(mlir::OpPassManager &)>;

/// Phase `scheduled`: kernels on tensors to a launcher and a gpu.module of what
/// threads do. `distribute` adds passes that do this for kernels of which the
/// vendor knows more.
void populateGPUSchedule(mlir::OpPassManager &pm, AddDevicePasses distribute);

/// Phase `target`: both to the LLVM dialect; what the vendor adds is nested in
/// the gpu.module, at the end.
void populateGPULowering(mlir::OpPassManager &pm, AddDevicePasses convert);

/// The launcher of a lowered module, for each host of `options`.
llvm::Error serializeLaunchers(mlir::ModuleOp module, TargetAttr target,
                               const SerializeOptions &options,
                               llvm::SmallVectorImpl<ImageMaker> &makers);

} // namespace aikernel

#endif // AIKERNEL_TARGET_GPU_GPUPIPELINE_H
