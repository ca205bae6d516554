//===- ArtifactReader.cpp - The container and the hashes ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the ELF container strictly: sections in order, without gaps but for
// zeros up to the alignment, the section header table last and nothing after
// it; only images may share their bytes, all of them. Then checks the hashes,
// then hands the metadata on.
//
//===----------------------------------------------------------------------===//

#include "Core/ArtifactReader.h"

#include "Core/ElfFormat.h"
#include "Core/Sha256.h"
#include "Core/Status.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

static_assert(sizeof(aik_meta_header) == 64, "part of the format");
static_assert(sizeof(aik_meta_image) == 64, "part of the format");
static_assert(sizeof(aik_meta_function) == 16, "part of the format");
static_assert(sizeof(aik_meta_value) == 280, "part of the format");

namespace {
constexpr uint32_t fixedSections = 3; // null, .aik.meta, .shstrtab

int32_t damaged(const char *what) {
  return fail(AIK_EBADMSG, "the artifact is damaged: %s", what);
}

/// Walks the sections in file order.
class ContainerReader {
public:
  ContainerReader(const uint8_t *bytes, uint64_t byteCount)
      : bytes(bytes), byteCount(byteCount), cursor(bytes, byteCount) {}

  int32_t read(ArtifactView &out) {
    if (int32_t status = checkArtifactHeader(bytes, byteCount))
      return status;
    header = cursor.takeOne<elf::Header>();
    if (int32_t status = findSections())
      return status;
    const uint8_t *meta = nullptr;
    if (int32_t status =
            takeSection(1, elf::sectionBits, AIK_SECTION_ALIGNMENT, meta))
      return status;
    if (int32_t status = checkMetaHash(meta, sections[1].bytes))
      return status;
    uint32_t imageCount = header->sectionCount - fixedSections;
    for (uint32_t i = 0; i < imageCount; ++i)
      if (int32_t status = takeImage(i, out))
        return status;
    if (int32_t status = checkNames())
      return status;
    if (int32_t status = readMetadata(meta, sections[1].bytes, out))
      return status;
    return checkImages(imageCount, out);
  }

private:
  /// The section header table has to be the end of the file.
  int32_t findSections() {
    uint64_t tableBytes =
        uint64_t(header->sectionCount) * sizeof(elf::SectionHeader);
    uint64_t end = 0;
    if (__builtin_add_overflow(header->sectionHeaders, tableBytes, &end) ||
        header->sectionHeaders % 8 != 0 || end != byteCount)
      return damaged("its section table is not at the end of the file, or the "
                     "file is truncated");
    sections = reinterpret_cast<const elf::SectionHeader *>(
        bytes + header->sectionHeaders);
    static constexpr elf::SectionHeader empty = {};
    if (memcmp(&sections[0], &empty, sizeof(empty)) != 0)
      return damaged("its first section is not empty");
    return 0;
  }

  /// The first image whose section begins and ends where that of `image` does;
  /// `image` itself when it has bytes of its own.
  uint32_t firstWithBytesOf(uint32_t image) const {
    const elf::SectionHeader &section = sections[2 + image];
    for (uint32_t i = 0; i < image; ++i)
      if (sections[2 + i].offset == section.offset &&
          sections[2 + i].bytes == section.bytes)
        return i;
    return image;
  }

  /// Bytes of its own come next in the file; those of an earlier image have
  /// been taken and lie inside it.
  int32_t takeImage(uint32_t image, ArtifactView &out) {
    uint32_t first = firstWithBytesOf(image);
    if (first == image)
      return takeSection(2 + image, elf::sectionBits, AIK_SECTION_ALIGNMENT,
                         out.imageBytes[image]);
    out.imageBytes[image] = out.imageBytes[first];
    return checkSection(2 + image, elf::sectionBits, AIK_SECTION_ALIGNMENT);
  }

  int32_t checkSection(uint32_t index, uint32_t type, uint64_t alignment) {
    const elf::SectionHeader &section = sections[index];
    if (section.type != type || section.flags || section.address ||
        section.link || section.info || section.entryBytes ||
        section.alignment != alignment)
      return fail(AIK_EBADMSG,
                  "the artifact is damaged: section %u has a wrong type, flag "
                  "or alignment",
                  index);
    return 0;
  }

  int32_t takeSection(uint32_t index, uint32_t type, uint64_t alignment,
                      const uint8_t *&out) {
    if (int32_t status = checkSection(index, type, alignment))
      return status;
    const elf::SectionHeader &section = sections[index];
    if (!cursor.skipZerosTo(alignment) || section.offset != cursor.position() ||
        section.bytes > header->sectionHeaders ||
        !(out = cursor.take(section.bytes)))
      return fail(AIK_EBADMSG,
                  "the artifact is damaged: section %u is out of range or out "
                  "of order",
                  index);
    return 0;
  }

  int32_t checkMetaHash(const uint8_t *meta, uint64_t metaBytes) {
    constexpr size_t hashAt = offsetof(aik_meta_header, meta_sha256);
    constexpr uint8_t zeros[Sha256::digestBytes] = {};
    if (metaBytes < sizeof(aik_meta_header))
      return damaged("its metadata is too short");
    uint8_t digest[Sha256::digestBytes];
    Sha256 sha;
    sha.add(meta, hashAt);
    sha.add(zeros, sizeof(zeros));
    sha.add(meta + hashAt + sizeof(zeros), metaBytes - hashAt - sizeof(zeros));
    sha.finish(digest);
    if (memcmp(digest, meta + hashAt, sizeof(digest)) != 0)
      return damaged("the hash of its metadata does not match");
    return 0;
  }

