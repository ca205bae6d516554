// What would hang, race or not fit is not a program.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

// All well.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// One side goes on when the other has stopped.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{runs not as often as the stage is acquired}}
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        // expected-note @+1 {{acquired here}}
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// Fewer bytes than are waited for.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{loads tile 1 0 times: the stage would never be full, or before its time}}
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// More than that.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{loads tile 1 2 times}}
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          // expected-error @+1 {{there is no tile 2}}
          aik_tile.load %a[%k, %c0] tile 2 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// A part of the tile for each block of the cluster.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 2 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          // expected-error @+1 {{brings boxes of 64x64 of 'bf16' into a tile that needs 32x64 of 'bf16'}}
          aik_tile.load %a[%k, %c0] tile 1 shared : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// Nobody gives the stage back.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        // expected-error @+1 {{is released 0 times: the ring would stand still, or be filled while it is read}}
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// The stage is given back too early.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        // expected-note @+1 {{nobody waits for this one before}}
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        // expected-error @+1 {{gives back what a product still reads}}
        aik_tile.release %stage : !stage
        %w = aik_tile.wait %d : (!pending) -> !sums
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// Accumulators that are still written.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        // expected-error @+1 {{reads a fragment that is still pending}}
        %early = aik_tile.map %d at (%c0, %c0) within (%n, %n) {
        ^bb0(%e: f32):
          aik_tile.yield %e : f32
        } {extra_maps = []} : !pending -> !sums
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        // expected-error @+1 {{gives the accumulator, pending}}
        %w = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// More registers than a block has.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{takes 94208 registers, a block has 65536}}
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 3 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    // expected-error @+1 {{takes 24 to 256 registers, a multiple of 8, but has 20}}
    aik_tile.role warpgroups 1 registers 20 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    // expected-error @+1 {{fills rings, which one thread does, but has 2 warpgroups}}
    aik_tile.role warpgroups 2 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{has clusters of 1, 2, 4 or 8 blocks but has 3}}
  aik_tile.program cluster 3 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// More shared memory than a block has.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{takes 253984 bytes of shared memory, a block has 232448}}
  aik_tile.program cluster 1 {
    %big = aik_tile.make_boxes : !aik_tile.boxes<4 x 27>
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        aik_tile.fill %ring {
          aik_tile.load %a[%k, %c0] tile 0 : !map
          aik_tile.load %a[%k, %c0] tile 1 : !map
        } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %x = aik_tile.operand %stage tile 0 : !stage -> !operand
        %y = aik_tile.operand %stage tile 1 : !stage -> !operand
        %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
        %w = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// A ring that nobody fills.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f() {
  aik_tile.program cluster 1 {
    // expected-error @+1 {{is filled by 0 roles and read by 1, expected one each}}
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      %stage = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %stage : !stage
    }
  }
  return
}

// -----

// A role that waits for itself.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %k: i32) {
  aik_tile.program cluster 1 {
    // expected-error @+1 {{is filled by the role that reads it: it would wait for itself}}
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %ring {
        aik_tile.load %a[%k, %k] tile 0 : !map
        aik_tile.load %a[%k, %k] tile 1 : !map
      } : !ring
      %stage = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %stage : !stage
    }
  }
  return
}

// -----

// Boxes are of the warps that store.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%c: !aik_tile.map<16x32xf32>, %k: i32) {
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<8 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      %zero = aik_tile.zero : !sums
      // expected-error @+1 {{stores through boxes of 8 warps, which are not those of its role}}
      aik_tile.store %zero, %c[%k, %k] via %boxes : !sums, !aik_tile.map<16x32xf32>, !aik_tile.boxes<8 x 1>
    }
  }
  return
}

// -----

func.func @f(%x: memref<64x60xbf16>) {
  // expected-error @+1 {{needs rows that are a multiple of 16 bytes apart}}
  %m = aik_tile.tensor_map %x : memref<64x60xbf16> -> !aik_tile.map<64x64xbf16>
  return
}

// -----

func.func @f(%x: memref<64x64xbf16, strided<[1, 64]>>) {
  // expected-error @+1 {{needs a matrix whose last dimension is contiguous}}
  %m = aik_tile.tensor_map %x : memref<64x64xbf16, strided<[1, 64]>> -> !aik_tile.map<64x64xbf16>
  return
}

// -----

func.func @f(%x: memref<64x64xbf16>) {
  // expected-error @+1 {{has boxes of 1 to 256 lines of 128 bytes but they are 64x32}}
  %m = aik_tile.tensor_map %x : memref<64x64xbf16> -> !aik_tile.map<64x32xbf16>
  return
}

// -----

