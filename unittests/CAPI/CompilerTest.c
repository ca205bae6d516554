//===- CompilerTest.c - The compiler's C API, used from C -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: nothing. Out: exit status 0 when every check holds; each failed one is a
// line on standard error.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Compiler.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0;
static int checks = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    ++checks;                                                                  \
    if (!(condition)) {                                                        \
      ++failures;                                                              \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
    }                                                                          \
  } while (0)

static const char kProgram[] =
    "func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>)"
    " -> tensor<4x4xf32> {\n"
    "  %c = aikernel.matmul %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>)"
    " -> tensor<4x4xf32>\n"
    "  return %c : tensor<4x4xf32>\n"
    "}\n";

/// Says what an unexpected error was, and frees it.
static int isSuccess(aik_error *error) {
  if (!error)
    return 1;
  fprintf(stderr, "unexpected: %s\n", aik_error_message(error));
  aik_error_destroy(error);
  return 0;
}

/// True when the error has this status and code; frees it.
static int isError(aik_error *error, int32_t status, uint32_t code) {
  int same = error && aik_error_status(error) == status &&
             aik_error_code(error) == code &&
             strncmp(aik_error_message(error), "", 1) != 0;
  if (!same)
    fprintf(stderr, "found: status %d, code %u: %s\n", aik_error_status(error),
            aik_error_code(error), aik_error_message(error));
  aik_error_destroy(error);
  return same;
}

static aik_source *makeSource(const char *text) {
  aik_source *source = NULL;
  CHECK(isSuccess(
      aik_source_from_memory(text, strlen(text), "memory.mlir", &source)));
  return source;
}

static aik_session *makeSession(void) {
  aik_session *session = NULL;
  CHECK(isSuccess(aik_session_create(AIK_COMPILER_VERSION, &session)));
  return session;
}

static void testVersions(void) {
  aik_session *session = (aik_session *)&failures;
  CHECK(aik_compiler_version() == AIK_COMPILER_VERSION);
  CHECK(strstr(aik_compiler_description(), "LLVM") != NULL);
  CHECK(isError(aik_session_create(2u << 16, &session), AIK_STATUS_USAGE, 102));
  CHECK(session == NULL);
  CHECK(isError(aik_session_create(AIK_COMPILER_VERSION + 1, &session),
                AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_session_create(AIK_COMPILER_VERSION, NULL),
                AIK_STATUS_USAGE, 102));
}

static void testNulls(void) {
  aik_session *session = makeSession();
  aik_source *source = makeSource(kProgram);
  aik_output *output = NULL;
  aik_session_destroy(NULL);
  aik_source_destroy(NULL);
  aik_output_destroy(NULL);
  aik_error_destroy(NULL);
  CHECK(aik_error_status(NULL) == AIK_STATUS_OK);
  CHECK(aik_error_code(NULL) == 0);
  CHECK(strcmp(aik_error_message(NULL), "") == 0);
  CHECK(aik_output_bytes(NULL) == NULL && aik_output_size(NULL) == 0);
  CHECK(isError(aik_compile(NULL, source, &output), AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_compile(session, NULL, &output), AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_compile(session, source, NULL), AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_check(session, NULL), AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_session_set(session, NULL, "x"), AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_source_from_memory(NULL, 1, "x", &source), AIK_STATUS_USAGE,
                102));
  CHECK(source == NULL);
  aik_session_destroy(session);
}

static void testOptions(void) {
  aik_session *session = makeSession();
  CHECK(isSuccess(aik_session_set(session, "target", "cpu")));
  CHECK(isSuccess(aik_session_set(session, "opt-level", "3")));
  CHECK(isSuccess(aik_session_set(session, "strip-reference", "true")));
  CHECK(isSuccess(aik_session_set(session, "compile-to", "kernel")));
  CHECK(isSuccess(aik_session_set(session, "compile-to", "artifact")));
  CHECK(isError(aik_session_set(session, "nonsense", "1"), AIK_STATUS_USAGE,
                100));
  CHECK(
      isError(aik_session_set(session, "emit", "exe"), AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_session_set(session, "opt-level", "4"), AIK_STATUS_USAGE,
                102));
  CHECK(isError(aik_session_set(session, "target", "cpu,,"), AIK_STATUS_USAGE,
                102));
  CHECK(isError(aik_session_set(session, "compile-from", "artifact"),
                AIK_STATUS_USAGE, 102));
  CHECK(isError(aik_session_set(session, "remarks", "yes"), AIK_STATUS_USAGE,
                102));
  CHECK(isError(aik_session_set(session, "fail-on-warnings", "yes"),
                AIK_STATUS_USAGE, 102));
  aik_session_destroy(session);
}

