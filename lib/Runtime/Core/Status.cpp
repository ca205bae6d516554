//===- Status.cpp - Error numbers, sentences and the fault record ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The per-thread record and the public calls that read it.
//
//===----------------------------------------------------------------------===//

#include "Core/Status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

using namespace aik;

static_assert(sizeof(aik_fault) == 128, "part of the ABI");

namespace {
struct ErrorName {
  int32_t code;
  const char *name;
};

constexpr ErrorName errorNames[] = {{AIK_EPERM, "EPERM"},
                                    {AIK_ENOENT, "ENOENT"},
                                    {AIK_EIO, "EIO"},
                                    {AIK_ENOEXEC, "ENOEXEC"},
                                    {AIK_EBADF, "EBADF"},
                                    {AIK_EAGAIN, "EAGAIN"},
                                    {AIK_ENOMEM, "ENOMEM"},
                                    {AIK_EACCES, "EACCES"},
                                    {AIK_EFAULT, "EFAULT"},
                                    {AIK_EBUSY, "EBUSY"},
                                    {AIK_EEXIST, "EEXIST"},
                                    {AIK_ENODEV, "ENODEV"},
                                    {AIK_EINVAL, "EINVAL"},
                                    {AIK_EMFILE, "EMFILE"},
                                    {AIK_ENOSPC, "ENOSPC"},
                                    {AIK_ERANGE, "ERANGE"},
                                    {AIK_ENOSYS, "ENOSYS"},
                                    {AIK_EBADMSG, "EBADMSG"},
                                    {AIK_EOPNOTSUPP, "EOPNOTSUPP"},
                                    {AIK_ETIMEDOUT, "ETIMEDOUT"},
                                    {AIK_EOWNERDEAD, "EOWNERDEAD"}};

const char *nameOfError(int32_t code) {
  for (const ErrorName &entry : errorNames)
    if (entry.code == code)
      return entry.name;
  return nullptr;
}

int32_t record(int64_t backendCode, int32_t code, const char *format,
               va_list arguments) {
  ThreadState &state = threadState();
  FaultRecord &record = state.record;
  vsnprintf(record.message, sizeof(record.message), format, arguments);
  aik_fault &fault = record.fault;
  memset(&fault, 0, sizeof(fault));
  AIK_INIT(&fault);
  fault.code = code;
  fault.number = state.callNumber ? state.callNumber - 1 : AIK_NO_NUMBER;
  fault.backend_code = backendCode;
  fault.device = AIK_NO_DEVICE;
  memcpy(fault.text, record.message, sizeof(fault.text) - 1);
  ++state.failures;
  return -code;
}
} // namespace

ThreadState &aik::threadState() {
  static thread_local ThreadState state;
  return state;
}

int32_t aik::fail(int32_t code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int32_t status = record(0, code, format, arguments);
  va_end(arguments);
  return status;
}

int32_t aik::failWith(int64_t backendCode, int32_t code, const char *format,
                      ...) {
  va_list arguments;
  va_start(arguments, format);
  int32_t status = record(backendCode, code ? code : errorFromSys(backendCode),
                          format, arguments);
  va_end(arguments);
  return status;
}

int32_t aik::failAgain(const FaultRecord &record) {
  ThreadState &state = threadState();
  state.record = record;
  ++state.failures;
  return -record.fault.code;
}

int32_t aik::errorFromSys(int64_t status) {
  int32_t code = int32_t(status < 0 ? -status : status);
  return nameOfError(code) ? code : AIK_EIO;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

int32_t aik_fault_read(aik_fault *out) {
  const aik_fault &fault = threadState().record.fault;
  if (out) {
    *out = fault;
    AIK_INIT(out);
  }
  return fault.code;
}

const char *aik_fault_message(void) { return threadState().record.message; }

void aik_fault_clear(void) {
  memset(&threadState().record, 0, sizeof(FaultRecord));
}

const char *aik_error_name(int32_t code) {
  const char *name = nameOfError(code < 0 ? -code : code);
  return name ? name : "E?";
}

uint64_t aik_name_hash(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; name && *name; ++name)
    hash = (hash ^ uint8_t(*name)) * 0x100000001b3u;
  return hash;
}
