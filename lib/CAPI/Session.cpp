//===- Session.cpp - Sessions of the C API --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: options as strings. Out: the CompileOptions of a session, and
// compilations with them.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Config/llvm-config.h"
#include <optional>

using namespace aikernel;
using llvm::StringRef;
using llvm::Twine;

uint32_t aik_compiler_version(void) { return AIK_COMPILER_VERSION; }

const char *aik_compiler_description(void) {
  return AIKERNEL_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

aik_error *aik_session_create(uint32_t version, aik_session **session) {
  return guard([&]() -> aik_error * {
    if (!session)
      return makeError(Code::BadValue, "the place for the session is NULL");
    *session = nullptr;
    if (version >> 16 != AIK_COMPILER_VERSION_MAJOR ||
        version > AIK_COMPILER_VERSION)
      return makeError(Code::BadValue,
                       "the caller needs version " + Twine(version >> 16) +
                           "." + Twine(version & 0xffff) +
                           " of the C API, this library has " +
                           Twine(AIK_COMPILER_VERSION_MAJOR) + "." +
                           Twine(AIK_COMPILER_VERSION_MINOR));
    *session = new aik_session;
    return nullptr;
  });
}

void aik_session_destroy(aik_session *session) { delete session; }

aik_error *aik_session_set_diagnostic_callback(aik_session *session,
                                               aik_diagnostic_callback callback,
                                               void *user_data) {
  return guard([&]() -> aik_error * {
    if (!session)
      return makeError(Code::BadValue, "the session is NULL");
    session->callback = callback;
    session->userData = user_data;
    return nullptr;
  });
}

static aik_error *refuse(StringRef name, StringRef value, StringRef wanted) {
  return makeError(Code::BadValue, "option '" + name + "' cannot be '" + value +
                                       "'; it is " + wanted);
}

static aik_error *setPhase(StringRef name, StringRef value, Phase &phase) {
  std::optional<Phase> found = parsePhase(value);
  if (!found)
    return refuse(name, value, "the name of a phase");
  if (*found == Phase::Artifact && name == "compile-from")
    return refuse(name, value, "a phase before 'artifact'");
  phase = *found;
  return nullptr;
}

static aik_error *setOption(CompileOptions &options, StringRef name,
                            StringRef value) {
  if (name == "target") {
    llvm::SmallVector<StringRef> parts;
    value.split(parts, ',');
    std::vector<std::string> targets;
    for (StringRef part : parts) {
      if (part.empty())
        return refuse(name, value, "a list of targets");
      targets.push_back(part.str());
    }
    options.targets = std::move(targets);
    return nullptr;
  }
  if (name == "emit") {
    for (const EmitInfo &info : getEmitKinds())
      if (info.name == value) {
        options.emit = info.kind;
        return nullptr;
      }
    return refuse(name, value, "one of the kinds that 'aikc --help' lists");
  }
  if (name == "opt-level") {
    unsigned level;
    if (value.getAsInteger(10, level) || level > 3)
      return refuse(name, value, "0, 1, 2 or 3");
    options.optLevel = level;
    return nullptr;
  }
  if (name == "compile-from")
    return setPhase(name, value, options.compileFrom);
  if (name == "compile-to") {
    Phase phase;
    if (aik_error *error = setPhase(name, value, phase))
      return error;
    options.compileTo.reset();
    if (phase != Phase::Artifact)
      options.compileTo = phase;
    return nullptr;
  }
  const std::pair<StringRef, bool *> flags[] = {
      {"strip-reference", &options.stripReference},
      {"trust-input", &options.trustInput},
      {"remarks", &options.remarks},
      {"fail-on-warnings", &options.failOnWarnings}};
  for (auto &[flag, place] : flags)
    if (name == flag) {
      if (value != "true" && value != "false")
        return refuse(name, value, "'true' or 'false'");
      *place = value == "true";
      return nullptr;
    }
  return makeError(Code::UnknownOption, "unknown option '" + name + "'");
}

aik_error *aik_session_set(aik_session *session, const char *name,
                           const char *value) {
  return guard([&]() -> aik_error * {
    if (!session || !name || !value)
      return makeError(Code::BadValue,
                       "the session, the name or the value is NULL");
    return setOption(session->options, name, value);
  });
}

static void callBack(const aik_session &session, const Diagnostic &diagnostic) {
  if (!session.callback)
    return;
  aik_diagnostic out = {};
  out.size = sizeof out;
  out.severity = static_cast<uint32_t>(diagnostic.severity);
  out.code = static_cast<uint32_t>(diagnostic.code);
  out.line = diagnostic.line;
  out.column = diagnostic.column;
  out.file = diagnostic.file.c_str();
  out.message = diagnostic.message.c_str();
  out.hint = diagnostic.hint.c_str();
  session.callback(&out, session.userData);
}

/// Compiles or checks; the first error becomes the call's.
template <typename Work>
static aik_error *runWork(aik_session *session, const aik_source *source,
                          Work work) {
  if (!session || !source)
    return makeError(Code::BadValue, "the session or the source is NULL");
  std::optional<Diagnostic> first;
  CompileOptions options = session->options;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (!first && diagnostic.severity == Severity::Error)
      first = diagnostic;
    callBack(*session, diagnostic);
  };
  CompileResult result = work(options);
  if (result)
    return nullptr;
  if (first)
    return makeError(*first);
  return makeError(Code::Internal, getInfo(Code::Internal).title);
}

aik_error *aik_compile(aik_session *session, const aik_source *source,
                       aik_output **output) {
  return guard([&]() -> aik_error * {
    if (!output)
      return makeError(Code::BadValue, "the place for the output is NULL");
    *output = nullptr;
    auto made = std::make_unique<aik_output>();
    aik_error *error =
        runWork(session, source, [&](const CompileOptions &options) {
          CompileResult result =
              session->compiler.compile(source->text, source->name, options);
          made->bytes = std::move(result.bytes);
          return result;
        });
    if (!error)
      *output = made.release();
    return error;
  });
}

aik_error *aik_check(aik_session *session, const aik_source *source) {
  return guard([&]() -> aik_error * {
    return runWork(session, source, [&](const CompileOptions &options) {
      return session->compiler.check(source->text, source->name, options);
    });
  });
}
