// A rough quotient may be off by 2^-14, but has the right sign where the
// reciprocal of the divisor is infinite.
// RUN: aikc %s -o %t.aikx
// RUN: aik-run %t.aikx --verify=ref --input arg0=full:1 --input arg1=full:7.3468396926392969e-40
// RUN: aik-run %t.aikx --verify=ref --input arg0=full:-1 --input arg1=full:7.3468396926392969e-40
// RUN: aik-run %t.aikx --verify=ref --input arg0=full:1 --input arg1=full:-0.0
// RUN: aik-run %t.aikx --verify=ref --input arg0=full:0 --input arg1=full:0
func.func @quotient(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %q = arith.divf %x, %y fastmath<afn> : tensor<64xf32>
  return %q : tensor<64xf32>
}
