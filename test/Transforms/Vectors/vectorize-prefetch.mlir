// The loop that reads a tile for the last time asks for one that is 32 KiB
// ahead, and for the last row of all where there is none. A first reading does
// not, nor one before the last.
// RUN: aik-opt %s --aik-vectorize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x256xf32>
  // CHECK: scf.forall (%[[I:.*]]) = (0)
  // CHECK: %[[TILE:.*]] = memref.subview %[[X]]
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.reduction
  // CHECK: vector.load %[[TILE]][%[[R:[^,]*]], {{.*}} vector<16xf32>
  // CHECK: %[[ROW:.*]] = arith.addi %[[R]], %[[I]]
  // CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c-1
  // CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c32
  // CHECK: %[[CLAMPED:.*]] = arith.minui %[[NEXT]], %[[LAST]]
  // CHECK: memref.prefetch %[[X]][%[[CLAMPED]], %{{.*}}], read, locality<2>, data
  // CHECK-NOT: memref.prefetch
  func.func @f(%x: memref<?x256xf32>, %s: memref<4xf32>, %y: memref<?x256xf32>, %n: index) {
    scf.forall (%i) = (0) to (%n) step (4) {
      %t = memref.subview %x[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<4x256xf32, strided<[256, 1], offset: ?>>) outs(%s : memref<4xf32>) {
      ^bb0(%v: f32, %acc: f32):
        %a = arith.addf %acc, %v : f32
        linalg.yield %a : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %s : memref<4x256xf32, strided<[256, 1], offset: ?>>, memref<4xf32>) outs(%o : memref<4x256xf32, strided<[256, 1], offset: ?>>) {
      ^bb0(%v: f32, %m: f32, %old: f32):
        %a = arith.subf %v, %m : f32
        linalg.yield %a : f32
      }
    }
    return
  }

  // Rows of 16 bits, which are a chain of conversions, take twice as many
  // registers at a time.
  // CHECK-LABEL: func.func @narrow(
  // CHECK: vector.reduction
  // CHECK: vector.load {{.*}} vector<32xbf16>
  // CHECK: memref.prefetch
  // CHECK: vector.store {{.*}} vector<32xbf16>
  func.func @narrow(%x: memref<?x256xbf16>, %s: memref<4xf32>, %y: memref<?x256xbf16>, %n: index) {
    scf.forall (%i) = (0) to (%n) step (4) {
      %t = memref.subview %x[%i, 0] [4, 256] [1, 1] : memref<?x256xbf16> to memref<4x256xbf16, strided<[256, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [4, 256] [1, 1] : memref<?x256xbf16> to memref<4x256xbf16, strided<[256, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<4x256xbf16, strided<[256, 1], offset: ?>>) outs(%s : memref<4xf32>) {
      ^bb0(%v: bf16, %acc: f32):
        %w = arith.extf %v : bf16 to f32
        %a = arith.addf %acc, %w : f32
        linalg.yield %a : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %s : memref<4x256xbf16, strided<[256, 1], offset: ?>>, memref<4xf32>) outs(%o : memref<4x256xbf16, strided<[256, 1], offset: ?>>) {
      ^bb0(%v: bf16, %m: f32, %old: bf16):
        %w = arith.extf %v : bf16 to f32
        %a = arith.subf %w, %m : f32
        %b = arith.truncf %a : f32 to bf16
        linalg.yield %b : bf16
      }
    }
    return
  }

  // Three loops: reads go beside the writes.
  // CHECK-LABEL: func.func @three(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x256xf32>
  // Each of two reductions has a loop over vectors and one over the rest.
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.reduction
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.reduction
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.reduction
  // CHECK-NOT: memref.prefetch
  // CHECK: vector.reduction
  // CHECK: memref.prefetch %[[X]]
  // CHECK-NOT: memref.prefetch
  func.func @three(%x: memref<?x256xf32>, %s: memref<4xf32>, %q: memref<4xf32>, %y: memref<?x256xf32>, %n: index) {
    scf.forall (%i) = (0) to (%n) step (4) {
      %t = memref.subview %x[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%t : memref<4x256xf32, strided<[256, 1], offset: ?>>) outs(%s : memref<4xf32>) {
      ^bb0(%v: f32, %acc: f32):
        %a = arith.addf %acc, %v : f32
        linalg.yield %a : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%t, %s : memref<4x256xf32, strided<[256, 1], offset: ?>>, memref<4xf32>) outs(%q : memref<4xf32>) {
      ^bb0(%v: f32, %m: f32, %acc: f32):
        %d = arith.subf %v, %m : f32
        %e = arith.mulf %d, %d : f32
        %a = arith.addf %acc, %e : f32
        linalg.yield %a : f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%t, %q : memref<4x256xf32, strided<[256, 1], offset: ?>>, memref<4xf32>) outs(%o : memref<4x256xf32, strided<[256, 1], offset: ?>>) {
      ^bb0(%v: f32, %m: f32, %old: f32):
        %a = arith.subf %v, %m : f32
        linalg.yield %a : f32
      }
    }
    return
  }

  // The last loop asks for what the first one read and this one does not.
  // CHECK-LABEL: func.func @g(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?x256xf32>, %[[R:[^:]*]]: memref<?x256xf32>
  // CHECK: vector.reduction
  // CHECK: memref.prefetch %[[X]]
  // CHECK: memref.prefetch %[[R]]
  // CHECK-NOT: memref.prefetch
  func.func @g(%x: memref<?x256xf32>, %r: memref<?x256xf32>, %h: memref<4x256xf32>, %s: memref<4xf32>, %y: memref<?x256xf32>, %n: index) {
    scf.forall (%i) = (0) to (%n) step (4) {
      %t = memref.subview %x[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      %u = memref.subview %r[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      %o = memref.subview %y[%i, 0] [4, 256] [1, 1] : memref<?x256xf32> to memref<4x256xf32, strided<[256, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%t, %u : memref<4x256xf32, strided<[256, 1], offset: ?>>, memref<4x256xf32, strided<[256, 1], offset: ?>>) outs(%h, %s : memref<4x256xf32>, memref<4xf32>) {
      ^bb0(%v: f32, %w: f32, %old: f32, %acc: f32):
        %b = arith.addf %v, %w : f32
        %a = arith.addf %acc, %b : f32
        linalg.yield %b, %a : f32, f32
      }
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %s : memref<4x256xf32>, memref<4xf32>) outs(%o : memref<4x256xf32, strided<[256, 1], offset: ?>>) {
      ^bb0(%v: f32, %m: f32, %old: f32):
        %a = arith.subf %v, %m : f32
        linalg.yield %a : f32
      }
    }
    return
  }
}
