//===- Link.h - lld in process --------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: object files in memory. Out: one shared object in memory. No compiler or
// linker is needed where this runs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_SUPPORT_LINK_H
#define AIKERNEL_SUPPORT_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace aikernel {

/// Links a shared object that needs nothing and exports what the objects
/// export. An undefined symbol is an error.
llvm::Expected<std::string> linkShared(llvm::ArrayRef<llvm::StringRef> objects);

} // namespace aikernel

#endif // AIKERNEL_SUPPORT_LINK_H
