// How far activations on f32 are from the same activations on f64, at 71,583 bit
// patterns from all f32, in units of the last place. The bounds are those of the
// vocabulary: 2, and for gelu 8 from -2 on and 2^-25 absolute below. NaN must
// meet NaN. A line is 1 when the bound holds.
//
// RUN: aik-opt %s -aik-aikernel-to-linalg -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -lower-affine -aik-expand-math -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: aik-opt %s -aik-aikernel-to-linalg -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -lower-affine -aik-expand-math=has-fma=false -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// NEON has polynomials of its own.
// RUN: sed '/^#all/a module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {' %s > %t.mlir && echo '}' >> %t.mlir
// RUN: aik-opt %t.mlir -aik-aikernel-to-linalg -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -lower-affine -aik-expand-math -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | sed "s/module attributes.*/module {/" | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-6: {{^1$}}
// CHECK-NOT: {{.}}

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>

func.func private @patterns() -> tensor<71583xf32> {
  %empty = tensor.empty() : tensor<71583xf32>
  %x = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<71583xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %stride = arith.constant 60000 : index
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %value = arith.bitcast %bits : i32 to f32
    linalg.yield %value : f32
  } -> tensor<71583xf32>
  return %x : tensor<71583xf32>
}

func.func private @widened(%x: tensor<71583xf32>) -> tensor<71583xf64> {
  %empty = tensor.empty() : tensor<71583xf64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<71583xf32>) outs(%empty : tensor<71583xf64>) {
  ^bb0(%in: f32, %out: f64):
    %value = arith.extf %in : f32 to f64
    linalg.yield %value : f64
  } -> tensor<71583xf64>
  return %y : tensor<71583xf64>
}

/// The largest error: in units of the last place where x >= `lowest`, below
/// that in units of 2^-25 times `bound`.
func.func private @is_within(%x: tensor<71583xf32>, %got: tensor<71583xf32>, %want: tensor<71583xf64>, %bound: f64, %lowest: f32) -> i1 {
  %zero = arith.constant 0.0 : f64
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %init = tensor.from_elements %zero : tensor<f64>
  %max = linalg.generic {indexing_maps = [#id, #id, #id, #all], iterator_types = ["reduction"]}
      ins(%x, %got, %want : tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>) outs(%init : tensor<f64>) {
  ^bb0(%in: f32, %g: f32, %w: f64, %so_far: f64):
    %rounded = arith.truncf %w : f64 to f32
    %same = arith.cmpf oeq, %rounded, %g : f32
    %gotNan = arith.cmpf uno, %g, %g : f32
    %wantNan = arith.cmpf uno, %w, %w : f64
    %bothNan = arith.andi %gotNan, %wantNan : i1
    %fine = arith.ori %same, %bothNan : i1
    %oneNan = arith.xori %gotNan, %wantNan : i1
    %bits = arith.bitcast %rounded : f32 to i32
    %c1 = arith.constant 1 : i32
    %c23 = arith.constant 23 : i32
    %c255 = arith.constant 255 : i32
    %shifted = arith.shrui %bits, %c23 : i32
    %field = arith.andi %shifted, %c255 : i32
    %exponent = arith.maxsi %field, %c1 : i32
    %bias = arith.constant 873 : i32
    %field64 = arith.addi %exponent, %bias : i32
    %wide = arith.extui %field64 : i32 to i64
    %c52 = arith.constant 52 : i64
    %ulpBits = arith.shli %wide, %c52 : i64
    %ulp = arith.bitcast %ulpBits : i64 to f64
    %absolute = arith.constant 0x3E60000000000000 : f64
    %scaled = arith.divf %absolute, %bound : f64
    %isLow = arith.cmpf olt, %in, %lowest : f32
    %unit = arith.select %isLow, %scaled, %ulp : f64
    %g64 = arith.extf %g : f32 to f64
    %difference = arith.subf %g64, %w : f64
    %magnitude = math.absf %difference : f64
    %error = arith.divf %magnitude, %unit : f64
    %number = arith.select %oneNan, %infinity, %error : f64
    %result = arith.select %fine, %zero, %number : f64
    %larger = arith.maximumf %so_far, %result : f64
    linalg.yield %larger : f64
  } -> tensor<f64>
  %error = tensor.extract %max[] : tensor<f64>
  %within = arith.cmpf ole, %error, %bound : f64
  return %within : i1
}

func.func @main() {
  %x = call @patterns() : () -> tensor<71583xf32>
  %x64 = call @widened(%x) : (tensor<71583xf32>) -> tensor<71583xf64>
  %two = arith.constant -2.0 : f32
  %lowest = arith.constant 0xFF800000 : f32

  %relu = aikernel.relu %x : (tensor<71583xf32>) -> tensor<71583xf32>
  %relu64 = aikernel.relu %x64 : (tensor<71583xf64>) -> tensor<71583xf64>
  %relu_bound = arith.constant 1.0e-9 : f64
  %relu_within = call @is_within(%x, %relu, %relu64, %relu_bound, %lowest) : (tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>, f64, f32) -> i1
  vector.print %relu_within : i1

  %silu = aikernel.silu %x : (tensor<71583xf32>) -> tensor<71583xf32>
  %silu64 = aikernel.silu %x64 : (tensor<71583xf64>) -> tensor<71583xf64>
  %silu_bound = arith.constant 2.0 : f64
  %silu_within = call @is_within(%x, %silu, %silu64, %silu_bound, %lowest) : (tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>, f64, f32) -> i1
  vector.print %silu_within : i1

  %sigmoid = aikernel.sigmoid %x : (tensor<71583xf32>) -> tensor<71583xf32>
  %sigmoid64 = aikernel.sigmoid %x64 : (tensor<71583xf64>) -> tensor<71583xf64>
  %sigmoid_bound = arith.constant 2.0 : f64
  %sigmoid_within = call @is_within(%x, %sigmoid, %sigmoid64, %sigmoid_bound, %lowest) : (tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>, f64, f32) -> i1
  vector.print %sigmoid_within : i1

  %tanh = aikernel.tanh %x : (tensor<71583xf32>) -> tensor<71583xf32>
  %tanh64 = aikernel.tanh %x64 : (tensor<71583xf64>) -> tensor<71583xf64>
  %tanh_bound = arith.constant 2.0 : f64
  %tanh_within = call @is_within(%x, %tanh, %tanh64, %tanh_bound, %lowest) : (tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>, f64, f32) -> i1
  vector.print %tanh_within : i1

  %gelu = aikernel.gelu %x : (tensor<71583xf32>) -> tensor<71583xf32>
  %gelu64 = aikernel.gelu %x64 : (tensor<71583xf64>) -> tensor<71583xf64>
  %gelu_bound = arith.constant 8.0 : f64
  %gelu_within = call @is_within(%x, %gelu, %gelu64, %gelu_bound, %two) : (tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>, f64, f32) -> i1
  vector.print %gelu_within : i1

  %gelu_tanh = aikernel.gelu %x {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<71583xf32>) -> tensor<71583xf32>
  %gelu_tanh64 = aikernel.gelu %x64 {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<71583xf64>) -> tensor<71583xf64>
  %gelu_tanh_bound = arith.constant 8.0 : f64
  %gelu_tanh_within = call @is_within(%x, %gelu_tanh, %gelu_tanh64, %gelu_tanh_bound, %two) : (tensor<71583xf32>, tensor<71583xf32>, tensor<71583xf64>, f64, f32) -> i1
  vector.print %gelu_tanh_within : i1
  return
}
