//===- Inputs.h - Where the inputs of a run come from ---------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a file (`@a.npy`) or is made up: `random:SEED[:SHAPE[:LO..HI]]`,
// `zeros[:SHAPE]`, `ones[:SHAPE]`, `arange[:SHAPE]`, `full:VALUE[:SHAPE]`.
// Made-up values are a function of the seed and the position alone, with
// integer arithmetic, so every machine makes the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_INPUTS_H
#define AIK_RUN_INPUTS_H

#include "Signature.h"
#include "Tensor.h"

namespace aikrun {

struct InputSpec {
  enum Kind { File, Random, Zeros, Ones, Arange, Full };
  Kind kind = Random;
  std::string path;
  uint64_t seed = 0;
  double value = 0;
  bool hasShape = false;
  Dims shape;
  bool hasRange = false;
  double low = 0, high = 0;
  /// Random floats are scaled like trained weights, by the tensor's sizes.
  bool likeWeights = false;
};

/// Reads the text after `NAME=`. Exit status 2 when it means nothing.
Error parseInputSpec(const std::string &text, InputSpec &spec);

/// What an argument gets that the user does not mention: seeded random floats,
/// 8- and 16-bit integers and bools; zeros for i32 and i64, because those are
/// positions, lengths and ids, for which zero is always in range. Weights are
/// scaled, so that values keep their size from layer to layer and an error in
/// one of them is not lost among large numbers.
InputSpec defaultSpec(const Value &value, uint64_t seed);

/// Fills `tensor`, which has its type and shape already. Not for files.
Error fill(const InputSpec &spec, Tensor &tensor);

} // namespace aikrun

#endif // AIK_RUN_INPUTS_H
