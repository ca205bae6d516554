// Of a kernel with two products of matrices the first becomes a kernel of its
// own, which rounds its sums as the reader did. A matrix times a few vectors
// stays as it is: reading both matrices is all there is to do.
// RUN: aik-opt %s --aik-separate-products | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#both = affine_map<(m, n) -> (m, n)>
module attributes {aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  // CHECK-LABEL: func.func private @gated$0(
  // CHECK-SAME: %[[X:.*]]: tensor<?x256xbf16>, %[[G:.*]]: tensor<384x256xbf16>, %[[D:.*]]: tensor<?x384xbf16>) -> tensor<?x384xbf16> attributes {aikernel.kernel}
  // CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[G]] : {{.*}}) outs(%{{.*}} : tensor<?x384xf32>)
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<?x384xf32>) outs(%[[D]] : tensor<?x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>}
  // CHECK: arith.truncf
  // CHECK: return %[[R]]
  // CHECK-LABEL: func.func private @gated(
  // CHECK-SAME: %[[R:.*]]: tensor<?x384xbf16>, %[[X:.*]]: tensor<?x256xbf16>, %[[U:.*]]: tensor<384x256xbf16>, %[[D:.*]]: tensor<?x384xbf16>)
  // CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[U]] : {{.*}})
  // CHECK-NOT: reduction
  // CHECK: linalg.generic {{.*}} ins(%[[R]], %[[S]] : tensor<?x384xbf16>, tensor<?x384xf32>) outs(%[[D]]
  // CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: f32, %{{.*}}: bf16):
  // CHECK: %[[C:.*]] = arith.truncf %[[B]]
  // CHECK: arith.mulf %[[A]], %[[C]] : bf16
  func.func private @gated(%x: tensor<?x256xbf16>, %g: tensor<384x256xbf16>, %u: tensor<384x256xbf16>, %d: tensor<?x384xbf16>) -> tensor<?x384xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x256xbf16>
    %e = tensor.empty(%rows) : tensor<?x384xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x384xf32>) -> tensor<?x384xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %g : tensor<?x256xbf16>, tensor<384x256xbf16>) outs(%z : tensor<?x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?x384xf32>
    %t = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<?x256xbf16>, tensor<384x256xbf16>) outs(%z : tensor<?x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<?x384xf32>
    %y = linalg.generic {indexing_maps = [#both, #both, #both], iterator_types = ["parallel", "parallel"]} ins(%s, %t : tensor<?x384xf32>, tensor<?x384xf32>) outs(%d : tensor<?x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%a: f32, %b: f32, %o: bf16):
      %0 = arith.truncf %a : f32 to bf16
      %1 = arith.truncf %b : f32 to bf16
      %2 = arith.mulf %0, %1 : bf16
      linalg.yield %2 : bf16
    } -> tensor<?x384xbf16>
    return %y : tensor<?x384xbf16>
  }

  // CHECK-LABEL: func.func private @thin(
  // CHECK-COUNT-2: "reduction"
  func.func private @thin(%x: tensor<1x256xbf16>, %g: tensor<384x256xbf16>, %u: tensor<384x256xbf16>, %d: tensor<1x384xbf16>) -> tensor<1x384xbf16> attributes {aikernel.kernel} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x384xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x384xf32>) -> tensor<1x384xf32>
    %s = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %g : tensor<1x256xbf16>, tensor<384x256xbf16>) outs(%z : tensor<1x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<1x384xf32>
    %t = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %u : tensor<1x256xbf16>, tensor<384x256xbf16>) outs(%z : tensor<1x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %acc: f32):
      %0 = arith.extf %p : bf16 to f32
      %1 = arith.extf %q : bf16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<1x384xf32>
    %y = linalg.generic {indexing_maps = [#both, #both, #both], iterator_types = ["parallel", "parallel"]} ins(%s, %t : tensor<1x384xf32>, tensor<1x384xf32>) outs(%d : tensor<1x384xbf16>) attrs = {aikernel.root = array<i64: 0, 1>} {
    ^bb0(%a: f32, %b: f32, %o: bf16):
      %0 = arith.truncf %a : f32 to bf16
      %1 = arith.truncf %b : f32 to bf16
      %2 = arith.mulf %0, %1 : bf16
      linalg.yield %2 : bf16
    } -> tensor<1x384xbf16>
    return %y : tensor<1x384xbf16>
  }

  // The caller gives the first a place for its result.
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:.*]]: tensor<?x256xbf16>, %[[G:.*]]: tensor<384x256xbf16>, %[[U:.*]]: tensor<384x256xbf16>, %[[D:.*]]: tensor<?x384xbf16>)
  // CHECK: %[[N:.*]] = tensor.dim %[[X]]
  // CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x384xbf16>
  // CHECK: %[[R:.*]] = call @gated$0(%[[X]], %[[G]], %[[E]])
  // CHECK: call @gated(%[[R]], %[[X]], %[[U]], %[[D]])
  func.func @f(%x: tensor<?x256xbf16>, %g: tensor<384x256xbf16>, %u: tensor<384x256xbf16>, %d: tensor<?x384xbf16>) -> tensor<?x384xbf16> {
    %y = call @gated(%x, %g, %u, %d) : (tensor<?x256xbf16>, tensor<384x256xbf16>, tensor<384x256xbf16>, tensor<?x384xbf16>) -> tensor<?x384xbf16>
    return %y : tensor<?x384xbf16>
  }
}
