// A product written by hand: roles, barriers, copies, matrix instructions.
// RUN: aik-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))' | FileCheck %s

// CHECK: llvm.mlir.global external @aik_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: gpu.func @gemm
// CHECK-SAME: aikernel.hot
// CHECK-SAME: aikernel.resident
// CHECK-SAME: aikernel.shared_bytes = 213040 : i32
// CHECK-SAME: aikernel.tensor_maps = [{argument = 0 : i32, box = array<i32: 64, 128>, promotion = 256 : i32, swizzle = 128 : i32}, {argument = 1 : i32, box = array<i32: 64, 128>{{.*}}}, {argument = 2 : i32, box = array<i32: 64, 16>{{.*}}}]
// CHECK-SAME: known_block_size = array<i32: 384, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 384, 1, 1>

// What descriptors hold of an address.
// CHECK: llvm.mlir.constant(262143 : i32)

// A full barrier has one arrival, an empty one those of two warpgroups of two blocks.
// CHECK: nvvm.prefetch tensormap
// CHECK-COUNT-6: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-NOT: nvvm.cluster

// The first role: barriers of the other block are there, as it loads for it; one thread waits
// for an empty stage and says what is coming.
// CHECK: scf.if
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: llvm.mlir.constant(49152 : i32)
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[{{.*}}] :
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask
// It leaves when all stages are empty.
// CHECK-COUNT-3: nvvm.mbarrier.try_wait

// The second role.
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: nvvm.mapa
// CHECK: scf.for
// CHECK: llvm.mlir.zero : !llvm.struct<(f32
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: "{ .reg .pred adds; setp.ne.b32 adds, 1, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{[^;]*}}, $256, $257, adds, 1, 1, 0, 0; wgmma
// CHECK-SAME: , $258, $259, adds, 1, 1, 0, 0; wgmma
// CHECK-SAME: , $260, $261, adds, 1, 1, 0, 0; wgmma
// CHECK-SAME: , $262, $263, adds, 1, 1, 0, 0; }", "{{(=&f,)+}}0,1,2,{{[0-9,]*}}l,l,l,l,l,l,l,l"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=&f,{{.*}},126,127"
// CHECK: nvvm.mbarrier.arrive %{{.*}} : !llvm.ptr<7>
// CHECK-COUNT-64: nvvm.convert.f32x2.to.bf16x2
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-16: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: aik_tile
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

// -----

// The left operand in registers, the right one with contiguous rows; the sums are
// stored as they are. Values of other types, and scalars from outside, are for
// both elements of a pair.
!ring = !aik_tile.ring<2, <64x64xf16>, <128x64xf16, row_major>>
!stage = !aik_tile.stage<<64x64xf16>, <128x64xf16, row_major>>
// CHECK-LABEL: gpu.func @held
// Who has made the barriers loads at once; others wait for them.
// CHECK-NOT: nvvm.barrier0
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-NEXT: "bar.arrive 1, $0;", "n,~{memory}" %[[ALL]]
// Two boxes of 64 columns.
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: "bar.sync 1, $0;", "n,~{memory}" %{{.*}}
// CHECK-NOT: nvvm.mapa
// CHECK: vector.broadcast %{{.*}} : f32 to vector<2xf32>
// CHECK: nvvm.convert.f32x2.to.f16x2
// Nothing was added before: the first product begins the sums.
// CHECK: setp.ne.b32 adds, 0, 0; {{[^;]*}}m64n128k16.f32.f16.f16 {{[^;]*}}, {$64, $65, $66, $67}, $68, adds, 1, 1, 1;
// CHECK-COUNT-3: setp.ne.b32 adds, 1, 0; {{[^;]*}}m64n128k16.f32.f16.f16 {{[^;]*}}, {$128, $129, $130, $131}, $132, adds, 1, 1, 1; }"
// CHECK: @p mbarrier.arrive.shared::cta.b64 _, [$0]; }
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
gpu.module @device {
  gpu.func @held(%A: memref<64x64xf16>, %B: memref<64x128xf16>, %C: memref<64x128xf32>, %factor: f32) kernel {
    %a = aik_tile.tensor_map %A : memref<64x64xf16> -> !aik_tile.map<64x64xf16>
    %b = aik_tile.tensor_map %B : memref<64x128xf16> -> !aik_tile.map<64x64xf16>
    %c = aik_tile.tensor_map %C : memref<64x128xf32> -> !aik_tile.map<16x32xf32>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    aik_tile.program cluster 1 {
      %ring = aik_tile.make_ring : !ring
      %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 2>
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.fill %ring {
          aik_tile.load %a[%c0, %c0] tile 0 : !aik_tile.map<64x64xf16>
          aik_tile.load %b[%c0, %c0] tile 1 : !aik_tile.map<64x64xf16>
        } : !ring
      }
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x128xf32>
        %some = aik_tile.zero : !aik_tile.frag<64x64xf32>
        %held = aik_tile.map %some at (%c0, %c0) within (%c64, %c64) {
        ^bb0(%x: f32):
          %y = arith.mulf %x, %factor : f32
          %z = arith.truncf %y : f32 to f16
          aik_tile.yield %z : f16
        } {extra_maps = []} : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xf16>
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %by = aik_tile.operand %stage tile 1 : !stage -> !aik_tile.shared<128x64xf16, row_major>
        %d = aik_tile.multiply %held, %by, %zero : (!aik_tile.frag<64x64xf16>, !aik_tile.shared<128x64xf16, row_major>, !aik_tile.frag<64x128xf32>) -> !aik_tile.frag<64x128xf32, pending>
        %w = aik_tile.wait %d : (!aik_tile.frag<64x128xf32, pending>) -> !aik_tile.frag<64x128xf32>
        aik_tile.release %stage : !stage
        aik_tile.store %w, %c[%c0, %c0] via %boxes : !aik_tile.frag<64x128xf32>, !aik_tile.map<16x32xf32>, !aik_tile.boxes<4 x 2>
      }
    }
    gpu.return
  }
}

