//===- LowerWaveProducts.cpp - Products by instructions of waves ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels that are one aik_tile.product with a cooperative schedule. Out:
// what each thread does (CooperativeProduct.h), with this main loop:
//
//   load the tiles of the first step, store them into local memory
//   for the steps:
//     load the tiles of the next one
//     multiply: MFMA with waves of 64, WMMA with waves of 32
//     store the next tiles into the other half of local memory
//
// There, lines always go along the depth: tiles whose lines go along the rows
// are turned on the way, two lines at a time. Chunks of 16 bytes are swizzled.
//
//===----------------------------------------------------------------------===//

#include "../GPU/CooperativeProduct.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/AMD/Passes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

#define DEBUG_TYPE "aik-lower-wave-products"

namespace aikernel {
#define GEN_PASS_DEF_LOWERWAVEPRODUCTSPASS
#include "AIKernel/Target/AMD/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr int64_t kChunkBytes = 16;
/// What all banks of local memory hold side by side.
constexpr int64_t kBankBytes = 128;
/// Chunks of a line that neighbouring threads turn.
constexpr int64_t kNeighbours = 4;

class WaveProduct : public CooperativeProduct {
public:
  WaveProduct(gpu::GPUFuncOp kernel, tile::ProductOp op, int64_t waveSize)
      : CooperativeProduct(kernel, op, waveSize, /*perBlock=*/1),
        lineBytes(2 * schedule.getDepth()),
        word(element.isF16() ? element : Type(b.getI16Type())) {}

protected:
  /// Adds the products of two blocks of 16 rows, over the whole depth, to sums.
  virtual Value multiply(ArrayRef<Value> lefts, ArrayRef<Value> rights,
                         Value sums) = 0;
  /// What multiply wants of 16 rows from a row of the tile on.
  virtual Values readBlock(const Operand &operand, Value row, Value stage) = 0;

  /// Eight elements of a line: chunk number `chunk` of the depth.
  Value readChunk(const Operand &operand, Value row, Value chunk, Value stage) {
    Value at = b.plus(stage, placeOf(operand, row, chunk));
    return LLVM::LoadOp::create(b, VectorType::get({kChunk}, word),
                                sharedAt(at), kChunkBytes);
  }

  /// Bytes from the start of a stage.
  Value placeOf(const Operand &operand, Value row, Value chunk) {
    Value inBanks = remainder(row, 8);
    Value swizzle = lineBytes < kBankBytes ? divided(inBanks, 2) : inBanks;
    Value place = b.times(bitXor(chunk, swizzle), kChunkBytes);
    return b.plus(b.plus(b.times(row, lineBytes), place), operand.offset);
  }

