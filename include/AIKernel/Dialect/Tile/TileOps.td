//===- TileOps.td - The ops of tile programs ---------------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `product` is what a tile program is built for; all others are the program.
// What only attention needs is in TileAttention.td.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TILEOPS_TD
#define AIKERNEL_TILEOPS_TD

include "AIKernel/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// The structured op
//===----------------------------------------------------------------------===//

def AIKTile_ProductOp
    : AIKTile_Op<"product", [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        SingleBlockImplicitTerminator<"YieldOp">,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let summary = "a matrix product with what is done to each of its sums";
  let description = [{
    In destination style, on tensors and, after bufferization, on memrefs:

        out[i, j] = region(sum over k of lhs[i, k] * rhs[k, j], extras...)

    Operands are bf16, f16, f8E4M3FN, f8E5M2 (which may be mixed) or f32, with
    sums of f32, or i8, with sums of i32. `lhs_transposed` says that `lhs` is
    [k, i], `rhs_transposed` that `rhs` is [j, k], `out_transposed` that `out`
    is [j, i]; operands of other than 16 bits are [i, k] and [j, k]. The
    instructions keep fewer bits of sums of 8-bit floats than f32 has, so that
    each step's sums are added in f32 to those before, and they ignore the
    lower bits of f32 operands. With `fast`, which f32 operands need, both may
    happen.

    With `packed` the right operand is a matrix of 4-bit integers, its codes in
    lines of 128 bytes as aik-form-fragment-products lays them out, and the only
    extra has its scales, one for each 128 elements. Integers are multiplied,
    and the sums of 128 scaled and added in f32.

    An extra is indexed by its map of (i, j), which has both dimensions, one of
    them or, at 0, none. `rows` is the number of rows in kernels,
    where `lhs` and `out` are only known by their tensor maps.

    Where the schedule has a split and is not clustered, `out` has the sums of each part, one part
    below the other, each with its rows filled up to those of whole clusters;
    nothing else is done to them.

    ```mlir
    %y = aik_tile.product %x, %w extras(%b : tensor<384xbf16>) outs %d {
        extra_maps = [affine_map<(i, j) -> (j)>], rhs_transposed,
        schedule = #aik_tile.schedule<...>} {
    ^bb0(%sum: f32, %bias: bf16):
      ...
      aik_tile.yield %rounded : bf16
    } : (tensor<512x256xbf16>, tensor<384x256xbf16>, tensor<512x384xbf16>) -> tensor<512x384xbf16>
    ```
  }];
  let arguments = (ins AnyShaped:$lhs, AnyShaped:$rhs,
      Variadic<AnyShaped>:$extras, AnyShaped:$out, Optional<Index>:$rows,
      AffineMapArrayAttr:$extra_maps, UnitAttr:$lhs_transposed,
      UnitAttr:$rhs_transposed, UnitAttr:$out_transposed,
      AIKTile_ScheduleAttr:$schedule, UnitAttr:$fast,
      UnitAttr:$packed);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lhs `,` $rhs (`extras` `(` $extras^ `:` type($extras) `)`)? `outs` $out
    (`rows` $rows^)? attr-dict-with-keyword $body `:`
    `(` type($lhs) `,` type($rhs) `,` type($out) `)`
    (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    /// Dimensions of the operands.
    unsigned getLhsRowDim() { return getLhsTransposed() ? 1 : 0; }
    unsigned getRhsColumnDim() { return getRhsTransposed() ? 0 : 1; }
    unsigned getOutRowDim() { return getOutTransposed() ? 1 : 0; }
    /// Steps of the depth that a part of the sums has.
    int64_t getStepsOfPart();
    /// Rows from one part of `out` to the next.
    int64_t getRowsOfPart();
  }];
}

