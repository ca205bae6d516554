// Ops of other dialects with a lowering of their own, for check_foreign.py.

func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @concat(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tensor.concat dim(0) %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @matvec(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %row = tensor.extract_slice %x[0, 0] [1, %m] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.matvec ins(%x, %row : tensor<?x?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Two sizes of one group that are not known.
func.func @split(%x: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = arith.divui %n, %n : index
  %y = math.absf %x : tensor<?x?xf32>
  %r = tensor.expand_shape %y [[0, 1], [2]] output_shape [%rows, %n, %m] : tensor<?x?xf32> into tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// The same, after the sizes of an op are known to it and not to its type.
func.func @stacked(%x: tensor<?x?xf32>) -> tensor<3x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<3x?x?xf32>
  %three = linalg.broadcast ins(%x : tensor<?x?xf32>) outs(%e : tensor<3x?x?xf32>) dimensions = [0]
  %cast = tensor.cast %three : tensor<3x?x?xf32> to tensor<?x?x?xf32>
  %te = tensor.empty(%m, %n) : tensor<?x?xf32>
  %turned = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%te : tensor<?x?xf32>) permutation = [1, 0]
  %y = aikernel.linear %cast, %turned : (tensor<?x?x?xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %r = tensor.cast %y : tensor<?x?x?xf32> to tensor<3x?x?xf32>
  return %r : tensor<3x?x?xf32>
}

// Dimensions that are left out behind one that turns out to be of size 1.
func.func @column(%x: tensor<5x7xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 5, 7] : tensor<5x7xf32> into tensor<1x5x7xf32>
  %r = tensor.extract_slice %e[0, 0, 3] [%one, %five, 1] [1, 1, 1] : tensor<1x5x7xf32> to tensor<?x?xf32>
  %s = aikernel.softmax %r {axis = 1 : i64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

func.func @put_column(%x: tensor<5x7xf32>) -> tensor<1x5x7xf32> {
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %e = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, 5, 7] : tensor<5x7xf32> into tensor<1x5x7xf32>
  %c = tensor.extract_slice %e[0, 0, 3] [%one, %five, 1] [1, 1, 1] : tensor<1x5x7xf32> to tensor<?x?xf32>
  %r = tensor.insert_slice %c into %e[0, 0, 0] [%one, %five, 1] [1, 1, 1] : tensor<?x?xf32> into tensor<1x5x7xf32>
  return %r : tensor<1x5x7xf32>
}

func.func @reversed(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (4 - i, 6 - j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

func.func @wrapped(%x: tensor<5x7xf32>) -> tensor<300xf32> {
  %e = tensor.empty() : tensor<300xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 5, (i + 3) mod 7)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%e : tensor<300xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<300xf32>
  return %r : tensor<300xf32>
}

func.func @cbrt(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = math.cbrt %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @asinh(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = math.asinh %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @classes(%x: tensor<?x?xf32>) -> tensor<?x?xi1> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %z = tensor.splat %zero[%n, %m] : tensor<?x?xf32>
  %d = arith.divf %x, %z : tensor<?x?xf32>
  %i = math.isinf %d : tensor<?x?xf32>
  %k = math.isnormal %x : tensor<?x?xf32>
  %r = arith.andi %i, %k : tensor<?x?xi1>
  return %r : tensor<?x?xi1>
}

func.func @clamp(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = arith.addf %x, %x : tensor<?x?xf32>
  %r = math.clampf %y to [%x, %x] : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// 1 GiB, if it were data.
func.func @constant(%x: tensor<5x7xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<2.5> : tensor<268435456xf32>
  %v = tensor.extract %x[%c0, %c0] : tensor<5x7xf32>
  %s = tensor.extract %c[%c0] : tensor<268435456xf32>
  %r = arith.addf %v, %s : f32
  return %r : f32
}

func.func @scratch(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  %b = bufferization.to_buffer %x : tensor<?x?xf32> to memref<?x?xf32>
  memref.copy %b, %a : memref<?x?xf32> to memref<?x?xf32>
  linalg.exp ins(%b : memref<?x?xf32>) outs(%a : memref<?x?xf32>)
  %t = bufferization.to_tensor %a restrict : memref<?x?xf32> to tensor<?x?xf32>
  %r = arith.addf %t, %x : tensor<?x?xf32>
  memref.dealloc %a : memref<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @affine(%x: tensor<?x?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f32) {
    %j = affine.apply affine_map<(d) -> (d mod 3)>(%i)
    %v = tensor.extract %x[%i, %j] : tensor<?x?xf32>
    %t = arith.addf %s, %v : f32
    affine.yield %t : f32
  }
  return %r : f32
}

// Adds to its destination, for all rows of what it is repeated to.
func.func @adds_once(%x: tensor<?x?xf32>) -> tensor<64x5xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %c = tensor.extract_slice %x[0, 0] [5, 1] [1, 1] : tensor<?x?xf32> to tensor<5xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<5xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  %d = tensor.empty() : tensor<64x5xf32>
  %q = linalg.broadcast ins(%p : tensor<5xf32>) outs(%d : tensor<64x5xf32>) dimensions = [0]
  return %q : tensor<64x5xf32>
}

// The second sum is what the first was a row before.
func.func @passed_on(%x: tensor<?x?xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %c = tensor.cast %x : tensor<?x?xf32> to tensor<5x7xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%c : tensor<5x7xf32>) outs(%z, %z : tensor<7xf32>, tensor<7xf32>) {
  ^bb0(%v: f32, %p: f32, %q: f32):
    %s = arith.addf %q, %v : f32
    linalg.yield %s, %p : f32, f32
  } -> (tensor<7xf32>, tensor<7xf32>)
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xf32>
}

func.func @constant_place(%x: tensor<?x?xf32>) -> tensor<1x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7xf32>) -> tensor<1x7xf32>
  %c = tensor.cast %x : tensor<?x?xf32> to tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>], iterator_types = ["reduction", "parallel"]} ins(%c : tensor<5x7xf32>) outs(%z : tensor<1x7xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %v, %acc : f32
    linalg.yield %s : f32
  } -> tensor<1x7xf32>
  %y = aikernel.relu %r : (tensor<1x7xf32>) -> tensor<1x7xf32>
  return %y : tensor<1x7xf32>
}

// `index` has no least number to begin with.
func.func @largest_index(%x: tensor<?x?xf32>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<index>
  %z = linalg.fill ins(%zero : index) outs(%e : tensor<index>) -> tensor<index>
  %c = tensor.cast %x : tensor<?x?xf32> to tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%c : tensor<5x7xf32>) outs(%z : tensor<index>) {
  ^bb0(%v: f32, %acc: index):
    %k = arith.fptosi %v : f32 to i64
    %n = arith.index_cast %k : i64 to index
    %m = arith.maxsi %n, %acc : index
    linalg.yield %m : index
  } -> tensor<index>
  %n = tensor.extract %r[] : tensor<index>
  %k = arith.index_cast %n : index to i64
  %f = arith.sitofp %k : i64 to f32
  %y = tensor.from_elements %f : tensor<f32>
  return %y : tensor<f32>
}
