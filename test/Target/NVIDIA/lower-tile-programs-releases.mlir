// When warps of a warpgroup meet before a stage is given back.
// RUN: aik-opt %s --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))' | FileCheck %s

!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!shared = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
gpu.module @device {
  // One thread of a role that fills a ring does it all: there is nobody to meet.
  // CHECK-LABEL: gpu.func @chain
  // CHECK: nvvm.setmaxregister decrease 32
  // CHECK: nvvm.setmaxregister decrease 40
  // CHECK-NOT: "bar.sync $0, $1;"
  // CHECK: nvvm.setmaxregister decrease 128
  // CHECK: "bar.sync $0, $1;"
  gpu.func @chain(%t: memref<64x64xbf16>, %n: i32) kernel {
    %m = aik_tile.tensor_map %t : memref<64x64xbf16> -> !map
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    aik_tile.program cluster 1 {
      %k = aik_tile.make_ring : !ring
      %s = aik_tile.make_ring : !ring
      aik_tile.role warpgroups 1 registers 32 {
      ^bb0(%g: i32):
        scf.for %i = %c0 to %n step %c1 : i32 {
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !ring
        }
      }
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%g: i32):
        scf.for %i = %c0 to %n step %c1 : i32 {
          %a = aik_tile.acquire %k : !ring -> !stage
          aik_tile.fill %s { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !ring
          aik_tile.release %a : !stage
        }
      }
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%g: i32):
        scf.for %i = %c0 to %n step %c1 : i32 {
          %a = aik_tile.acquire %s : !ring -> !stage
          aik_tile.release %a : !stage
        }
      }
    }
    gpu.return
  }

  // A product keeps warps together, but neither one before the stage was acquired nor
  // one that may not be started.
  // CHECK-LABEL: gpu.func @joined
  // CHECK: nvvm.setmaxregister decrease 128
  // CHECK: wgmma.wait_group.sync.aligned 0;
  // CHECK-NOT: "bar.sync $0, $1;"
  // CHECK: @p mbarrier.arrive
  // CHECK: "bar.sync $0, $1;"
  // CHECK: @p mbarrier.arrive
  // CHECK: wgmma.wait_group.sync.aligned 0;
  // CHECK: "bar.sync $0, $1;"
  // CHECK: @p mbarrier.arrive
  gpu.func @joined(%t: memref<64x64xbf16>, %n: i32, %is: i1) kernel {
    %m = aik_tile.tensor_map %t : memref<64x64xbf16> -> !map
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    aik_tile.program cluster 1 {
      %k = aik_tile.make_ring : !ring
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%g: i32):
        scf.for %i = %c0 to %n step %c1 : i32 {
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !ring
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !ring
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !ring
        }
      }
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%g: i32):
        %none = aik_tile.zero : !sums
        scf.for %i = %c0 to %n step %c1 : i32 {
          %a = aik_tile.acquire %k : !ring -> !stage
          %x = aik_tile.operand %a tile 0 : !stage -> !shared
          %d = aik_tile.multiply %x, %x, %none : (!shared, !shared, !sums) -> !pending
          %w = aik_tile.wait %d : (!pending) -> !sums
          aik_tile.release %a : !stage
          %b = aik_tile.acquire %k : !ring -> !stage
          aik_tile.release %b : !stage
          %c = aik_tile.acquire %k : !ring -> !stage
          scf.if %is {
            %y = aik_tile.operand %c tile 0 : !stage -> !shared
            %e = aik_tile.multiply %y, %y, %none : (!shared, !shared, !sums) -> !pending
            %v = aik_tile.wait %e : (!pending) -> !sums
          }
          aik_tile.release %c : !stage
        }
      }
    }
    gpu.return
  }
}
