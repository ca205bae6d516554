//===- Input.h - Reading files and standard input -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a path, or `-` for standard input. Out: the bytes, or a coded message.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_INPUT_H
#define AIKC_INPUT_H

#include "Messages.h"
#include <string>

namespace aikc {

/// Programs larger than this are refused before they fill the memory: weights
/// do not belong into them.
constexpr size_t kMaxInputBytes = 256u << 20;

/// The name that stands for standard input in messages.
constexpr char kStandardInputName[] = "<stdin>";

ExitStatus readInput(const std::string &path, std::string &bytes,
                     Messages &messages);

} // namespace aikc

#endif // AIKC_INPUT_H
