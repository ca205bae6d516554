//===- TuningRows.cpp - Schedules that are measured -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels whose schedule is to be chosen, by name. Out: what a table of
// measured schedules says, and rows for a table that is yet to be measured.
//
//===----------------------------------------------------------------------===//

#include "TuningRows.h"
#include "AIKernel/Transforms/Entries/Entries.h"

using namespace mlir;
using namespace aikernel;

/// The program that a module for one target is part of has what was asked for.
template <typename AttrTy>
static AttrTy askedOf(ModuleOp module, StringRef name) {
  auto program = module->getParentOfType<ModuleOp>();
  return program ? program->getAttrOfType<AttrTy>(name) : AttrTy();
}

/// The function that a kernel was made of.
static StringRef callerOf(func::FuncOp kernel) {
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  for (SymbolTable::SymbolUse use : *uses)
    return use.getUser()->getParentOfType<func::FuncOp>().getSymName();
  return kernel.getSymName();
}

Attribute aikernel::measuredSchedule(ModuleOp module, StringRef name) {
  auto table = askedOf<DictionaryAttr>(module, kTuningAttrName);
  return table ? table.get(name) : Attribute();
}

void aikernel::refuseSchedule(Operation *root, StringRef name,
                              StringRef objection) {
  root->emitError() << "AIK-E0203: the schedule that was given for '" << name
                    << "' is not one for it: " << objection;
}

void aikernel::offerSchedules(func::FuncOp kernel, StringRef name,
                              ArrayRef<Attribute> ranked) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto most = askedOf<IntegerAttr>(module, kCandidatesAttrName);
  if (!most)
    return;
  Builder b(kernel.getContext());
  SmallVector<Attribute> rows;
  if (auto others = module->getAttrOfType<ArrayAttr>(kCandidatesAttrName))
    llvm::append_range(rows, others);
  for (Attribute schedule : ranked.take_front(most.getInt()))
    rows.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("function", b.getStringAttr(callerOf(kernel))),
         b.getNamedAttr("product", b.getStringAttr(name)),
         b.getNamedAttr("schedule", schedule)}));
  module->setAttr(kCandidatesAttrName, b.getArrayAttr(rows));
}
