//===- AIKernelDialect.td - The dialect itself ----------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the `aikernel` dialect, the base class of its ops and the traits
// that most of them share.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_DIALECT_TD
#define AIKERNEL_DIALECT_TD

include "mlir/IR/OpBase.td"

def AIKernel_Dialect : Dialect {
  let name = "aikernel";
  let cppNamespace = "::aikernel";
  let summary = "The vocabulary of AI kernels";
  let description = [{
    Compute ops work on ranked tensors with value semantics: what an op updates
    it returns as a new value, and bufferization makes the update in place when
    the caller gives the buffer away. Sums are kept in f32 (f64 for f64) and
    rounded to nearest even at each op's result. Any dimension may be dynamic;
    what can only be checked at run time comes back as an error code.

    Arguments of public functions may carry:

    | attribute | meaning |
    |---|---|
    | `aikernel.weight` | constant after `f$prepare`; may be repacked |
    | `aikernel.donate = n : i64` | may become result n in place; the types are equal |
    | `aikernel.name = "x"` | the name of the argument outside, unique in its function |
    | `aikernel.min = array<i64: ...>` | lower bound per dimension |
    | `aikernel.max = array<i64: ...>` | upper bound per dimension (-1: none) |
    | `aikernel.multiple_of = array<i64: ...>` | each dimension is a multiple of this |

    Results may carry `aikernel.name`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

class AIKernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<AIKernel_Dialect, mnemonic, traits>;

#endif // AIKERNEL_DIALECT_TD
