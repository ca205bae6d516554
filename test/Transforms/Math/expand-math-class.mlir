// RUN: aik-opt %s --aik-expand-math | FileCheck %s

// CHECK-LABEL: @infinite
// CHECK: %[[SIZE:.*]] = math.absf
// CHECK: arith.cmpf oeq, %[[SIZE]], %{{.*}} : f64
func.func @infinite(%x: f64) -> i1 {
  %r = math.isinf %x : f64
  return %r : i1
}

// CHECK-LABEL: @normal
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<1.17549435E-38> : vector<4xf32>
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000> : vector<4xf32>
// CHECK: %[[ABOVE:.*]] = arith.cmpf oge, %{{.*}}, %[[LEAST]]
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %{{.*}}, %[[INF]]
// CHECK: arith.andi %[[ABOVE]], %[[BELOW]]
func.func @normal(%x: vector<4xf32>) -> vector<4xi1> {
  %r = math.isnormal %x : vector<4xf32>
  return %r : vector<4xi1>
}
