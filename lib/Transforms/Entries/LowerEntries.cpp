//===- LowerEntries.cpp - The exported functions of an image --------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: entry functions on memrefs (see Entries.h), with aikernel.check and
// aikernel.env inside.
// Out: for each function f the five exported symbols of AIKernel-c/Entry.h,
// each a wrapper that unpacks aik_tensors and calls a private body:
//
//   func @f(%x: memref<?xf32>, %out: memref<?xf32> {aikernel.result = 0}, ...)
//   ==>  func private @f$body(%env: !llvm.ptr, memrefs) -> i32
//        func @f$run(%env, %args, %results, %workspace: !llvm.ptr) -> i32
//
// Checks inside are given the environment, and become branches later
// (LowerChecks.cpp).
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel/Transforms/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "aik-lower-entries"

namespace aikernel {
#define GEN_PASS_DEF_LOWERENTRIESPASS
#include "AIKernel/Transforms/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

class EntryLowering {
public:
  EntryLowering(func::FuncOp body, StringRef entry, DictionaryAttr signature,
                LLVMTypeConverter &types)
      : body(body), entry(entry), types(types), builder(body.getContext()),
        loc(body.getLoc()), ptr(LLVM::LLVMPointerType::get(body.getContext())) {
    type = cast<FunctionType>(cast<TypeAttr>(signature.get("type")).getValue());
    base = cast<StringAttr>(signature.get("name")).getValue().str();
  }