// expected-error @+1 {{a tile has up to 8 rows, or a multiple of 8 up to 256, but had 60}}
func.func private @f(!aik_tile.shared<60x64xbf16>)

// -----

// expected-error @+1 {{a tile is of f32, bf16, f16, f8E4M3FN, f8E5M2 or i8 but was of 'f64'}}
func.func private @f(!aik_tile.shared<64x16xf64>)

// -----

// expected-error @+1 {{a tile is 128 elements deep but was 64}}
func.func private @f(!aik_tile.shared<64x64xi8>)

// -----

// expected-error @+1 {{a tile of 'f8E5M2' is not row-major: instructions read its depth}}
func.func private @f(!aik_tile.shared<128x128xf8E5M2, row_major>)

// -----

// expected-error @+1 {{an accumulator is of f32 or i32 but was of 'bf16'}}
func.func private @f(!aik_tile.frag<64x64xbf16, pending>)

// -----

func.func @f(%a: !aik_tile.shared<64x128xi8>, %b: !aik_tile.shared<64x128xi8>, %c: !aik_tile.frag<64x64xf32>) {
  // expected-error @+1 {{sums products of 'i8' in 'i32' but the accumulator is of 'f32'}}
  %d = aik_tile.multiply %a, %b, %c : (!aik_tile.shared<64x128xi8>, !aik_tile.shared<64x128xi8>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
  return
}

// -----

func.func @f(%a: !aik_tile.shared<64x128xi8>, %b: !aik_tile.shared<64x128xf8E4M3FN>, %c: !aik_tile.frag<64x64xf32>) {
  // expected-error @+1 {{multiplies 'i8' by 'f8E4M3FN'}}
  %d = aik_tile.multiply %a, %b, %c : (!aik_tile.shared<64x128xi8>, !aik_tile.shared<64x128xf8E4M3FN>, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
  return
}

// -----

func.func @f(%a: !aik_tile.frag<64x64xi32>) {
  // expected-error @+1 {{adds fragments of f32 that are not pending}}
  %d = aik_tile.add %a, %a : !aik_tile.frag<64x64xi32>
  return
}

// -----

// expected-error @+1 {{a tile is 16 to 256 elements deep, a multiple of 16, but was 72}}
func.func private @f(!aik_tile.shared<96x72xbf16, row_major>)

// -----

// expected-error @+1 {{a fragment of a warpgroup has 64 rows but had 32}}
func.func private @f(!aik_tile.frag<32x64xf32>)

// -----

// expected-error @+1 {{a ring has 1 to 16 stages but had 17}}
func.func private @f(!aik_tile.ring<17, <64x64xbf16>>)

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x16xbf16>, %w: tensor<24x32xbf16>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{the length of sums is 16 and 24}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x16xbf16>, tensor<24x32xbf16>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x16xbf16>, %w: tensor<16x32xbf16>, %d: tensor<8x32xbf16>) -> tensor<8x32xbf16> {
  // expected-error @+1 {{yields one element of its destination}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x16xbf16>, tensor<16x32xbf16>, tensor<8x32xbf16>) -> tensor<8x32xbf16>
  return %y : tensor<8x32xbf16>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xbf16>, %w: tensor<32x128xf16>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{has no instruction for 'bf16' and 'f16'}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x128xbf16>, tensor<32x128xf16>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xi8>, %w: tensor<128x32xi8>, %d: tensor<8x32xi32>) -> tensor<8x32xi32> {
  // expected-error @+1 {{of 'i8' needs both matrices contiguous along the sums}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], schedule = #schedule} {
  ^bb0(%sum: i32):
    aik_tile.yield %sum : i32
  } : (tensor<8x128xi8>, tensor<128x32xi8>, tensor<8x32xi32>) -> tensor<8x32xi32>
  return %y : tensor<8x32xi32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xf32>, %w: tensor<32x128xf32>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{of f32 rounds its operands, which has to be asked for}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x128xf32>, tensor<32x128xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #aik_tile.schedule<rows = 128, columns = 256, depth = 64, stages = 3, boxes = 4, cluster = 2, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x128xi8>, %w: tensor<32x128xi8>, %d: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{sums are 'i32'}}
  %y = aik_tile.product %x, %w outs %d attributes {extra_maps = [], rhs_transposed, schedule = #schedule} {
  ^bb0(%sum: f32):
    aik_tile.yield %sum : f32
  } : (tensor<8x128xi8>, tensor<32x128xi8>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

func.func @f(%stage: !aik_tile.stage<<16x128xi8>, <2x32xf32>>) {
  // expected-error @+1 {{reads 32 lines of 'i8' but tile 0 is '!aik_tile.shared<16x128xi8>'}}
  %a = aik_tile.unpack %stage tile 0 half 0 : !aik_tile.stage<<16x128xi8>, <2x32xf32>> -> !aik_tile.frag<64x64xbf16>
  return
}

// -----

func.func @f(%stage: !aik_tile.stage<<32x128xi8>, <2x32xf32>>) {
  // expected-error @+1 {{a tile has two halves}}
  %a = aik_tile.unpack %stage tile 0 half 2 : !aik_tile.stage<<32x128xi8>, <2x32xf32>> -> !aik_tile.frag<64x64xbf16>
  return
}

// -----

func.func @f(%stage: !aik_tile.stage<<32x128xi8>, <2x32xf32>>) {
  // expected-error @+1 {{gives 64 columns of bf16 or f16}}
  %a = aik_tile.unpack %stage tile 0 half 0 : !aik_tile.stage<<32x128xi8>, <2x32xf32>> -> !aik_tile.frag<64x128xbf16>
  return
}

// -----

func.func @f(%stage: !aik_tile.stage<<32x128xi8>, <2x32xf32>>) {
  // expected-error @+1 {{there is no tile 2}}
  %r = aik_tile.read_rows %stage tile 2 : !aik_tile.stage<<32x128xi8>, <2x32xf32>>
  return
}

// -----

aik_tile.program cluster 1 {
  aik_tile.role warpgroups 1 registers 232 {
  ^bb0(%group: i32):
    // expected-error @+1 {{needs another warpgroup in its role}}
    aik_tile.take_turn
    aik_tile.pass_turn
  }
}

// -----

aik_tile.program cluster 1 {
  aik_tile.role warpgroups 2 registers 232 {
  ^bb0(%group: i32):
    // expected-error @+1 {{is not followed by a pass_turn}}
    aik_tile.take_turn
  }
}

// -----

aik_tile.program cluster 1 {
  aik_tile.role warpgroups 2 registers 232 {
  ^bb0(%group: i32):
    aik_tile.take_turn
    aik_tile.pass_turn
    // expected-error @+1 {{passes a turn that was not taken}}
    aik_tile.pass_turn
  }
}

// -----

func.func @f(%r: !aik_tile.rows, %step: !aik_tile.frag<64x16xi32>) {
  // expected-error @+1 {{adds fragments of f32 that are not pending}}
  %s = aik_tile.add_scaled %step, %step by %r : !aik_tile.frag<64x16xi32>
  return
}

// -----

// What threads read is in their registers before the stage is given back.
func.func @f(%w: !aik_tile.map<32x128xi8>) {
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !aik_tile.ring<2, <32x128xi8>>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%group: i32):
      %c0 = arith.constant 0 : i32
      aik_tile.fill %ring {
        aik_tile.load %w[%c0, %c0] tile 0 : !aik_tile.map<32x128xi8>
      } : !aik_tile.ring<2, <32x128xi8>>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%group: i32):
      %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <32x128xi8>> -> !aik_tile.stage<<32x128xi8>>
      // expected-error @+1 {{gives back what threads read after it}}
      aik_tile.release %stage : !aik_tile.stage<<32x128xi8>>
      // expected-note @+1 {{read here}}
      %a = aik_tile.unpack %stage tile 0 half 0 : !aik_tile.stage<<32x128xi8>> -> !aik_tile.frag<64x64xbf16>
    }
  }
  return
}

