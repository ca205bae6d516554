// A word of packed codes is eight nibbles of a row: elements 4 w to 4 w + 3 of
// the unit in the low halves of its bytes, those 16 further in the high halves.
// RUN: aik-opt %s --aik-lower-lane-packing | FileCheck %s

// CHECK-LABEL: func.func @codes(
// CHECK-SAME: %[[W:.*]]: memref<6x36xi8>, %[[D:.*]]: memref<2x4x1x2x4xi32>
// CHECK: linalg.generic {{.*}} outs(%[[D]] : memref<2x4x1x2x4xi32>)
// Rows beyond the last repeat it.
// CHECK-DAG: %[[LAST:.*]] = arith.constant 5 : index
// CHECK: %[[ROW:.*]] = arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK-COUNT-8: memref.load %[[W]][%[[ROW]], %{{.*}}] : memref<6x36xi8>
// CHECK-NOT: memref.load
// CHECK: linalg.yield
func.func @codes(%w: memref<6x36xi8>, %d: memref<2x4x1x2x4xi32>) {
  aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_0>, section = #aikernel.lane_section<codes>} : (memref<6x36xi8>, memref<2x4x1x2x4xi32>) -> ()
  return
}

// Scale and minimum of a row share a word.
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[W:.*]]: memref<8x40xi8>
// CHECK-COUNT-4: memref.load %[[W]]
// CHECK-NOT: memref.load
// CHECK: linalg.yield
func.func @scales(%w: memref<8x40xi8>, %d: memref<2x2x4xi32>) {
  aikernel.pack_lanes %w outs %d {format = #aikernel.quant<q4_1>, section = #aikernel.lane_section<scales>} : (memref<8x40xi8>, memref<2x2x4xi32>) -> ()
  return
}
