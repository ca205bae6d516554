//===- TileAttention.td - Ops of tile programs for attention -*- tablegen -*-=//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: attention on tensors or buffers, and what programs for it need. Out: the
// op `attention`, which a program is built for; tiles that blocks claim; what is
// done to scores in registers.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TILEATTENTION_TD
#define AIKERNEL_TILEATTENTION_TD

include "AIKernel/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// The structured op
//===----------------------------------------------------------------------===//

def AIKTile_AttentionOp
    : AIKTile_Op<"attention", [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let summary = "attention, with its schedule";
  let description = [{
    In destination style, on tensors and, after bufferization, on memrefs: the
    meaning is that of `aikernel.attention` without sinks. q is
    `[B, H, S, D]`, or `[B, S, H, D]` with `heads_inner`, as k, v and the first
    of `outs` are. Then follow, where somebody wants them, the maximum and the
    sum of the exponentials of each query, `f32[B, H, S]`, of which only
    maximum + ln(sum) is defined. The last of `outs` is `i32[1]`, a counter of
    claimed tiles that is 0 before and anything afterwards. `sizes` are batches,
    queries and keys in kernels, where tensors are only known by their maps.

    ```mlir
    %r:2 = aik_tile.attention %q, %k, %v outs %o, %counter {causal,
        scale = 0.125 : f32, schedule = #aik_tile.attention_schedule<...>}
        : (tensor<1x8x512x64xbf16>, tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>, tensor<1x8x512x64xbf16>, tensor<1xi32>)
        -> (tensor<1x8x512x64xbf16>, tensor<1xi32>)
    ```
  }];
  let arguments = (ins AnyShaped:$q, AnyShaped:$k, AnyShaped:$v,
      Optional<AnyShaped>:$kv_len, Optional<AnyShaped>:$mask,
      Variadic<AnyShaped>:$outputs,
      Variadic<Index>:$sizes, F32Attr:$scale, OptionalAttr<F32Attr>:$softcap,
      UnitAttr:$causal, OptionalAttr<I64Attr>:$window, UnitAttr:$heads_inner,
      AIKTile_AttentionScheduleAttr:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`kv_len` $kv_len^)? (`mask` $mask^)? `outs` $outputs
    (`sizes` $sizes^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    unsigned getHeadDim() { return getHeadsInner() ? 2 : 1; }
    unsigned getSequenceDim() { return getHeadsInner() ? 1 : 2; }
    ::mlir::Value getOut() { return getOutputs().front(); }
    ::mlir::Value getCounter() { return getOutputs().back(); }
    /// Maximums and sums, or nothing.
    ::mlir::ValueRange getStatistics() {
      return ::mlir::ValueRange(getOutputs()).drop_front().drop_back();
    }
    int64_t getHeads();
    int64_t getFeatures();
    /// Query heads of a key head.
    int64_t getGroup();
    /// Which of batch, head, query and key the mask has a number for each of.
    ::std::array<bool, 4> getMaskDims();
  }];
}

//===----------------------------------------------------------------------===//
// Tiles that blocks claim
//===----------------------------------------------------------------------===//

def AIKTile_MakeMailboxOp
    : AIKTile_Op<"make_mailbox", [HasParent<"ProgramOp">]> {
  let summary = "a mailbox, all of its slots empty";
  let results = (outs AIKTile_MailboxType:$mailbox);
  let assemblyFormat = "attr-dict `:` type($mailbox)";
}

def AIKTile_ClaimTilesOp
    : AIKTile_Op<"claim_tiles", [SingleBlockImplicitTerminator<"YieldOp">,
                                 RecursiveMemoryEffects]> {
  let summary = "tiles of which each is this block's or another's";
  let description = [{
    The block arguments are the number of a tile, less than `count`, and what is
    carried from one tile to the next. The first tile is the number of the block,
    all others are claimed through the counter in global memory: whoever is done
    first gets the next. Each is posted once, and at the end that there are no
    more.

    ```mlir
    aik_tile.claim_tiles of %count by %counter for %mailbox { ^bb0(%tile: i32):
      aik_tile.post %mailbox(%row, %head)
      ...
    } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
    ```
  }];
  let arguments = (ins I32:$count, AnyMemRef:$counter,
      AIKTile_MailboxType:$mailbox, Variadic<I32>:$inits);
  let results = (outs Variadic<I32>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `of` $count `by` $counter `for` $mailbox
    (`carrying` `(` $inits^ `:` type($inits) `)` `->` type($results))?
    $body attr-dict `:` type($counter) `,` type($mailbox)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{ PostOp getPost(); }];
}

