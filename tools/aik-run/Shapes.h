//===- Shapes.h - Choosing shapes for arguments that have none ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension that is not known takes its `min` fact, else 17. Which unknown
// dimensions must agree is not in the artifact: when f$shape refuses the first
// choice, all unknown dimensions are made equal, and then values that occur in
// the signature are tried in turn, with f$shape as the judge.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_SHAPES_H
#define AIK_RUN_SHAPES_H

#include "Signature.h"

#include <functional>

namespace aikrun {

/// The size of an unknown dimension about which nothing is said.
constexpr int64_t defaultDim = 17;

/// In: the shape of each argument where the user fixed it, `fixed` telling
/// which. Out: a shape for every argument that `accepts` takes. `accepts` is
/// called with a shape per argument.
Error chooseShapes(
    const Function &function, const std::vector<bool> &fixed,
    std::vector<Dims> &shapes,
    const std::function<Error(const std::vector<Dims> &)> &accepts);

} // namespace aikrun

#endif // AIK_RUN_SHAPES_H
