//===- Errors.cpp - Errors of the C API -----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: diagnostics and codes. Out: aik_error objects, and what C may ask them.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "llvm/ADT/Twine.h"

using namespace aikernel;

aik_error *aikernel::getOutOfMemoryError() {
  static const aik_error outOfMemory = {Code::MemoryLimit,
                                        "AIK-E0300: out of memory"};
  // Callers may not change it, and aik_error_destroy knows it.
  return const_cast<aik_error *>(&outOfMemory);
}

aik_error *aikernel::makeError(Code code, const llvm::Twine &sentence) {
  return new aik_error{code, (formatCode(code) + ": " + sentence).str()};
}

aik_error *aikernel::makeError(const Diagnostic &diagnostic) {
  std::string place;
  if (!diagnostic.file.empty()) {
    place = diagnostic.file + ":";
    if (diagnostic.line)
      place += std::to_string(diagnostic.line) + ":" +
               std::to_string(diagnostic.column) + ":";
    place += " ";
  }
  return new aik_error{diagnostic.code, place + formatCode(diagnostic.code) +
                                            ": " + diagnostic.message};
}

int32_t aik_error_status(const aik_error *error) {
  return error ? getInfo(error->code).exitStatus : AIK_STATUS_OK;
}

uint32_t aik_error_code(const aik_error *error) {
  return error ? static_cast<uint32_t>(error->code) : 0;
}

const char *aik_error_message(const aik_error *error) {
  return error ? error->message.c_str() : "";
}

void aik_error_destroy(aik_error *error) {
  if (error != getOutOfMemoryError())
    delete error;
}
