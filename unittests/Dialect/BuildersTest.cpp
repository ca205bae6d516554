//===- BuildersTest.cpp - Builders and interfaces of the compute ops ------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: nothing. Out: each op built without naming its result type, verified,
// with the type, the loops and the reference parameters that it should have;
// one line per failure and exit status 1.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace aikernel;

namespace {

/// A module to build in, with values of any type.
class Fixture {
public:
  Fixture() : builder(&context) {
    context.loadDialect<AIKernelDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  Value tensor(ArrayRef<int64_t> shape, Type element) {
    auto type = RankedTensorType::get(shape, element);
    return UnrealizedConversionCastOp::create(builder, loc(), type,
                                              ValueRange())
        .getResult(0);
  }

  Location loc() { return builder.getUnknownLoc(); }

  void expect(bool holds, Operation *op, StringRef what) {
    ++checks;
    if (holds)
      return;
    ++failures;
    llvm::errs() << op->getName() << ": " << what << "\n";
  }

  /// Valid, with the type of its first operand, `loops` loops and `params`.
  void expectSameType(Operation *op, unsigned loops, ArrayRef<double> params) {
    expect(succeeded(verify(op)), op, "is not valid");
    expect(op->getResult(0).getType() == op->getOperand(0).getType(), op,
           "has another result type");
    expect(cast<TilingInterface>(op).getLoopIteratorTypes().size() == loops, op,
           "has another number of loops");
    auto reference = cast<ReferenceOpInterface>(op);
    expect(reference.getReferenceParams() == SmallVector<double>(params), op,
           "has other reference parameters");
    expect(reference.getReferenceName() == op->getName().stripDialect(), op,
           "has another reference");
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  int checks = 0, failures = 0;
};

} // namespace

int main() {
  Fixture f;
  OpBuilder &b = f.builder;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  constexpr int64_t any = ShapedType::kDynamic;
  Value x = f.tensor({any, 8}, f32), g = f.tensor({8}, f32);
  f.expectSameType(ReluOp::create(b, f.loc(), x), 2, {});
  f.expectSameType(GeluOp::create(b, f.loc(), x), 2, {0.0});
  f.expectSameType(SiluOp::create(b, f.loc(), x), 2, {});
  f.expectSameType(SigmoidOp::create(b, f.loc(), x), 2, {});
  f.expectSameType(TanhOp::create(b, f.loc(), x), 2, {});
  f.expectSameType(SwigluOp::create(b, f.loc(), x, x), 2, {});
  f.expectSameType(GegluOp::create(b, f.loc(), x, x), 2, {0.0});
  f.expectSameType(RmsNormOp::create(b, f.loc(), x, g, 0.5f), 1, {0.5});
  f.expectSameType(LayerNormOp::create(b, f.loc(), x, g, g, 0.25f), 1, {0.25});
  f.expectSameType(L2NormOp::create(b, f.loc(), x, 0.125f), 1, {0.125});
  f.expectSameType(SoftmaxOp::create(b, f.loc(), x), 1, {1.0});
  f.expectSameType(SoftmaxOp::create(b, f.loc(), x, int64_t(0)), 1, {0.0});

  Value cache = f.tensor({2, 16, 4, 8}, f32),
        rows = f.tensor({2, 3, 4, 8}, f32);
  Value pos = f.tensor({2}, i32);
  f.expectSameType(
      KvAppendOp::create(b, f.loc(), cache, rows, pos, LayoutKind::Bshd), 3,
      {1.0});

  // An absent operand of the reference is a null value in its place.
  auto linear = LinearOp::create(b, f.loc(), x.getType(), x,
                                 f.tensor({8, 8}, f32), Value());
  SmallVector<Value> operands = linear.getReferenceOperands();
  f.expect(operands.size() == 3 && !operands[2], linear,
           "has a bias that was not given");

  llvm::outs() << (f.checks - f.failures) << " passed, " << f.failures
               << " failed\n";
  return f.failures != 0;
}
