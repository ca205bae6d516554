//===- ProgramSteps.cpp - What a program does, as far as others wait ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program of which each ring and mailbox is right by itself. Out: the
// steps of its roles. Whatever else they do is left out, loops too.
//
//===----------------------------------------------------------------------===//

#include "ProgramSteps.h"
#include "ProgramOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace aikernel::tile;

/// What stands for the turns of the role around an op.
static Value turnsAt(Operation *op) {
  return op->getParentOfType<RoleOp>().getBody().getArgument(0);
}

ProgramSteps::ProgramSteps(ProgramOp program) : program(program) {
  auto readerOf = [](Value value) {
    for (Operation *user : value.getUsers())
      if (isa<AcquireOp, PostedTilesOp>(user))
        return user->getParentOfType<RoleOp>();
    llvm_unreachable("rings and mailboxes are verified before");
  };
  for (auto make : program.getBody().getOps<MakeRingOp>())
    addChannel(make.getRing(), make.getRing().getType().getStages(),
               readerOf(make.getRing()));
  for (auto make : program.getBody().getOps<MakeMailboxOp>())
    addChannel(make.getMailbox(), make.getMailbox().getType().getSlots(),
               readerOf(make.getMailbox()));
  // One role has turns.
  program.getBody().walk([&](TakeTurnOp take) {
    addChannel(turnsAt(take), /*depth=*/1, take->getParentOfType<RoleOp>());
    channels.back().isTurns = true;
    return WalkResult::interrupt();
  });
}

LogicalResult ProgramSteps::read() {
  for (auto role : program.getBody().getOps<RoleOp>()) {
    addSteps(role.getBody().front());
    if (steps.size() > kMostSteps)
      return role.emitOpError()
             << "waits at more than " << kMostSteps << " places";
    roles.push_back({role, std::exchange(steps, {})});
  }
  return success();
}

void ProgramSteps::addChannel(Value value, uint64_t depth, RoleOp reader) {
  channelOf[value] = channels.size();
  channels.push_back({depth, readers, unsigned(reader.getWarpgroups())});
  readers += reader.getWarpgroups();
}

/// What is of another program is nothing that this one waits for.
void ProgramSteps::add(Step::Kind kind, Value channel, Operation *op) {
  if (auto found = channelOf.find(channel); found != channelOf.end())
    steps.push_back({kind, found->second, op});
}

/// Slots are empty, and turns are over, as soon as they are taken.
void ProgramSteps::addTaking(Value channel, Operation *op) {
  add(Step::Acquire, channel, op);
  add(Step::Release, channel, op);
}

unsigned ProgramSteps::findLoop(Operation *op) {
  Loop loop{op, std::nullopt};
  if (auto counted = dyn_cast<scf::ForOp>(op)) {
    if (std::optional<APInt> turns = counted.getStaticTripCount())
      loop.turns = turns->getLimitedValue();
    Value bounds[] = {counted.getLowerBound(), counted.getUpperBound(),
                      counted.getStep()};
    loop.isOfTile = !loop.turns && llvm::any_of(bounds, [&](Value bound) {
      return program.getBody().isProperAncestor(bound.getParentRegion());
    });
  }
  for (auto [number, known] : llvm::enumerate(loops))
    if (!loop.turns && !known.turns &&
        (runsAsOften(known.op, op) || runsAsOften(op, known.op)))
      return number;
  loops.push_back(loop);
  return loops.size() - 1;
}

void ProgramSteps::addLoop(Operation *op, Block &body) {
  size_t begin = steps.size();
  steps.push_back({Step::Enter, /*of=*/0, op});
  if (auto posted = dyn_cast<PostedTilesOp>(op))
    addTaking(posted.getMailbox(), op);
  addSteps(body);
  if (steps.size() == begin + 1)
    return steps.pop_back();
  unsigned number = findLoop(op);
  loops[number].isOverTiles |= llvm::any_of(
      ArrayRef(steps).drop_front(begin + 1), [&](const Step &step) {
        return step.kind == Step::Enter && loops[step.of].isOfTile;
      });
  steps[begin].of = number;
  steps[begin].other = steps.size();
  steps.push_back({Step::Leave, number, op, begin});
}

void ProgramSteps::addSteps(Block &block) {
  for (Operation &each : block) {
    if (steps.size() > kMostSteps)
      return;
    llvm::TypeSwitch<Operation *>(&each)
        .Case([&](FillOp op) { add(Step::Fill, op.getRing(), op); })
        .Case([&](AcquireOp op) { add(Step::Acquire, op.getRing(), op); })
        .Case([&](ReleaseOp op) {
          auto acquire = op.getStage().getDefiningOp<AcquireOp>();
          add(Step::Release, acquire.getRing(), acquire);
        })
        .Case([&](PostOp op) { add(Step::Fill, op.getMailbox(), op); })
        .Case([&](TakeTurnOp op) { addTaking(turnsAt(op), op); })
        .Case([&](PassTurnOp op) { add(Step::Pass, turnsAt(op), op); })
        .Case([&](ClaimTilesOp op) {
          addLoop(op, op.getBody().front());
          // That there are no more.
          add(Step::Fill, op.getMailbox(), op);
        })
        .Case([&](PostedTilesOp op) {
          addLoop(op, op.getBody().front());
          addTaking(op.getMailbox(), op);
        })
        .Case([&](ForTilesOp op) { addLoop(op, op.getBody().front()); })
        // In a choice stages are released, the same in both regions, and
        // nobody waits.
        .Case([&](scf::IfOp op) { addSteps(*op.thenBlock()); })
        .Case([&](scf::ForOp op) { addLoop(op, *op.getBody()); });
  }
}
