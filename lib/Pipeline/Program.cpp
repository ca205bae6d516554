//===- Program.cpp - What a program may look like -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the text of a program, then the parsed module. Out: one coded error with
// its place, or nothing.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Program.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel/Transforms/Checks/CheckedSizes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace aikernel;

namespace {

constexpr unsigned kMaxNesting = 256;
constexpr size_t kMaxConstantBytes = 1 << 20;

/// A literal takes at least two characters per byte in hexadecimal, and more
/// as a list; this much text cannot be a constant that would be accepted.
constexpr size_t kMaxLiteralText = 24 * kMaxConstantBytes;

aikernel::Diagnostic problemAt(Code code, StringRef name, unsigned line,
                               unsigned column, const Twine &message) {
  aikernel::Diagnostic out;
  out.code = code;
  out.file = name.str();
  out.line = line;
  out.column = column;
  out.message = message.str();
  out.hint = getInfo(code).hint.str();
  return out;
}

} // namespace

std::optional<aikernel::Diagnostic>
aikernel::scanText(StringRef text, StringRef name, bool trustInput) {
  if (text.starts_with("ML\xefR")) {
    if (trustInput)
      return std::nullopt;
    return problemAt(Code::Bytecode, name, 1, 1,
                     "the input is MLIR bytecode, which is read only when "
                     "trusted");
  }
  if (text.starts_with("\xef\xbb\xbf"))
    return problemAt(Code::Parse, name, 1, 1,
                     "the input begins with a byte order mark (U+FEFF), which "
                     "programs must not have");
  unsigned line = 1, depth = 0;
  size_t lineStart = 0, literalStart = 0, stringStart = 0;
  bool inString = false, inComment = false, inLiteral = false;
  unsigned literalDepth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    unsigned column = i - lineStart + 1;
    if (c == '\n') {
      ++line;
      lineStart = i + 1;
      inComment = false;
      inString = false;
      continue;
    }
    if (c == '\0')
      return problemAt(Code::Parse, name, line, column,
                       "the input holds a NUL byte and is not text");
    if (inComment)
      continue;
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      // Constants and resources in hexadecimal are one long string.
      if (i - stringStart > 2 * kMaxConstantBytes + 16)
        return problemAt(Code::LargeConstant, name, line, column,
                         "a constant in the text is larger than 1 MiB");
    } else if (c == '"') {
      inString = true;
      stringStart = i;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      inComment = true;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (c == '<' && !inLiteral && text.take_front(i).ends_with("dense")) {
        inLiteral = true;
        literalStart = i;
        literalDepth = depth;
      }
      if (++depth > kMaxNesting)
        return problemAt(Code::Nesting, name, line, column,
                         "brackets nest more than " + Twine(kMaxNesting) +
                             " levels deep here");
    } else if (c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      ++i; // an arrow is not a bracket
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (depth > 0)
        --depth;
      if (inLiteral && depth <= literalDepth)
        inLiteral = false;
    }
    if (inLiteral && i - literalStart > kMaxLiteralText)
      return problemAt(Code::LargeConstant, name, line, column,
                       "a dense constant in the text is larger than 1 MiB");
  }
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  if (!llvm::isLegalUTF8String(&begin, end))
    return problemAt(Code::Parse, name, 1, 1, "the input is not valid UTF-8");
  return std::nullopt;
}

