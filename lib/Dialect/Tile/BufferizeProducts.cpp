//===- BufferizeProducts.cpp - Products onto memrefs ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.product on tensors. Out: the same on memrefs, written into its
// destination, whose contents it does not read.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace aikernel::tile;
using namespace bufferization;

namespace {

struct InPlace : DstBufferizableOpInterfaceExternalModel<InPlace, ProductOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto product = cast<ProductOp>(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    OperationState onMemory(op->getLoc(), op->getName(), operands, TypeRange{},
                            op->getAttrs());
    onMemory.addRegion();
    auto made = cast<ProductOp>(rewriter.create(onMemory));
    rewriter.inlineRegionBefore(product.getBody(), made.getBody(),
                                made.getBody().end());
    replaceOpWithBufferizedValues(rewriter, op, made.getOut());
    return success();
  }
};

} // namespace

void aikernel::tile::registerProductBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AIKTileDialect *) {
    ProductOp::attachInterface<InPlace>(*context);
  });
}
