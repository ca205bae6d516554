//===- ClusterExchange.h - Numbers for all blocks of a cluster --*- C++ -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a few numbers of each warp. Out: code that writes them into the shared
// memory of all blocks of the cluster, and code that waits for those of the
// others and reads them.
//
// A barrier of the cluster would do too, but it also waits for what the block
// has stored to global memory, of which the exchange knows nothing. Here each
// block counts the bytes that arrive at a barrier of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_TARGET_NVIDIA_CLUSTEREXCHANGE_H
#define AIKERNEL_LIB_TARGET_NVIDIA_CLUSTEREXCHANGE_H

#include "AIKernel/Transforms/Tiles/LoopBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace aikernel {

/// Stores one, two or four values of 4 bytes with one instruction. The address
/// and the barrier, which counts the bytes, are in one block of the cluster.
void storeAsync(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                mlir::ValueRange values, mlir::Value barrier);

class ClusterExchange {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  /// What was sent and where it arrives.
  struct Sent {
    Value room;     // memref<2 x warps of the cluster x values>
    Value barriers; // memref<2 x i64>
    unsigned values;
  };

  ClusterExchange(LoopBuilder &b, mlir::gpu::GPUFuncOp kernel, int64_t warps,
                  int64_t blocks)
      : b(b), kernel(kernel), warps(warps), blocks(blocks) {}

  /// At the start of the kernel, before anything is sent.
  void begin(Value thread, Value rank);
  /// No block may send to one that has not begun.
  void awaitOthers();
  /// How often every exchange was done before, in the code that follows.
  void setTurn(Value turn);

  /// All values are of 4 bytes, and the same in all lanes of a warp.
  Sent send(mlir::ValueRange values);
  /// Each lane gets some warps' values: those of the first, the second and so
  /// on.
  Values receive(const Sent &sent);

private:
  Value addressOf(Value room, Value element, int64_t bytes);
  Value barrierOf(const Sent &sent);

  LoopBuilder &b;
  mlir::gpu::GPUFuncOp kernel;
  int64_t warps, blocks;
  mlir::scf::IfOp first; // what the first thread of a block does at the start
  Value thread, warp, lane, rank;
  Value parity, phase; // of the turn
};

} // namespace aikernel

#endif // AIKERNEL_LIB_TARGET_NVIDIA_CLUSTEREXCHANGE_H
