//===- LaneProduct.td - Quantized products by the lanes of warps ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal: what aik-pack-lanes makes of block products for GPUs;
// aik-lower-lane-packing packs, aik-distribute-threads writes what a thread
// does of a product, and aik-lower-lane-twins what the host does. Both ops work
// on tensors and, after bufferization, on memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LANEPRODUCT_TD
#define AIKERNEL_LANEPRODUCT_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "AIKernel/Dialect/AIKernel/PackedProduct.td"
include "AIKernel/Dialect/AIKernel/QuantOps.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def AIKernel_LaneSection
    : AIKernel_Enum<"LaneSection",
                    "which numbers of quantized rows a tensor has", [
        I32EnumAttrCase<"Codes", 0, "codes">,
        I32EnumAttrCase<"High", 1, "high">,
        I32EnumAttrCase<"Small", 2, "small">,
        I32EnumAttrCase<"Scales", 3, "scales">
      ]>;
def AIKernel_LaneSectionAttr
    : AIKernel_EnumAttr<AIKernel_LaneSection, "lane_section">;

def AIKernel_PackLanesOp
    : AIKernel_Op<"pack_lanes", [
        AIKernel_PacksSource, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let summary = "numbers of quantized rows, four rows at a time";
  let description = [{
    Internal, in destination style. `source` is `[N, bytes]` in `format`, `dest`
    one of the tensors of words that QuantLanes.h describes. Rows beyond N
    repeat the last one.

    ```mlir
    %p = aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<codes>} : (tensor<100x36xi8>, tensor<25x4x1x2x4xi32>) -> tensor<25x4x1x2x4xi32>
    ```
  }];
  let arguments = (ins AnyShaped:$source, AnyShaped:$dest,
      AIKernel_QuantAttr:$format, AIKernel_LaneSectionAttr:$section);
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

def AIKernel_LaneProductOp
    : AIKernel_Op<"lane_product", [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain",
          "getTiledImplementation", "getResultTilePosition",
          "generateResultTileValue",
          "getIterationDomainTileFromResultTile"]>]> {
  let summary = "quantized rows times a few rows of floats";
  let description = [{
    Internal, in destination style: `out`, f32 `[N]` or `[M, N]`, are the
    products of the rows of W with `x`, floats `[K]` or `[M, K]`, which each
    block of threads quantizes by itself. W is given by what `pack_lanes` made
    of it; grouped formats have `w_scales` and optionally `w_zeros`
    `[N, blocks]` as they are. Tiles of `out` have all rows of `x` and start at
    multiples of four.

    ```mlir
    %y = aikernel.lane_product %c scales %s, %x outs %o {format = #aikernel.quant<q4_0>} : (tensor<25x4x1x2x4xi32>, tensor<25x2x2xi32>, tensor<64xf32>, tensor<100xf32>) -> tensor<100xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$codes, Optional<AnyShaped>:$high,
      Optional<AnyShaped>:$small, Optional<AnyShaped>:$scales,
      Optional<AnyShaped>:$w_scales, Optional<AnyShaped>:$w_zeros,
      AnyShaped:$x, AnyShaped:$out, AIKernel_QuantAttr:$format);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $codes (`high` $high^)? (`small` $small^)? (`scales` $scales^)?
    (`w_scales` $w_scales^)? (`w_zeros` $w_zeros^)? `,` $x `outs` $out
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    /// Units of a row.
    int64_t getUnits();
    /// Rows of x.
    int64_t getRows();
  }];
}

#endif // AIKERNEL_LANEPRODUCT_TD
