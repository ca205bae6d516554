// Rows that only the last op reads are made where its result will be, where
// written lines stay in the cache.
// RUN: aik-opt %s --aik-fuse-rows -split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx512f", vector_bits = 512>} {
  // CHECK-LABEL: func.func @softmax(
  // CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>, %[[Y:[^:]*]]: memref<8x64xf32>
  // CHECK: %[[SUM:.*]] = memref.alloc() : memref<4xf32>
  // CHECK-NOT: memref.alloc
  // CHECK: %[[TILE:.*]] = memref.subview %[[Y]]
  // CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[TILE]], %[[SUM]] :
  // CHECK: linalg.generic {{.*}} ins(%[[TILE]], %[[SUM]] : {{.*}}) outs(%[[TILE]] :
  func.func @softmax(%x: memref<4x64xf32>, %y: memref<8x64xf32>, %i: index) {
    %sum = memref.alloc() : memref<4xf32>
    %p = memref.alloc() : memref<4x64xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x64xf32>) outs(%p : memref<4x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%sum : memref<4xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    %t = memref.subview %y[%i, 0] [4, 64] [1, 1] : memref<8x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : memref<4x64xf32>, memref<4xf32>) outs(%t : memref<4x64xf32, strided<[64, 1], offset: ?>>) {
    ^bb0(%v: f32, %s: f32, %o: f32):
      %q = arith.divf %v, %s : f32
      linalg.yield %q : f32
    }
    return
  }

  // A result of 32 MiB is stored past the caches, from rows that stay in them.
  // CHECK-LABEL: func.func @large(
  // CHECK: scf.forall
  // CHECK: %[[P:.*]] = memref.alloc() : memref<1x4096xf32>
  // CHECK: linalg.generic {{.*}} outs(%[[P]], %{{.*}} :
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} :
  // CHECK-LABEL: func.func @small(
  // CHECK: scf.forall
  // CHECK-NOT: memref.alloc() : memref<1x4096xf32>
  // CHECK: return
  func.func @large(%x: memref<1x4096xf32>, %y: memref<2048x4096xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (2048) {
      %sum = memref.alloc() : memref<1xf32>
      %p = memref.alloc() : memref<1x4096xf32>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x4096xf32>) outs(%p : memref<1x4096xf32>) {
      ^bb0(%v: f32, %o: f32):
        %e = math.exp %v : f32
        linalg.yield %e : f32
      }
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<1x4096xf32>) outs(%sum : memref<1xf32>) {
      ^bb0(%v: f32, %acc: f32):
        %a = arith.addf %acc, %v : f32
        linalg.yield %a : f32
      }
      %t = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<2048x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : memref<1x4096xf32>, memref<1xf32>) outs(%t : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) {
      ^bb0(%v: f32, %s: f32, %o: f32):
        %q = arith.divf %v, %s : f32
        linalg.yield %q : f32
      }
      memref.copy %t, %t : memref<1x4096xf32, strided<[4096, 1], offset: ?>> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
    }
    return
  }
  func.func @small(%x: memref<1x4096xf32>, %y: memref<1024x4096xf32> {aikernel.result = 0 : i64}) attributes {aikernel.entry = "run"} {
    scf.forall (%i) in (1024) {
      %sum = memref.alloc() : memref<1xf32>
      %p = memref.alloc() : memref<1x4096xf32>
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x4096xf32>) outs(%p : memref<1x4096xf32>) {
      ^bb0(%v: f32, %o: f32):
        %e = math.exp %v : f32
        linalg.yield %e : f32
      }
      linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<1x4096xf32>) outs(%sum : memref<1xf32>) {
      ^bb0(%v: f32, %acc: f32):
        %a = arith.addf %acc, %v : f32
        linalg.yield %a : f32
      }
      %t = memref.subview %y[%i, 0] [1, 4096] [1, 1] : memref<1024x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : memref<1x4096xf32>, memref<1xf32>) outs(%t : memref<1x4096xf32, strided<[4096, 1], offset: ?>>) {
      ^bb0(%v: f32, %s: f32, %o: f32):
        %q = arith.divf %v, %s : f32
        linalg.yield %q : f32
      }
      memref.copy %t, %t : memref<1x4096xf32, strided<[4096, 1], offset: ?>> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
    }
    return
  }

  // The last op reads something else, which might be where its result is; or the
  // result is of another type; or it is the memory of an argument.
  // CHECK-LABEL: func.func @apart(
  // CHECK-COUNT-3: memref.alloc() : memref<4x64xf32>
  // CHECK: return
  func.func @apart(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %z: memref<4x64xbf16>, %d: memref<4x64xf32> {aikernel.result = 0 : i64, aikernel.donor = 0 : i64}) attributes {aikernel.entry = "run"} {
    %sum = memref.alloc() : memref<4xf32>
    %p = memref.alloc() : memref<4x64xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x64xf32>) outs(%p : memref<4x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%sum : memref<4xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : memref<4x64xf32>, memref<4x64xf32>) outs(%y : memref<4x64xf32>) {
    ^bb0(%v: f32, %s: f32, %o: f32):
      %q = arith.divf %v, %s : f32
      linalg.yield %q : f32
    }
    %p1 = memref.alloc() : memref<4x64xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x64xf32>) outs(%p1 : memref<4x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p1 : memref<4x64xf32>) outs(%sum : memref<4xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p1 : memref<4x64xf32>) outs(%z : memref<4x64xbf16>) {
    ^bb0(%v: f32, %o: bf16):
      %q = arith.truncf %v : f32 to bf16
      linalg.yield %q : bf16
    }
    %p2 = memref.alloc() : memref<4x64xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x64xf32>) outs(%p2 : memref<4x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p2 : memref<4x64xf32>) outs(%sum : memref<4xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p2, %sum : memref<4x64xf32>, memref<4xf32>) outs(%d : memref<4x64xf32>) {
    ^bb0(%v: f32, %s: f32, %o: f32):
      %q = arith.divf %v, %s : f32
      linalg.yield %q : f32
    }
    return
  }

  // What the last op reads beside the rows lies where it writes.
  // CHECK-LABEL: func.func @result_read_until_the_end(
  // CHECK: %[[A:.*]] = memref.alloc() : memref<4x64xf32>
  // CHECK: memref.copy
  // CHECK: %[[P:.*]] = memref.alloc() : memref<4x64xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[A]] : memref<4x64xf32>) outs(%[[P]], %{{.*}} : memref<4x64xf32>, memref<4xf32>)
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %[[A]], %{{.*}} outs(%[[A]] :
  func.func @result_read_until_the_end(%h: memref<4x64xf32>, %y: memref<4x64xf32>) {
    %sum = memref.alloc() : memref<4xf32>
    %a = memref.alloc() : memref<4x64xf32>
    memref.copy %h, %a : memref<4x64xf32> to memref<4x64xf32>
    %p = memref.alloc() : memref<4x64xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x64xf32>) outs(%p : memref<4x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%sum : memref<4xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %s = arith.addf %acc, %v : f32
      linalg.yield %s : f32
    }
    linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %a, %sum : memref<4x64xf32>, memref<4x64xf32>, memref<4xf32>) outs(%a : memref<4x64xf32>) {
    ^bb0(%v: f32, %x: f32, %s: f32, %o: f32):
      %q = arith.mulf %v, %x : f32
      %q2 = arith.divf %q, %s : f32
      linalg.yield %q2 : f32
    }
    memref.copy %a, %y : memref<4x64xf32> to memref<4x64xf32>
    return
  }

  // The result may be in the memory of anything that was chosen among.
  // CHECK-LABEL: func.func @chosen(
  // CHECK: memref.alloc() : memref<4xf32>
  // CHECK: %[[P:.*]] = memref.alloc() : memref<4x64xf32>
  // CHECK: linalg.generic {{.*}} outs(%[[P]], %{{.*}} : memref<4x64xf32>, memref<4xf32>)
  func.func @chosen(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %c: i1) {
    %r = arith.select %c, %x, %y : memref<4x64xf32>
    %sum = memref.alloc() : memref<4xf32>
    %p = memref.alloc() : memref<4x64xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x64xf32>) outs(%p : memref<4x64xf32>) {
    ^bb0(%v: f32, %o: f32):
      %e = math.exp %v : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%sum : memref<4xf32>) {
    ^bb0(%v: f32, %acc: f32):
      %a = arith.addf %acc, %v : f32
      linalg.yield %a : f32
    }
    linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : memref<4x64xf32>, memref<4xf32>) outs(%r : memref<4x64xf32>) {
    ^bb0(%v: f32, %s: f32, %o: f32):
      %q = arith.divf %v, %s : f32
      linalg.yield %q : f32
    }
    return
  }
}
