//===- BlockProduct.td - Products with blocks of integers -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal: block_gemv and block_matmul are what aik-aikernel-to-linalg makes of
// integer products with a weight; aik-pack-blocks packs the weight, and
// aik-lower-block-products writes the loops. All ops work on tensors and, after
// bufferization, on memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_BLOCKPRODUCT_TD
#define AIKERNEL_BLOCKPRODUCT_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "AIKernel/Dialect/AIKernel/PackedProduct.td"
include "AIKernel/Dialect/AIKernel/QuantOps.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def AIKernel_PackBlocksOp
    : AIKernel_Op<"pack_blocks", [
        AIKernel_PacksSource, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let summary = "quantized rows, interleaved sixteen at a time";
  let description = [{
    Internal, in destination style. `source` is `[N, bytes]` in `format`,
    `dest` `[ceil(N / 16), blocks, bytes of a block of a panel]`; where the
    numbers are is said in QuantPanels.h; with `whole_bytes` every code is a
    byte. Rows beyond N are zero bytes.

    ```mlir
    %p = aikernel.pack_blocks %w outs %d {format = #aikernel.quant<q4_0>} : (tensor<100x36xi8>, tensor<7x2x288xi8>) -> tensor<7x2x288xi8>
    ```
  }];
  let arguments = (ins AnyShaped:$source, AnyShaped:$dest,
      AIKernel_QuantAttr:$format, UnitAttr:$whole_bytes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $source `outs` $dest attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestMutable();
    }
  }];
}

// Operands that both products have. `w_scales` and `w_zeros` belong to formats
// whose blocks hold integers alone.
class AIKernel_BlockProductOp<string mnemonic>
    : AIKernel_Op<mnemonic, [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain",
          "getTiledImplementation", "getResultTilePosition",
          "generateResultTileValue",
          "getIterationDomainTileFromResultTile"]>]> {
  let arguments = (ins AnyShaped:$w, Optional<AnyShaped>:$w_scales,
      Optional<AnyShaped>:$w_zeros, AnyShaped:$x, AnyShaped:$scales,
      AnyShaped:$sums, Optional<AnyShaped>:$scaled_sums,
      Optional<AnyShaped>:$source, AnyShaped:$out,
      AIKernel_QuantAttr:$format, UnitAttr:$whole_bytes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $w (`w_scales` $w_scales^)? (`w_zeros` $w_zeros^)? `,` $x `scales` $scales
    `sums` $sums (`scaled_sums` $scaled_sums^)? (`source` $source^)?
    `outs` $out attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    bool isPacked();
  }];
}

def AIKernel_BlockGemvOp : AIKernel_BlockProductOp<"block_gemv"> {
  let summary = "blocks of quantized weights times blocks of integers";
  let description = [{
    Internal, in destination style: y = W x where x is already quantized.
    `w` is `[N, bytes]` in `format`, or what `pack_blocks` made of it; `x` is
    i8 `[blocks, block]`, `scales` f32 `[blocks]`, `sums` i32 `[blocks, chunks]`
    the sums of the integers of each chunk (QuantPanels.h), and
    `scaled_sums` f32 `[blocks]` what minimums of whole blocks are multiplied
    with. Grouped formats have `w_scales` and optionally `w_zeros`
    `[N, blocks]`, with packed weights f32 and i8 in panels of sixteen rows
    (`pack_panels`). `source` is what x was before it was quantized, for
    targets that would rather do that themselves. `out` is f32 `[N]`; tiles of it start at multiples of 16.

    ```mlir
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
    ```
  }];
}

def AIKernel_BlockMatmulOp : AIKernel_BlockProductOp<"block_matmul"> {
  let summary = "blocks of quantized weights times rows of blocks of integers";
  let description = [{
    Internal, in destination style: Y = X W^T, for each row of x what
    `block_gemv` is for one: `x` is i8 `[M, blocks, block]`, `scales` f32
    `[M, blocks]`, `sums` i32 `[M, blocks, chunks]`, `scaled_sums` f32
    `[M, blocks]`, and `out` f32 `[M, N]`.

    With packed weights those are packed too (`pack_panels`), in panels of the T
    rows that a register tile has: `x` is `[parts, M / T, steps, T, depth]`,
    where a part is so many whole blocks as are unpacked at once, and a step the
    elements that one instruction takes of a row; the others are
    `[parts, M / T, blocks, T, C]` (`sums`: blocks * chunks), with the blocks of
    a part and each number C times, once for each lane that a row has in the
    sums of an instruction.

    ```mlir
    %y = aikernel.block_matmul %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<1x2x8x8x8xi8>, tensor<1x2x2x8x2xf32>, tensor<1x2x2x8x2xi32>, tensor<9x100xf32>) -> tensor<9x100xf32>
    ```
  }];
}

#endif // AIKERNEL_BLOCKPRODUCT_TD
