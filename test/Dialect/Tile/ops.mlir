// A product of two matrices, both with contiguous depth: what passes write can
// be written by hand, printed and read again.
// RUN: aik-opt %s | aik-opt | FileCheck %s
// RUN: aik-opt %s --mlir-print-op-generic | aik-opt | FileCheck %s

// CHECK-LABEL: gpu.func @gemm
// CHECK: aik_tile.tensor_map %{{.*}} : memref<?x4096xbf16> -> <128x64xbf16>
// CHECK: aik_tile.program cluster 2 {
// CHECK: aik_tile.make_ring : <3, <128x64xbf16>, <256x64xbf16>>
// CHECK: aik_tile.make_boxes : <8 x 4>
// CHECK: aik_tile.role warpgroups 1 registers 40 {
// CHECK: aik_tile.for_tiles in(%{{.*}}, %{{.*}}) group 8 {
// CHECK: aik_tile.fill
// CHECK: aik_tile.load %{{.*}}[%{{.*}}, %{{.*}}] tile 0 : <128x64xbf16>
// CHECK: aik_tile.load %{{.*}}[%{{.*}}, %{{.*}}] tile 1 shared : <128x64xbf16>
// CHECK: aik_tile.role warpgroups 2 registers 232 {
// CHECK: aik_tile.acquire
// CHECK: aik_tile.operand %{{.*}} tile 0 part
// CHECK: aik_tile.multiply {{.*}} -> !aik_tile.frag<64x256xf32, pending>
// CHECK: aik_tile.wait
// CHECK: aik_tile.release
// CHECK: aik_tile.map %{{.*}} at(%{{.*}}, %{{.*}}) within(%{{.*}}, %{{.*}}) {
// CHECK: aik_tile.yield %{{.*}} : bf16
// CHECK: aik_tile.store
gpu.module @device {
  gpu.func @gemm(%A: memref<?x4096xbf16>, %B: memref<4096x4096xbf16>, %C: memref<?x4096xbf16>, %rows: i32, %columns: i32, %depth: i32) kernel {
    %mapA = aik_tile.tensor_map %A : memref<?x4096xbf16> -> !aik_tile.map<128x64xbf16>
    %mapB = aik_tile.tensor_map %B : memref<4096x4096xbf16> -> !aik_tile.map<128x64xbf16>
    %mapC = aik_tile.tensor_map %C : memref<?x4096xbf16> -> !aik_tile.map<16x64xbf16>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %c256 = arith.constant 256 : i32
    %tileRows = arith.ceildivui %rows, %c256 : i32
    %tileColumns = arith.ceildivui %columns, %c256 : i32
    %steps = arith.ceildivui %depth, %c64 : i32
    aik_tile.program cluster 2 {
      %ring = aik_tile.make_ring : !aik_tile.ring<3, <128x64xbf16>, <256x64xbf16>>
      %boxes = aik_tile.make_boxes : !aik_tile.boxes<8 x 4>
      %rank = aik_tile.block_rank
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.for_tiles in (%tileRows, %tileColumns) group 8 {
        ^bb0(%i: i32, %j: i32, %turn: i32):
          %two = arith.muli %i, %c256 : i32
          %own = arith.muli %rank, %c128 : i32
          %row = arith.addi %two, %own : i32
          %column = arith.muli %j, %c256 : i32
          scf.for %k = %c0 to %steps step %c1 : i32 {
            %at = arith.muli %k, %c64 : i32
            aik_tile.fill %ring {
              aik_tile.load %mapA[%at, %row] tile 0 : !aik_tile.map<128x64xbf16>
              aik_tile.load %mapB[%at, %column] tile 1 shared : !aik_tile.map<128x64xbf16>
            } : !aik_tile.ring<3, <128x64xbf16>, <256x64xbf16>>
          }
        }
      }
      aik_tile.role warpgroups 2 registers 232 {
      ^bb0(%group: i32):
        aik_tile.for_tiles in (%tileRows, %tileColumns) group 8 {
        ^bb0(%i: i32, %j: i32, %turn: i32):
          %zero = aik_tile.zero : !aik_tile.frag<64x256xf32>
          %sums = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!aik_tile.frag<64x256xf32>) : i32 {
            %stage = aik_tile.acquire %ring : !aik_tile.ring<3, <128x64xbf16>, <256x64xbf16>> -> !aik_tile.stage<<128x64xbf16>, <256x64xbf16>>
            %a = aik_tile.operand %stage tile 0 part %group : !aik_tile.stage<<128x64xbf16>, <256x64xbf16>> -> !aik_tile.shared<64x64xbf16>
            %b = aik_tile.operand %stage tile 1 : !aik_tile.stage<<128x64xbf16>, <256x64xbf16>> -> !aik_tile.shared<256x64xbf16>
            %d = aik_tile.multiply %a, %b, %acc : (!aik_tile.shared<64x64xbf16>, !aik_tile.shared<256x64xbf16>, !aik_tile.frag<64x256xf32>) -> !aik_tile.frag<64x256xf32, pending>
            %w = aik_tile.wait %d : (!aik_tile.frag<64x256xf32, pending>) -> !aik_tile.frag<64x256xf32>
            aik_tile.release %stage : !aik_tile.stage<<128x64xbf16>, <256x64xbf16>>
            scf.yield %w : !aik_tile.frag<64x256xf32>
          }
          %two = arith.muli %i, %c256 : i32
          %own = arith.muli %rank, %c128 : i32
          %top = arith.addi %two, %own : i32
          %part = arith.muli %group, %c64 : i32
          %row = arith.addi %top, %part : i32
          %column = arith.muli %j, %c256 : i32
          %rounded = aik_tile.map %sums at (%row, %column) within (%rows, %columns) {
          ^bb0(%x: f32):
            %y = arith.truncf %x : f32 to bf16
            aik_tile.yield %y : bf16
          } {extra_maps = []} : !aik_tile.frag<64x256xf32> -> !aik_tile.frag<64x256xbf16>
          aik_tile.store %rounded, %mapC[%column, %row] via %boxes : !aik_tile.frag<64x256xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<8 x 4>
        }
      }
    }
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @parts
// CHECK: %[[ROOM:.*]] = aik_tile.make_exchange : <1 x 4 x 32>
// CHECK: aik_tile.add_parts %{{.*}} via %[[ROOM]] : <64x128xf32>, <1 x 4 x 32> -> <64x32xf32>
gpu.module @clusters {
  gpu.func @parts() kernel {
    aik_tile.program cluster 4 {
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 4 x 32>
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x128xf32>
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x128xf32>, !aik_tile.exchange<1 x 4 x 32> -> !aik_tile.frag<64x32xf32>
      }
    }
    gpu.return
  }
}

