//===- LowerLaunches.cpp - Launches become calls of the runtime -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions with gpu.launch_func, a gpu.module, and twins on the host.
// Out: the same without launches: words on the stack and a call of aik_env's
// launch; the tables aik$kernels and aik$checks of Entry.h. Checks in kernels
// report into the status word, and kernels do nothing once it is set. What a
// kernel says about its launches (Launches.h) goes into the tables, too.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/GPU/Passes.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "KernelWriter.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "aik-lower-launches"

namespace aikernel {
#define GEN_PASS_DEF_LOWERLAUNCHESPASS
#include "AIKernel/Target/GPU/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// A parameter that the runtime makes a tensor map of.
struct TensorMap {
  unsigned argument = 0;
  MemRefType type;
  unsigned dtype = 0;
  SmallVector<int32_t> box;
  int32_t swizzle = 0, promotion = 0;
};

/// What a kernel is launched with: its own parameters, with the status before
/// them and the number of blocks behind.
struct Parameters {
  SmallVector<Type> types;
  SmallVector<unsigned> words; // the first of each
  unsigned count = 0;          // of words
  SmallVector<TensorMap, 0> maps;

  const TensorMap *mapOf(unsigned argument) const {
    const auto *found = llvm::find_if(
        maps, [&](const TensorMap &map) { return map.argument == argument; });
    return found == maps.end() ? nullptr : found;
  }
  /// After all arguments are there.
  void layOut(gpu::GPUFuncOp kernel) {
    types.assign(kernel.getArgumentTypes().begin(),
                 kernel.getArgumentTypes().end());
    for (auto [number, type] : llvm::enumerate(types)) {
      words.push_back(count);
      count += mapOf(number) ? unsigned(AIK_MAP_WORDS) : wordsOf(type);
    }
  }
};

using CheckKey = std::pair<int32_t, StringRef>; // code and message

class LaunchLowering {
public:
  LaunchLowering(ModuleOp module, gpu::GPUModuleOp device)
      : module(module), device(device), builder(module.getContext()),
        loc(module.getLoc()), options(module.getContext()),
        types(module.getContext(), options),
        ptr(LLVM::LLVMPointerType::get(module.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  LogicalResult run() {
    if (device && failed(collectKernels()))
      return failure();
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp op) { launches.push_back(op); });
    passGridSizes(launches);
    if (device)
      numberChecks();
    for (auto [kernel, parameters] : llvm::zip_equal(kernels, layouts))
      parameters.layOut(kernel);
    for (gpu::LaunchFuncOp launch : launches)
      lower(launch);
    buildKernelTable();
    buildCheckTable();
    buildMapTable();
    for (auto [kernel, parameters] : llvm::zip_equal(kernels, layouts))
      passMaps(kernel, parameters);
    return success();
  }

private:
  LogicalResult collectKernels() {
    for (auto kernel : device.getOps<gpu::GPUFuncOp>()) {
      numbers[kernel.getName()] = kernels.size();
      kernels.push_back(kernel);
      layouts.emplace_back();
      if (failed(readMaps(kernel, layouts.back())))
        return failure();
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Tensor maps
  //===--------------------------------------------------------------------===//

  LogicalResult readMaps(gpu::GPUFuncOp kernel, Parameters &parameters) {
    auto list = kernel->getAttrOfType<ArrayAttr>(kTensorMapsAttrName);
    if (!list)
      return success();
    for (auto entry : list.getAsRange<DictionaryAttr>()) {
      auto number = [&](StringRef name) -> int32_t {
        auto value = entry.getAs<IntegerAttr>(name);
        return value ? value.getInt() : 0;
      };
      TensorMap map;
      map.argument = number("argument");
      map.swizzle = number("swizzle");
      map.promotion = number("promotion");
      if (auto box = entry.getAs<DenseI32ArrayAttr>("box"))
        map.box.assign(box.asArrayRef().begin(), box.asArrayRef().end());
      auto fail = [&](const Twine &what) {
        return kernel.emitOpError() << "argument " << map.argument
                                    << " cannot be a tensor map: " << what;
      };
      if (map.argument >= kernel.getNumArguments())
        return fail("there is none");
      map.type = dyn_cast<MemRefType>(kernel.getArgumentTypes()[map.argument]);
      int64_t rank = map.type ? map.type.getRank() : 0;
      if (rank < 1 || rank > AIK_MAX_MAP_RANK)
        return fail("it is not a memref of rank 1 to 5");
      if (int64_t(map.box.size()) != rank)
        return fail("its box has another rank");
      SmallVector<int64_t> strides;
      int64_t offset;
      if (failed(map.type.getStridesAndOffset(strides, offset)) ||
          strides.back() != 1)
        return fail("elements of a row are not next to each other");
      std::optional<unsigned> dtype =
          entryabi::dtypeOf(map.type.getElementType());
      if (!dtype)
        return fail("its element type is not known to the runtime");
      map.dtype = *dtype;
      for (Operation *user : kernel.getArgument(map.argument).getUsers())
        if (!isa<UnrealizedConversionCastOp>(user) ||
            user->getResultTypes() != TypeRange(ptr))
          return fail("the kernel uses it for more than its address");
      parameters.maps.push_back(std::move(map));
    }
    llvm::sort(parameters.maps, [](const TensorMap &a, const TensorMap &b) {
      return a.argument < b.argument;
    });
    return success();
  }

  /// What Entry.h wants in the sixteen words: the address, sizes, distances.
  void packMap(const TensorMap &map, Value operand,
               function_ref<void(Value)> put) {
    MemRefDescriptor memref(
        UnrealizedConversionCastOp::create(builder, loc,
                                           types.convertType(map.type), operand)
            .getResult(0));
    Value bytes =
        constant(i64, map.type.getElementType().getIntOrFloatBitWidth() / 8);
    auto times = [&](Value value) -> Value {
      return LLVM::MulOp::create(builder, loc, value, bytes);
    };
    Value start = LLVM::PtrToIntOp::create(builder, loc, i64,
                                           memref.alignedPtr(builder, loc));
    Value offset = times(memref.offset(builder, loc));
    put(LLVM::AddOp::create(builder, loc, start, offset));
    int64_t rank = map.type.getRank();
    Value zero = constant(i64, 0);
    for (int64_t i = 0; i < AIK_MAX_MAP_RANK; ++i)
      put(i < rank ? memref.size(builder, loc, rank - 1 - i) : zero);
    for (int64_t i = 1; i < AIK_MAX_MAP_RANK; ++i)
      put(i < rank ? times(memref.stride(builder, loc, rank - 1 - i)) : zero);
    for (int64_t i = 2 * AIK_MAX_MAP_RANK; i < AIK_MAP_WORDS; ++i)
      put(zero);
  }

  /// The same, as the twin wants it.
  Value unpackMap(const TensorMap &map, function_ref<Value(Type)> take) {
    auto memref =
        MemRefDescriptor::poison(builder, loc, types.convertType(map.type));
    Value start = take(ptr);
    memref.setAllocatedPtr(builder, loc, start);
    memref.setAlignedPtr(builder, loc, start);
    memref.setConstantOffset(builder, loc, 0);
    int64_t rank = map.type.getRank();
    Value bytes =
        constant(i64, map.type.getElementType().getIntOrFloatBitWidth() / 8);
    for (int64_t i = 0; i < AIK_MAX_MAP_RANK; ++i) {
      Value size = take(i64);
      if (i < rank)
        memref.setSize(builder, loc, rank - 1 - i, size);
    }
    memref.setConstantStride(builder, loc, rank - 1, 1);
    for (int64_t i = 1; i < AIK_MAX_MAP_RANK; ++i) {
      Value distance = take(i64);
      if (i < rank)
        memref.setStride(builder, loc, rank - 1 - i,
                         LLVM::SDivOp::create(builder, loc, distance, bytes));
    }
    Value whole = memref;
    return UnrealizedConversionCastOp::create(builder, loc, map.type, whole)
        .getResult(0);
  }

  /// In the kernel a map is 128 bytes by value, seen by their address.
  void passMaps(gpu::GPUFuncOp kernel, const Parameters &parameters) {
    if (parameters.maps.empty())
      return;
    SmallVector<Type> inputs(kernel.getArgumentTypes());
    SmallVector<int32_t> arguments;
    unsigned first = 0;
    for (auto [number, type] : llvm::enumerate(parameters.types)) {
      if (parameters.mapOf(number)) {
        inputs[number] = ptr;
        arguments.push_back(first++);
        BlockArgument argument = kernel.getArgument(number);
        argument.setType(ptr);
        for (Operation *user :
             llvm::make_early_inc_range(argument.getUsers())) {
          user->replaceAllUsesWith(ValueRange(argument));
          user->erase();
        }
      } else {
        first += wordsOf(type);
      }
    }
    kernel.setFunctionType(builder.getFunctionType(inputs, {}));
    kernel->removeAttr(kTensorMapsAttrName);
    kernel->setAttr(kMapArgumentsAttrName,
                    builder.getDenseI32ArrayAttr(arguments));
  }

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    builder.getIntegerAttr(type, value));
  }
  Value word(Value words, unsigned position) {
    return LLVM::GEPOp::create(builder, loc, ptr, i64, words,
                               ArrayRef<LLVM::GEPArg>{(int32_t)position});
  }
  func::FuncOp twinOf(gpu::GPUFuncOp kernel) {
    return module.lookupSymbol<func::FuncOp>(
        (kernel.getName() + kTwinSuffix).str());
  }

