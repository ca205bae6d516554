// scf.while: tensors first, each handed over where it came in, and a slot for
// what the condition computes.
// RUN: aik-opt %s --aik-carry-in-place --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @passed
// CHECK: scf.while (%[[A:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}}) : (tensor<4xf32>, index) -> (tensor<4xf32>, index)
// CHECK: scf.condition(%{{.*}}) %[[A]], %[[I]]
// CHECK: ^bb0(%[[A2:.*]]: tensor<4xf32>, %[[I2:.*]]: index):
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[A2]]
// CHECK: scf.yield %[[M]], %[[I2]]
func.func @passed(%x: tensor<4xf32>, %c0: index, %go: i1) -> tensor<4xf32> {
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    scf.condition(%go) %i, %a : index, tensor<4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %i, %y : index, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @computed
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[SLOT:.*]] = bufferization.alloc_tensor(%[[N]])
// CHECK: %[[R:.*]]:2 = scf.while (%[[A:.*]] = %[[X]], %[[S:.*]] = %[[SLOT]])
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: %[[W:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[S]]
// CHECK: scf.condition(%{{.*}}) %[[A]], %[[W]]
// CHECK: ^bb0(%[[A2:.*]]: tensor<?xf32>, %[[S2:.*]]: tensor<?xf32>):
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[A2]]
// CHECK: scf.yield %[[M]], %[[S2]]
// CHECK: return %[[R]]#1
func.func @computed(%x: tensor<?xf32>, %go: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.while (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %d = tensor.dim %x, %c0 : tensor<?xf32>
    %e = bufferization.alloc_tensor(%d) : tensor<?xf32>
    %y = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.condition(%go) %y : tensor<?xf32>
  } do {
  ^bb0(%y: tensor<?xf32>):
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @unknown(%x: tensor<?xf32>, %n: index, %go: i1) {
  // expected-error @+1 {{AIK-E0007: the size of a tensor that the condition of this loop hands over is known only inside the loop}}
  %r:2 = scf.while (%a = %x, %i = %n) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %y = tensor.extract_slice %a[0] [%i] [1] : tensor<?xf32> to tensor<?xf32>
    scf.condition(%go) %y, %i : tensor<?xf32>, index
  } do {
  ^bb0(%y: tensor<?xf32>, %i: index):
    scf.yield %y, %i : tensor<?xf32>, index
  }
  return
}