// -----

// Extras: of columns once for both rows of a thread, of rows once for all columns,
// of both for each pair. Rows and columns outside are read at the edge. For a narrow
// result quotients and exponentials are approximate, and arithmetic of narrow types
// is done in f32.
// CHECK-LABEL: gpu.func @extras
// CHECK-SAME: memref<64x65xbf16>, %[[N:.*]]: i32) kernel
// CHECK: %[[LASTROW:.*]] = llvm.sub %[[N]],
// CHECK: llvm.intr.umin(%{{.*}}, %[[LASTROW]])
// CHECK: llvm.intr.umin(%{{.*}}, %[[LASTROW]])
// CHECK: memref.extract_aligned_pointer_as_index
// Both rows have the same of the columns' extra.
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: alignment = 8
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK: vector.broadcast %{{.*}} : bf16 to vector<2xbf16>
// CHECK: vector.broadcast %{{.*}} : bf16 to vector<2xbf16>
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
// Every row of 65 elements begins somewhere else.
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK: vector.from_elements
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: math.exp2 %{{.*}} fastmath<afn> {aikernel.in_range} : vector<2xf32>
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : vector<2xf32>
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: nvvm.convert.f32x2.to.bf16x2
// The next columns need no more of the rows' extra.
// CHECK: alignment = 8
// CHECK-NOT: vector.broadcast
gpu.module @device {
  gpu.func @extras(%b: memref<64xf32>, %s: memref<64xbf16>, %r: memref<64x64xbf16>, %o: memref<64x65xbf16>, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x64xf32>
        %m = aik_tile.map %zero at (%c0, %c0) within (%n, %n) extras(%b, %s, %r, %o : memref<64xf32>, memref<64xbf16>, memref<64x64xbf16>, memref<64x65xbf16>) {
        ^bb0(%x: f32, %p: f32, %q: bf16, %t: bf16, %u: bf16):
          %0 = math.exp %x : f32
          %1 = arith.divf %0, %p : f32
          %2 = arith.truncf %1 : f32 to bf16
          %3 = arith.addf %2, %q : bf16
          %4 = arith.addf %t, %u : bf16
          %5 = arith.addf %3, %4 : bf16
          aik_tile.yield %5 : bf16
        } {extra_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]} : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      }
    }
    gpu.return
  }
}

// -----

