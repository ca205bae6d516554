//===- NestedPipelines.h - Run nested modules through their own passes ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of nested modules and two ways to populate a pass manager, one
// for targets and one for @reference. Out: each nested module after its own.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_PIPELINE_NESTEDPIPELINES_H
#define AIKERNEL_LIB_PIPELINE_NESTEDPIPELINES_H

#include "AIKernel/Target/Target.h"
#include "AIKernel/Transforms/Entries.h"
#include "mlir/IR/BuiltinOps.h"

namespace aikernel {

using PopulateTarget =
    llvm::function_ref<void(const TargetBackend &, mlir::OpPassManager &)>;
using PopulateReference = llvm::function_ref<void(mlir::OpPassManager &)>;
using RunPipeline = llvm::function_ref<mlir::LogicalResult(
    mlir::OpPassManager &, mlir::Operation *)>;

inline mlir::LogicalResult runNestedPipelines(mlir::ModuleOp module,
                                              PopulateTarget forTarget,
                                              PopulateReference forReference,
                                              RunPipeline run) {
  for (auto nested : llvm::to_vector(module.getOps<mlir::ModuleOp>())) {
    mlir::OpPassManager pm(mlir::ModuleOp::getOperationName());
    auto target = nested->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (target) {
      const TargetBackend *backend = getBackend(target);
      if (!backend)
        return nested.emitError("AIK-E0014: there is no back end for the "
                                "target '")
               << target.getName() << "'";
      forTarget(*backend, pm);
    } else if (nested.getSymName() == kReferenceModuleName) {
      forReference(pm);
    } else {
      return nested.emitError("a nested module has neither a target nor the "
                              "name of the reference");
    }
    if (mlir::failed(run(pm, nested)))
      return mlir::failure();
  }
  return mlir::success();
}

} // namespace aikernel

#endif // AIKERNEL_LIB_PIPELINE_NESTEDPIPELINES_H
