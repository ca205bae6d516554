//===- LowerWarpProducts.cpp - Products by instructions of single warps ---===//
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
//   copy the tiles of the first steps into a ring       cp.async
//   read the matrices of 16 of the first tiles' depth   ldmatrix
//   for the steps:
//     for 16 of the depth at a time:
//       read the next ones; before those of the next step, start the copy of a
//         later one, wait until the next step's is there, and for each other
//       multiply what was read before                   mma.sync
//
// Tiles lie in shared memory as in global memory. Chunks of 16 bytes are
// swizzled: those that a matrix of 8x8 is read from are in different banks,
// and so are those that neighbouring threads write.
//
//===----------------------------------------------------------------------===//

#include "../GPU/CooperativeProduct.h"
#include "AIKernel/Target/GPU/Launches.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "WarpMatrices.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#define DEBUG_TYPE "aik-lower-warp-products"

namespace aikernel {
#define GEN_PASS_DEF_LOWERWARPPRODUCTSPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

constexpr int64_t kChunkBytes = 16;
/// What all banks of shared memory hold side by side.
constexpr int64_t kBankBytes = 128;

class WarpProduct final : public CooperativeProduct {
public:
  WarpProduct(gpu::GPUFuncOp kernel, tile::ProductOp op)
      : CooperativeProduct(kernel, op, kWarpSize, /*perBlock=*/8) {}

private:
  Value declareShared(int64_t bytes) override {
    kernel->setAttr(kSharedBytesAttrName, b.getI32IntegerAttr(bytes));
    return getDynamicShared(b, kernel);
  }

  static int64_t lineBytes(const Operand &operand) {
    return 2 * (operand.rowMajor ? operand.rows : operand.depth);
  }

  /// What the number of a chunk is xored with, in a line of that number
  /// modulo 8.
  Value swizzleOf(const Operand &operand, Value line) {
    return lineBytes(operand) < kBankBytes ? divided(line, 2) : line;
  }

  //===--------------------------------------------------------------------===//
  // Copies
  //===--------------------------------------------------------------------===//

  struct Copy {
    const Operand *operand;
    Source source;
    Value to; // bytes from the start of a stage
  };

  void addCopies(const Operand &operand, Value first,
                 SmallVectorImpl<Copy> &copies) {
    int64_t bytes = lineBytes(operand), inLine = bytes / kChunkBytes;
    int64_t count = operand.rows * operand.depth / kChunk / threads;
    for (int64_t i = 0; i < count; ++i) {
      Value number = b.plus(thread, i * threads);
      Value line = divided(number, inLine), chunk = remainder(number, inLine);
      Value inner = b.times(chunk, kChunk);
      Source source = operand.rowMajor ? sourceOf(operand, first, inner, line)
                                       : sourceOf(operand, first, line, inner);
      Value place = bitXor(chunk, swizzleOf(operand, remainder(line, 8)));
      Value to =
          b.plus(b.plus(b.times(line, bytes), b.times(place, kChunkBytes)),
                 operand.offset);
      copies.push_back({&operand, source, to});
    }
  }

  void startCopies(ArrayRef<Copy> copies, Value step, Value stage) {
    auto i32 = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
    };
    Value all = i32(kChunkBytes), none = i32(0);
    for (const Copy &copy : copies) {
      auto [from, isInside] = chunkOf(*copy.operand, copy.source, step);
      NVVM::CpAsyncOp::create(b, sharedAt(b.plus(stage, copy.to)), from,
                              kChunkBytes, NVVM::LoadCacheModifierKind::CG,
                              select(isInside, all, none));
    }
    NVVM::CpAsyncCommitGroupOp::create(b);
  }

  void waitForCopies() {
    NVVM::CpAsyncWaitGroupOp::create(b, schedule.getStages() - 2);
    gpu::BarrierOp::create(b);
  }

  //===--------------------------------------------------------------------===//
  // Matrices
  //===--------------------------------------------------------------------===//

  /// Where a lane reads its line of four 8x8 matrices, in bytes from the start
  /// of a stage: what depends on the lane, for each 16 of the depth or, where
  /// lines go along the rows, for each 16 rows.
  Values placesOf(const Operand &operand) {
    int64_t bytes = lineBytes(operand);
    Value low = remainder(lane, 8), matrix = divided(lane, 8);
    Value even = remainder(matrix, 2), upper = divided(matrix, 2);
    // Which half of 16 rows, and of 16 of the depth.
    Value ofRows = operand.isLeft ? even : upper;
    Value ofDepth = operand.isLeft ? upper : even;
    Value swizzle = swizzleOf(operand, low);
    Value line = b.plus(b.times(operand.rowMajor ? ofDepth : ofRows, 8), low);
    Value chunk = ofDepth;
    if (operand.rowMajor)
      chunk = b.plus(ofRows, divided(operand.waveRow, kChunk));
    else
      line = b.plus(line, operand.waveRow);
    Value start = b.plus(b.times(line, bytes), operand.offset);
    int64_t count =
        (operand.rowMajor ? operand.waveRows : operand.depth) / kBlock;
    Values places;
    for (int64_t i = 0; i < count; ++i) {
      Value place = bitXor(b.plus(chunk, 2 * i), swizzle);
      places.push_back(b.plus(start, b.times(place, kChunkBytes)));
    }
    return places;
  }

