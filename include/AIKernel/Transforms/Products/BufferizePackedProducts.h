//===- BufferizePackedProducts.h - Internal ops from tensors to memrefs ---===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TRANSFORMS_PRODUCTS_BUFFERIZEPACKEDPRODUCTS_H
#define AIKERNEL_TRANSFORMS_PRODUCTS_BUFFERIZEPACKEDPRODUCTS_H

namespace mlir {
class DialectRegistry;
}

namespace aikernel {

/// Lets one-shot bufferization handle pack_panels and packed_product.
void registerPackedProductBufferization(mlir::DialectRegistry &registry);

} // namespace aikernel

#endif // AIKERNEL_TRANSFORMS_PRODUCTS_BUFFERIZEPACKEDPRODUCTS_H
