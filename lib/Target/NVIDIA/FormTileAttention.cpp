//===- FormTileAttention.cpp - Which attention tile programs compute ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: kernels on tensors, in a module for sm_90a.
// Out: each kernel that is attention of many queries as one aik_tile.attention
// with a schedule, and a counter of its tiles that its callers clear. What each
// query sees, it knows by itself: the tensors of bounds go, and with them the
// kernels that made them. All other attention takes the road of all GPUs.
//
//===----------------------------------------------------------------------===//

#include "../GPU/Processor.h"
#include "../GPU/TuningRows.h"
#include "../GPU/WholeTensors.h"
#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/NVIDIA/Passes.h"
#include "AIKernel/Transforms/Kernels/KernelGroups.h"
#include "AttentionSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "aik-form-tile-attention"

namespace aikernel {
#define GEN_PASS_DEF_FORMTILEATTENTIONPASS
#include "AIKernel/Target/NVIDIA/Passes.h.inc"
} // namespace aikernel

using namespace mlir;
using namespace aikernel;

namespace {

/// On the root of a kernel: the schedule that a person wants.
constexpr StringLiteral kScheduleName = "aik_tile.attention_schedule";
/// A window beyond any sequence.
constexpr int64_t kNoWindow = int64_t(1) << 30;

struct Match {
  OnlineAttentionOp attention;
  linalg::GenericOp root;
  APFloat scale = APFloat(0.0f);
};

bool isFilled(Value tensor, bool (*isValue)(const APFloat &)) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  APFloat value(0.0f);
  return fill && matchPattern(fill.getInputs()[0], m_ConstantFloat(&value)) &&
         isValue(value);
}

/// Sums, divided by the sum of weights or 0 where that is, and rounded.
bool isQuotient(linalg::GenericOp root, OnlineAttentionOp attention) {
  if (root.getNumDpsInputs() != 2 || root.getNumDpsInits() != 1 ||
      root.getDpsInputs()[0] != attention.getResult(0) ||
      root.getDpsInputs()[1] != attention.getResult(2))
    return false;
  Block &body = root.getRegion().front();
  auto truncate =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  auto choice = truncate ? truncate.getIn().getDefiningOp<arith::SelectOp>()
                         : arith::SelectOp();
  if (!choice || std::distance(body.begin(), body.end()) != 5 ||
      !matchPattern(choice.getTrueValue(), m_AnyZeroFloat()))
    return false;
  Value acc = body.getArgument(0), sum = body.getArgument(1);
  auto compare = choice.getCondition().getDefiningOp<arith::CmpFOp>();
  auto divide = choice.getFalseValue().getDefiningOp<arith::DivFOp>();
  return compare && divide && divide.getLhs() == acc &&
         divide.getRhs() == sum && compare.getLhs() == sum &&
         compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         matchPattern(compare.getRhs(), m_AnyZeroFloat());
}

/// In which order the root gives what the attention has as batch, head, query.
bool keepsLayout(linalg::GenericOp root, OnlineAttentionOp attention) {
  MLIRContext *context = root.getContext();
  bool isBhsd = attention.getLayout() == LayoutKind::Bhsd;
  SmallVector<unsigned> order = isBhsd ? SmallVector<unsigned>{0, 1, 2, 3}
                                       : SmallVector<unsigned>{0, 2, 1, 3};
  SmallVector<AffineMap> maps = root.getIndexingMapsArray();
  return maps[0].isIdentity() &&
         maps[1] ==
             AffineMap::getMultiDimIdentityMap(4, context).getMajorSubMap(3) &&
         maps[2] == AffineMap::getPermutationMap(order, context);
}

/// Masks are read as they lie in memory.
bool isKnownMask(Value mask, Type element) {
  auto type = cast<ShapedType>(mask.getType());
  return isArgument(mask) && type.getRank() <= 4 &&
         !llvm::is_contained(type.getShape(), 0) &&
         (type.getElementType() == element || type.getElementType().isF32());
}

/// Attention that no sink changes, of keys and queries of a known kind.
bool isPlain(OnlineAttentionOp op) {
  Type element = getElementTypeOrSelf(op.getQ());
  if (!element.isBF16() && !element.isF16())
    return false;
  int64_t features = cast<ShapedType>(op.getQ().getType()).getDimSize(3);
  for (Value tensor : {op.getQ(), op.getK(), op.getV()}) {
    auto type = cast<ShapedType>(tensor.getType());
    if (!isArgument(tensor) || type.getElementType() != element ||
        type.getDimSize(3) != features ||
        llvm::is_contained(type.getShape(), 0))
      return false;
  }
  bool isKnown = (!op.getBegin() || op.getWindow()) &&
                 (!op.getEnd() || op.getCausal() || op.getKvLen());
  if (op.getMask() && !isKnownMask(op.getMask(), element))
    return false;
  return isKnown && !op.getInstruction() && op.getConstantGroup() > 0 &&
         matchPattern(op.getKeyOffset(), m_Zero()) &&
         matchPattern(op.getHeadOffset(), m_Zero()) &&
         isFilled(op.getAcc(), [](const APFloat &x) { return x.isZero(); }) &&
         isFilled(op.getMax(),
                  [](const APFloat &x) {
                    return x.isInfinity() && x.isNegative();
                  }) &&
         isFilled(op.getSum(), [](const APFloat &x) { return x.isZero(); });
}

