// Rope, compiled and run, against values from numpy with exact angles, at position
// 1,000,000 too.
//
// RUN: aik-opt %s -aik-aikernel-to-linalg -aik-decompose-attention -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -expand-strided-metadata -lower-affine -aik-expand-math -aik-expand-float-conversions -convert-math-to-llvm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-8: {{^1$}}
// CHECK-NOT: {{.}}

func.func private @rope_half_none(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 8 : i64, style = #aikernel.rope_style<half>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_half_none_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[0.40625, -0.984375, -0.65625, -1.0, -0.890625, 0.203125, -0.78125, 0.359375], [0.34375, 2.03125, -1.390625, 0.890625, -0.09375, -0.015625, -1.453125, -0.453125], [0.75, -0.078125, 0.078125, -0.296875, 1.15625, -0.015625, -2.203125, -0.6875]], [[-1.96875, -3.25, -0.53125, 1.328125, 0.046875, -1.171875, -0.9375, 1.125], [0.15625, 0.046875, -0.046875, 0.03125, 0.8125, 0.546875, 0.21875, -1.046875], [0.515625, -0.6875, 1.09375, -1.265625, -0.140625, -0.0, -1.328125, 1.71875]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_half_none(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[0.40625, -0.984375, -0.65625, -1.0, -0.890625, 0.203125, -0.78125, 0.359375], [-0.3270799219608307, 1.945144772529602, -1.3464120626449585, 0.8919803500175476, 0.1413217931985855, 0.5853483080863953, -1.4941836595535278, -0.4504510760307312], [1.1072441339492798, 0.0786336362361908, -0.7476938366889954, 0.4015233814716339, 0.8206245303153992, 0.012822138145565987, 2.073841094970703, -0.6321154832839966]], [[-1.96875, -3.25, -0.53125, 1.328125, 0.046875, -1.171875, -0.9375, 1.125], [-0.26934632658958435, -0.1168312132358551, -0.05341542512178421, 0.03439047932624817, -0.7823188900947571, 0.5363021492958069, 0.21724553406238556, -1.046776533126831], [0.4337949752807617, 0.687060534954071, -1.4473140239715576, -2.132960319519043, -0.31219616532325745, -0.024577299132943153, 0.9303156137466431, -0.079930379986763]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_half_yarn(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 8 : i64, style = #aikernel.rope_style<half>, scaling = #aikernel.rope_scaling<yarn, 4.0, 4096.0, 32.0, 1.0, 1.25>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_half_yarn_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[1.453125, -0.46875, 0.765625, 0.375, -2.609375, 0.25, -0.0625, 0.078125], [-1.078125, -0.265625, -0.171875, 1.1875, 0.328125, -0.0, 1.53125, -0.5625], [-0.390625, -1.8125, 1.5625, 0.96875, 0.921875, 0.671875, 0.109375, 0.21875]], [[-0.25, -0.203125, 0.046875, 1.515625, 0.5625, -0.0625, -0.578125, -0.640625], [1.609375, 0.5, 0.0625, -0.34375, -1.109375, -0.0625, 0.875, -0.390625], [-0.234375, -0.21875, 0.109375, -1.59375, -0.234375, -0.859375, 0.890625, -0.765625]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_half_yarn(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[1.81640625, -0.5859375, 0.95703125, 0.46875, -3.26171875, 0.3125, -0.078125, 0.09765625], [1.2762882709503174, -0.31720155477523804, -0.25069254636764526, 1.4849019050598145, -0.5962328910827637, -0.09812194108963013, 1.9096980094909668, -0.7020115256309509], [-0.05408567562699318, 2.2341535091400146, -0.2512839734554291, 0.55720055103302, 1.2503557205200195, -0.920300304889679, -1.9417120218276978, -1.1093535423278809]], [[-0.3125, -0.25390625, 0.05859375, 1.89453125, 0.703125, -0.078125, -0.72265625, -0.80078125], [-1.7958927154541016, 0.6201727986335754, 0.057604655623435974, -0.42932116985321045, 1.6567349433898926, 0.11006446927785873, 1.0950225591659546, -0.4886033833026886], [-0.37697625160217285, 0.31166476011276245, 1.0644296407699585, -1.4089195728302002, -0.17190194129943848, 1.063757061958313, -0.35366177558898926, 1.7028404474258423]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_half_llama3(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 8 : i64, style = #aikernel.rope_style<half>, scaling = #aikernel.rope_scaling<llama3, 8.0, 1.0, 4.0, 8192.0>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_half_llama3_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[0.578125, 1.53125, -0.3125, -0.609375, 0.1875, -0.0, -1.0, 0.453125], [2.015625, -0.265625, -0.203125, -1.046875, 0.3125, -1.25, -1.109375, 1.28125], [-0.90625, 1.078125, 1.53125, 0.265625, 0.546875, 1.953125, -0.203125, -0.59375]], [[-1.359375, 0.046875, 1.484375, 0.953125, -0.9375, -0.859375, -0.5, 0.296875], [-0.203125, 0.21875, 0.296875, -0.296875, -0.046875, 0.203125, -0.078125, 0.5], [1.875, 0.59375, 0.0625, -1.6875, 0.390625, -1.953125, -1.40625, 0.859375]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_half_llama3(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[0.578125, 1.53125, -0.3125, -0.609375, 0.1875, 0.0, -1.0, 0.453125], [-2.039553642272949, 0.11563900113105774, -0.16975733637809753, -1.0476958751678467, -0.024927638471126556, -1.2726681232452393, -1.1149686574935913, 1.280578851699829], [-0.6575289368629456, -1.147257685661316, -1.5200657844543457, 0.253244549036026, 0.8294679522514343, -1.913334846496582, -0.2745654881000519, -0.5991351008415222]], [[-1.359375, 0.046875, 1.484375, 0.953125, -0.9375, -0.859375, -0.5, 0.296875], [0.2077072262763977, 0.14895232021808624, 0.2990848124027252, -0.29719534516334534, 0.017740895971655846, 0.2586977779865265, -0.06918492913246155, 0.4998096525669098], [1.8931264877319336, -0.5235486030578613, -0.48927995562553406, -1.6693001985549927, -0.29031902551651, 1.9731024503707886, 1.3198676109313965, 0.8942137956619263]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_half_linear(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 6 : i64, style = #aikernel.rope_style<half>, scaling = #aikernel.rope_scaling<linear, 4.0>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_half_linear_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[0.703125, -0.15625, -1.703125, -0.375, -0.671875, 0.640625, 2.25, 0.21875], [-0.78125, -1.171875, -0.0625, -0.171875, -1.15625, 0.109375, -1.15625, 1.109375], [1.0625, 1.078125, -0.46875, 0.515625, -0.125, -0.390625, -0.34375, -1.296875]], [[-1.4375, 0.796875, -0.1875, 0.21875, 1.0, -1.734375, -0.78125, 0.171875], [0.390625, -0.375, 1.03125, 0.203125, -1.21875, -0.9375, 0.8125, 0.46875], [-1.90625, 1.34375, 0.59375, 1.34375, -0.390625, -0.296875, -1.125, 2.53125]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_half_linear(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[0.703125, -0.15625, -1.703125, -0.375, -0.671875, 0.640625, 2.25, 0.21875], [-0.4544752538204193, -1.1309218406677246, -0.06267664581537247, -0.6582893133163452, -1.1963363885879517, 0.10927386581897736, -1.15625, 1.109375], [0.418714702129364, 0.40679848194122314, -0.3033275306224823, -1.1042885780334473, -1.0062273740768433, 0.5294401049613953, -0.34375, -1.296875]], [[-1.4375, 0.796875, -0.1875, 0.21875, 1.0, -1.734375, -0.78125, 0.171875], [0.14735808968544006, -0.332354336977005, 1.0327634811401367, 0.41488945484161377, -1.2310633659362793, -0.9358324408531189, 0.8125, 0.46875], [1.5085595846176147, 0.30090034008026123, -0.39543357491493225, 1.778679609298706, -1.3666422367095947, -0.533203661441803, -1.125, 2.53125]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_interleaved_none(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 8 : i64, style = #aikernel.rope_style<interleaved>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_interleaved_none_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[-0.171875, 1.59375, -0.640625, 0.15625, -1.671875, -0.390625, 0.984375, -1.25], [1.078125, 0.34375, -1.046875, -0.5, -0.453125, -0.046875, -0.53125, -0.828125], [-0.296875, -1.03125, -1.296875, -0.046875, 0.890625, -1.53125, 0.0, -0.65625]], [[-0.984375, 0.859375, -0.515625, 1.5, -0.78125, 0.390625, -0.234375, -0.75], [0.59375, -0.15625, 0.609375, -0.046875, -1.078125, -0.109375, 0.046875, 0.953125], [-0.90625, -0.046875, -1.71875, 0.65625, -1.078125, -1.8125, -0.0625, 1.109375]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_interleaved_none(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[-0.171875, 1.59375, -0.640625, 0.15625, -1.671875, -0.390625, 0.984375, -1.25], [-1.1158456802368164, -0.18816490471363068, -0.852357804775238, -0.7870409488677979, -0.4515150785446167, -0.06044561788439751, -0.5287632346153259, -0.8297150135040283], [-0.6390290856361389, -0.8621212840080261, 1.2977217435836792, 0.0004833154671359807, -1.3159854412078857, 1.1858000755310059, 0.5426396727561951, -0.36906126141548157]], [[-0.984375, 0.859375, -0.515625, 1.5, -0.78125, 0.390625, -0.234375, -0.75], [-0.5657580494880676, 0.23847633600234985, 0.596010684967041, 0.13530123233795166, -1.0743591785430908, -0.14166468381881714, 0.044015418738126755, 0.9532613158226013], [-0.8653375506401062, 0.2732713520526886, 1.6941912174224854, -0.7172737717628479, 0.47261643409729004, 2.055272102355957, -0.9524681568145752, 0.5722092986106873]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_interleaved_yarn(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 8 : i64, style = #aikernel.rope_style<interleaved>, scaling = #aikernel.rope_scaling<yarn, 4.0, 4096.0, 32.0, 1.0, 1.25>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_interleaved_yarn_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[-1.53125, -1.09375, -0.75, -1.125, 0.375, -0.8125, -0.71875, 0.578125], [-0.75, 0.4375, -0.96875, -1.21875, -1.828125, 1.859375, -0.3125, 0.25], [-0.03125, 0.15625, 0.046875, 1.90625, -1.03125, -1.5625, -1.015625, -1.328125]], [[0.75, 0.828125, -0.96875, -1.390625, -0.359375, 1.390625, -2.8125, 0.53125], [-1.078125, 1.046875, -1.078125, -0.28125, -1.5, -0.984375, 1.390625, 0.828125], [-0.40625, -0.875, -1.890625, -0.390625, -0.03125, -0.078125, -0.09375, -1.125]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_interleaved_yarn(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[-1.9140625, -1.3671875, -0.9375, -1.40625, 0.46875, -1.015625, -0.8984375, 0.72265625], [0.8509429693222046, -0.6737021803855896, -0.706646203994751, -1.8132519721984863, -2.328331232070923, 2.28096604347229, -0.3908592760562897, 0.3122069537639618], [0.03176622465252876, 0.19663101434707642, -0.1437389850616455, -2.379194736480713, -1.6604315042495728, 1.649044156074524, -1.9171702861785889, 0.8320373892784119]], [[0.9375, 1.03515625, -1.2109375, -1.73828125, -0.44921875, 1.73828125, -3.515625, 0.6640625], [1.149500846862793, -1.485679268836975, -1.1835713386535645, -0.7341201305389404, -1.8516005277633667, -1.265406608581543, 1.7375043630599976, 1.0364596843719482], [-0.8584998250007629, -0.84684157371521, 2.3792262077331543, 0.40348467230796814, -0.08803068101406097, 0.05756058543920517, -1.3930459022521973, -0.2251560539007187]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_interleaved_llama3(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 8 : i64, style = #aikernel.rope_style<interleaved>, scaling = #aikernel.rope_scaling<llama3, 8.0, 1.0, 4.0, 8192.0>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_interleaved_llama3_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[-0.0625, -0.03125, 1.296875, 1.859375, -0.140625, -0.765625, -0.0625, -0.609375], [-0.75, -0.0625, -1.046875, 0.609375, -0.109375, 0.25, -0.1875, -0.734375], [-0.953125, -0.234375, -0.546875, 0.234375, -0.0, -1.359375, 0.0625, -1.34375]], [[-0.609375, -0.296875, -2.078125, 0.09375, 0.15625, -0.15625, -0.421875, -0.375], [-0.96875, -0.265625, -0.546875, 0.09375, -1.203125, 0.234375, 0.140625, -0.140625], [-0.4375, 0.546875, -1.671875, 0.453125, 0.25, 0.28125, 0.390625, -0.65625]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_interleaved_llama3(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[-0.0625, -0.03125, 1.296875, 1.859375, -0.140625, -0.765625, -0.0625, -0.609375], [0.7513144016265869, -0.043965473771095276, -1.180200457572937, 0.2727854549884796, -0.11682465672492981, 0.2466067522764206, -0.18702936172485352, -0.7344949841499329], [-0.9748715758323669, 0.11403627693653107, 0.5381467938423157, -0.25377529859542847, -0.415444552898407, 1.294336199760437, 0.03459710627794266, -1.3447576761245728]], [[-0.609375, -0.296875, -2.078125, 0.09375, 0.15625, -0.15625, -0.421875, -0.375], [0.9965402483940125, 0.12625674903392792, -0.5501546859741211, -0.0720498189330101, -1.2096138000488281, 0.19818119704723358, 0.140715092420578, -0.14053486287593842], [-0.21842636168003082, 0.6654084920883179, 1.6546076536178589, -0.5126028656959534, -0.15208479762077332, -0.3441973030567169, 0.3769204318523407, -0.6642160415649414]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @rope_interleaved_linear(%a0: tensor<1x2x3x8xf32>, %a1: tensor<1x3xi32>) -> tensor<1x2x3x8xf32> {
  %r = aikernel.rope %a0, %a1 {base = 1.0e4 : f32, dim = 6 : i64, style = #aikernel.rope_style<interleaved>, scaling = #aikernel.rope_scaling<linear, 4.0>} : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  return %r : tensor<1x2x3x8xf32>
}
func.func private @rope_interleaved_linear_is_right() -> i1 {
  %c0 = arith.constant dense<[[[[-0.265625, 0.640625, 0.4375, 0.203125, -1.515625, 0.53125, 1.171875, 1.015625], [0.234375, -1.5625, 0.9375, -0.140625, -2.53125, 0.375, -1.484375, -1.296875], [-0.640625, 1.265625, -0.375, 0.265625, 1.75, 1.59375, -0.109375, -0.234375]], [[-1.265625, -0.6875, 0.421875, 0.390625, 0.109375, 1.0, -0.765625, -0.0625], [0.734375, 0.578125, 1.078125, 0.390625, -0.3125, 0.359375, -1.0, -1.640625], [0.578125, -0.0625, 0.3125, -1.703125, -0.359375, -0.59375, -0.859375, -2.25]]]]> : tensor<1x2x3x8xf32>
  %c1 = arith.constant dense<[[0, 3, 1000000]]> : tensor<1x3xi32>
  %got = call @rope_interleaved_linear(%c0, %c1) : (tensor<1x2x3x8xf32>, tensor<1x3xi32>) -> tensor<1x2x3x8xf32>
  %want = arith.constant dense<[[[[-0.265625, 0.640625, 0.4375, 0.203125, -1.515625, 0.53125, 1.171875, 1.015625], [1.2365500926971436, -0.9835047721862793, 0.9418264031410217, -0.10791021585464478, -2.5318527221679688, 0.3709094524383545, -1.484375, -1.296875], [1.3177616596221924, 0.5250822305679321, 0.05349764972925186, 0.4564204812049866, 1.2657837867736816, -2.0000827312469482, -0.109375, -0.234375]], [[-1.265625, -0.6875, 0.421875, 0.390625, 0.109375, 1.0, -0.765625, -0.0625], [0.1432616114616394, 0.9235860705375671, 1.0638761520385742, 0.4279123544692993, -0.3130802810192108, 0.3588695824146271, -1.0, -1.640625], [-0.1138608530163765, -0.5702372193336487, -1.345228910446167, -1.09025239944458, -0.5223546624183655, 0.4569847583770752, -0.859375, -2.25]]]]> : tensor<1x2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func @main() {
  %rope_half_none = call @rope_half_none_is_right() : () -> i1
  vector.print %rope_half_none : i1
  %rope_half_yarn = call @rope_half_yarn_is_right() : () -> i1
  vector.print %rope_half_yarn : i1
  %rope_half_llama3 = call @rope_half_llama3_is_right() : () -> i1
  vector.print %rope_half_llama3 : i1
  %rope_half_linear = call @rope_half_linear_is_right() : () -> i1
  vector.print %rope_half_linear : i1
  %rope_interleaved_none = call @rope_interleaved_none_is_right() : () -> i1
  vector.print %rope_interleaved_none : i1
  %rope_interleaved_yarn = call @rope_interleaved_yarn_is_right() : () -> i1
  vector.print %rope_interleaved_yarn : i1
  %rope_interleaved_llama3 = call @rope_interleaved_llama3_is_right() : () -> i1
  vector.print %rope_interleaved_llama3 : i1
  %rope_interleaved_linear = call @rope_interleaved_linear_is_right() : () -> i1
  vector.print %rope_interleaved_linear : i1
  return
}
