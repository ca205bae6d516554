//===- ProgramOrder.cpp - Roles that wait for each other in a circle ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program of which each ring and mailbox is filled as often as it is read
// (TileProgram.cpp). Out: an error where its warpgroups come to a point at
// which none of them can go on.
//
// Their steps (ProgramSteps.h) are run on counters. A step that can be done can
// still be done after any step of another warpgroup, as nobody else takes what
// it needs: one role fills a ring, and each warpgroup reads for itself. So all
// orders of steps lead to the same end, and one is tried. Blocks of a cluster
// do the same steps: when one has got somewhere all can have, and what they
// fill for each other or add up is there. One block stands for all.
//
// Loops of known length are run as long as they are; what repeats itself is
// skipped. Of others we know which run as often. A role gets ahead of the one
// that reads what it fills by no more stages than a ring has, and of others by
// no more than that for each role in between; where one of them is in another
// loop, a stage may be as many turns as the other fills in one. What happens in
// the middle or at an end of a loop of many turns also happens in one of a few
// turns more than that. So these loops are run with small numbers of turns,
// with as many, and then with different ones. A program that hangs only with a
// mix of numbers that is not tried passes.
//
//===----------------------------------------------------------------------===//

#include "ProgramOrder.h"
#include "ProgramSteps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace aikernel::tile;

namespace {

/// More rounds, in which each warpgroup does a step, than any program needs.
constexpr uint64_t kMostRounds = 1 << 18;
/// What a few turns more are.
constexpr uint64_t kTurnsMore = 2;
/// Which of four numbers of turns every other loop has, and the ones between:
/// two bits each. In a mix so many tiles are run.
constexpr uint64_t kMixes[] = {0b0011, 0b1100, 0b0111, 0b1101};
constexpr uint64_t kTilesOfMix = 16;
/// In loops of no more turns nobody looks for what repeats itself: each tile of
/// a mix counts.
constexpr uint64_t kShortLoop = kTilesOfMix;

/// What a warpgroup has of a channel, in relative numbers: where a loop repeats
/// itself they are the same again.
struct Reader {
  uint64_t ahead = 0; // filled, and not acquired yet
  /// Acquired, the oldest first, null where released before an older one:
  /// stages are filled in turn.
  SmallVector<Operation *, 4> held;

  uint64_t used() const { return ahead + held.size(); }
  bool operator==(const Reader &other) const {
    return ahead == other.ahead && held == other.held;
  }
};

/// Where all warpgroups are.
struct Moment {
  SmallVector<size_t> places;
  SmallVector<Reader> readers;
  SmallVector<SmallVector<uint64_t, 4>> turns; // of the loops around each
};

struct Frame {
  unsigned loop;
  uint64_t turn, turns;
  std::optional<Moment> before = std::nullopt;
};

struct Warpgroup {
  ArrayRef<Step> steps;
  unsigned number; // in its role
  size_t at = 0;
  std::vector<Frame> frames = {}; // the loops it is in

  bool isDone() const { return at == steps.size(); }
};

class Order {
public:
  explicit Order(const ProgramSteps &program);
  LogicalResult check();

private:
  LogicalResult run();
  uint64_t turnsOf(unsigned number, const Warpgroup &group);
  bool canGo(const Warpgroup &group);
  void go(Warpgroup &group);
  void enter(Warpgroup &group, const Step &step);
  void goOnOrLeave(Warpgroup &group, const Step &step);
  Moment now();
  void skipWhatRepeats(const Moment &before);
  LogicalResult refuse();

  const ProgramSteps &program;
  std::vector<Warpgroup> groups;
  SmallVector<Reader> readers;
  /// How often loops of unknown length are run, all of them alike.
  SmallVector<uint64_t> lengths;
  /// The number of a length or, after these, of a mix.
  size_t trial = 0;
  uint64_t rounds = 0;
};

} // namespace

Order::Order(const ProgramSteps &program) : program(program) {
  for (auto &[role, steps] : program.roles)
    for (unsigned i = 0; i < RoleOp(role).getWarpgroups(); ++i)
      groups.push_back({steps, i});
  uint64_t deepest = 0;
  for (const Channel &channel : program.channels)
    deepest = std::max(deepest, channel.depth);
  for (uint64_t length = 0; length <= deepest + kTurnsMore; ++length)
    lengths.push_back(length);
  uint64_t fills = 0;
  for (auto &[role, steps] : program.roles)
    fills =
        std::max<uint64_t>(fills, llvm::count_if(steps, [](const Step &step) {
                             return step.kind == Step::Fill;
                           }));
  lengths.push_back(deepest * (program.roles.size() - 1) * fills + kTurnsMore);
}

uint64_t Order::turnsOf(unsigned number, const Warpgroup &group) {
  const Loop &loop = program.loops[number];
  if (loop.turns)
    return *loop.turns;
  if (trial < lengths.size())
    return lengths[trial];
  if (loop.isOverTiles)
    return kTilesOfMix;
  // Tiles are counted in odd steps, so that all pairs of numbers come up.
  uint64_t mix = trial - lengths.size();
  uint64_t tile = group.frames.empty() ? 0 : group.frames.front().turn;
  uint64_t digits = loop.isOfTile ? tile * (2 * mix + 1) : kMixes[mix];
  const uint64_t choice[] = {0, 1, 2, lengths.back()};
  return choice[digits >> 2 * (number % 2) & 3];
}

