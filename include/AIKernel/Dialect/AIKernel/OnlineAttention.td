//===- OnlineAttention.td - Attention that tiles along its keys -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal: written by aik-aikernel-to-linalg, tiled by the schedule, lowered
// by aik-decompose-attention or, where aik-pack-products found an instruction
// for it, by aik-lower-attention. Not part of the vocabulary for users.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_ONLINEATTENTION_TD
#define AIKERNEL_ONLINEATTENTION_TD

include "AIKernel/Dialect/AIKernel/AIKernelAttrs.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def AIKernel_OnlineAttentionOp
    : AIKernel_Op<"online_attention", [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain",
          "getTiledImplementation", "getResultTilePosition",
          "generateResultTileValue", "getIterationDomainTileFromResultTile",
          "isOpFusableWithConsumerSlice"]>]> {
  let summary = "a step of attention: some keys, added to carried sums";
  let description = [{
    Internal, in destination style. With S = scale Q K^T (soft-capped, masked,
    -inf where a key is not visible) it gives

        max' = max(max, rowmax(S))
        sum' = sum exp(max - max') + rowsum(exp(S - max'))
        acc' = acc exp(max - max') + exp(S - max') V

    so that `acc / sum` over all keys is attention. `acc` is `[B, H, Sq, Dv]`,
    `max` and `sum` are `[B, H, Sq]`, in f32 (f64 for f64), in either layout of
    q, k and v. The loops are batch, head, query (parallel) and key (reduction).

    Key j of this tile is number `key_offset` + j. Query (b, i) sees the keys
    from `begin`[b, i] up to, not including, `end`[b, i] (`i32[B, Sq]`, absolute;
    absent: no bound). Keys from `kv_len`[b] on are seen by no query and their
    values may be anything, NaN included. Query head h of this tile reads key
    head (`head_offset` + h) / `group` of the tile.

    `causal` and `window` say how the bounds came about, in the terms of
    `aikernel.attention`, for those who would rather compute them; a tile does
    not have them.

    `instruction` names the row of the instruction table
    (MatrixInstructions.h) that multiplies: such an op keeps all its keys and
    becomes, on memrefs, loops over register tiles or, with few queries, or
    some of heads that share keys, over parts of the keys
    (`aikernel.attention_part`, on GPUs).
    `any_queries` says that nobody knows how many there are, and that they may
    be few: a tile never knows how many it has.

    ```mlir
    %r:3 = aikernel.online_attention %q, %k, %v scale %s key_offset %c0 head_offset %c0 group %c1 outs %acc, %max, %sum : (tensor<1x8x32x64xf32>, tensor<1x8x128x64xf32>, tensor<1x8x128x64xf32>, f32, index, index, index, tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> (tensor<1x8x32x64xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>)
    ```
  }];
  let arguments = (ins AnyShaped:$q, AnyShaped:$k,
      AnyShaped:$v, Optional<AnyShaped>:$mask,
      Optional<AnyShaped>:$begin, Optional<AnyShaped>:$end,
      Optional<AnyShaped>:$kv_len, AnyFloat:$scale, Index:$key_offset,
      Index:$head_offset, Index:$group, Variadic<AnyShaped>:$outputs,
      OptionalAttr<F64Attr>:$softcap, OptionalAttr<StrAttr>:$instruction,
      UnitAttr:$any_queries,
      DefaultValuedAttr<AIKernel_LayoutKindAttr,
                        "::aikernel::LayoutKind::Bhsd">:$layout,
      UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`begin` $begin^)? (`end` $end^)?
    (`kv_len` $kv_len^)? `scale` $scale `key_offset` $key_offset
    `head_offset` $head_offset `group` $group `outs` $outputs
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getHeadDim() { return getLayout() == LayoutKind::Bhsd ? 1 : 2; }
    int64_t getSequenceDim() { return getLayout() == LayoutKind::Bhsd ? 2 : 1; }
    ::mlir::Value getAcc() { return getOutputs()[0]; }
    ::mlir::Value getMax() { return getOutputs()[1]; }
    ::mlir::Value getSum() { return getOutputs()[2]; }
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// How many queries of a head, with known features, are handled together
    /// so that their sums stay in L2 and on a worker's stack.
    int64_t getQueriesAtOnce();
    /// Query heads per key head where that is a constant, else 0.
    int64_t getConstantGroup();
    /// Has each key head so few rows, of all its query heads, that reading the
    /// keys and values is the work? Such an op, with an instruction, is left
    /// whole: aik-lower-attention splits it along its keys.
    bool hasFewRows();
    /// Do the query heads that share a key head have so few rows together that
    /// packing its keys for each of them would be much of the work? Such an op,
    /// with an instruction and without a mask, is left whole, too; its parts
    /// have those heads as one.
    bool sharesPackedKeys();
    bool isSplitAlongKeys() { return hasFewRows() || sharesPackedKeys(); }
    /// Computes, of this op's keys, the first that some query sees and the one
    /// past the last; both lie within 0 and the number of keys. Keys outside
    /// change nothing.
    std::pair<::mlir::Value, ::mlir::Value>
    buildVisibleKeys(::mlir::OpBuilder &builder);
  }];
}

