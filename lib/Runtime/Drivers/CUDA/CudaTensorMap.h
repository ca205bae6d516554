//===- CudaTensorMap.h - Kernel parameters that describe tensors ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: a row of aik$maps (Entry.h) and the words that a launcher wrote
// for it. What comes out: the CUtensorMap in their place. The last maps made
// are kept, since most runs are on the same tensors as those before them.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDATENSORMAP_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDATENSORMAP_H

#include "Drivers/CUDA/CudaDevice.h"

namespace aik {

class CudaTensorMaps {
public:
  /// Makes room to keep maps; once.
  int32_t start(Sys &sys);
  void stop(Sys &sys);

  /// Replaces what `words` say by the map of it. The device's mutex is held.
  int32_t encode(CudaDevice &device, const aik_tensor_map &row,
                 uint64_t *words);

private:
  struct Entry {
    uint64_t map[AIK_MAP_WORDS]; // first: CUDA wants it aligned to 64 bytes
    uint64_t words[AIK_MAP_WORDS];
    const aik_tensor_map *row;
    uint64_t usedAt;
    uint64_t padding[6];
  };
  static_assert(sizeof(Entry) % 64 == 0, "");
  /// Powers of two. Maps of one launch must not push each other out.
  static constexpr uint32_t kept = 64, places = 4;

  Entry &findPlace(const aik_tensor_map &row, const uint64_t *words);

  Entry *entries = nullptr;
  uint64_t uses = 0;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDATENSORMAP_H
