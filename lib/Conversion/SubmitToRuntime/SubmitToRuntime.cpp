//===- SubmitToRuntime.cpp - Memory and submission to calls ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: bufferized functions with aikernel.mem and aikernel.gpu ops.
// Out: calls of the functions in lib/Builtins/Submit. Queues, command buffers
// and fences are small structs on the stack; a command buffer is an array of
// packets beside the argument blocks of its launches.
//
//   aikernel.gpu.launch @k(%a, %b)
//   ==>  store the arguments; call @aik_submit_launch(%packet, @k$launch, ...)
//        func @k$launch(%env: !llvm.ptr, %block: !llvm.ptr) -> i32 { body of k
//        }
//
// A queue is closed at the end of the block that made it, which waits for what
// was submitted: argument blocks never outlive their function.
//
// In code for a GPU commands are launches of its kernels (FormLaunches), which
// the runtime keeps as a graph; the queue is that of the device itself:
//
//   aikernel.gpu.commands { gpu.launch_func @device::@k ... }
//   ==>  call @aik_commands_begin(%env, 0) ; gpu.launch_func @device::@k ...
//        call @aik_commands_end(%env, 0)
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Conversion/SubmitToRuntime/Passes.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "aik-submit-to-runtime"

namespace aikernel {
#define GEN_PASS_DEF_SUBMITTORUNTIMEPASS
#include "AIKernel/Conversion/SubmitToRuntime/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr unsigned kPacketWords = 8;
constexpr unsigned kHandleWords = 4;

class SubmitLowering {
public:
  SubmitLowering(ModuleOp module, LLVMTypeConverter &types)
      : module(module), types(types), builder(module.getContext()),
        ptr(LLVM::LLVMPointerType::get(module.getContext())) {
    TargetAttr target = getTarget(module);
    if (target && target.getArch() != "x86_64" && target.getArch() != "aarch64")
      gpu = target;
  }

  LogicalResult run() {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<MemAllocPinnedOp, MemFreeOp, MemQueryOp, GpuQueueCreateOp,
              GpuCommandsOp, GpuSubmitCommandsOp, GpuWaitOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      builder.setInsertionPoint(op);
      loc = op->getLoc();
      if (failed(lower(op)))
        return failure();
    }
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    for (func::FuncOp kernel : launched)
      if (kernel.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(kernel, module))
        kernel.erase();
    return success();
  }

private:
  Type i64() { return builder.getI64Type(); }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  func::FuncOp functionOf(Operation *op) {
    return op->getParentOfType<func::FuncOp>();
  }