// -----

gpu.module @device {
  gpu.func @sums() kernel {
    aik_tile.program cluster 4 {
      // expected-error @below {{is for 2 blocks, a cluster has 4}}
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
      }
    }
    gpu.return
  }
}

// -----

// That a stage was read, threads say to their own block.
func.func @f(%w: !aik_tile.map<16x128xi8>) {
  aik_tile.program cluster 2 {
    %ring = aik_tile.make_ring : !aik_tile.ring<2, <32x128xi8>>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%group: i32):
      %c0 = arith.constant 0 : i32
      aik_tile.fill %ring {
        // expected-note @+1 {{loaded for all of them}}
        aik_tile.load %w[%c0, %c0] tile 0 shared : !aik_tile.map<16x128xi8>
      } : !aik_tile.ring<2, <32x128xi8>>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%group: i32):
      %stage = aik_tile.acquire %ring : !aik_tile.ring<2, <32x128xi8>> -> !aik_tile.stage<<32x128xi8>>
      // expected-error @+1 {{reads what other blocks fill}}
      %a = aik_tile.unpack %stage tile 0 half 0 : !aik_tile.stage<<32x128xi8>> -> !aik_tile.frag<64x64xbf16>
      aik_tile.release %stage : !aik_tile.stage<<32x128xi8>>
    }
  }
  return
}

// -----

gpu.module @device {
  gpu.func @sums() kernel {
    aik_tile.program cluster 2 {
      // expected-error @below {{is used at one place}}
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
        %again = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
      }
    }
    gpu.return
  }
}