  void run() {
    takeEnvironment();
    giveEnvironmentToChecks();
    if (entry == "prepare")
      return buildPrepare();
    buildWrapper();
    if (entry == "run" && !hasPrepare())
      buildEmptyPrepare();
  }

private:
  Type i32() { return builder.getI32Type(); }
  Type i64() { return builder.getI64Type(); }
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, value));
  }

  void takeEnvironment() {
    Block &block = body.getBody().front();
    Value env = block.insertArgument(0u, ptr, loc);
    body.walk([&](EnvOp op) {
      op.replaceAllUsesWith(env);
      op.erase();
    });
    SmallVector<Attribute> noAttrs(block.getNumArguments(),
                                   builder.getDictionaryAttr({}));
    // Argument attributes move by one; keep them for the wrapper.
    roles.push_back({});
    for (unsigned i = 0; i + 1 < block.getNumArguments(); ++i)
      roles.push_back(body.getArgAttrDict(i));
    body.setType(builder.getFunctionType(block.getArgumentTypes(), {i32()}));
    body.setAllArgAttrs(noAttrs);
  }

  /// Checks learn where to report; the function returns 0 at its end.
  void giveEnvironmentToChecks() {
    Value env = body.getBody().front().getArgument(0);
    body.walk([&](CheckOp check) {
      if (!check.getEnv())
        check.getEnvMutable().assign(env);
    });
    auto ret = cast<func::ReturnOp>(body.getBody().back().getTerminator());
    builder.setInsertionPoint(ret);
    ret->setOperands(constant(i32(), 0));
  }

  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(builder, loc, type, address);
  }

  /// The memref (or scalar) that tensors[index] describes.
  Value unpack(Value tensors, unsigned index, Type type) {
    Value data = load(ptr, entryabi::fieldAddress(builder, loc, tensors, index,
                                                  entryabi::kTensorData));
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      Type converted = types.convertType(type);
      Value scalar = load(converted, data);
      if (converted == type)
        return scalar;
      return UnrealizedConversionCastOp::create(builder, loc, type, scalar)
          .getResult(0);
    }
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < memref.getRank(); ++dim) {
      if (!memref.isDynamicDim(dim))
        sizes.push_back(constant(i64(), memref.getDimSize(dim)));
      else
        sizes.push_back(
            load(i64(), entryabi::fieldAddress(builder, loc, tensors, index,
                                               entryabi::kTensorDims, dim)));
    }
    return describe(memref, data, sizes);
  }

  /// A dense memref at an address.
  Value describe(MemRefType type, Value data, ArrayRef<Value> sizes) {
    auto descriptor =
        MemRefDescriptor::poison(builder, loc, types.convertType(type));
    descriptor.setAllocatedPtr(builder, loc, data);
    descriptor.setAlignedPtr(builder, loc, data);
    descriptor.setConstantOffset(builder, loc, 0);
    Value stride = constant(i64(), 1);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      descriptor.setSize(builder, loc, dim, sizes[dim]);
      descriptor.setStride(builder, loc, dim, stride);
      if (dim > 0)
        stride = LLVM::MulOp::create(builder, loc, stride, sizes[dim]);
    }
    return UnrealizedConversionCastOp::create(builder, loc, type,
                                              Value(descriptor))
        .getResult(0);
  }

  func::FuncOp startExport(StringRef suffix, TypeRange inputs, Type result) {
    builder.setInsertionPointAfter(body);
    auto wrapper =
        func::FuncOp::create(builder, loc, base + "$" + suffix.str(),
                             builder.getFunctionType(inputs, {result}));
    builder.setInsertionPointToStart(wrapper.addEntryBlock());
    return wrapper;
  }

  void buildWrapper() {
    std::string symbol = base + "$" + entry.str();
    body.setSymName(symbol + "$body");
    body.setPrivate();
    body->removeAttr(kEntryAttrName);
    SmallVector<Type> inputs{ptr, ptr};
    if (entry != "workspace")
      inputs.push_back(ptr);
    if (entry == "run")
      inputs.push_back(ptr);
    bool returnsSize = entry == "workspace";
    func::FuncOp wrapper =
        startExport(entry, inputs, returnsSize ? i64() : i32());
    Value env = wrapper.getArgument(0), args = wrapper.getArgument(1);
    SmallVector<Value> operands{env};
    Value size;
    if (returnsSize)
      size =
          LLVM::AllocaOp::create(builder, loc, ptr, i64(), constant(i64(), 1));
    unsigned nextArg = 0;
    for (unsigned i = 1; i < body.getNumArguments(); ++i) {
      Type wanted = body.getArgumentTypes()[i];
      DictionaryAttr role = roles[i];
      if (role && role.get(kWorkspaceAttrName)) {
        Value bytes = constant(i64(), INT64_MAX);
        operands.push_back(describe(cast<MemRefType>(wanted),
                                    wrapper.getArgument(3), {bytes}));
        continue;
      }
      if (auto prepared = role
                              ? role.getAs<DenseI64ArrayAttr>(kPreparedAttrName)
                              : DenseI64ArrayAttr()) {
        operands.push_back(unpackPrepared(args, prepared, wanted));
        continue;
      }
      auto result =
          role ? role.getAs<IntegerAttr>(kResultAttrName) : IntegerAttr();
      if (!result) {
        operands.push_back(unpack(args, nextArg++, wanted));
        continue;
      }
      if (entry == "run")
        operands.push_back(
            unpack(wrapper.getArgument(2), result.getInt(), wanted));
      else
        operands.push_back(describe(
            cast<MemRefType>(wanted),
            returnsSize
                ? size
                : numberAddress(wrapper.getArgument(2), result.getInt()),
            {}));
    }
    Value status =
        func::CallOp::create(builder, loc, body, operands).getResult(0);
    if (entry == "shape")
      describeResults(wrapper.getArgument(2));
    if (returnsSize) {
      Value bytes = load(i64(), size);
      Value zero = constant(i32(), 0);
      Value failed = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                          status, zero);
      Value wide = LLVM::SExtOp::create(builder, loc, i64(), status);
      status = LLVM::SelectOp::create(builder, loc, failed, wide, bytes);
    }
    func::ReturnOp::create(builder, loc, status);
  }

  /// Where the n-th number of f$shape or f$cost goes.
  Value numberAddress(Value out, unsigned number) {
    if (entry == "cost")
      return LLVM::GEPOp::create(builder, loc, ptr, i64(), out,
                                 ArrayRef<LLVM::GEPArg>{(int32_t)number});
    for (auto [index, result] : llvm::enumerate(type.getResults())) {
      auto shaped = dyn_cast<ShapedType>(result);
      unsigned rank = shaped ? shaped.getRank() : 0;
      if (number < rank)
        return entryabi::fieldAddress(builder, loc, out, index,
                                      entryabi::kTensorDims, number);
      number -= rank;
    }
    llvm_unreachable("f$shape returns one number per dimension");
  }

  /// Element type, rank and dense strides of the results of f$shape.
  void describeResults(Value results) {
    for (auto [index, result] : llvm::enumerate(type.getResults())) {
      auto shaped = dyn_cast<ShapedType>(result);
      unsigned rank = shaped ? shaped.getRank() : 0;
      unsigned dtype = *entryabi::dtypeOf(getElementTypeOrSelf(result));
      auto put = [&, index = index](Value value, entryabi::TensorField field,
                                    std::optional<unsigned> element =
                                        std::nullopt) {
        LLVM::StoreOp::create(builder, loc, value,
                              entryabi::fieldAddress(builder, loc, results,
                                                     index, field, element));
      };
      put(constant(i32(), dtype), entryabi::kTensorDtype);
      put(constant(i32(), rank), entryabi::kTensorRank);
      Value stride = constant(i64(), 1);
      for (int dim = (int)rank - 1; dim >= 0; --dim) {
        put(stride, entryabi::kTensorStrides, dim);
        Value size =
            load(i64(), entryabi::fieldAddress(builder, loc, results, index,
                                               entryabi::kTensorDims, dim));
        stride = LLVM::MulOp::create(builder, loc, stride, size);
      }
    }
  }

  Value offsetBy(Value address, int64_t bytes) {
    return LLVM::GEPOp::create(builder, loc, ptr, builder.getI8Type(), address,
                               ValueRange{constant(i64(), bytes)});
  }

  SmallVector<Value> staticSizes(MemRefType type) {
    SmallVector<Value> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(constant(i64(), size));
    return sizes;
  }

  /// A packed form in the storage of the weight that it belongs to.
  Value unpackPrepared(Value args, DenseI64ArrayAttr place, Type wanted) {
    auto type = cast<MemRefType>(wanted);
    Value data = load(ptr, entryabi::fieldAddress(builder, loc, args, place[0],
                                                  entryabi::kTensorData));
    return describe(type, offsetBy(data, place[1]), staticSizes(type));
  }

  bool hasPrepare() {
    return SymbolTable::lookupNearestSymbolFrom(
        body, builder.getStringAttr(base + "$prepare"));
  }

  /// Nothing is packed: nothing to prepare.
  void buildEmptyPrepare() {
    startExport("prepare", {ptr, ptr, ptr, ptr}, i64());
    func::ReturnOp::create(builder, loc, constant(i64(), 0));
  }

  /// Without storage the bytes that it needs; else packs, and gives the
  /// arguments with the weights' data in the storage.
  void buildPrepare() {
    auto places = body->getAttrOfType<ArrayAttr>(kPreparedAttrName);
    int64_t bytes =
        body->getAttrOfType<IntegerAttr>(kPreparedBytesAttrName).getInt();
    body.setSymName(base + "$prepare$body");
    body.setPrivate();
    body->removeAttr(kEntryAttrName);
    func::FuncOp wrapper = startExport("prepare", {ptr, ptr, ptr, ptr}, i64());
    Value env = wrapper.getArgument(0), args = wrapper.getArgument(1);
    Value prepared = wrapper.getArgument(2), storage = wrapper.getArgument(3);
    Block *pack = wrapper.addBlock(), *measured = wrapper.addBlock();
    Value null = LLVM::ZeroOp::create(builder, loc, ptr);
    Value none = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                      storage, null);
    cf::CondBranchOp::create(builder, loc, none, measured, pack);
    builder.setInsertionPointToStart(measured);
    func::ReturnOp::create(builder, loc, constant(i64(), bytes));

    builder.setInsertionPointToStart(pack);
    SmallVector<Value> operands{env};
    unsigned nextArg = 0;
    DenseSet<int64_t> moved;
    for (unsigned i = 1; i < body.getNumArguments(); ++i) {
      Type wanted = body.getArgumentTypes()[i];
      DictionaryAttr role = roles[i];
      auto result =
          role ? role.getAs<IntegerAttr>(kResultAttrName) : IntegerAttr();
      if (!result) {
        operands.push_back(unpack(args, nextArg++, wanted));
        continue;
      }
      auto place = cast<DenseI64ArrayAttr>(places[result.getInt()]);
      Value data = offsetBy(storage, place[1]);
      auto type = cast<MemRefType>(wanted);
      operands.push_back(describe(type, data, staticSizes(type)));
      // The first form of a weight is where its storage begins.
      if (moved.insert(place[0]).second)
        LLVM::StoreOp::create(builder, loc, data,
                              entryabi::fieldAddress(builder, loc, prepared,
                                                     place[0],
                                                     entryabi::kTensorData));
    }
    Value status =
        func::CallOp::create(builder, loc, body, operands).getResult(0);
    Value wide = LLVM::SExtOp::create(builder, loc, i64(), status);
    Value failed = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                        status, constant(i32(), 0));
    Value total = LLVM::SelectOp::create(builder, loc, failed, wide,
                                         constant(i64(), bytes));
    func::ReturnOp::create(builder, loc, total);
  }

  func::FuncOp body;
  StringRef entry;
  LLVMTypeConverter &types;
  OpBuilder builder;
  Location loc;
  Type ptr;
  FunctionType type;
  std::string base;
  SmallVector<DictionaryAttr> roles;
};

