//===- TileSchedule.cpp - The schedules of tile programs ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: sizes of a product. Out: the tiles of a table, in clusters and parts of
// several sizes, by the time that a model of the processor gives them. A launch
// takes what its slowest resource takes, and a little for those that are nearly
// as slow:
//
//   multiplying: waves of tiles, each of its steps
//   the L2 cache: what blocks read of it, tiles of a cluster once
//   memory: what is read and written at least
//
// Blocks of a cluster read a tile of one operand once, or each has a part of
// the steps and adds up its share of the sums.
//
// All figures were fitted to runs on an H200.
//
//===----------------------------------------------------------------------===//

#include "TileSchedule.h"
#include <cmath>

using namespace mlir;
using namespace aikernel;

namespace {

/// What an unknown number of rows is taken to be.
constexpr int64_t kUnknownRows = 4096;
/// Blocks that run at the same time, one on each processor of an H100 or H200;
/// clusters of more than two leave some of them empty.
constexpr int64_t kBlocks = 132;
constexpr int64_t kBlocksOfLargeClusters = 112;
/// Where it costs no wave, fewer blocks in a square find more in the L2 cache.
constexpr int64_t kSquareBlocks = 128;
/// Rows of clusters whose tiles follow each other; fewer where the L2 cache
/// holds both operands, which then come into it over a longer time.
constexpr int64_t kGroup = 8, kGroupInCache = 4;
constexpr double kCacheBytes = 40e6;
constexpr int64_t kRegisters = 232, kLoadRegisters = 40;
/// Rows up to which they are the columns of tiles.
constexpr int64_t kMostSwappedRows = 32;

/// Microseconds: of a launch until the first bytes have come, of one in
/// clusters; and bytes in one of them. The cache is slow while it has nothing,
/// and when the chip has grown hot.
constexpr double kLaunch = 4.0, kClusterLaunch = 0.8;
constexpr double kCacheRate = 14e6, kColdCacheRate = 10e6, kHotCacheRate = 10e6;
constexpr double kHotBytes = 5e8;
/// All blocks together read so much of memory, and each of them.
constexpr double kMemoryRate = 4.2e6, kBlockMemoryRate = 50e3;
/// Lines that do not begin at lines of the cache are two of its lines each.
constexpr double kUnalignedLines = 1.6;
/// Clusters of eight begin later.
constexpr double kLargeClusterLaunch = 0.5;
/// Where blocks have one short sum each, a longer ring asks the cache at once
/// for what is still on its way to others.
constexpr int64_t kShortSteps = 16, kShortRingBytes = 128 << 10;
/// Steps that a warpgroup starts before it waits, when nobody else multiplies
/// meanwhile and when two do that have little to do in a step.
constexpr int64_t kStepsOfOne = 4, kStepsOfTwo = 2, kNarrowColumns = 64;
/// Where more than so much is done to each sum, storing a tile is the least of
/// it: the widest tiles have a longer ring for the next one, and boxes for half
/// of a tile.
constexpr int64_t kManyOps = 20, kWidestColumns = 256;
constexpr int64_t kStagesOfManyOps = 4, kBoxesOfManyOps = 2;
/// Sums of a warpgroup that are put into functions and stay f32: results, and
/// what functions need, have no registers beside more.
constexpr int64_t kMostSumsOfFunctions = 64 * 128;
/// Steps of tiles whose sums are kept: what is done to them is spread over the
/// first ones of the next tile.
constexpr int64_t kFewestStepsOfKept = 20;
/// Bits that vectors may have for a column then, and where sums are also put
/// into functions: these are read ahead, and functions need registers too.
constexpr int64_t kMostBitsBeside = 32, kMostBitsBesideFunctions = 16;
/// Tiles that are kept as a whole are narrower, and read more for a product: of
/// 16 bits they are slower by so much when the chip has grown hot.
constexpr double kHotWholeTiles = 1.035;
/// A kernel that adds up parts, and each part beside its memory.
constexpr double kSum = 6.0, kPart = 0.1;
/// A cluster that adds up its parts, and bytes that each block of it sends in a
/// microsecond.
constexpr double kExchange = 0.8, kExchangeRate = 45e3;

/// A tile, and the microseconds of a step and of what follows the last one.
/// `columns` of none: the product's rows, which are the columns of tiles. Sums
/// of `keep` columns wait for the next tile.
struct Tile {
  int64_t rows, warpgroups, columns, stages, boxes;
  double step, end;
  int64_t keep = 0;
};

constexpr Tile kTiles[] = {
    {128, 2, 256, 4, 2, 0.630, 0.5, 128}, //
    {128, 2, 192, 5, 1, 0.465, 0.5, 192}, //
    {128, 2, 256, 3, 4, 0.630, 1.0},      //
    {256, 2, 128, 4, 2, 0.650, 1.0},      //
    {128, 2, 192, 4, 3, 0.500, 1.0},      //
    {128, 2, 128, 6, 2, 0.330, 0.8},      //
    {128, 2, 64, 8, 1, 0.185, 0.7},       //
    {64, 1, 128, 8, 2, 0.205, 0.3},       //
    {64, 1, 64, 12, 1, 0.115, 0.3},       //
    {128, 2, 0, 11, 0, 0.170, 2.0},       //
    {64, 1, 0, 14, 0, 0.160, 2.0},
};

/// Those that leave room for what blocks of a cluster send each other.
constexpr Tile kClusteredTiles[] = {
    {128, 2, 128, 5, 0, 0.400, 0.6}, //
    {128, 2, 80, 6, 0, 0.330, 0.5},  //
    {128, 2, 64, 8, 0, 0.190, 0.4},  //
    {64, 1, 128, 8, 0, 0.215, 0.6},  //
    {64, 1, 64, 12, 0, 0.115, 0.4},
};

constexpr int64_t kClusters[] = {1, 2, 4, 8};
constexpr int64_t kSplits[] = {1, 2, 4, 8, 16};

/// What blocks of a cluster do for each other.
enum class Sharing { Right, Left, Sums };

struct Choice {
  tile::ScheduleAttr schedule;
  double time;
  size_t number = 0; // in the order of the table
};

class Model {
public:
  Model(MLIRContext *context, const TileProductInfo &product)
      : context(context), product(product),
        isDynamic(ShapedType::isDynamic(product.rows)) {
    if (isDynamic)
      this->product.rows = kUnknownRows;
    // A step is a line, which takes as long for elements of any size.
    bytes = product.element.getIntOrFloatBitWidth() / 8.0;
    stepDepth = tile::kLineBytes / bytes;
  }

