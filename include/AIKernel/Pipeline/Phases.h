//===- Phases.h - The phases of a compilation, as a table -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// import -> kernel -> structured -> scheduled -> target -> artifact. The same
// word is the enum value, the value of --compile-to, the name of the dump file
// and the folder under test/Pipeline. The driver loops over the table, so
// stopping, resuming, dumping and verifying are written once.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_PHASES_H
#define AIKERNEL_PIPELINE_PHASES_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace aikernel {

enum class Phase { Import, Kernel, Structured, Scheduled, Target, Artifact };

struct PhaseInfo {
  Phase phase;
  llvm::StringRef name;
  llvm::StringRef summary;
  /// The passes of the phase; the contract pass is added by the driver. Null
  /// for `artifact`, which is not a phase of IR.
  void (*populate)(mlir::OpPassManager &pm);
};

/// All phases, in order.
llvm::ArrayRef<PhaseInfo> getPhases();
const PhaseInfo &getPhaseInfo(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

void populateImport(mlir::OpPassManager &pm);
void populateKernel(mlir::OpPassManager &pm);
void populateStructured(mlir::OpPassManager &pm);
void populateScheduled(mlir::OpPassManager &pm);
void populateTarget(mlir::OpPassManager &pm);

/// Each phase as a flag of aik-opt: --aik-phase-kernel and so on.
void registerPhasePipelines();

} // namespace aikernel

#endif // AIKERNEL_PIPELINE_PHASES_H
