//===- ScheduleAttr.cpp - What schedules may say --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule of a product or of attention, from a table, a cost model or a
// person. Out: errors where no block could do what it says.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"

using namespace mlir;
using namespace aikernel::tile;

/// A warpgroup multiplies this many rows at once.
static constexpr int64_t kGroupRows = 64;
/// Columns of a box of 16-bit elements, which has more of them than others.
static constexpr int64_t kMostBoxColumns = 64;
/// Parts of a sum; each costs memory, and the kernel that adds them up reads
/// all of them at once.
static constexpr int64_t kMostParts = 32;
/// Barriers of the deepest ring.
static constexpr int64_t kBarrierBytes = 16 * 16;

/// Barriers of the rings of attention, and its mailbox.
static constexpr int64_t kBytesBesideTiles = 1024;
/// What ptxas wants for a matrix instruction, sums not counted.
static constexpr int64_t kRegistersBesideSums = 30;
/// More stages or boxes than fit into any block.
static constexpr int64_t kMostStages = 16;

using Emit = function_ref<InFlightDiagnostic()>;

static bool isOutside(int64_t value, int64_t least, int64_t most) {
  return value < least || value > most;
}

static LogicalResult verifyRegisters(Emit emitError, int64_t warpgroups,
                                     int64_t registers, int64_t loadRegisters) {
  auto isBad = [](int64_t count) {
    return isOutside(count, 24, 256) || count % 8 != 0;
  };
  if (isBad(registers) || isBad(loadRegisters) ||
      (warpgroups * registers + loadRegisters) * kWarpgroupThreads >
          kMostRegisters)
    return emitError() << "a schedule gives threads 24 to 256 registers, a "
                          "multiple of 8, and a block "
                       << kMostRegisters << ", but had " << warpgroups << " x "
                       << registers << " + " << loadRegisters;
  return success();
}

static int64_t partColumnsOf(int64_t columns, int64_t split) {
  return llvm::alignTo(llvm::divideCeil(columns, split), 8);
}

/// Parts of sums that blocks of a cluster send each other, with barriers.
static int64_t exchangeBytesOf(int64_t rows, int64_t columns, int64_t split) {
  int64_t warpgroups = rows / kGroupRows;
  return rows * split * partColumnsOf(columns, split) * 4 + 16 * warpgroups;
}

static int64_t sharedBytesOf(int64_t rows, int64_t columns, int64_t stages,
                             int64_t boxes, int64_t warpgroups) {
  int64_t warps = 4 * warpgroups;
  auto tile = [](int64_t lines) {
    return llvm::alignTo(lines * kLineBytes, kTileAlignment);
  };
  return stages * (tile(rows) + tile(columns)) +
         warps * boxes * BoxesType::kBoxBytes;
}

int64_t ScheduleAttr::getSharedBytes() const {
  int64_t exchanged =
      getClustered() ? exchangeBytesOf(getRows(), getColumns(), getSplit()) : 0;
  return exchanged + sharedBytesOf(getRows(), getColumns(), getStages(),
                                   getBoxes(), getWarpgroups());
}

int64_t ScheduleAttr::getPartColumns() const {
  return partColumnsOf(getColumns(), getSplit());
}