// Boxes are written when the sums are there, and sent while the next products run: a
// fence, then one thread, if there was a store before. What is left is sent at the end.
// A column's number is read once for both rows of a thread.
// CHECK-LABEL: gpu.func @later
// CHECK: %[[COLUMN:.*]] = llvm.alloca
// CHECK: %[[ROW:.*]] = llvm.alloca
// CHECK: %[[THERE:.*]] = llvm.alloca
// CHECK: llvm.store %{{.*}}, %[[COLUMN]]
// CHECK: llvm.store %{{.*}}, %[[ROW]]
// CHECK: llvm.store %{{.*}}, %[[THERE]]
// CHECK: scf.for
// CHECK: %[[C:.*]] = llvm.load %[[COLUMN]]
// CHECK: %[[R:.*]] = llvm.load %[[ROW]]
// CHECK: %[[T:.*]] = llvm.load %[[THERE]]
// CHECK: %[[IS:.*]] = llvm.icmp "eq" %[[T]], %{{.*}}
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[LEADS:.*]] = llvm.and %{{.*}}, %[[IS]]
// CHECK: scf.if %[[LEADS]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%{{.*}}, %[[R]]]
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: %[[NO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.store %[[NO]], %[[THERE]]
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xbf16>
// CHECK-NOT: alignment = 4
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: llvm.store %{{.*}}, %[[COLUMN]]
// CHECK: llvm.store %{{.*}}, %[[ROW]]
// CHECK: llvm.store %{{.*}}, %[[THERE]]
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0
gpu.module @device {
  gpu.func @later(%y: memref<512x384xbf16>, %b: memref<384xbf16>, %n: i32) kernel {
    %map = aik_tile.tensor_map %y : memref<512x384xbf16> -> !aik_tile.map<16x64xbf16>
    aik_tile.program cluster 1 {
      %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        aik_tile.for_tiles in (%n, %n) group 8 {
        ^bb0(%i: i32, %j: i32, %turn: i32):
          aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
          %bias = aik_tile.read %b at (%i, %j) within (%n, %n) by affine_map<(i, j) -> (j)> : memref<384xbf16> -> !aik_tile.frag<64x64xbf16>
          %sums = aik_tile.zero : !aik_tile.frag<64x64xf32>
          %f = aik_tile.map %sums at (%i, %j) within (%n, %n) extras(%bias : !aik_tile.frag<64x64xbf16>) {
          ^bb0(%x: f32, %each: bf16):
            aik_tile.yield %each : bf16
          } {extra_maps = [affine_map<(i, j) -> (i, j)>]} : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
          aik_tile.store %f, %map[%j, %i] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
        }
      }
    }
    gpu.return
  }
}

// -----

// What is kept is copied where LLVM cannot move it, and goes to the next tile with the number of
// the turn. Columns are registers in their order.
// CHECK-LABEL: gpu.func @kept
// CHECK: %[[NONE:.*]] = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[NONE]]) -> (i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>)
// CHECK: %[[SUMS:.*]] = llvm.mlir.zero : !llvm.struct<(f32, {{.*}})>
// CHECK: %[[FIRST:.*]] = llvm.extractvalue %[[SUMS]][8]
// CHECK-COUNT-8: llvm.inline_asm has_side_effects asm_dialect = att "mov.b32 $0, $1;", "=f,f" %{{.*}} : (f32) -> f32
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
gpu.module @device {
  gpu.func @kept(%n: i32) kernel {
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %none = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %last = aik_tile.for_tiles in (%n, %n) group 8 carrying (%none : !aik_tile.frag<64x16xf32>) -> !aik_tile.frag<64x16xf32> {
        ^bb0(%i: i32, %j: i32, %turn: i32, %before: !aik_tile.frag<64x16xf32>):
          %sums = aik_tile.zero : !aik_tile.frag<64x32xf32>
          %right = aik_tile.columns %sums from 16 : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x16xf32>
          %kept = aik_tile.keep %right : !aik_tile.frag<64x16xf32>
          aik_tile.yield %kept : !aik_tile.frag<64x16xf32>
        }
      }
    }
    gpu.return
  }
}

// -----

// Of stores of parts of a box the first waits for it and the last sends it. Sixteen columns are
// two chunks of a line, which are elsewhere in each row.
// CHECK-LABEL: gpu.func @parts
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: nvvm.stmatrix
// CHECK-NOT: nvvm.fence.proxy
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-NEXT: %[[HALF:.*]] = llvm.lshr %{{.*}}, %[[FOUR]] : i32
// CHECK-NEXT: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: %[[CHUNK:.*]] = llvm.add %[[HALF]], %[[TWO]]
// CHECK: llvm.xor %[[CHUNK]]
// CHECK-COUNT-3: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT: nvvm.stmatrix
gpu.module @device {
  gpu.func @parts(%y: memref<512x256xbf16>, %n: i32) kernel {
    %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
    aik_tile.program cluster 1 {
      %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %f = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %g = aik_tile.zero : !aik_tile.frag<64x48xf32>
        %r = aik_tile.round %f : !aik_tile.frag<64x16xf32> -> !aik_tile.frag<64x16xbf16>
        %q = aik_tile.round %g : !aik_tile.frag<64x48xf32> -> !aik_tile.frag<64x48xbf16>
        aik_tile.store %r, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x16xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
        aik_tile.store %q, %map[%n, %n] via %boxes at 16 : !aik_tile.frag<64x48xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
    }
    gpu.return
  }
}

// -----

// After a part of a box the first box of four in two is free when nothing is under way. Of f32,
// sixteen columns are four chunks.
// CHECK-LABEL: gpu.func @others
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
gpu.module @device {
  gpu.func @others(%y: memref<512x256xf32>, %n: i32) kernel {
    %map = aik_tile.tensor_map %y : memref<512x256xf32> -> !aik_tile.map<16x32xf32>
    aik_tile.program cluster 1 {
      %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 2>
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %f = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %g = aik_tile.zero : !aik_tile.frag<64x128xf32>
        aik_tile.store %f, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x16xf32>, !aik_tile.map<16x32xf32>, !aik_tile.boxes<4 x 2>
        aik_tile.store %f, %map[%n, %n] via %boxes at 16 : !aik_tile.frag<64x16xf32>, !aik_tile.map<16x32xf32>, !aik_tile.boxes<4 x 2>
        aik_tile.store %g, %map[%n, %n] via %boxes : !aik_tile.frag<64x128xf32>, !aik_tile.map<16x32xf32>, !aik_tile.boxes<4 x 2>
      }
    }
    gpu.return
  }
}
