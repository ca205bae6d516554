// Normalizations, compiled and run, against values from numpy. One row of the
// softmax over the last axis is all -inf and must give zeros.
//
// RUN: aik-opt %s -aik-aikernel-to-linalg -aik-decompose-attention -one-shot-bufferize=bufferize-function-boundaries -buffer-deallocation-pipeline -convert-bufferization-to-memref -convert-linalg-to-loops -expand-strided-metadata -lower-affine -aik-expand-math -aik-expand-float-conversions -convert-math-to-llvm -convert-scf-to-cf -convert-arith-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-5: {{^1$}}
// CHECK-NOT: {{.}}

func.func private @rms_norm(%a0: tensor<2x3x8xf32>, %a1: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %r = aikernel.rms_norm %a0, %a1 {eps = 1.0e-5 : f32} : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}
func.func private @rms_norm_is_right() -> i1 {
  %c0 = arith.constant dense<[[[-0.03125, 0.6875, -1.34375, -0.453125, -1.90625, -1.296875, -1.84375, -0.234375], [-1.265625, 0.265625, 0.15625, -0.1875, -2.515625, -0.53125, -0.046875, 0.109375], [-1.53125, -0.484375, -0.984375, -0.8125, 1.0625, -0.8125, -0.03125, 0.890625]], [[-0.578125, -0.109375, 0.109375, 0.0625, -1.21875, 0.078125, 1.359375, -1.546875], [0.859375, 0.125, -0.640625, 2.0, 0.765625, -1.203125, 0.078125, 0.578125], [-0.1875, 0.6875, -0.0625, 0.671875, 1.4375, -0.671875, 0.203125, -0.46875]]]> : tensor<2x3x8xf32>
  %c1 = arith.constant dense<[0.125, -1.1875, -0.578125, -0.203125, 0.90625, 1.140625, -1.328125, -0.796875]> : tensor<8xf32>
  %got = call @rms_norm(%c0, %c1) : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %want = arith.constant dense<[[[-0.0032933487091213465, -0.6883098483085632, 0.6549646854400635, 0.07759952545166016, -1.4564834833145142, -1.24714994430542, 2.0645179748535156, 0.15746323764324188], [-0.1547892689704895, -0.3086230456829071, -0.08838275820016861, 0.037264082580804825, -2.2305898666381836, -0.5928810834884644, 0.060912441462278366, -0.08527742326259613], [-0.2077340930700302, 0.6242621541023254, 0.6176379323005676, 0.17911766469478607, 1.045029640197754, -1.005814552307129, 0.04504438117146492, -0.770258903503418]], [[-0.08279692381620407, 0.14881068468093872, -0.07244730740785599, -0.01454540528357029, -1.2654502391815186, 0.10209755599498749, -2.0685243606567383, 1.412302851676941], [0.11066003888845444, -0.15291205048561096, 0.3815256357192993, -0.41849613189697266, 0.7147632241249084, -1.413681983947754, -0.10688753426074982, -0.47458064556121826], [-0.03426912799477577, -1.1937079429626465, 0.05283156782388687, -0.19954626262187958, 1.904792308807373, -1.120529055595398, -0.39445191621780396, 0.5461642146110535]]]> : tensor<2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @layer_norm(%a0: tensor<?x?x?xf32>, %a1: tensor<?xf32>, %a2: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %r = aikernel.layer_norm %a0, %a1, %a2 {eps = 1.0e-5 : f32} : (tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
func.func private @layer_norm_is_right() -> i1 {
  %c0 = arith.constant dense<[[[-0.03125, 0.6875, -1.34375, -0.453125, -1.90625, -1.296875, -1.84375, -0.234375], [-1.265625, 0.265625, 0.15625, -0.1875, -2.515625, -0.53125, -0.046875, 0.109375], [-1.53125, -0.484375, -0.984375, -0.8125, 1.0625, -0.8125, -0.03125, 0.890625]], [[-0.578125, -0.109375, 0.109375, 0.0625, -1.21875, 0.078125, 1.359375, -1.546875], [0.859375, 0.125, -0.640625, 2.0, 0.765625, -1.203125, 0.078125, 0.578125], [-0.1875, 0.6875, -0.0625, 0.671875, 1.4375, -0.671875, 0.203125, -0.46875]]]> : tensor<2x3x8xf32>
  %d0 = tensor.cast %c0 : tensor<2x3x8xf32> to tensor<?x?x?xf32>
  %c1 = arith.constant dense<[0.125, -1.1875, -0.578125, -0.203125, 0.90625, 1.140625, -1.328125, -0.796875]> : tensor<8xf32>
  %d1 = tensor.cast %c1 : tensor<8xf32> to tensor<?xf32>
  %c2 = arith.constant dense<[0.640625, -2.0, -0.46875, -0.09375, 1.25, 0.6875, -0.328125, -0.375]> : tensor<8xf32>
  %d2 = tensor.cast %c2 : tensor<8xf32> to tensor<?xf32>
  %got = call @layer_norm(%d0, %d1, %d2) : (tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>
  %want = arith.constant dense<[[[0.751065731048584, -4.026657581329346, -0.11055148392915726, -0.17507773637771606, 0.10470140725374222, 0.04201572388410568, 1.2552669048309326, -0.8936871290206909], [0.5334042310714722, -3.0238077640533447, -0.8961592316627502, -0.16549332439899445, -0.7997407913208008, 0.6499658823013306, -1.0069957971572876, -0.9221757054328918], [0.466607004404068, -1.7970739603042603, -0.032743748277425766, 0.01871376670897007, 2.73050594329834, 0.05597269535064697, -0.8032212257385254, -1.517046570777893]], [[0.589002788066864, -2.1708173751831055, -0.7021375894546509, -0.1644405573606491, 0.18608888983726501, 1.1056256294250488, -2.8363711833953857, 0.8711115121841431], [0.7141574025154114, -1.7468992471694946, 0.137492835521698, -0.46607449650764465, 1.6903952360153198, -1.2087572813034058, 0.022885741665959358, -0.5991939306259155], [0.5662999153137207, -2.883497476577759, -0.23555037379264832, -0.24001915752887726, 2.964052200317383, -0.8359308242797852, -0.33209335803985596, 0.4416888952255249]]]> : tensor<2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<?x?x?xf32>, tensor<2x3x8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %so_far: f32):
    %difference = arith.subf %x, %y : f32
    %magnitude = math.absf %difference : f32
    %larger = arith.maximumf %so_far, %magnitude : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  %error = tensor.extract %max[] : tensor<f32>
  %bound = arith.constant 2.0e-6 : f32
  %within = arith.cmpf ole, %error, %bound : f32
  return %within : i1
}

func.func private @softmax0(%a0: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %r = aikernel.softmax %a0 {axis = 0 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}
func.func private @softmax0_is_right() -> i1 {
  %c0 = arith.constant dense<[[[-0.03125, 0.6875, -1.34375, -0.453125, -1.90625, -1.296875, -1.84375, -0.234375], [-1.265625, 0.265625, 0.15625, -0.1875, -2.515625, -0.53125, -0.046875, 0.109375], [-1.53125, -0.484375, -0.984375, -0.8125, 1.0625, -0.8125, -0.03125, 0.890625]], [[-0.578125, -0.109375, 0.109375, 0.0625, -1.21875, 0.078125, 1.359375, -1.546875], [0.859375, 0.125, -0.640625, 2.0, 0.765625, -1.203125, 0.078125, 0.578125], [-0.1875, 0.6875, -0.0625, 0.671875, 1.4375, -0.671875, 0.203125, -0.46875]]]> : tensor<2x3x8xf32>
  %got = call @softmax0(%c0) : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %want = arith.constant dense<[[[0.6334102749824524, 0.6893056035041809, 0.18952108919620514, 0.37387582659721375, 0.3345894515514374, 0.2018132209777832, 0.039048291742801666, 0.7879312038421631], [0.10669059306383133, 0.5350984334945679, 0.6893056035041809, 0.10087862610816956, 0.03622005507349968, 0.6619228720664978, 0.46879062056541443, 0.3849121332168579], [0.20689405500888824, 0.23651623725891113, 0.2845759987831116, 0.18476751446723938, 0.4073334038257599, 0.46490156650543213, 0.44167301058769226, 0.7956581115722656]], [[0.3665897250175476, 0.3106943964958191, 0.810478925704956, 0.6261242032051086, 0.665410578250885, 0.7981867790222168, 0.9609516859054565, 0.2120688110589981], [0.8933094143867493, 0.46490156650543213, 0.3106943964958191, 0.8991214036941528, 0.9637799263000488, 0.3380771279335022, 0.5312093496322632, 0.6150878667831421], [0.793105959892273, 0.7634837627410889, 0.7154240012168884, 0.815232515335083, 0.5926666259765625, 0.5350984334945679, 0.5583270192146301, 0.20434190332889557]]]> : tensor<2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @softmax1(%a0: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %r = aikernel.softmax %a0 {axis = 1 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}
func.func private @softmax1_is_right() -> i1 {
  %c0 = arith.constant dense<[[[-0.03125, 0.6875, -1.34375, -0.453125, -1.90625, -1.296875, -1.84375, -0.234375], [-1.265625, 0.265625, 0.15625, -0.1875, -2.515625, -0.53125, -0.046875, 0.109375], [-1.53125, -0.484375, -0.984375, -0.8125, 1.0625, -0.8125, -0.03125, 0.890625]], [[-0.578125, -0.109375, 0.109375, 0.0625, -1.21875, 0.078125, 1.359375, -1.546875], [0.859375, 0.125, -0.640625, 2.0, 0.765625, -1.203125, 0.078125, 0.578125], [-0.1875, 0.6875, -0.0625, 0.671875, 1.4375, -0.671875, 0.203125, -0.46875]]]> : tensor<2x3x8xf32>
  %got = call @softmax1(%c0) : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %want = arith.constant dense<[[[0.6604379415512085, 0.5087500810623169, 0.1446315050125122, 0.3330715000629425, 0.04759352654218674, 0.20948997139930725, 0.07600796967744827, 0.18213467299938202], [0.19219841063022614, 0.3336464762687683, 0.6481934189796448, 0.434407114982605, 0.025876151397824287, 0.45047423243522644, 0.45838674902915955, 0.25685104727745056], [0.14736363291740417, 0.1576034277677536, 0.20717506110668182, 0.23252138495445251, 0.9265303015708923, 0.3400357961654663, 0.4656052887439728, 0.5610142946243286]], [[0.1495201587677002, 0.22307907044887543, 0.4320679008960724, 0.1022426187992096, 0.044410340487957, 0.5714101195335388, 0.6280010938644409, 0.08122117072343826], [0.6295033693313599, 0.2819983661174774, 0.20409442484378815, 0.7097044587135315, 0.3230630159378052, 0.15867485105991364, 0.17438960075378418, 0.6800565123558044], [0.22097647190093994, 0.49492254853248596, 0.36383765935897827, 0.1880529522895813, 0.6325266361236572, 0.26991501450538635, 0.1976093053817749, 0.2387222945690155]]]> : tensor<2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%init : tensor<f32>) {
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

func.func private @softmax2(%a0: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %r = aikernel.softmax %a0 {axis = 2 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}
func.func private @softmax2_is_right() -> i1 {
  %c0 = arith.constant dense<[[[-0.03125, 0.6875, -1.34375, -0.453125, -1.90625, -1.296875, -1.84375, -0.234375], [-1.265625, 0.265625, 0.15625, -0.1875, -2.515625, -0.53125, -0.046875, 0.109375], [-1.53125, -0.484375, -0.984375, -0.8125, 1.0625, -0.8125, -0.03125, 0.890625]], [[-0.578125, -0.109375, 0.109375, 0.0625, -1.21875, 0.078125, 1.359375, -1.546875], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [-0.1875, 0.6875, -0.0625, 0.671875, 1.4375, -0.671875, 0.203125, -0.46875]]]> : tensor<2x3x8xf32>
  %got = call @softmax2(%c0) : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %want = arith.constant dense<[[[0.1854713410139084, 0.3805624544620514, 0.04991893097758293, 0.1216350719332695, 0.028442950919270515, 0.05231459066271782, 0.03027736209332943, 0.15137729048728943], [0.04460956156253815, 0.20627252757549286, 0.18490150570869446, 0.13111479580402374, 0.012780853547155857, 0.09297431260347366, 0.15091221034526825, 0.1764342486858368], [0.025767339393496513, 0.07340431958436966, 0.04452196881175041, 0.05287114530801773, 0.3447631895542145, 0.05287114530801773, 0.11548119783401489, 0.2903197109699249]], [[0.06150119751691818, 0.09827863425016403, 0.12230973690748215, 0.11670876294374466, 0.03240885213017464, 0.11854666471481323, 0.4269029200077057, 0.023343222215771675], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.06747204810380936, 0.1618570238351822, 0.07645584642887115, 0.15934766829013824, 0.3426513075828552, 0.041568320244550705, 0.09971721470355988, 0.05093057081103325]]]> : tensor<2x3x8xf32>
  %zero = arith.constant 0.0 : f32
  %init = tensor.from_elements %zero : tensor<f32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%got, %want : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%init : tensor<f32>) {
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
  %rms_norm = call @rms_norm_is_right() : () -> i1
  vector.print %rms_norm : i1
  %layer_norm = call @layer_norm_is_right() : () -> i1
  vector.print %layer_norm : i1
  %softmax0 = call @softmax0_is_right() : () -> i1
  vector.print %softmax0 : i1
  %softmax1 = call @softmax1_is_right() : () -> i1
  vector.print %softmax1 : i1
  %softmax2 = call @softmax2_is_right() : () -> i1
  vector.print %softmax2 : i1
  return
}