bool Order::canGo(const Warpgroup &group) {
  const Step &step = group.steps[group.at];
  if (step.kind != Step::Fill && step.kind != Step::Acquire)
    return true;
  const Channel &channel = program.channels[step.of];
  if (step.kind == Step::Acquire)
    return readers[channel.firstReader + group.number].ahead > 0;
  return llvm::all_of(
      ArrayRef(readers).slice(channel.firstReader, channel.readers),
      [&](const Reader &reader) { return reader.used() < channel.depth; });
}

void Order::go(Warpgroup &group) {
  const Step &step = group.steps[group.at++];
  if (step.kind == Step::Enter)
    return enter(group, step);
  if (step.kind == Step::Leave)
    return goOnOrLeave(group, step);
  const Channel &channel = program.channels[step.of];
  auto all =
      MutableArrayRef(readers).slice(channel.firstReader, channel.readers);
  if (step.kind == Step::Fill) {
    for (Reader &reader : all)
      ++reader.ahead;
  } else if (step.kind == Step::Pass) {
    ++all[(group.number + 1) % all.size()].ahead;
  } else if (step.kind == Step::Acquire) {
    --all[group.number].ahead;
    all[group.number].held.push_back(step.op);
  } else {
    auto &held = all[group.number].held;
    std::replace(held.begin(), held.end(), step.op, (Operation *)nullptr);
    held.erase(held.begin(), llvm::find_if(held, [](Operation *op) {
                 return op != nullptr;
               }));
  }
}

void Order::enter(Warpgroup &group, const Step &step) {
  if (uint64_t count = turnsOf(step.of, group))
    group.frames.push_back({step.of, 0, count});
  else
    group.at = step.other + 1;
}

void Order::goOnOrLeave(Warpgroup &group, const Step &step) {
  Frame &frame = group.frames.back();
  if (++frame.turn == frame.turns)
    return group.frames.pop_back();
  group.at = step.other + 1;
  if (frame.turns <= kShortLoop)
    return;
  if (llvm::isPowerOf2_64(frame.turn))
    frame.before = now();
  else if (frame.before)
    skipWhatRepeats(*frame.before);
}

Moment Order::now() {
  Moment moment;
  moment.readers = readers;
  for (const Warpgroup &group : groups) {
    moment.places.push_back(group.at);
    moment.turns.emplace_back();
    for (const Frame &frame : group.frames)
      moment.turns.back().push_back(frame.turn);
  }
  return moment;
}

/// If all is as it was, but that warpgroups are some turns further in a loop
/// each, it will be so again, as often as there are so many turns.
void Order::skipWhatRepeats(const Moment &before) {
  for (auto [group, place] : llvm::zip(groups, before.places))
    if (group.at != place)
      return;
  if (readers != before.readers)
    return;
  SmallVector<std::pair<Frame *, uint64_t>> further;
  uint64_t times = std::numeric_limits<uint64_t>::max();
  for (auto [group, turnsBefore] : llvm::zip(groups, before.turns)) {
    size_t known = further.size();
    for (auto [frame, turn] : llvm::zip(group.frames, turnsBefore)) {
      if (frame.turn == turn)
        continue;
      if (further.size() > known)
        return;
      uint64_t by = frame.turn - turn;
      further.push_back({&frame, by});
      times = std::min(times, (frame.turns - 1 - frame.turn) / by);
    }
  }
  for (auto [frame, by] : further)
    frame->turn += times * by;
}

static StringRef awaitedAt(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](FillOp) { return "an empty stage"; })
      .Case([](AcquireOp) { return "a full stage"; })
      .Case([](PostedTilesOp) { return "a tile"; })
      .Case([](TakeTurnOp) { return "its turn"; })
      .Default([](Operation *) { return "an empty slot"; });
}

LogicalResult Order::refuse() {
  std::optional<InFlightDiagnostic> error;
  SmallPtrSet<Operation *, 8> named;
  for (const Warpgroup &group : groups) {
    if (group.isDone())
      continue;
    Operation *op = group.steps[group.at].op;
    if (!named.insert(op).second)
      continue;
    if (!error)
      error.emplace(op->emitOpError("waits for ever for ") << awaitedAt(op));
    else
      error->attachNote(op->getLoc())
          << "while this waits for " << awaitedAt(op);
  }
  return failure();
}

LogicalResult Order::run() {
  readers.assign(program.readers, Reader());
  for (const Channel &channel : program.channels)
    if (channel.isTurns)
      readers[channel.firstReader].ahead = 1;
  for (Warpgroup &group : groups) {
    group.at = 0;
    group.frames.clear();
  }
  for (;;) {
    bool moves = false, isDone = true;
    for (Warpgroup &group : groups) {
      if (group.isDone())
        continue;
      isDone = false;
      if (!canGo(group))
        continue;
      go(group);
      moves = true;
    }
    if (isDone)
      return success();
    if (!moves)
      return refuse();
    if (++rounds > kMostRounds)
      return ProgramOp(program.program)
          .emitOpError("has loops of too many turns to tell whether its roles "
                       "end");
  }
}

LogicalResult Order::check() {
  auto unknown = llvm::count_if(program.loops,
                                [](const Loop &loop) { return !loop.turns; });
  size_t trials = unknown == 0   ? 1
                  : unknown == 1 ? lengths.size()
                                 : lengths.size() + std::size(kMixes);
  for (trial = 0; trial < trials; ++trial)
    if (failed(run()))
      return failure();
  return success();
}

LogicalResult aikernel::tile::checkOrder(ProgramOp program) {
  ProgramSteps steps(program);
  if (failed(steps.read()))
    return failure();
  return Order(steps).check();
}
