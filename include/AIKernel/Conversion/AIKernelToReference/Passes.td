//===- Passes.td - The way of the reference copy --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compute ops become calls of the reference library without passing through
// linalg, so that the reference shares no lowering with what it checks.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_CONVERSION_AIKERNELTOREFERENCE_PASSES_TD
#define AIKERNEL_CONVERSION_AIKERNELTOREFERENCE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AIKernelToReferencePass : Pass<"aik-aikernel-to-reference"> {
  let summary = "Turn compute ops into destination-style reference calls";
  let description = [{
    Every op with ReferenceOpInterface becomes an `aikernel.reference_call` that
    writes into fresh tensors of its results' sizes. It bufferizes like any
    destination-style op.

    ```mlir
    %y = aikernel.rms_norm %x, %g {eps = 0.5 : f32} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
    // becomes
    %n = tensor.dim %x, %c0 : tensor<?x64xf32>
    %e = tensor.empty(%n) : tensor<?x64xf32>
    %y = aikernel.reference_call "rms_norm" ins(%x, %g : tensor<?x64xf32>, tensor<64xf32>)
        outs(%e : tensor<?x64xf32>) {params = array<f64: 5.000000e-01>} -> tensor<?x64xf32>
    ```
  }];
  let dependentDialects = ["::aikernel::AIKernelDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // AIKERNEL_CONVERSION_AIKERNELTOREFERENCE_PASSES_TD
