// A row that was computed on the stack is written past the caches beside the
// computing of the next one.
// RUN: aik-opt %s --split-input-file --aik-outline-parallel | FileCheck %s

// What is written is read from the other turn of the buffers; the requests of
// both loops are made once; rounds that only the writing has come behind. The
// first row has none before it, and the last one is written behind the loop.

// CHECK-LABEL: func.func private @powers$parallel0(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64)
// CHECK: %[[BEGIN:.*]] = arith.index_cast %[[B]]
// CHECK: %[[END:.*]] = arith.index_cast %[[E]]
// CHECK-DAG: %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<640xi8>
// CHECK-DAG: %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128xi8>
// CHECK: %[[LAST:.*]] = scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%[[TURN:.*]] = %c0{{.*}}) -> (index) {
// CHECK:   %[[AT:.*]] = arith.muli %[[TURN]], %c320
// CHECK:   %[[ROW:.*]] = memref.view %[[ROWS]][%[[AT]]][]
// CHECK:   %[[HAS:.*]] = arith.cmpi slt, %[[BEGIN]], %[[I]]
// CHECK:   %[[SUM:.*]] = scf.if %[[HAS]] -> (vector<32xf32>) {
// CHECK:     %[[BEFORE:.*]] = arith.addi %[[I]], %c-1
// CHECK:     %[[OTHER:.*]] = arith.subi %c1{{.*}}, %[[TURN]]
// CHECK-DAG: %[[OTHERAT:.*]] = arith.muli %[[OTHER]], %c320
// CHECK-DAG: %[[OTHERROW:.*]] = memref.view %[[ROWS]][%[[OTHERAT]]][]
// CHECK-DAG: %[[OTHERSUM:.*]] = memref.view %[[SUMS]][
// CHECK-DAG: %[[SCALED:.*]] = arith.muli %[[BEFORE]]
// CHECK-DAG: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[SCALED]]
// CHECK-DAG: %[[Y:.*]] = memref.subview %{{.*}}[%[[PLACE]], 0]
// CHECK:     scf.if %{{.*}} -> (vector<32xf32>) {
// CHECK:       %[[BOTH:.*]] = scf.for %{{.*}} to %c64{{.*}} iter_args
// CHECK:         vector.load %[[OTHERROW]]
// CHECK-NOT:     memref.prefetch
// CHECK:         vector.store %{{.*}}, %[[Y]]{{.*}}nontemporal
// CHECK:         vector.load %[[OTHERROW]]
// CHECK:         vector.store %{{.*}}, %[[Y]]{{.*}}nontemporal
// CHECK:         memref.prefetch
// CHECK:         vector.store %{{.*}}, %[[ROW]]
// CHECK:       scf.for %{{.*}} = %c64{{.*}} to %c80
// CHECK:         vector.store %{{.*}}, %[[Y]]{{.*}}nontemporal
// CHECK:       scf.yield %[[BOTH]]
// CHECK:     } else {
// CHECK:       %[[ALSO:.*]] = scf.for
// CHECK-NOT:     nontemporal
// CHECK:       scf.yield %[[ALSO]]
// CHECK:   } else {
// CHECK:     scf.for
// CHECK-NOT:   vector.store %{{.*}}, %[[Y]]
// CHECK:       vector.store %{{.*}}, %[[ROW]]
// CHECK:   }
// CHECK:   vector.reduction <add>, %[[SUM]]
// CHECK:   %[[NEXT:.*]] = arith.subi %c1{{.*}}, %[[TURN]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[BEGIN]], %[[END]]
// CHECK: scf.if %[[ANY]] {
// CHECK:   %[[ROWOFLAST:.*]] = arith.addi %[[END]], %c-1
// CHECK:   arith.subi %c1{{.*}}, %[[LAST]]
// CHECK:   %[[OFLAST:.*]] = arith.muli %[[ROWOFLAST]]
// CHECK:   %[[PLACEOFLAST:.*]] = arith.addi %{{.*}}, %[[OFLAST]]
// CHECK:   memref.subview %{{.*}}[%[[PLACEOFLAST]], 0]
// CHECK:   nontemporal
// CHECK: sfence
func.func @powers(%x: memref<8x80xf32>, %y: memref<8x80xf32>, %aligned: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c80 = arith.constant 80 : index
  %zeros = arith.constant dense<0.0> : vector<32xf32>
  scf.forall (%i) in (8) {
    %bytes = memref.alloca() {alignment = 64 : i64} : memref<320xi8>
    %place = memref.alloca() {alignment = 64 : i64} : memref<4xi8>
    %row = memref.view %bytes[%c0][] : memref<320xi8> to memref<1x80xf32>
    %sum = memref.view %place[%c0][] : memref<4xi8> to memref<1xf32>
    %read = scf.for %j = %c0 to %c64 step %c32 iter_args(%s = %zeros) -> (vector<32xf32>) {
      %v = vector.load %x[%i, %j] : memref<8x80xf32>, vector<32xf32>
      memref.prefetch %x[%i, %j], read, locality<2>, data : memref<8x80xf32>
      %e = math.exp %v : vector<32xf32>
      vector.store %e, %row[%c0, %j] : memref<1x80xf32>, vector<32xf32>
      %t = arith.addf %s, %e : vector<32xf32>
      scf.yield %t : vector<32xf32>
    }
    %total = vector.reduction <add>, %read : vector<32xf32> into f32
    memref.store %total, %sum[%c0] : memref<1xf32>
    %out = memref.subview %y[%i, 0] [1, 80] [1, 1] : memref<8x80xf32> to memref<1x80xf32, strided<[80, 1], offset: ?>>
    scf.if %aligned {
      scf.for %j = %c0 to %c80 step %c16 {
        %v = vector.load %row[%c0, %j] : memref<1x80xf32>, vector<16xf32>
        %f = memref.load %sum[%c0] : memref<1xf32>
        memref.prefetch %x[%i, %j], read, locality<2>, data : memref<8x80xf32>
        %b = vector.broadcast %f : f32 to vector<16xf32>
        %m = arith.mulf %v, %b : vector<16xf32>
        vector.store %m, %out[%c0, %j] {alignment = 64 : i64, nontemporal = true} : memref<1x80xf32, strided<[80, 1], offset: ?>>, vector<16xf32>
      }
    } else {
      scf.for %j = %c0 to %c80 step %c16 {
        %v = vector.load %row[%c0, %j] : memref<1x80xf32>, vector<16xf32>
        %f = memref.load %sum[%c0] : memref<1xf32>
        %b = vector.broadcast %f : f32 to vector<16xf32>
        %m = arith.mulf %v, %b : vector<16xf32>
        vector.store %m, %out[%c0, %j] : memref<1x80xf32, strided<[80, 1], offset: ?>>, vector<16xf32>
      }
    }
  }
  return
}

