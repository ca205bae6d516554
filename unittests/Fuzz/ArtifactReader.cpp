//===- ArtifactReader.cpp - Fuzzes the .aikx reader -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Even inputs are damaged anywhere. Odd inputs are damaged in the metadata
// only and get a new hash over it, so that they reach the checks behind the
// hash. No hash of an image is ever made anew: code that was changed must be
// refused, and code that runs here is code as it was compiled.
//
// What is accepted is described completely, through the C API and through
// aik-run's own Program, and loaded. Where the signatures are those of the
// seed, f$shape is called. Where they are not, code must not run, because it
// was compiled for others: the call then ends in an argument that is always
// refused, after all others were checked against the damaged signature.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "Program.h"
#include "Shapes.h"

#include "Core/Sha256.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aikfuzz {
namespace {

constexpr uint64_t elfHeaderBytes = 64, sectionHeaderBytes = 64;

uint64_t load64(const Bytes &bytes, uint64_t at) {
  uint64_t value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

/// Where the seed's .aik.meta lies; seeds are sound.
void findMeta(const Bytes &seed, uint64_t &begin, uint64_t &size) {
  uint64_t section = load64(seed, 40) + sectionHeaderBytes;
  begin = load64(seed, section + 24);
  size = load64(seed, section + 32);
}

void hashAgain(Bytes &bytes, uint64_t begin, uint64_t size) {
  constexpr uint64_t hashAt = offsetof(aik_meta_header, meta_sha256);
  uint8_t *hash = &bytes[begin + hashAt];
  std::memset(hash, 0, aik::Sha256::digestBytes);
  uint8_t digest[aik::Sha256::digestBytes];
  aik::Sha256::hash(&bytes[begin], size, digest);
  std::memcpy(hash, digest, sizeof digest);
}

[[noreturn]] void defect(const char *what) {
  std::fprintf(stderr, "fuzz-readers: %s\n", what);
  std::abort();
}

class ArtifactReader : public Reader {
public:
  explicit ArtifactReader(std::vector<Bytes> files) : seeds(std::move(files)) {
    aik_runtime_options options = {};
    AIK_INIT(&options);
    options.threads = 1;
    if (aik_runtime_open(&options, &runtime) < 0 ||
        aik_device_open(runtime, "cpu", &cpu) < 0 ||
        aik_device_open(runtime, "null", &null) < 0)
      defect(aik_fault_message());
    for (const Bytes &seed : seeds)
      if (!readThroughApi(seed, seed))
        defect(aik_fault_message());
  }
  ~ArtifactReader() override { aik_runtime_close(runtime); }

  Bytes make(uint64_t index) override {
    Random random(index * 2 + 1);
    Bytes bytes = seeds[seedOf(index)];
    uint64_t begin, size;
    findMeta(bytes, begin, size);
    if (index % 2) {
      // Small tables are hit as often as the large ones.
      uint64_t from = begin + (random.oneIn(2) ? random.below(size) : 0);
      mutate(random, bytes, from, begin + size, true);
      hashAgain(bytes, begin, size);
      return bytes;
    }
    uint64_t sections = load64(bytes, 40);
    switch (random.below(4)) {
    case 0:
      mutate(random, bytes, 0, elfHeaderBytes, random.oneIn(2));
      break;
    case 1:
      mutate(random, bytes, sections, bytes.size(), random.oneIn(2));
      break;
    case 2:
      mutate(random, bytes, begin, begin + size, random.oneIn(2));
      break;
    case 3:
      mutate(random, bytes, 0, bytes.size(), false);
      break;
    }
    return bytes;
  }

  bool read(const Bytes &input, uint64_t index) override {
    bool accepted = readThroughApi(input, seeds[seedOf(index)]);
    if (index % 8 == 0 || accepted)
      readThroughProgram(input, accepted);
    return accepted;
  }

private:
  uint64_t seedOf(uint64_t index) const { return index / 2 % seeds.size(); }

  bool readThroughApi(const Bytes &input, const Bytes &seed);
  void describe(aik_handle artifact, const aik_artifact_info &info);
  void askShapes(aik_handle artifact, aik_handle device, uint32_t functions,
                 bool soundSignatures);
  void readThroughProgram(const Bytes &input, bool accepted);

  std::vector<Bytes> seeds;
  aik_runtime *runtime = nullptr;
  aik_handle cpu = 0, null = 0;
  uint64_t sink = 0; // makes the reads of image bytes count
};

bool ArtifactReader::readThroughApi(const Bytes &input, const Bytes &seed) {
  aik_handle artifact = 0;
  int32_t status =
      aik_artifact_open_memory(runtime, input.data(), input.size(), &artifact);
  if (status < 0) {
    if (!*aik_fault_message())
      defect("an artifact was refused without a sentence");
    return false;
  }
  aik_artifact_info info = {};
  AIK_INIT(&info);
  if (aik_artifact_describe(runtime, artifact, &info) < 0)
    defect("an accepted artifact cannot be described");
  describe(artifact, info);
  uint64_t begin, size;
  findMeta(seed, begin, size);
  // All but the image table and the hash, which do not describe functions.
  aik_meta_header header;
  std::memcpy(&header, &seed[begin], sizeof header);
  uint64_t counts = offsetof(aik_meta_header, meta_sha256);
  uint64_t tables = begin + sizeof header +
                    sizeof(aik_meta_image) * uint64_t(header.image_count);
  bool sound =
      input.size() == seed.size() &&
      std::memcmp(&input[begin], &seed[begin], counts) == 0 &&
      std::memcmp(&input[tables], &seed[tables], begin + size - tables) == 0;
  askShapes(artifact, null, info.function_count, sound);
  askShapes(artifact, cpu, info.function_count, sound);
  if (aik_artifact_close(runtime, artifact) < 0)
    defect("an artifact cannot be closed");
  return true;
}

void ArtifactReader::describe(aik_handle artifact,
                              const aik_artifact_info &info) {
  for (uint32_t i = 0; i <= info.image_count; ++i) {
    aik_image_info image = {};
    AIK_INIT(&image);
    int32_t status = aik_artifact_image(runtime, artifact, i, &image);
    if ((status < 0) != (i == info.image_count))
      defect("an image is missing, or one too many is described");
    if (status < 0)
      continue;
    sink += std::strlen(image.target);
    for (uint64_t at = 0; at < image.byte_count; at += 61)
      sink += static_cast<const uint8_t *>(image.bytes)[at];
  }
  for (uint32_t i = 0; i < info.function_count; ++i) {
    aik_function_info function = {};
    AIK_INIT(&function);
    if (aik_artifact_function(runtime, artifact, i, &function) < 0 ||
        aik_artifact_find_function(runtime, artifact, function.name) !=
            static_cast<int32_t>(i))
      defect("a function is not found under its own name");
    for (uint32_t j = 0; j < function.arg_count + function.result_count; ++j) {
      aik_value_info value = {};
      AIK_INIT(&value);
      bool isArg = j < function.arg_count;
      int32_t status =
          isArg ? aik_artifact_argument(runtime, artifact, i, j, &value)
                : aik_artifact_result(runtime, artifact, i,
                                      j - function.arg_count, &value);
      if (status < 0 || value.rank > AIK_MAX_RANK || !*value.name)
        defect("a value is described wrongly");
    }
  }
}

void ArtifactReader::askShapes(aik_handle artifact, aik_handle device,
                               uint32_t functions, bool soundSignatures) {
  aik_handle module = 0;
  if (aik_module_load(runtime, artifact, device, nullptr, &module) < 0)
    return;
  for (uint32_t i = 0; i < functions; ++i) {
    aik_function_info function = {};
    AIK_INIT(&function);
    if (aik_artifact_function(runtime, artifact, i, &function) < 0)
      defect("a function is gone");
    std::vector<aik_tensor> args(function.arg_count),
        results(function.result_count);
    int64_t scalar = 1;
    for (uint32_t j = 0; j < function.arg_count; ++j) {
      aik_value_info value = {};
      AIK_INIT(&value);
      if (aik_artifact_argument(runtime, artifact, i, j, &value) < 0)
        defect("an argument is gone");
      args[j].dtype = value.dtype;
      args[j].rank = value.rank;
      args[j].data = value.rank == 0 ? &scalar : nullptr;
      for (uint32_t d = value.rank; d-- != 0;) {
        args[j].dims[d] = value.dims[d] == AIK_DYNAMIC
                              ? (value.min[d] > 0 ? value.min[d] : 17)
                              : value.dims[d];
        args[j].strides[d] = 1;
      }
    }
    if (!soundSignatures) {
      if (args.empty())
        continue;
      args.back().dtype = AIK_DTYPE_COUNT;
    }
    int32_t status =
        aik_function_shape(runtime, module, i, args.data(), function.arg_count,
                           results.data(), function.result_count);
    if (status >= 0 && !soundSignatures)
      defect("an argument of no known type was taken");
  }
  if (aik_module_unload(runtime, module) < 0)
    defect("a module cannot be unloaded");
}

void ArtifactReader::readThroughProgram(const Bytes &input, bool accepted) {
  MemoryFile file(input);
  aikrun::Program program;
  aikrun::Error error = program.open(file.path(), 1);
  if (accepted != !error)
    defect("a file and the same bytes in memory are judged differently");
  if (error)
    return;
  for (const aikrun::Function &function : program.functions()) {
    std::vector<aikrun::Dims> shapes(function.args.size());
    std::vector<bool> fixed(function.args.size(), false);
    uint64_t budget = 200; // refuse so often, then take anything
    aikrun::Error ignored = aikrun::chooseShapes(
        function, fixed, shapes,
        [&](const std::vector<aikrun::Dims> &candidate) {
          for (size_t i = 0; i < candidate.size(); ++i) {
            aikrun::Error refused =
                function.args[i].check(*function.args[i].type, candidate[i]);
            if (refused)
              return refused;
          }
          return budget-- ? aikrun::Error(aikrun::Code::NoShape, "no")
                          : aikrun::Error();
        });
    sink += ignored ? 1 : 0;
  }
}

} // namespace

std::unique_ptr<Reader> makeArtifactReader(std::vector<Bytes> seeds) {
  return std::make_unique<ArtifactReader>(std::move(seeds));
}

} // namespace aikfuzz