def AIKTile_YieldOp
    : AIKTile_Op<"yield", [Pure, Terminator, ReturnLike,
                           ParentOneOf<["ProductOp", "MapOp", "ForTilesOp",
                                        "ClaimTilesOp", "PostedTilesOp"]>]> {
  let summary = "what becomes of an element, or goes on to the next tile";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ /* yields nothing */ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

//===----------------------------------------------------------------------===//
// The program and its roles
//===----------------------------------------------------------------------===//

def AIKTile_ProgramOp
    : AIKTile_Op<"program", [NoTerminator, SingleBlock, NoRegionArguments,
                             RecursiveMemoryEffects]> {
  let summary = "what the warps of a block do, role by role";
  let description = [{
    Rings, boxes and values that all roles use come first, then the roles.
    `cluster` blocks run together and may write into each other's shared
    memory.

    ```mlir
    aik_tile.program cluster 2 {
      %ring = aik_tile.make_ring : !aik_tile.ring<3, <128x64xbf16>, <256x64xbf16>>
      aik_tile.role warpgroups 1 registers 40 { ^bb0(%group: i32): ... }
      aik_tile.role warpgroups 2 registers 232 { ^bb0(%group: i32): ... }
    }
    ```
  }];
  let arguments = (ins I64Attr:$cluster);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`cluster` custom<Int>($cluster) attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Threads of all roles, and bytes of shared memory with the barriers.
    int64_t getThreads();
    int64_t getSharedBytes();
  }];
}

def AIKTile_RoleOp
    : AIKTile_Op<"role", [HasParent<"ProgramOp">, NoTerminator, SingleBlock,
                          RecursiveMemoryEffects]> {
  let summary = "what some warpgroups of a block do";
  let description = [{
    The block argument is the number of the warpgroup within the role. A role
    that fills rings is run by one thread.
  }];
  let arguments = (ins I64Attr:$warpgroups, I64Attr:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `warpgroups` custom<Int>($warpgroups) `registers` custom<Int>($registers)
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool fills();
  }];
}

