//===- Report.h - Tables for people and for programs ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of text cells go in; a Markdown or CSV table comes out. JSON is written
// by the commands themselves, with jsonString for its strings.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_REPORT_H
#define AIK_RUN_REPORT_H

#include <string>
#include <vector>

namespace aikrun {

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  /// Columns padded to one width; those that hold only numbers, with or
  /// without a unit, are set right.
  std::string markdown() const;
  /// RFC 4180.
  std::string csv() const;
};

/// `text` as a JSON string, quotes included.
std::string jsonString(const std::string &text);

/// A finite number with 17 digits, else null.
std::string jsonNumber(double value);

/// Four significant digits and the unit that suits: "12.34 us".
std::string timeText(double seconds);

/// Writes `text` to standard output; false when it does not arrive.
bool print(const std::string &text);

} // namespace aikrun

#endif // AIK_RUN_REPORT_H