  /// Of all blocks of the wave's rows, 16 of the depth: four words each.
  void readMatrices(const Operand &operand, ArrayRef<Value> places,
                    int64_t inDepth, Value stage, Values &words) {
    auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
    auto type = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(4, b.getI32Type()));
    int64_t lines = kBlock * lineBytes(operand);
    for (int64_t block = 0; block < operand.waveRows / kBlock; ++block) {
      Value place = places[operand.rowMajor ? block : inDepth];
      Value at = sharedAt(b.plus(stage, place));
      at = after(at, b.index(lines * (operand.rowMajor ? inDepth : block)));
      Value four = NVVM::LdMatrixOp::create(
          b, type, at, 4,
          operand.rowMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
          NVVM::LdStMatrixEltType::B16);
      for (int64_t i = 0; i < 4; ++i)
        words.push_back(
            LLVM::ExtractValueOp::create(b, four, ArrayRef<int64_t>{i}));
    }
  }

  Values readBoth(int64_t inDepth, Value stage) {
    Values words;
    readMatrices(left, leftPlaces, inDepth, stage, words);
    readMatrices(right, rightPlaces, inDepth, stage, words);
    return words;
  }

  void multiply(ArrayRef<Value> words, Values &sums) {
    ArrayRef<Value> lefts = words.take_front(4 * blocksDown()),
                    rights = words.drop_front(4 * blocksDown());
    // Eight columns at a time, to and fro: what was read last is used again.
    for (int64_t i = 0; i < blocksDown(); ++i)
      for (int64_t half = 0; half < 2 * blocksAcross(); ++half) {
        int64_t j = i % 2 ? 2 * blocksAcross() - 1 - half : half;
        auto first = sums.begin() + 8 * blocksAcross() * i + 4 * j;
        Values made = multiplyWarpMatrices(b, element, lefts.slice(4 * i, 4),
                                           rights.slice(2 * j, 2),
                                           Values(first, first + 4));
        llvm::copy(made, first);
      }
  }

  Values emitSums(Value row, Value column) override {
    SmallVector<Copy> copies;
    addCopies(left, row, copies);
    addCopies(right, column, copies);
    leftPlaces = placesOf(left);
    rightPlaces = placesOf(right);
    int64_t stages = schedule.getStages(), end = stages * stageBytes();
    for (int64_t i = 0; i + 1 < stages; ++i)
      startCopies(copies, b.index(i), b.index(i * stageBytes()));
    waitForCopies();
    Value first = b.index(0);
    // Stages that are read and filled, then matrices, then sums.
    Values carried = {first, b.index((stages - 1) * stageBytes())};
    llvm::append_range(carried, readBoth(0, first));
    unsigned words = carried.size() - 2;
    carried.append(blocksDown() * blocksAcross() * perBlock, zeros(1));
    auto next = [&](Value stage) {
      Value later = b.plus(stage, stageBytes());
      return select(b.equals(later, end), first, later);
    };
    Values ended = b.loop(
        first, b.index(steps), 1, carried, [&](Value step, ValueRange state) {
          Value reads = state[0], fills = state[1];
          Values held(state.slice(2, words));
          Values sums(state.drop_front(2 + words));
          int64_t inStep = schedule.getDepth() / kBlock;
          for (int64_t i = 0; i < inStep; ++i) {
            if (i + 1 == inStep) {
              startCopies(copies, b.plus(step, stages - 1), fills);
              waitForCopies();
              reads = next(reads);
            }
            Values ahead = readBoth((i + 1) % inStep, reads);
            multiply(held, sums);
            held = ahead;
          }
          Values results = {reads, next(fills)};
          llvm::append_range(results, held);
          llvm::append_range(results, sums);
          return results;
        });
    // Nothing may arrive where sums will be.
    NVVM::CpAsyncWaitGroupOp::create(b, 0);
    return Values(ArrayRef(ended).drop_front(2 + words));
  }

  void stage(ValueRange sums, Value at, int64_t pitch) override {
    Value quad = divided(lane, 4);
    Value column = b.times(remainder(lane, 4), 2);
    Value mine = b.plus(b.plus(at, b.times(quad, pitch)), column);
    for (int64_t pair = 0; pair < 4; ++pair) {
      Value both = vector::FromElementsOp::create(
          b, VectorType::get({2}, b.getF32Type()), sums.slice(2 * pair, 2));
      int64_t floats = pair % 2 * 8 * pitch + pair / 2 * 8;
      LLVM::StoreOp::create(b, both, sharedAt(b.times(b.plus(mine, floats), 4)),
                            /*alignment=*/8);
    }
  }

  Values leftPlaces, rightPlaces;
};

struct LowerWarpProductsPass
    : aikernel::impl::LowerWarpProductsPassBase<LowerWarpProductsPass> {
  using LowerWarpProductsPassBase::LowerWarpProductsPassBase;

  void runOnOperation() override {
    SmallVector<tile::ProductOp> products;
    getOperation().walk([&](tile::ProductOp op) { products.push_back(op); });
    for (tile::ProductOp op : products)
      if (failed(WarpProduct(op->getParentOfType<gpu::GPUFuncOp>(), op).run()))
        return signalPassFailure();
  }
};

} // namespace
