// RUN: aik-opt %s -aik-aikernel-to-linalg -split-input-file | FileCheck %s

// The constants of all scalings, to the last bit: the same on every host. The
// expected ones come from 60-digit decimals.

// CHECK-LABEL: func @none(
// CHECK: arith.constant dense<[2935890503282001226, 569335944678046136, 110407189076052625, 21410465145615242, 4151976167383778, 805162614510191, 156139344174844, 30278970185646]> : tensor<8xi64>
func.func @none(%x: tensor<1x2x3x16xf32>, %pos: tensor<1x3xi32>) -> tensor<1x2x3x16xf32> {
  %y = aikernel.rope %x, %pos {base = 5.0e5 : f32} : (tensor<1x2x3x16xf32>, tensor<1x3xi32>) -> tensor<1x2x3x16xf32>
  return %y : tensor<1x2x3x16xf32>
}

// -----

// CHECK-LABEL: func @linear(
// CHECK: arith.constant dense<[733972625820500307, 142333986169511534, 27601797269013156, 5352616286403810, 1037994041845944, 201290653627548, 39034836043711, 7569742546411]> : tensor<8xi64>
func.func @linear(%x: tensor<1x2x3x16xf32>, %pos: tensor<1x3xi32>) -> tensor<1x2x3x16xf32> {
  %y = aikernel.rope %x, %pos {base = 5.0e5 : f32, scaling = #aikernel.rope_scaling<linear, 4.0>} : (tensor<1x2x3x16xf32>, tensor<1x3xi32>) -> tensor<1x2x3x16xf32>
  return %y : tensor<1x2x3x16xf32>
}

// -----

// CHECK-LABEL: func @llama3(
// CHECK: arith.constant dense<[2935890503282001226, 569335944678046136, 110407189076052625, 21410465145615242, 1540890859743232, 100645326813774, 19517418021856, 3784871273206]> : tensor<8xi64>
func.func @llama3(%x: tensor<1x2x3x16xf32>, %pos: tensor<1x3xi32>) -> tensor<1x2x3x16xf32> {
  %y = aikernel.rope %x, %pos {base = 5.0e5 : f32, scaling = #aikernel.rope_scaling<llama3, 8.0, 1.0, 4.0, 8192.0>} : (tensor<1x2x3x16xf32>, tensor<1x3xi32>) -> tensor<1x2x3x16xf32>
  return %y : tensor<1x2x3x16xf32>
}

// -----

// CHECK-LABEL: func @yarn(
// CHECK: arith.constant dense<[2935890503282001226, 569335944678046136, 82805391807039469, 10705232572807621, 1037994041845944, 201290653627548, 39034836043711, 7569742546411]> : tensor<8xi64>
// CHECK: arith.constant 1.250000e+00 : f32
func.func @yarn(%x: tensor<1x2x3x16xf32>, %pos: tensor<1x3xi32>) -> tensor<1x2x3x16xf32> {
  %y = aikernel.rope %x, %pos {base = 5.0e5 : f32, scaling = #aikernel.rope_scaling<yarn, 4.0, 4096.0, 32.0, 1.0, 1.25>} : (tensor<1x2x3x16xf32>, tensor<1x3xi32>) -> tensor<1x2x3x16xf32>
  return %y : tensor<1x2x3x16xf32>
}
