//===- Diagnose.h - MLIR's diagnostics become coded ones ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: what MLIR and the passes report on a context. Out: coded diagnostics to
// the caller's handler, one error per failure, and the exit status.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_DIAGNOSE_H
#define AIKERNEL_PIPELINE_DIAGNOSE_H

#include "AIKernel/Support/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace aikernel {

class Diagnose {
public:
  Diagnose(mlir::MLIRContext &context, DiagnosticHandler handler, bool remarks);

  /// The code of errors that do not bring their own.
  void setStage(Code code) { stage = code; }

  /// The text being parsed, for sentences that name what stands there.
  void setSource(llvm::StringRef text) { source = text; }

  /// An error without a hint gets the one that fits best.
  void report(Diagnostic diagnostic);
  void report(Code code, llvm::StringRef message);

  /// Something failed: makes sure that an error was reported. Returns false.
  bool ensureError();

  ExitStatus getStatus() const { return status; }

private:
  void receive(mlir::Diagnostic &diagnostic);
  Code classify(llvm::StringRef &message) const;
  std::string reword(std::string message, mlir::Location location) const;

  mlir::MLIRContext &context;
  DiagnosticHandler handler;
  bool remarks;
  llvm::StringRef source;
  Code stage = Code::Internal;
  ExitStatus status = kExitOk;
  mlir::ScopedDiagnosticHandler scope;
};

} // namespace aikernel

#endif // AIKERNEL_PIPELINE_DIAGNOSE_H
