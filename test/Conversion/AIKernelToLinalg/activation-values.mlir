// Activations, compiled and run, against values from numpy.
//
// RUN: aik-opt %s -aik-aikernel-to-linalg -aik-decompose-attention -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -expand-strided-metadata -lower-affine -aik-expand-math -aik-expand-float-conversions -convert-math-to-llvm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-8: {{^1$}}
// CHECK-NOT: {{.}}

func.func private @relu(%a0: tensor<?xf32>) -> tensor<?xf32> {
  %r = aikernel.relu %a0 : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @relu_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %d0 = tensor.cast %c0 : tensor<14xf32> to tensor<?xf32>
  %got = call @relu(%d0) : (tensor<?xf32>) -> tensor<?xf32>
  %want = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<?xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 1.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @gelu(%a0: tensor<?xf32>) -> tensor<?xf32> {
  %r = aikernel.gelu %a0 : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @gelu_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %d0 = tensor.cast %c0 : tensor<14xf32> to tensor<?xf32>
  %got = call @gelu(%d0) : (tensor<?xf32>) -> tensor<?xf32>
  %want = arith.constant dense<[-0.0, -0.0, -0.0, -1.0444259146424884e-07, -0.0455002635717392, -0.15865525603294373, -0.10032341629266739, -0.0, 0.0, 0.14967657625675201, 0.8413447737693787, 2.995950222015381, 20.0, 100.0]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<?xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 1.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @silu(%a0: tensor<?xf32>) -> tensor<?xf32> {
  %r = aikernel.silu %a0 : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @silu_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %d0 = tensor.cast %c0 : tensor<14xf32> to tensor<?xf32>
  %got = call @silu(%d0) : (tensor<?xf32>) -> tensor<?xf32>
  %want = arith.constant dense<[-3.7204474227823893e-42, -7.374611186124672e-38, -4.122307117881974e-08, -0.02238575741648674, -0.23840583860874176, -0.2689414322376251, -0.10945587605237961, -0.0, 0.0, 0.140544131398201, 0.7310585975646973, 2.857722282409668, 20.0, 100.0]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<?xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 1.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @sigmoid(%a0: tensor<?xf32>) -> tensor<?xf32> {
  %r = aikernel.sigmoid %a0 : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @sigmoid_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %d0 = tensor.cast %c0 : tensor<14xf32> to tensor<?xf32>
  %got = call @sigmoid(%d0) : (tensor<?xf32>) -> tensor<?xf32>
  %want = arith.constant dense<[3.783505853677006e-44, 8.194008692231508e-40, 2.06115369216775e-09, 0.00407013762742281, 0.11920291930437088, 0.2689414322376251, 0.43782350420951843, 0.5, 0.5, 0.562176525592804, 0.7310585975646973, 0.9525741338729858, 1.0, 1.0]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<?xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 1.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @tanh(%a0: tensor<?xf32>) -> tensor<?xf32> {
  %r = aikernel.tanh %a0 : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @tanh_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %d0 = tensor.cast %c0 : tensor<14xf32> to tensor<?xf32>
  %got = call @tanh(%d0) : (tensor<?xf32>) -> tensor<?xf32>
  %want = arith.constant dense<[-1.0, -1.0, -1.0, -0.9999666213989258, -0.9640275835990906, -0.7615941762924194, -0.24491865932941437, -0.0, 0.0, 0.24491865932941437, 0.7615941762924194, 0.9950547814369202, 1.0, 1.0]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<?xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 1.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @gelu_tanh(%a0: tensor<14xf32>) -> tensor<14xf32> {
  %r = aikernel.gelu %a0 {approximate = #aikernel.gelu_approximation<tanh>} : (tensor<14xf32>) -> tensor<14xf32>
  return %r : tensor<14xf32>
}
func.func private @gelu_tanh_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %got = call @gelu_tanh(%c0) : (tensor<14xf32>) -> tensor<14xf32>
  %want = arith.constant dense<[-0.0, -0.0, -0.0, -5.927640156500047e-09, -0.04540230706334114, -0.15880800783634186, -0.10032464563846588, -0.0, 0.0, 0.14967535436153412, 0.8411920070648193, 2.9963626861572266, 20.0, 100.0]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<14xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 1.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @swiglu(%a0: tensor<14xf32>, %a1: tensor<14xf32>) -> tensor<14xf32> {
  %r = aikernel.swiglu %a0, %a1 : (tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
  return %r : tensor<14xf32>
}
func.func private @swiglu_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %c1 = arith.constant dense<[0.0, 0.296875, -0.28125, -0.890625, -0.453125, -0.984375, 0.0625, 1.34375, -0.5, -0.625, 0.484375, 0.359375, 0.109375, -0.9375]> : tensor<14xf32>
  %got = call @swiglu(%c0, %c1) : (tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
  %want = arith.constant dense<[-0.0, -2.1893377133969928e-38, 1.1593988880065353e-08, 0.019937315955758095, 0.10802764445543289, 0.2647392153739929, -0.0068409922532737255, -0.0, -0.0, -0.08784008026123047, 0.35410648584365845, 1.026993989944458, 2.1875, -93.75]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<14xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 2.0e-5 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @geglu(%a0: tensor<14xf32>, %a1: tensor<14xf32>) -> tensor<14xf32> {
  %r = aikernel.geglu %a0, %a1 : (tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
  return %r : tensor<14xf32>
}
func.func private @geglu_is_right() -> i1 {
  %c0 = arith.constant dense<[-100.0, -90.0, -20.0, -5.5, -2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.0, 20.0, 100.0]> : tensor<14xf32>
  %c1 = arith.constant dense<[0.0, 0.296875, -0.28125, -0.890625, -0.453125, -0.984375, 0.0625, 1.34375, -0.5, -0.625, 0.484375, 0.359375, 0.109375, -0.9375]> : tensor<14xf32>
  %got = call @geglu(%c0, %c1) : (tensor<14xf32>, tensor<14xf32>) -> tensor<14xf32>
  %want = arith.constant dense<[-0.0, -0.0, 0.0, 9.301918169057899e-08, 0.020617306232452393, 0.15617626905441284, -0.006270213518291712, -0.0, -0.0, -0.09354786574840546, 0.4075263738632202, 1.076669692993164, 2.1875, -93.75]> : tensor<14xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%got, %want : tensor<14xf32>, tensor<14xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 2.0e-5 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func @main() {
  %relu = call @relu_is_right() : () -> i1
  vector.print %relu : i1
  %gelu = call @gelu_is_right() : () -> i1
  vector.print %gelu : i1
  %silu = call @silu_is_right() : () -> i1
  vector.print %silu : i1
  %sigmoid = call @sigmoid_is_right() : () -> i1
  vector.print %sigmoid : i1
  %tanh = call @tanh_is_right() : () -> i1
  vector.print %tanh : i1
  %gelu_tanh = call @gelu_tanh_is_right() : () -> i1
  vector.print %gelu_tanh : i1
  %swiglu = call @swiglu_is_right() : () -> i1
  vector.print %swiglu : i1
  %geglu = call @geglu_is_right() : () -> i1
  vector.print %geglu : i1
  return
}