// -----

func.func @f(%sums: !aik_tile.frag<64x16xf32>, %y: memref<?x?xbf16>, %n: i32) {
  // expected-error @+1 {{writes a matrix whose rows follow each other}}
  aik_tile.write_transposed %sums, %y[%n, %n] within %n : !aik_tile.frag<64x16xf32>, memref<?x?xbf16>
  return
}

// -----

gpu.module @device {
  gpu.func @sums() kernel {
    aik_tile.program cluster 2 {
      // expected-error @below {{is for all 1 warpgroups of a role that fills no ring}}
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
      aik_tile.role warpgroups 2 registers 128 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
      }
    }
    gpu.return
  }
}

// -----

#schedule = #aik_tile.schedule<rows = 64, columns = 16, depth = 128, stages = 3, boxes = 0, cluster = 1, warpgroups = 1, registers = 232, load_registers = 40, blocks = 132, group = 8>
func.func @f(%x: tensor<8x256xbf16>, %w: tensor<64x128xi8>, %s: tensor<2x32xf32>, %d: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  // expected-error @+1 {{of packed weights takes 64 lines of codes and 4 of scales}}
  %y = aik_tile.product %x, %w extras(%s : tensor<2x32xf32>) outs %d attributes {extra_maps = [affine_map<(i, j) -> (i, j)>], packed, schedule = #schedule} {
  ^bb0(%sum: f32, %scale: f32):
    %0 = arith.truncf %sum : f32 to bf16
    aik_tile.yield %0 : bf16
  } : (tensor<8x256xbf16>, tensor<64x128xi8>, tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// -----

gpu.module @device {
  gpu.func @sums() kernel {
    aik_tile.program cluster 2 {
      %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
      aik_tile.role warpgroups 1 registers 128 {
      ^bb0(%group: i32):
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        // expected-error @below {{gives each of 2 blocks 8 columns, but has 16 and gives 16}}
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x16xf32>
      }
    }
    gpu.return
  }
}

// -----

// expected-error @below {{there is at least one warpgroup, two parts and 8 columns}}
func.func @f(%room: !aik_tile.exchange<1 x 1 x 8>) {
  return
}

// -----

// A slab of packed weights for each warpgroup of each block: 1 is not enough for 2.
#schedule = #aik_tile.schedule<rows = 128, columns = 16, depth = 128, stages = 3, boxes = 0, cluster = 1, warpgroups = 2, registers = 232, load_registers = 40, blocks = 132, group = 8, swapped = true>
func.func @f(%x: tensor<8x256xbf16>, %w: tensor<64x128xi8>, %s: tensor<4x32xf32>, %d: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  // expected-error @+1 {{of packed weights has 64 rows for each warpgroup, and whole clusters of them}}
  %y = aik_tile.product %x, %w extras(%s : tensor<4x32xf32>) outs %d attributes {extra_maps = [affine_map<(i, j) -> (i, j)>], packed, schedule = #schedule} {
  ^bb0(%sum: f32, %scale: f32):
    %0 = arith.truncf %sum : f32 to bf16
    aik_tile.yield %0 : bf16
  } : (tensor<8x256xbf16>, tensor<64x128xi8>, tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}

// -----

func.func @f(%some: i1) {
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 2 registers 232 {
    ^bb0(%group: i32):
      // expected-note @+1 {{chosen here}}
      scf.if %some {
        // expected-error @+1 {{may run in some only: others would wait for it}}
        aik_tile.take_turn
        aik_tile.pass_turn
      }
    }
  }
  return
}

// -----

// expected-error @+1 {{has turns in several roles}}
aik_tile.program cluster 1 {
  aik_tile.role warpgroups 2 registers 128 {
  ^bb0(%group: i32):
    aik_tile.take_turn
    aik_tile.pass_turn
  }
  aik_tile.role warpgroups 2 registers 64 {
  ^bb0(%group: i32):
    aik_tile.take_turn
    aik_tile.pass_turn
  }
}

// -----

func.func @f(%n: index) {
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 2 registers 232 {
    ^bb0(%group: i32):
      // expected-error @+1 {{is taken again before it is passed}}
      aik_tile.take_turn
      scf.for %i = %n to %n step %n {
        aik_tile.take_turn
        aik_tile.pass_turn
      }
      aik_tile.pass_turn
    }
  }
  return
}

// -----

func.func @f(%some: i1) {
  aik_tile.program cluster 2 {
    %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      // expected-note @+1 {{chosen here}}
      scf.if %some {
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        // expected-error @+1 {{may run in some only: others would wait for it}}
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
      }
    }
  }
  return
}
