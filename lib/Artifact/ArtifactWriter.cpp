//===- ArtifactWriter.cpp - Writes .aikx files ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays the tables and sections out, hashes them, and then reads the result
// with the runtime's own reader: what it refuses is never written.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Artifact/ArtifactWriter.h"

#include "AIKernel-c/Runtime.h"
#include "Core/ArtifactReader.h"
#include "Core/ElfFormat.h"
#include "Core/Sha256.h"

#include <cstring>
#include <map>

using namespace aik;

namespace {
/// Names, each stored once; offset 0 is the empty one.
class StringTable {
public:
  uint32_t add(const std::string &name) {
    auto [entry, isNew] = offsets.emplace(name, uint32_t(bytes.size()));
    if (isNew)
      bytes.append(name.c_str(), name.size() + 1);
    return entry->second;
  }
  std::string bytes = std::string(1, '\0');

private:
  std::map<std::string, uint32_t> offsets = {{"", 0}};
};

template <typename T>
void append(std::string &out, const T &record) {
  out.append(reinterpret_cast<const char *>(&record), sizeof(record));
}

void alignTo(std::string &out, size_t alignment) {
  out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
}

class Writer {
public:
  Writer(const ArtifactDescription &description, std::string &error)
      : description(description), error(error) {}

  bool write(std::string &out) {
    if (!checkCounts())
      return false;
    std::string meta = metadata();
    out = container(meta);
    return reread(out);
  }

private:
  bool refuse(const std::string &sentence) {
    error = sentence;
    return false;
  }

  bool checkName(const std::string &name, const std::string &what) {
    if (name.size() > AIK_MAX_NAME)
      return refuse(what + " has a name of " + std::to_string(name.size()) +
                    " characters, " + std::to_string(AIK_MAX_NAME) +
                    " are possible");
    if (name.find('\0') != std::string::npos)
      return refuse(what + " has a NUL in its name");
    return true;
  }

  bool checkValues(const ArtifactFunction &function,
                   const std::vector<ArtifactValue> &values, const char *what) {
    if (values.size() > AIK_MAX_FUNCTION_VALUES)
      return refuse("function '" + function.name + "' has " +
                    std::to_string(values.size()) + " " + what + "s, " +
                    std::to_string(AIK_MAX_FUNCTION_VALUES) + " are possible");
    for (const ArtifactValue &value : values) {
      std::string title = std::string(what) + " '" + value.name + "' of '" +
                          function.name + "'";
      if (!checkName(value.name, title))
        return false;
      if (value.dims.size() > AIK_MAX_RANK)
        return refuse(title + " has rank " + std::to_string(value.dims.size()) +
                      ", " + std::to_string(AIK_MAX_RANK) + " is the most");
    }
    return true;
  }

  /// What has to hold before the tables can be laid out; the rest is left to
  /// the reader.
  bool checkCounts() {
    if (description.images.size() > AIK_MAX_IMAGES)
      return refuse(std::to_string(description.images.size()) +
                    " images are more than an artifact may have (" +
                    std::to_string(AIK_MAX_IMAGES) + ")");
    if (description.functions.size() > AIK_MAX_FUNCTIONS)
      return refuse(std::to_string(description.functions.size()) +
                    " functions are more than an artifact may have (" +
                    std::to_string(AIK_MAX_FUNCTIONS) + ")");
    uint64_t bytes = 0;
    for (const ArtifactImage &image : description.images) {
      if (!checkName(image.target, "an image"))
        return false;
      bytes += image.bytes.size();
    }
    if (bytes > AIK_MAX_ARTIFACT_BYTES / 2)
      return refuse("the images have " + std::to_string(bytes) +
                    " bytes, too many for an artifact");
    size_t values = 0;
    for (const ArtifactFunction &function : description.functions) {
      if (!checkName(function.name, "a function") ||
          !checkValues(function, function.arguments, "argument") ||
          !checkValues(function, function.results, "result"))
        return false;
      values += function.arguments.size() + function.results.size();
    }
    if (values > AIK_MAX_VALUES)
      return refuse(std::to_string(values) +
                    " arguments and results are more than an artifact may "
                    "have (" +
                    std::to_string(AIK_MAX_VALUES) + ")");
    return true;
  }

  aik_meta_value metaValue(const ArtifactValue &value) {
    aik_meta_value record = {};
    record.name = strings.add(value.name);
    record.dtype = value.dtype;
    record.rank = uint32_t(value.dims.size());
    record.flags = value.flags;
    record.donates = value.donates;
    for (size_t d = 0; d < value.dims.size(); ++d) {
      record.dims[d] = value.dims[d].size;
      record.min[d] = value.dims[d].min;
      record.max[d] = value.dims[d].max;
      record.multiple_of[d] = value.dims[d].multipleOf;
    }
    return record;
  }