// CHECK-LABEL: func.func @product
// CHECK: aik_tile.product %{{.*}}, %{{.*}} extras(%{{.*}} : tensor<384xbf16>) outs %{{.*}} attributes {
// CHECK-SAME: rhs_transposed
func.func @product(%x: tensor<?x256xbf16>, %w: tensor<384x256xbf16>, %b: tensor<384xbf16>, %d: tensor<?x384xf32>) -> tensor<?x384xf32> {
  %y = aik_tile.product %x, %w extras(%b : tensor<384xbf16>) outs %d attributes {
      extra_maps = [affine_map<(i, j) -> (j)>], rhs_transposed,
      schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>} {
  ^bb0(%sum: f32, %bias: bf16):
    %wide = arith.extf %bias : bf16 to f32
    %all = arith.addf %sum, %wide : f32
    aik_tile.yield %all : f32
  } : (tensor<?x256xbf16>, tensor<384x256xbf16>, tensor<?x384xf32>) -> tensor<?x384xf32>
  return %y : tensor<?x384xf32>
}

// Operands of a byte, of which floats may be mixed, and of f32; sums of a step are
// added to those before.
// CHECK-LABEL: func.func @elements
// CHECK: aik_tile.multiply {{.*}} : (!aik_tile.shared<64x128xf8E4M3FN>, !aik_tile.shared<64x128xf8E5M2>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
// CHECK: aik_tile.add %{{.*}}, %{{.*}} : <64x64xf32>
// CHECK: aik_tile.multiply {{.*}} : (!aik_tile.shared<64x128xi8>, !aik_tile.shared<64x128xi8>, !aik_tile.frag<64x64xi32>) -> !aik_tile.frag<64x64xi32, pending>
// CHECK: aik_tile.multiply {{.*}} : (!aik_tile.shared<64x32xf32>, !aik_tile.shared<64x32xf32>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
func.func @elements(%a: !aik_tile.shared<64x128xf8E4M3FN>, %b: !aik_tile.shared<64x128xf8E5M2>, %c: !aik_tile.shared<64x128xi8>, %d: !aik_tile.shared<64x32xf32>, %sums: !aik_tile.frag<64x64xf32>) {
  %none = aik_tile.zero : !aik_tile.frag<64x64xf32>
  %p = aik_tile.multiply %a, %b, %none : (!aik_tile.shared<64x128xf8E4M3FN>, !aik_tile.shared<64x128xf8E5M2>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
  %w = aik_tile.wait %p : (!aik_tile.frag<64x64xf32, pending>) -> !aik_tile.frag<64x64xf32>
  %s = aik_tile.add %sums, %w : !aik_tile.frag<64x64xf32>
  %zero = aik_tile.zero : !aik_tile.frag<64x64xi32>
  %q = aik_tile.multiply %c, %c, %zero : (!aik_tile.shared<64x128xi8>, !aik_tile.shared<64x128xi8>, !aik_tile.frag<64x64xi32>) -> !aik_tile.frag<64x64xi32, pending>
  %v = aik_tile.wait %q : (!aik_tile.frag<64x64xi32, pending>) -> !aik_tile.frag<64x64xi32>
  %r = aik_tile.multiply %d, %d, %s : (!aik_tile.shared<64x32xf32>, !aik_tile.shared<64x32xf32>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
  %u = aik_tile.wait %r : (!aik_tile.frag<64x64xf32, pending>) -> !aik_tile.frag<64x64xf32>
  return
}

// CHECK-LABEL: func.func @turns
// CHECK: aik_tile.take_turn
// CHECK: aik_tile.pass_turn
func.func @turns() {
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 2 registers 232 {
    ^bb0(%group: i32):
      aik_tile.take_turn
      aik_tile.pass_turn
    }
  }
  return
}

// Integers in registers, and sums with a scale for each row.
// CHECK-LABEL: func.func @held
// CHECK: aik_tile.unpack %{{.*}} tile 0 half 1 : <<32x128xi8>, <2x32xf32>> -> <64x64xbf16>
// CHECK: aik_tile.read_rows %{{.*}} tile 1 : <<32x128xi8>, <2x32xf32>>
// CHECK: aik_tile.add_scaled %{{.*}}, %{{.*}} by %{{.*}} : <64x16xf32>
// CHECK: aik_tile.write_transposed %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] within %{{.*}} : <64x16xf32>, memref<?x64xbf16>
func.func @held(%stage: !aik_tile.stage<<32x128xi8>, <2x32xf32>>, %sums: !aik_tile.frag<64x16xf32>, %y: memref<?x64xbf16>, %n: i32) {
  %a = aik_tile.unpack %stage tile 0 half 1 : !aik_tile.stage<<32x128xi8>, <2x32xf32>> -> !aik_tile.frag<64x64xbf16>
  %r = aik_tile.read_rows %stage tile 1 : !aik_tile.stage<<32x128xi8>, <2x32xf32>>
  %s = aik_tile.add_scaled %sums, %sums by %r : !aik_tile.frag<64x16xf32>
  aik_tile.write_transposed %s, %y[%n, %n] within %n : !aik_tile.frag<64x16xf32>, memref<?x64xbf16>
  return
}

// What is stored after the next products have begun, and read before the last ones end.
// CHECK-LABEL: func.func @ahead
// CHECK: aik_tile.send %[[BOXES:.*]] : <8 x 4>
// CHECK: %[[B:.*]] = aik_tile.read %{{.*}} at(%{{.*}}, %{{.*}}) within(%{{.*}}, %{{.*}}) by #{{.*}} : memref<384xbf16> -> <64x256xbf16>
// CHECK: aik_tile.map %{{.*}} extras(%[[B]] : !aik_tile.frag<64x256xbf16>)
// CHECK: aik_tile.store %{{.*}} via %[[BOXES]] deferred :
func.func @ahead(%y: memref<512x384xbf16>, %b: memref<384xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x384xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<8 x 4>
    aik_tile.role warpgroups 2 registers 232 {
    ^bb0(%group: i32):
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.send %boxes : !aik_tile.boxes<8 x 4>
        %bias = aik_tile.read %b at (%i, %j) within (%n, %n) by affine_map<(i, j) -> (j)> : memref<384xbf16> -> !aik_tile.frag<64x256xbf16>
        %sums = aik_tile.zero : !aik_tile.frag<64x256xf32>
        %f = aik_tile.map %sums at (%i, %j) within (%n, %n) extras(%bias : !aik_tile.frag<64x256xbf16>) {
        ^bb0(%x: f32, %each: bf16):
          aik_tile.yield %each : bf16
        } {extra_maps = [affine_map<(i, j) -> (i, j)>]} : !aik_tile.frag<64x256xf32> -> !aik_tile.frag<64x256xbf16>
        aik_tile.store %f, %map[%j, %i] via %boxes deferred : !aik_tile.frag<64x256xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<8 x 4>
      }
    }
  }
  return
}