namespace {

LogicalResult checkConstants(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    for (NamedAttribute attr : op->getAttrs())
      if (auto dense = dyn_cast<DenseElementsAttr>(attr.getValue()))
        if (!dense.isSplat() && dense.getRawData().size() > kMaxConstantBytes) {
          op->emitError("AIK-E0005: a dense constant of ")
              << dense.getRawData().size() << " bytes is larger than 1 MiB";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkBoundaryType(func::FuncOp function, Type type,
                                const Twine &what) {
  auto complain = [&](StringRef code) {
    return function.emitError()
           << code << ": " << what << " of '" << function.getSymName()
           << "' has type " << type << ", ";
  };
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasRank())
    return complain("AIK-E0010") << "which has no rank";
  if (shaped && shaped.getRank() > AIK_MAX_RANK)
    return complain("AIK-E0012")
           << "which has more than " << AIK_MAX_RANK << " dimensions";
  if (auto memref = dyn_cast<MemRefType>(type))
    if (!memref.getLayout().isIdentity() || memref.getMemorySpace())
      return complain("AIK-E0010") << "which is not a plain dense memref";
  if (isa<VectorType>(type) ||
      (shaped && !isa<RankedTensorType, MemRefType>(type)))
    return complain("AIK-E0010") << "which is neither a tensor, a memref nor "
                                    "a scalar";
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (tensor.getEncoding())
      return complain("AIK-E0010") << "which has an encoding";
  if (!shaped && !type.isIntOrIndexOrFloat())
    return complain("AIK-E0010") << "which is neither a tensor, a memref nor "
                                    "a scalar";
  if (shaped && !knownBytes(shaped))
    return complain("AIK-E0012") << "which is larger than 2^48 bytes";
  if (!entryabi::dtypeOf(getElementTypeOrSelf(type)))
    return complain("AIK-E0011") << "whose elements cannot cross a function's "
                                    "boundary";
  return success();
}

LogicalResult checkFunction(func::FuncOp function) {
  if (function.isExternal())
    return function.emitError("AIK-E0010: the function '")
           << function.getSymName() << "' has no body";
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("AIK-E0010: the function '")
           << function.getSymName()
           << "' has several blocks; use scf for control flow";
  StringRef name = function.getSymName();
  bool isPrintable = llvm::none_of(
      name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.contains('$') || name.empty() || name.size() > AIK_MAX_NAME ||
      !isPrintable)
    return function.emitError("AIK-E0010: the name of the function '")
           << name
           << "' contains '$' or a control character, or is empty or too long";
  if (name == kReferenceModuleName || name.starts_with("aik_"))
    return function.emitError("AIK-E0010: the name '")
           << name << "' is one of the compiler's own";
  if (!function.isPublic())
    return success();
  if (function.getNumArguments() > AIK_MAX_FUNCTION_VALUES ||
      function.getNumResults() > AIK_MAX_FUNCTION_VALUES)
    return function.emitError("AIK-E0012: the function '")
           << name << "' has more than " << AIK_MAX_FUNCTION_VALUES
           << " arguments or results";
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(checkBoundaryType(function, type, "argument " + Twine(index))))
      return failure();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    if (isa<MemRefType>(type))
      return function.emitError("AIK-E0010: result ")
             << index << " of '" << name
             << "' is a memref; return a tensor instead";
    if (failed(checkBoundaryType(function, type, "result " + Twine(index))))
      return failure();
  }
  return success();
}

LogicalResult checkRecursion(ModuleOp module) {
  CallGraph graph(module);
  for (auto scc = llvm::scc_begin(&const_cast<const CallGraph &>(graph));
       !scc.isAtEnd(); ++scc)
    if (scc.hasCycle())
      for (const CallGraphNode *node : *scc)
        if (!node->isExternal())
          return node->getCallableRegion()->getParentOp()->emitError(
              "AIK-E0010: this function calls itself, directly or through "
              "others");
  return success();
}

} // namespace

LogicalResult aikernel::checkProgram(ModuleOp module) {
  if (failed(checkConstants(module)))
    return failure();
  unsigned functions = 0;
  for (Operation &op : *module.getBody()) {
    if (isa<ModuleOp>(op))
      return op.emitError("AIK-E0010: a program may not nest modules");
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      continue;
    if (failed(checkFunction(function)))
      return failure();
    functions += function.isPublic();
  }
  if (functions == 0)
    return module.emitError("AIK-E0010: the program has no public function");
  if (functions > AIK_MAX_FUNCTIONS)
    return module.emitError("AIK-E0012: the program has more than ")
           << AIK_MAX_FUNCTIONS << " public functions";
  if (failed(checkRecursion(module)))
    return failure();
  return checkOperations(module);
}
