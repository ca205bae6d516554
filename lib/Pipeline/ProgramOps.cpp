//===- ProgramOps.cpp - Which ops and types a program may hold ------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a verified program. Out: one coded error about the first op or type that
// has no lowering, or whose accesses could not be checked, or nothing. What is
// not known here is refused: an op that nobody has thought of cannot reach
// memory.
//
// Attributes by which passes talk to each other are taken off: a program does
// not give orders to them.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "AIKernel/Pipeline/Program.h"
#include "AIKernel/Transforms/Checks/CheckedSizes.h"
#include "AIKernel/Transforms/Memory/BufferRoot.h"
#include "Hints.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// Factors of a linalg map beyond this could make positions wrap: sizes are at
/// most 2^48, and a map has few terms.
constexpr int64_t kMaxFactor = 1 << 12;
constexpr int64_t kMaxTerm = int64_t(1) << 48;

/// Dialects of which everything is known, but for what is refused below.
bool isKnownDialect(StringRef name) {
  return llvm::is_contained({"arith", "math", "tensor", "linalg", "scf",
                             "affine", "index", "aikernel"},
                            name);
}

bool isKnownOp(StringRef name) {
  return llvm::is_contained({"builtin.module",
                             "func.func",
                             "func.return",
                             "func.call",
                             "cf.assert",
                             "memref.load",
                             "memref.store",
                             "memref.copy",
                             "memref.subview",
                             "memref.cast",
                             "memref.dim",
                             "memref.rank",
                             "memref.expand_shape",
                             "memref.collapse_shape",
                             "memref.transpose",
                             "memref.alloc",
                             "memref.alloca",
                             "memref.dealloc",
                             "memref.atomic_rmw",
                             "bufferization.to_tensor",
                             "bufferization.to_buffer",
                             "bufferization.materialize_in_destination",
                             "bufferization.alloc_tensor"},
                            name);
}

/// The nearest thing that works, as a hint.
StringRef adviceAbout(StringRef op) {
  StringRef dialect = op.split('.').first;
  if (dialect == "vector")
    return "write arith or linalg on tensors: the compiler makes the vectors";
  if (dialect == "memref")
    return "use memref.subview, memref.expand_shape or memref.collapse_shape";
  if (dialect == "cf")
    return "use scf for control flow";
  if (op == "tensor.reshape")
    return "use tensor.expand_shape or tensor.collapse_shape";
  if (op == "tensor.bitcast")
    return "use arith.bitcast";
  if (op == "math.ipowi")
    return "use math.powf or multiply";
  if (dialect == "aikernel")
    return "leave it out: only passes write it";
  return "write it as linalg.generic, or as scf.for over tensor.extract and "
         "tensor.insert";
}

bool isRefused(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (!isKnownDialect(name.split('.').first) && !isKnownOp(name))
    return true;
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    return !cast<ShapedType>(reshape.getSource().getType()).hasStaticShape() ||
           !cast<ShapedType>(reshape.getType()).hasStaticShape();
  return isa<EnvOp, PropagateOp, ReferenceCallOp, OnlineAttentionOp,
             PackPanelsOp, PackedProductOp, PackBlocksOp, BlockGemvOp,
             BlockMatmulOp, PackLanesOp, LaneProductOp, tensor::BitcastOp,
             tensor::GatherOp, tensor::ScatterOp, math::IPowIOp>(op) ||
         llvm::is_contained({"affine.vector_load", "affine.vector_store",
                             "affine.dma_start", "affine.dma_wait",
                             "affine.prefetch", "arith.scaling_extf",
                             "arith.scaling_truncf"},
                            name);
}

LogicalResult refuse(Operation *op, const Twine &why, StringRef hint) {
  InFlightDiagnostic error = op->emitError("AIK-E0007: '");
  error << op->getName() << "' " << why;
  error.attachNote() << kHintPrefix << hint;
  return error;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Why values of this type cannot be kept, or nothing.
std::string complaintAbout(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !isa<VectorType>(type)) {
    if (!shaped.hasRank())
      return "AIK-E0007: %, which has no rank";
    if (!bytesPerElement(shaped.getElementType()))
      return "AIK-E0007: %, whose elements have no place in memory";
    if (!knownBytes(shaped))
      return "AIK-E0012: %, which is larger than 2^48 bytes";
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getEncoding())
      return "AIK-E0007: %, which has an encoding";
    if (auto memref = dyn_cast<MemRefType>(type))
      if (memref.getMemorySpace() || !memref.isStrided())
        return "AIK-E0007: %, which is not plain memory with strides";
    return "";
  }
  auto integer = dyn_cast<IntegerType>(type);
  bool isScalar = (integer && integer.getWidth() <= 64) || type.isIndex() ||
                  (isa<FloatType>(type) && bytesPerElement(type));
  if (isScalar || isa<AIKernelDialect>(type.getDialect()))
    return "";
  return "AIK-E0007: %, which has no lowering";
}

LogicalResult checkType(Operation *op, Type type) {
  std::string complaint = complaintAbout(type);
  if (complaint.empty())
    return success();
  auto [code, rest] = StringRef(complaint).split('%');
  return op->emitError() << code << "'" << op->getName()
                         << "' has a value of type " << type << rest;
}

