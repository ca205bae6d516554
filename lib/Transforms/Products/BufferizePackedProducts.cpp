//===- BufferizePackedProducts.cpp - Internal ops onto memrefs ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: pack_panels, packed_product, pack_blocks, block products, pack_lanes,
// lane_product and online_attention on tensors. Out: the same on memrefs,
// written in place into what they have as destinations.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Products/BufferizePackedProducts.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace aikernel;
using namespace bufferization;

namespace {

/// Does the op read what its destination held before?
bool readsDestination(PackPanelsOp) { return false; }
bool readsDestination(PackBlocksOp) { return false; }
bool readsDestination(PackLanesOp) { return false; }
bool readsDestination(LaneProductOp) { return false; }
bool readsDestination(BlockGemvOp) { return false; }
bool readsDestination(OnlineAttentionOp) { return true; }
bool readsDestination(BlockMatmulOp) { return false; }
bool readsDestination(PackedProductOp op) { return !op.getOverwrite(); }

template <typename OpTy>
struct InPlace : DstBufferizableOpInterfaceExternalModel<InPlace<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto dps = cast<DestinationStyleOpInterface>(op);
    return !dps.isDpsInit(&operand) || readsDestination(cast<OpTy>(op));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto dps = cast<DestinationStyleOpInterface>(op);
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
    rewriter.create(onMemory);
    SmallVector<Value> results;
    for (OpOperand &init : dps.getDpsInitsMutable())
      results.push_back(operands[init.getOperandNumber()]);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void aikernel::registerPackedProductBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AIKernelDialect *) {
    PackPanelsOp::attachInterface<InPlace<PackPanelsOp>>(*context);
    PackBlocksOp::attachInterface<InPlace<PackBlocksOp>>(*context);
    PackLanesOp::attachInterface<InPlace<PackLanesOp>>(*context);
    LaneProductOp::attachInterface<InPlace<LaneProductOp>>(*context);
    BlockGemvOp::attachInterface<InPlace<BlockGemvOp>>(*context);
    OnlineAttentionOp::attachInterface<InPlace<OnlineAttentionOp>>(*context);
    BlockMatmulOp::attachInterface<InPlace<BlockMatmulOp>>(*context);
    PackedProductOp::attachInterface<InPlace<PackedProductOp>>(*context);
  });
}
