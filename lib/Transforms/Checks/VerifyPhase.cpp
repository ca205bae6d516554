//===- VerifyPhase.cpp - The contract that closes each phase --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the module at the end of a phase. Out: the same module, or an error that
// names the first op that should not be there any more.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define DEBUG_TYPE "aik-verify-phase"

namespace aikernel {
#define GEN_PASS_DEF_VERIFYPHASEPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// What a phase leaves behind.
struct Contract {
  StringRef phase;
  /// Dialects that may remain outside @reference.
  SmallVector<StringRef> dialects;
  bool tensorsAllowed;
  /// @reference keeps the vocabulary until `scheduled`.
  bool referenceLowered;
};

SmallVector<Contract> contracts() {
  SmallVector<StringRef> program = {
      "builtin",       "func",     "arith",  "math",   "tensor",
      "linalg",        "scf",      "affine", "memref", "vector",
      "bufferization", "aikernel", "cf",     "index",  "complex"};
  return {
      {"import", program, true, false},
      {"kernel", program, true, false},
      {"structured", program, true, false},
      {"scheduled",
       {"builtin", "func", "arith", "math", "scf", "affine", "memref", "vector",
        "aikernel", "aik_tile", "llvm", "cf", "index", "gpu", "nvgpu", "nvvm",
        "rocdl"},
       false,
       true},
      {"target", {"builtin", "llvm", "gpu", "nvvm", "rocdl"}, false, true},
  };
}

/// Ops of the vocabulary that `structured` has turned into linalg.
bool isComputeOp(Operation *op) { return isa<ReferenceOpInterface>(op); }

/// Tensors that bufferization will not know what to do with.
bool hasNoBuffers(Operation *op) {
  bool onTensors = llvm::any_of(
      op->getResultTypes(), [](Type type) { return isa<TensorType>(type); });
  return onTensors && !isa<bufferization::BufferizableOpInterface>(op) &&
         op->getName().getDialectNamespace() != "aikernel";
}

/// f$shape and f$cost are called before there is data.
bool looksAtData(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  auto entry = function ? function->getAttrOfType<StringAttr>(kEntryAttrName)
                        : StringAttr();
  if (!entry || entry.getValue() == "run")
    return false;
  return !isa<tensor::DimOp, memref::DimOp, CheckOp, func::ReturnOp>(op) &&
         !isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect());
}

bool isLoop(Operation *op) { return isa<LoopLikeOpInterface>(op); }

struct VerifyPhasePass : aikernel::impl::VerifyPhasePassBase<VerifyPhasePass> {
  using VerifyPhasePassBase::VerifyPhasePassBase;

  void runOnOperation() override {
    const auto all = contracts();
    auto contract =
        llvm::find_if(all, [&](const Contract &c) { return c.phase == phase; });
    if (contract == all.end()) {
      getOperation().emitError("no contract for the phase '") << phase << "'";
      return signalPassFailure();
    }
    if (isInput && failed(checkMarks()))
      return signalPassFailure();
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (!contract->referenceLowered && isReference(op))
            return WalkResult::skip();
          std::string complaint = complaintAbout(op, *contract);
          if (complaint.empty())
            return WalkResult::advance();
          if (StringRef(complaint).starts_with("AIK-")) {
            op->emitError(complaint);
            return WalkResult::interrupt();
          }
          if (isInput)
            op->emitError("AIK-E0002: this is no file of the phase '")
                << phase << "': of '" << op->getName() << "', " << complaint;
          else
            op->emitError("AIK-E0009: the phase '")
                << phase << "' ended with this operation: " << complaint;
          return WalkResult::interrupt();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// What a phase writes on the module for the next ones to read.
  LogicalResult checkMarks() {
    ModuleOp module = getOperation();
    auto complain = [&](const Twine &what) {
      return module.emitError("AIK-E0002: this is no file of the phase '")
             << phase << "': " << what;
    };
    auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttrName);
    if (!targets || llvm::any_of(targets, [](Attribute target) {
          return !isa<TargetAttr>(target);
        }))
      return complain("the module does not list targets");
    if (!listsFunctions(module->getAttrOfType<ArrayAttr>(kFunctionsAttrName)))
      return complain("the module does not list its functions");
    bool isForked = phase == "scheduled" || phase == "target";
    bool hasReference = false;
    for (auto nested : module.getOps<ModuleOp>()) {
      hasReference |= isReference(nested);
      if (!isReference(nested) &&
          (!isForked || !nested->getAttrOfType<TargetAttr>(kTargetAttrName)))
        return complain("a nested module is neither of a target nor the "
                        "reference");
    }
    // aikc takes single targets out of the last phases.
    if (!isForked && !hasReference)
      return complain("it has no module of the reference");
    if (isForked && !module.getOps<func::FuncOp>().empty())
      return complain("it has functions outside of the modules of targets");
    return success();
  }

  static bool listsFunctions(ArrayAttr list) {
    return list && llvm::all_of(list, [](Attribute entry) {
             auto function = dyn_cast<DictionaryAttr>(entry);
             auto type =
                 function ? function.getAs<TypeAttr>("type") : TypeAttr();
             return type && isa<FunctionType>(type.getValue()) &&
                    function.getAs<StringAttr>("name") &&
                    function.getAs<ArrayAttr>("args") &&
                    function.getAs<ArrayAttr>("results");
           });
  }

  static bool isReference(Operation *op) {
    auto module = dyn_cast<ModuleOp>(op);
    return module && module.getSymName() == kReferenceModuleName;
  }

  static std::string complaintAbout(Operation *op, const Contract &contract) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (!llvm::is_contained(contract.dialects, dialect))
      return ("the dialect '" + dialect + "' may not remain").str();
    bool structured = contract.phase != "import" && contract.phase != "kernel";
    if (structured && isComputeOp(op))
      return "it should have been lowered";
    if (contract.phase == "kernel" && looksAtData(op) && isLoop(op))
      return "AIK-E0007: the size of a result is known only after this loop "
             "has run, not from argument shapes";
    if (contract.phase == "kernel" && looksAtData(op))
      return "AIK-E0007: the size of a result depends on data, not only on "
             "argument shapes";
    if (contract.phase == "structured" && hasNoBuffers(op))
      return ("AIK-E0007: '" + op->getName().getStringRef() +
              "' on tensors has no lowering")
          .str();
    if (contract.phase == "target" && isa<UnrealizedConversionCastOp>(op))
      return "a conversion was left unresolved";
    if (!contract.tensorsAllowed)
      for (Type type : op->getResultTypes())
        if (isa<TensorType>(type))
          return "a tensor was not bufferized";
    return "";
  }
};

} // namespace