  /// Memory that lives as long as the function runs.
  Value stack(Operation *user, Type type, int64_t count) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&functionOf(user).getBody().front());
    return LLVM::AllocaOp::create(builder, loc, ptr, type, constant(count),
                                  /*alignment=*/64);
  }

  Value env() { return EnvOp::create(builder, loc, ptr); }

  Value call(StringRef name, Type result, ValueRange operands) {
    SmallVector<Type> results;
    if (result)
      results.push_back(result);
    auto type = builder.getFunctionType(operands.getTypes(), results);
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      func::FuncOp::create(builder, loc, name, type).setPrivate();
    }
    auto made = func::CallOp::create(builder, loc, name, results, operands);
    return result ? made.getResult(0) : Value();
  }

  Value pointerTo(Value memref) {
    Value index =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
    Value number = arith::IndexCastOp::create(builder, loc, i64(), index);
    return LLVM::IntToPtrOp::create(builder, loc, ptr, number);
  }

  int64_t elementBytes(MemRefType type) {
    if (type.getElementType().isIndex())
      return 8;
    return std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  }

  Value bytesOf(Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    Value bytes = constant(elementBytes(type));
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value size = memref::DimOp::create(builder, loc, memref, dim);
      size = arith::IndexCastOp::create(builder, loc, i64(), size);
      bytes = arith::MulIOp::create(builder, loc, bytes, size);
    }
    return bytes;
  }

  static LogicalResult requireDense(Operation *op, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    if (type.getLayout().isIdentity())
      return success();
    return op->emitError("AIK-E0007: '")
           << op->getName() << "' takes dense memrefs, not " << type;
  }

  LogicalResult lower(Operation *op) {
    if (auto alloc = dyn_cast<MemAllocPinnedOp>(op))
      return lowerAlloc(alloc);
    if (auto free = dyn_cast<MemFreeOp>(op)) {
      call("aik_submit_free", i64(), {env(), pointerTo(free.getMemory())});
      return success();
    }
    if (auto query = dyn_cast<MemQueryOp>(op))
      return lowerQuery(query);
    if (auto create = dyn_cast<GpuQueueCreateOp>(op))
      return lowerQueueCreate(create);
    if (auto commands = dyn_cast<GpuCommandsOp>(op))
      return lowerCommands(commands);
    if (auto submit = dyn_cast<GpuSubmitCommandsOp>(op)) {
      FailureOr<Value> queue = handleOf(op, submit.getQueue());
      FailureOr<Value> commands = handleOf(op, submit.getCommands());
      if (failed(queue) || failed(commands))
        return failure();
      Value fence = stack(op, i64(), kHandleWords);
      call(gpu ? "aik_commands_submit" : "aik_submit_commands", {},
           {env(), *queue, *commands, fence});
      handles[submit.getFence()] = fence;
      return success();
    }
    auto wait = cast<GpuWaitOp>(op);
    FailureOr<Value> fence = handleOf(op, wait.getFence());
    if (failed(fence))
      return failure();
    Value timeout = constant(wait.getTimeout().value_or(-1));
    wait.getStatus().replaceAllUsesWith(
        call(gpu ? "aik_commands_wait" : "aik_submit_wait",
             builder.getI32Type(), {env(), *fence, timeout}));
    return success();
  }

  /// Queues, commands and fences do not travel through loops or branches.
  FailureOr<Value> handleOf(Operation *op, Value value) {
    auto found = handles.find(value);
    if (found != handles.end())
      return found->second;
    return op->emitError("AIK-E0007: '")
           << op->getName()
           << "' uses a queue, command buffer or fence that came through a "
              "loop, a branch or an argument";
  }

  LogicalResult lowerAlloc(MemAllocPinnedOp op) {
    auto type = cast<MemRefType>(op.getMemory().getType());
    if (failed(requireDense(op, op.getMemory())))
      return failure();
    Value bytes = constant(elementBytes(type));
    unsigned next = 0;
    for (int64_t size : type.getShape()) {
      Value factor = constant(size);
      if (ShapedType::isDynamic(size))
        factor = arith::IndexCastOp::create(builder, loc, i64(),
                                            op.getDynamicSizes()[next++]);
      bytes = arith::MulIOp::create(builder, loc, bytes, factor);
    }
    Value memory = call("aik_submit_alloc", ptr, {env(), bytes});
    Value number = LLVM::PtrToIntOp::create(builder, loc, i64(), memory);
    Value obtained = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, number, constant(0));
    CheckOp::create(builder, loc, obtained, /*ENOMEM=*/12,
                    "aikernel.mem.alloc_pinned: there is no memory left");
    // A view of the whole address space, placed at the memory.
    auto descriptor =
        MemRefDescriptor::poison(builder, loc, types.convertType(flat()));
    descriptor.setAllocatedPtr(builder, loc, memory);
    descriptor.setAlignedPtr(builder, loc, memory);
    descriptor.setConstantOffset(builder, loc, 0);
    descriptor.setSize(builder, loc, 0, bytes);
    descriptor.setConstantStride(builder, loc, 0, 1);
    Value flatMemory = UnrealizedConversionCastOp::create(builder, loc, flat(),
                                                          Value(descriptor))
                           .getResult(0);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    op.getMemory().replaceAllUsesWith(memref::ViewOp::create(
        builder, loc, type, flatMemory, zero, op.getDynamicSizes()));
    return success();
  }

  MemRefType flat() {
    return MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  }

  LogicalResult lowerQuery(MemQueryOp op) {
    Value memory = pointerTo(op.getMemory());
    op.getPageSize().replaceAllUsesWith(
        call("aik_submit_page_size", i64(), {env(), memory}));
    Value locked = call("aik_submit_is_locked", i64(), {env(), memory});
    op.getLocked().replaceAllUsesWith(arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, locked, constant(0)));
    return success();
  }

  LogicalResult lowerQueueCreate(GpuQueueCreateOp op) {
    StringRef vendor = gpu ? gpu.getName().split(':').first : StringRef();
    if (gpu && op.getDevice() != "self" &&
        op.getDevice().split(':').first != vendor)
      return op.emitError("AIK-E0007: a queue of '")
             << op.getDevice()
             << "' cannot take the commands of a function that runs on "
             << gpu.getName() << "; device = \"self\" is that of the function";
    Value queue = stack(op, i64(), kHandleWords);
    std::string name = ("aik.device." + op.getDevice()).str();
    std::string bytes = op.getDevice().str();
    bytes.push_back('\0');
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      LLVM::GlobalOp::create(
          builder, loc,
          LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
          /*isConstant=*/true, LLVM::Linkage::Internal, name,
          builder.getStringAttr(bytes));
    }
    Value device = LLVM::AddressOfOp::create(builder, loc, ptr, name);
    call(gpu ? "aik_commands_open" : "aik_submit_open", {},
         {env(), queue, device});
    handles[op.getQueue()] = queue;
    if (gpu) // whoever waits for the run waits for what was submitted
      return success();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op->getBlock()->getTerminator());
    call("aik_submit_close", {}, {env(), queue});
    return success();
  }

  /// Launches between two calls are kept.
  LogicalResult lowerGpuCommands(GpuCommandsOp op) {
    Value number = constant(numberOfCommands++);
    auto mark = [&](StringRef name) {
      PropagateOp::create(builder, loc,
                          call(name, builder.getI32Type(), {env(), number}));
    };
    mark("aik_commands_begin");
    for (Block &body : op.getBody())
      for (Operation &inner : llvm::make_early_inc_range(body)) {
        if (isa<GpuLaunchOp, GpuCopyOp, GpuFillOp, GpuBarrierOp>(inner))
          return inner.emitError("AIK-E0009: '")
                 << inner.getName() << "' is no launch of a kernel yet";
        inner.moveBefore(op);
      }
    mark("aik_commands_end");
    handles[op.getCommands()] = number;
    return success();
  }

  LogicalResult lowerCommands(GpuCommandsOp op) {
    if (gpu)
      return lowerGpuCommands(op);
    Block &body = op.getBody().front();
    int64_t count = llvm::count_if(body, [](Operation &inner) {
      return isa<GpuLaunchOp, GpuCopyOp, GpuFillOp, GpuBarrierOp>(inner);
    });
    Value packets =
        stack(op, i64(), std::max<int64_t>(1, count) * kPacketWords);
    int64_t next = 0;
    for (Operation &inner : llvm::make_early_inc_range(body)) {
      loc = inner.getLoc();
      if (!isa<GpuLaunchOp, GpuCopyOp, GpuFillOp, GpuBarrierOp>(inner)) {
        inner.moveBefore(op);
        continue;
      }
      Value packet = LLVM::GEPOp::create(
          builder, loc, ptr, i64(), packets,
          ArrayRef<LLVM::GEPArg>{(int32_t)(kPacketWords * next++)});
      if (failed(record(op, &inner, packet)))
        return failure();
    }
    loc = op.getLoc();
    Value commands = stack(op, i64(), kHandleWords);
    LLVM::StoreOp::create(builder, loc, packets, commands);
    Value countAt = LLVM::GEPOp::create(builder, loc, ptr, i64(), commands,
                                        ArrayRef<LLVM::GEPArg>{1});
    LLVM::StoreOp::create(builder, loc, constant(count), countAt);
    handles[op.getCommands()] = commands;
    return success();
  }

  LogicalResult record(GpuCommandsOp commands, Operation *op, Value packet) {
    if (auto launch = dyn_cast<GpuLaunchOp>(op))
      return recordLaunch(commands, launch, packet);
    if (auto copy = dyn_cast<GpuCopyOp>(op)) {
      if (failed(requireDense(op, copy.getSource())) ||
          failed(requireDense(op, copy.getDestination())))
        return failure();
      call("aik_submit_copy", {},
           {packet, pointerTo(copy.getDestination()),
            pointerTo(copy.getSource()), bytesOf(copy.getDestination())});
      return success();
    }
    if (auto fill = dyn_cast<GpuFillOp>(op)) {
      if (failed(requireDense(op, fill.getDestination())))
        return failure();
      Value destination = fill.getDestination();
      auto type = cast<MemRefType>(destination.getType());
      call("aik_submit_fill", {},
           {packet, pointerTo(destination), bitsOf(fill.getValue()),
            constant(elementBytes(type)), bytesOf(destination)});
      return success();
    }
    call("aik_submit_barrier", {}, {packet});
    return success();
  }

  /// The bits of a scalar, in the low end of an i64.
  Value bitsOf(Value value) {
    Type type = value.getType();
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, i64(), value);
    unsigned width = type.getIntOrFloatBitWidth();
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(width), value);
    if (width == 64)
      return value;
    return arith::ExtUIOp::create(builder, loc, i64(), value);
  }

  LogicalResult recordLaunch(GpuCommandsOp commands, GpuLaunchOp op,
                             Value packet) {
    auto kernel = module.lookupSymbol<func::FuncOp>(op.getCallee());
    if (!kernel || kernel.isExternal() ||
        !llvm::hasSingleElement(kernel.getBody()))
      return op.emitError("AIK-E0007: the kernel '")
             << op.getCallee() << "' has no body of one block to launch";
    SmallVector<Type> fields;
    for (Value argument : op.getArguments())
      fields.push_back(types.convertType(argument.getType()));
    auto frame = LLVM::LLVMStructType::getLiteral(op.getContext(), fields);
    Value block = stack(commands, frame, 1);
    for (auto [index, argument] : llvm::enumerate(op.getArguments())) {
      Value slot =
          LLVM::GEPOp::create(builder, loc, ptr, frame, block,
                              ArrayRef<LLVM::GEPArg>{0, (int32_t)index});
      Value stored = argument;
      if (stored.getType() != fields[index])
        stored = UnrealizedConversionCastOp::create(builder, loc, fields[index],
                                                    argument)
                     .getResult(0);
      LLVM::StoreOp::create(builder, loc, stored, slot);
    }
    func::FuncOp entry = launchEntryOf(kernel, frame);
    Value function = func::ConstantOp::create(
        builder, loc, entry.getFunctionType(),
        FlatSymbolRefAttr::get(builder.getContext(), entry.getSymName()));
    function = UnrealizedConversionCastOp::create(builder, loc, ptr, function)
                   .getResult(0);
    // The size is that of the last field's end, as LLVM lays it out.
    Value null = LLVM::ZeroOp::create(builder, loc, ptr);
    Value end = LLVM::GEPOp::create(builder, loc, ptr, frame, null,
                                    ArrayRef<LLVM::GEPArg>{1});
    Value bytes = LLVM::PtrToIntOp::create(builder, loc, i64(), end);
    call("aik_submit_launch", {}, {packet, function, block, bytes});
    launched.insert(kernel);
    return success();
  }

  /// func @k$launch(env, block) -> i32: unpacks the block and does k's work.
  func::FuncOp launchEntryOf(func::FuncOp kernel, LLVM::LLVMStructType frame) {
    func::FuncOp &entry = launchEntries[kernel];
    if (entry)
      return entry;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(kernel);
    entry = func::FuncOp::create(
        builder, loc, (kernel.getSymName() + "$launch").str(),
        builder.getFunctionType({ptr, ptr}, {builder.getI32Type()}));
    entry.setPrivate();
    entry->setAttr("aikernel.takes_env", builder.getUnitAttr());
    Block *body = entry.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping values;
    for (BlockArgument argument : kernel.getArguments()) {
      int32_t index = argument.getArgNumber();
      Value slot =
          LLVM::GEPOp::create(builder, loc, ptr, frame, body->getArgument(1),
                              ArrayRef<LLVM::GEPArg>{0, index});
      Value loaded =
          LLVM::LoadOp::create(builder, loc, frame.getBody()[index], slot);
      if (loaded.getType() != argument.getType())
        loaded = UnrealizedConversionCastOp::create(builder, loc,
                                                    argument.getType(), loaded)
                     .getResult(0);
      values.map(argument, loaded);
    }
    for (Operation &op : kernel.getBody().front().without_terminator())
      builder.clone(op, values);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    func::ReturnOp::create(builder, loc, zero);
    return entry;
  }

  ModuleOp module;
  LLVMTypeConverter &types;
  OpBuilder builder;
  Type ptr;
  Location loc = UnknownLoc::get(builder.getContext());
  TargetAttr gpu; // null in code for a CPU
  int64_t numberOfCommands = 0;
  DenseMap<Value, Value> handles;
  DenseMap<Operation *, func::FuncOp> launchEntries;
  llvm::SetVector<func::FuncOp> launched;
};

struct SubmitToRuntimePass
    : aikernel::impl::SubmitToRuntimePassBase<SubmitToRuntimePass> {
  using SubmitToRuntimePassBase::SubmitToRuntimePassBase;

  void runOnOperation() override {
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter types(&getContext(), options);
    if (failed(SubmitLowering(getOperation(), types).run()))
      signalPassFailure();
  }
};

} // namespace
