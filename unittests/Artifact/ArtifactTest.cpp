//===- ArtifactTest.cpp - Writing and reading .aikx files -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The writer's output comes back unchanged through the reader; every single
// bit flipped and every truncation is refused; and malformed files made by
// hand, with right hashes, each get their named error.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Runtime.h"
#include "AIKernel/Artifact/ArtifactWriter.h"
#include "Check.h"
#include "Core/ArtifactReader.h"
#include "Core/ElfFormat.h"
#include "Core/Sha256.h"

#include <cstring>
#include <functional>
#include <vector>

using namespace aiktest;

namespace {
/// One image, one function with two arguments and a result; nothing in it is
/// ever executed.
aik::ArtifactDescription small() {
  aik::ArtifactDescription description;
  aik::ArtifactImage image;
  image.arch = AIK_ARCH_AARCH64;
  image.features = 1 << AIK_ARM_DOTPROD;
  image.rank = 3;
  image.target = "cpu:aarch64+dotprod";
  image.bytes = "pretend this is code";
  description.images.push_back(image);
  aik::ArtifactValue value;
  value.name = "x";
  value.dtype = AIK_BF16;
  value.dims.resize(2);
  value.dims[0] = {AIK_DYNAMIC, 1, 4096, 8};
  value.dims[1].size = 64;
  aik::ArtifactFunction function;
  function.name = "f";
  function.arguments.push_back(value);
  value.name = "w";
  value.flags = AIK_VALUE_WEIGHT | AIK_VALUE_DONATED;
  function.arguments.push_back(value);
  value.name = "";
  value.flags = 0;
  function.results.push_back(value);
  description.functions.push_back(function);
  return description;
}

std::string write(const aik::ArtifactDescription &description) {
  std::string bytes, error;
  if (!aik::writeArtifact(description, bytes, error))
    report(__FILE__, __LINE__, error);
  return bytes;
}

/// Reads a copy whose end is the end of an allocation, for ASan.
int32_t read(const std::string &bytes, aik::ArtifactView &view,
             std::vector<uint64_t> &storage) {
  storage.assign((bytes.size() + 8) / 8, 0);
  memcpy(storage.data(), bytes.data(), bytes.size());
  return aik::readArtifact(reinterpret_cast<uint8_t *>(storage.data()),
                           bytes.size(), view);
}

int32_t read(const std::string &bytes) {
  aik::ArtifactView view;
  std::vector<uint64_t> storage;
  return read(bytes, view, storage);
}

void roundTrips() {
  aik::ArtifactDescription description = small();
  std::string bytes = write(description);
  CHECK(bytes == write(small()));
  aik::ArtifactView view;
  std::vector<uint64_t> storage;
  CHECK_EQ(read(bytes, view, storage), 0);
  CHECK_EQ(view.header->image_count, 1);
  CHECK_EQ(view.header->function_count, 1);
  CHECK_EQ(view.header->value_count, 3);
  const aik_meta_image &image = view.images[0];
  CHECK_EQ(image.arch, AIK_ARCH_AARCH64);
  CHECK_EQ(image.features, 2);
  CHECK_EQ(image.rank, 3);
  CHECK_EQ(view.string(image.target), "cpu:aarch64+dotprod");
  CHECK(memcmp(view.imageBytes[0], "pretend this is code", 20) == 0);
  const aik_meta_function &function = view.functions[0];
  CHECK_EQ(view.string(function.name), "f");
  CHECK_EQ(function.arg_count, 2);
  CHECK_EQ(function.result_count, 1);
  const aik_meta_value &x = view.values[0];
  CHECK_EQ(view.string(x.name), "x");
  CHECK_EQ(x.dtype, AIK_BF16);
  CHECK_EQ(x.rank, 2);
  CHECK_EQ(x.dims[0], AIK_DYNAMIC);
  CHECK_EQ(x.min[0], 1);
  CHECK_EQ(x.max[0], 4096);
  CHECK_EQ(x.multiple_of[0], 8);
  CHECK_EQ(x.dims[1], 64);
  CHECK_EQ(x.max[1], -1);
  CHECK_EQ(x.dims[2], 0);
  CHECK_EQ(view.values[1].flags, AIK_VALUE_WEIGHT | AIK_VALUE_DONATED);
  CHECK_EQ(view.string(view.values[2].name), "");
  // An artifact with nothing in it is one, too.
  CHECK_EQ(read(write({})), 0);
}

/// Images 0 and 2 have the same bytes.
aik::ArtifactDescription shared() {
  aik::ArtifactDescription description = small();
  aik::ArtifactImage image = description.images[0];
  image.target = "cpu:aarch64+bf16";
  image.bytes = "and this is other code";
  description.images.push_back(image);
  image = description.images[0];
  image.target = "cpu:aarch64";
  image.features = 0;
  description.images.push_back(image);
  return description;
}

void storesEqualImagesOnce() {
  aik::ArtifactDescription description = shared();
  std::string bytes = write(description);
  aik::ArtifactView view;
  std::vector<uint64_t> storage;
  CHECK_EQ(read(bytes, view, storage), 0);
  CHECK_EQ(view.header->image_count, 3);
  CHECK(view.imageBytes[2] == view.imageBytes[0]);
  CHECK(view.imageBytes[1] != view.imageBytes[0]);
  CHECK(memcmp(view.imageBytes[1], "and this is other code", 22) == 0);
  CHECK_EQ(view.string(view.images[2].target), "cpu:aarch64");
  size_t at = bytes.find("pretend this is code");
  CHECK(at != std::string::npos);
  CHECK(bytes.find("pretend this is code", at + 1) == std::string::npos);
  // A long image that is there twice costs a section header.
  description.images[0].bytes = std::string(100000, 'x');
  description.images[2].bytes = description.images[0].bytes;
  CHECK(write(description).size() < 110000);
}

void writerRefuses() {
  std::string out = "left over", error;
  auto refuse = [&](const aik::ArtifactDescription &description,
                    const char *says) {
    CHECK(!aik::writeArtifact(description, out, error));
    CHECK(out.empty());
    if (error.find(says) == std::string::npos)
      report(__FILE__, __LINE__, "'" + error + "' does not say '" + says + "'");
  };
  aik::ArtifactDescription d = small();
  d.functions[0].name = std::string(256, 'n');
  refuse(d, "256 characters");
  d = small();
  d.functions[0].name = std::string("a\0b", 3);
  refuse(d, "NUL");
  d = small();
  d.functions.push_back(d.functions[0]);
  refuse(d, "two functions are named 'f'");
  d = small();
  d.functions[0].name = "";
  refuse(d, "has 0 characters");
  d = small();
  d.functions[0].arguments[1].name = "x";
  refuse(d, "argument 1 of function 'f' has the name of another one");
  d = small();
  d.functions[0].arguments[0].dims.resize(9);
  refuse(d, "rank 9");
  d = small();
  d.functions[0].arguments[0].dtype = 77;
  refuse(d, "unknown element type");
  d = small();
  d.functions[0].arguments.resize(257);
  refuse(d, "257 arguments");
  d = small();
  d.functions[0].arguments[1].donates = 1;
  refuse(d, "donated to a result that is not there");
  d = small();
  d.functions[0].results[0].flags = AIK_VALUE_WEIGHT;
  refuse(d, "flag it cannot have");
  d = small();
  d.functions[0].arguments[0].dims[0].multipleOf = 0;
  refuse(d, "impossible dimension or fact");
  d = small();
  d.functions[0].arguments[0].dims[1].size = INT64_MAX;
  refuse(d, "too large");
  d = small();
  d.images[0].features = uint64_t(1) << 60;
  refuse(d, "unknown feature bits");
  d = small();
  d.images[0].kind = 9;
  refuse(d, "unknown kind");
  d = small();
  d.images[0].arch = AIK_ARCH_NONE;
  refuse(d, "architecture");
  d = small();
  d.images[0].bytes.clear();
  refuse(d, "is empty");
  d = small();
  d.images.push_back(d.images[0]);
  refuse(d, "are both");
  d = small();
  d.images.assign(65, d.images[0]);
  refuse(d, "65 images");
  d = small();
  d.functions.assign(4097, d.functions[0]);
  refuse(d, "4097 functions");
  d = small();
  d.functions[0].name = "f\x1b[31m";
  refuse(d, "control character");
}

void refusesEveryFlippedBit(const aik::ArtifactDescription &description) {
  std::string good = write(description);
  int accepted = 0;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << bit % 8));
    int32_t status = read(bad);
    bool named = status == -AIK_EBADMSG || status == -AIK_ENOEXEC;
    accepted += !named;
  }
  CHECK_EQ(accepted, 0);
}

