//===- BlockProduct.td - Products with blocks of integers -----------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal: block_gemv is what aik-aikernel-to-linalg makes of a quant_gemv of
// integers with a weight; aik-pack-blocks packs the weight, and
// aik-lower-block-products writes the loops. Both ops work on tensors and,
// after bufferization, on memrefs.
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

def AIKernel_BlockGemvOp
    : AIKernel_Op<"block_gemv", [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let summary = "blocks of quantized weights times blocks of integers";
  let description = [{
    Internal, in destination style: y = W x where x is already quantized.
    `w` is `[N, bytes]` in `format`, or what `pack_blocks` made of it; `x` is
    i8 `[blocks, block]`, `scales` f32 `[blocks]`, `sums` i32 `[blocks, chunks]`
    the sums of the integers of each chunk (QuantPanels.h), and
    `scaled_sums` f32 `[blocks]` what minimums of whole blocks are multiplied
    with. `out` is f32 `[N]`.

    ```mlir
    %y = aikernel.block_gemv %w, %x scales %d sums %s outs %o {format = #aikernel.quant<q4_0>} : (tensor<7x2x288xi8>, tensor<2x32xi8>, tensor<2xf32>, tensor<2x1xi32>, tensor<100xf32>) -> tensor<100xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$w, AnyShaped:$x, AnyShaped:$scales,
      AnyShaped:$sums, Optional<AnyShaped>:$scaled_sums, AnyShaped:$out,
      AIKernel_QuantAttr:$format, UnitAttr:$whole_bytes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $w `,` $x `scales` $scales `sums` $sums (`scaled_sums` $scaled_sums^)?
    `outs` $out attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    bool isPacked();
  }];
}

#endif // AIKERNEL_BLOCKPRODUCT_TD
