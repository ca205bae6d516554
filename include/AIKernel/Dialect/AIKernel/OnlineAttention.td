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

    `instruction` names the row of the instruction table
    (MatrixInstructions.h) that multiplies: such an op keeps all its keys and
    becomes, on memrefs, loops over register tiles or, where there are few
    queries, over parts of the keys.

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
      DefaultValuedAttr<AIKernel_LayoutKindAttr,
                        "::aikernel::LayoutKind::Bhsd">:$layout);
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
    /// Computes, of this op's keys, the first that some query sees and the one
    /// past the last; both lie within 0 and the number of keys. Keys outside
    /// change nothing.
    std::pair<::mlir::Value, ::mlir::Value>
    buildVisibleKeys(::mlir::OpBuilder &builder);
  }];
}

#endif // AIKERNEL_ONLINEATTENTION_TD
