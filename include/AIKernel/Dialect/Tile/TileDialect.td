//===- TileDialect.td - Tile programs: the dialect ---------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal: passes write these ops, people read them in dumps and tests.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TILEDIALECT_TD
#define AIKERNEL_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def AIKTile_Dialect : Dialect {
  let name = "aik_tile";
  let cppNamespace = "::aikernel::tile";
  let summary = "Programs of cooperating warps on tiles";
  let description = [{
    A tile program says what each group of warps of a block does: some load
    tiles into a ring of shared memory, others multiply what is there. All
    synchronization follows from the ops:

    * a ring's stage is filled by `fill`, which waits until it is empty, and
      read between `acquire`, which waits until it is full, and `release`; each
      role keeps its own place in the ring and moves on by one stage per `fill`
      or `acquire`;
    * matrix instructions run asynchronously, and their accumulators are of a
      type of their own until `wait` gives them back.

    So a program that verifies arrives at each barrier as often as somebody
    waits for it, and in an order in which its roles do not wait for each other
    for ever, never overwrites what is still read, and fits into the registers
    and the shared memory of a block.

    Coordinates are i32: they count elements of a tensor.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

class AIKTile_Op<string mnemonic, list<Trait> traits = []>
    : Op<AIKTile_Dialect, mnemonic, traits>;

#endif // AIKERNEL_TILEDIALECT_TD
