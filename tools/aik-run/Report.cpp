//===- Report.cpp - Tables for people and for programs --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Laying out cells, and escaping what each format needs escaped.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace aikrun {
namespace {

/// The number of characters of UTF-8 text.
size_t width(const std::string &text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      }));
}

std::string escapedCell(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '|')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

} // namespace

std::string Table::markdown() const {
  std::vector<std::vector<std::string>> all = {header};
  all.insert(all.end(), rows.begin(), rows.end());
  std::vector<size_t> widths(header.size(), 3);
  for (auto &row : all)
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = escapedCell(row[i]);
      widths[i] = std::max(widths[i], width(row[i]));
    }
  std::vector<bool> isNumber(header.size(), !rows.empty());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      isNumber[i] = isNumber[i] && !row[i].empty() &&
                    std::strchr("-0123456789", row[i][0]);
  std::string out;
  for (size_t r = 0; r < all.size(); ++r) {
    for (size_t i = 0; i < all[r].size(); ++i) {
      std::string pad(widths[i] - width(all[r][i]), ' ');
      out += "| " + (isNumber[i] ? pad + all[r][i] : all[r][i] + pad) + " ";
    }
    out += "|\n";
    for (size_t i = 0; r == 0 && i < widths.size(); ++i)
      out += "|" + std::string(widths[i] + 1, '-') + (isNumber[i] ? ":" : "-");
    out += r == 0 ? "|\n" : "";
  }
  return out;
}

std::string Table::csv() const {
  std::string out;
  auto add = [&](const std::vector<std::string> &row) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += i ? "," : "";
      if (row[i].find_first_of(",\"\r\n") == std::string::npos) {
        out += row[i];
        continue;
      }
      out += '"';
      for (char c : row[i])
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
      out += '"';
    }
    out += "\n";
  };
  add(header);
  for (const auto &row : rows)
    add(row);
  return out;
}

std::string jsonString(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (byte < 0x20)
      out += format("\\u%04x", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::string jsonNumber(double value) {
  return std::isfinite(value) ? format("%.17g", value) : "null";
}

std::string timeText(double seconds) {
  double magnitude = std::fabs(seconds);
  if (magnitude < 1e-6)
    return format("%.4g ns", seconds * 1e9);
  if (magnitude < 1e-3)
    return format("%.4g us", seconds * 1e6);
  if (magnitude < 1)
    return format("%.4g ms", seconds * 1e3);
  return format("%.4g s", seconds);
}

bool print(const std::string &text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

} // namespace aikrun
