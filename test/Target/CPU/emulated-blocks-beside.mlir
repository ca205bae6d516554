// Blocks in tile registers beside a product whose panels have eight rows: tiles
// begin where both have a panel. Instructions are replaced by plain arithmetic.
// RUN: aikc %s --compile-to=target --target=cpu:x86-64-v4+avx512vnni+amx-tile+amx-int8 -o %t.amx
// RUN: FileCheck %s --check-prefix=TILES --input-file %t.amx
// TILES: tdpbssd
// RUN: sh -c '%python %S/emulate.py %t.amx %t.mlir --arch $(uname -m)'
// RUN: aikc %t.mlir --compile-from=target -o %t.aikx
// RUN: aik-run %t.aikx --guard --verify=ref --input arg0=random:1:345x256 --input arg1=random:2::0..59 | FileCheck %s
// CHECK: f: ok: 22080 elements

func.func @f(%x: tensor<?x256xf32>, %w: tensor<64x144xi8> {aikernel.weight}, %v: tensor<256x64xf32> {aikernel.weight}) -> tensor<?x64xf32> {
  %g = aikernel.quant_matmul %x, %w {format = #aikernel.quant<q4_0>, activations = #aikernel.quant_activations<q8>} : (tensor<?x256xf32>, tensor<64x144xi8>) -> tensor<?x64xf32>
  %u = aikernel.linear %x, %v : (tensor<?x256xf32>, tensor<256x64xf32>) -> tensor<?x64xf32>
  %y = aikernel.swiglu %g, %u : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