  /// Not every GPU tells its threads how many blocks there are: kernels that
  /// ask are told by their last parameter.
  void passGridSizes(ArrayRef<gpu::LaunchFuncOp> launches) {
    for (gpu::GPUFuncOp kernel : kernels) {
      SmallVector<gpu::GridDimOp> asked;
      kernel.walk([&](gpu::GridDimOp op) { asked.push_back(op); });
      if (asked.empty() && !kernel->hasAttr(kResidentAttrName))
        continue;
      unsigned last = kernel.getFunctionType().getNumInputs();
      Type index = builder.getIndexType();
      (void)kernel.insertArgument(last, index, {}, kernel.getLoc());
      for (gpu::GridDimOp op : asked) {
        op.replaceAllUsesWith(Value(kernel.getArgument(last)));
        op.erase();
      }
      func::FuncOp twin = twinOf(kernel);
      (void)twin.insertArgument(last, index, {}, twin.getLoc());
      for (gpu::LaunchFuncOp launch : launches)
        if (launch.getKernelName() == kernel.getName())
          launch.getKernelOperandsMutable().append(launch.getGridSizeX());
    }
  }

  //===--------------------------------------------------------------------===//
  // Checks
  //===--------------------------------------------------------------------===//

  /// Where any kernel checks something, all look at the status word first.
  void numberChecks() {
    WalkResult found =
        device.walk([](CheckOp) { return WalkResult::interrupt(); });
    hasStatus = found.wasInterrupted();
    if (!hasStatus)
      return;
    // The first has the largest number: of those that fail in one launch it is
    // the one that stays.
    auto collect = [&](CheckOp check) {
      if (!llvm::is_contained(checks, keyOf(check)))
        checks.push_back(keyOf(check));
    };
    for (gpu::GPUFuncOp kernel : kernels) {
      kernel.walk(collect);
      twinOf(kernel).walk(collect);
    }
    std::reverse(checks.begin(), checks.end());
    for (gpu::GPUFuncOp kernel : kernels) {
      Block &body = kernel.getBody().front();
      (void)kernel.insertArgument(0, i64, {}, kernel.getLoc());
      watchStatus(kernel, body.getArgument(0));
      func::FuncOp twin = twinOf(kernel);
      (void)twin.insertArgument(0, i64, {}, twin.getLoc());
      watchStatus(twin, twin.getArgument(0));
    }
    for (Parameters &parameters : layouts)
      for (TensorMap &map : parameters.maps)
        ++map.argument;
  }

