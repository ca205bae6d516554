//===- OptionTable.h - The options of aikc, as data -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per option and per command: the parser, the checks and --help all
// read these.
//
//===----------------------------------------------------------------------===//

#ifndef AIKC_OPTIONTABLE_H
#define AIKC_OPTIONTABLE_H

#include "Options.h"
#include "llvm/ADT/ArrayRef.h"

namespace aikc {

constexpr unsigned bitOf(Command command) {
  return 1u << static_cast<unsigned>(command);
}

struct OptionRow {
  const char *name;     // as after the two dashes
  char shortName;       // or 0
  const char *argument; // its value in --help; null for a flag
  bool mayRepeat;
  unsigned commands; // bits of those that take it
  const char *help;
};
llvm::ArrayRef<OptionRow> getOptionRows();

struct CommandRow {
  Command command;
  const char *name;
  const char *operand; // in --help; null where there is none
  const char *needs;   // what is missing without one; null: nothing
  const char *help;
};
llvm::ArrayRef<CommandRow> getCommandRows();

} // namespace aikc

#endif // AIKC_OPTIONTABLE_H