def AIKTile_ForTilesOp
    : AIKTile_Op<"for_tiles", [SingleBlockImplicitTerminator<"YieldOp">,
                               RecursiveMemoryEffects]> {
  let summary = "the tiles of a matrix that this cluster computes";
  let description = [{
    The block arguments are row and column of the tile, how many tiles this
    cluster had before, and what is carried from one tile to the next. Clusters
    take tiles in turn. Tiles are ordered in groups of `group` rows, a column of
    a group after the other and, in every second group, from the last column to
    the first: what runs at the same time reads few different rows and columns.

    ```mlir
    aik_tile.for_tiles in (%rows, %columns) group 8 { ^bb0(%i: i32, %j: i32, %turn: i32): ... }
    ```
  }];
  let arguments = (ins I32:$rows, I32:$columns,
      Variadic<AnyTypeOf<[AIKTile_FragType, I32]>>:$inits, I64Attr:$group);
  let results = (outs Variadic<AnyTypeOf<[AIKTile_FragType, I32]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `in` `(` $rows `,` $columns `)` `group` custom<Int>($group)
    (`carrying` `(` $inits^ `:` type($inits) `)` `->` type($results))?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def AIKTile_BlockRankOp : AIKTile_Op<"block_rank", [Pure]> {
  let summary = "the number of this block in its cluster";
  let results = (outs I32:$rank);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def AIKTile_TensorMapOp : AIKTile_Op<"tensor_map", [Pure]> {
  let summary = "the tensor map of a matrix";
  let description = [{
    The matrix is a parameter of the kernel, its last dimension contiguous. The
    host encodes the map before it launches the kernel. Of more than two
    dimensions, rows are along `row_dim`, the last but one unless it says
    otherwise, and who loads or stores gives a place in the others too.

    ```mlir
    %map = aik_tile.tensor_map %x : memref<512x256xbf16> -> !aik_tile.map<128x64xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, OptionalAttr<I64Attr>:$row_dim);
  let results = (outs AIKTile_MapType:$map);
  let assemblyFormat = [{
    $source (`rows` custom<Int>($row_dim)^)? attr-dict `:` type($source) `->`
    type($map)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getRank() { return getSource().getType().getRank(); }
    /// Where the row is among coordinates, the innermost first.
    int64_t getRowPlace() {
      return getRank() - 1 - getRowDim().value_or(getRank() - 2);
    }
    /// The box of the map, and coordinates in it, the innermost first.
    ::llvm::SmallVector<int32_t> getBox();
    static ::llvm::SmallVector<::mlir::Value>
    order(::mlir::Value map, ::mlir::Value column, ::mlir::Value row,
          ::mlir::ValueRange outer);
  }];
}

def AIKTile_MakeRingOp : AIKTile_Op<"make_ring", [HasParent<"ProgramOp">]> {
  let summary = "a ring, all of its stages empty";
  let results = (outs AIKTile_RingType:$ring);
  let assemblyFormat = "attr-dict `:` type($ring)";
}

def AIKTile_MakeBoxesOp : AIKTile_Op<"make_boxes", [HasParent<"ProgramOp">]> {
  let summary = "store boxes";
  let results = (outs AIKTile_BoxesType:$boxes);
  let assemblyFormat = "attr-dict `:` type($boxes)";
}

def AIKTile_MakeExchangeOp
    : AIKTile_Op<"make_exchange", [HasParent<"ProgramOp">]> {
  let summary = "shared memory for parts of sums, empty";
  let results = (outs AIKTile_ExchangeType:$room);
  let assemblyFormat = "attr-dict `:` type($room)";
}

def AIKTile_FillOp
    : AIKTile_Op<"fill", [NoTerminator, SingleBlock, NoRegionArguments,
                          RecursiveMemoryEffects]> {
  let summary = "fill the next stage of a ring";
  let description = [{
    Waits until the stage is empty. The region loads each tile of the stage
    once; the stage is full when all of their bytes have arrived.

    ```mlir
    aik_tile.fill %ring {
      aik_tile.load %a[%k, %row] tile 0 : !aik_tile.map<128x64xbf16>
      aik_tile.load %b[%k, %column] tile 1 shared : !aik_tile.map<128x64xbf16>
    } : !aik_tile.ring<3, <128x64xbf16>, <256x64xbf16>>
    ```
  }];
  let arguments = (ins AIKTile_RingType:$ring);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring $body attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def AIKTile_LoadOp
    : AIKTile_Op<"load", [HasParent<"FillOp">, MemoryEffects<[MemWrite]>]> {
  let summary = "load a tile of the stage that is filled";
  let description = [{
    From element `depth`, `row` of the matrix, and from `outer` of what other
    dimensions it has, the innermost first. With `shared` all blocks of the
    cluster want the same tile, and each loads its part for all of them.
  }];
  let arguments = (ins AIKTile_MapType:$map, I32:$depth, I32:$row,
      Variadic<I32>:$outer, I64Attr:$tile, UnitAttr:$shared);
  let assemblyFormat = [{
    $map `[` $depth `,` $row (`,` $outer^)? `]` `tile` custom<Int>($tile)
    (`shared` $shared^)? attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}

def AIKTile_AcquireOp
    : AIKTile_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for the next full stage of a ring";
  let arguments = (ins AIKTile_RingType:$ring);
  let results = (outs AIKTile_StageType:$stage);
  let assemblyFormat = "$ring attr-dict `:` type($ring) `->` type($stage)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Is the release in a region of `scf.if` in the block of this op? The
    /// other region has one too then.
    bool isOfChoice(mlir::Operation *release);
  }];
}

def AIKTile_ReleaseOp
    : AIKTile_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "give a stage back, to be filled again";
  let description = [{
    Once for each `acquire`, in its block or in both regions of an `scf.if` there.
    The condition of an `scf.if` is the same for all threads of a warpgroup.
  }];
  let arguments = (ins AIKTile_StageType:$stage);
  let assemblyFormat = "$stage attr-dict `:` type($stage)";
  let hasVerifier = 1;
}

def AIKTile_OperandOp : AIKTile_Op<"operand", [Pure]> {
  let summary = "rows of a tile of a stage";
  let description = [{
    Rows [part * n, part * n + n) of the tile, where n are the rows of the
    result.

    ```mlir
    %a = aik_tile.operand %stage tile 0 part %group : !aik_tile.stage<...> -> !aik_tile.shared<64x64xbf16>
    ```
  }];
  let arguments = (ins AIKTile_StageType:$stage, I64Attr:$tile,
      Optional<I32>:$part);
  let results = (outs AIKTile_SharedType:$operand);
  let assemblyFormat = [{
    $stage `tile` custom<Int>($tile) (`part` $part^)? attr-dict `:`
    type($stage) `->` type($operand)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def AIKTile_ZeroOp : AIKTile_Op<"zero", [Pure]> {
  let summary = "a fragment of zeros";
  let results = (outs AIKTile_FragType:$frag);
  let assemblyFormat = "attr-dict `:` type($frag)";
}

def AIKTile_MultiplyOp
    : AIKTile_Op<"multiply", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "acc + lhs * transpose(rhs), asynchronously";
  let description = [{
    The left operand is in shared memory or in registers, the right one in
    shared memory. The instructions have been started when this is done, no
    more: the operands must stay, and the result may be used when `wait` has
    given it. Products that follow each other directly are started together.

    ```mlir
    %d = aik_tile.multiply %a, %b, %acc : (!aik_tile.shared<64x64xbf16>, !aik_tile.shared<256x64xbf16>, !aik_tile.frag<64x256xf32>) -> !aik_tile.frag<64x256xf32, pending>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AIKTile_SharedType, AIKTile_FragType]>:$lhs,
      AIKTile_SharedType:$rhs, AIKTile_FragType:$acc);
  let results = (outs AIKTile_FragType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def AIKTile_AddOp
    : AIKTile_Op<"add", [Pure, AllTypesMatch<["lhs", "rhs", "sum"]>]> {
  let summary = "the sum of two fragments, element by element";
  let description = [{
    ```mlir
    %s = aik_tile.add %sums, %step : !aik_tile.frag<64x128xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$lhs, AIKTile_FragType:$rhs);
  let results = (outs AIKTile_FragType:$sum);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($sum)";
  let hasVerifier = 1;
}

def AIKTile_TakeTurnOp
    : AIKTile_Op<"take_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for this warpgroup's turn";
  let description = [{
    Warpgroups of a role take turns, the first one first. Between `take_turn` and
    the `pass_turn` that follows it in its block a warpgroup starts products
    that no other interrupts: others do what comes between products meanwhile.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def AIKTile_PassTurnOp
    : AIKTile_Op<"pass_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "it is the next warpgroup's turn";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def AIKTile_UnpackOp
    : AIKTile_Op<"unpack", [MemoryEffects<[MemRead]>]> {
  let summary = "a fragment of 4-bit integers as floats";
  let description = [{
    The tile has 32 lines for each warpgroup, half `half` of which are 64
    columns of the integers of 64 rows: sixteen bytes for each thread.

    Only stages that no other block fills can be read by threads.

    ```mlir
    %a = aik_tile.unpack %stage tile 0 half 1 : !aik_tile.stage<<32x128xi8>, <2x32xf32>> -> !aik_tile.frag<64x64xbf16>
    ```
  }];
  let arguments = (ins AIKTile_StageType:$stage, I64Attr:$tile, I64Attr:$half);
  let results = (outs AIKTile_FragType:$frag);
  let assemblyFormat = [{
    $stage `tile` custom<Int>($tile) `half` custom<Int>($half) attr-dict `:`
    type($stage) `->` type($frag)
  }];
  let hasVerifier = 1;
}

def AIKTile_ReadRowsOp
    : AIKTile_Op<"read_rows", [MemoryEffects<[MemRead]>]> {
  let summary = "a number for each row, from a tile";
  let description = [{
    The tile has two lines for each warpgroup: numbers of f32 for 64 rows, in
    the order that aik_tile.unpack has rows in.

    ```mlir
    %r = aik_tile.read_rows %stage tile 1 : !aik_tile.stage<<32x128xi8>, <2x32xf32>>
    ```
  }];
  let arguments = (ins AIKTile_StageType:$stage, I64Attr:$tile);
  let results = (outs AIKTile_RowsType:$rows);
  let assemblyFormat = [{
    $stage `tile` custom<Int>($tile) attr-dict `:` type($stage)
  }];
  let hasVerifier = 1;
}

def AIKTile_AddScaledOp
    : AIKTile_Op<"add_scaled", [Pure,
                                AllTypesMatch<["sums", "step", "result"]>]> {
  let summary = "sums + scale of the row * step";
  let description = [{
    ```mlir
    %s = aik_tile.add_scaled %sums, %step by %r : !aik_tile.frag<64x128xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$sums, AIKTile_FragType:$step,
      AIKTile_RowsType:$scales);
  let results = (outs AIKTile_FragType:$result);
  let assemblyFormat = "$sums `,` $step `by` $scales attr-dict `:` type($sums)";
  let hasVerifier = 1;
}

def AIKTile_WriteTransposedOp
    : AIKTile_Op<"write_transposed", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "round a fragment and write it transposed";
  let description = [{
    Element (r, c) of the fragment goes to row `row` + c and column `column` + r
    of a matrix that has `rows`; rows beyond are not written. Rows r are those
    that aik_tile.unpack gives: of each sixteen, a thread has two of four that
    follow each other.

    ```mlir
    aik_tile.write_transposed %sums, %y[%row, %column] within %rows : !aik_tile.frag<64x128xf32>, memref<?x8192xbf16>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$frag, AnyMemRef:$out, I32:$row,
      I32:$column, I32:$rows);
  let assemblyFormat = [{
    $frag `,` $out `[` $row `,` $column `]` `within` $rows attr-dict `:`
    type($frag) `,` type($out)
  }];
  let hasVerifier = 1;
}

def AIKTile_AddPartsOp
    : AIKTile_Op<"add_parts", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the sum of the fragments of all blocks of a cluster";
  let description = [{
    Block n of the cluster gets columns [n * c, n * c + c), where c are the
    columns of the result, or anything where there are none. Parts are added in
    the order of the blocks.

    ```mlir
    %s = aik_tile.add_parts %sums via %room : !aik_tile.frag<64x128xf32>, !aik_tile.exchange<1 x 8 x 16> -> !aik_tile.frag<64x16xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$part, AIKTile_ExchangeType:$room);
  let results = (outs AIKTile_FragType:$sums);
  let assemblyFormat = [{
    $part `via` $room attr-dict `:` type($part) `,` type($room) `->`
    type($sums)
  }];
  let hasVerifier = 1;
}

def AIKTile_WaitOp
    : AIKTile_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for the products of accumulators";
  let description = [{
    The last `leaving` products may go on. A fragment that is not pending is
    given back as it is, and nothing that uses it happens before.

    ```mlir
    %w = aik_tile.wait %d : (!aik_tile.frag<64x256xf32, pending>) -> !aik_tile.frag<64x256xf32>
    ```
  }];
  let arguments = (ins Variadic<AIKTile_FragType>:$pending,
      DefaultValuedAttr<I64Attr, "0">:$leaving);
  let results = (outs Variadic<AIKTile_FragType>:$frags);
  let assemblyFormat = "$pending attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def AIKTile_ReadOp : AIKTile_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "elements of a tensor, where those of a fragment are";
  let description = [{
    What `map` would read of an extra, ahead of it: element (r, c) is the one
    that belongs to row `row` + r and column `column` + c of a matrix of `rows` x
    `columns`, by the map of these two. Outside of the matrix it is anything.

    ```mlir
    %b = aik_tile.read %bias at (%row, %column) within (%rows, %columns) by affine_map<(i, j) -> (j)> : memref<384xbf16> -> !aik_tile.frag<64x256xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, I32:$row, I32:$column, I32:$rows,
      I32:$columns, AffineMapAttr:$by);
  let results = (outs AIKTile_FragType:$frag);
  let assemblyFormat = [{
    $source `at` `(` $row `,` $column `)` `within` `(` $rows `,` $columns `)`
    `by` $by attr-dict `:` type($source) `->` type($frag)
  }];
  let hasVerifier = 1;
}

def AIKTile_MapOp
    : AIKTile_Op<"map", [SingleBlockImplicitTerminator<"YieldOp">,
                         MemoryEffects<[MemRead]>]> {
  let summary = "each element of a fragment by a rule";
  let description = [{
    The element of the fragment at (r, c) is that of row `row` + r and column
    `column` + c of a matrix of `rows` x `columns`; extras are indexed by
    their maps of these two, or are fragments, which `read` gives, with the map
    (i, j) -> (i, j). Outside of the matrix the result is anything.

    ```mlir
    %f = aik_tile.map %sums at (%row, %column) within (%rows, %columns) extras(%bias : memref<384xbf16>) {
    ^bb0(%sum: f32, %b: bf16):
      ...
      aik_tile.yield %y : bf16
    } {extra_maps = [affine_map<(i, j) -> (j)>]} : !aik_tile.frag<64x256xf32> -> !aik_tile.frag<64x256xbf16>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$source, I32:$row, I32:$column,
      I32:$rows, I32:$columns,
      Variadic<AnyTypeOf<[AnyMemRef, AIKTile_FragType]>>:$extras,
      AffineMapArrayAttr:$extra_maps);
  let results = (outs AIKTile_FragType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $source `at` `(` $row `,` $column `)` `within` `(` $rows `,` $columns `)`
    (`extras` `(` $extras^ `:` type($extras) `)`)? $body attr-dict `:`
    type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def AIKTile_ColumnsOp : AIKTile_Op<"columns", [Pure]> {
  let summary = "some columns of a fragment";
  let description = [{
    As many as the result has, from column `from` on.

    ```mlir
    %right = aik_tile.columns %sums from 128 : !aik_tile.frag<64x256xf32> -> !aik_tile.frag<64x128xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$frag, I64Attr:$from);
  let results = (outs AIKTile_FragType:$part);
  let assemblyFormat = [{
    $frag `from` custom<Int>($from) attr-dict `:` type($frag) `->` type($part)
  }];
  let hasVerifier = 1;
}

def AIKTile_KeepOp : AIKTile_Op<"keep", [Pure, SameOperandsAndResultType]> {
  let summary = "a fragment in registers of its own";
  let description = [{
    What accumulators hold and is still needed when the next products have been
    started.

    ```mlir
    %k = aik_tile.keep %right : !aik_tile.frag<64x128xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$frag);
  let results = (outs AIKTile_FragType:$kept);
  let assemblyFormat = "$frag attr-dict `:` type($kept)";
  let hasVerifier = 1;
}

def AIKTile_StoreOp
    : AIKTile_Op<"store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store a fragment through boxes";
  let description = [{
    To row `row` and column `column` of the matrix, and to `outer` of what other
    dimensions it has; what lies outside of it is not written. Done at the end
    of the program at the latest. With `deferred` the boxes, which have room for
    all of the fragment, are written, and `send` stores them: products of the
    next tile can be started before. With `at` the fragment is a part of a box,
    from that column of it on: stores that follow each other in a block fill it
    from column 0, and the last of them stores it.

    ```mlir
    aik_tile.store %f, %map[%column, %row] via %boxes : !aik_tile.frag<64x256xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<8x4>
    aik_tile.store %g, %map[%column, %row] via %boxes at 32 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<8x4>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$frag, AIKTile_MapType:$map,
      I32:$column, I32:$row, Variadic<I32>:$outer, AIKTile_BoxesType:$boxes,
      UnitAttr:$deferred, OptionalAttr<I64Attr>:$at);
  let assemblyFormat = [{
    $frag `,` $map `[` $column `,` $row (`,` $outer^)? `]` `via` $boxes
    (`deferred` $deferred^)? (`at` custom<Int>($at)^)? attr-dict `:`
    type($frag) `,` type($map) `,`
    type($boxes)
  }];
  let hasVerifier = 1;
}

def AIKTile_SendOp
    : AIKTile_Op<"send", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store what is in boxes since the last deferred store";
  let description = [{
    Nothing, where there was none yet. What the last one leaves is stored at
    the end of the role.

    ```mlir
    aik_tile.send %boxes : !aik_tile.boxes<8x4>
    ```
  }];
  let arguments = (ins AIKTile_BoxesType:$boxes);
  let assemblyFormat = "$boxes attr-dict `:` type($boxes)";
}

def AIKTile_WriteOp
    : AIKTile_Op<"write", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "write a fragment straight from registers";
  let description = [{
    To row `row` and column `column` of a matrix of `rows` x `columns`; what
    lies outside of it is not written. With `transposed` the matrix lies in
    memory column by column.

    ```mlir
    aik_tile.write %f, %out[%row, %column] within (%rows, %columns) transposed : !aik_tile.frag<64x16xbf16>, memref<16x512xbf16>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$frag, AnyMemRef:$out, I32:$row,
      I32:$column, I32:$rows, I32:$columns, UnitAttr:$transposed);
  let assemblyFormat = [{
    $frag `,` $out `[` $row `,` $column `]` `within` `(` $rows `,` $columns `)`
    (`transposed` $transposed^)? attr-dict `:` type($frag) `,` type($out)
  }];
  let hasVerifier = 1;
}

include "AIKernel/Dialect/Tile/TileAttention.td"

#endif // AIKERNEL_TILEOPS_TD
