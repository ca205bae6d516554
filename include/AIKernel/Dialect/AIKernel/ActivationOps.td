//===- ActivationOps.td - Elementwise functions ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of one element, and products with a gate. Each is rounded once, at
// its result.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_ACTIVATIONOPS_TD
#define AIKERNEL_ACTIVATIONOPS_TD

include "AIKernel/Dialect/AIKernel/AIKernelComputeOp.td"

class AIKernel_UnaryOp<string mnemonic, list<Trait> traits = []>
    : AIKernel_ComputeOp<mnemonic, traits> {
  let arguments = (ins AnyRankedTensor:$x);
  let builders = [OpBuilder<(ins "::mlir::Value":$x), [{
    build($_builder, $_state, x.getType(), x);
  }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def AIKernel_ReluOp : AIKernel_UnaryOp<"relu"> {
  let summary = "max(x, 0)";
  let description = [{
    NaN stays NaN, -0 becomes 0. On f64, f32, bf16 and f16.

    ```mlir
    %y = aikernel.relu %x : (tensor<4x?xf16>) -> tensor<4x?xf16>
    ```
  }];
}

def AIKernel_GeluOp : AIKernel_UnaryOp<"gelu"> {
  let summary = "x times the normal distribution function of x";
  let description = [{
    x (1 + erf(x / sqrt 2)) / 2, or with the tanh approximation
    x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2. On f64, f32, bf16 and
    f16.

    ```mlir
    %y = aikernel.gelu %x {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x,
      DefaultValuedAttr<AIKernel_GeluApproximationAttr,
                        "::aikernel::GeluApproximation::None">:$approximate);
}

def AIKernel_SiluOp : AIKernel_UnaryOp<"silu"> {
  let summary = "x / (1 + exp(-x))";
  let description = [{
    On f64, f32, bf16 and f16.

    ```mlir
    %y = aikernel.silu %x : (tensor<8x16xbf16>) -> tensor<8x16xbf16>
    ```
  }];
}

def AIKernel_SigmoidOp : AIKernel_UnaryOp<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    On f64, f32, bf16 and f16.

    ```mlir
    %y = aikernel.sigmoid %x : (tensor<8xf64>) -> tensor<8xf64>
    ```
  }];
}

def AIKernel_TanhOp : AIKernel_UnaryOp<"tanh"> {
  let summary = "hyperbolic tangent";
  let description = [{
    On f64, f32, bf16 and f16.

    ```mlir
    %y = aikernel.tanh %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
  }];
}

class AIKernel_GatedOp<string mnemonic, list<Trait> traits = []>
    : AIKernel_ComputeOp<mnemonic, traits> {
  let arguments = (ins AnyRankedTensor:$gate, AnyRankedTensor:$up);
  let builders = [OpBuilder<(ins "::mlir::Value":$gate,
                                 "::mlir::Value":$up), [{
    build($_builder, $_state, gate.getType(), gate, up);
  }]>];
  let results = (outs AnyRankedTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $gate `,` $up attr-dict `:` functional-type(operands, results)
  }];
}

def AIKernel_SwigluOp : AIKernel_GatedOp<"swiglu"> {
  let summary = "silu(gate) * up";
  let description = [{
    Rounded once, at the result. Both operands have the type of the result.

    ```mlir
    %y = aikernel.swiglu %gate, %up : (tensor<?x256xbf16>, tensor<?x256xbf16>) -> tensor<?x256xbf16>
    ```
  }];
}

def AIKernel_GegluOp : AIKernel_GatedOp<"geglu"> {
  let summary = "gelu(gate) * up";
  let description = [{
    Rounded once, at the result. Both operands have the type of the result.

    ```mlir
    %y = aikernel.geglu %gate, %up {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<4x256xf32>, tensor<4x256xf32>) -> tensor<4x256xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$gate, AnyRankedTensor:$up,
      DefaultValuedAttr<AIKernel_GeluApproximationAttr,
                        "::aikernel::GeluApproximation::None">:$approximate);
}

#endif // AIKERNEL_ACTIVATIONOPS_TD