def AIKernel_AttentionPartOp
    : AIKernel_Op<"attention_part", [
        AttrSizedOperandSegments,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "what one block of threads does of attention with few queries";
  let description = [{
    Internal, on memrefs: the queries of one key head against the keys from
    `first` up to, not including, `past`. What it finds goes to row `number`,
    `part` of `parts`, a triple of an accumulator `[heads, parts, rows, Dv]`, a
    maximum and a sum `[heads, parts, rows]` as of `aikernel.online_attention`.
    Where a head has several parts, a word for each head (`i64`) comes with them:
    blocks count there that they have arrived. Nobody has to set it before.
    Rows are query heads times queries, in the order of the accumulator.

    Blocks with the same `number` are the parts of one head, of which the first
    `used` have keys. The last of them to arrive adds up those and what `outs`
    held before, into `outs`, and its result is true; that of the others is
    false. `aligned` says that rows of q, k and v begin at multiples of 16 bytes.

    ```mlir
    %done = aikernel.attention_part %q, %k, %v end %end scale %s keys %first to %past head %h part %p of %used parts %accs, %maxs, %sums outs %acc, %max, %sum : (memref<1x4x1x128xbf16>, memref<1x1x4096x128xbf16>, memref<1x1x4096x128xbf16>, memref<1x1xi32>, f32, index, index, index, index, index, memref<8x16x4x128xf32>, memref<8x16x4xf32>, memref<8x16x4xf32>, memref<1x4x1x128xf32>, memref<1x4x1xf32>, memref<1x4x1xf32>) -> i1
    ```
  }];
  let arguments = (ins AnyMemRef:$q, AnyMemRef:$k, AnyMemRef:$v,
      Optional<AnyMemRef>:$mask, Optional<AnyMemRef>:$begin,
      Optional<AnyMemRef>:$end, F32:$scale, Index:$first, Index:$past,
      Index:$number, Index:$part, Index:$used,
      Variadic<AnyMemRef>:$parts, Variadic<AnyMemRef>:$outputs,
      OptionalAttr<F64Attr>:$softcap, UnitAttr:$aligned,
      DefaultValuedAttr<AIKernel_LayoutKindAttr,
                        "::aikernel::LayoutKind::Bhsd">:$layout);
  let results = (outs I1:$isDone);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`begin` $begin^)? (`end` $end^)?
    `scale` $scale `keys` $first `to` $past `head` $number `part` $part `of`
    $used `parts` $parts `outs` $outputs attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getHeadDim() { return getLayout() == LayoutKind::Bhsd ? 1 : 2; }
    int64_t getSequenceDim() { return getLayout() == LayoutKind::Bhsd ? 2 : 1; }
    ::mlir::Value getAcc() { return getOutputs()[0]; }
    ::mlir::Value getMax() { return getOutputs()[1]; }
    ::mlir::Value getSum() { return getOutputs()[2]; }
    /// Sizes that are constants.
    int64_t getHeads() {
      return getQ().getType().getDimSize(getHeadDim());
    }
    int64_t getQueries() {
      return getQ().getType().getDimSize(getSequenceDim());
    }
    int64_t getRows() { return getHeads() * getQueries(); }
    int64_t getDepth() { return getQ().getType().getDimSize(3); }
    int64_t getFeatures() { return getV().getType().getDimSize(3); }
  }];
}

#endif // AIKERNEL_ONLINEATTENTION_TD
