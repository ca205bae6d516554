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
     "correct the text at the place shown, or just before it",
     "The parser stopped at the place shown. The text before it was "
     "understood. Common causes: a missing type after `:`, an undefined SSA "
     "value, an unbalanced brace, an attribute without its dialect prefix."},
    {Code::Verify, kExitInput, "an operation breaks its contract",
     "change one of the two sides that the sentence names",
     "The program parses, but an operation was given operands, attributes or "
     "types that its contract does not allow. The sentence names the "
     "operation, the operand and both sides of the disagreement."},
    {Code::UnknownOp, kExitInput, "an operation or dialect is not known",
     "use aikernel, func, arith, math, tensor, linalg, scf, affine, memref, "
     "bufferization, cf or index",
     "The program uses an operation or a dialect that this compiler does not "
     "have. Programs may mix aikernel with the dialects of MLIR that the hint "
     "lists; 'aikc ops' lists the operations of aikernel."},
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
     "write that part in another way; docs/SupportMatrix.md lists what is "
     "tested",
     "The program is valid, but something in it has no lowering: an operation, "
     "a way of using it, or a size that is not known before the program runs. "
     "The sentence names it; the hint names the nearest thing that works, "
     "where "
     "there is one."},
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
     "use f32, f64, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, ui8, i16, i32, i64 "
     "or index",
     "Arguments and results of public functions travel as aik_tensor, which "
     "has a code for each of the element types listed in the hint."},
    {Code::TooMany, kExitLimit,
     "too many dimensions, bytes, arguments or functions",
     "at most 8 dimensions, 2^48 bytes, 256 arguments, 256 results and 4096 "
     "functions",
     "An artifact describes tensors of at most 8 dimensions and 2^48 bytes, "
     "functions of at most 256 arguments and as many results, and at most 4096 "
     "functions."},
    {Code::Internal, kExitInternal, "the compiler failed",
     "please report this with the reproducer file",
     "A pass failed on a valid program without saying more. This is an error "
     "in the compiler."},
    {Code::NoBackend, kExitUnsupported,
     "this build has no back end for the target",
     "run 'aikc targets' for the targets that it has",
     "The target, or what --emit asks for, is one that other builds of the "
     "compiler may have. This one was built without it."},
    {Code::NeededOnHost, kExitUnsupported,
     "the host would have to wait for a value from a GPU",
     "compute the value on the host and pass it as an argument, or compile for "
     "a CPU",
     "Loops and sizes are the host's business, and on a GPU what tensors hold "
     "is known only to the device. A bound or a size that is read from a "
     "tensor cannot be used before the device is done."},
    {Code::FlawedKernel, kExitInternal,
     "a kernel that is scheduled by hand came out otherwise",
     "please report this with the reproducer file; without "
     "--fail-on-warnings it compiles",
     "Some kernels for GPUs are written instruction by instruction, for the "
     "registers that there are. NVIDIA's assembler had to spill some of them, "
     "or to put waits between matrix instructions, which makes a kernel "
     "several times slower. The sentence says what the assembler said. The "
     "kernel is right, and this a warning, unless --fail-on-warnings says "
     "otherwise."},
    {Code::UnknownOption, kExitUsage, "an option is not known",
     "run 'aikc --help'",
     "Options are spelled in full, with two dashes. Nothing is guessed."},
    {Code::MissingValue, kExitUsage, "an option lacks its value",
     "write --option=VALUE, or -o FILE; 'aikc --help' lists the values",
     "The named option needs a value, as in --target=cpu."},
    {Code::BadValue, kExitUsage, "an option has a wrong value",
     "run 'aikc --help' for the values of every option",
     "The value is not one of those that the option takes; the sentence lists "
     "them."},
    {Code::BadTarget, kExitUsage, "a target is not known",
     "run 'aikc targets' for the targets and their features",
     "A target is written cpu[:level[+feature]...], as in cpu:x86-64-v3 or "
     "cpu:aarch64+dotprod."},
    {Code::Conflict, kExitUsage, "options contradict each other",
     "leave one of them out",
     "An option is given twice, or two options ask for different things. The "
     "sentence names them."},
    {Code::NoInput, kExitUsage, "no input file",
     "name one file, or - for stdin",
     "aikc compiles one file. It reads standard input only for an explicit -."},
    {Code::UnknownCommand, kExitUsage, "a command is not known",
     "run 'aikc --help' for the commands",
     "The first word is neither a command nor a file that exists."},
    {Code::CannotRead, kExitFile, "a file cannot be read",
     "check the path and its permissions",
     "The operating system refused to open or read the file; its reason is in "
     "the sentence."},
    {Code::CannotWrite, kExitFile, "a file cannot be written",
     "check the folder, its permissions and the space left",
     "The output is written to a temporary file beside its final place and "
     "renamed. One of these steps failed; nothing was left behind."},
    {Code::NotAnArtifact, kExitInput, "the file is not a valid artifact",
     "compile the program again with aikc",
     "The file is not an .aikx file, or it is damaged."},
    {Code::BadTuning, kExitInput, "a tuning table cannot be used",
     "make one with aikc --tune-candidates and fill it in with aik-run --tune",
     "The file is not a table of schedules, is damaged, or names a schedule "
     "that no block of threads could follow."},
    {Code::MemoryLimit, kExitLimit, "the memory limit was reached",
     "raise --max-memory, or the limit of the system",
     "Compilation needed more memory than --max-memory allows, or than the "
     "system gives. --max-memory limits what the process may write to: heaps, "
     "stacks and anonymous mappings (RLIMIT_DATA), not the compiler's own "
     "code."},
    {Code::TimeLimit, kExitLimit, "the time limit was reached",
     "raise --max-time",
     "Compilation took longer than the seconds of --max-time."},
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
