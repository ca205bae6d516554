//===- KernelWriter.cpp - Kernels, their twins and launches ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an op of the host. Out: a gpu.func of the device's module, a function of
// the host that does the same, and a launch. What both get are words: addresses
// and sizes as they are, narrower scalars widened, and the host's scalars as
// the values that they hold. Constants are made again inside.
//
//===----------------------------------------------------------------------===//

#include "KernelWriter.h"
#include "AIKernel/Dialect/Tile/TileOps.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AttentionLoops.h"
#include "ProductLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace aikernel;

/// Tables of constants are read in vectors.
static constexpr int64_t kTableAlignment = 16;

bool aikernel::isOnHost(Value memref) {
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || cast<MemRefType>(memref.getType()).getRank() != 0)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function &&
         !function.getArgAttr(argument.getArgNumber(), kResultAttrName);
}

unsigned aikernel::wordsOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 3 + 2 * memref.getRank() : 1;
}

/// Letters that every assembler takes.
static std::string plainName(StringRef name) {
  std::string plain;
  for (char c : name)
    plain += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (plain.empty() || llvm::isDigit(plain[0]))
    plain.insert(plain.begin(), '_');
  return plain;
}

Value KernelWriter::index(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Narrow scalars travel as words.
static bool isWord(Type type) {
  return isa<MemRefType, IndexType>(type) || type.isInteger(64);
}

Value KernelWriter::toWord(Location loc, Value value) {
  Type type = value.getType();
  if (isWord(type))
    return value;
  unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(bits);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, loc, integer, value);
  if (bits < 64)
    value = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
  return value;
}

Value KernelWriter::fromWord(Location loc, Value word, Type type) {
  if (isWord(type))
    return word;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 64)
    word = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits),
                                   word);
  if (isa<FloatType>(type))
    word = arith::BitcastOp::create(builder, loc, type, word);
  return word;
}

SmallVector<Type> KernelWriter::wordTypes(const Kernel &kernel) {
  SmallVector<Type> types;
  for (Value value : kernel.captures)
    types.push_back(isWord(value.getType()) ? value.getType()
                                            : builder.getI64Type());
  return types;
}

gpu::GPUModuleOp KernelWriter::deviceModule() {
  if (auto found = symbols.lookup<gpu::GPUModuleOp>(kDeviceModuleName))
    return found;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto made =
      gpu::GPUModuleOp::create(builder, module.getLoc(), kDeviceModuleName);
  symbols.insert(made);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
  return made;
}

KernelWriter::Kernel KernelWriter::start(Operation *op,
                                         ArrayRef<Operation *> reads,
                                         const SetVector<Value> &more) {
  Location loc = op->getLoc();
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Operation *read : reads) {
    used.insert(read->operand_begin(), read->operand_end());
    getUsedValuesDefinedAbove(read->getRegions(), used);
  }
  used.insert(more.begin(), more.end());
  used.remove_if([&](Value value) {
    return llvm::is_contained(reads, value.getDefiningOp());
  });
  Kernel kernel;
  for (Value value : used) {
    Operation *def = value.getDefiningOp();
    if (def && (def->hasTrait<OpTrait::ConstantLike>() ||
                isa<memref::GetGlobalOp>(def)))
      kernel.constants.push_back(def);
    else if (isa<MemRefType>(value.getType()) && isOnHost(value))
      kernel.scalars.push_back(value);
    else
      kernel.captures.push_back(value);
  }
  kernel.plainCaptures = kernel.captures.size();
  for (Value scalar : kernel.scalars)
    kernel.captures.push_back(
        memref::LoadOp::create(builder, loc, scalar, ValueRange()));
  declare(kernel, loc, kThreadsPerBlock);
  fill(loc, kernel, kernel.device.getBody().front().getArguments(), reads,
       kernel.values, /*onDevice=*/true);
  return kernel;
}

