// What a program says may be rough is a quotient all the same: the reciprocals
// that we take for results of 16 bits know nothing of subnormal divisors.
// RUN: aikc %s -o %t.aikx
// RUN: aik-run %t.aikx --verify=ref
// RUN: aik-run %t.aikx --verify=ref --input arg0=full:1 --input arg1=full:7.3468396926392969e-40
// RUN: aik-run %t.aikx --verify=ref --input arg0=full:7.3468396926392969e-40 --input arg1=full:7.3468396926392969e-40
func.func @quotient(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %q = arith.divf %x, %y fastmath<afn> : tensor<64xf32>
  return %q : tensor<64xf32>
}
