// x -> x w, three times.
func.func @products(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32>) {
    %y = aikernel.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// (a, b) -> (b, a + b), five times.
func.func @fibonacci(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %w) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %s = arith.addf %a, %b : tensor<4x4xf32>
    scf.yield %b, %s : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// As many layers as there are weights; rows of any number.
func.func @layers(%x: tensor<?x4xf32>, %w: tensor<?x4x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %w, %c0 : tensor<?x4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %wi = tensor.extract_slice %w[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<?x4x4xf32> to tensor<4x4xf32>
    %y = aikernel.matmul %a, %wi : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %z = aikernel.relu %y : (tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %z : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Nothing about the sizes is known before the call.
func.func @powers(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?x?xf32>) {
    %y = aikernel.matmul %a, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// x -> x w while the counter is small.
func.func @counted_while(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.while (%a = %x, %i = %c0) : (tensor<4x4xf32>, index) -> (tensor<4x4xf32>, index) {
    %go = arith.cmpi slt, %i, %c3 : index
    scf.condition(%go) %a, %i : tensor<4x4xf32>, index
  } do {
  ^bb0(%a: tensor<4x4xf32>, %i: index):
    %y = aikernel.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = arith.addi %i, %c1 : index
    scf.yield %y, %n : tensor<4x4xf32>, index
  }
  return %r#0 : tensor<4x4xf32>
}

// Doubles x until its first element is at least the first of w; two tensors
// change places on the way, and the data decides when to stop.
func.func @until(%x: tensor<?x4xf32>, %w: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %limit = tensor.extract %w[%c0, %c0] : tensor<?x4xf32>
  %r:2 = scf.while (%a = %x, %b = %w) : (tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %first = tensor.extract %a[%c0, %c0] : tensor<?x4xf32>
    %go = arith.cmpf olt, %first, %limit : f32
    scf.condition(%go) %b, %a : tensor<?x4xf32>, tensor<?x4xf32>
  } do {
  ^bb0(%b: tensor<?x4xf32>, %a: tensor<?x4xf32>):
    %d = arith.addf %a, %a : tensor<?x4xf32>
    scf.yield %d, %a : tensor<?x4xf32>, tensor<?x4xf32>
  }
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// The work is done in front of the condition, which hands its result over.
func.func @do_while(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> (tensor<?x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.while (%a = %x, %i = %c0) : (tensor<?x4xf32>, index) -> (index, tensor<?x4xf32>) {
    %y = aikernel.matmul %a, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
    %n = arith.addi %i, %c1 : index
    %go = arith.cmpi slt, %n, %c3 : index
    scf.condition(%go) %n, %y : index, tensor<?x4xf32>
  } do {
  ^bb0(%n: index, %y: tensor<?x4xf32>):
    scf.yield %y, %n : tensor<?x4xf32>, index
  }
  return %r#1, %r#0 : tensor<?x4xf32>, index
}

// Rows of two tensors, one after the other, in memory that the caller gives.
func.func @concat(%x: tensor<?x4xf32>, %w: tensor<?x4xf32>, %out: tensor<?x4xf32> {aikernel.donate = 0 : i64}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %w, %c0 : tensor<?x4xf32>
  %0 = tensor.insert_slice %x into %out[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %1 = tensor.insert_slice %w into %0[%n, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// Row by row, in a loop, each from the other end.
func.func @reversed(%x: tensor<?x4xf32>, %out: tensor<?x4xf32> {aikernel.donate = 0 : i64}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = arith.subi %n, %c1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %out) -> (tensor<?x4xf32>) {
    %j = arith.subi %last, %i : index
    %row = tensor.extract_slice %x[%j, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %next = tensor.insert_slice %row into %a[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// A loop in a loop, which also reads what it starts with, in donated memory.
func.func @nested(%x: tensor<?x4xf32> {aikernel.donate = 0 : i64}, %w: tensor<4x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<?x4xf32>) -> (index, tensor<?x4xf32>) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i, %a : index, tensor<?x4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?x4xf32>):
    %b = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %a) -> (tensor<?x4xf32>) {
      %odd = arith.remui %i, %c2 : index
      %isOdd = arith.cmpi eq, %odd, %c1 : index
      %u = scf.if %isOdd -> (tensor<?x4xf32>) {
        %p = aikernel.matmul %t, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
        scf.yield %p : tensor<?x4xf32>
      } else {
        %p = arith.negf %t : tensor<?x4xf32>
        %q = arith.addf %p, %a : tensor<?x4xf32>
        scf.yield %q : tensor<?x4xf32>
      }
      %v = arith.addf %u, %t : tensor<?x4xf32>
      scf.yield %v : tensor<?x4xf32>
    }
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %b : index, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}

// The value before the loop is needed after it; result also the input.
func.func @after(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = arith.addf %x, %w : tensor<4x4xf32>
  %r:2 = scf.while (%i = %c0, %a = %s) : (index, tensor<4x4xf32>) -> (index, tensor<4x4xf32>) {
    %go = arith.cmpi slt, %i, %n : index
    %d = arith.addf %a, %w : tensor<4x4xf32>
    scf.condition(%go) %i, %d : index, tensor<4x4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4x4xf32>):
    %b = arith.addf %a, %s : tensor<4x4xf32>
    %k = arith.addi %i, %c1 : index
    scf.yield %k, %b : index, tensor<4x4xf32>
  }
  %t = arith.subf %r#1, %s : tensor<4x4xf32>
  return %r#1, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// Nested dynamic for, carrying two; outer loop yields inner's results swapped.
func.func @swap2(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %w) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
    %q:2 = scf.for %j = %c0 to %i step %c1 iter_args(%c = %a, %d = %b) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
      %s = arith.addf %c, %d : tensor<?x?xf32>
      scf.yield %d, %s : tensor<?x?xf32>, tensor<?x?xf32>
    }
    scf.yield %q#1, %q#0 : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// A tensor that both loops carry.
func.func @grid(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %p = aikernel.matmul %b, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      scf.yield %p : tensor<?x4xf32>
    }
    scf.yield %q : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// What the inner loop starts with is needed after it.
func.func @residual(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %p = aikernel.matmul %b, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      scf.yield %p : tensor<?x4xf32>
    }
    %s = arith.subf %q, %a : tensor<?x4xf32>
    scf.yield %s : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// The inner loop changes it row by row.
func.func @rows(%x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %q = scf.for %j = %c1 to %m step %c1 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %k = arith.subi %j, %c1 : index
      %above = tensor.extract_slice %b[%k, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
      %own = tensor.extract_slice %b[%j, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
      %sum = arith.addf %above, %own : tensor<1x4xf32>
      %u = tensor.insert_slice %sum into %b[%j, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
      scf.yield %u : tensor<?x4xf32>
    }
    scf.yield %q : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// A value that a branch has chosen is needed long after it.
func.func @chosen(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.cmpi sgt, %n, %c1 : index
  %d = arith.subf %w, %x : tensor<4x4xf32>
  %s = scf.if %many -> (tensor<4x4xf32>) {
    %p = aikernel.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p : tensor<4x4xf32>
  } else {
    %q = arith.addf %d, %w : tensor<4x4xf32>
    scf.yield %q : tensor<4x4xf32>
  }
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> (tensor<4x4xf32>) {
    %b = arith.addf %a, %s : tensor<4x4xf32>
    scf.yield %b : tensor<4x4xf32>
  }
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// Any step that does not wrap.
func.func @steps(%x: tensor<?x4xf32>, %from: index, %to: index, %by: index) -> tensor<?x4xf32> {
  %r = scf.for %i = %from to %to step %by iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %b = arith.addf %a, %x : tensor<?x4xf32>
    scf.yield %b : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// Takes over memory that must have its size.
func.func @double(%x: tensor<?x4xf32> {aikernel.donate = 0 : i64}, %w: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.addf %w, %w : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