LogicalResult checkTypes(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkType(op, type)))
          return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A sum of small multiples of loops, as far as positions go.
bool isModest(AffineExpr expr) {
  WalkResult result = expr.walk([](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (auto number = dyn_cast<AffineConstantExpr>(part))
      if (std::abs(number.getValue()) > kMaxTerm)
        return WalkResult::interrupt();
    if (!binary || part.getKind() == AffineExprKind::Add)
      return WalkResult::advance();
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    bool isProduct = part.getKind() == AffineExprKind::Mul;
    if (!factor || std::abs(factor.getValue()) > kMaxFactor ||
        (!isProduct && factor.getValue() < 1))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

LogicalResult checkMaps(linalg::LinalgOp op) {
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (map.getNumSymbols() != 0)
      return refuse(op, "has a map with symbols", "use constants in maps");
    for (AffineExpr expr : map.getResults())
      if (!isModest(expr))
        return refuse(op,
                      "has a map that divides by a variable or by less than 1, "
                      "or with a factor beyond " +
                          Twine(kMaxFactor),
                      "write it as scf.for over tensor.extract and "
                      "tensor.insert");
  }
  return success();
}

/// A cast may forget strides, never invent them.
LogicalResult checkCast(memref::CastOp op) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getType());
  if (!from || !to)
    return refuse(op, "has an operand without rank",
                  "give every memref its rank");
  auto [fromStrides, fromOffset] = from.getStridesAndOffset();
  auto [toStrides, toOffset] = to.getStridesAndOffset();
  auto invents = [](int64_t known, int64_t said) {
    return ShapedType::isDynamic(known) && !ShapedType::isDynamic(said);
  };
  bool bad = invents(fromOffset, toOffset);
  for (auto [known, said] : llvm::zip(fromStrides, toStrides))
    bad |= invents(known, said);
  if (bad)
    return refuse(op,
                  "claims strides or an offset that its operand need not have",
                  "leave them unknown: strided<[?], offset: ?>");
  return success();
}

/// Is memory, or a view of it, read as a tensor?
bool hasTensor(Value memory) {
  SmallVector<Value> views{rootOf(memory)};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<bufferization::ToTensorOp>(user))
        return true;
      if (isa<ViewLikeOpInterface>(user))
        views.push_back(user->getResult(0));
    }
  return false;
}

LogicalResult checkOp(Operation *op) {
  if (isRefused(op))
    return refuse(op, "has no lowering",
                  adviceAbout(op->getName().getStringRef()));
  for (Region &region : op->getRegions())
    if (!isa<func::FuncOp>(op) && region.getBlocks().size() > 1)
      return refuse(op, "has several blocks", "use scf for control flow");
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return checkMaps(linalgOp);
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return checkCast(cast);
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
    if (!read.getRestrict())
      return refuse(op,
                    "is not 'restrict', so that its memory might be that of "
                    "another tensor",
                    "write 'restrict' behind the memref when no other tensor "
                    "has its memory");
  if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
    if (write.getRestrict() && hasTensor(write.getDest()))
      return refuse(op,
                    "is 'restrict', and a tensor has the memory that it "
                    "writes",
                    "leave out 'restrict' behind 'in'");
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
    if (!dealloc.getMemref().getDefiningOp<memref::AllocOp>())
      return refuse(op,
                    "gives back memory that is not of a memref.alloc in this "
                    "function",
                    "leave it out: the caller owns the arguments' memory");
  if (isa<math::MathDialect>(op->getDialect()))
    for (Type type : op->getOperandTypes())
      if (isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type)))
        return refuse(op, "has no lowering for f8",
                      "convert with arith.extf to f32 first");
  return success();
}

SmallVector<NamedAttribute> entriesOf(DictionaryAttr attrs) {
  return attrs ? llvm::to_vector(attrs.getValue())
               : SmallVector<NamedAttribute>();
}

/// Takes off what passes write for each other, and what LLVM would obey.
void cleanAttributes(Operation *op) {
  SmallVector<StringAttr> names;
  for (NamedAttribute attr : op->getDiscardableAttrs()) {
    StringRef name = attr.getName();
    bool isOrder = isa<func::FuncOp, ModuleOp>(op) ||
                   name.starts_with("aikernel.") || name.starts_with("llvm.");
    if (isOrder && name != SymbolTable::getVisibilityAttrName())
      names.push_back(attr.getName());
  }
  for (StringAttr name : names)
    op->removeDiscardableAttr(name);
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (NamedAttribute attr : entriesOf(function.getArgAttrDict(i)))
      if (!attr.getName().strref().starts_with("aikernel."))
        function.removeArgAttr(i, attr.getName());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (NamedAttribute attr : entriesOf(function.getResultAttrDict(i)))
      if (!attr.getName().strref().starts_with("aikernel."))
        function.removeResultAttr(i, attr.getName());
}

} // namespace

LogicalResult aikernel::checkOperations(ModuleOp module) {
  WalkResult result =
      module->walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
        cleanAttributes(op);
        if (failed(checkOp(op)))
          return WalkResult::interrupt();
        // A function's own types are looked at with its boundary.
        return isa<func::FuncOp>(op) ? WalkResult::advance()
                                     : WalkResult(checkTypes(op));
      });
  return failure(result.wasInterrupted());
}
