//===- Header.cpp - A C header for object files ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with the list of its public functions. Out: a C header that
// declares their entry points under names that C can spell, with each
// function's arguments in a comment. Two functions that C would spell alike are
// an error: what a name refers to must not depend on the other functions.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Pipeline/Emit.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace aikernel;

namespace {

std::string asIdentifier(StringRef name) {
  std::string out;
  for (char c : name)
    out.push_back(llvm::isAlnum(c) ? c : '_');
  if (out.empty() || llvm::isDigit(out[0]))
    out.insert(0, "_");
  return out;
}

/// As it stands between the quotes of a C string.
std::string asString(StringRef name) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  for (unsigned char c : name) {
    if (c == '"' || c == '\\')
      stream << '\\' << c;
    else if (llvm::isPrint(c))
      stream << c;
    else
      stream << llvm::format("\\%03o", c);
  }
  return out;
}

/// On one line, and without what would end a comment.
std::string asComment(StringRef name) {
  std::string out;
  for (char c : name) {
    if (c == '/' && !out.empty() && out.back() == '*')
      out.push_back(' ');
    out.push_back(llvm::isPrint(c) ? c : '?');
  }
  return out;
}

void declare(llvm::raw_ostream &out, StringRef name, StringRef entry,
             StringRef result, StringRef parameters) {
  out << result << " " << asIdentifier(name) << "_" << entry << "("
      << parameters << ")\n    __asm__(\"" << asString(name) << "$" << entry
      << "\");\n";
}

} // namespace

llvm::Expected<std::string> aikernel::emitHeader(ModuleOp module) {
  auto functions = module->getAttrOfType<ArrayAttr>(kFunctionsAttrName);
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "/* Entry points of a program compiled by aikc. The calling "
         "convention "
         "is that of\n   AIKernel-c/Entry.h. */\n#pragma once\n"
         "#include \"AIKernel-c/Entry.h\"\n#ifdef __cplusplus\nextern \"C\" "
         "{\n#endif\n";
  llvm::StringMap<StringRef> spelled;
  for (auto function : functions.getAsRange<DictionaryAttr>()) {
    StringRef name = cast<StringAttr>(function.get("name")).getValue();
    auto [other, isNew] = spelled.try_emplace(asIdentifier(name), name);
    if (!isNew)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "AIK-E0010: the functions '" + other->second + "' and '" + name +
              "' have one name in C, " + other->first());
    auto type =
        cast<FunctionType>(cast<TypeAttr>(function.get("type")).getValue());
    auto args = cast<ArrayAttr>(function.get("args"));
    out << "\n/* " << asComment(name) << "\n";
    for (auto [index, pair] :
         llvm::enumerate(llvm::zip(type.getInputs(), args))) {
      auto [argType, attrs] = pair;
      out << "   args[" << index << "]: " << argType;
      if (auto label = cast<DictionaryAttr>(attrs).getAs<StringAttr>(kNameAttr))
        out << " " << asComment(label.getValue());
      out << "\n";
    }
    for (auto [index, resultType] : llvm::enumerate(type.getResults()))
      out << "   results[" << index << "]: " << resultType << "\n";
    out << "*/\n";
    declare(out, name, "shape", "int32_t",
            "const aik_env *, const aik_tensor *args, aik_tensor *results");
    declare(out, name, "workspace", "int64_t",
            "const aik_env *, const aik_tensor *args");
    declare(out, name, "prepare", "int64_t",
            "const aik_env *, const aik_tensor *args, aik_tensor *prepared,\n"
            "    void *storage");
    declare(out, name, "cost", "int32_t",
            "const aik_env *, const aik_tensor *args, aik_cost *cost");
    declare(out, name, "run", "int32_t",
            "const aik_env *, const aik_tensor *args, aik_tensor *results,\n"
            "    void *workspace");
  }
  out << "\n#ifdef __cplusplus\n}\n#endif\n";
  return text;
}
