//===- Target.h - What a back end does ------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A back end is one class: it schedules and lowers a nested module that
// carries its #aikernel.target, and turns the result into an image. The
// targets themselves are rows of KnownTargets.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TARGET_TARGET_H
#define AIKERNEL_TARGET_TARGET_H

#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace aikernel {

/// A finished piece of code, as Artifact.h describes it.
struct Image {
  unsigned kind = 0; // AIK_IMAGE_*
  unsigned arch = 0; // AIK_ARCH_*
  uint64_t features = 0;
  unsigned rank = 0; // of the images that fit, the highest is taken
  std::string target;
  std::string bytes;
  /// Sentences about how it turned out, for --remarks, and those that everybody
  /// should read.
  llvm::SmallVector<std::string> remarks = {}, warnings = {};
};

/// Called once, on any thread.
using ImageMaker =
    llvm::unique_function<llvm::Expected<llvm::SmallVector<Image>>()>;

/// What to make of a lowered module.
enum class ImageForm { SharedObject, Object, Assembly, LLVMIR, Bitcode };

struct SerializeOptions {
  ImageForm form = ImageForm::SharedObject;
  unsigned optLevel = 2;
  /// Architectures of the hosts that launchers are made for.
  llvm::SmallVector<std::string> hosts = {};
  /// NVIDIA's assembler; empty: there is none, and PTX has to do.
  std::string ptxas = {};
  /// Get the remarks and warnings of images, on the thread that asked for them.
  std::function<void(llvm::StringRef)> onRemark = {}, onWarning = {};
  bool failOnWarnings = false;
};

class TargetBackend {
public:
  virtual ~TargetBackend() = default;

  /// Phase `scheduled`: kernels on tensors to loops on buffers.
  virtual void populateSchedule(mlir::OpPassManager &pm) const = 0;
  /// Phase `target`: loops on buffers to the target's own dialect.
  virtual void populateLowering(mlir::OpPassManager &pm) const = 0;
  /// From the target's dialect to images, in two steps: the module is read at
  /// once; the images are made from what was read, on any thread. The first
  /// maker's first image is what the options' form asks for.
  virtual llvm::Expected<llvm::SmallVector<ImageMaker>>
  serialize(mlir::ModuleOp module, TargetAttr target,
            const SerializeOptions &) const = 0;
};

/// The back end of a target, or null.
const TargetBackend *getBackend(TargetAttr target);
/// All back ends of this build.
llvm::SmallVector<const TargetBackend *> getBackends();

/// The pipelines of @reference; it is lowered like a CPU module without a
/// schedule.
void populateReferenceSchedule(mlir::OpPassManager &pm);
void populateReferenceLowering(mlir::OpPassManager &pm);

/// One line of `aikc targets`.
struct KnownTarget {
  llvm::StringRef name;    // cpu:x86-64-v3
  llvm::StringRef summary; // what it stands for
};
llvm::ArrayRef<KnownTarget> getKnownTargets();
/// Features that may be added to a level of this architecture.
llvm::SmallVector<llvm::StringRef> getFeatureNames(llvm::StringRef arch);

/// Is it a device beside a host, which launches what it does?
bool needsHost(TargetAttr target);

/// Turns what a user wrote into targets, most capable first; `cpu` alone
/// stands for this machine and its architecture's baseline. The error is a
/// sentence.
llvm::Expected<llvm::SmallVector<TargetAttr>>
parseTarget(llvm::StringRef text, mlir::MLIRContext *context);

/// AIK_ARCH_* and feature bits of a target.
unsigned getArch(TargetAttr target);
uint64_t getFeatureBits(TargetAttr target);

} // namespace aikernel

#endif // AIKERNEL_TARGET_TARGET_H
