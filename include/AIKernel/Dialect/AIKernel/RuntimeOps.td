//===- RuntimeOps.td - What passes add to a program to check it -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that a person does not write: run-time checks and calls of references.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIMEOPS_TD
#define AIKERNEL_RUNTIMEOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AIKernel_CheckOp : AIKernel_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "a requirement that shows at run time";
  let description = [{
    When `condition` is false the function returns the error number `code`
    (AIK_E* of Entry.h) with `message` in the fault record, at once, also from
    inside loops. `env` is the aik_env that records it, once there is one.

    ```mlir
    aikernel.check %ok, 22, "operand 'b' of 'aikernel.matmul' has the wrong size"
    ```
  }];
  let arguments = (ins I1:$condition, I32Attr:$code, StrAttr:$message,
      Optional<AnyType>:$env);
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$condition, "int32_t":$code,
                                 "::llvm::StringRef":$message), [{
    build($_builder, $_state, condition, code, message, /*env=*/::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $condition `,` custom<PlainInt>($code) `,` $message
    (`env` $env^ `:` type($env))? attr-dict
  }];
}

def AIKernel_ReferenceCallOp
    : AIKernel_Op<"reference_call", [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<BufferizableOpInterface, [
          "bufferizesToMemoryRead", "bufferizesToMemoryWrite",
          "getAliasingValues", "bufferize"]>]> {
  let summary = "a call of the reference library, destination style";
  let description = [{
    Stands for `aik_ref_<callee>(inputs, outputs, params)`. On tensors it gives
    new values of `outputs`; on memrefs it writes them. The reference overwrites
    all of its outputs and reads none. `present` tells which of the operands
    that the reference knows are given (all, when it is left out).

    ```mlir
    %y = aikernel.reference_call "linear" ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%e : tensor<4x16xf32>) {params = array<f64: 1.000000e+00, 0.000000e+00>, present = array<i1: true, true, false>} -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyType>:$inputs,
      Variadic<AnyType>:$outputs, DenseF64ArrayAttr:$params,
      OptionalAttr<DenseBoolArrayAttr>:$present);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $callee `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// For each operand that the reference knows, whether it is given.
    ::llvm::SmallVector<bool> getOperandPresence();
  }];
}

#endif // AIKERNEL_RUNTIMEOPS_TD