// -----

// Not where a check may leave the loop: the row before it would be missing.

// CHECK-LABEL: func.func private @checked$parallel0(
// CHECK-NOT: iter_args(%{{.*}}) -> (index)
// CHECK: return
func.func @checked(%y: memref<8x64xf32>, %aligned: i1, %good: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %bytes = memref.alloca() {alignment = 64 : i64} : memref<256xi8>
    %row = memref.view %bytes[%c0][] : memref<256xi8> to memref<64xf32>
    %read = scf.for %j = %c0 to %c64 step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      vector.store %s, %row[%j] : memref<64xf32>, vector<16xf32>
      %t = arith.addf %s, %s : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    aikernel.check %good, 22, "not good"
    scf.if %aligned {
      scf.for %j = %c0 to %c64 step %c16 {
        %v = vector.load %row[%j] : memref<64xf32>, vector<16xf32>
        vector.store %v, %y[%i, %j] {alignment = 64 : i64, nontemporal = true} : memref<8x64xf32>, vector<16xf32>
      }
    } else {
      scf.for %j = %c0 to %c64 step %c16 {
        %v = vector.load %row[%j] : memref<64xf32>, vector<16xf32>
        vector.store %v, %y[%i, %j] : memref<8x64xf32>, vector<16xf32>
      }
    }
  }
  return
}

// -----

// Rows that would take more of the stack twice than is near stay as they are.

// CHECK-LABEL: func.func private @long$parallel0(
// CHECK: memref.alloca() {{.*}} : memref<81920xi8>
// CHECK-NOT: iter_args(%{{.*}}) -> (index)
// CHECK: return
func.func @long(%y: memref<8x20480xf32>, %aligned: i1) attributes {aikernel.entry = "run"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %end = arith.constant 20480 : index
  %zeros = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%i) in (8) {
    %bytes = memref.alloca() {alignment = 64 : i64} : memref<81920xi8>
    %row = memref.view %bytes[%c0][] : memref<81920xi8> to memref<20480xf32>
    %read = scf.for %j = %c0 to %end step %c16 iter_args(%s = %zeros) -> (vector<16xf32>) {
      vector.store %s, %row[%j] : memref<20480xf32>, vector<16xf32>
      %t = arith.addf %s, %s : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.if %aligned {
      scf.for %j = %c0 to %end step %c16 {
        %v = vector.load %row[%j] : memref<20480xf32>, vector<16xf32>
        vector.store %v, %y[%i, %j] {alignment = 64 : i64, nontemporal = true} : memref<8x20480xf32>, vector<16xf32>
      }
    } else {
      scf.for %j = %c0 to %end step %c16 {
        %v = vector.load %row[%j] : memref<20480xf32>, vector<16xf32>
        vector.store %v, %y[%i, %j] : memref<8x20480xf32>, vector<16xf32>
      }
    }
  }
  return
}
