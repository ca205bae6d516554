// Results that share the memory of an intermediate.

func.func @derived_first(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 9.0 : f32
  %m = tensor.insert %z into %n[%c0] : tensor<4xf32>
  return %m, %n : tensor<4xf32>, tensor<4xf32>
}

func.func @siblings(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = arith.addf %a, %a : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 9.0 : f32
  %m = tensor.insert %z into %n[%c0] : tensor<4xf32>
  %o = tensor.insert %z into %n[%c1] : tensor<4xf32>
  return %m, %o, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @normed(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = aikernel.l2_norm %a {eps = 1.0e-1 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %m = arith.addf %n, %a : tensor<4xf32>
  return %m, %n : tensor<4xf32>, tensor<4xf32>
}

func.func @donated(%a: tensor<4xf32> {aikernel.donate = 0}) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = arith.addf %a, %a : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 9.0 : f32
  %m = tensor.insert %z into %n[%c0] : tensor<4xf32>
  return %n, %m : tensor<4xf32>, tensor<4xf32>
}

func.func @chosen(%a: tensor<4xf32>, %which: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = arith.addf %a, %a : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 9.0 : f32
  %m = tensor.insert %z into %n[%c0] : tensor<4xf32>
  %r = scf.if %which -> tensor<4xf32> {
    %i = tensor.insert %z into %m[%c0] : tensor<4xf32>
    scf.yield %i : tensor<4xf32>
  } else {
    scf.yield %n : tensor<4xf32>
  }
  return %r, %m, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
