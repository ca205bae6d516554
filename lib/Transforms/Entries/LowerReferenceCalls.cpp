//===- LowerReferenceCalls.cpp - Reference calls to C calls ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: aikernel.reference_call on memrefs. Out: calls of aik_ref_<name> on
// aik_tensor structs (Entry.h) that live on the stack of the function.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "aik-lower-reference-calls"

namespace aikernel {
#define GEN_PASS_DEF_LOWERREFERENCECALLSPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// Lowers one call.
class CallLowering {
public:
  CallLowering(ReferenceCallOp op)
      : op(op), loc(op.getLoc()), builder(op), i32(builder.getI32Type()),
        i64(builder.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  LogicalResult lower() {
    for (Value value : op->getOperands())
      if (!entryabi::dtypeOf(
              cast<MemRefType>(value.getType()).getElementType()))
        return op.emitOpError("has an operand of type ")
               << value.getType() << " but no reference takes that";
    SmallVector<Value> operands;
    auto input = op.getInputs().begin();
    for (bool given : op.getOperandPresence())
      operands.push_back(given ? *input++ : Value());
    // Results first: a buffer that is written is live before one that is only
    // read here may die.
    SmallVector<Value> outputs(op.getOutputs());
    // An optional last result that nobody wants is there, absent.
    outputs.push_back(Value());
    Value results = buildTensors(outputs);
    Value inputs = buildTensors(operands);
    Value params = buildParams();
    func::FuncOp callee = getCallee();
    func::CallOp::create(builder, loc, callee,
                         ValueRange{inputs, results, params});
    op.erase();
    return success();
  }

private:
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }

  /// Memory of the function, also when the call is in a loop.
  Value allocate(Type element, unsigned count) {
    OpBuilder::InsertionGuard guard(builder);
    auto function = op->getParentOfType<FunctionOpInterface>();
    builder.setInsertionPointToStart(&function.getFunctionBody().front());
    Value size = constant(i64, std::max(count, 1u));
    return LLVM::AllocaOp::create(builder, loc, pointer, element, size,
                                  /*alignment=*/8);
  }

  Value asI64(OpFoldResult value) {
    if (auto attribute = dyn_cast<Attribute>(value))
      return constant(i64, cast<IntegerAttr>(attribute).getInt());
    return arith::IndexCastOp::create(builder, loc, i64, cast<Value>(value));
  }

  /// An array of aik_tensor; a null value is an absent operand.
  Value buildTensors(ArrayRef<Value> values) {
    Value tensors =
        allocate(entryabi::tensorType(builder.getContext()), values.size());
    for (auto [index, value] : llvm::enumerate(values))
      fillTensor(tensors, index, value);
    return tensors;
  }

  void store(Value value, Value tensors, unsigned index,
             entryabi::TensorField field,
             std::optional<unsigned> element = std::nullopt) {
    Value address =
        entryabi::fieldAddress(builder, loc, tensors, index, field, element);
    LLVM::StoreOp::create(builder, loc, value, address);
  }

  void fillTensor(Value tensors, unsigned index, Value memref) {
    if (!memref) {
      store(LLVM::ZeroOp::create(builder, loc, pointer), tensors, index,
            entryabi::kTensorData);
      store(constant(i32, AIK_DTYPE_NONE), tensors, index,
            entryabi::kTensorDtype);
      store(constant(i32, 0), tensors, index, entryabi::kTensorRank);
      return;
    }
    auto type = cast<MemRefType>(memref.getType());
    Type element = type.getElementType();
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, loc, metadata.getBaseBuffer());
    int64_t bytes = element.isIndex()
                        ? 8
                        : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    Value offset = arith::MulIOp::create(
        builder, loc, asI64(metadata.getConstifiedMixedOffset()),
        constant(i64, bytes));
    Value address = arith::AddIOp::create(builder, loc, asI64(base), offset);
    store(LLVM::IntToPtrOp::create(builder, loc, pointer, address), tensors,
          index, entryabi::kTensorData);
    store(constant(i32, *entryabi::dtypeOf(element)), tensors, index,
          entryabi::kTensorDtype);
    store(constant(i32, type.getRank()), tensors, index, entryabi::kTensorRank);
    SmallVector<OpFoldResult> sizes = metadata.getConstifiedMixedSizes();
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    for (unsigned dim = 0, e = sizes.size(); dim != e; ++dim) {
      store(asI64(sizes[dim]), tensors, index, entryabi::kTensorDims, dim);
      store(asI64(strides[dim]), tensors, index, entryabi::kTensorStrides, dim);
    }
  }

  Value buildParams() {
    ArrayRef<double> values = op.getParams();
    Value params = allocate(builder.getF64Type(), values.size());
    for (auto [index, value] : llvm::enumerate(values)) {
      Value number = arith::ConstantOp::create(builder, loc,
                                               builder.getF64FloatAttr(value));
      Value address = LLVM::GEPOp::create(
          builder, loc, pointer, builder.getF64Type(), params,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      LLVM::StoreOp::create(builder, loc, number, address);
    }
    return params;
  }

  /// The declaration of the reference beside the function that calls it.
  func::FuncOp getCallee() {
    std::string name = ("aik_ref_" + op.getCallee()).str();
    Operation *table = SymbolTable::getNearestSymbolTable(op);
    if (Operation *known = SymbolTable::lookupSymbolIn(table, name))
      return cast<func::FuncOp>(known);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&table->getRegion(0).front());
    auto callee = func::FuncOp::create(
        builder, loc, name,
        builder.getFunctionType({pointer, pointer, pointer}, {}));
    callee.setPrivate();
    return callee;
  }

  ReferenceCallOp op;
  Location loc;
  OpBuilder builder;
  Type i32, i64, pointer;
};

struct LowerReferenceCallsPass
    : aikernel::impl::LowerReferenceCallsPassBase<LowerReferenceCallsPass> {
  using LowerReferenceCallsPassBase::LowerReferenceCallsPassBase;

  void runOnOperation() override {
    SmallVector<ReferenceCallOp> calls;
    getOperation()->walk([&](ReferenceCallOp op) { calls.push_back(op); });
    for (ReferenceCallOp op : calls) {
      if (op->getNumResults() != 0) {
        op.emitOpError("is on tensors but must be bufferized first");
        return signalPassFailure();
      }
      if (failed(CallLowering(op).lower()))
        return signalPassFailure();
    }
  }
};

} // namespace
