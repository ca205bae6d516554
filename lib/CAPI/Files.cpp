//===- Files.cpp - Sources and outputs of the C API -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: text in memory or in a file. Out: sources; and outputs back into memory
// or a file.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace aikernel;
using llvm::StringRef;
using llvm::Twine;

/// Larger programs are refused: weights do not belong into them.
static constexpr uint64_t kMaxSourceBytes = 256u << 20;

aik_error *aik_source_from_memory(const char *text, size_t byte_count,
                                  const char *name, aik_source **source) {
  return guard([&]() -> aik_error * {
    if (!source)
      return makeError(Code::BadValue, "the place for the source is NULL");
    *source = nullptr;
    if (!text && byte_count)
      return makeError(Code::BadValue, "the text is NULL");
    if (byte_count > kMaxSourceBytes)
      return makeError(Code::CannotRead, "the text is larger than 256 MiB");
    *source = new aik_source{std::string(text ? text : "", byte_count),
                             name ? name : "<memory>"};
    return nullptr;
  });
}

aik_error *aik_source_from_file(const char *path, aik_source **source) {
  return guard([&]() -> aik_error * {
    if (!source)
      return makeError(Code::BadValue, "the place for the source is NULL");
    *source = nullptr;
    if (!path)
      return makeError(Code::BadValue, "the path is NULL");
    // A device may have no end.
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(path, status) &&
        !llvm::sys::fs::is_regular_file(status))
      return makeError(Code::CannotRead,
                       Twine(path) + " is not a regular file");
    if (status.getSize() > kMaxSourceBytes)
      return makeError(Code::CannotRead,
                       Twine(path) + " is larger than 256 MiB");
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer)
      return makeError(Code::CannotRead, Twine(path) + " cannot be read: " +
                                             buffer.getError().message());
    *source = new aik_source{(*buffer)->getBuffer().str(), path};
    return nullptr;
  });
}

void aik_source_destroy(aik_source *source) { delete source; }

const void *aik_output_bytes(const aik_output *output) {
  return output ? output->bytes.data() : nullptr;
}

size_t aik_output_size(const aik_output *output) {
  return output ? output->bytes.size() : 0;
}

aik_error *aik_output_write_file(const aik_output *output, const char *path) {
  return guard([&]() -> aik_error * {
    if (!output || !path)
      return makeError(Code::BadValue, "the output or the path is NULL");
    auto fail = [&](llvm::Error error) {
      return makeError(Code::CannotWrite, Twine(path) + " cannot be written: " +
                                              llvm::toString(std::move(error)));
    };
    auto file = llvm::sys::fs::TempFile::create(Twine(path) + ".%%%%%%%%",
                                                llvm::sys::fs::all_read |
                                                    llvm::sys::fs::all_write);
    if (!file)
      return fail(file.takeError());
    llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream << output->bytes;
    stream.flush();
    if (std::error_code code = stream.error()) {
      stream.clear_error();
      llvm::consumeError(file->discard());
      return fail(llvm::errorCodeToError(code));
    }
    if (llvm::Error error = file->keep(path)) {
      llvm::consumeError(file->discard());
      return fail(std::move(error));
    }
    return nullptr;
  });
}

void aik_output_destroy(aik_output *output) { delete output; }
