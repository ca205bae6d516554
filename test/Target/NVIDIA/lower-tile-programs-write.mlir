// Fragments go straight from registers to memory, pair by pair, where they are within the matrix;
// where columns are far apart, element by element.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))' | FileCheck %s

gpu.module @device {
  // CHECK-LABEL: gpu.func @pairs
  // CHECK-SAME: (%{{.*}}: memref<512x24xf32>, %{{.*}}: i32, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32) kernel
  // CHECK: %[[INROWS:.*]] = llvm.icmp "ult" %{{.*}}, %[[ROWS]] : i32
  // CHECK: %[[INCOLUMNS:.*]] = llvm.icmp "ult" %{{.*}}, %[[COLUMNS]] : i32
  // CHECK: %[[INSIDE:.*]] = llvm.and %[[INROWS]], %[[INCOLUMNS]] : i1
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
  // CHECK-COUNT-3: {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
  // CHECK-NOT: llvm.store {{.*}}ptr<1>
  gpu.func @pairs(%y: memref<512x24xf32>, %n: i32, %rows: i32, %columns: i32) kernel {
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x16xf32>
        aik_tile.write %zero, %y[%n, %n] within (%rows, %columns) : !aik_tile.frag<64x16xf32>, memref<512x24xf32>
      }
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @transposed
  // CHECK: %[[STRIDE:.*]] = llvm.mlir.constant(512 : i64)
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : bf16, !llvm.ptr<1>
  // CHECK-COUNT-7: {alignment = 2 : i64} : bf16, !llvm.ptr<1>
  // CHECK-NOT: llvm.store {{.*}}ptr<1>
  gpu.func @transposed(%y: memref<16x512xbf16>, %n: i32, %rows: i32, %columns: i32) kernel {
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x16xbf16>
        aik_tile.write %zero, %y[%n, %n] within (%rows, %columns) transposed : !aik_tile.frag<64x16xbf16>, memref<16x512xbf16>
      }
    }
    gpu.return
  }
}
