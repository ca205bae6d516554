//===- TileTypes.td - What tile programs work on -----------*- tablegen -*-===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles and rings in shared memory, fragments in registers, and the schedules
// of products and of attention.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_TILETYPES_TD
#define AIKERNEL_TILETYPES_TD

include "AIKernel/Dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class AIKTile_Type<string name, string typeMnemonic>
    : TypeDef<AIKTile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

class AIKTile_Shaped<string name, string typeMnemonic>
    : AIKTile_Type<name, typeMnemonic> {
  let genVerifyDecl = 1;
}

def AIKTile_SharedType : AIKTile_Shaped<"Shared", "shared"> {
  let summary = "a tile of an operand in shared memory";
  let description = [{
    `rows` x `depth` elements, where sums run over the depth. Without
    `row_major` the depth is contiguous; with it the rows are, which is how a
    transposed operand lies in memory. Swizzled in lines of 128 bytes, as
    tensor maps write it and matrix instructions read it; what is wider than a
    line lies in panels of lines, one after the other.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$depth,
      "::mlir::Type":$elementType,
      DefaultValuedParameter<"bool", "false">:$rowMajor);
  let assemblyFormat = [{
    `<` custom<Shape>($rows, $depth, $elementType) ``
    custom<Flag>($rowMajor, "\"row_major\"") `>`
  }];
  let extraClassDeclaration = [{
    /// Lines of a panel, and how many panels there are.
    int64_t getLines() const;
    int64_t getPanels() const;
    int64_t getBytes() const;
  }];
}

def AIKTile_RingType : AIKTile_Shaped<"Ring", "ring"> {
  let summary = "stages of shared memory with a full and an empty barrier each";
  let parameters = (ins "int64_t":$stages,
      ArrayRefParameter<"SharedType">:$tiles);
  let assemblyFormat = "`<` $stages `,` $tiles `>`";
  let extraClassDeclaration = [{
    int64_t getStageBytes() const;
  }];
}

def AIKTile_StageType : AIKTile_Type<"Stage", "stage"> {
  let summary = "a full stage of a ring";
  let parameters = (ins ArrayRefParameter<"SharedType">:$tiles);
  let assemblyFormat = "`<` $tiles `>`";
}

def AIKTile_BoxesType : AIKTile_Shaped<"Boxes", "boxes"> {
  let summary = "shared memory through which warps store fragments";
  let description = [{
    `count` boxes of 16 rows and 128 bytes for each warp of `warps`.
  }];
  let parameters = (ins "int64_t":$warps, "int64_t":$count);
  let assemblyFormat = "`<` $warps `x` $count `>`";
  let extraClassDeclaration = [{
    static constexpr int64_t kBoxRows = 16, kBoxBytes = 16 * 128;
    int64_t getBytes() const { return getWarps() * getCount() * kBoxBytes; }
  }];
}

def AIKTile_ExchangeType : AIKTile_Shaped<"Exchange", "exchange"> {
  let summary = "shared memory through which a cluster adds up fragments";
  let description = [{
    For each of `groups` warpgroups, room for `columns` columns of each of
    `parts` blocks, with a barrier that says full and one that says empty.
  }];
  let parameters = (ins "int64_t":$groups, "int64_t":$parts,
      "int64_t":$columns);
  let assemblyFormat = "`<` $groups `x` $parts `x` $columns `>`";
  let extraClassDeclaration = [{
    static constexpr int64_t kRows = 64;
    /// What a block sends to another, and all that a warpgroup receives.
    int64_t getPartBytes() const { return kRows * getColumns() * 4; }
    int64_t getGroupBytes() const { return getParts() * getPartBytes(); }
    int64_t getBytes() const { return getGroups() * getGroupBytes(); }
  }];
}

def AIKTile_FragType : AIKTile_Shaped<"Frag", "frag"> {
  let summary = "a matrix in the registers of a warpgroup";
  let description = [{
    Each thread holds the elements that the matrix instructions of the target
    give it. While it is `pending`, instructions may still write it.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
      "::mlir::Type":$elementType,
      DefaultValuedParameter<"bool", "false">:$pending);
  let assemblyFormat = [{
    `<` custom<Shape>($rows, $columns, $elementType) ``
    custom<Flag>($pending, "\"pending\"") `>`
  }];
}

def AIKTile_RowsType : AIKTile_Type<"Rows", "rows"> {
  let summary = "an f32 for each row of a fragment";
  let description = [{
    Each thread holds those of the rows of which it has elements.
  }];
  let builderCall = "$_builder.getType<::aikernel::tile::RowsType>()";
}

def AIKTile_MailboxType : AIKTile_Shaped<"Mailbox", "mailbox"> {
  let summary = "i32 words that one thread hands to the warps of another role";
  let description = [{
    `slots` times `words`, with a full and an empty barrier for each slot.
  }];
  let parameters = (ins "int64_t":$slots, "int64_t":$words);
  let assemblyFormat = "`<` $slots `x` $words `>`";
  let extraClassDeclaration = [{
    int64_t getBytes() const { return getSlots() * getWords() * 4; }
  }];
}

def AIKTile_MapType : AIKTile_Type<"Map", "map"> {
  let summary = "a tensor map: how a matrix in global memory is cut into boxes";
  let description = [{
    Boxes of `rows` x `columns` elements, columns contiguous in memory. What
    lies outside of the matrix reads as zero and is not written.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
      "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<Shape>($rows, $columns, $elementType) `>`";
}

def AIKTile_ScheduleAttr : AttrDef<AIKTile_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How a product is computed by tile programs";
  let description = [{
    A block computes tiles of `rows` x `columns` with sums of `depth` at a
    time, through a ring of `stages` and `boxes` store boxes per warp.
    `cluster` blocks below each other share the tile of the right operand or,
    with `share_left`, blocks beside each other that of the left one.
    `warpgroups` multiply
    and may use `registers` each, one loads with `load_registers`; where both
    are 0 there is none, and all threads copy and multiply. `blocks`
    are launched and take tiles in groups of `group` along the rows. With
    `serpentine` every other tile of a block is summed from its end, where the
    cache still has what the tile before has read. With a `split` the steps of
    a sum are dealt out to that many parts, which other blocks compute and a
    kernel of its own adds up in their order. With `clustered` the parts are
    those of the blocks of a cluster, which share no tile: each adds up its
    share of the columns, in the same order. `swapped` is for few rows: rows
    of tiles are the product's columns, and columns of tiles its rows. Without
    `boxes` sums are stored straight from registers. A warpgroup starts the
    products of `at_once` steps before it waits for them: with one warpgroup
    nobody else multiplies meanwhile. The last `keep` columns of a tile's sums
    stay in registers, and what is done to them and stored is done while the
    first products of the next tile run, a few columns in each step.

    ```mlir
    #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3,
                       boxes = 4, cluster = 2, warpgroups = 2, registers = 232,
                       load_registers = 40, blocks = 132, group = 8,
                       serpentine = true>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
      "int64_t":$stages, "int64_t":$boxes, "int64_t":$cluster,
      "int64_t":$warpgroups, "int64_t":$registers, "int64_t":$load_registers,
      "int64_t":$blocks, "int64_t":$group,
      DefaultValuedParameter<"bool", "false">:$serpentine,
      DefaultValuedParameter<"int64_t", "1">:$split,
      DefaultValuedParameter<"bool", "false">:$swapped,
      DefaultValuedParameter<"bool", "false">:$clustered,
      DefaultValuedParameter<"bool", "false">:$share_left,
      DefaultValuedParameter<"int64_t", "1">:$at_once,
      DefaultValuedParameter<"int64_t", "0">:$keep);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Blocks of a cluster that have tiles of different rows or columns.
    int64_t getRowBlocks() const {
      return getClustered() || getShareLeft() ? 1 : getCluster();
    }
    int64_t getColumnBlocks() const {
      return getShareLeft() ? getCluster() : 1;
    }
    /// Rows and columns of what a cluster computes at once.
    int64_t getClusterRows() const { return getRows() * getRowBlocks(); }
    int64_t getClusterColumns() const {
      return getColumns() * getColumnBlocks();
    }
    /// Columns that a block of a cluster adds up; some may have none to do.
    int64_t getPartColumns() const;
    /// Parts of sums that a kernel of its own adds up.
    int64_t getStoredParts() const { return getClustered() ? 1 : getSplit(); }
    /// Bytes of shared memory that a block takes, but for its barriers.
    int64_t getSharedBytes() const;
  }];
}

def AIKTile_AttentionScheduleAttr
    : AttrDef<AIKTile_Dialect, "AttentionSchedule"> {
  let mnemonic = "attention_schedule";
  let summary = "How attention is computed by tile programs";
  let description = [{
    A block computes tiles of `rows` queries, 64 for each of its `warpgroups`,
    against `keys` keys at a time. There is memory for `query_stages` tiles of
    queries and for `stages` of keys and of values, and warps store through
    `boxes`. Warpgroups may use `registers` each, the one that loads
    `load_registers`. `blocks` are launched and claim tiles. With `keep_maximum`
    sums are only scaled anew when a row's maximum has grown by more than 2^8.

    ```mlir
    #aik_tile.attention_schedule<rows = 192, keys = 80, stages = 2,
                                 query_stages = 2, boxes = 2, registers = 160,
                                 load_registers = 32, blocks = 132,
                                 keep_maximum = true>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys, "int64_t":$stages,
      "int64_t":$query_stages, "int64_t":$boxes, "int64_t":$registers,
      "int64_t":$load_registers, "int64_t":$blocks,
      DefaultValuedParameter<"bool", "false">:$keep_maximum);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getWarpgroups() const { return getRows() / 64; }
    /// Why no block could compute attention of that many features so, or "".
    ::std::string objectionTo(int64_t features) const;
  }];
}

#endif // AIKERNEL_TILETYPES_TD
