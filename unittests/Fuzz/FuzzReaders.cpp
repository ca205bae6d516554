//===- FuzzReaders.cpp - Gives damaged input to every reader --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: fuzz-readers KIND [SEED.aikx...] [--count N] [--first N] [--dump FILE]
//
// KIND is artifact, cubin, npy, json, cli or all. Inputs are numbered and
// repeatable:
// `--first I --count 1 --dump FILE` makes number I alone and saves it. Built
// with AddressSanitizer and UBSan; prints for each kind
//
//   artifact: 10000 inputs, 1512 accepted, 8488 refused
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

// No size that an input declares may be allocated without a cap.
extern "C" const char *__asan_default_options() {
  return "max_allocation_size_mb=64:detect_leaks=1";
}
extern "C" const char *__ubsan_default_options() {
  return "halt_on_error=1:print_stacktrace=1";
}

namespace {

using namespace aikfuzz;

constexpr unsigned secondsPerInput = 5;
volatile uint64_t currentInput;

void onTimeout(int) {
  char text[128];
  int length = std::snprintf(text, sizeof text,
                             "fuzz-readers: input %llu takes over %u s\n",
                             (unsigned long long)currentInput, secondsPerInput);
  ssize_t ignored = ::write(2, text, static_cast<size_t>(length));
  (void)ignored;
  ::_exit(1);
}

bool readFile(const char *path, Bytes &bytes) {
  FILE *file = std::fopen(path, "rb");
  if (!file)
    return false;
  uint8_t block[65536];
  size_t got;
  while ((got = std::fread(block, 1, sizeof block, file)) != 0)
    bytes.insert(bytes.end(), block, block + got);
  return std::fclose(file) == 0;
}

int usage() {
  std::fprintf(stderr, "usage: fuzz-readers artifact|cubin|npy|json|cli|all "
                       "[SEED.aikx...] [--count N] [--first N] "
                       "[--dump FILE]\n");
  return 2;
}

int run(Reader &reader, const char *kind, uint64_t first, uint64_t count,
        const char *dump) {
  std::signal(SIGALRM, onTimeout);
  uint64_t accepted = 0;
  for (uint64_t i = first; i < first + count; ++i) {
    currentInput = i;
    ::alarm(secondsPerInput);
    Bytes input = reader.make(i);
    if (dump) {
      FILE *file = std::fopen(dump, "wb");
      if (!file ||
          std::fwrite(input.data(), 1, input.size(), file) != input.size() ||
          std::fclose(file) != 0) {
        std::fprintf(stderr, "fuzz-readers: cannot write %s\n", dump);
        return 1;
      }
    }
    accepted += reader.read(input, i);
  }
  ::alarm(0);
  // Flushed: a later kind may end in a report.
  std::printf("%s: %llu inputs, %llu accepted, %llu refused\n", kind,
              (unsigned long long)count, (unsigned long long)accepted,
              (unsigned long long)(count - accepted));
  std::fflush(stdout);
  return 0;
}

} // namespace

aikfuzz::MemoryFile::MemoryFile(const Bytes &bytes)
    : descriptor(::memfd_create("fuzz", MFD_CLOEXEC)) {
  name = "/proc/self/fd/" + std::to_string(descriptor);
  if (descriptor < 0 || ::write(descriptor, bytes.data(), bytes.size()) !=
                            static_cast<ssize_t>(bytes.size())) {
    std::perror("fuzz-readers: memfd");
    std::abort();
  }
}

aikfuzz::MemoryFile::~MemoryFile() { ::close(descriptor); }

int main(int argc, char **argv) {
  if (argc < 2)
    return usage();
  std::string kind = argv[1];
  uint64_t first = 0, count = 10000;
  const char *dump = nullptr;
  std::vector<Bytes> seeds;
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      seeds.emplace_back();
      if (!readFile(argv[i], seeds.back())) {
        std::fprintf(stderr, "fuzz-readers: cannot read %s\n", argv[i]);
        return 1;
      }
      continue;
    }
    if (i + 1 == argc)
      return usage();
    if (word == "--count")
      count = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--first")
      first = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--dump")
      dump = argv[++i];
    else
      return usage();
  }
  bool known = false;
  for (const char *one : {"artifact", "cubin", "npy", "json", "cli"}) {
    if (kind != one && kind != "all")
      continue;
    known = true;
    bool isArtifact = !std::strcmp(one, "artifact");
    if (isArtifact && seeds.empty())
      return usage();
    std::unique_ptr<Reader> reader =
        isArtifact                   ? makeArtifactReader(seeds)
        : !std::strcmp(one, "cubin") ? makeCubinReader()
        : !std::strcmp(one, "npy")   ? makeNpyReader()
        : !std::strcmp(one, "json")  ? makeJsonReader()
                                     : makeCommandLineReader();
    if (int status = run(*reader, one, first, count, dump))
      return status;
  }
  return known ? 0 : usage();
}