  SmallVector<Choice> choices() {
    // What does not go together is nobody's fault.
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
    for (const Tile &tile : kTiles)
      for (int64_t cluster : kClusters)
        for (int64_t split : kSplits)
          add(tile, cluster, split, Sharing::Right);
    for (const Tile &tile : kTiles)
      add(tile, /*cluster=*/2, /*split=*/1, Sharing::Left);
    for (const Tile &tile : kClusteredTiles)
      for (int64_t parts : kClusters)
        add(tile, parts, parts, Sharing::Sums);
    llvm::sort(all, [](const Choice &a, const Choice &b) {
      return std::pair(a.time, a.number) < std::pair(b.time, b.number);
    });
    return all;
  }

private:
  void add(const Tile &tile, int64_t cluster, int64_t split, Sharing sharing) {
    std::optional<Choice> choice = consider(tile, cluster, split, sharing);
    if (!choice)
      return;
    choice->number = all.size();
    all.push_back(*choice);
  }

  std::optional<Choice> consider(const Tile &tile, int64_t cluster,
                                 int64_t split, Sharing sharing) {
    bool swapped = tile.columns == 0;
    if (isDynamic && (swapped || split > 1 || cluster > 2))
      return std::nullopt;
    bool sharesLeft = sharing == Sharing::Left,
         sharesSums = sharing == Sharing::Sums;
    // Of long sums the right operand is the one that is better read once.
    if (sharesLeft &&
        (swapped || product.depth > kShortSteps * stepDepth || isDynamic))
      return std::nullopt;
    if (swapped && product.rows > kMostSwappedRows)
      return std::nullopt;
    // Of tiles and of the product alike: columns are those of tiles.
    int64_t rows = swapped ? product.columns : product.rows;
    int64_t columns = swapped ? product.rows : product.columns;
    int64_t width = swapped ? llvm::alignTo(product.rows, 8) : tile.columns;
    int64_t rowBlocks = sharing == Sharing::Right ? cluster : 1;
    int64_t columnBlocks = sharesLeft ? cluster : 1;
    if ((rowBlocks > 1 && rows <= tile.rows * rowBlocks / 2) ||
        (columnBlocks > 1 && columns <= width * columnBlocks / 2) ||
        (swapped && width % (8 * cluster) != 0))
      return std::nullopt;
    int64_t steps = llvm::divideCeil(product.depth, stepDepth);
    if (split > 1 && steps < 4 * split)
      return std::nullopt;
    steps = llvm::divideCeil(steps, split);
    int64_t clusters = llvm::divideCeil(rows, tile.rows * rowBlocks) *
                       llvm::divideCeil(columns, width * columnBlocks) *
                       (sharesSums ? 1 : split);
    auto waves = [&](int64_t blocks) {
      return llvm::divideCeil(clusters, blocks / cluster);
    };
    int64_t blocks = kBlocks;
    if (cluster > 2) {
      if (clusters * cluster > kBlocksOfLargeClusters)
        return std::nullopt;
    } else if (waves(kSquareBlocks) == waves(kBlocks)) {
      blocks = kSquareBlocks;
    }
    if (product.hasFunctions && product.resultBits > 16 &&
        tile.rows / tile.warpgroups * width > kMostSumsOfFunctions)
      return std::nullopt;
    if (tile.keep && (split > 1 || waves(blocks) == 1 ||
                      steps < kFewestStepsOfKept || !canKeep()))
      return std::nullopt;
    bool hasManyOps = product.opsOnSums > kManyOps && width == kWidestColumns &&
                      tile.keep == 0;
    int64_t stages = hasManyOps ? kStagesOfManyOps : tile.stages;
    int64_t boxes = hasManyOps ? kBoxesOfManyOps : tile.boxes;
    int64_t bytesOfStage = (tile.rows + width) * tile::kLineBytes;
    bool isShort = steps <= kShortSteps && split == 1;
    if (isShort && waves(blocks) == 1)
      stages = std::min(stages,
                        std::max<int64_t>(kShortRingBytes / bytesOfStage, 3));
    int64_t atOnce = tile.warpgroups == 1      ? kStepsOfOne
                     : width <= kNarrowColumns ? kStepsOfTwo
                                               : 1;
    atOnce = std::min(atOnce, stages / 2);
    double operands = bytes * product.depth *
                      (double(product.rows) + double(product.columns));
    int64_t group = operands <= kCacheBytes ? kGroupInCache : kGroup;
    auto refuse = [&] { return emitError(UnknownLoc::get(context)); };
    auto schedule = tile::ScheduleAttr::getChecked(
        function_ref<InFlightDiagnostic()>(refuse), context, tile.rows, width,
        stepDepth, stages, boxes, cluster, tile.warpgroups, kRegisters,
        kLoadRegisters, blocks, group,
        /*serpentine=*/true, split, swapped, sharesSums, sharesLeft, atOnce,
        tile.keep);
    if (!schedule || !objectionTo(schedule, product).empty())
      return std::nullopt;
    double step = tile.step;
    if (tile.keep && tile.keep == tile.columns && bytes == 2)
      step *= kHotWholeTiles;
    double multiplying = waves(blocks) * (steps * step + tile.end);
    // Blocks share what they can load for each other in whole lines.
    int64_t read = (tile.rows + width) * cluster;
    int64_t ofShared = sharesLeft ? tile.rows : width;
    bool inLines =
        sharesLeft || swapped ? product.lhsTransposed : !product.rhsTransposed;
    if (!sharesSums && ofShared / cluster % (inLines ? stepDepth : 8) == 0)
      read -= ofShared * (cluster - 1);
    double cached = double(clusters * steps * read) * tile::kLineBytes;
    if (!isInLines(product.lhsTransposed ? product.rows : product.depth) ||
        !isInLines(product.rhsTransposed ? product.depth : product.columns))
      cached *= kUnalignedLines;
    double cacheRate = cached >= kHotBytes ? kHotCacheRate
                       : isShort           ? kColdCacheRate
                                           : kCacheRate;
    double cache = cached / cacheRate;
    double memoryRate = std::min(
        kMemoryRate,
        kBlockMemoryRate * std::min<int64_t>(clusters * cluster, blocks));
    double memory = bytes *
                    (double(product.rows) * product.depth +
                     double(product.columns) * product.depth +
                     double(product.rows) * product.columns) /
                    memoryRate;
    double time =
        kLaunch + std::pow(std::pow(multiplying, 8) + std::pow(cache, 8) +
                               std::pow(memory, 8),
                           0.125);
    if (cluster > 1)
      time += kClusterLaunch;
    if (cluster == 8)
      time += kLargeClusterLaunch;
    if (sharesSums)
      time += kExchange + sizeof(float) * tile.rows * width / kExchangeRate;
    else if (split > 1)
      time += kSum + split * (kPart +
                              2 * sizeof(float) * rows * columns / kMemoryRate);
    return Choice{schedule, time};
  }

