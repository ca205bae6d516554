//===- SameCodeTest.cpp - Targets for which code is made once -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: pairs of modules in the LLVM dialect. Out: one line for each that is said
// to give the same code and does not, or the other way round, and exit status
// 1.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Dialect/AIKernel/TargetAttrs.h"
#include "AIKernel/Target/CPU/CPUBackend.h"
#include "Check.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

using namespace aikernel;
using aiktest::finish;
using aiktest::run;

namespace {

constexpr llvm::StringLiteral kSum = R"(
  llvm.func @f(%x: vector<4xf32>) -> vector<4xf32> {
    %y = llvm.fadd %x, %x : vector<4xf32>
    llvm.return %y : vector<4xf32>
  })";
constexpr llvm::StringLiteral kProduct = R"(
  llvm.func @f(%x: vector<4xf32>) -> vector<4xf32> {
    %y = llvm.fmul %x, %x : vector<4xf32>
    llvm.return %y : vector<4xf32>
  })";
constexpr llvm::StringLiteral kHalves = R"(
  llvm.func @f(%x: vector<4xf32>) -> vector<4xf16> {
    %y = llvm.fptrunc %x : vector<4xf32> to vector<4xf16>
    llvm.return %y : vector<4xf16>
  })";
constexpr llvm::StringLiteral kBytes = R"(
  llvm.func @f(%x: vector<16xi8>) -> vector<16xi32> {
    %y = llvm.sext %x : vector<16xi8> to vector<16xi32>
    llvm.return %y : vector<16xi32>
  })";
constexpr llvm::StringLiteral kAtomic = R"(
  llvm.func @f(%p: !llvm.ptr, %x: i32) -> i32 {
    %y = llvm.atomicrmw add %p, %x monotonic : !llvm.ptr, i32
    llvm.return %y : i32
  })";

struct Fixture {
  Fixture() { context.loadDialect<AIKernelDialect, mlir::LLVM::LLVMDialect>(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef target,
                                          llvm::StringRef body) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(body, &context);
    auto targets = parseTarget(target, &context);
    CHECK(module && targets);
    (*module)->setAttr(kTargetAttrName, targets->front());
    return module;
  }

  bool same(llvm::StringRef target, llvm::StringRef body, llvm::StringRef less,
            llvm::StringRef other) {
    return givesSameCode(*parse(target, body), *parse(less, other));
  }

  mlir::MLIRContext context;
};

void equalCodeIsShared() {
  Fixture fixture;
  CHECK(fixture.same("cpu:aarch64+dotprod+lse", kSum, "cpu:aarch64", kSum));
  CHECK(
      !fixture.same("cpu:aarch64+dotprod+lse", kSum, "cpu:aarch64", kProduct));
}

void codeForMoreIsNotForLess() {
  Fixture fixture;
  CHECK(!fixture.same("cpu:aarch64", kSum, "cpu:aarch64+dotprod", kSum));
  CHECK(!fixture.same("cpu:aarch64+sve256", kSum, "cpu:aarch64", kSum));
  CHECK(!fixture.same("cpu:x86-64-v3", kSum, "cpu:x86-64", kSum));
}

void whatFeaturesAreAboutIsNotShared() {
  Fixture fixture;
  for (llvm::StringRef body : {kHalves, kBytes, kAtomic})
    CHECK(!fixture.same("cpu:aarch64+fp16+dotprod+lse", body, "cpu:aarch64",
                        body));
}

} // namespace

int main() {
  run("equal code is shared", equalCodeIsShared);
  run("code for more is not for less", codeForMoreIsNotForLess);
  run("what features are about is not shared", whatFeaturesAreAboutIsNotShared);
  return finish();
}
