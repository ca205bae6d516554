// Products, compiled and run, against values from numpy. The inputs are multiples
// of 1/64, so every sum is exact and the results must be equal.
//
// RUN: aik-opt %s -aik-aikernel-to-linalg -aik-decompose-attention -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -expand-strided-metadata -lower-affine -aik-expand-math -aik-expand-float-conversions -convert-math-to-llvm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-4: {{^1$}}
// CHECK-NOT: {{.}}

func.func private @matmul(%a0: tensor<2x1x3x4xf32>, %a1: tensor<3x?x4xf32>) -> tensor<2x3x3x?xf32> {
  %r = aikernel.matmul %a0, %a1 {transpose_b} : (tensor<2x1x3x4xf32>, tensor<3x?x4xf32>) -> tensor<2x3x3x?xf32>
  return %r : tensor<2x3x3x?xf32>
}
func.func private @matmul_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[-0.25, 1.53125, -0.421875, -0.296875], [0.359375, -0.125, -0.203125, -1.109375], [-0.015625, -0.4375, 1.171875, 0.65625]]], [[[-0.03125, 0.671875, -0.34375, 1.046875], [-0.0, 0.578125, -1.296875, 0.34375], [-1.6875, -2.03125, -0.296875, -0.90625]]]]> : tensor<2x1x3x4xf32>
  %c1 = arith.constant dense<[[[0.15625, 2.25, -0.828125, -0.625], [0.203125, 0.5, -0.171875, -0.203125], [0.703125, 0.515625, -1.03125, -0.078125], [0.03125, -1.046875, 0.265625, -0.859375], [0.96875, 0.1875, 0.09375, -0.59375]], [[-0.125, -2.0, -1.125, 0.359375], [-2.125, 0.84375, -1.75, 0.75], [-0.84375, 0.78125, 0.125, -1.53125], [1.25, 1.4375, -0.0625, -0.28125], [-0.15625, -0.96875, 1.09375, -0.546875]], [[-0.046875, -0.796875, -0.625, -1.28125], [1.25, -0.15625, 0.96875, 0.015625], [-0.6875, -0.328125, -0.5625, 0.015625], [-0.375, -0.296875, -1.375, -0.8125], [1.65625, -0.671875, -1.046875, 0.34375]]]> : tensor<3x5x4xf32>
  %d1 = tensor.cast %c1 : tensor<3x5x4xf32> to tensor<3x?x4xf32>
  %got = call @matmul(%c0, %d1) : (tensor<2x1x3x4xf32>, tensor<3x?x4xf32>) -> tensor<2x3x3x?xf32>
  %want = arith.constant dense<[[[[3.941162109375, 0.84765625, 1.072021484375, -1.4677734375, 0.181640625], [0.636474609375, 0.270751953125, 0.484375, 1.04150390625, 0.96435546875], [-2.367431640625, -0.556640625, -1.496337890625, 0.204833984375, -0.376953125]], [[-2.663330078125, 2.3388671875, 1.80908203125, 1.99853515625, -1.743408203125], [0.034912109375, -1.345703125, 1.2724609375, 0.59423828125, 0.449462890625], [-0.20556640625, -1.89453125, -1.18701171875, -0.90625, 1.34912109375]], [[-0.564453125, -0.965087890625, -0.097900390625, 0.46044921875, -1.103271484375], [1.631103515625, 0.254638671875, -0.109130859375, 1.0830078125, 0.510498046875], [-1.223876953125, 1.1943359375, -0.49462890625, -2.0087890625, -0.733154296875]]], [[[1.13720703125, 0.176025390625, 0.59716796875, -1.6953125, -0.55810546875], [2.159912109375, 0.442138671875, 1.608642578125, -1.2451171875, -0.21728515625], [-4.021728515625, -1.123291015625, -1.85693359375, 2.773681640625, -1.50537109375]], [[-0.576904296875, 2.02001953125, -1.0947265625, 0.65380859375, -1.594482421875], [0.42626953125, 3.01513671875, -0.23681640625, 0.8154296875, -2.16650390625], [4.28173828125, 1.7119140625, 1.1875, -4.755859375, 2.40234375]], [[-1.660400390625, -0.460693359375, 0.0107421875, -0.565673828125, 0.216552734375], [-0.090576171875, -1.34130859375, 0.545166015625, 1.332275390625, 1.08740234375], [3.04443359375, -2.09375, 1.9794921875, 2.38037109375, -1.430908203125]]]]> : tensor<2x3x3x5xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<2x3x3x?xf32>, tensor<2x3x3x5xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 0.0 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @matmul_transpose_a(%a0: tensor<4x3xf32>, %a1: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %r = aikernel.matmul %a0, %a1 {transpose_a} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
func.func private @matmul_transpose_a_is_right() -> i1 {
  %c0 = arith.constant dense<[[1.40625, -1.453125, -0.203125], [-0.625, -1.765625, 0.734375], [-0.03125, 0.078125, -0.75], [0.453125, -0.546875, -0.140625]]> : tensor<4x3xf32>
  %c1 = arith.constant dense<[[-1.109375, -1.21875, 1.328125, -0.5, 0.296875], [-0.03125, -0.4375, -0.515625, 0.625, -0.296875], [-0.15625, 0.015625, 1.171875, 0.6875, 0.375], [-0.5625, -1.375, 0.953125, 0.96875, -0.140625]]> : tensor<4x5xf32>
  %got = call @matmul_transpose_a(%c0, %c1) : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %want = arith.constant dense<[[-1.79052734375, -2.06396484375, 2.585205078125, -0.67626953125, 0.527587890625], [1.962646484375, 3.296630859375, -1.44921875, -0.85302734375, 0.198974609375], [0.398681640625, 0.10791015625, -1.661376953125, -0.09130859375, -0.539794921875]]> : tensor<3x5xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%got, %want : tensor<3x5xf32>, tensor<3x5xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 0.0 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @linear(%a0: tensor<2x?x4xf32>, %a1: tensor<4x3xf32>, %a2: tensor<3xf32>) -> tensor<2x?x3xf32> {
  %r = aikernel.linear %a0, %a1 bias %a2 : (tensor<2x?x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x?x3xf32>
  return %r : tensor<2x?x3xf32>
}
func.func private @linear_is_right() -> i1 {
  %c0 = arith.constant dense<[[[0.546875, 0.78125, 0.828125, 0.921875], [-0.453125, 1.515625, -1.25, 0.859375]], [[0.5, 0.875, 1.875, 1.484375], [-1.140625, -1.6875, 0.8125, -1.015625]]]> : tensor<2x2x4xf32>
  %d0 = tensor.cast %c0 : tensor<2x2x4xf32> to tensor<2x?x4xf32>
  %c1 = arith.constant dense<[[-0.015625, 0.84375, -1.640625], [-2.109375, 0.265625, 0.046875], [-0.25, 0.03125, -0.859375], [-1.515625, -0.171875, -0.96875]]> : tensor<4x3xf32>
  %c2 = arith.constant dense<[-1.640625, 0.5, -0.0625]> : tensor<3xf32>
  %got = call @linear(%d0, %c1, %c2) : (tensor<2x?x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x?x3xf32>
  %want = arith.constant dense<[[[-4.9013671875, 1.036376953125, -2.52783203125], [-5.820556640625, 0.33349609375, 0.99365234375]], [[-6.212646484375, 0.957763671875, -3.89111328125], [3.27294921875, -0.710693359375, 2.015380859375]]]> : tensor<2x2x3xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<2x?x3xf32>, tensor<2x2x3xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 0.0 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @linear_dynamic(%a0: tensor<?x?x?xf32>, %a1: tensor<?x?xf32>, %a2: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %r = aikernel.linear %a0, %a1 bias %a2 {activation = #aikernel.activation<relu>} : (tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
func.func private @linear_dynamic_is_right() -> i1 {
  %c0 = arith.constant dense<[[[0.546875, 0.78125, 0.828125, 0.921875], [-0.453125, 1.515625, -1.25, 0.859375]], [[0.5, 0.875, 1.875, 1.484375], [-1.140625, -1.6875, 0.8125, -1.015625]]]> : tensor<2x2x4xf32>
  %d0 = tensor.cast %c0 : tensor<2x2x4xf32> to tensor<?x?x?xf32>
  %c1 = arith.constant dense<[[-0.015625, 0.84375, -1.640625], [-2.109375, 0.265625, 0.046875], [-0.25, 0.03125, -0.859375], [-1.515625, -0.171875, -0.96875]]> : tensor<4x3xf32>
  %d1 = tensor.cast %c1 : tensor<4x3xf32> to tensor<?x?xf32>
  %c2 = arith.constant dense<[-1.640625, 0.5, -0.0625]> : tensor<3xf32>
  %d2 = tensor.cast %c2 : tensor<3xf32> to tensor<?xf32>
  %got = call @linear_dynamic(%d0, %d1, %d2) : (tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  %want = arith.constant dense<[[[0.0, 1.036376953125, 0.0], [0.0, 0.33349609375, 0.99365234375]], [[0.0, 0.957763671875, 0.0], [3.27294921875, 0.0, 2.015380859375]]]> : tensor<2x2x3xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<?x?x?xf32>, tensor<2x2x3xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 0.0 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func @main() {
  %matmul = call @matmul_is_right() : () -> i1
  vector.print %matmul : i1
  %matmul_transpose_a = call @matmul_transpose_a_is_right() : () -> i1
  vector.print %matmul_transpose_a : i1
  %linear = call @linear_is_right() : () -> i1
  vector.print %linear : i1
  %linear_dynamic = call @linear_dynamic_is_right() : () -> i1
  vector.print %linear_dynamic : i1
  return
}
