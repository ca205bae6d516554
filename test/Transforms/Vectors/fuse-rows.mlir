// An elementwise op and the reduction of its rows become one op.
// RUN: aik-opt %s --aik-fuse-rows | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The sum had the buffer of the maximum, which the powers still read.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x64xf32>, %[[Y:[^:]*]]: memref<4x64xf32>
// CHECK: %[[MAX:.*]] = memref.alloc() : memref<4xf32>
// CHECK: %[[P:.*]] = memref.alloc() : memref<4x64xf32>
// CHECK: %[[SUM:.*]] = memref.alloc() : memref<4xf32>
// CHECK: linalg.fill {{.*}} outs(%[[SUM]]
// CHECK: linalg.generic {indexing_maps = [#[[ID:.*]], #[[ROW:.*]], #[[ID]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[MAX]] : {{.*}}) outs(%[[P]], %[[SUM]] :
// CHECK: ^bb0(%[[V:.*]]: f32, %[[M:.*]]: f32, %{{.*}}: f32, %[[ACC:.*]]: f32):
// CHECK: %[[D:.*]] = arith.subf %[[V]], %[[M]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: %[[A:.*]] = arith.addf %[[ACC]], %[[E]]
// CHECK: linalg.yield %[[E]], %[[A]]
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[SUM]] : {{.*}}) outs(%[[Y]] :
func.func @softmax(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %stat = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%stat : memref<4xf32>)
  %p = memref.alloc() : memref<4x64xf32>
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %stat : memref<4x64xf32>, memref<4xf32>) outs(%p : memref<4x64xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  }
  linalg.fill ins(%zero : f32) outs(%stat : memref<4xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%stat : memref<4xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %stat : memref<4x64xf32>, memref<4xf32>) outs(%y : memref<4x64xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %q = arith.divf %v, %s : f32
    linalg.yield %q : f32
  }
  return
}

// Another op writes the rows in between, or reads what the sum overwrites.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-2: iterator_types = ["parallel", "parallel"]
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: iterator_types = ["parallel", "reduction"]
func.func @apart(%x: memref<4x64xf32>, %p: memref<4x64xf32>, %q: memref<4x64xf32>, %s: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x64xf32>) outs(%p : memref<4x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %e = math.exp %v : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : memref<4x64xf32>) outs(%q : memref<4x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<4x64xf32>, memref<4xf32>) outs(%p : memref<4x64xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32):
    %e = arith.subf %v, %m : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<4x64xf32>) outs(%s : memref<4xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  }
  return
}
