// The gelu of a layer with one weight, 1, whose sums are exact: how far it is
// from the gelu of the same numbers in f64, relative to it. In f16 and bf16 that
// is half a unit of the last place and 2^-12. A line is 1 when the bound holds.
//
// RUN: aik-opt %s -aik-aikernel-to-linalg -convert-elementwise-to-linalg -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -lower-affine -aik-expand-math -aik-expand-float-conversions -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-2: {{^1$}}
// CHECK-NOT: {{.}}

#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>

/// first, first + step, ...
func.func private @numbers(%first: f64, %step: f64) -> tensor<1472x1xf64> {
  %empty = tensor.empty() : tensor<1472x1xf64>
  %x = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<1472x1xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %word = arith.index_cast %i : index to i32
    %number = arith.sitofp %word : i32 to f64
    %distance = arith.mulf %number, %step : f64
    %value = arith.addf %first, %distance : f64
    linalg.yield %value : f64
  } -> tensor<1472x1xf64>
  return %x : tensor<1472x1xf64>
}

func.func private @is_within(%got: tensor<1472x1xf64>, %x: tensor<1472x1xf64>, %bound: f64) -> i1 {
  %want = aikernel.gelu %x : (tensor<1472x1xf64>) -> tensor<1472x1xf64>
  %zero = arith.constant 0.0 : f64
  %init = tensor.from_elements %zero : tensor<f64>
  %max = linalg.generic {indexing_maps = [#id, #id, #all], iterator_types = ["reduction", "reduction"]}
      ins(%got, %want : tensor<1472x1xf64>, tensor<1472x1xf64>) outs(%init : tensor<f64>) {
  ^bb0(%g: f64, %w: f64, %so_far: f64):
    %difference = arith.subf %g, %w : f64
    %error = math.absf %difference : f64
    %size = math.absf %w : f64
    %allowed = arith.mulf %size, %bound : f64
    %over = arith.subf %error, %allowed : f64
    %larger = arith.maximumf %so_far, %over : f64
    linalg.yield %larger : f64
  } -> tensor<f64>
  %over = tensor.extract %max[] : tensor<f64>
  %within = arith.cmpf ole, %over, %zero : f64
  return %within : i1
}

func.func private @of_f16(%x: tensor<1472x1xf64>) -> tensor<1472x1xf64> {
  %narrow = arith.truncf %x : tensor<1472x1xf64> to tensor<1472x1xf16>
  %one = arith.constant dense<1.0> : tensor<1x1xf16>
  %y = aikernel.linear %narrow, %one {activation = #aikernel.activation<gelu>} : (tensor<1472x1xf16>, tensor<1x1xf16>) -> tensor<1472x1xf16>
  %wide = arith.extf %y : tensor<1472x1xf16> to tensor<1472x1xf64>
  return %wide : tensor<1472x1xf64>
}

func.func private @of_bf16(%x: tensor<1472x1xf64>) -> tensor<1472x1xf64> {
  %narrow = arith.truncf %x : tensor<1472x1xf64> to tensor<1472x1xbf16>
  %one = arith.constant dense<1.0> : tensor<1x1xbf16>
  %y = aikernel.linear %narrow, %one {activation = #aikernel.activation<gelu>} : (tensor<1472x1xbf16>, tensor<1x1xbf16>) -> tensor<1472x1xbf16>
  %wide = arith.extf %y : tensor<1472x1xbf16> to tensor<1472x1xf64>
  return %wide : tensor<1472x1xf64>
}

func.func @main() {
  // Results are normal numbers of f16.
  %f16_first = arith.constant -3.5 : f64
  %f16_step = arith.constant 0.0078125 : f64
  %f16_numbers = call @numbers(%f16_first, %f16_step) : (f64, f64) -> tensor<1472x1xf64>
  %f16_got = call @of_f16(%f16_numbers) : (tensor<1472x1xf64>) -> tensor<1472x1xf64>
  %f16_bound = arith.constant 0.000732421875 : f64
  %f16_within = call @is_within(%f16_got, %f16_numbers, %f16_bound) : (tensor<1472x1xf64>, tensor<1472x1xf64>, f64) -> i1
  vector.print %f16_within : i1

  // Down to where the tail of a sum may be off, and up to 38.5.
  %bf16_first = arith.constant -7.5 : f64
  %bf16_step = arith.constant 0.03125 : f64
  %bf16_numbers = call @numbers(%bf16_first, %bf16_step) : (f64, f64) -> tensor<1472x1xf64>
  %rounded = call @rounded(%bf16_numbers) : (tensor<1472x1xf64>) -> tensor<1472x1xf64>
  %bf16_got = call @of_bf16(%rounded) : (tensor<1472x1xf64>) -> tensor<1472x1xf64>
  %bf16_bound = arith.constant 0.004150390625 : f64
  %bf16_within = call @is_within(%bf16_got, %rounded, %bf16_bound) : (tensor<1472x1xf64>, tensor<1472x1xf64>, f64) -> i1
  vector.print %bf16_within : i1
  return
}

func.func private @rounded(%x: tensor<1472x1xf64>) -> tensor<1472x1xf64> {
  %narrow = arith.truncf %x : tensor<1472x1xf64> to tensor<1472x1xbf16>
  %wide = arith.extf %narrow : tensor<1472x1xbf16> to tensor<1472x1xf64>
  return %wide : tensor<1472x1xf64>
}