void refusesEveryTruncation(const aik::ArtifactDescription &description) {
  std::string good = write(description);
  int accepted = 0;
  for (size_t size = 0; size < good.size(); ++size)
    accepted += read(good.substr(0, size)) == 0;
  accepted += read(good + '\0') == 0;
  accepted += read(good + std::string(64, '\0')) == 0;
  CHECK_EQ(accepted, 0);
}

//===----------------------------------------------------------------------===//
// Malformed by hand
//===----------------------------------------------------------------------===//

/// A file taken apart, to be changed and hashed again.
struct Forgery {
  explicit Forgery(const aik::ArtifactDescription &description = small())
      : bytes(write(description)) {
    table = elfHeader().sectionHeaders;
    metaAt = section(1).offset;
  }
  template <typename T>
  T &at(size_t offset) {
    return *reinterpret_cast<T *>(&bytes[offset]);
  }
  aik::elf::Header &elfHeader() { return at<aik::elf::Header>(0); }
  aik::elf::SectionHeader &section(size_t index) {
    return at<aik::elf::SectionHeader>(table + index * 64);
  }
  aik_meta_header &header() { return at<aik_meta_header>(metaAt); }
  aik_meta_image &image() { return at<aik_meta_image>(metaAt + 64); }
  aik_meta_function &function() { return at<aik_meta_function>(metaAt + 128); }
  aik_meta_value &value(size_t index) {
    return at<aik_meta_value>(metaAt + 144 + index * sizeof(aik_meta_value));
  }
  char *strings() { return &bytes[metaAt + 144 + 3 * sizeof(aik_meta_value)]; }