  void watchStatus(Operation *function, Value address) {
    SmallVector<CheckOp> found;
    function->walk([&](CheckOp check) { found.push_back(check); });
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(address.getParentBlock());
    Value status = LLVM::IntToPtrOp::create(builder, loc, ptr, address);
    auto watch = [&] {
      Value earlier = LLVM::LoadOp::create(builder, loc, i32, status);
      PropagateOp::create(builder, loc, earlier);
    };
    // Blocks of merged kernels wait each for themselves.
    SmallVector<Operation *> waits;
    function->walk([&](Operation *op) {
      if (op->hasAttr(kAwaitsAttrName))
        waits.push_back(op);
    });
    for (Operation *wait : waits) {
      builder.setInsertionPointAfter(wait);
      watch();
    }
    if (waits.empty())
      watch();
    for (CheckOp check : found) {
      check.getEnvMutable().assign(status);
      check->setAttr(kCheckNumberAttrName,
                     builder.getI32IntegerAttr(numberOf(check)));
    }
  }

  static CheckKey keyOf(CheckOp check) {
    return {check.getCode(), check.getMessage()};
  }

  int32_t numberOf(CheckOp check) {
    return llvm::find(checks, keyOf(check)) - checks.begin() + 1;
  }

  //===--------------------------------------------------------------------===//
  // Launches
  //===--------------------------------------------------------------------===//

