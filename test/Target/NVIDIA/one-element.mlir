// A row of one element without a dimension for it: no vector is stored there.
// RUN: aikc %s --target=nvidia:sm_90a --emit=ptx -o - | FileCheck %s

// CHECK: .entry one_{{[0-9_]+}}(
// CHECK: st.global
func.func @one(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = aikernel.softmax %x {axis = 0 : i64} : (tensor<1xf32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}
