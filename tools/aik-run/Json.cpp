//===- Json.cpp - Reading JSON --------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One loop over the text with the open arrays and objects on a stack of its
// own, so that nesting costs no machine stack.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "Error.h"
#include "Numbers.h"

#include <cctype>
#include <cstring>

namespace aikrun {
namespace {

constexpr size_t maxDepth = 32;
// Some 100 bytes each in memory; a run of all benchmarks has 50,000.
constexpr size_t maxValues = 250000;

class Reader {
public:
  explicit Reader(const std::string &text) : text(text) {}

  bool parse(JsonValue &out, std::string &problem);

private:
  void skipBlanks() {
    while (at < text.size() && std::strchr(" \t\r\n", text[at]) && text[at])
      ++at;
  }
  bool accept(char c) {
    skipBlanks();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool word(const char *expected) {
    size_t length = std::strlen(expected);
    if (text.compare(at, length, expected))
      return false;
    at += length;
    return true;
  }
  bool string(std::string &out);
  bool escape(std::string &out);
  bool scalar(JsonValue &value);
  /// After '[', '{' or ',': the name of an object's next member.
  bool memberName(JsonValue &container);

  const std::string &text;
  size_t at = 0;
};

bool Reader::escape(std::string &out) {
  const char *from = "\"\\/bfnrt", *to = "\"\\/\b\f\n\r\t";
  if (at == text.size())
    return false;
  char c = text[at++];
  if (const char *found = std::strchr(from, c); found && c) {
    out += to[found - from];
    return true;
  }
  unsigned code = 0;
  if (c != 'u' || text.size() - at < 4)
    return false;
  for (int i = 0; i < 4; ++i) {
    unsigned char digit = static_cast<unsigned char>(text[at++]);
    if (!std::isxdigit(digit))
      return false;
    code = code * 16 + (digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
  }
  // Our own reports only escape control bytes; others become UTF-8 of the
  // basic plane, surrogates included.
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
  return true;
}

bool Reader::string(std::string &out) {
  if (!accept('"'))
    return false;
  while (at < text.size()) {
    char c = text[at++];
    if (c == '"')
      return true;
    if (static_cast<unsigned char>(c) < 0x20)
      return false;
    if (c != '\\')
      out += c;
    else if (!escape(out))
      return false;
  }
  return false;
}

bool Reader::scalar(JsonValue &value) {
  skipBlanks();
  if (at == text.size())
    return false;
  if (text[at] == '"') {
    value.kind = JsonValue::String;
    return string(value.string);
  }
  if (word("null"))
    return true;
  value.kind = JsonValue::Boolean;
  if (word("true")) {
    value.boolean = true;
    return true;
  }
  if (word("false"))
    return true;
  size_t end = text.find_first_not_of("+-.0123456789eE", at);
  std::string digits = text.substr(at, end - at);
  at += digits.size();
  value.kind = JsonValue::Number;
  return parseDouble(digits, value.number);
}

bool Reader::memberName(JsonValue &container) {
  if (container.kind != JsonValue::Object)
    return true;
  std::string name;
  if (!string(name) || !accept(':'))
    return false;
  container.names.push_back(std::move(name));
  return true;
}

bool Reader::parse(JsonValue &out, std::string &problem) {
  std::vector<JsonValue> open; // the containers around the cursor
  size_t values = 0;
  auto fail = [&](const char *what) {
    problem = format("%s at byte %zu", what, at);
    return false;
  };
  while (true) {
    JsonValue value;
    if (++values > maxValues)
      return fail("too many values");
    bool isArray = accept('['), isObject = !isArray && accept('{');
    if (isArray || isObject) {
      value.kind = isArray ? JsonValue::Array : JsonValue::Object;
      if (open.size() == maxDepth)
        return fail("too deep a nesting");
      if (!accept(isArray ? ']' : '}')) {
        open.push_back(std::move(value));
        if (!memberName(open.back()))
          return fail("no member name");
        continue;
      }
    } else if (!scalar(value)) {
      return fail("no JSON value");
    }
    // A value is complete; so may be the containers that it ends.
    while (true) {
      if (open.empty()) {
        out = std::move(value);
        skipBlanks();
        return at == text.size() || fail("text after the end");
      }
      JsonValue &parent = open.back();
      parent.items.push_back(std::move(value));
      if (accept(',')) {
        if (!memberName(parent))
          return fail("no member name");
        break;
      }
      if (!accept(parent.kind == JsonValue::Array ? ']' : '}'))
        return fail("a missing comma or bracket");
      value = std::move(open.back());
      open.pop_back();
    }
  }
}

} // namespace

const JsonValue *JsonValue::member(const char *name, Kind wanted) const {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name && items[i].kind == wanted)
      return &items[i];
  return nullptr;
}

bool parseJson(const std::string &text, JsonValue &out, std::string &problem) {
  return Reader(text).parse(out, problem);
}

} // namespace aikrun
