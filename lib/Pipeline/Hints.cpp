//===- Hints.cpp - What to do about an error ------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a code and a sentence. Out: the hint of the first row of the table whose
// code and part of a sentence fit; else the one that the names in the sentence
// give; else the code's own. Most sentences here are MLIR's.
//
//===----------------------------------------------------------------------===//

#include "Hints.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace aikernel;

namespace {

struct HintRow {
  Code code;
  llvm::StringLiteral part; // of the sentence
  llvm::StringLiteral hint;
};

#define AIK_TYPES_HINT                                                         \
  "write the types of operands and results, as in: %y = aikernel.relu %x : "   \
  "(tensor<4xf32>) -> tensor<4xf32>"

const HintRow kRows[] = {
    {Code::Parse, "expected builtin.function", AIK_TYPES_HINT},
    {Code::Parse, "expected '->' in function type", AIK_TYPES_HINT},
    {Code::Parse, "expected ':'",
     "most operations end with ':' and their types; 'aikc ops OP' shows an "
     "example of each"},
    {Code::Parse, "number of operands and types do not match",
     "list one type for each operand, in parentheses before the '->'"},
    {Code::Parse, "expects different type than prior uses",
     "write the type that the value was defined with"},
    {Code::Parse, "undeclared SSA value",
     "define the value before it is used, or correct its name"},
    {Code::Parse, "redefinition of SSA value", "give each value its own name"},
    {Code::Parse, "expected operation name in quotes",
     "here an operation should begin; look for a brace too many or too few"},
    {Code::Parse, "expected non-function type",
     "write a type, such as f32, tensor<4x8xf32> or tensor<?x8xbf16>"},
    {Code::Parse, "invalid dimension",
     "a dimension is a number below 2^63, or ? where it is not known"},
    {Code::Parse, "to be one of", "write one of the words that are listed"},
    {Code::Parse, "is unknown",
     "an operation is written with its dialect, as in aikernel.matmul"},
    {Code::Parse, "not text", "give a program in MLIR's text form"},
    {Code::Parse, "UTF-8", "save the file as UTF-8"},
    {Code::Verify, "redefinition of symbol", "give each function its own name"},
    {Code::Verify, "no terminator",
     "end the block: a function's with return, a loop's with scf.yield"},
    {Code::Verify, "does not reference a valid function",
     "define the function in the same file, or correct its name"},
    {Code::Verify, "cannot have public visibility",
     "give the function a body: a program calls nothing outside itself"},
    {Code::FunctionForm, "no public function",
     "write at least one func.func that is not private"},
    {Code::FunctionForm, "calls itself", "use scf.for or scf.while instead"},
    {Code::FunctionForm, "has no body",
     "give the function a body: a program calls nothing outside itself"},
    {Code::FunctionForm, "several blocks", "use scf.if, scf.for or scf.while"},
    {Code::FunctionForm, "which has no rank",
     "write its dimensions, with ? where a size is not known: tensor<?x?xf32>"},
    {Code::FunctionForm, "dense memref",
     "leave out the layout and the memory space: memref<4x8xf32>"},
    {Code::FunctionForm, "has an encoding",
     "leave out what follows the element type: tensor<4x8xf32>"},
    {Code::FunctionForm, "contains '$'",
     "give it a name of 1 to 255 characters without '$'"},
    {Code::FunctionForm, "is a memref; return a tensor",
     "return a tensor, or let the caller pass the memref as an argument"},
    {Code::FunctionForm, "have one name in C",
     "rename one of them: in C, only letters, digits and _ are kept"},
    {Code::FunctionForm, "nest modules",
     "move the functions to the top of the file"},
    {Code::Unsupported, "depends on data",
     "compute sizes from shapes (tensor.dim) and constants; where data "
     "decides, "
     "allocate the largest size and mask the rest"},
    {Code::Unsupported, "no place in memory",
     "use f32, f64, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32, i64 or "
     "index"},
    {Code::Unsupported, "which has no rank", "give every tensor its rank"},
    {Code::Unsupported, "the builtins do not have",
     "write the function with others of math"},
    {Code::Verify, "this is no file of the phase",
     "give the phase that wrote the file, or leave the option out"},
    {Code::Unsupported, "has no bound",
     "make the size a constant, or one that does not change from iteration to "
     "iteration"},
    {Code::Unsupported, "on tensors has no lowering",
     "write it as linalg.generic, or as scf.for over tensor.extract and "
     "tensor.insert"},
    {Code::Unsupported, "takes dense memrefs",
     "copy the memref into a dense one with memref.copy first"},
    {Code::Unsupported, "came through a loop",
     "create, submit and wait in the same block of the function"},
    {Code::Unsupported, "has no body of one block",
     "define the kernel in the same file, without control flow between blocks"},
    {Code::Unsupported, "is not equivalent to the corresponding iter",
     "yield the tensor that came in as the same argument of the loop, changed "
     "by tensor.insert or tensor.insert_slice"},
    {Code::Unsupported, "bufferizes to a new allocation",
     "write into a tensor that the loop carries instead of yielding a new one"},
    {Code::CannotWrite, "the linker's",
     "raise the limits of the process on files, their size and threads"},
    {Code::Conflict, " has no ptx code", "use --target=nvidia:sm_90a"},
    {Code::Conflict, " has no cubin code", "use --target=nvidia:sm_90a"},
    {Code::Conflict, " has no hsaco code", "use --target=amd:gfx942"},
};

/// The first word in single quotes that has a dialect in front.
StringRef quotedOperation(StringRef sentence) {
  while (true) {
    StringRef rest = sentence.split('\'').second;
    if (rest.empty())
      return {};
    auto [word, after] = rest.split('\'');
    if (word.contains('.') && !word.contains(' ') && !word.contains('<'))
      return word;
    sentence = rest;
    (void)after;
  }
}

/// Known operations of the same dialect that are spelled alike.
std::string nearestOperation(StringRef name, MLIRContext &context) {
  StringRef dialect = name.split('.').first, best;
  unsigned bestDistance = 1 + name.split('.').second.size() / 3;
  for (RegisteredOperationName known : context.getRegisteredOperations()) {
    StringRef candidate = known.getStringRef();
    if (candidate.split('.').first != dialect)
      continue;
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance || (distance == bestDistance && best.empty())) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best.str();
}

std::string hintByName(Code code, StringRef name, MLIRContext &context) {
  StringRef dialect = name.split('.').first;
  bool ours = dialect == "aikernel";
  if (code == Code::UnknownOp) {
    std::string nearest = nearestOperation(name, context);
    if (!nearest.empty())
      return "did you mean '" + nearest + "'?";
    if (ours)
      return "run 'aikc ops' for the operations of aikernel";
    if (context.getLoadedDialect(dialect))
      return ("the dialect '" + dialect + "' of MLIR 22 has no such operation")
          .str();
  }
  if (code != Code::Verify && code != Code::Parse)
    return "";
  if (ours)
    return ("run 'aikc ops " + name + "' for its contract").str();
  return ("see the contract of '" + name + "' in MLIR's documentation").str();
}

} // namespace

std::string aikernel::chooseHint(Code code, StringRef sentence,
                                 MLIRContext &context) {
  for (const HintRow &row : kRows)
    if (row.code == code && sentence.contains(row.part))
      return row.hint.str();
  StringRef name = quotedOperation(sentence);
  if (!name.empty())
    if (std::string hint = hintByName(code, name, context); !hint.empty())
      return hint;
  return getInfo(code).hint.str();
}
