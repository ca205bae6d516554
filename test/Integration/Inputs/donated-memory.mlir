// Results that live in each other's arguments.

// The two arguments change places.
func.func @swap(%a: tensor<4xf32> {aikernel.donate = 0 : i64}, %b: tensor<4xf32> {aikernel.donate = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// The second result reads what the first one's memory held.
func.func @one(%a: tensor<4xf32> {aikernel.donate = 0 : i64}, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.negf %b : tensor<4xf32>
  %1 = math.exp %a : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @both(%a: tensor<4xf32> {aikernel.donate = 0 : i64}, %b: tensor<4xf32> {aikernel.donate = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.negf %b : tensor<4xf32>
  %1 = math.exp %a : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
