//===- Compiler.h - The compiler's C API ----------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C. What goes in: the text of a program and options. What comes out: an
// artifact, or any earlier form, in memory. Link with -laikc.
//
// The order of a normal program:
//
//   aik_session_create -> aik_session_set("target", "cpu")
//     -> aik_source_from_file -> aik_compile -> aik_output_bytes -> ..._destroy
//
// Rules that hold for every call:
//  - A call that can fail returns an aik_error: NULL is success; anything else
//    belongs to the caller, who gives it back with aik_error_destroy. Results
//    come through the last parameter, which is set to NULL on failure.
//  - Objects are opaque and independent of each other. Different sessions may
//    be used by different threads at the same time; one session, by one thread
//    at a time. Sources and outputs outlive their session.
//  - Every `destroy` accepts NULL.
//  - The library installs no signal handlers, keeps no state outside these
//    objects, and reads and writes no files but those named to it.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_C_COMPILER_H
#define AIKERNEL_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef AIK_API
#if defined(__GNUC__)
#define AIK_API __attribute__((visibility("default")))
#else
#define AIK_API
#endif
#endif

/// Raised when something is added; the major half changes when something that
/// existed changes. Compare with what the header says.
#define AIK_COMPILER_VERSION_MAJOR 1u
#define AIK_COMPILER_VERSION_MINOR 0u
#define AIK_COMPILER_VERSION                                                   \
  (AIK_COMPILER_VERSION_MAJOR << 16 | AIK_COMPILER_VERSION_MINOR)

/// AIK_COMPILER_VERSION of the library.
AIK_API uint32_t aik_compiler_version(void);
/// For people: "0.1.0 (LLVM 22.1.8)".
AIK_API const char *aik_compiler_description(void);

typedef struct aik_session aik_session;
typedef struct aik_source aik_source;
typedef struct aik_output aik_output;
typedef struct aik_error aik_error;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The same numbers as the exit statuses of aikc.
enum {
  AIK_STATUS_OK = 0,
  AIK_STATUS_INPUT = 1,       /* an error in the program */
  AIK_STATUS_USAGE = 2,       /* a wrong option or a null pointer */
  AIK_STATUS_UNSUPPORTED = 3, /* valid, but not supported on this target */
  AIK_STATUS_FILE = 4,        /* a file cannot be read or written */
  AIK_STATUS_LIMIT = 5,       /* memory ran out, or the program is too large */
  AIK_STATUS_INTERNAL = 70    /* an error in the compiler */
};

/// AIK_STATUS_*; AIK_STATUS_OK for NULL.
AIK_API int32_t aik_error_status(const aik_error *error);
/// The number after `AIK-E`; 0 for NULL.
AIK_API uint32_t aik_error_code(const aik_error *error);
/// "x.mlir:3:8: AIK-E0002: sentence", "" for NULL. Lives as long as the error.
AIK_API const char *aik_error_message(const aik_error *error);
AIK_API void aik_error_destroy(aik_error *error);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

enum {
  AIK_SEVERITY_ERROR = 0,
  AIK_SEVERITY_WARNING = 1,
  AIK_SEVERITY_REMARK = 2,
  AIK_SEVERITY_NOTE = 3
};

/// Strings are never NULL and live until the callback returns.
typedef struct aik_diagnostic {
  uint32_t size; /* of this struct, as the library knows it */
  uint32_t severity;
  uint32_t code;         /* the number after `AIK-E`, or 0 */
  uint32_t line, column; /* 0: no place */
  const char *file;      /* "": no place */
  const char *message;
  const char *hint; /* "": none */
} aik_diagnostic;

/// Called on the thread that called aik_compile or aik_check.
typedef void (*aik_diagnostic_callback)(const aik_diagnostic *diagnostic,
                                        void *user_data);

/// `version` is AIK_COMPILER_VERSION as the caller was compiled with; a library
/// that cannot serve it refuses.
AIK_API aik_error *aik_session_create(uint32_t version, aik_session **session);
AIK_API void aik_session_destroy(aik_session *session);

/// `callback` may be NULL: then nothing is reported but the error itself.
AIK_API aik_error *aik_session_set_diagnostic_callback(
    aik_session *session, aik_diagnostic_callback callback, void *user_data);

/// Sets an option by the name that it has on aikc's command line:
///
///   target           "cpu", "cpu:x86-64-v3,cpu:aarch64"
///   emit             "aikx" (default), "obj", "so", "header", "llvm-ir" ...
///   opt-level        "0" to "3"
///   compile-from     the phase that the source is the result of
///   compile-to       the last phase to run
///   strip-reference  "true" or "false"
///   trust-input      "true" or "false"
///   remarks          "true" or "false"
///   fail-on-warnings "true" or "false"
///
/// A wrong name or value leaves the session as it was. Targets are looked up
/// when the program is compiled.
AIK_API aik_error *aik_session_set(aik_session *session, const char *name,
                                   const char *value);

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The text is copied. `name` stands for it in diagnostics.
AIK_API aik_error *aik_source_from_memory(const char *text, size_t byte_count,
                                          const char *name,
                                          aik_source **source);
AIK_API aik_error *aik_source_from_file(const char *path, aik_source **source);
AIK_API void aik_source_destroy(aik_source *source);

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The error is the first of the program's; all of them went to the callback.
AIK_API aik_error *aik_compile(aik_session *session, const aik_source *source,
                               aik_output **output);
/// Parses and verifies only.
AIK_API aik_error *aik_check(aik_session *session, const aik_source *source);

/// Lives as long as the output. NULL gives NULL and 0.
AIK_API const void *aik_output_bytes(const aik_output *output);
AIK_API size_t aik_output_size(const aik_output *output);
/// To a temporary file beside `path`, which is then renamed: `path` has all of
/// it or is not touched.
AIK_API aik_error *aik_output_write_file(const aik_output *output,
                                         const char *path);
AIK_API void aik_output_destroy(aik_output *output);

#ifdef __cplusplus
}
#endif

#endif /* AIKERNEL_C_COMPILER_H */