  /// Are there registers for what is kept?
  bool canKeep() const {
    return product.leavesRegisters && product.resultBits <= 16 &&
           product.bitsBeside <= (product.hasFunctions
                                      ? kMostBitsBesideFunctions
                                      : kMostBitsBeside);
  }

  /// Do rows of that many elements begin at lines of the cache?
  bool isInLines(int64_t elements) const { return elements % stepDepth == 0; }

  MLIRContext *context;
  TileProductInfo product;
  SmallVector<Choice> all;
  bool isDynamic;
  double bytes;
  int64_t stepDepth;
};

} // namespace

std::string aikernel::objectionTo(tile::ScheduleAttr schedule,
                                  const TileProductInfo &product) {
  if (schedule.getDepth() * product.element.getIntOrFloatBitWidth() !=
      tile::kLineBytes * 8)
    return "its depth is not a line of the operands";
  bool isDynamic = ShapedType::isDynamic(product.rows);
  if ((schedule.getSplit() > 1 || schedule.getSwapped()) &&
      (isDynamic || product.element.getIntOrFloatBitWidth() != 16))
    return "unknown sizes, and elements of other than 16 bits, are neither "
           "split nor swapped";
  // The rows of a transposed operand lie in lines.
  bool inLines =
      schedule.getSwapped() ? product.lhsTransposed : !product.rhsTransposed;
  if (inLines && schedule.getColumns() % schedule.getDepth() != 0)
    return "its columns are not whole lines of the right operand";
  if (!schedule.getSwapped())
    return "";
  if (product.rows % 2 != 0 || schedule.getBoxes() != 0)
    return "only an even number of rows is swapped, and stored without boxes";
  return "";
}

SmallVector<tile::ScheduleAttr>
aikernel::rankTileSchedules(MLIRContext *context,
                            const TileProductInfo &product) {
  SmallVector<tile::ScheduleAttr> schedules;
  for (const Choice &choice : Model(context, product).choices())
    schedules.push_back(choice.schedule);
  return schedules;
}
