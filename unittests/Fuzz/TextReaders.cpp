//===- TextReaders.cpp - Fuzzes benchmark reports and command lines -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are text that people and other programs write.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "Inputs.h"
#include "Json.h"
#include "Options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aikfuzz {
namespace {

Bytes bytesOf(const char *text) {
  return Bytes(text, text + std::strlen(text));
}

class JsonReader : public Reader {
public:
  Bytes make(uint64_t index) override {
    Random random(index * 2 + 0x5000000001);
    Bytes bytes = bytesOf(
        "{\"format\": \"aik-bench\", \"version\": 1, \"results\": [\n"
        "  {\"function\": \"f\\u0041\\n\", \"shapes\": \"f32[2x3]\",\n"
        "   \"samples_s\": [1.5e-6, 2e-06, 0, 3.25], \"x\": [[], {}, null]},\n"
        "  {\"function\": \"g\", \"ok\": true, \"no\": false}]}\n");
    mutateText(random, bytes,
               {"{", "}", "[", "]", ",", ":", "\"", "\\u00", "\\", "1e999", "-",
                "nul", "true", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                "\"results\":", "0x1", "+1", "\n", "NaN"});
    if (random.oneIn(2))
      mutate(random, bytes, 0, bytes.size(), random.oneIn(2));
    return bytes;
  }

  bool read(const Bytes &input, uint64_t) override {
    aikrun::JsonValue value;
    std::string problem;
    bool accepted = aikrun::parseJson(std::string(input.begin(), input.end()),
                                      value, problem);
    if (accepted == !problem.empty()) {
      std::fprintf(stderr, "fuzz-readers: JSON refused without a reason\n");
      std::abort();
    }
    return accepted;
  }
};

class CommandLineReader : public Reader {
public:
  Bytes make(uint64_t index) override {
    static const char *const pieces[] = {"a.aikx",
                                         "compare",
                                         "--input",
                                         "x=@a.npy",
                                         "x=random:1",
                                         "x=random:1:2x3:0..5",
                                         "x=zeros:",
                                         "x=full:-1.5e3:4",
                                         "--output",
                                         "y=@o.npy",
                                         "--function",
                                         "f",
                                         "--bench",
                                         "--repeat",
                                         "30",
                                         "--warmup=0",
                                         "-o",
                                         "md",
                                         "--verify=ref",
                                         "--rtol",
                                         "1e-3",
                                         "--guard",
                                         "--cases",
                                         "-",
                                         "--list",
                                         "--threads",
                                         "2",
                                         "--seed=18446744073709551615",
                                         "--max-memory=4G",
                                         "--",
                                         "",
                                         "--isa=reference",
                                         "--device=null"};
    Random random(index * 2 + 0x7000000001);
    std::string text;
    for (uint64_t i = 0, n = 1 + random.below(8); i < n; ++i)
      text += std::string(i ? "\n" : "") +
              pieces[random.below(sizeof pieces / sizeof *pieces)];
    Bytes bytes(text.begin(), text.end());
    if (random.oneIn(2))
      mutateText(random, bytes,
                 {"=", "-", ":", "x", "..", "@", "1", "9999999"});
    if (random.oneIn(4))
      mutate(random, bytes, 0, bytes.size(), random.oneIn(2));
    return bytes;
  }

  bool read(const Bytes &input, uint64_t) override {
    // The words as main gets them: ended by a NUL, none inside.
    std::vector<std::string> words = {"aik-run"};
    words.emplace_back();
    for (uint8_t byte : input)
      if (byte == '\n' || byte == 0)
        words.emplace_back();
      else
        words.back() += static_cast<char>(byte);
    std::vector<const char *> argv;
    for (const std::string &word : words)
      argv.push_back(word.c_str());
    aikrun::Options options;
    aikrun::Error error = aikrun::parseOptions(static_cast<int>(argv.size()),
                                               argv.data(), options);
    if (error &&
        (error.sentence().empty() || aikrun::exitStatus(error.code()) != 2)) {
      std::fprintf(stderr, "fuzz-readers: a command line failed oddly\n");
      std::abort();
    }
    return !error;
  }
};

} // namespace

std::unique_ptr<Reader> makeJsonReader() {
  return std::make_unique<JsonReader>();
}
std::unique_ptr<Reader> makeCommandLineReader() {
  return std::make_unique<CommandLineReader>();
}

} // namespace aikfuzz