static void testCompile(void) {
  aik_session *session = makeSession();
  aik_source *source = makeSource(kProgram);
  aik_output *first = NULL, *second = NULL, *text = NULL;
  CHECK(isSuccess(aik_check(session, source)));
  CHECK(isSuccess(aik_compile(session, source, &first)));
  CHECK(isSuccess(aik_compile(session, source, &second)));
  CHECK(aik_output_size(first) > 64);
  CHECK(aik_output_size(first) == aik_output_size(second));
  if (first && second && aik_output_size(first) == aik_output_size(second)) {
    CHECK(memcmp(aik_output_bytes(first), "\177ELF", 4) == 0);
    CHECK(memcmp(aik_output_bytes(first), aik_output_bytes(second),
                 aik_output_size(first)) == 0);
  }
  CHECK(isSuccess(aik_session_set(session, "emit", "llvm-ir")));
  CHECK(isSuccess(aik_compile(session, source, &text)));
  aik_session_destroy(session); /* outputs outlive it */
  CHECK(text && strstr((const char *)aik_output_bytes(text), "f$run") != NULL);

  char path[] = "/tmp/aik-capi-XXXXXX";
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  CHECK(isSuccess(aik_output_write_file(text, path)));
  aik_source *file = NULL;
  CHECK(isSuccess(aik_source_from_file(path, &file)));
  unlink(path);
  CHECK(isError(aik_output_write_file(text, "/nowhere/at/all"), AIK_STATUS_FILE,
                201));
  CHECK(isError(aik_source_from_file("/nowhere/at/all", &file), AIK_STATUS_FILE,
                200));
  CHECK(
      isError(aik_source_from_file("/dev/zero", &file), AIK_STATUS_FILE, 200));
  aik_output_destroy(first);
  aik_output_destroy(second);
  aik_output_destroy(text);
  aik_source_destroy(source);
}

struct Seen {
  int errors;
  uint32_t code, line;
  char file[64];
};

static void remember(const aik_diagnostic *diagnostic, void *user_data) {
  struct Seen *seen = user_data;
  if (diagnostic->severity != AIK_SEVERITY_ERROR)
    return;
  ++seen->errors;
  seen->code = diagnostic->code;
  seen->line = diagnostic->line;
  snprintf(seen->file, sizeof seen->file, "%s", diagnostic->file);
}

static void testDiagnostics(void) {
  struct Seen seen = {0};
  aik_session *session = makeSession();
  CHECK(
      isSuccess(aik_session_set_diagnostic_callback(session, remember, &seen)));
  aik_source *broken = makeSource("func.func @f() {\n  return %x\n}\n");
  aik_output *output = (aik_output *)&failures;
  CHECK(isError(aik_compile(session, broken, &output), AIK_STATUS_INPUT, 1));
  CHECK(output == NULL);
  CHECK(seen.errors == 1 && seen.code == 1 && seen.line == 2);
  CHECK(strcmp(seen.file, "memory.mlir") == 0);
  aik_source_destroy(broken);

  aik_source *good = makeSource(kProgram);
  CHECK(isSuccess(aik_session_set(session, "target", "cpu:pdp11")));
  CHECK(isError(aik_compile(session, good, &output), AIK_STATUS_USAGE, 103));
  CHECK(isSuccess(aik_session_set(session, "target", "cpu")));
  CHECK(isSuccess(aik_compile(session, good, &output)));
  aik_output_destroy(output);
  aik_source_destroy(good);
  aik_session_destroy(session);
}

static void *compileOnThread(void *result) {
  aik_session *session = NULL;
  aik_source *source = NULL;
  aik_output *output = NULL;
  aik_error *error = aik_session_create(AIK_COMPILER_VERSION, &session);
  if (!error)
    error = aik_source_from_memory(kProgram, strlen(kProgram), "t", &source);
  if (!error)
    error = aik_compile(session, source, &output);
  *(size_t *)result = error ? 0 : aik_output_size(output);
  aik_error_destroy(error);
  aik_output_destroy(output);
  aik_source_destroy(source);
  aik_session_destroy(session);
  return NULL;
}

static void testThreads(void) {
  pthread_t threads[4];
  size_t sizes[4] = {0};
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, compileOnThread, &sizes[i]) == 0);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; ++i)
    CHECK(sizes[i] > 64 && sizes[i] == sizes[0]);
}

int main(void) {
  testVersions();
  testNulls();
  testOptions();
  testCompile();
  testDiagnostics();
  testThreads();
  printf("%d passed, %d failed\n", checks - failures, failures);
  return failures ? 1 : 0;
}
