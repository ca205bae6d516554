//===- Entries.h - How passes mark the functions of an image --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes by which BuildEntries, AddDestinations, PlanMemory and
// LowerEntries agree on what a function is for.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_ENTRIES_ENTRIES_H
#define AIKERNEL_TRANSFORMS_ENTRIES_ENTRIES_H

#include "llvm/ADT/StringRef.h"

namespace aikernel {

/// On a function: which entry point of Entry.h it implements
/// ("run", "shape", "cost", "workspace" or "prepare").
inline constexpr llvm::StringLiteral kEntryAttrName = "aikernel.entry";
/// On an argument of an entry: it receives result n.
inline constexpr llvm::StringLiteral kResultAttrName = "aikernel.result";
/// On an argument that receives a result: the argument that was donated to it,
/// which has its sizes.
inline constexpr llvm::StringLiteral kDonorAttrName = "aikernel.donor";
/// On an argument of an entry: it is the workspace.
inline constexpr llvm::StringLiteral kWorkspaceAttrName = "aikernel.workspace";
/// On an argument of an entry: it is a packed form of a weight, as [argument,
/// offset in that argument's prepared storage]. On f$prepare: the same for each
/// of its results, offsets counted from the start of all storage.
inline constexpr llvm::StringLiteral kPreparedAttrName = "aikernel.prepared";
/// On f$prepare: the size of all storage.
inline constexpr llvm::StringLiteral kPreparedBytesAttrName =
    "aikernel.prepared_bytes";
/// On a module: the public functions and their values, as the metadata of the
/// artifact will list them (the types of `f` before anything was lowered).
inline constexpr llvm::StringLiteral kFunctionsAttrName = "aikernel.functions";
/// On the whole module: the targets to compile for.
inline constexpr llvm::StringLiteral kTargetsAttrName = "aikernel.targets";
/// On the program: measured schedules, by what they are for. And how many of
/// the likely schedules of each kernel are wanted; on a target's module, these.
inline constexpr llvm::StringLiteral kTuningAttrName = "aikernel.tuning";
inline constexpr llvm::StringLiteral kCandidatesAttrName =
    "aikernel.candidates";
/// On a check inside a kernel of a GPU: what it puts into the status word.
inline constexpr llvm::StringLiteral kCheckNumberAttrName =
    "aikernel.check_number";
/// The nested module of the scalar reference.
inline constexpr llvm::StringLiteral kReferenceModuleName = "reference";

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_ENTRIES_ENTRIES_H