  std::string metadata() {
    aik_meta_header header = {};
    memcpy(header.magic, AIK_META_MAGIC, sizeof(header.magic));
    header.version = AIK_META_VERSION;
    header.entry_abi = AIK_ENTRY_ABI_VERSION;
    header.image_count = uint32_t(description.images.size());
    header.function_count = uint32_t(description.functions.size());

    std::string images, functions, values;
    for (const ArtifactImage &image : description.images) {
      aik_meta_image record = {};
      record.kind = image.kind;
      record.arch = image.arch;
      record.features = image.features;
      record.size = image.bytes.size();
      record.target = strings.add(image.target);
      record.rank = image.rank;
      Sha256::hash(image.bytes.data(), image.bytes.size(), record.sha256);
      append(images, record);
    }
    for (const ArtifactFunction &function : description.functions) {
      aik_meta_function record = {};
      record.name = strings.add(function.name);
      record.first_value = header.value_count;
      record.arg_count = uint32_t(function.arguments.size());
      record.result_count = uint32_t(function.results.size());
      append(functions, record);
      for (const ArtifactValue &value : function.arguments)
        append(values, metaValue(value));
      for (const ArtifactValue &value : function.results)
        append(values, metaValue(value));
      header.value_count += record.arg_count + record.result_count;
    }
    header.string_bytes = uint32_t(strings.bytes.size());

    std::string meta;
    append(meta, header);
    meta += images + functions + values + strings.bytes;
    Sha256::hash(meta.data(), meta.size(),
                 reinterpret_cast<uint8_t *>(&meta[0]) +
                     offsetof(aik_meta_header, meta_sha256));
    return meta;
  }

  /// The first image with the bytes of this one.
  size_t firstImageLike(size_t index) {
    const std::string &bytes = description.images[index].bytes;
    size_t first = 0;
    while (description.images[first].bytes != bytes)
      ++first;
    return first;
  }

  std::string container(const std::string &meta) {
    constexpr size_t firstImageSection = 2; // after the null one and .aik.meta
    std::string out(sizeof(elf::Header), '\0');
    std::string names(1, '\0');
    std::vector<elf::SectionHeader> sections(1);
    auto addName = [&](const std::string &name) {
      uint32_t offset = uint32_t(names.size());
      names.append(name.c_str(), name.size() + 1);
      return offset;
    };
    auto addSection = [&](const std::string &name, uint32_t type) {
      alignTo(out, AIK_SECTION_ALIGNMENT);
      elf::SectionHeader section = {};
      section.name = addName(name);
      section.type = type;
      section.offset = out.size();
      section.alignment = AIK_SECTION_ALIGNMENT;
      sections.push_back(section);
    };
    auto addBytes = [&](const std::string &bytes) {
      sections.back().bytes = bytes.size();
      out += bytes;
    };
    addSection(AIK_META_SECTION, elf::sectionBits);
    addBytes(meta);
    for (size_t i = 0; i < description.images.size(); ++i) {
      std::string name = AIK_IMAGE_SECTION_PREFIX + std::to_string(i);
      size_t first = firstImageLike(i);
      if (first == i) {
        addSection(name, elf::sectionBits);
        addBytes(description.images[i].bytes);
        continue;
      }
      elf::SectionHeader shared = sections[firstImageSection + first];
      shared.name = addName(name);
      sections.push_back(shared);
    }
    addSection(".shstrtab", elf::sectionStrings);
    addBytes(names);
    alignTo(out, 8);

    elf::Header header = {};
    memcpy(header.ident, elf::ident, sizeof(header.ident));
    header.version = 1;
    header.sectionHeaders = out.size();
    header.headerBytes = sizeof(elf::Header);
    header.sectionHeaderBytes = sizeof(elf::SectionHeader);
    header.sectionCount = uint16_t(sections.size());
    header.nameSection = uint16_t(sections.size() - 1);
    memcpy(&out[0], &header, sizeof(header));
    for (const elf::SectionHeader &section : sections)
      append(out, section);
    return out;
  }

  bool reread(const std::string &out) {
    std::vector<uint64_t> aligned((out.size() + 7) / 8);
    memcpy(aligned.data(), out.data(), out.size());
    ArtifactView view;
    if (readArtifact(reinterpret_cast<const uint8_t *>(aligned.data()),
                     out.size(), view) != 0)
      return refuse(aik_fault_message());
    return true;
  }

  const ArtifactDescription &description;
  std::string &error;
  StringTable strings;
};
} // namespace

bool aik::writeArtifact(const ArtifactDescription &description,
                        std::string &out, std::string &error) {
  out.clear();
  error.clear();
  std::string bytes;
  if (!Writer(description, error).write(bytes))
    return false;
  out.swap(bytes);
  return true;
}