void KernelWriter::declare(Kernel &kernel, Location loc, int64_t threads) {
  gpu::GPUModuleOp device = deviceModule();
  kernel.name = plainName(function.getSymName()) + "_" +
                llvm::utostr(numbers[function]++);
  while (device.lookupSymbol(kernel.name))
    kernel.name += "_";
  builder.setInsertionPointToEnd(device.getBody());
  auto type = builder.getFunctionType(wordTypes(kernel), {});
  kernel.device = gpu::GPUFuncOp::create(builder, loc, kernel.name, type);
  kernel.device->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                         builder.getUnitAttr());
  kernel.device.setKnownBlockSize(SmallVector<int32_t>{int32_t(threads), 1, 1});
  builder.setInsertionPointToStart(&kernel.device.getBody().front());
}

/// A table of constants is in the memory of who reads it.
Value KernelWriter::tableOnDevice(memref::GetGlobalOp table) {
  gpu::GPUModuleOp device = deviceModule();
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Global);
  MemRefType type = table.getType();
  auto there = MemRefType::get(type.getShape(), type.getElementType(),
                               MemRefLayoutAttrInterface(), space);
  if (!device.lookupSymbol(table.getName())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(device.getBody());
    auto original = symbols.lookup<memref::GlobalOp>(table.getName());
    auto copy = cast<memref::GlobalOp>(builder.clone(*original));
    copy.setType(there);
    copy.setAlignment(kTableAlignment);
  }
  Location loc = table.getLoc();
  Value found =
      memref::GetGlobalOp::create(builder, loc, there, table.getName());
  return memref::MemorySpaceCastOp::create(builder, loc, type, found);
}

void KernelWriter::fill(Location loc, const Kernel &kernel, ValueRange words,
                        ArrayRef<Operation *> reads, IRMapping &values,
                        bool onDevice) {
  for (Operation *constant : kernel.constants) {
    auto table = dyn_cast<memref::GetGlobalOp>(constant);
    if (table && onDevice)
      values.map(table.getResult(), tableOnDevice(table));
    else
      builder.clone(*constant, values);
  }
  mapCaptures(loc, kernel, words, values);
  for (Operation *read : reads)
    builder.clone(*read, values);
}

void KernelWriter::mapCaptures(Location loc, const Kernel &kernel,
                               ValueRange words, IRMapping &values) {
  for (auto [value, word] : llvm::zip(kernel.captures, words))
    values.map(value, fromWord(loc, word, value.getType()));
  for (auto [number, scalar] : llvm::enumerate(kernel.scalars)) {
    Value held = values.lookup(kernel.captures[kernel.plainCaptures + number]);
    Value copy = memref::AllocaOp::create(builder, loc,
                                          cast<MemRefType>(scalar.getType()));
    memref::StoreOp::create(builder, loc, held, copy, ValueRange());
    values.map(scalar, copy);
  }
}

gpu::LaunchFuncOp KernelWriter::launch(Kernel &kernel, Value blocks,
                                       Operation *op,
                                       ArrayRef<Operation *> reads) {
  Location loc = op->getLoc();
  gpu::ReturnOp::create(builder, loc);
  formTwin(kernel, op, reads);
  builder.setInsertionPoint(op);
  Value one = index(loc, 1);
  Value threads = index(loc, kernel.device.getKnownBlockSize()->front());
  SmallVector<Value> words;
  for (Value value : kernel.captures)
    words.push_back(toWord(loc, value));
  return gpu::LaunchFuncOp::create(builder, loc, kernel.device,
                                   gpu::KernelDim3{blocks, one, one},
                                   gpu::KernelDim3{threads, one, one},
                                   /*dynamicSharedMemorySize=*/Value(), words);
}

void KernelWriter::formTwin(Kernel &kernel, Operation *op,
                            ArrayRef<Operation *> reads) {
  Location loc = op->getLoc();
  builder.setInsertionPoint(function);
  auto twin =
      func::FuncOp::create(builder, loc, kernel.name + kTwinSuffix.str(),
                           builder.getFunctionType(wordTypes(kernel), {}));
  twin.setPrivate();
  Block *body = twin.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping values;
  fill(loc, kernel, body->getArguments(), reads, values,
       /*onDevice=*/false);
  Operation *same = builder.clone(*op, values);
  func::ReturnOp::create(builder, loc);
  symbols.insert(twin);
  if (auto product = dyn_cast<tile::ProductOp>(same))
    expandProduct(product);
  if (auto attention = dyn_cast<tile::AttentionOp>(same))
    expandAttention(attention);
}
