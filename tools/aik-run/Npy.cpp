//===- Npy.cpp - Reading and writing .npy files ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is a Python dictionary in text:
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
// read here by one cursor that only moves forward.
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include <cstring>

namespace aikrun {
namespace {

const char magic[] = "\x93NUMPY";
constexpr uint64_t magicBytes = 6;

Error malformed(const std::string &what) {
  return Error(Code::NpyHeader, "the .npy header " + what,
               "write the file with numpy.save");
}

/// The dictionary's text, left to right.
class Cursor {
public:
  Cursor(const char *begin, const char *end) : at(begin), end(end) {}

  bool accept(char c) {
    skipBlanks();
    if (at == end || *at != c)
      return false;
    ++at;
    return true;
  }
  bool done() {
    skipBlanks();
    return at == end;
  }
  bool word(const char *text) {
    skipBlanks();
    size_t length = std::strlen(text);
    if (static_cast<size_t>(end - at) < length || std::memcmp(at, text, length))
      return false;
    at += length;
    return true;
  }
  /// A string without escapes.
  bool string(std::string &out) {
    skipBlanks();
    if (at == end || (*at != '\'' && *at != '"'))
      return false;
    char quote = *at++;
    const char *begin = at;
    while (at != end && *at != quote && *at != '\\' && *at != '\n')
      ++at;
    if (at == end || *at != quote)
      return false;
    out.assign(begin, at++);
    return true;
  }
  bool digits(std::string &out) {
    skipBlanks();
    const char *begin = at;
    while (at != end && *at >= '0' && *at <= '9')
      ++at;
    out.assign(begin, at);
    return at != begin;
  }

private:
  void skipBlanks() {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\t'))
      ++at;
  }
  const char *at, *end;
};

Error parseDescr(Cursor &cursor, NpyHeader &header) {
  std::string text;
  if (!cursor.string(text))
    return Error(Code::NpyType,
                 "the .npy file holds records, not one element "
                 "type",
                 "save one plain array per file");
  uint64_t size = 0;
  bool sound = text.size() == 3 && parseUnsigned(text.substr(2), size);
  char order = sound ? text[0] : 0;
  if (order == '>' && size > 1)
    return Error(Code::NpyType, "the .npy file is big-endian",
                 "save it with astype(a.dtype.newbyteorder('<'))");
  bool known = false;
  for (uint32_t dtype = 0; dtype < AIK_DTYPE_COUNT; ++dtype)
    if (const ElementType *type = elementType(dtype))
      known |= sound && type->npyKind == text[1] && type->size == size;
  if (!known || !(order == '<' || order == '|' || size == 1))
    return Error(Code::NpyType,
                 "the .npy element type " + quoted(text) + " is not supported",
                 "use f4, f8, f2, i1, u1, i2, u2, i4, i8 or b1");
  header.kind = text[1];
  header.size = static_cast<uint32_t>(size);
  return Error();
}

Error parseShapeTuple(Cursor &cursor, NpyHeader &header) {
  if (!cursor.accept('('))
    return malformed("has a shape that is not a tuple");
  bool comma = true;
  while (!cursor.accept(')')) {
    std::string digits;
    int64_t dim;
    if (!comma || !cursor.digits(digits))
      return malformed("has a shape that is not a tuple of sizes");
    if (!parseSigned(digits, dim))
      return Error(Code::NpyShape,
                   "the .npy dimension " + quoted(digits) + " is too large");
    if (header.dims.size() == AIK_MAX_RANK)
      return Error(
          Code::NpyRank,
          format("the .npy array has more than %d dimensions", AIK_MAX_RANK));
    header.dims.push_back(dim);
    comma = cursor.accept(',');
  }
  if (header.dims.size() == 1 && !comma)
    return malformed("has a shape that is a number, not a tuple");
  return Error();
}

Error parseDictionary(Cursor cursor, NpyHeader &header) {
  bool descr = false, order = false, shape = false, comma = true;
  if (!cursor.accept('{'))
    return malformed("does not begin with {");
  while (!cursor.accept('}')) {
    std::string key;
    if (!comma || !cursor.string(key) || !cursor.accept(':'))
      return malformed("is not a dictionary of quoted keys");
    bool *seen = key == "descr"           ? &descr
                 : key == "fortran_order" ? &order
                 : key == "shape"         ? &shape
                                          : nullptr;
    if (!seen)
      return malformed("has the unknown key " + quoted(key));
    if (*seen)
      return malformed("has the key " + quoted(key) + " twice");
    *seen = true;
    if (seen == &descr) {
      if (Error error = parseDescr(cursor, header))
        return error;
    } else if (seen == &shape) {
      if (Error error = parseShapeTuple(cursor, header))
        return error;
    } else if (cursor.word("True")) {
      header.fortranOrder = true;
    } else if (!cursor.word("False")) {
      return malformed("has a fortran_order that is neither True nor False");
    }
    comma = cursor.accept(',');
  }
  if (!cursor.done())
    return malformed("goes on after its closing }");
  if (!descr || !order || !shape)
    return malformed(format("lacks %s", !descr   ? "`descr`"
                                        : !order ? "`fortran_order`"
                                                 : "`shape`"));
  return Error();
}

/// The row-major copy of column-major `source`.
void transposeInto(const uint8_t *source, const Tensor &tensor) {
  size_t rank = tensor.dims.size(), size = tensor.type->size;
  std::vector<uint64_t> index(rank), stride(rank);
  uint64_t step = 1;
  for (size_t i = 0; i < rank; ++i) {
    stride[i] = step;
    step *= static_cast<uint64_t>(tensor.dims[i]);
  }
  uint64_t from = 0;
  for (uint64_t to = 0, count = tensor.elementCount(); to < count; ++to) {
    std::memcpy(tensor.element(to), source + from * size, size);
    for (size_t i = rank; i-- != 0;) {
      from += stride[i];
      if (++index[i] < static_cast<uint64_t>(tensor.dims[i]))
        break;
      from -= stride[i] * static_cast<uint64_t>(tensor.dims[i]);
      index[i] = 0;
    }
  }
}

} // namespace

Error parseNpyHeader(const uint8_t *bytes, uint64_t available,
                     uint64_t fileSize, NpyHeader &header) {
  header = NpyHeader();
  if (available < magicBytes + 4 || std::memcmp(bytes, magic, magicBytes))
    return Error(Code::NotNpy, "this is not an .npy file",
                 "write the file with numpy.save");
  unsigned major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    return Error(Code::NpyVersion,
                 format(".npy version %u.%u is not known", major, minor),
                 "versions 1.0, 2.0 and 3.0 are read");
  uint64_t lengthBytes = major == 1 ? 2 : 4, length = 0;
  uint64_t begin = magicBytes + 2 + lengthBytes;
  if (available < begin)
    return Error(Code::NpyHeaderLength, "the .npy file ends in its header");
  for (uint64_t i = lengthBytes; i-- != 0;)
    length = length << 8 | bytes[magicBytes + 2 + i];
  if (length > fileSize - begin)
    return Error(Code::NpyHeaderLength, "the .npy file ends in its header");
  if (length > npyHeaderCap - begin)
    return Error(Code::NpyHeaderLength,
                 format("the .npy header of %llu bytes is longer than the %llu "
                        "that are read",
                        (unsigned long long)length,
                        (unsigned long long)(npyHeaderCap - begin)));
  const char *text = reinterpret_cast<const char *>(bytes) + begin;
  if (Error error = parseDictionary(Cursor(text, text + length), header))
    return error;
  header.dataOffset = begin + length;
  if (!byteCount(header.dims, header.size, header.dataBytes))
    return Error(Code::NpyShape, "the .npy shape " + shapeText(header.dims) +
                                     " does not fit in the address space");
  if (header.dataBytes != fileSize - header.dataOffset)
    return Error(Code::NpySize,
                 format("the .npy shape %s needs %llu bytes of data and the "
                        "file has %llu",
                        shapeText(header.dims).c_str(),
                        (unsigned long long)header.dataBytes,
                        (unsigned long long)(fileSize - header.dataOffset)));
  return Error();
}

Error readNpy(const std::string &path, const ElementType &type, bool guarded,
              MemoryBudget &budget, Tensor &tensor) {
  InputFile file;
  if (Error error = file.open(path))
    return error;
  std::vector<uint8_t> start(file.size() < npyHeaderCap ? file.size()
                                                        : npyHeaderCap);
  if (Error error = file.read(0, start.data(), start.size()))
    return error;
  NpyHeader header;
  if (Error error =
          parseNpyHeader(start.data(), start.size(), file.size(), header))
    return std::move(error).at(quoted(path));
  if (header.kind != type.npyKind || header.size != type.size)
    return Error(
        Code::TypeMismatch,
        format("%s holds %c%u and %s travels as %c%u", quoted(path).c_str(),
               header.kind, header.size, type.name, type.npyKind, type.size),
        format("convert it to %s before saving",
               type.npyKind == 'u' && type.isFloat ? "the type's bit patterns"
                                                   : "that type"));
  if (Error error =
          Tensor::allocate(type, header.dims, guarded, budget, tensor))
    return std::move(error).at(quoted(path));
  if (!header.fortranOrder || header.dims.size() < 2)
    return file.read(header.dataOffset, tensor.buffer.data(), header.dataBytes);
  Buffer columns;
  if (Error error = Buffer::allocate(header.dataBytes, false, budget, columns))
    return std::move(error).at(quoted(path));
  if (Error error =
          file.read(header.dataOffset, columns.data(), header.dataBytes))
    return error;
  transposeInto(columns.data(), tensor);
  return Error();
}

Error writeNpy(const std::string &path, const Tensor &tensor,
               OutputFile &file) {
  std::string shape;
  for (int64_t dim : tensor.dims)
    shape += std::to_string(dim) + ", ";
  std::string text =
      format("{'descr': '%c%c%u', 'fortran_order': False, 'shape': (%s), }",
             tensor.type->size == 1 ? '|' : '<', tensor.type->npyKind,
             tensor.type->size, shape.c_str());
  // numpy aligns the data to 64 bytes and ends the header with a newline.
  size_t begin = magicBytes + 4;
  text.append((64 - (begin + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string header(magic, magicBytes);
  header += {1, 0, static_cast<char>(text.size() & 0xff),
             static_cast<char>(text.size() >> 8)};
  if (Error error = file.open(path))
    return error;
  for (const std::string *part : {&header, &text})
    if (Error error = file.write(part->data(), part->size()))
      return error;
  return file.write(tensor.buffer.data(), tensor.buffer.size());
}

} // namespace aikrun
