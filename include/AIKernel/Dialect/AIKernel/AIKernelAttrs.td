//===- AIKernelAttrs.td - Enumerations and attributes of the ops ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of the enumerators are part of the contract with the reference
// library (ReferenceOpInterface passes them as parameters).
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_ATTRS_TD
#define AIKERNEL_ATTRS_TD

include "AIKernel/Dialect/AIKernel/AIKernelDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class AIKernel_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::aikernel";
  let genSpecializedAttr = 0;
}
class AIKernel_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<AIKernel_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def AIKernel_Activation
    : AIKernel_Enum<"Activation", "what a linear op applies to its sum", [
        I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Relu", 1, "relu">,
        I32EnumAttrCase<"Gelu", 2, "gelu">,
        I32EnumAttrCase<"GeluTanh", 3, "gelu_tanh">,
        I32EnumAttrCase<"Silu", 4, "silu">
      ]>;
def AIKernel_ActivationAttr
    : AIKernel_EnumAttr<AIKernel_Activation, "activation">;

def AIKernel_GeluApproximation
    : AIKernel_Enum<"GeluApproximation", "which formula of gelu", [
        I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Tanh", 1, "tanh">
      ]>;
def AIKernel_GeluApproximationAttr
    : AIKernel_EnumAttr<AIKernel_GeluApproximation, "gelu_approximation">;

def AIKernel_LayoutKind
    : AIKernel_Enum<"LayoutKind",
                    "order of batch, head, sequence and feature dimensions", [
        I32EnumAttrCase<"Bhsd", 0, "bhsd">, I32EnumAttrCase<"Bshd", 1, "bshd">
      ]>;
def AIKernel_LayoutKindAttr
    : AIKernel_EnumAttr<AIKernel_LayoutKind, "layout_kind">;

def AIKernel_RopeStyle
    : AIKernel_Enum<"RopeStyle", "which features form a rotated pair", [
        I32EnumAttrCase<"Half", 0, "half">,
        I32EnumAttrCase<"Interleaved", 1, "interleaved">
      ]>;
def AIKernel_RopeStyleAttr
    : AIKernel_EnumAttr<AIKernel_RopeStyle, "rope_style">;

def AIKernel_RopeScalingKind
    : AIKernel_Enum<"RopeScalingKind", "how rope frequencies are stretched", [
        I32EnumAttrCase<"None", 0, "none">,
        I32EnumAttrCase<"Linear", 1, "linear">,
        I32EnumAttrCase<"Llama3", 2, "llama3">,
        I32EnumAttrCase<"Yarn", 3, "yarn">
      ]>;

def AIKernel_RopeScalingAttr : AttrDef<AIKernel_Dialect, "RopeScaling"> {
  let mnemonic = "rope_scaling";
  let summary = "how the frequencies of rope are stretched, with its constants";
  let description = [{
    With `f = base^(-2i/dim)` the unscaled frequency of pair i and
    `w = 2 pi / f` its wave length in positions:

    - `#aikernel.rope_scaling<none>`: f.
    - `#aikernel.rope_scaling<linear, factor>`: f / factor.
    - `#aikernel.rope_scaling<llama3, factor, low, high, original>`: f where
      `w < original / high`; f / factor where `w > original / low`; in between
      `(1 - s) f / factor + s f` with `s = (original / w - low) / (high - low)`.
    - `#aikernel.rope_scaling<yarn, factor, original, beta_fast, beta_slow,
      attention_factor>`: `(1 - r) f + r f / factor`, where r runs linearly from
      0 to 1, clamped, between pair `max(floor(c(beta_fast)), 0)` and pair
      `min(ceil(c(beta_slow)), dim - 1)` (0.001 is added to the latter when both
      are equal), with
      `c(b) = dim ln(original / (2 pi b)) / (2 ln base)`; cosine and sine are
      multiplied by `attention_factor`.
  }];
  let parameters = (ins "::aikernel::RopeScalingKind":$kind,
      "::mlir::DenseF64ArrayAttr":$constants);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many constants `kind` takes.
    static unsigned getConstantCount(::aikernel::RopeScalingKind kind);
  }];
}

#endif // AIKERNEL_ATTRS_TD