std::optional<Match> matchKernel(func::FuncOp kernel) {
  Match match;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto attention = dyn_cast<OnlineAttentionOp>(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (attention && !match.attention)
      match.attention = attention;
    else if (generic && match.attention && !match.root)
      match.root = generic;
    else if (!isa<linalg::FillOp, tensor::CollapseShapeOp, tensor::DimOp,
                  tensor::EmptyOp, tensor::ExpandShapeOp>(op) &&
             !op.hasTrait<OpTrait::ConstantLike>())
      return std::nullopt;
  }
  OnlineAttentionOp attention = match.attention;
  if (!attention || !match.root || !isPlain(attention) ||
      !isQuotient(match.root, attention) ||
      !keepsLayout(match.root, attention) ||
      !match.root->hasAttr(kRootAttrName) ||
      !isa<BlockArgument>(match.root.getDpsInits()[0]) ||
      !callersPassWholeTensors(kernel))
    return std::nullopt;
  if (!matchPattern(attention.getScale(), m_ConstantFloat(&match.scale)) ||
      !attention.getScale().getType().isF32() || match.scale.isNegative() ||
      match.scale.isZero())
    return std::nullopt;
  for (Value result : kernel.getBody().front().getTerminator()->getOperands())
    if (result != match.root.getResult(0) && result != attention.getResult(1) &&
        result != attention.getResult(2))
      return std::nullopt;
  return match;
}

AttentionInfo infoOf(OnlineAttentionOp attention) {
  auto type = cast<ShapedType>(attention.getQ().getType());
  return {type.getDimSize(3), type.getDimSize(attention.getSequenceDim()),
          attention.getWindow().has_value(), attention.getMask() != nullptr,
          attention.getSoftcap().has_value()};
}

/// Statistics are wanted when the kernel returns them; both are written then.
SmallVector<Value> statisticsOf(OnlineAttentionOp attention) {
  bool isWanted = false;
  for (Value rows : {attention.getResult(1), attention.getResult(2)})
    isWanted |= llvm::any_of(rows.getUsers(), llvm::IsaPred<func::ReturnOp>);
  if (!isWanted)
    return {};
  return {attention.getMax().getDefiningOp<linalg::FillOp>().getDpsInits()[0],
          attention.getSum().getDefiningOp<linalg::FillOp>().getDpsInits()[0]};
}

/// How tables of measured schedules name attention: "attention bf16 2x8x512x128
/// of 2x2x512x128, bshd, causal, window 100, softcap, mask 512x512xf32, kv_len,
/// statistics".
std::string nameOf(OnlineAttentionOp attention) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto size = [&](Value tensor) {
    llvm::interleave(
        cast<ShapedType>(tensor.getType()).getShape(), out,
        [&](int64_t size) {
          ShapedType::isDynamic(size) ? out << "?" : out << size;
        },
        "x");
  };
  out << "attention " << getElementTypeOrSelf(attention.getQ()) << " ";
  size(attention.getQ());
  out << " of ";
  size(attention.getK());
  if (attention.getLayout() == LayoutKind::Bshd)
    out << ", bshd";
  if (attention.getCausal())
    out << ", causal";
  if (attention.getWindow())
    out << ", window " << *attention.getWindow();
  if (attention.getSoftcap())
    out << ", softcap";
  if (Value mask = attention.getMask()) {
    out << ", mask ";
    size(mask);
    out << "x" << getElementTypeOrSelf(mask);
  }
  if (attention.getKvLen())
    out << ", kv_len";
  if (!statisticsOf(attention).empty())
    out << ", statistics";
  return text;
}

/// Callers pass one argument more: a counter, which is 0.
Value addCounter(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  auto type = RankedTensorType::get({1}, builder.getI32Type());
  unsigned number = kernel.getNumArguments();
  (void)kernel.insertArgument(number, type, {}, kernel.getLoc());
  for (func::CallOp call : callsOf(kernel)) {
    builder.setInsertionPoint(call);
    Location loc = call.getLoc();
    Value empty = tensor::EmptyOp::create(builder, loc, type, ValueRange());
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    Value cleared =
        linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
    call->insertOperands(call->getNumOperands(), cleared);
  }
  return kernel.getArgument(number);
}

