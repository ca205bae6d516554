//===- PackedProduct.td - Matrix products of packed operands --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal: written by aik-pack-products, tiled by the schedule, lowered by
// aik-lower-packed-products. Both ops work on tensors and, after
// bufferization, on memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_PACKEDPRODUCT_TD
#define AIKERNEL_PACKEDPRODUCT_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

// The op rearranges its first operand into its destination, by its attributes
// alone: aik-prepare-weights may do it once.
def AIKernel_PacksSource : NativeOpTrait<"PacksSource"> {
  let cppNamespace = "::aikernel";
}

def AIKernel_PackPanelsOp
    : AIKernel_Op<"pack_panels", [
        AIKernel_PacksSource, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>]> {
  let summary = "an operand of a product, laid out for the register tile";
  let description = [{
    Internal, in destination style. Of the matrix with rows `panel_dim` and
    columns `depth_dim` of `source`, for each index of the other dimensions:

        dest[others, block, panel, step, row, i] =
            source[panel * R + row, (block * S + step) * D + i]

    where R x D are the last two sizes of `dest` and S is the size before them.
    Elements are converted to the type of `dest`, and with `flip_sign` the sign
    bit of each is inverted, so that it is the unsigned number 128 above; what
    lies outside of `source` is zero in the last panel and up to the last step,
    and not written beyond them. The number of steps is a multiple of
    `step_multiple`, for instructions that take several steps of this operand
    and one of the other.

    With `parts` above 1 a number is packed as a sum of that many bf16 numbers.
    After `step_multiple` steps of first parts come as many of second ones, and
    so on. Each block of a panel has as many steps again at its end, of which the
    first 64 elements hold the largest magnitudes of its numbers, 32 words, and the
    others nothing.

    ```mlir
    %p = aikernel.pack_panels %b outs %d {panel_dim = 1 : i64, depth_dim = 0 : i64} : (tensor<300x100xf32>, tensor<2x9x150x12x1xf32>) -> tensor<2x9x150x12x1xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$source, AnyShaped:$dest,
      I64Attr:$panel_dim, I64Attr:$depth_dim,
      DefaultValuedAttr<I64Attr, "1">:$step_multiple, UnitAttr:$flip_sign,
      DefaultValuedAttr<I64Attr, "1">:$parts);
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

def AIKernel_PackedProductOp
    : AIKernel_Op<"packed_product", [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                  ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain",
          "getTiledImplementation", "getResultTilePosition",
          "generateResultTileValue",
          "getIterationDomainTileFromResultTile"]>]> {
  let summary = "C += A B of packed A and B";
  let description = [{
    Internal, in destination style. Its loops are batch loops, then rows, then
    columns, all parallel; `out_map` takes them to the dimensions of `out`,
    `lhs_map` and `rhs_map` to the leading dimensions of the packed operands,
    of which five follow: block, panel, step, row, element (see
    `pack_panels`). `depth` is the true length of the sums. With `overwrite`
    the result is A B alone. `instruction` names the row of the instruction
    table (MatrixInstructions.h) for which the operands are packed. Tiles start
    at multiples of its panels.

    ```mlir
    %c = aikernel.packed_product %a, %b depth %k outs %o {instruction = "fmla.f32", lhs_map = affine_map<(m, n) -> ()>, rhs_map = affine_map<(m, n) -> ()>, out_map = affine_map<(m, n) -> (m, n)>, overwrite} : (tensor<2x16x150x8x1xf32>, tensor<2x9x150x12x1xf32>, index, tensor<128x100xf32>) -> tensor<128x100xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$lhs, AnyShaped:$rhs, Index:$depth,
      AnyShaped:$out, StrAttr:$instruction, AffineMapAttr:$lhs_map,
      AffineMapAttr:$rhs_map, AffineMapAttr:$out_map, UnitAttr:$overwrite);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $lhs `,` $rhs `depth` $depth `outs` $out attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    unsigned getNumLoops() { return getOutMap().getNumDims(); }
    /// Rows of a panel of the left operand, columns of one of the right.
    int64_t getPanelRows();
    int64_t getPanelColumns();
  }];
}

#endif // AIKERNEL_PACKEDPRODUCT_TD
