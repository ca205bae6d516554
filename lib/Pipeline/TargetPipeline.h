//===- TargetPipeline.h - The passes of a nested module -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a nested module and two ways to populate a pass manager, one for targets
// and one for @reference. Out: a pass manager that holds the module's passes.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_PIPELINE_TARGETPIPELINE_H
#define AIKERNEL_LIB_PIPELINE_TARGETPIPELINE_H

#include "AIKernel/Target/Target.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "mlir/IR/BuiltinOps.h"

namespace aikernel {

using PopulateTarget =
    llvm::function_ref<void(const TargetBackend &, mlir::OpPassManager &)>;
using PopulateReference = llvm::function_ref<void(mlir::OpPassManager &)>;

inline mlir::LogicalResult populateFor(mlir::ModuleOp nested,
                                       PopulateTarget forTarget,
                                       PopulateReference forReference,
                                       mlir::OpPassManager &pm) {
  if (auto target = nested->getAttrOfType<TargetAttr>(kTargetAttrName)) {
    const TargetBackend *backend = getBackend(target);
    if (!backend)
      return nested.emitError("AIK-E0014: there is no back end for the "
                              "target '")
             << target.getName() << "'";
    forTarget(*backend, pm);
    return mlir::success();
  }
  if (nested.getSymName() == kReferenceModuleName) {
    forReference(pm);
    return mlir::success();
  }
  return nested.emitError("a nested module has neither a target nor the name "
                          "of the reference");
}

} // namespace aikernel

#endif // AIKERNEL_LIB_PIPELINE_TARGETPIPELINE_H