  /// The name table is what the writer writes: "", .aik.meta, the images,
  /// .shstrtab, in this order.
  int32_t checkNames() {
    uint32_t last = header->sectionCount - 1u;
    const uint8_t *names = nullptr;
    if (int32_t status = takeSection(last, elf::sectionStrings,
                                     AIK_SECTION_ALIGNMENT, names))
      return status;
    uint64_t namesBytes = sections[last].bytes;
    if (!cursor.skipZerosTo(8) ||
        cursor.remaining() !=
            uint64_t(header->sectionCount) * sizeof(elf::SectionHeader))
      return damaged("bytes lie between its sections and its section table");
    uint64_t at = 0;
    for (uint32_t i = 0; i <= last; ++i) {
      char wanted[32] = "";
      if (i == 1)
        snprintf(wanted, sizeof(wanted), "%s", AIK_META_SECTION);
      else if (i == last)
        snprintf(wanted, sizeof(wanted), ".shstrtab");
      else if (i > 1)
        snprintf(wanted, sizeof(wanted), "%s%u", AIK_IMAGE_SECTION_PREFIX,
                 i - 2);
      size_t wantedBytes = strlen(wanted) + 1;
      if (sections[i].name != at || wantedBytes > namesBytes - at ||
          memcmp(names + at, wanted, wantedBytes) != 0)
        return fail(AIK_EBADMSG,
                    "the artifact is damaged: section %u is not named '%s'", i,
                    wanted);
      at += wantedBytes;
    }
    if (at != namesBytes)
      return damaged("its section names have bytes left over");
    return 0;
  }

  int32_t checkImages(uint32_t imageCount, const ArtifactView &view) {
    if (view.header->image_count != imageCount)
      return fail(AIK_EBADMSG,
                  "the artifact is damaged: its metadata names %u images, the "
                  "file has %u",
                  view.header->image_count, imageCount);
    for (uint32_t i = 0; i < imageCount; ++i) {
      if (view.images[i].size != sections[2 + i].bytes)
        return fail(AIK_EBADMSG,
                    "the artifact is damaged: image %u has %llu bytes, its "
                    "section %llu",
                    i, (unsigned long long)view.images[i].size,
                    (unsigned long long)sections[2 + i].bytes);
      // Bytes that images share are hashed once, however often they are named.
      uint32_t first = firstWithBytesOf(i);
      uint8_t digest[Sha256::digestBytes];
      if (first == i)
        Sha256::hash(view.imageBytes[i], view.images[i].size, digest);
      else
        memcpy(digest, view.images[first].sha256, sizeof(digest));
      if (memcmp(digest, view.images[i].sha256, sizeof(digest)) != 0)
        return fail(AIK_EBADMSG,
                    "the artifact is damaged: the hash of image %u ('%s') "
                    "does not match",
                    i, view.string(view.images[i].target));
    }
    return 0;
  }

  const uint8_t *bytes;
  uint64_t byteCount;
  Cursor cursor;
  const elf::Header *header = nullptr;
  const elf::SectionHeader *sections = nullptr;
};
} // namespace

int32_t aik::checkArtifactHeader(const uint8_t *bytes, uint64_t byteCount) {
  if (byteCount < sizeof(elf::Header))
    return fail(AIK_ENOEXEC, "not an artifact: the file has %llu bytes",
                (unsigned long long)byteCount);
  elf::Header header;
  memcpy(&header, bytes, sizeof(header));
  if (memcmp(header.ident, elf::ident, sizeof(elf::ident)) != 0)
    return fail(AIK_ENOEXEC, "not an artifact: it does not open with the "
                             "header of a little-endian ELF64 file");
  if (header.type != elf::typeNone || header.machine != 0)
    return fail(AIK_ENOEXEC,
                "not an artifact: an ELF file of type %u for machine %u (an "
                ".aikx has 0 and 0)",
                header.type, header.machine);
  if (header.version != 1 || header.entry || header.programHeaders ||
      header.flags || header.headerBytes != sizeof(elf::Header) ||
      header.programHeaderBytes || header.programHeaderCount ||
      header.sectionHeaderBytes != sizeof(elf::SectionHeader))
    return damaged("a field of its ELF header has a wrong value");
  if (header.sectionCount < fixedSections ||
      header.sectionCount > AIK_MAX_IMAGES + fixedSections ||
      header.nameSection != header.sectionCount - 1)
    return fail(AIK_EBADMSG,
                "the artifact is damaged: it has %u sections, %u to %u are "
                "possible, and the last holds their names",
                header.sectionCount, fixedSections,
                AIK_MAX_IMAGES + fixedSections);
  return 0;
}

int32_t aik::readArtifact(const uint8_t *bytes, uint64_t byteCount,
                          ArtifactView &out) {
  if (byteCount > AIK_MAX_ARTIFACT_BYTES)
    return fail(AIK_EBADMSG,
                "the file has %llu bytes, an artifact at most %llu",
                (unsigned long long)byteCount,
                (unsigned long long)AIK_MAX_ARTIFACT_BYTES);
  return ContainerReader(bytes, byteCount).read(out);
}