  std::string bytes;
  size_t table = 0, metaAt = 0;
};

/// Changes a good file, makes its hash right again, and wants the error.
void forge(const char *says, int32_t code,
           const std::function<void(Forgery &)> &change,
           const aik::ArtifactDescription &description = small()) {
  Forgery file(description);
  change(file);
  bool whole = file.bytes.size() > file.table + 128;
  size_t metaBytes = whole ? file.section(1).bytes : 0;
  if (metaBytes >= 64 && file.metaAt + metaBytes <= file.bytes.size()) {
    memset(file.header().meta_sha256, 0, 32);
    uint8_t digest[32];
    aik::Sha256::hash(&file.bytes[file.metaAt], metaBytes, digest);
    memcpy(file.header().meta_sha256, digest, 32);
  }
  CHECK_EQ(read(file.bytes), -code);
  CHECK_SAYS(says);
}

void namesWhatIsMalformed() {
  constexpr int32_t bad = AIK_EBADMSG, notOne = AIK_ENOEXEC;
  // The container.
  forge("not an artifact", notOne, [](Forgery &f) { f.bytes = "#!/bin/sh"; });
  forge("little-endian ELF64", notOne,
        [](Forgery &f) { f.elfHeader().ident[4] = 1; });
  forge("type 3 for machine 0", notOne,
        [](Forgery &f) { f.elfHeader().type = 3; });
  forge("type 0 for machine 62", notOne,
        [](Forgery &f) { f.elfHeader().machine = 62; });
  forge("field of its ELF header", bad,
        [](Forgery &f) { f.elfHeader().programHeaderCount = 1; });
  forge("it has 2 sections", bad,
        [](Forgery &f) { f.elfHeader().sectionCount = 2; });
  forge("it has 65535 sections", bad,
        [](Forgery &f) { f.elfHeader().sectionCount = 0xffff; });
  forge("section table is not at the end", bad,
        [](Forgery &f) { f.elfHeader().sectionHeaders = ~uint64_t(7); });
  forge("first section is not empty", bad,
        [](Forgery &f) { f.section(0).bytes = 1; });
  forge("section 2 has a wrong type", bad,
        [](Forgery &f) { f.section(2).flags = 2; });
  forge("section 2 is out of range or out of order", bad,
        [](Forgery &f) { f.section(2).offset = f.section(1).offset; });
  forge("section 2 is out of range or out of order", bad,
        [](Forgery &f) { f.section(2).bytes = ~uint64_t(0) - 100; });
  forge("section 2 is not named '.aik.image.0'", bad,
        [](Forgery &f) { f.section(2).name = 1; });
  forge("metadata is too short", bad,
        [](Forgery &f) { f.section(1).bytes = 10; });
  // The header of the metadata.
  forge("does not open with AIKXMETA", notOne,
        [](Forgery &f) { f.header().magic[0] = 'B'; });
  forge("format 2 and entry ABI 1", AIK_EOPNOTSUPP,
        [](Forgery &f) { f.header().version = 2; });
  forge("format 1 and entry ABI 9", AIK_EOPNOTSUPP,
        [](Forgery &f) { f.header().entry_abi = 9; });
  forge("more than an artifact may have", bad,
        [](Forgery &f) { f.header().function_count = 0xffffffff; });
  forge("more than an artifact may have", bad,
        [](Forgery &f) { f.header().string_bytes = 0x7fffffff; });
  forge("do not fill its section exactly", bad,
        [](Forgery &f) { f.header().value_count = 60000; });
  forge("do not fill its section exactly", bad,
        [](Forgery &f) { f.header().string_bytes -= 1; });
  forge("do not fill its section exactly", bad,
        [](Forgery &f) { f.header().image_count = 0; });
  // Names.
  forge("begin and end with a NUL", bad,
        [](Forgery &f) { f.strings()[0] = 'a'; });
  forge("name of function 0 is out of range", bad,
        [](Forgery &f) { f.function().name = 1 << 19; });
  forge("name of function 0 is out of range", bad,
        [](Forgery &f) { f.function().name = 3; }); // inside another name
  forge("control character 27", bad, [](Forgery &f) { f.strings()[1] = 27; });
  forge("name of image 0 has 0 characters", bad,
        [](Forgery &f) { f.image().target = 0; });
  // Images.
  forge("image 0 has the unknown kind 0", bad,
        [](Forgery &f) { f.image().kind = 0; });
  forge("image 0 of kind ptx has the architecture 2", bad,
        [](Forgery &f) { f.image().kind = AIK_IMAGE_PTX; });
  forge("unknown feature bits 0x8000000000000000", bad,
        [](Forgery &f) { f.image().features = uint64_t(1) << 63; });
  forge("image 0 has 19 bytes, its section 20", bad,
        [](Forgery &f) { f.image().size = 19; });
  forge("hash of image 0 ('cpu:aarch64+dotprod') does not match", bad,
        [](Forgery &f) { f.image().sha256[5] ^= 1; });
  // Functions and values.
  forge("'f' has 257 arguments", bad,
        [](Forgery &f) { f.function().arg_count = 257; });
  forge("values of function 'f' are out of range", bad,
        [](Forgery &f) { f.function().first_value = 1; });
  forge("values of function 'f' are out of range", bad,
        [](Forgery &f) { f.function().result_count = 2; });
  forge("1 of 3 values belong to no function", bad, [](Forgery &f) {
    f.function().result_count = 0;
    f.value(1).flags = 0;
  });
  forge("argument 0 of function 'f' has an unknown element type", bad,
        [](Forgery &f) { f.value(0).dtype = AIK_DTYPE_COUNT; });
  forge("has an unknown element type", bad,
        [](Forgery &f) { f.value(0).dtype = AIK_DTYPE_NONE; });
  forge("argument 1 of function 'f' has a rank above 8", bad,
        [](Forgery &f) { f.value(1).rank = 9; });
  forge("has a flag it cannot have", bad,
        [](Forgery &f) { f.value(0).flags = 8; });
  forge("result 0 of function 'f' has a flag it cannot have", bad,
        [](Forgery &f) { f.value(2).flags = AIK_VALUE_MUTABLE; });
  forge("donated to a result that is not there", bad,
        [](Forgery &f) { f.value(1).donates = 1; });
  forge("donated to a result that is not there", bad,
        [](Forgery &f) { f.value(0).donates = 1; });
  forge("reserved field that is not 0", bad,
        [](Forgery &f) { f.value(0).reserved = 1; });
  forge("dimension beyond its rank", bad,
        [](Forgery &f) { f.value(0).multiple_of[7] = 1; });
  forge("impossible dimension or fact", bad,
        [](Forgery &f) { f.value(0).dims[0] = -2; });
  forge("impossible dimension or fact", bad,
        [](Forgery &f) { f.value(0).min[0] = 5000; });
  forge("is too large", bad,
        [](Forgery &f) { f.value(0).dims[0] = int64_t(1) << 62; });
}

