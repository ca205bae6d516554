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

// Four stages are filled and three read, however these are written.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %c3 step %c1 : i32 {
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
      }
      // expected-error @+1 {{runs not as often as the stage is acquired}}
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %s0 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s0 : !stage
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
      // expected-note @+1 {{acquired here}}
      %s2 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s2 : !stage
    }
  }
  return
}

// -----

// Nobody fills what a loop of unknown length reads.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    // expected-error @+1 {{is not filled in the loops that read it: one of the roles would wait for ever}}
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
      }
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
    }
  }
  return
}

// -----

// A stage is held while a loop wants more than there are.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %c3 step %c1 : i32 {
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
      }
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      // expected-note @+1 {{acquired here, and not yet released}}
      %s0 = aik_tile.acquire %ring : !ring -> !stage
      scf.for %k = %c0 to %c3 step %c1 : i32 {
        // expected-error @+1 {{may find no stage: its role still has those before it}}
        %s1 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s1 : !stage
      }
      aik_tile.release %s0 : !stage
    }
  }
  return
}

// -----

// Three of two stages.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      // expected-note @+1 {{acquired here, and not yet released}}
      %s0 = aik_tile.acquire %ring : !ring -> !stage
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      // expected-error @+1 {{may find no stage: its role still has those before it}}
      %s2 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s0 : !stage
      aik_tile.release %s1 : !stage
      aik_tile.release %s2 : !stage
    }
  }
  return
}

// -----

// A number that is negative is a large one without its sign.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{runs not as often as the stage is acquired}}
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      scf.for unsigned %k = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{acquired here}}
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
      }
    }
  }
  return
}

// -----

// Too often to be counted, and so to be compared.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 9000000000000000000 : i64
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %zero to %many step %one : i64 {
        scf.for %j = %zero to %many step %one : i64 {
          // expected-error @+1 {{runs not as often as the stage is acquired}}
          aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        }
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      scf.for %i = %zero to %many step %one : i64 {
        scf.for %j = %zero to %many step %one : i64 {
          // expected-note @+1 {{acquired here}}
          %s = aik_tile.acquire %ring : !ring -> !stage
          aik_tile.release %s : !stage
        }
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

// -----

// More warpgroups than can be counted.
func.func @f() {
  aik_tile.program cluster 1 {
    // expected-error @+1 {{has 1 to 8 warpgroups but has 144115188075855873}}
    aik_tile.role warpgroups 144115188075855873 registers 40 {
    ^bb0(%g: i32):
    }
  }
  return
}
