//===- Json.h - Reading JSON ----------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small strict reader for the reports that --bench -o json writes. It does
// not recurse, and refuses what is too deep or too large.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_JSON_H
#define AIK_RUN_JSON_H

#include <string>
#include <utility>
#include <vector>

namespace aikrun {

struct JsonValue {
  enum Kind { Null, Boolean, Number, String, Array, Object };
  Kind kind = Null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<JsonValue> items;   // of an array, or an object's values
  std::vector<std::string> names; // of an object

  /// The member of that name and kind, or null.
  const JsonValue *member(const char *name, Kind kind) const;
};

/// On failure, `problem` says what and where.
bool parseJson(const std::string &text, JsonValue &out, std::string &problem);

} // namespace aikrun

#endif // AIK_RUN_JSON_H
