//===- Objects.h - What the opaque types of the C API are -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs behind AIKernel-c/Compiler.h, and how errors are made. No C++
// exception leaves a function of the C API: `guard` turns them into errors.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_CAPI_OBJECTS_H
#define AIKERNEL_LIB_CAPI_OBJECTS_H

#include "AIKernel-c/Compiler.h"
#include "AIKernel/Pipeline/Compiler.h"
#include <new>
#include <string>

struct aik_error {
  aikernel::Code code = aikernel::Code::None;
  std::string message;
};

struct aik_session {
  aikernel::Compiler compiler;
  aikernel::CompileOptions options;
  aik_diagnostic_callback callback = nullptr;
  void *userData = nullptr;
};

struct aik_source {
  std::string text, name;
};

struct aik_output {
  std::string bytes;
};

namespace aikernel {

/// The error that needs no memory: it exists always and is never freed.
aik_error *getOutOfMemoryError();

/// "AIK-E0102: sentence".
aik_error *makeError(Code code, const llvm::Twine &sentence);
aik_error *makeError(const Diagnostic &diagnostic);

/// Runs `body`, which returns an aik_error.
template <typename Body>
aik_error *guard(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return getOutOfMemoryError();
  } catch (const std::exception &error) {
    try {
      return makeError(Code::Internal, error.what());
    } catch (...) {
      return getOutOfMemoryError();
    }
  } catch (...) {
    return getOutOfMemoryError();
  }
}

} // namespace aikernel

#endif // AIKERNEL_LIB_CAPI_OBJECTS_H
