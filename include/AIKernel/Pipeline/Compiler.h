//===- Compiler.h - The session API ---------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: MLIR text and options. Out: an artifact, or any earlier form, in memory;
// problems go to a handler as coded diagnostics. aikc and the C API both are
// thin shells around this class. No signal handlers, no process-wide state, no
// files but those that the options name.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PIPELINE_COMPILER_H
#define AIKERNEL_PIPELINE_COMPILER_H

#include "AIKernel/Pipeline/Phases.h"
#include "AIKernel/Support/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aikernel {

/// What a compilation may give.
enum class EmitKind {
  Kernel, // MLIR text at the end of a phase
  Structured,
  Scheduled,
  Target,
  LLVMIR, // of one target: LLVM IR as text
  Bitcode,
  Assembly,
  Object,       // an object file without undefined symbols
  SharedObject, // a host image by itself
  PTX,          // of one NVIDIA target
  Cubin,
  HSACO,   // of one AMD target
  Header,  // a C header of the exported functions
  Artifact // .aikx
};

struct EmitInfo {
  EmitKind kind;
  llvm::StringRef name;      // as in --emit=
  llvm::StringRef extension; // of the default output file
  llvm::StringRef summary;
};
llvm::ArrayRef<EmitInfo> getEmitKinds();

struct CompileOptions {
  /// As a user writes them: "cpu", "cpu:x86-64-v3".
  std::vector<std::string> targets = {"cpu"};
  EmitKind emit = EmitKind::Artifact;
  unsigned optLevel = 2;
  /// NVIDIA's assembler. Empty: artifacts carry PTX without a cubin.
  std::string ptxas = {};
  /// The phase that the input is the result of. Import: a program.
  Phase compileFrom = Phase::Import;
  /// The last phase to run; the output is then its IR.
  std::optional<Phase> compileTo;
  /// Measured schedules: what for, and the attribute. A program's only.
  std::vector<std::pair<std::string, std::string>> tuning = {};
  /// How many likely schedules of each kernel the phase `scheduled` names.
  unsigned candidates = 0;
  /// Leave the scalar reference out.
  bool stripReference = false;
  /// Accept MLIR bytecode.
  bool trustInput = false;
  /// Called with the text of each phase as it ends: (number, name, text).
  std::function<void(unsigned, llvm::StringRef, llvm::StringRef)> onPhase;
  /// Text to continue with in place of a phase's own result.
  std::map<Phase, std::string> overrides;
  /// Called with the milliseconds of each phase as it ends.
  std::function<void(llvm::StringRef, double)> onTime;
  /// Pass remarks on to the handler.
  bool remarks = false;
  /// A kernel that came out slow is an error, not a warning.
  bool failOnWarnings = false;
  DiagnosticHandler onDiagnostic;
};

struct CompileResult {
  ExitStatus status = kExitOk;
  std::string bytes;
  /// After an internal failure: a file that replays it with aikc.
  std::string reproducer;
  explicit operator bool() const { return status == kExitOk; }
};

class Compiler {
public:
  Compiler();
  ~Compiler();

  /// Compiles one program. `name` stands for the source in diagnostics and
  /// nowhere else. May be called again; calls do not affect each other.
  CompileResult compile(llvm::StringRef source, llvm::StringRef name,
                        const CompileOptions &options);

  /// Parses and verifies only.
  CompileResult check(llvm::StringRef source, llvm::StringRef name,
                      const CompileOptions &options);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Registers the dialects, and the interfaces of others that the pipelines
/// need, in an embedding compiler.
void registerAIKernel(mlir::DialectRegistry &registry);
/// Registers all passes and pipelines of this project (for tools like
/// aik-opt).
void registerAIKernelPasses();

} // namespace aikernel

#endif // AIKERNEL_PIPELINE_COMPILER_H