struct LowerEntriesPass
    : aikernel::impl::LowerEntriesPassBase<LowerEntriesPass> {
  using LowerEntriesPassBase::LowerEntriesPassBase;

  void runOnOperation() override {
    // Kernels that a queue launches get their environment from it.
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->removeAttr("aikernel.takes_env")) {
        function.walk([&](EnvOp op) {
          op.replaceAllUsesWith(function.getArgument(0));
          op.erase();
        });
        function.walk([&](CheckOp check) {
          if (!check.getEnv())
            check.getEnvMutable().assign(function.getArgument(0));
        });
      }
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter types(&getContext(), options);
    auto signatures = findSignatures(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      auto entry = function->getAttrOfType<StringAttr>(kEntryAttrName);
      if (!entry)
        continue;
      StringRef name = function.getSymName();
      if (entry.getValue() != "run")
        name.consume_back(("$" + entry.getValue()).str());
      DictionaryAttr signature = lookup(signatures, name);
      if (!signature) {
        function.emitError("is an entry but the module does not list '")
            << name << "'";
        return signalPassFailure();
      }
      EntryLowering(function, entry.getValue(), signature, types).run();
    }
  }

private:
  static ArrayAttr findSignatures(Operation *op) {
    for (; op; op = op->getParentOp())
      if (auto list = op->getAttrOfType<ArrayAttr>(kFunctionsAttrName))
        return list;
    return {};
  }
  static DictionaryAttr lookup(ArrayAttr signatures, StringRef name) {
    if (signatures)
      for (auto signature : signatures.getAsRange<DictionaryAttr>())
        if (cast<StringAttr>(signature.get("name")).getValue() == name)
          return signature;
    return {};
  }
};

} // namespace
