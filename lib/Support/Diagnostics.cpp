//===- Diagnostics.cpp - Every error has a code ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of codes. Numbers are never reused: scripts depend on them.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikernel;

static const CodeInfo kCodes[] = {
    {Code::Parse, kExitInput, "the input is not valid MLIR text",
     "fix the syntax at the place shown",
     "The parser stopped at the place shown. The text before it was "
     "understood. Common causes: a missing type after `:`, an undefined SSA "
     "value, an unbalanced brace, an attribute without its dialect prefix."},
    {Code::Verify, kExitInput, "an operation breaks its contract",
     "run 'aikc ops' for the contract of every operation",
     "The program parses, but an operation was given operands, attributes or "
     "types that its contract does not allow. The sentence names the "
     "operation, the operand and both sides of the disagreement."},
    {Code::UnknownOp, kExitInput, "an operation or dialect is not known",
     "run 'aikc ops' for the vocabulary",
     "The program uses an operation or a dialect that this compiler does not "
     "have. Programs may mix aikernel with func, arith, math, tensor, linalg, "
     "scf, affine, memref, vector, bufferization, cf and index."},
    {Code::Nesting, kExitLimit, "the input nests too deeply",
     "flatten the program: at most 256 levels of brackets are read",
     "Brackets, regions and types may nest at most 256 levels deep. The limit "
     "protects the parser's stack."},
    {Code::LargeConstant, kExitLimit, "a constant in the text is too large",
     "keep weights in a file and pass them as arguments marked "
     "aikernel.weight",
     "A dense constant in the program text may take at most 1 MiB. Weights "
     "belong into files: make them function arguments marked "
     "`aikernel.weight` and give them to the function at run time."},
    {Code::Bytecode, kExitInput, "the input is MLIR bytecode",
     "pass --trust-input if you made this file yourself",
     "The bytecode reader is not safe on files of unknown origin. Text is "
     "always accepted; bytecode only with --trust-input."},
    {Code::Unsupported, kExitUnsupported,
     "valid, but not supported on this target",
     "run 'aikc targets' for what each target supports",
     "The program is valid, but the named operation has no lowering for the "
     "target asked for. The sentence names the operation and, where there is "
     "one, the nearest thing that works."},
    {Code::ArgumentAttribute, kExitInput,
     "an attribute of a function argument is wrong",
     "see the table of argument attributes in docs/Dialect.md",
     "Arguments of public functions may carry aikernel.weight, "
     "aikernel.donate, aikernel.name, aikernel.min, aikernel.max and "
     "aikernel.multiple_of. One of them has a wrong type or value."},
    {Code::Contract, kExitInternal,
     "a phase of the compiler broke its own contract",
     "please report this with the reproducer file",
     "The contract pass at the end of a phase found an operation that should "
     "have been lowered. This is an error in the compiler."},
    {Code::FunctionForm, kExitInput, "a function has an unsupported form",
     "public functions have one block and take tensors, memrefs or scalars",
     "Public functions have one block, take and return ranked tensors, "
     "memrefs or scalars, and do not call themselves, directly or through "
     "others."},
    {Code::ElementType, kExitUnsupported,
     "an element type cannot cross a function's boundary",
     "use f32, f64, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32 or i64",
     "Arguments and results of public functions travel as aik_tensor, which "
     "has a code for each of the element types listed in the hint."},
    {Code::TooMany, kExitLimit, "too many dimensions, arguments or functions",
     "at most 8 dimensions, 256 arguments and 4096 functions",
     "An artifact describes tensors of at most 8 dimensions, functions of at "
     "most 256 arguments and as many results, and at most 4096 functions."},
    {Code::Internal, kExitInternal, "the compiler failed",
     "please report this with the reproducer file",
     "A pass failed on a valid program without saying more. This is an error "
     "in the compiler."},
    {Code::UnknownOption, kExitUsage, "an option is not known",
     "run 'aikc --help'",
     "Options are spelled in full, with two dashes. Nothing is guessed."},
    {Code::MissingValue, kExitUsage, "an option lacks its value",
     "run 'aikc --help'",
     "The named option needs a value, as in --target=cpu."},
    {Code::BadValue, kExitUsage, "an option has a wrong value",
     "run 'aikc --help'",
     "The value is not one of those that the option takes; the sentence lists "
     "them."},
    {Code::BadTarget, kExitUsage, "a target is not known", "run 'aikc targets'",
     "A target is written cpu[:level[+feature]...], nvidia:<sm> or "
     "amd:<gfx>."},
    {Code::Conflict, kExitUsage, "options contradict each other",
     "run 'aikc --help'", "The two named options cannot be used together."},
    {Code::NoInput, kExitUsage, "no input file",
     "name one file, or - for stdin",
     "aikc compiles one file. It reads standard input only for an explicit -."},
    {Code::UnknownCommand, kExitUsage, "a command is not known",
     "run 'aikc --help'",
     "The first word is neither a command nor a file that exists."},
    {Code::CannotRead, kExitFile, "a file cannot be read",
     "check the path and its permissions",
     "The operating system refused to open or read the file; its reason is in "
     "the sentence."},
    {Code::CannotWrite, kExitFile, "a file cannot be written",
     "check the folder and its permissions",
     "The output is written to a temporary file beside its final place and "
     "renamed. One of these steps failed; nothing was left behind."},
    {Code::NotAnArtifact, kExitInput, "the file is not a valid artifact",
     "make it with aikc", "The file is not an .aikx file, or it is damaged."},
    {Code::MemoryLimit, kExitLimit, "the memory limit was reached",
     "raise --max-memory", "Compilation needed more memory than allowed."},
    {Code::TimeLimit, kExitLimit, "the time limit was reached",
     "raise --max-time", "Compilation took longer than allowed."},
};

llvm::ArrayRef<CodeInfo> aikernel::getCodes() { return kCodes; }

const CodeInfo &aikernel::getInfo(Code code) {
  const CodeInfo *found = llvm::find_if(
      kCodes, [&](const CodeInfo &info) { return info.code == code; });
  return found != std::end(kCodes) ? *found : getInfo(Code::Internal);
}

std::string aikernel::formatCode(Code code) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "AIK-E" << llvm::format("%04u", static_cast<unsigned>(code));
  return text;
}

Code aikernel::takeCode(llvm::StringRef &message) {
  llvm::StringRef rest = message;
  unsigned number;
  if (!rest.consume_front("AIK-E") || rest.size() < 6 ||
      rest.take_front(4).getAsInteger(10, number))
    return Code::None;
  rest = rest.drop_front(4);
  if (!rest.consume_front(": "))
    return Code::None;
  for (const CodeInfo &info : kCodes)
    if (static_cast<unsigned>(info.code) == number) {
      message = rest;
      return info.code;
    }
  return Code::None;
}