  void lower(gpu::LaunchFuncOp launch) {
    loc = launch.getLoc();
    unsigned kernel = numbers[launch.getKernelName()];
    const Parameters &parameters = layouts[kernel];
    auto function = launch->getParentOfType<func::FuncOp>();
    auto type = LLVM::LLVMArrayType::get(i64, std::max(1u, parameters.count));
    Value words;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&function.getBody().front());
      words = LLVM::AllocaOp::create(builder, loc, ptr, type, constant(i64, 1));
    }
    builder.setInsertionPoint(launch);
    unsigned position = 0;
    auto put = [&](Value value) {
      LLVM::StoreOp::create(builder, loc, value, word(words, position++));
    };
    if (hasStatus)
      put(constant(i64, 0)); // the runtime's to fill in
    for (auto [number, operand] : llvm::enumerate(launch.getKernelOperands())) {
      unsigned argument = number + (hasStatus ? 1 : 0);
      position = parameters.words[argument];
      if (const TensorMap *map = parameters.mapOf(argument))
        packMap(*map, operand, put);
      else
        packOne(operand, put);
    }
    Value env = EnvOp::create(builder, loc, ptr);
    Value number = constant(i32, kernel);
    Value blocks =
        arith::IndexCastOp::create(builder, loc, i64, launch.getGridSizeX());
    Value status = entryabi::callEnv(builder, loc, env, entryabi::kEnvLaunch,
                                     i32, {env, number, blocks, words});
    PropagateOp::create(builder, loc, status);
    launch.erase();
  }

  void packOne(Value operand, function_ref<void(Value)> put) {
    auto memref = dyn_cast<MemRefType>(operand.getType());
    if (!memref) {
      if (operand.getType().isIndex())
        operand = arith::IndexCastOp::create(builder, loc, i64, operand);
      put(operand);
      return;
    }
    Value cast = UnrealizedConversionCastOp::create(
                     builder, loc, types.convertType(memref), operand)
                     .getResult(0);
    MemRefDescriptor descriptor(cast);
    put(descriptor.allocatedPtr(builder, loc));
    put(descriptor.alignedPtr(builder, loc));
    put(descriptor.offset(builder, loc));
    for (unsigned i = 0; i < memref.getRank(); ++i)
      put(descriptor.size(builder, loc, i));
    for (unsigned i = 0; i < memref.getRank(); ++i)
      put(descriptor.stride(builder, loc, i));
  }

  //===--------------------------------------------------------------------===//
  // Tables
  //===--------------------------------------------------------------------===//

  /// llvm.func @f_0$entry(%blocks: i64, %words: !llvm.ptr), which calls the
  /// twin.
  LLVM::LLVMFuncOp buildTwinEntry(gpu::GPUFuncOp kernel,
                                  const Parameters &parameters) {
    func::FuncOp twin = twinOf(kernel);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(twin);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()), {i64, ptr});
    auto entry = LLVM::LLVMFuncOp::create(builder, loc,
                                          (kernel.getName() + "$entry").str(),
                                          type, LLVM::Linkage::Internal);
    Block *body = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(body);
    unsigned position = 0;
    auto take = [&](Type type) -> Value {
      return LLVM::LoadOp::create(builder, loc, type,
                                  word(body->getArgument(1), position++));
    };
    SmallVector<Value> operands;
    for (auto [number, wanted] :
         llvm::enumerate(twin.getFunctionType().getInputs())) {
      position = parameters.words[number];
      if (const TensorMap *map = parameters.mapOf(number)) {
        operands.push_back(unpackMap(*map, take));
        continue;
      }
      auto memref = dyn_cast<MemRefType>(wanted);
      if (!memref) {
        Value value = take(i64);
        if (wanted.isIndex())
          value = arith::IndexCastOp::create(builder, loc, wanted, value);
        operands.push_back(value);
        continue;
      }
      auto descriptor =
          MemRefDescriptor::poison(builder, loc, types.convertType(memref));
      descriptor.setAllocatedPtr(builder, loc, take(ptr));
      descriptor.setAlignedPtr(builder, loc, take(ptr));
      descriptor.setOffset(builder, loc, take(i64));
      for (unsigned i = 0; i < memref.getRank(); ++i)
        descriptor.setSize(builder, loc, i, take(i64));
      for (unsigned i = 0; i < memref.getRank(); ++i)
        descriptor.setStride(builder, loc, i, take(i64));
      Value whole = descriptor;
      operands.push_back(
          UnrealizedConversionCastOp::create(builder, loc, memref, whole)
              .getResult(0));
    }
    func::CallOp::create(builder, loc, twin, operands);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return entry;
  }

  /// A constant array of structs, one per row and one of zeros at the end.
  void buildTable(StringRef name, LLVM::LLVMStructType row, unsigned rows,
                  function_ref<SmallVector<Value>(unsigned)> fieldsOf) {
    auto type = LLVM::LLVMArrayType::get(row, rows + 1);
    builder.setInsertionPointToEnd(module.getBody());
    auto table =
        LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                               LLVM::Linkage::External, name, Attribute());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &table.getInitializerRegion().emplaceBlock());
    Value all = LLVM::ZeroOp::create(builder, loc, type);
    for (unsigned i = 0; i < rows; ++i) {
      Value one = LLVM::ZeroOp::create(builder, loc, row);
      for (auto [field, value] : llvm::enumerate(fieldsOf(i)))
        one = LLVM::InsertValueOp::create(builder, loc, one, value,
                                          ArrayRef<int64_t>{(int64_t)field});
      all = LLVM::InsertValueOp::create(builder, loc, all, one,
                                        ArrayRef<int64_t>{(int64_t)i});
    }
    LLVM::ReturnOp::create(builder, loc, all);
  }

  void buildKernelTable() {
    SmallVector<LLVM::LLVMFuncOp> twins;
    for (auto [kernel, parameters] : llvm::zip_equal(kernels, layouts))
      twins.push_back(buildTwinEntry(kernel, parameters));
    auto row = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), {ptr, i32, i32, i32, i32, i32, i32, ptr});
    buildTable("aik$kernels", row, kernels.size(), [&](unsigned i) {
      gpu::GPUFuncOp kernel = kernels[i];
      int32_t threads = kernel.getKnownBlockSize()->front();
      int32_t cluster = 1;
      if (auto size = kernel.getKnownClusterSize())
        cluster = size->front();
      int32_t sharedBytes = 0;
      if (auto bytes = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttrName))
        sharedBytes = bytes.getInt();
      int32_t flags = hasStatus ? AIK_KERNEL_STATUS : 0;
      if (kernel->hasAttr(kOverlapsAttrName))
        flags |= AIK_KERNEL_OVERLAPS;
      if (kernel->hasAttr(kResidentAttrName))
        flags |= AIK_KERNEL_RESIDENT;
      if (!layouts[i].maps.empty())
        flags |= AIK_KERNEL_TENSOR_MAPS;
      return SmallVector<Value>{
          entryabi::stringConstant(builder, loc, module, kernel.getName()),
          constant(i32, threads),
          constant(i32, cluster),
          constant(i32, sharedBytes),
          constant(i32, layouts[i].count),
          constant(i32, flags),
          constant(i32, 0),
          LLVM::AddressOfOp::create(builder, loc, twins[i])};
    });
  }

  void buildCheckTable() {
    auto row =
        LLVM::LLVMStructType::getLiteral(builder.getContext(), {ptr, i32, i32});
    buildTable("aik$checks", row, checks.size(), [&](unsigned i) {
      return SmallVector<Value>{
          entryabi::stringConstant(builder, loc, module, checks[i].second),
          constant(i32, checks[i].first), constant(i32, 0)};
    });
  }

  void buildMapTable() {
    SmallVector<std::pair<unsigned, const TensorMap *>> all;
    for (auto [kernel, parameters] : llvm::enumerate(layouts))
      for (const TensorMap &map : parameters.maps)
        all.emplace_back(kernel, &map);
    if (all.empty())
      return;
    SmallVector<Type> fields(11, i32);
    fields.front() = ptr;
    auto row = LLVM::LLVMStructType::getLiteral(builder.getContext(), fields);
    buildTable("aik$maps", row, all.size(), [&](unsigned i) {
      auto [kernel, map] = all[i];
      SmallVector<Value> values = {
          entryabi::stringConstant(builder, loc, module,
                                   kernels[kernel].getName()),
          constant(i32, layouts[kernel].words[map->argument]),
          constant(i32, map->dtype),
          constant(i32, map->type.getRank()),
          constant(i32, map->swizzle),
          constant(i32, map->promotion)};
      for (size_t d = 0; d < AIK_MAX_MAP_RANK; ++d)
        values.push_back(constant(i32, d < map->box.size() ? map->box[d] : 1));
      return values;
    });
  }

  ModuleOp module;
  gpu::GPUModuleOp device;
  OpBuilder builder;
  Location loc;
  LowerToLLVMOptions options;
  LLVMTypeConverter types;
  Type ptr, i32, i64;
  SmallVector<gpu::GPUFuncOp> kernels;
  SmallVector<Parameters, 0> layouts; // of each
  llvm::StringMap<unsigned> numbers;
  SmallVector<CheckKey> checks;
  bool hasStatus = false;
};

struct LowerLaunchesPass
    : aikernel::impl::LowerLaunchesPassBase<LowerLaunchesPass> {
  using LowerLaunchesPassBase::LowerLaunchesPassBase;

  void runOnOperation() override {
    auto device =
        getOperation().lookupSymbol<gpu::GPUModuleOp>(kDeviceModuleName);
    if (failed(LaunchLowering(getOperation(), device).run()))
      signalPassFailure();
  }
};

} // namespace
