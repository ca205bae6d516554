//===- ArtifactMetadata.cpp - Checks every record of .aik.meta ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the bytes of the section, whose hash matched. That says only
// that they are what somebody wrote: each count, index, name, type, dimension
// and reserved field is checked before it is used.
//
//===----------------------------------------------------------------------===//

#include "Core/ArtifactReader.h"
#include "Core/CpuFeatures.h"
#include "Core/Status.h"

#include <string.h>

using namespace aik;

namespace {
/// No dimension product may come near to overflowing a size.
constexpr int64_t maxTensorBytes = int64_t(1) << 48;

class MetadataReader {
public:
  explicit MetadataReader(ArtifactView &view) : view(view) {}

  int32_t read(const uint8_t *bytes, uint64_t byteCount) {
    if (int32_t status = split(Cursor(bytes, byteCount)))
      return status;
    if (int32_t status = checkStrings())
      return status;
    for (uint32_t i = 0; i < view.header->image_count; ++i)
      if (int32_t status = checkImage(i))
        return status;
    uint32_t nextValue = 0;
    for (uint32_t i = 0; i < view.header->function_count; ++i)
      if (int32_t status = checkFunction(i, nextValue))
        return status;
    if (nextValue != view.header->value_count)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: %u of %u values belong "
                  "to no function",
                  view.header->value_count - nextValue,
                  view.header->value_count);
    return checkFunctionNames();
  }

private:
  int32_t split(Cursor cursor) {
    const auto *header = cursor.takeOne<aik_meta_header>();
    if (!header ||
        memcmp(header->magic, AIK_META_MAGIC, sizeof(header->magic)) != 0)
      return fail(AIK_ENOEXEC, "not an artifact: the metadata does not open "
                               "with " AIK_META_MAGIC);
    if (header->version != AIK_META_VERSION ||
        header->entry_abi != AIK_ENTRY_ABI_VERSION)
      return fail(AIK_EOPNOTSUPP,
                  "the artifact has format %u and entry ABI %u, this runtime "
                  "reads format %u and entry ABI %u",
                  header->version, header->entry_abi, AIK_META_VERSION,
                  AIK_ENTRY_ABI_VERSION);
    if (header->image_count > AIK_MAX_IMAGES ||
        header->function_count > AIK_MAX_FUNCTIONS ||
        header->value_count > AIK_MAX_VALUES ||
        header->string_bytes > AIK_MAX_STRING_BYTES)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: %u images, %u functions, %u values "
                  "and %u bytes of names are more than an artifact may have",
                  header->image_count, header->function_count,
                  header->value_count, header->string_bytes);
    view.header = header;
    view.images = cursor.takeArray<aik_meta_image>(header->image_count);
    view.functions =
        cursor.takeArray<aik_meta_function>(header->function_count);
    view.values = cursor.takeArray<aik_meta_value>(header->value_count);
    view.strings =
        reinterpret_cast<const char *>(cursor.take(header->string_bytes));
    if (!view.images || !view.functions || !view.values || !view.strings ||
        cursor.remaining() != 0)
      return fail(AIK_EBADMSG, "the metadata is wrong: its tables do not fill "
                               "its section exactly");
    return 0;
  }

  int32_t checkStrings() {
    uint32_t bytes = view.header->string_bytes;
    if (bytes == 0 || view.strings[0] != 0 || view.strings[bytes - 1] != 0)
      return fail(AIK_EBADMSG, "the metadata is wrong: its names do not begin "
                               "and end with a NUL");
    // Names are printed, so nothing that a terminal would obey.
    for (uint32_t i = 0; i < bytes; ++i) {
      uint8_t c = uint8_t(view.strings[i]);
      if ((c != 0 && c < 0x20) || c == 0x7f)
        return fail(AIK_EBADMSG,
                    "the metadata is wrong: a name has the control character "
                    "%u",
                    c);
    }
    return 0;
  }

  /// `offset` must be the start of a name that is short enough.
  int32_t checkName(uint32_t offset, bool mayBeEmpty, const char *what,
                    uint32_t index) {
    if (offset >= view.header->string_bytes ||
        (offset > 0 && view.strings[offset - 1] != 0))
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: the name of %s %u is out of range",
                  what, index);
    size_t length = strlen(view.string(offset));
    if (length > AIK_MAX_NAME || (length == 0 && !mayBeEmpty))
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: the name of %s %u has %zu "
                  "characters, 1 to %u are possible",
                  what, index, length, AIK_MAX_NAME);
    return 0;
  }

  /// A processor's number, and for NVIDIA's that it must be that very one.
  static uint64_t deviceFeatures(uint32_t kind) {
    return kind == AIK_IMAGE_HSACO ? 0xffff : 0xffff | AIK_SM_EXACT;
  }

  int32_t checkImage(uint32_t index) {
    const aik_meta_image &image = view.images[index];
    if (image.kind < AIK_IMAGE_HOST || image.kind > AIK_IMAGE_LAUNCHER)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: image %u has the unknown kind %u",
                  index, image.kind);
    bool isDevice =
        image.kind >= AIK_IMAGE_PTX && image.kind <= AIK_IMAGE_HSACO;
    bool archFits =
        isDevice ? image.arch == AIK_ARCH_NONE : elfMachine(image.arch) != 0;
    if (!archFits)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: image %u of kind %s has the "
                  "architecture %u",
                  index, aik_image_kind_name(image.kind), image.arch);
    uint64_t known =
        isDevice ? deviceFeatures(image.kind) : knownFeatures(image.arch);
    if (image.features & ~known)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: image %u has the unknown feature "
                  "bits 0x%llx",
                  index, (unsigned long long)(image.features & ~known));
    if (isDevice && (image.features & 0xffff) == 0)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: image %u of kind %s does not say "
                  "for which processor it is",
                  index, aik_image_kind_name(image.kind));
    if (image.size == 0)
      return fail(AIK_EBADMSG, "the metadata is wrong: image %u is empty",
                  index);
    if (int32_t status = checkName(image.target, false, "image", index))
      return status;
    for (uint32_t i = 0; i < index; ++i)
      if (view.images[i].kind == image.kind &&
          view.images[i].arch == image.arch &&
          strcmp(view.string(view.images[i].target),
                 view.string(image.target)) == 0)
        return fail(AIK_EBADMSG,
                    "the metadata is wrong: images %u and %u are both '%s'", i,
                    index, view.string(image.target));
    return 0;
  }

  int32_t checkFunction(uint32_t index, uint32_t &nextValue) {
    const aik_meta_function &function = view.functions[index];
    if (int32_t status = checkName(function.name, false, "function", index))
      return status;
    if (function.arg_count > AIK_MAX_FUNCTION_VALUES ||
        function.result_count > AIK_MAX_FUNCTION_VALUES)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: function '%s' has %u arguments and "
                  "%u results, %u are possible",
                  view.string(function.name), function.arg_count,
                  function.result_count, AIK_MAX_FUNCTION_VALUES);
    uint32_t count = function.arg_count + function.result_count;
    if (function.first_value != nextValue ||
        count > view.header->value_count - nextValue)
      return fail(AIK_EBADMSG,
                  "the metadata is wrong: the values of function '%s' are out "
                  "of range or out of order",
                  view.string(function.name));
    for (uint32_t i = 0; i < count; ++i)
      if (int32_t status = checkValue(function, i))
        return status;
    if (int32_t status = checkValueNames(function, 0, function.arg_count))
      return status;
    if (int32_t status = checkValueNames(function, function.arg_count, count))
      return status;
    nextValue += count;
    return 0;
  }

  int32_t wrongValue(const aik_meta_function &function, uint32_t index,
                     const char *what) {
    bool isResult = index >= function.arg_count;
    return fail(AIK_EBADMSG, "the metadata is wrong: %s %u of function '%s' %s",
                isResult ? "result" : "argument",
                isResult ? index - function.arg_count : index,
                view.string(function.name), what);
  }

  int32_t checkValue(const aik_meta_function &function, uint32_t index) {
    uint32_t valueIndex = function.first_value + index;
    const aik_meta_value &value = view.values[valueIndex];
    bool isResult = index >= function.arg_count;
    if (int32_t status = checkName(value.name, true, "value", valueIndex))
      return status;
    if (aik_dtype_size(value.dtype) == 0)
      return wrongValue(function, index, "has an unknown element type");
    if (value.rank > AIK_MAX_RANK)
      return wrongValue(function, index, "has a rank above 8");
    if (value.flags & ~uint32_t(AIK_VALUE_ALL_FLAGS) ||
        (isResult && value.flags))
      return wrongValue(function, index, "has a flag it cannot have");
    if (value.flags & AIK_VALUE_DONATED ? value.donates >= function.result_count
                                        : value.donates != 0)
      return wrongValue(function, index,
                        "is donated to a result that is not "
                        "there");
    if (value.reserved != 0)
      return wrongValue(function, index, "has a reserved field that is not 0");
    int64_t bytes = aik_dtype_size(value.dtype);
    for (uint32_t d = 0; d < AIK_MAX_RANK; ++d) {
      if (d >= value.rank) {
        if (value.dims[d] || value.min[d] || value.max[d] ||
            value.multiple_of[d])
          return wrongValue(function, index,
                            "says something about a dimension beyond its rank");
        continue;
      }
      if (value.dims[d] < AIK_DYNAMIC || value.min[d] < 0 ||
          value.max[d] < -1 ||
          (value.max[d] >= 0 && value.max[d] < value.min[d]) ||
          value.multiple_of[d] < 1)
        return wrongValue(function, index,
                          "has an impossible dimension or "
                          "fact");
      if (value.dims[d] > 0 &&
          (__builtin_mul_overflow(bytes, value.dims[d], &bytes) ||
           bytes > maxTensorBytes))
        return wrongValue(function, index, "is too large");
    }
    return 0;
  }

  /// Names of arguments, and names of results, differ within a function.
  int32_t checkValueNames(const aik_meta_function &function, uint32_t begin,
                          uint32_t end) {
    const aik_meta_value *values = view.values + function.first_value;
    for (uint32_t i = begin; i < end; ++i) {
      const char *name = view.string(values[i].name);
      for (uint32_t j = begin; *name && j < i; ++j)
        if (strcmp(name, view.string(values[j].name)) == 0)
          return wrongValue(function, i, "has the name of another one");
    }
    return 0;
  }

  /// Open addressing on the stack: nothing is allocated for a count that a
  /// file declares.
  int32_t checkFunctionNames() {
    constexpr uint32_t slots = 2 * AIK_MAX_FUNCTIONS;
    uint16_t table[slots] = {};
    static_assert(AIK_MAX_FUNCTIONS < 0xffff, "indexes fit");
    for (uint32_t i = 0; i < view.header->function_count; ++i) {
      const char *name = view.string(view.functions[i].name);
      uint64_t at = aik_name_hash(name) % slots;
      for (; table[at]; at = (at + 1) % slots)
        if (strcmp(name, view.string(view.functions[table[at] - 1u].name)) == 0)
          return fail(AIK_EBADMSG,
                      "the metadata is wrong: two functions are named '%s'",
                      name);
      table[at] = uint16_t(i + 1);
    }
    return 0;
  }

  ArtifactView &view;
};
} // namespace

int32_t aik::readMetadata(const uint8_t *bytes, uint64_t byteCount,
                          ArtifactView &out) {
  return MetadataReader(out).read(bytes, byteCount);
}