void namesWhatIsWronglyShared() {
  constexpr int32_t bad = AIK_EBADMSG;
  auto forgeShared = [](const char *says,
                        const std::function<void(Forgery &)> &change) {
    forge(says, bad, change, shared());
  };
  // All of an earlier image's bytes, or bytes of its own.
  forgeShared("section 4 is out of range or out of order",
              [](Forgery &f) { f.section(4).bytes -= 1; });
  forgeShared("section 4 is out of range or out of order",
              [](Forgery &f) { f.section(4).offset += 64; });
  // What nobody names any more may not stay in the file.
  forgeShared("section 5 is out of range or out of order", [](Forgery &f) {
    f.section(3).offset = f.section(2).offset;
    f.section(3).bytes = f.section(2).bytes;
  });
  // Nor may an image share with what is none.
  forgeShared("section 4 is out of range or out of order", [](Forgery &f) {
    f.section(4).offset = f.section(1).offset;
    f.section(4).bytes = f.section(1).bytes;
  });
  forgeShared("section 4 has a wrong type",
              [](Forgery &f) { f.section(4).flags = 2; });
  forgeShared("image 2 has 19 bytes, its section 20", [](Forgery &f) {
    f.at<aik_meta_image>(f.metaAt + 64 + 128).size = 19;
  });
  forgeShared("hash of image 2 ('cpu:aarch64') does not match", [](Forgery &f) {
    f.at<aik_meta_image>(f.metaAt + 64 + 128).sha256[5] ^= 1;
  });
}

