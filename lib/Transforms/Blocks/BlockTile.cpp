//===- BlockTile.cpp - How block_matmul goes through its rows -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a target, the layout of a format and the size of x. Out: how many rows
// and elements of it are multiplied at once, and how many are unpacked.
//
//===----------------------------------------------------------------------===//

#include "BlockKernels.h"
#include "Tiles/TileInstructions.h"

using namespace mlir;
using namespace aikernel;

/// Elements of each row of w that are unpacked at once: with a panel of x they
/// stay in L1, 64 KiB of which a Neoverse-N1 has.
static constexpr int64_t kPartElements = 1024;
static constexpr int64_t kPartElementsOfSdot = 2048;
/// Of codes that are multiplied with sub-scales: two bytes each.
static constexpr int64_t kPartElementsOfFolded = 512;
static constexpr int64_t kMostRows = 8;
/// With fewer rows vectors are faster. If nobody knows, there may be more.
static constexpr int64_t kFewestRowsOfTiles = 9;

/// Chunks of eight elements are steps of vectors.
static bool takesTiles(const ByteProducts &products, const QuantPanel &layout) {
  return products.hasTiles() && layout.chunkSize > 8;
}

static int64_t getTileDepth(const QuantPanel &layout) {
  return foldsSubScales(layout) ? kTileRowBytes : layout.chunkSize;
}

bool aikernel::takesSteps(const ByteProducts &products,
                          const QuantPanel &layout, int64_t rows,
                          int64_t depth) {
  if (depth == products.getDepth())
    return rows <= kMostRows;
  return takesTiles(products, layout) && rows == kTileRows &&
         depth == getTileDepth(layout);
}

BlockTile aikernel::chooseBlockTile(const ByteProducts &products,
                                    const QuantPanel &layout, int64_t rows,
                                    int64_t elements) {
  BlockTile tile;
  // Sums of integers and of floats are in registers, with what they are of.
  tile.rows = products.getRegisters() >= 32 ? kMostRows : kMostRows / 2;
  if (!ShapedType::isDynamic(rows))
    tile.rows = std::min<int64_t>(
        tile.rows, llvm::PowerOf2Ceil(std::max<int64_t>(1, rows)));
  if (products.hasQuads())
    tile.rows = std::max<int64_t>(tile.rows, 2);
  tile.depth = products.getDepth();
  if ((ShapedType::isDynamic(rows) || rows >= kFewestRowsOfTiles) &&
      takesTiles(products, layout))
    tile.rows = kTileRows, tile.depth = getTileDepth(layout);
  tile.isDirect = tile.rows <= kMostDirectRows && rows <= tile.rows &&
                  !ShapedType::isDynamic(rows);
  int64_t block = layout.format.blockSize;
  int64_t most = products.isSdot() ? kPartElementsOfSdot
                 : tile.isInTiles() && foldsSubScales(layout)
                     ? kPartElementsOfFolded
                     : kPartElements;
  int64_t part = std::max(block, most / block * block);
  tile.elements = tile.isDirect ? elements : std::min(part, elements);
  tile.mayBeFew = ShapedType::isDynamic(rows);
  return tile;
}
