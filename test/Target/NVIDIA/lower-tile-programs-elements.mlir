// An instruction sums 32 bytes of the depth, whatever is in them. Integers have no
// signs to turn, and only 16-bit operands may be transposed.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))' | FileCheck %s

gpu.module @device {
  // A step's sums begin from nothing and are added to those before.
  // CHECK-LABEL: gpu.func @bytes
  // CHECK: setp.ne.b32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{[^;]*}}, $32, $33, adds, 1, 1;
  // CHECK-SAME: setp.ne.b32 adds, 1, 0; wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{[^;]*}}, $34, $35, adds, 1, 1;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{[^;]*}}, $36, $37, adds, 1, 1;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{[^;]*}}, $38, $39, adds, 1, 1; }", "{{(=&f,)+}}l,l,l,l,l,l,l,l"
  // CHECK: wgmma.wait_group
  // CHECK-COUNT-32: llvm.fadd
  // CHECK-NOT: llvm.fadd
  gpu.func @bytes(%A: memref<64x128xf8E4M3FN>, %B: memref<64x128xf8E5M2>) kernel {
    %a = aik_tile.tensor_map %A : memref<64x128xf8E4M3FN> -> !aik_tile.map<64x128xf8E4M3FN>
    %b = aik_tile.tensor_map %B : memref<64x128xf8E5M2> -> !aik_tile.map<64x128xf8E5M2>
    %c0 = arith.constant 0 : i32
    aik_tile.program cluster 1 {
      %ring = aik_tile.make_ring : !aik_tile.ring<2, <64x128xf8E4M3FN>, <64x128xf8E5M2>>
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.fill %ring {
          aik_tile.load %a[%c0, %c0] tile 0 : !aik_tile.map<64x128xf8E4M3FN>
          aik_tile.load %b[%c0, %c0] tile 1 : !aik_tile.map<64x128xf8E5M2>
        } : !aik_tile.ring<2, <64x128xf8E4M3FN>, <64x128xf8E5M2>>
      }
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x64xf32>
        %none = aik_tile.zero : !aik_tile.frag<64x64xf32>
        %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <64x128xf8E4M3FN>, <64x128xf8E5M2>> -> !aik_tile.stage<<64x128xf8E4M3FN>, <64x128xf8E5M2>>
        %x = aik_tile.operand %stage tile 0 : !aik_tile.stage<<64x128xf8E4M3FN>, <64x128xf8E5M2>> -> !aik_tile.shared<64x128xf8E4M3FN>
        %y = aik_tile.operand %stage tile 1 : !aik_tile.stage<<64x128xf8E4M3FN>, <64x128xf8E5M2>> -> !aik_tile.shared<64x128xf8E5M2>
        %d = aik_tile.multiply %x, %y, %none : (!aik_tile.shared<64x128xf8E4M3FN>, !aik_tile.shared<64x128xf8E5M2>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
        %w = aik_tile.wait %d : (!aik_tile.frag<64x64xf32, pending>) -> !aik_tile.frag<64x64xf32>
        %s = aik_tile.add %zero, %w : !aik_tile.frag<64x64xf32>
        aik_tile.release %stage : !aik_tile.stage<<64x128xf8E4M3FN>, <64x128xf8E5M2>>
      }
    }
    gpu.return
  }

  // Sums of integers, and a scale for all of them.
  // CHECK-LABEL: gpu.func @integers
  // CHECK-COUNT-4: m64n64k32.s32.s8.s8 {{[^;]*}}, adds;
  // CHECK-SAME: }", "{{(=&r,)+}}l,l,l,l,l,l,l,l"
  // CHECK: wgmma.wait_group.sync.aligned 0;", "{{(=&r,)+}}0,1,
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<2xf32>
  // CHECK: arith.sitofp %{{.*}} : vector<2xi32> to vector<2xf32>
  gpu.func @integers(%A: memref<64x128xi8>, %S: memref<1xf32>, %C: memref<64x64xf32>) kernel {
    %a = aik_tile.tensor_map %A : memref<64x128xi8> -> !aik_tile.map<64x128xi8>
    %c = aik_tile.tensor_map %C : memref<64x64xf32> -> !aik_tile.map<16x32xf32>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    aik_tile.program cluster 1 {
      %ring = aik_tile.make_ring : !aik_tile.ring<2, <64x128xi8>>
      %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 2>
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.fill %ring {
          aik_tile.load %a[%c0, %c0] tile 0 : !aik_tile.map<64x128xi8>
        } : !aik_tile.ring<2, <64x128xi8>>
      }
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %none = aik_tile.zero : !aik_tile.frag<64x64xi32>
        %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <64x128xi8>> -> !aik_tile.stage<<64x128xi8>>
        %x = aik_tile.operand %stage tile 0 : !aik_tile.stage<<64x128xi8>> -> !aik_tile.shared<64x128xi8>
        %d = aik_tile.multiply %x, %x, %none : (!aik_tile.shared<64x128xi8>, !aik_tile.shared<64x128xi8>, !aik_tile.frag<64x64xi32>) -> !aik_tile.frag<64x64xi32, pending>
        %w = aik_tile.wait %d : (!aik_tile.frag<64x64xi32, pending>) -> !aik_tile.frag<64x64xi32>
        aik_tile.release %stage : !aik_tile.stage<<64x128xi8>>
        %f = aik_tile.map %w at (%c0, %c0) within (%c64, %c64) extras(%S : memref<1xf32>) {
        ^bb0(%sum: i32, %scale: f32):
          %0 = arith.sitofp %sum : i32 to f32
          %1 = arith.mulf %0, %scale : f32
          aik_tile.yield %1 : f32
        } {extra_maps = [affine_map<(i, j) -> (0)>]} : !aik_tile.frag<64x64xi32> -> !aik_tile.frag<64x64xf32>
        aik_tile.store %f, %c[%c0, %c0] via %boxes : !aik_tile.frag<64x64xf32>, !aik_tile.map<16x32xf32>, !aik_tile.boxes<4 x 2>
      }
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @upperbits
  // CHECK-COUNT-4: m64n64k8.f32.tf32.tf32 {{[^;]*}}, adds, 1, 1;
  // CHECK-NOT: tf32
  gpu.func @upperbits(%A: memref<64x32xf32>) kernel {
    %a = aik_tile.tensor_map %A : memref<64x32xf32> -> !aik_tile.map<64x32xf32>
    %c0 = arith.constant 0 : i32
    aik_tile.program cluster 1 {
      %ring = aik_tile.make_ring : !aik_tile.ring<2, <64x32xf32>>
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.fill %ring {
          aik_tile.load %a[%c0, %c0] tile 0 : !aik_tile.map<64x32xf32>
        } : !aik_tile.ring<2, <64x32xf32>>
      }
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %none = aik_tile.zero : !aik_tile.frag<64x64xf32>
        %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <64x32xf32>> -> !aik_tile.stage<<64x32xf32>>
        %x = aik_tile.operand %stage tile 0 : !aik_tile.stage<<64x32xf32>> -> !aik_tile.shared<64x32xf32>
        %d = aik_tile.multiply %x, %x, %none : (!aik_tile.shared<64x32xf32>, !aik_tile.shared<64x32xf32>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
        %w = aik_tile.wait %d : (!aik_tile.frag<64x64xf32, pending>) -> !aik_tile.frag<64x64xf32>
        aik_tile.release %stage : !aik_tile.stage<<64x32xf32>>
      }
    }
    gpu.return
  }

  // Sixteen bytes of a thread, at the place that the swizzle gives them; the halves
  // of a word are 128 and a code. Each warp gives the stage back, where what it has
  // loaded says: of the words of all loads n * n + n is even, and the arrival waits.
  // CHECK-LABEL: gpu.func @held
  // CHECK: %[[FOUR:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: llvm.mlir.constant(dense<1.360000e+02> : vector<2xbf16>) : vector<2xbf16>
  // CHECK: %[[CODES:.*]] = vector.extract %[[FOUR]][0]
  // CHECK-COUNT-16: llvm.fsub %{{.*}}, %{{.*}} : vector<2xbf16>
  // CHECK-NOT: llvm.fsub
  // CHECK: %[[LOW:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  // CHECK: %[[HIGH:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  // CHECK: %[[SOME:.*]] = llvm.or %[[CODES]], %[[LOW]]
  // CHECK: %[[ALL:.*]] = llvm.or %[[SOME]], %[[HIGH]]
  // CHECK: nvvm.bar.warp.sync
  // CHECK: llvm.inline_asm has_side_effects{{.*}}mad.lo.u32 t, $2, $2, $2; and.b32 t, t, 1; add.u32 t, t, $0; {{.*}}mbarrier.arrive.shared::cta.b64 _, [t]; }", "r,r,r,~{memory}" %{{.*}}, %{{.*}}, %[[ALL]] :
  // CHECK-COUNT-4: m64n16k16.f32.bf16.bf16
  // CHECK: wgmma.wait_group
  // CHECK-COUNT-8: llvm.intr.fma
  // CHECK-COUNT-4: movmatrix.sync.aligned.m8n8.trans.b16
  // CHECK-NOT: movmatrix
  // CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
  gpu.func @held(%W: memref<32x128xi8>, %S: memref<2x32xf32>, %X: memref<16x64xbf16>, %y: memref<?x64xbf16>, %n: i32) kernel {
    %w = aik_tile.tensor_map %W : memref<32x128xi8> -> !aik_tile.map<32x128xi8>
    %s = aik_tile.tensor_map %S : memref<2x32xf32> -> !aik_tile.map<2x32xf32>
    %x = aik_tile.tensor_map %X : memref<16x64xbf16> -> !aik_tile.map<16x64xbf16>
    %c0 = arith.constant 0 : i32
    aik_tile.program cluster 1 {
      %weights = aik_tile.make_ring : !aik_tile.ring<2, <32x128xi8>, <2x32xf32>>
      %rows = aik_tile.make_ring : !aik_tile.ring<2, <16x64xbf16>>
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        aik_tile.fill %weights {
          aik_tile.load %w[%c0, %c0] tile 0 : !aik_tile.map<32x128xi8>
          aik_tile.load %s[%c0, %c0] tile 1 : !aik_tile.map<2x32xf32>
        } : !aik_tile.ring<2, <32x128xi8>, <2x32xf32>>
        aik_tile.fill %rows {
          aik_tile.load %x[%c0, %c0] tile 0 : !aik_tile.map<16x64xbf16>
        } : !aik_tile.ring<2, <16x64xbf16>>
      }
      aik_tile.role warpgroups 1 registers 232 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %none = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %stage = aik_tile.acquire %weights : !aik_tile.ring<2, <32x128xi8>, <2x32xf32>> -> !aik_tile.stage<<32x128xi8>, <2x32xf32>>
        %a = aik_tile.unpack %stage tile 0 half 0 : !aik_tile.stage<<32x128xi8>, <2x32xf32>> -> !aik_tile.frag<64x64xbf16>
        %r = aik_tile.read_rows %stage tile 1 : !aik_tile.stage<<32x128xi8>, <2x32xf32>>
        aik_tile.release %stage : !aik_tile.stage<<32x128xi8>, <2x32xf32>>
        %of = aik_tile.acquire %rows : !aik_tile.ring<2, <16x64xbf16>> -> !aik_tile.stage<<16x64xbf16>>
        %by = aik_tile.operand %of tile 0 : !aik_tile.stage<<16x64xbf16>> -> !aik_tile.shared<16x64xbf16>
        %d = aik_tile.multiply %a, %by, %none : (!aik_tile.frag<64x64xbf16>, !aik_tile.shared<16x64xbf16>, !aik_tile.frag<64x16xf32>) -> !aik_tile.frag<64x16xf32, pending>
        %v = aik_tile.wait %d : (!aik_tile.frag<64x16xf32, pending>) -> !aik_tile.frag<64x16xf32>
        aik_tile.release %of : !aik_tile.stage<<16x64xbf16>>
        %t = aik_tile.add_scaled %zero, %v by %r : !aik_tile.frag<64x16xf32>
        aik_tile.write_transposed %t, %y[%c0, %c0] within %n : !aik_tile.frag<64x16xf32>, memref<?x64xbf16>
      }
    }
    gpu.return
  }

  // The first of two warpgroups is let in by the second, and takes the last turn
  // that is passed on.
  // CHECK-LABEL: gpu.func @turns
  // CHECK: %[[EIGHT:.*]] = {{.*}}constant(8 : i32)
  // CHECK: bar.arrive $0, $1;
  // CHECK: scf.for
  // CHECK: bar.sync $0, $1;
  // CHECK: bar.arrive $0, $1;
  // CHECK: scf.if
  // CHECK: bar.sync $0, $1;
  gpu.func @turns() kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c9 = arith.constant 9 : i32
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 2 registers 232 {
      ^bb0(%group: i32):
        scf.for %i = %c0 to %c9 step %c1 : i32 {
          aik_tile.take_turn
          aik_tile.pass_turn
        }
      }
    }
    gpu.return
  }
}