void survivesMutatedMetadata() {
  // Random changes with a right hash: any answer but a crash.
  uint64_t state = 42;
  auto next = [&](uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    Forgery f;
    size_t metaBytes = f.section(1).bytes;
    for (uint64_t i = 0, count = 1 + next(3); i < count; ++i)
      f.bytes[f.metaAt + next(metaBytes)] = char(next(256));
    memset(f.header().meta_sha256, 0, 32);
    uint8_t digest[32];
    aik::Sha256::hash(&f.bytes[f.metaAt], metaBytes, digest);
    memcpy(f.header().meta_sha256, digest, 32);
    accepted += read(f.bytes) == 0;
  }
  CHECK(accepted > 0); // renamed things, other facts
  CHECK(accepted < 3000);
}
} // namespace

int main() {
  run("round trips", roundTrips);
  run("writer refuses", writerRefuses);
  run("stores equal images once", storesEqualImagesOnce);
  run("refuses every flipped bit", [] {
    refusesEveryFlippedBit(small());
    refusesEveryFlippedBit(shared());
  });
  run("refuses every truncation", [] {
    refusesEveryTruncation(small());
    refusesEveryTruncation(shared());
  });
  run("names what is malformed", namesWhatIsMalformed);
  run("names what is wrongly shared", namesWhatIsWronglyShared);
  run("survives mutated metadata", survivesMutatedMetadata);
  return finish();
}