def AIKTile_PostOp : AIKTile_Op<"post", [HasParent<"ClaimTilesOp">]> {
  let summary = "tell the other role about a tile";
  let description = [{
    Waits until the slot is empty. The first word is never negative.
  }];
  let arguments = (ins AIKTile_MailboxType:$mailbox, Variadic<I32>:$words);
  let assemblyFormat = "$mailbox `(` $words `)` attr-dict `:` type($mailbox)";
  let hasVerifier = 1;
}

def AIKTile_PostedTilesOp
    : AIKTile_Op<"posted_tiles", [SingleBlockImplicitTerminator<"YieldOp">,
                                  RecursiveMemoryEffects]> {
  let summary = "the tiles that another role claims";
  let description = [{
    The block arguments are the words that were posted, and what is carried from
    one tile to the next.

    ```mlir
    aik_tile.posted_tiles %mailbox { ^bb0(%row: i32, %head: i32): ... } : !aik_tile.mailbox<2 x 2>
    ```
  }];
  let arguments = (ins AIKTile_MailboxType:$mailbox,
      Variadic<AnyTypeOf<[AIKTile_FragType, AIKTile_RowsType, I32]>>:$inits);
  let results = (outs
      Variadic<AnyTypeOf<[AIKTile_FragType, AIKTile_RowsType, I32]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $mailbox (`carrying` `(` $inits^ `:` type($inits) `)` `->` type($results))?
    $body attr-dict `:` type($mailbox)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

def AIKTile_ClearOp
    : AIKTile_Op<"clear", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "zeros in the last of the depth of a row-major tile";
  let description = [{
    From `depth` on, where that is less than the tile has. Each warpgroup does
    it for itself before it multiplies.
  }];
  let arguments = (ins AIKTile_StageType:$stage, I64Attr:$tile, I32:$depth);
  let assemblyFormat = [{
    $stage `tile` custom<Int>($tile) `from` $depth attr-dict `:` type($stage)
  }];
  let hasVerifier = 1;
}

def AIKTile_FillRowsOp : AIKTile_Op<"fill_rows", [Pure]> {
  let summary = "the same number for all rows";
  let arguments = (ins F32Attr:$value);
  let results = (outs AIKTile_RowsType:$rows);
  let assemblyFormat = "$value attr-dict";
}

def AIKTile_CapOp
    : AIKTile_Op<"cap", [Pure, AllTypesMatch<["scores", "capped"]>]> {
  let summary = "`cap` tanh(`scale` score / `cap`)";
  let arguments = (ins AIKTile_FragType:$scores, F32Attr:$scale, F32Attr:$cap);
  let results = (outs AIKTile_FragType:$capped);
  let assemblyFormat = "$scores attr-dict `:` type($scores)";
  let hasVerifier = 1;
}

def AIKTile_AddMaskOp
    : AIKTile_Op<"add_mask", [MemoryEffects<[MemRead]>,
                              AllTypesMatch<["scores", "result"]>]> {
  let summary = "scores times `scale`, plus the numbers of a mask";
  let description = [{
    The score at (r, c) gets element (`row` + r, `column` + c) of matrix `plane`
    of a mask that consists of matrices of `rows` by `columns`. Beyond the last
    row that one goes on, so that 1 serves for all, as 1 column does; else
    nothing is added beyond the last column.

    ```mlir
    %m = aik_tile.add_mask %s, %mask[%plane, %row, %column] of (%rows, %columns) {scale = 0.125 : f32} : !aik_tile.frag<64x128xf32>, memref<1x8x512x512xbf16>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$scores, AnyMemRef:$mask, I32:$plane,
      I32:$row, I32:$column, I32:$rows, I32:$columns, F32Attr:$scale);
  let results = (outs AIKTile_FragType:$result);
  let assemblyFormat = [{
    $scores `,` $mask `[` $plane `,` $row `,` $column `]` `of` `(` $rows `,`
    $columns `)` attr-dict `:` type($scores) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def AIKTile_MaskOp
    : AIKTile_Op<"mask", [Pure, AllTypesMatch<["scores", "masked"]>]> {
  let summary = "scores of keys that a query does not see become -infinity";
  let description = [{
    The score at (r, c) is that of query `row` + r and key `column` + c. Keys
    from `length` on are seen by nobody; with `diagonal` d, key j is seen by
    query i when j <= i + d and, with a `window` w, j > i + d - w.

    ```mlir
    %m = aik_tile.mask %s at (%row, %column) length %n diagonal %d : !aik_tile.frag<64x128xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$scores, I32:$row, I32:$column,
      I32:$length, Optional<I32>:$diagonal, OptionalAttr<I64Attr>:$window);
  let results = (outs AIKTile_FragType:$masked);
  let assemblyFormat = [{
    $scores `at` `(` $row `,` $column `)` `length` $length
    (`diagonal` $diagonal^)? (`window` custom<Int>($window)^)? attr-dict `:`
    type($scores)
  }];
  let hasVerifier = 1;
}

def AIKTile_SoftmaxOp
    : AIKTile_Op<"softmax", [Pure, AllTypesMatch<["scores", "weights"]>]> {
  let summary = "a step of a softmax over columns that come block by block";
  let description = [{
    With s = `scale` times the scores:

        maximum' = max(maximum, rowmax(s)),  factors = exp(maximum - maximum')
        weights = exp(s - maximum'),  sum' = sum factors + rowsum(weights)

    where sums are of the elements that a thread holds, to be added up in the
    end, and maximums are those of scores before they are scaled. With
    `keep_maximum` a maximum stays until it would grow by more than 2^8, and
    `changed` says whether one of the warp's did; without, it is true. With
    `masked` rows may have seen nothing yet.

    ```mlir
    %w, %m1, %l1, %f, %changed = aik_tile.softmax %s, %m, %l {scale = 0.125 : f32} : !aik_tile.frag<64x128xf32>
    ```
  }];
  let arguments = (ins AIKTile_FragType:$scores, AIKTile_RowsType:$maximum,
      AIKTile_RowsType:$sum, F32Attr:$scale, UnitAttr:$keep_maximum,
      UnitAttr:$masked);
  let results = (outs AIKTile_FragType:$weights, AIKTile_RowsType:$new_maximum,
      AIKTile_RowsType:$new_sum, AIKTile_RowsType:$factors, I1:$changed);
  let assemblyFormat = [{
    $scores `,` $maximum `,` $sum attr-dict `:` type($scores)
  }];
  let hasVerifier = 1;
}

def AIKTile_ScaleRowsOp
    : AIKTile_Op<"scale_rows", [Pure, AllTypesMatch<["frag", "result"]>]> {
  let summary = "each row of a fragment times a factor, if anything changed";
  let arguments = (ins AIKTile_FragType:$frag, AIKTile_RowsType:$factors,
      I1:$changed);
  let results = (outs AIKTile_FragType:$result);
  let assemblyFormat = [{
    $frag `by` $factors `if` $changed attr-dict `:` type($frag)
  }];
  let hasVerifier = 1;
}

def AIKTile_RoundOp : AIKTile_Op<"round", [Pure]> {
  let summary = "a fragment of f32 in a narrow type";
  let arguments = (ins AIKTile_FragType:$frag);
  let results = (outs AIKTile_FragType:$result);
  let assemblyFormat = "$frag attr-dict `:` type($frag) `->` type($result)";
  let hasVerifier = 1;
}

def AIKTile_AddUpOp : AIKTile_Op<"add_up", [Pure]> {
  let summary = "the sums of rows of which threads hold the parts";
  let arguments = (ins AIKTile_RowsType:$parts);
  let results = (outs AIKTile_RowsType:$sums);
  let assemblyFormat = "$parts attr-dict";
}

def AIKTile_DivideRowsOp : AIKTile_Op<"divide_rows", [Pure]> {
  let summary = "each row of a fragment by a number; by 0 gives 0";
  let arguments = (ins AIKTile_FragType:$frag, AIKTile_RowsType:$by);
  let results = (outs AIKTile_FragType:$result);
  let assemblyFormat = [{
    $frag `by` $by attr-dict `:` type($frag) `->` type($result)
  }];
  let hasVerifier = 1;
}

def AIKTile_StoreRowsOp
    : AIKTile_Op<"store_rows", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "store a number per row, times `scale`";
  let description = [{
    To `to`[`first`, `row`] and on, as far as there are `rows` of them.

    ```mlir
    aik_tile.store_rows %sums, %to[%first, %row] of %rows {scale = 1.0 : f32} : memref<1x8x512xf32>
    ```
  }];
  let arguments = (ins AIKTile_RowsType:$values, AnyMemRef:$to, I32:$first,
      I32:$row, I32:$rows, F32Attr:$scale);
  let assemblyFormat = [{
    $values `,` $to `[` $first `,` $row `]` `of` $rows attr-dict `:` type($to)
  }];
}

#endif // AIKERNEL_TILEATTENTION_TD
