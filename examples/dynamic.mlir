// Sizes that are known only when the program runs. Dimension facts (`min`,
// `max`, `multiple_of`, one number per dimension) are checked at each call;
// disagreeing sizes come back as an error, never as a wild read.
//
//   aik-run dynamic.aikx --input x=random:1:40x64 --verify=ref
//   aik-run dynamic.aikx --input x=random:1:40x63      error: 63 against 64

func.func @dynamic(
    %x: tensor<?x?xf32> {aikernel.name = "x", aikernel.min = array<i64: 1, 64>, aikernel.max = array<i64: 4096, 64>},
    %gain: tensor<?xf32> {aikernel.weight, aikernel.name = "gain", aikernel.min = array<i64: 64>},
    %w: tensor<64x?xf32> {aikernel.weight, aikernel.name = "w"})
    -> (tensor<?x?xf32> {aikernel.name = "y"}) {
  %n = aikernel.rms_norm %x, %gain {eps = 1.0e-6 : f32} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %y = aikernel.linear %n, %w {activation = #aikernel.activation<silu>} : (tensor<?x?xf32>, tensor<64x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