  const int64_t lineBytes;
  const Type word; // what instructions take for an element

private:
  Value declareShared(int64_t bytes) override {
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
    std::string name = (kernel.getName() + "_tiles").str();
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(kernel);
      LLVM::GlobalOp::create(b, type, /*isConstant=*/false,
                             LLVM::Linkage::Internal, name, Attribute(),
                             /*alignment=*/kBankBytes, /*addrSpace=*/3);
    }
    return LLVM::AddressOfOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext(), 3), name);
  }

  //===--------------------------------------------------------------------===//
  // Copies
  //===--------------------------------------------------------------------===//

  /// One chunk of a line, or those of two lines along the rows.
  struct Copy {
    const Operand *operand;
    SmallVector<Source> sources;
    Values to;
  };

  void addCopies(const Operand &operand, Value first,
                 SmallVectorImpl<Copy> &copies) {
    int64_t inLine = operand.depth / kChunk;
    int64_t lines = operand.rowMajor ? 2 : 1;
    int64_t count = operand.rows * operand.depth / kChunk / lines / threads;
    for (int64_t i = 0; i < count; ++i) {
      Value number = b.plus(thread, i * threads);
      if (!operand.rowMajor) {
        Value row = divided(number, inLine), chunk = remainder(number, inLine);
        copies.push_back(
            {&operand,
             {sourceOf(operand, first, row, b.times(chunk, kChunk))},
             {placeOf(operand, row, chunk)}});
        continue;
      }
      int64_t pairs = operand.depth / 2;
      Value k = b.times(remainder(divided(number, kNeighbours), pairs), 2);
      Value chunk =
          b.plus(b.times(divided(number, kNeighbours * pairs), kNeighbours),
                 remainder(number, kNeighbours));
      Value row = b.times(chunk, kChunk);
      Copy copy = {&operand,
                   {sourceOf(operand, first, row, k),
                    sourceOf(operand, first, row, b.plus(k, 1))},
                   {}};
      for (int64_t j = 0; j < kChunk; ++j)
        copy.to.push_back(
            b.plus(placeOf(operand, b.plus(row, j), divided(k, kChunk)),
                   b.times(remainder(k, kChunk), 2)));
      copies.push_back(std::move(copy));
    }
  }

  Values load(ArrayRef<Copy> copies, Value step) {
    auto type = VectorType::get({kChunk}, word);
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Values loaded;
    for (const Copy &copy : copies)
      for (const Source &source : copy.sources) {
        auto [from, isInside] = chunkOf(*copy.operand, source, step);
        Value chunk = LLVM::LoadOp::create(b, type, from, kChunkBytes);
        loaded.push_back(select(isInside, chunk, none));
      }
    return loaded;
  }

  void store(ArrayRef<Copy> copies, ArrayRef<Value> loaded, Value stage) {
    for (const Copy &copy : copies) {
      if (!copy.operand->rowMajor) {
        LLVM::StoreOp::create(b, loaded[0], sharedAt(b.plus(stage, copy.to[0])),
                              kChunkBytes);
        loaded = loaded.drop_front(1);
        continue;
      }
      for (int64_t j = 0; j < kChunk; ++j) {
        Value pair = vector::ShuffleOp::create(
            b, loaded[0], loaded[1], ArrayRef<int64_t>{j, kChunk + j});
        LLVM::StoreOp::create(b, pair, sharedAt(b.plus(stage, copy.to[j])), 4);
      }
      loaded = loaded.drop_front(2);
    }
  }

  //===--------------------------------------------------------------------===//
  // The main loop
  //===--------------------------------------------------------------------===//

  SmallVector<Values> readBlocks(const Operand &operand, Value stage) {
    SmallVector<Values> blocks;
    for (int64_t row = 0; row < operand.waveRows; row += kBlock)
      blocks.push_back(readBlock(operand, b.plus(operand.waveRow, row), stage));
    return blocks;
  }

  /// Not known to LLVM, which would write out all of few steps and then read
  /// ahead until registers are spilled.
  Value countOfSteps() {
    Value number =
        arith::ConstantOp::create(b, b.getI32IntegerAttr((int32_t)steps));
    Value hidden =
        LLVM::InlineAsmOp::create(
            b, TypeRange(b.getI32Type()), number, "", "=s,0",
            /*has_side_effects=*/true, /*is_align_stack=*/false,
            LLVM::TailCallKind::None,
            LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
            /*operand_attrs=*/ArrayAttr())
            .getResult(0);
    return arith::IndexCastOp::create(b, b.getIndexType(), hidden);
  }

  Values emitSums(Value row, Value column) override {
    SmallVector<Copy> copies;
    addCopies(left, row, copies);
    addCopies(right, column, copies);
    Value first = b.index(0);
    store(copies, load(copies, first), first);
    gpu::BarrierOp::create(b);
    Values carried = {first};
    carried.append(blocksDown() * blocksAcross(),
                   zeros(kBlock * kBlock / waveSize));
    Values ended = b.loop(
        first, countOfSteps(), 1, carried, [&](Value step, ValueRange state) {
          Value reads = state[0];
          Values next = load(copies, b.plus(step, 1));
          SmallVector<Values> lefts = readBlocks(left, reads),
                              rights = readBlocks(right, reads);
          Values results = {b.minus(b.index(stageBytes()), reads)};
          for (auto [i, sums] : llvm::enumerate(state.drop_front()))
            results.push_back(multiply(lefts[i / blocksAcross()],
                                       rights[i % blocksAcross()], sums));
          store(copies, next, results[0]);
          gpu::BarrierOp::create(b);
          return results;
        });
    return Values(ArrayRef(ended).drop_front());
  }
};