// CHECK-LABEL: func @carried
// CHECK: %[[L:.*]]:2 = aik_tile.for_tiles in(%{{.*}}, %{{.*}}) group 8 carrying(%{{.*}}, %{{.*}} : !aik_tile.frag<64x64xf32>, i32) -> !aik_tile.frag<64x64xf32>, i32 {
// CHECK: ^bb0(%{{.*}}: i32, %[[J:.*]]: i32, %{{.*}}: i32, %{{.*}}: !aik_tile.frag<64x64xf32>, %{{.*}}: i32):
// CHECK: %[[P:.*]] = aik_tile.columns %{{.*}} from 64 : <64x128xf32> -> <64x64xf32>
// CHECK: %[[K:.*]] = aik_tile.keep %[[P]] : <64x64xf32>
// CHECK: aik_tile.yield %[[K]], %[[J]] : !aik_tile.frag<64x64xf32>, i32
func.func @carried(%n: i32) {
  %none = aik_tile.zero : !aik_tile.frag<64x64xf32>
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 2 registers 232 {
    ^bb0(%group: i32):
      %last:2 = aik_tile.for_tiles in (%n, %n) group 8 carrying (%none, %n : !aik_tile.frag<64x64xf32>, i32) -> !aik_tile.frag<64x64xf32>, i32 {
      ^bb0(%i: i32, %j: i32, %turn: i32, %before: !aik_tile.frag<64x64xf32>, %at: i32):
        %sums = aik_tile.zero : !aik_tile.frag<64x128xf32>
        %right = aik_tile.columns %sums from 64 : !aik_tile.frag<64x128xf32> -> !aik_tile.frag<64x64xf32>
        %kept = aik_tile.keep %right : !aik_tile.frag<64x64xf32>
        aik_tile.yield %kept, %j : !aik_tile.frag<64x64xf32>, i32
      }
    }
  }
  return
}

