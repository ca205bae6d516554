//===- EntryABITest.cpp - The compiler's view of Entry.h ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the struct types that the compiler reads and writes (EntryABI.h) and the
// C structs of Entry.h. Out: one line for each size, offset or element code in
// which the two differ, and exit status 1.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Transforms/Entries/EntryABI.h"
#include "AIKernel-c/Entry.h"
#include "Check.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <cstddef>

using namespace mlir;
using namespace aikernel;
using aiktest::finish;
using aiktest::run;

namespace {

/// A context with the LLVM dialect and the layout of a module without a data
/// layout of its own: that of a 64-bit machine, as our targets are.
struct Fixture {
  Fixture() {
    context.loadDialect<LLVM::LLVMDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    layout = std::make_unique<DataLayout>(*module);
  }

  uint64_t offsetOf(LLVM::LLVMStructType type, unsigned field) const {
    uint64_t offset = 0;
    for (unsigned i = 0;; ++i) {
      Type member = type.getBody()[i];
      offset = llvm::alignTo(offset, layout->getTypeABIAlignment(member));
      if (i == field)
        return offset;
      offset += layout->getTypeSize(member).getFixedValue();
    }
  }

  uint64_t sizeOf(Type type) const {
    return layout->getTypeSize(type).getFixedValue();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<DataLayout> layout;
};

void tensorsAreLaidOutAlike() {
  Fixture fixture;
  LLVM::LLVMStructType type = entryabi::tensorType(&fixture.context);
  CHECK_EQ(fixture.sizeOf(type), sizeof(aik_tensor));
  CHECK_EQ(type.getBody().size(), 5);
  CHECK_EQ(fixture.offsetOf(type, entryabi::kTensorData),
           offsetof(aik_tensor, data));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kTensorDtype),
           offsetof(aik_tensor, dtype));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kTensorRank),
           offsetof(aik_tensor, rank));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kTensorDims),
           offsetof(aik_tensor, dims));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kTensorStrides),
           offsetof(aik_tensor, strides));
  CHECK_EQ(fixture.sizeOf(type.getBody()[entryabi::kTensorDims]),
           sizeof(aik_tensor::dims));
  CHECK_EQ(fixture.sizeOf(type.getBody()[entryabi::kTensorStrides]),
           sizeof(aik_tensor::strides));
  CHECK_EQ(fixture.sizeOf(type.getBody()[entryabi::kTensorDtype]),
           sizeof(aik_tensor::dtype));
  CHECK_EQ(fixture.sizeOf(type.getBody()[entryabi::kTensorRank]),
           sizeof(aik_tensor::rank));
}

void environmentsAreLaidOutAlike() {
  Fixture fixture;
  LLVM::LLVMStructType type = entryabi::envType(&fixture.context);
  CHECK_EQ(fixture.sizeOf(type), sizeof(aik_env));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kEnvSize), offsetof(aik_env, size));
  CHECK_EQ(fixture.offsetOf(type, 1), offsetof(aik_env, version));
  CHECK_EQ(fixture.offsetOf(type, 2), offsetof(aik_env, context));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kEnvParallelFor),
           offsetof(aik_env, parallel_for));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kEnvFail), offsetof(aik_env, fail));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kEnvSyscall),
           offsetof(aik_env, syscall));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kEnvLaunch),
           offsetof(aik_env, launch));
  CHECK_EQ(fixture.offsetOf(type, entryabi::kEnvThreads),
           offsetof(aik_env, threads));
}

/// f$cost stores two i64 in a row.
void costsAreTwoNumbers() {
  CHECK_EQ(sizeof(aik_cost), 2 * sizeof(int64_t));
  CHECK_EQ(offsetof(aik_cost, flops), 0);
  CHECK_EQ(offsetof(aik_cost, bytes), sizeof(int64_t));
}

void elementTypesHaveTheirCodes() {
  MLIRContext context;
  Builder builder(&context);
  auto expect = [&](Type type, unsigned code) {
    std::optional<unsigned> found = entryabi::dtypeOf(type);
    CHECK(found.has_value());
    CHECK_EQ(found.value_or(0), code);
  };
  expect(builder.getF32Type(), AIK_F32);
  expect(builder.getF64Type(), AIK_F64);
  expect(builder.getF16Type(), AIK_F16);
  expect(builder.getBF16Type(), AIK_BF16);
  expect(builder.getType<Float8E4M3FNType>(), AIK_F8E4M3FN);
  expect(builder.getType<Float8E5M2Type>(), AIK_F8E5M2);
  expect(builder.getI1Type(), AIK_BOOL);
  expect(builder.getI8Type(), AIK_I8);
  expect(builder.getIntegerType(8, /*isSigned=*/false), AIK_U8);
  expect(builder.getI16Type(), AIK_I16);
  expect(builder.getI32Type(), AIK_I32);
  expect(builder.getI64Type(), AIK_I64);
  expect(builder.getIndexType(), AIK_I64);
}

void otherElementTypesHaveNone() {
  MLIRContext context;
  Builder builder(&context);
  CHECK(!entryabi::dtypeOf(builder.getIntegerType(4)));
  CHECK(!entryabi::dtypeOf(builder.getIntegerType(128)));
  CHECK(!entryabi::dtypeOf(builder.getType<Float80Type>()));
  CHECK(!entryabi::dtypeOf(builder.getNoneType()));
}

} // namespace

int main() {
  run("tensors are laid out alike", tensorsAreLaidOutAlike);
  run("environments are laid out alike", environmentsAreLaidOutAlike);
  run("costs are two numbers", costsAreTwoNumbers);
  run("element types have their codes", elementTypesHaveTheirCodes);
  run("other element types have none", otherElementTypesHaveNone);
  return finish();
}