/// Waves of 64: lane l has, of 16 rows, row l mod 16, and of each 32 of the
/// depth the chunk l / 16. An instruction takes half of it, of four lanes 16
/// numbers k: which ones does not matter as long as both operands agree. The
/// right operand goes first, so that a lane gets four neighbouring columns
/// 4 (l / 16) and on of the row l mod 16.
class MfmaProduct final : public WaveProduct {
public:
  MfmaProduct(gpu::GPUFuncOp kernel, tile::ProductOp op)
      : WaveProduct(kernel, op, /*waveSize=*/64) {}

private:
  Values readBlock(const Operand &operand, Value row, Value stage) override {
    Value mine = b.plus(row, remainder(lane, kBlock));
    Value chunk = divided(lane, kBlock);
    Values chunks;
    for (int64_t i = 0; i < operand.depth / 32; ++i)
      chunks.push_back(readChunk(operand, mine, b.plus(chunk, 4 * i), stage));
    return chunks;
  }

  Value multiply(ArrayRef<Value> lefts, ArrayRef<Value> rights,
                 Value sums) override {
    Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    auto half = [&](Value chunk, int64_t first) -> Value {
      return vector::ShuffleOp::create(
          b, chunk, chunk,
          ArrayRef<int64_t>{first, first + 1, first + 2, first + 3});
    };
    for (auto [from, by] : llvm::zip(lefts, rights))
      for (int64_t first : {0, 4}) {
        Value operands[] = {
            half(by, first), half(from, first), sums, none, none, none};
        if (element.isF16())
          sums =
              ROCDL::mfma_f32_16x16x16f16::create(b, sums.getType(), operands);
        else
          sums = ROCDL::mfma_f32_16x16x16bf16_1k::create(b, sums.getType(),
                                                         operands);
      }
    return sums;
  }

  void stage(ValueRange sums, Value at, int64_t pitch) override {
    Value row = remainder(lane, kBlock);
    Value column = b.times(divided(lane, kBlock), 4);
    Value floats = b.plus(b.plus(at, b.times(row, pitch)), column);
    LLVM::StoreOp::create(b, sums[0], sharedAt(b.times(floats, 4)), 16);
  }
};

/// Waves of 32: lanes l and l + 16 have row l mod 16, with 16 of the depth for
/// an instruction, and get the rows 2i + l / 16 of column l mod 16.
class WmmaProduct final : public WaveProduct {
public:
  WmmaProduct(gpu::GPUFuncOp kernel, tile::ProductOp op)
      : WaveProduct(kernel, op, /*waveSize=*/32) {}

private:
  Values readBlock(const Operand &operand, Value row, Value stage) override {
    Value mine = b.plus(row, remainder(lane, kBlock));
    auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * kChunk));
    Values lines;
    for (int64_t i = 0; i < operand.depth / kChunk; i += 2)
      lines.push_back(vector::ShuffleOp::create(
          b, readChunk(operand, mine, b.index(i), stage),
          readChunk(operand, mine, b.index(i + 1), stage), both));
    return lines;
  }

  Value multiply(ArrayRef<Value> lefts, ArrayRef<Value> rights,
                 Value sums) override {
    for (auto [from, by] : llvm::zip(lefts, rights)) {
      if (element.isF16())
        sums = ROCDL::wmma_f32_16x16x16_f16::create(b, sums.getType(), from, by,
                                                    sums);
      else
        sums = ROCDL::wmma_f32_16x16x16_bf16::create(b, sums.getType(), from,
                                                     by, sums);
    }
    return sums;
  }

  void stage(ValueRange sums, Value at, int64_t pitch) override {
    Value row = divided(lane, kBlock), column = remainder(lane, kBlock);
    Value mine = b.plus(b.plus(at, b.times(row, pitch)), column);
    for (int64_t i = 0; i < 8; ++i) {
      Value sum = vector::ExtractOp::create(b, sums[0], i);
      Value floats = b.plus(mine, 2 * i * pitch);
      LLVM::StoreOp::create(b, sum, sharedAt(b.times(floats, 4)), 4);
    }
  }
};

struct LowerWaveProductsPass
    : aikernel::impl::LowerWaveProductsPassBase<LowerWaveProductsPass> {
  using LowerWaveProductsPassBase::LowerWaveProductsPassBase;

  void runOnOperation() override {
    // Processors whose number begins with 9 have waves of 64.
    bool isWide = getTarget(getOperation()).getName().starts_with("amd:gfx9");
    SmallVector<tile::ProductOp> products;
    getOperation().walk([&](tile::ProductOp op) { products.push_back(op); });
    for (tile::ProductOp op : products) {
      auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
      if (failed(isWide ? MfmaProduct(kernel, op).run()
                        : WmmaProduct(kernel, op).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