// CHECK-LABEL: func @parts_of_a_box
// CHECK: aik_tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] via %{{.*}} at 0 : <64x32xbf16>, <16x64xbf16>, <4 x 1>
// CHECK: aik_tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] via %{{.*}} at 32 : <64x32xbf16>, <16x64xbf16>, <4 x 1>
func.func @parts_of_a_box(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      aik_tile.store %r, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      aik_tile.store %r, %map[%n, %n] via %boxes at 32 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// CHECK-LABEL: func @carried_claims
// CHECK: %[[L:.*]] = aik_tile.claim_tiles of %{{.*}} by %{{.*}} for %{{.*}} carrying(%{{.*}} : i32) -> i32 {
// CHECK: ^bb0(%[[T:.*]]: i32, %{{.*}}: i32):
// CHECK: aik_tile.yield %[[T]] : i32
// CHECK: } : memref<1xi32>, <2 x 1>
// CHECK: aik_tile.posted_tiles %{{.*}} carrying(%{{.*}}, %{{.*}} : !aik_tile.rows, i32) -> !aik_tile.rows, i32 {
// CHECK: ^bb0(%[[T:.*]]: i32, %[[R:.*]]: !aik_tile.rows, %{{.*}}: i32):
// CHECK: aik_tile.yield %[[R]], %[[T]] : !aik_tile.rows, i32
func.func @carried_claims(%map: !aik_tile.map<64x64xbf16>, %n: i32, %counter: memref<1xi32>) {
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !aik_tile.ring<2, <64x64xbf16>>
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%group: i32):
      %last = aik_tile.claim_tiles of %n by %counter for %box carrying (%n : i32) -> i32 {
      ^bb0(%tile: i32, %before: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %map[%before, %before] tile 0 : !aik_tile.map<64x64xbf16> } : !aik_tile.ring<2, <64x64xbf16>>
        aik_tile.yield %tile : i32
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%group: i32):
      %none = aik_tile.fill_rows 0.0
      %end:2 = aik_tile.posted_tiles %box carrying (%none, %n : !aik_tile.rows, i32) -> !aik_tile.rows, i32 {
      ^bb0(%tile: i32, %rows: !aik_tile.rows, %before: i32):
        %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <64x64xbf16>> -> !aik_tile.stage<<64x64xbf16>>
        aik_tile.release %stage : !aik_tile.stage<<64x64xbf16>>
        aik_tile.yield %rows, %tile : !aik_tile.rows, i32
      } : !aik_tile.mailbox<2 x 1>
    }
  }
  return
}
