//===- BufferizeProducts.cpp - Products onto memrefs ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aik_tile.product and aik_tile.attention on tensors. Out: the same on
// memrefs, written into their destinations, whose contents they do not read;
// but attention counts on from what its counter holds.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace aikernel::tile;
using namespace bufferization;

namespace {

template <typename OpTy>
struct InPlace : DstBufferizableOpInterfaceExternalModel<InPlace<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    if (auto attention = dyn_cast<AttentionOp>(op))
      if (operand.get() == attention.getCounter())
        return true;
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
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
    for (Region &region : op->getRegions())
      onMemory.addRegion()->takeBody(region);
    Operation *made = rewriter.create(onMemory);
    SmallVector<Value> outputs(
        cast<DestinationStyleOpInterface>(made).getDpsInits());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

} // namespace

void aikernel::tile::registerProductBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AIKTileDialect *) {
    AttentionOp::attachInterface<InPlace<AttentionOp>>(*context);
    ProductOp::attachInterface<InPlace<ProductOp>>(*context);
  });
}