LogicalResult ScheduleAttr::verify(
    Emit emitError, int64_t rows, int64_t columns, int64_t depth,
    int64_t stages, int64_t boxes, int64_t cluster, int64_t warpgroups,
    int64_t registers, int64_t loadRegisters, int64_t blocks, int64_t group,
    bool serpentine, int64_t split, bool swapped, bool clustered,
    bool shareLeft, int64_t atOnce, int64_t keep) {
  if (isOutside(warpgroups, 1, 3) || rows < 1 || rows > 256 ||
      rows % (kGroupRows * warpgroups) != 0)
    return emitError() << "a schedule has 1 to 3 warpgroups and at most 256 "
                          "rows, "
                       << kGroupRows << " or more for each, but had "
                       << warpgroups << " and " << rows;
  if (isOutside(columns, 8, 256) || columns % 8 != 0)
    return emitError() << "a schedule has 8 to 256 columns, a multiple of 8, "
                          "but had "
                       << columns;
  if (isOutside(depth, 16, 128) || depth % 16 != 0)
    return emitError() << "a schedule has a depth of 16 to 128, a multiple of "
                          "16, but had "
                       << depth;
  if (isOutside(stages, 2, kMostStages))
    return emitError() << "a schedule has 2 to " << kMostStages
                       << " stages but had " << stages;
  if (isOutside(atOnce, 1, stages / 2))
    return emitError() << "a schedule multiplies 1 step at once, or up to half "
                          "of its "
                       << stages << " stages, but had " << atOnce;
  if (boxes < 0 || (boxes > 0 && columns % 64 != 0))
    return emitError() << "a schedule stores columns in boxes of 64 but had "
                       << columns << " columns and " << boxes << " boxes";
  if (cluster < 1 || !llvm::isPowerOf2_64(cluster) ||
      cluster > (int64_t)kMostCluster)
    return emitError() << "a schedule has clusters of 1, 2, 4 or 8 blocks but "
                          "had "
                       << cluster;
  // Where all threads copy and multiply, registers are not divided.
  bool divides = registers != 0 || loadRegisters != 0;
  if (divides &&
      failed(verifyRegisters(emitError, warpgroups, registers, loadRegisters)))
    return failure();
  if (blocks < cluster || group < 1)
    return emitError() << "a schedule has blocks for a cluster and groups of "
                          "rows, but had "
                       << blocks << " and " << group;
  if (isOutside(split, 1, kMostParts) || (split > 1 && swapped))
    return emitError() << "a schedule splits sums into 1 to " << kMostParts
                       << " parts, 1 where it is swapped, but had " << split;
  if (clustered &&
      (split != cluster || split < 2 || boxes != 0 ||
       rows != kGroupRows * warpgroups ||
       columns % partColumnsOf(columns, split) != 0 || swapped || shareLeft))
    return emitError() << "a clustered schedule has a part for each block of "
                          "a cluster, "
                       << kGroupRows
                       << " rows for each warpgroup, columns in equal "
                          "shares and no boxes";
  if (shareLeft && (cluster == 1 || rows % (8 * cluster) != 0 || split > 1))
    return emitError() << "a left operand is shared by a cluster, in whole "
                          "parts of its rows, and sums are not split";
  if (keep != 0 &&
      (isOutside(keep, 0, columns) || keep % kMostBoxColumns != 0 ||
       boxes == 0 || atOnce != 1 || rows != kGroupRows * warpgroups))
    return emitError() << "columns of a tile are kept in whole boxes of "
                       << kMostBoxColumns << ", by warpgroups of " << kGroupRows
                       << " rows that take one step at once";
  int64_t bytes = sharedBytesOf(rows, columns, stages, boxes, warpgroups);
  if (clustered)
    bytes += exchangeBytesOf(rows, columns, split);
  if (bytes + kBarrierBytes > kMostSharedBytes)
    return emitError() << "a schedule takes " << bytes
                       << " bytes of shared memory, a block has "
                       << kMostSharedBytes;
  return success();
}

LogicalResult AttentionScheduleAttr::verify(Emit emitError, int64_t rows,
                                            int64_t keys, int64_t stages,
                                            int64_t queryStages, int64_t boxes,
                                            int64_t registers,
                                            int64_t loadRegisters,
                                            int64_t blocks, bool) {
  if (isOutside(rows, kGroupRows, 256) || rows % kGroupRows != 0)
    return emitError() << "tiles have 64, 128, 192 or 256 rows but had "
                       << rows;
  if (isOutside(keys, 16, 256) || keys % 16 != 0)
    return emitError() << "there are 16 to 256 keys at a time, a multiple of "
                          "16, but were "
                       << keys;
  if (blocks < 1 || isOutside(boxes, 1, kMostStages) ||
      isOutside(stages, 2, kMostStages) ||
      isOutside(queryStages, 1, kMostStages))
    return emitError() << "there is a block, and 1 to " << kMostStages
                       << " boxes and stages of queries and 2 to "
                       << kMostStages << " stages of keys, but were " << blocks
                       << ", " << boxes << ", " << queryStages << " and "
                       << stages;
  return verifyRegisters(emitError, rows / kGroupRows, registers,
                         loadRegisters);
}

std::string AttentionScheduleAttr::objectionTo(int64_t features) const {
  if (isOutside(features, 16, 256) || features % 16 != 0)
    return "tiles have 16 to 256 features, a multiple of 16, and not " +
           std::to_string(features);
  int64_t even = getEvenRegisters((getWarpgroups() + 1) * kWarpgroupThreads);
  int64_t sums = std::max(features, getKeys()) / 2;
  if (sums + kRegistersBesideSums > even)
    return "threads of " + std::to_string(getRows()) + " rows start with " +
           std::to_string(even) + " registers, and a product has " +
           std::to_string(sums) + " sums and " +
           std::to_string(kRegistersBesideSums) + " registers beside them";
  // Elements have 16 bits; a tile lies in panels of as many as a line has.
  auto tile = [&](int64_t rows) {
    return llvm::alignTo(rows * kLineBytes, kTileAlignment) *
           llvm::divideCeil(features, kMostBoxColumns);
  };
  int64_t bytes = getQueryStages() * tile(getRows()) +
                  2 * getStages() * tile(getKeys()) +
                  4 * getWarpgroups() * getBoxes() * BoxesType::kBoxBytes +
                  kBytesBesideTiles;
  if (bytes <= kMostSharedBytes)
    return "";
  return "it takes " + std::to_string(bytes) +
         " bytes of shared memory, a block has " +
         std::to_string(kMostSharedBytes);
}