/// Arguments that the kernel does not use any more, calls of kernels whose
/// results nobody uses any more, and then those that nobody calls.
void dropBounds(func::FuncOp kernel, SetVector<Operation *> &dead) {
  llvm::BitVector unused(kernel.getNumArguments());
  for (BlockArgument argument : kernel.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  SetVector<Operation *> makers;
  for (func::CallOp call : callsOf(kernel)) {
    for (unsigned number : unused.set_bits())
      if (auto maker = call.getOperand(number).getDefiningOp<func::CallOp>())
        makers.insert(maker);
    call->eraseOperands(unused);
  }
  (void)kernel.eraseArguments(unused);
  for (Operation *maker : makers) {
    auto called = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        maker, cast<func::CallOp>(maker).getCalleeAttr());
    if (!maker->use_empty() || !called || !called->hasAttr(kKernelAttrName))
      continue;
    maker->erase();
    if (SymbolTable::symbolKnownUseEmpty(called, kernel->getParentOp()))
      dead.insert(called);
  }
}

void form(func::FuncOp kernel, Match &match,
          tile::AttentionScheduleAttr schedule, SetVector<Operation *> &dead) {
  OnlineAttentionOp attention = match.attention;
  Value counter = addCounter(kernel);
  OpBuilder builder(match.root);
  SmallVector<Value> outputs{match.root.getDpsInits()[0]};
  SmallVector<Value> statistics = statisticsOf(attention);
  llvm::append_range(outputs, statistics);
  outputs.push_back(counter);
  FloatAttr softcap;
  if (std::optional<APFloat> cap = attention.getSoftcap())
    softcap = builder.getF32FloatAttr(cap->convertToDouble());
  IntegerAttr window;
  if (attention.getWindow())
    window = builder.getI64IntegerAttr(
        std::min<int64_t>(*attention.getWindow(), kNoWindow));
  auto unit = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  auto made = tile::AttentionOp::create(
      builder, match.root.getLoc(), ValueRange(outputs).getTypes(),
      attention.getQ(), attention.getK(), attention.getV(),
      attention.getKvLen(), attention.getMask(), outputs,
      /*sizes=*/ValueRange(),
      builder.getF32FloatAttr(match.scale.convertToFloat()), softcap,
      unit(attention.getCausal()), window,
      unit(attention.getLayout() == LayoutKind::Bshd), schedule);
  match.root.getResult(0).replaceAllUsesWith(made.getResult(0));
  if (!statistics.empty()) {
    attention.getResult(1).replaceAllUsesWith(made.getResult(1));
    attention.getResult(2).replaceAllUsesWith(made.getResult(2));
  }
  SmallVector<Value> inits(attention.getOutputs());
  match.root.erase();
  attention.erase();
  for (Value init : inits)
    if (init.use_empty())
      init.getDefiningOp()->erase();
  dropBounds(kernel, dead);
}

void explain(func::FuncOp kernel, tile::AttentionScheduleAttr schedule) {
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("schedule").category(DEBUG_TYPE))
      << "kernel '" + kernel.getSymName().str() + "': attention in tiles of " +
             std::to_string(schedule.getRows()) + " queries by " +
             std::to_string(schedule.getKeys()) + " keys";
}

struct FormTileAttentionPass
    : aikernel::impl::FormTileAttentionPassBase<FormTileAttentionPass> {
  using FormTileAttentionPassBase::FormTileAttentionPassBase;

  void runOnOperation() override {
    if (!getProcessor(getTarget(getOperation())).hasWarpgroups)
      return;
    SetVector<Operation *> dead;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttrName))
        continue;
      std::optional<Match> match = matchKernel(kernel);
      if (!match)
        continue;
      AttentionInfo info = infoOf(match->attention);
      SmallVector<tile::AttentionScheduleAttr> ranked =
          rankAttentionSchedules(&getContext(), info);
      std::string name = nameOf(match->attention);
      tile::AttentionScheduleAttr schedule;
      if (Attribute wanted = wantedSchedule(*match, name)) {
        schedule = dyn_cast<tile::AttentionScheduleAttr>(wanted);
        std::string objection = schedule ? schedule.objectionTo(info.features)
                                         : "it is not one of attention";
        if (!objection.empty()) {
          refuseSchedule(match->root, name, objection);
          return signalPassFailure();
        }
      }
      if (!schedule && ranked.empty())
        continue;
      if (!schedule)
        schedule = ranked.front();
      offerSchedules(kernel, name, {ranked.begin(), ranked.end()});
      form(kernel, *match, schedule, dead);
      explain(kernel, schedule);
    }
    for (Operation *kernel : dead)
      kernel->erase();
  }

private:
  /// Of a person, on the root, or of a table, on the program.
  Attribute wantedSchedule(Match &match, StringRef name) {
    if (Attribute wanted = match.root->getAttr(kScheduleName))
      return wanted;
    return measuredSchedule(getOperation(), name);
  }
};

} // namespace
