// Programs of other dialects whose sizes and indices show at run time only.
// check_hostile.py gives each right and wrong ones.

func.func @extract(%x: tensor<?x8xf32>, %i: index, %j: index) -> f32 {
  %r = tensor.extract %x[%i, %j] : tensor<?x8xf32>
  return %r : f32
}

func.func @insert(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %v = arith.constant 9.0 : f32
  %r = tensor.insert %v into %x[%i] : tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @cast(%x: tensor<?xf32>) -> tensor<8xf32> {
  %c = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
  %r = arith.addf %c, %c : tensor<8xf32>
  return %r : tensor<8xf32>
}

func.func @extract_slice(%x: tensor<?xf32>, %from: index) -> tensor<4xf32> {
  %r = tensor.extract_slice %x[%from] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @strided_slice(%x: tensor<?xf32>, %from: index, %by: index) -> tensor<4xf32> {
  %r = tensor.extract_slice %x[%from] [4] [%by] : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @insert_slice(%x: tensor<?xf32>, %y: tensor<?xf32>, %from: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = tensor.insert_slice %x into %y[%from] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @insert_other_size(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.insert_slice %x into %y[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// Rows of a table: the index is data, inside a loop that runs in parallel.
func.func @gather(%table: tensor<?x4xf32>, %ids: tensor<?xi32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<?xi32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%id: i32, %o: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @forall(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %y) -> (tensor<?xf32>) {
    %v = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// In a loop, the wrong index comes after right ones.
func.func @loop(%x: tensor<?xf32>, %ids: tensor<?xi64>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
    %id = tensor.extract %ids[%i] : tensor<?xi64>
    %at = arith.index_cast %id : i64 to index
    %v = tensor.extract %x[%at] : tensor<?xf32>
    %s = arith.addf %sum, %v : f32
    scf.yield %s : f32
  }
  return %r : f32
}

func.func @step(%x: tensor<?xf32>, %by: index) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %by iter_args(%sum = %zero) -> (f32) {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %sum, %v : f32
    scf.yield %s : f32
  }
  return %r : f32
}

func.func @conv(%x: tensor<1x?x3xf32>, %w: tensor<?x3x2xf32>, %o: tensor<1x?x2xf32>) -> tensor<1x?x2xf32> {
  %r = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<1x?x3xf32>, tensor<?x3x2xf32>) outs(%o : tensor<1x?x2xf32>) -> tensor<1x?x2xf32>
  return %r : tensor<1x?x2xf32>
}

func.func @reversed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @fourth(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @expand(%x: tensor<?xf32>, %n: index) -> tensor<f32> {
  %e = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%e : tensor<?x4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

func.func @pad(%x: tensor<?xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %high = arith.subi %c16, %n : index
  %p = tensor.pad %x low[0] high[%high] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<?xf32> to tensor<16xf32>
  return %p : tensor<16xf32>
}

func.func @empty(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 2.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c8 : index
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// 2^48 bytes and more of intermediate results, from arguments of a few.
func.func @outer(%x: tensor<?x0xf32>, %y: tensor<?x0xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 2.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x0xf32>
  %m = tensor.dim %y, %c0 : tensor<?x0xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> (tensor<?x?xf32>) {
    %u = tensor.insert %v into %t[%i, %c0] : tensor<?x?xf32>
    scf.yield %u : tensor<?x?xf32>
  }
  %r = tensor.extract %f[%c0, %c0] : tensor<?x?xf32>
  return %r : f32
}

func.func @load(%m: memref<?x4xf32>, %i: index, %j: index) -> f32 {
  %r = memref.load %m[%i, %j] : memref<?x4xf32>
  return %r : f32
}

func.func @store(%m: memref<?xf32>, %i: index) {
  %v = arith.constant 5.0 : f32
  memref.store %v, %m[%i] : memref<?xf32>
  return
}

func.func @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return
}

func.func @subview(%m: memref<?xf32>, %from: index, %n: index) {
  %v = arith.constant 5.0 : f32
  %s = memref.subview %m[%from] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  linalg.fill ins(%v : f32) outs(%s : memref<?xf32, strided<[1], offset: ?>>)
  return
}

func.func @map(%a: memref<?xf32>, %b: memref<?xf32>) {
  linalg.exp ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  return
}

func.func @divide(%a: i64, %b: i64) -> i64 {
  %r = arith.divsi %a, %b : i64
  return %r : i64
}

// No machine traps, whatever the divisors.
func.func @divide_all(%a: tensor<?xi32>, %b: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %q = arith.divsi %a, %b : tensor<?xi32>
  %r = arith.remsi %a, %b : tensor<?xi32>
  return %q, %r : tensor<?xi32>, tensor<?xi32>
}

func.func @assert(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %n, %c3 : index
  cf.assert %ok, "there are not 3"
  return %x : tensor<?xf32>
}

// An index that was a float, and a size that was divided.
func.func @float_index(%x: tensor<?xf32>, %i: f32) -> f32 {
  %n = arith.fptosi %i : f32 to i64
  %at = arith.index_cast %n : i64 to index
  %r = tensor.extract %x[%at] : tensor<?xf32>
  return %r : f32
}

func.func @divided(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %v = arith.constant 3.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %q = arith.divui %n, %m : index
  %e = tensor.empty(%q) : tensor<?xf32>
  %r = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Between two loops, a buffer of a size that is an argument.
func.func @scratch(%n: i32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 3.0 : f32
  %size = arith.index_cast %n : i32 to index
  %a = memref.alloca(%size) : memref<?xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<?xf32>)
  %r = memref.load %a[%i] : memref<?xf32>
  return %r : f32
}

// The loop of affine ends beyond the data.
func.func @affine(%m: memref<?xf32>, %n: index) {
  %v = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.store %v, %m[%i + 3] : memref<?xf32>
  }
  return
}

func.func @concat(%x: tensor<3x?xf32>, %y: tensor<3x?xf32>) -> tensor<6x?xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<6x?xf32>
  return %r : tensor<6x?xf32>
}

// Pinned memory is asked of the runtime, not planned.
func.func @pinned(%n: index, %m: index, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 3.0 : f32
  %memory = aikernel.mem.alloc_pinned(%n, %m) : memref<?x2x?xf32>
  linalg.fill ins(%v : f32) outs(%memory : memref<?x2x?xf32>)
  %r = memref.load %memory[%i, %c0, %c0] : memref<?x2x?xf32>
  aikernel.mem.free %memory : memref<?x2x?xf32>
  return %r : f32
}
