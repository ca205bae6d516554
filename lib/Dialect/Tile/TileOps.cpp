//===- TileOps.cpp - Verification of single ops of tile programs ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of an op and those that it uses. What roles owe each other
// is in TileProgram.cpp.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace aikernel::tile;

static ParseResult parseInt(OpAsmParser &parser, IntegerAttr &attr) {
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  attr = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printInt(OpAsmPrinter &printer, Operation *, IntegerAttr attr) {
  printer << attr.getInt();
}

#define GET_OP_CLASSES
#include "AIKernel/Dialect/Tile/TileOps.cpp.inc"

static int64_t elementsOfLine(Type element) {
  return kLineBytes * 8 / element.getIntOrFloatBitWidth();
}

LogicalResult aikernel::tile::checkTileLoop(Operation *op, Block &body,
                                            unsigned numbers,
                                            TypeRange carried) {
  for (Type type : carried)
    if (auto frag = dyn_cast<FragType>(type); frag && frag.getPending())
      return op->emitOpError("carries a fragment that is still pending");
  SmallVector<Type> given(numbers, IntegerType::get(op->getContext(), 32));
  llvm::append_range(given, carried);
  if (body.getArgumentTypes() != TypeRange(given))
    return op->emitOpError() << "has a block of " << numbers
                             << " i32 arguments and what is carried";
  if (op->getResultTypes() != carried ||
      body.getTerminator()->getOperandTypes() != carried)
    return op->emitOpError("carries the same types from tile to tile");
  return success();
}

//===----------------------------------------------------------------------===//
// Roles and loops
//===----------------------------------------------------------------------===//

bool RoleOp::fills() {
  return getBody()
      .walk([](FillOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult RoleOp::verify() {
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isInteger(32))
    return emitOpError("has a block of one i32 argument");
  if (getWarpgroups() < 1 ||
      getWarpgroups() > uint64_t(kMostThreads / kWarpgroupThreads))
    return emitOpError() << "has 1 to " << kMostThreads / kWarpgroupThreads
                         << " warpgroups but has " << getWarpgroups();
  int64_t registers = getRegisters();
  if (registers < 24 || registers > 256 || registers % 8 != 0)
    return emitOpError()
           << "takes 24 to 256 registers, a multiple of 8, but has "
           << registers;
  if (fills() && getWarpgroups() != 1)
    return emitOpError("fills rings, which one thread does, but has ")
           << getWarpgroups() << " warpgroups";
  return success();
}

LogicalResult ForTilesOp::verify() {
  if (getGroup() < 1)
    return emitOpError("takes groups of at least one row");
  return success();
}

LogicalResult ForTilesOp::verifyRegions() {
  return checkTileLoop(*this, getBody().front(), 3, getInits().getTypes());
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult TensorMapOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  MapType map = getMap().getType();
  int64_t rank = source.getRank();
  if (rank < 2 || rank > 5)
    return emitOpError("is of a matrix, or of up to five dimensions");
  if (getRowDim() && *getRowDim() + 1 >= uint64_t(rank))
    return emitOpError() << "has no rows along dimension " << *getRowDim();
  if (source.getElementType() != map.getElementType())
    return emitOpError() << "is of " << map.getElementType()
                         << " but the matrix of " << source.getElementType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(source.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return emitOpError("needs a matrix whose last dimension is contiguous");
  int64_t bytes = map.getElementType().getIntOrFloatBitWidth() / 8;
  // What is further out is a multiple of that.
  if (ShapedType::isDynamic(strides[rank - 2]) ||
      strides[rank - 2] * bytes % 16 != 0)
    return emitOpError("needs rows that are a multiple of 16 bytes apart");
  if (map.getColumns() * bytes != kLineBytes || map.getRows() < 1 ||
      map.getRows() > 256)
    return emitOpError() << "has boxes of 1 to 256 lines of " << kLineBytes
                         << " bytes but they are " << map.getRows() << "x"
                         << map.getColumns();
  return success();
}

SmallVector<int32_t> TensorMapOp::getBox() {
  SmallVector<int32_t> box(getRank(), 1);
  box[0] = getMap().getType().getColumns();
  box[getRowPlace()] = getMap().getType().getRows();
  return box;
}

SmallVector<Value> TensorMapOp::order(Value map, Value column, Value row,
                                      ValueRange outer) {
  SmallVector<Value> all{column};
  llvm::append_range(all, outer);
  auto made = map.getDefiningOp<TensorMapOp>();
  all.insert(all.begin() + (made ? made.getRowPlace() : 1), row);
  return all;
}

/// Are there coordinates for every dimension of the map's tensor?
static LogicalResult checkCoordinates(Operation *op, Value map,
                                      ValueRange outer) {
  auto made = map.getDefiningOp<TensorMapOp>();
  if (made && made.getRank() != int64_t(outer.size()) + 2)
    return op->emitOpError() << "gives " << outer.size() + 2
                             << " coordinates of " << made.getRank();
  return success();
}

LogicalResult LoadOp::verify() {
  return checkCoordinates(*this, getMap(), getOuter());
}

LogicalResult FillOp::verify() {
  ArrayRef<SharedType> tiles = getRing().getType().getTiles();
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program)
    return emitOpError("belongs into a program");
  SmallVector<unsigned> loads(tiles.size(), 0);
  for (auto load : getBody().getOps<LoadOp>()) {
    uint64_t number = load.getTile();
    if (number >= tiles.size())
      return load.emitOpError() << "there is no tile " << number;
    ++loads[number];
    SharedType tile = tiles[number];
    MapType map = load.getMap().getType();
    int64_t parts = load.getShared() ? program.getCluster() : 1;
    int64_t rowsOfPart = tile.getRows() / parts;
    // Lines are along the depth or along the rows.
    int64_t linesOfBox = tile.getRowMajor() ? tile.getDepth() : rowsOfPart;
    bool hasParts =
        parts == 1 ||
        (tile.getRows() % parts == 0 && rowsOfPart % 8 == 0 &&
         (tile.getRowMajor()
              ? rowsOfPart % elementsOfLine(tile.getElementType()) == 0
              : tile.getPanels() == 1));
    if (!hasParts)
      return load.emitOpError() << "a tile of " << tile.getRows()
                                << " rows has no " << parts << " parts";
    if (map.getElementType() != tile.getElementType() ||
        map.getColumns() != elementsOfLine(tile.getElementType()) ||
        map.getRows() != linesOfBox)
      return load.emitOpError()
             << "brings boxes of " << map.getRows() << "x" << map.getColumns()
             << " of " << map.getElementType() << " into a tile that needs "
             << linesOfBox << "x" << elementsOfLine(tile.getElementType())
             << " of " << tile.getElementType();
  }
  for (auto [number, count] : llvm::enumerate(loads))
    if (count != 1)
      return emitOpError() << "loads tile " << number << " " << count
                           << " times: the stage would never be full, or "
                              "before its time";
  return success();
}

LogicalResult AcquireOp::verify() {
  if (getRing().getType().getTiles() != getStage().getType().getTiles())
    return emitOpError("gives a stage of other tiles than the ring has");
  SmallVector<Operation *> releases;
  for (Operation *user : getStage().getUsers())
    if (isa<ReleaseOp>(user))
      releases.push_back(user);
  if (releases.size() == 2 &&
      insideMutuallyExclusiveRegions(releases[0], releases[1]))
    return isOfChoice(releases[0]) && isOfChoice(releases[1])
               ? success()
               : emitOpError("is released in another block");
  if (releases.size() != 1)
    return emitOpError() << "is released " << releases.size()
                         << " times: the ring would stand still, or be filled "
                            "while it is read";
  if (releases.front()->getBlock() != (*this)->getBlock())
    return emitOpError("is released in another block");
  return success();
}

bool AcquireOp::isOfChoice(Operation *release) {
  auto choice = dyn_cast<scf::IfOp>(release->getParentOp());
  return choice && choice->getBlock() == (*this)->getBlock();
}

/// In some block around the second op?
static bool isBefore(Operation *first, Operation *second) {
  for (; second && second->getBlock() && !isa<RoleOp>(second);
       second = second->getParentOp())
    if (Operation *around = second->getBlock()->findAncestorOpInBlock(*first);
        around && around != second)
      return around->isBeforeInBlock(second);
  return false;
}

/// Whenever the product was started and the stage is released, has somebody
/// waited?
static bool isWaited(Operation *wait, Operation *product, Operation *release) {
  bool runsWithProduct = wait->getBlock() == product->getBlock();
  bool runsWithRelease =
      wait->getParentRegion()->isAncestor(release->getParentRegion());
  return (runsWithProduct || runsWithRelease) && isBefore(wait, release);
}

/// Do instructions that read the stage still run when it is released?
LogicalResult ReleaseOp::verify() {
  auto acquire = getStage().getDefiningOp<AcquireOp>();
  if (!acquire)
    return emitOpError("releases what was acquired in the same block");
  for (Operation *user : getStage().getUsers()) {
    if (isa<UnpackOp, ReadRowsOp>(user)) {
      if (user->getBlock() != (*this)->getBlock() ||
          !user->isBeforeInBlock(*this))
        return (emitOpError("gives back what threads read after it")
                    .attachNote(user->getLoc())
                << "read here");
      continue;
    }
    auto operand = dyn_cast<OperandOp>(user);
    if (!operand)
      continue;
    for (Operation *reader : operand.getOperand().getUsers()) {
      auto multiply = dyn_cast<MultiplyOp>(reader);
      if (!multiply || insideMutuallyExclusiveRegions(multiply, *this))
        continue;
      // The accumulator goes through products until somebody waits for it.
      Value pending = multiply.getResult();
      Operation *last = multiply;
      while (auto next = pending.hasOneUse()
                             ? dyn_cast<MultiplyOp>(*pending.user_begin())
                             : MultiplyOp()) {
        pending = next.getResult();
        last = next;
      }
      bool waited = llvm::any_of(pending.getUsers(), [&](Operation *next) {
        return isa<WaitOp>(next) && isWaited(next, last, *this);
      });
      if (!waited)
        return (emitOpError("gives back what a product still reads")
                    .attachNote(last->getLoc())
                << "nobody waits for this one before");
    }
  }
  return success();
}

LogicalResult OperandOp::verify() {
  ArrayRef<SharedType> tiles = getStage().getType().getTiles();
  if (getTile() >= tiles.size())
    return emitOpError() << "there is no tile " << getTile();
  SharedType whole = tiles[getTile()], part = getOperand().getType();
  if (whole.getElementType() != part.getElementType() ||
      whole.getDepth() != part.getDepth() ||
      whole.getRowMajor() != part.getRowMajor() ||
      (getPart() ? whole.getRows() % part.getRows() != 0
                 : whole.getRows() != part.getRows()))
    return emitOpError() << part << " is no part of " << whole;
  return success();
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

LogicalResult MultiplyOp::verify() {
  FragType acc = getAcc().getType(), result = getResult().getType();
  SharedType rhs = getRhs().getType();
  if (!result.getPending() || result.getRows() != acc.getRows() ||
      result.getColumns() != acc.getColumns() ||
      result.getElementType() != acc.getElementType())
    return emitOpError("gives the accumulator, pending");
  int64_t rows, depth;
  Type element;
  if (auto lhs = dyn_cast<SharedType>(getLhs().getType())) {
    rows = lhs.getRows();
    depth = lhs.getDepth();
    element = lhs.getElementType();
  } else {
    auto held = cast<FragType>(getLhs().getType());
    rows = held.getRows();
    depth = held.getColumns();
    element = held.getElementType();
    if (held.getPending())
      return emitOpError("reads a fragment that is still pending");
  }
  Type sums = sumsOf(element, rhs.getElementType());
  if (!sums)
    return emitOpError() << "multiplies " << element << " by "
                         << rhs.getElementType();
  if (sums != acc.getElementType())
    return emitOpError() << "sums products of " << element << " in " << sums
                         << " but the accumulator is of "
                         << acc.getElementType();
  if (rows != acc.getRows() || rhs.getRows() != acc.getColumns() ||
      depth != rhs.getDepth())
    return emitOpError() << "a product of " << rows << "x" << depth << " and "
                         << rhs.getDepth() << "x" << rhs.getRows()
                         << " does not fit into " << acc.getRows() << "x"
                         << acc.getColumns();
  return success();
}

/// The turn before or after this op in its block.
static Operation *turnBeside(Operation *op, bool before) {
  do
    op = before ? op->getPrevNode() : op->getNextNode();
  while (op && !isa<TakeTurnOp, PassTurnOp>(op));
  return op;
}

LogicalResult TakeTurnOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || role.getWarpgroups() < 2)
    return emitOpError("needs another warpgroup in its role");
  Operation *pass = turnBeside(*this, /*before=*/false);
  if (!isa_and_present<PassTurnOp>(pass))
    return emitOpError("is not followed by a pass_turn: others would wait for "
                       "ever");
  for (Operation *between = *this; between != pass;
       between = between->getNextNode())
    if (between != *this &&
        between->walk([](TakeTurnOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return emitOpError("is taken again before it is passed");
  return success();
}

LogicalResult PassTurnOp::verify() {
  if (!isa_and_present<TakeTurnOp>(turnBeside(*this, /*before=*/true)))
    return emitOpError("passes a turn that was not taken");
  return success();
}

/// Tiles that threads read have so many lines for each warpgroup.
static LogicalResult checkRead(Operation *op, StageType stage, uint64_t number,
                               Type element, int64_t lines) {
  auto role = op->getParentOfType<RoleOp>();
  ArrayRef<SharedType> tiles = stage.getTiles();
  if (number >= tiles.size())
    return op->emitOpError() << "there is no tile " << number;
  SharedType tile = tiles[number];
  int64_t groups = role ? role.getWarpgroups() : 1;
  if (tile.getElementType() != element || tile.getRows() != lines * groups)
    return op->emitOpError()
           << "reads " << lines * groups << " lines of " << element
           << " but tile " << number << " is " << tile;
  return success();
}

LogicalResult UnpackOp::verify() {
  FragType frag = getFrag().getType();
  if (getHalf() > 1)
    return emitOpError("a tile has two halves");
  if (frag.getColumns() != 64 || frag.getPending() ||
      frag.getElementType().getIntOrFloatBitWidth() != 16)
    return emitOpError("gives 64 columns of bf16 or f16");
  return checkRead(*this, getStage().getType(), getTile(),
                   IntegerType::get(getContext(), 8), /*lines=*/32);
}

LogicalResult AddScaledOp::verify() {
  FragType sums = getSums().getType();
  if (sums.getPending() || !sums.getElementType().isF32())
    return emitOpError("adds fragments of f32 that are not pending");
  return success();
}

LogicalResult ReadRowsOp::verify() {
  return checkRead(*this, getStage().getType(), getTile(),
                   Float32Type::get(getContext()), /*lines=*/2);
}

LogicalResult WriteTransposedOp::verify() {
  FragType frag = getFrag().getType();
  auto out = cast<MemRefType>(getOut().getType());
  Type element = out.getElementType();
  if (frag.getPending() || !frag.getElementType().isF32())
    return emitOpError("writes sums of f32 that are not pending");
  if (out.getRank() != 2 || !out.getLayout().isIdentity() ||
      out.isDynamicDim(1))
    return emitOpError("writes a matrix whose rows follow each other");
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return emitOpError() << "writes f32, bf16 or f16 but not " << element;
  return success();
}

LogicalResult AddOp::verify() {
  FragType sum = getSum().getType();
  if (sum.getPending() || !sum.getElementType().isF32())
    return emitOpError("adds fragments of f32 that are not pending");
  return success();
}

LogicalResult ColumnsOp::verify() {
  FragType frag = getFrag().getType(), part = getPart().getType();
  if (frag.getPending() || part.getPending() ||
      frag.getElementType() != part.getElementType() ||
      frag.getRows() != part.getRows())
    return emitOpError("is of as many rows of the same elements, not pending");
  if (int64_t(getFrom()) < 0 ||
      getFrag().getType().getColumns() < int64_t(getFrom()) + part.getColumns())
    return emitOpError() << "has no columns " << int64_t(getFrom()) << " to "
                         << int64_t(getFrom()) + part.getColumns();
  if (getFrom() % 8 != 0)
    return emitOpError("begins at a multiple of eight columns");
  return success();
}

LogicalResult KeepOp::verify() {
  if (getFrag().getType().getPending())
    return emitOpError("keeps what is not pending");
  return success();
}

LogicalResult AddPartsOp::verify() {
  FragType part = getPart().getType(), sums = getSums().getType();
  ExchangeType room = getRoom().getType();
  if (part.getPending() || sums.getPending() ||
      !part.getElementType().isF32() || !sums.getElementType().isF32())
    return emitOpError("adds fragments of f32 that are not pending");
  if (sums.getColumns() != room.getColumns() ||
      part.getColumns() % room.getColumns() != 0 ||
      part.getColumns() > room.getColumns() * room.getParts())
    return emitOpError() << "gives each of " << room.getParts() << " blocks "
                         << room.getColumns() << " columns, but has "
                         << part.getColumns() << " and gives "
                         << sums.getColumns();
  return success();
}

LogicalResult WaitOp::verify() {
  if (getPending().empty() || getPending().size() != getFrags().size())
    return emitOpError("gives as many fragments as it waits for");
  bool waits = false;
  Type element =
      cast<FragType>(getPending().front().getType()).getElementType();
  for (auto [from, to] :
       llvm::zip(getPending().getTypes(), getFrags().getTypes())) {
    if (cast<FragType>(from).getElementType() != element)
      return emitOpError("waits for fragments of one element type");
    auto before = cast<FragType>(from), after = cast<FragType>(to);
    waits |= before.getPending();
    if (after.getPending() || before.getRows() != after.getRows() ||
        before.getColumns() != after.getColumns() ||
        before.getElementType() != after.getElementType() ||
        !(before.getPending() || before.getElementType().isF32()))
      return emitOpError("waits for pending fragments and gives the same");
  }
  if (!waits)
    return emitOpError("waits for no fragment that is pending");
  if (getLeaving() == 0)
    return success();
  for (Value value : getPending()) {
    uint64_t later = 0;
    Operation *made = value.getDefiningOp();
    if (made && made->getBlock() == (*this)->getBlock())
      for (Operation *op = made->getNextNode(); op && op != *this;
           op = op->getNextNode())
        later += isa<MultiplyOp>(op);
    if (later < getLeaving())
      return emitOpError() << "leaves " << getLeaving()
                           << " products, but only " << later
                           << " came after the one it waits for";
  }
  return success();
}

/// Does it say where the elements of a tensor are, by rows and columns?
static bool isIndexed(AffineMap map, int64_t rank) {
  return map.getNumDims() == 2 &&
         map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
         map.getNumResults() == rank;
}

LogicalResult ReadOp::verify() {
  MemRefType source = getSource().getType();
  FragType frag = getFrag().getType();
  if (frag.getPending() || frag.getElementType() != source.getElementType())
    return emitOpError() << "reads elements of " << source.getElementType();
  if (!isIndexed(getBy(), source.getRank()))
    return emitOpError("is not indexed by rows and columns");
  return success();
}

LogicalResult MapOp::verify() {
  FragType source = getSource().getType(), result = getResult().getType();
  if (source.getPending() || result.getPending())
    return emitOpError("reads a fragment that is still pending");
  if (source.getRows() != result.getRows() ||
      source.getColumns() != result.getColumns())
    return emitOpError("keeps the shape of its fragment");
  Block &body = getBody().front();
  if (getExtraMaps().size() != getExtras().size() ||
      body.getNumArguments() != getExtras().size() + 1)
    return emitOpError("has a map and a block argument for each extra");
  if (body.getArgument(0).getType() != source.getElementType())
    return emitOpError("its region takes an element of the fragment first");
  for (auto [number, extra] : llvm::enumerate(getExtras())) {
    auto map = cast<AffineMapAttr>(getExtraMaps()[number]).getValue();
    auto held = dyn_cast<FragType>(extra.getType());
    if (held && (held.getPending() || held.getRows() != source.getRows() ||
                 held.getColumns() != source.getColumns()))
      return emitOpError() << "extra " << number
                           << " is another fragment than its own";
    auto type = dyn_cast<MemRefType>(extra.getType());
    if (held ? !map.isIdentity() || map.getNumDims() != 2
             : !isIndexed(map, type.getRank()))
      return emitOpError() << "extra " << number
                           << " is not indexed by rows and columns";
    if (body.getArgument(number + 1).getType() !=
        (held ? held.getElementType() : type.getElementType()))
      return emitOpError() << "extra " << number
                           << " has another element type in the region";
  }
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != result.getElementType())
    return emitOpError("yields one element of its result");
  return success();
}

LogicalResult StoreOp::verify() {
  FragType frag = getFrag().getType();
  MapType map = getMap().getType();
  if (frag.getPending())
    return emitOpError("reads a fragment that is still pending");
  if (map.getElementType() != frag.getElementType() ||
      map.getRows() != BoxesType::kBoxRows ||
      map.getColumns() != elementsOfLine(frag.getElementType()))
    return emitOpError() << "needs a map of boxes of " << BoxesType::kBoxRows
                         << "x" << elementsOfLine(frag.getElementType()) << "x"
                         << frag.getElementType();
  int64_t together =
      frag.getElementType().isF32() && !getAt() ? map.getColumns() : 16;
  if (getAt() && (getDeferred() || *getAt() % together != 0 ||
                  int64_t(*getAt()) + frag.getColumns() > map.getColumns()))
    return emitOpError() << "is a part of a box of " << map.getColumns()
                         << " columns, from a multiple of " << together
                         << " on, and not deferred";
  if (frag.getColumns() % together != 0)
    return emitOpError() << "stores " << together
                         << " columns at a time but has " << frag.getColumns();
  if (getDeferred() &&
      (!getOuter().empty() ||
       getBoxes().getType().getCount() * map.getColumns() < frag.getColumns()))
    return emitOpError("is deferred in boxes that have room for all of a "
                       "matrix' fragment");
  return checkCoordinates(*this, getMap(), getOuter());
}

LogicalResult WriteOp::verify() {
  FragType frag = getFrag().getType();
  auto out = cast<MemRefType>(getOut().getType());
  if (frag.getPending())
    return emitOpError("reads a fragment that is still pending");
  SmallVector<int64_t> strides;
  int64_t offset;
  if (out.getRank() != 2 || out.getElementType() != frag.getElementType() ||
      failed(out.getStridesAndOffset(strides, offset)) || strides[1] != 1 ||
      ShapedType::isDynamic(strides[0]) || strides[0] % 2 != 0)
    return emitOpError() << "writes pairs of elements of a matrix of "
                         << frag.getElementType()
                         << " whose last dimension is contiguous";
  return success();
}
