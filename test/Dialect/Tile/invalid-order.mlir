// Roles that wait for each other in a circle, and such that do not.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

// All well: two values come before the keys that they are read with, and there is
// room for them.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      }
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ks = aik_tile.acquire %k : !keys -> !stage
        %vs0 = aik_tile.acquire %v : !values -> !stage
        %vs1 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs1 : !stage
        aik_tile.release %ks : !stage
        aik_tile.release %vs0 : !stage
      }
    }
  }
  return
}

// -----

// The same without that room.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<1, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        // expected-error @+1 {{waits for ever for an empty stage}}
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      }
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{while this waits for a full stage}}
        %ks = aik_tile.acquire %k : !keys -> !stage
        %vs0 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs0 : !stage
        %vs1 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs1 : !stage
        aik_tile.release %ks : !stage
      }
    }
  }
  return
}

// -----

// It takes more turns than there are stages.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<12, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{waits for ever for an empty stage}}
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      }
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      // expected-note @+1 {{while this waits for a full stage}}
      %ks = aik_tile.acquire %k : !keys -> !stage
      scf.for %i = %c0 to %n step %c1 : i32 {
        %vs = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs : !stage
      }
      aik_tile.release %ks : !stage
    }
  }
  return
}

// -----

// Or more than there are from one role to the next, and to the one after it.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<6, <64x64xbf16>>
!sums = !aik_tile.ring<6, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    %s = aik_tile.make_ring : !sums
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{waits for ever for an empty stage}}
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      }
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        %vs = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs : !stage
        // expected-note @+1 {{while this waits for an empty stage}}
        aik_tile.fill %s { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !sums
      }
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      // expected-note @+1 {{while this waits for a full stage}}
      %ks = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks : !stage
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ss = aik_tile.acquire %s : !sums -> !stage
        aik_tile.release %ss : !stage
      }
    }
  }
  return
}

// -----

// All well: there are never more turns than that.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<12, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c12 = arith.constant 12 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %c12 step %c1 : i32 {
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      }
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      %ks = aik_tile.acquire %k : !keys -> !stage
      scf.for %i = %c0 to %c12 step %c1 : i32 {
        %vs = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs : !stage
      }
      aik_tile.release %ks : !stage
    }
  }
  return
}

// -----

// What is read last was filled last, but a stage is held until then: those that
// come after it are released and not empty.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      // expected-error @+1 {{waits for ever for an empty stage}}
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      %vs0 = aik_tile.acquire %v : !values -> !stage
      %vs1 = aik_tile.acquire %v : !values -> !stage
      aik_tile.release %vs1 : !stage
      // expected-note @+1 {{while this waits for a full stage}}
      %ks = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks : !stage
      aik_tile.release %vs0 : !stage
      %vs2 = aik_tile.acquire %v : !values -> !stage
      aik_tile.release %vs2 : !stage
    }
  }
  return
}

// -----

// Each role fills what the other waits for, but only afterwards.
!there = !aik_tile.ring<2, <64x64xbf16>>
!back = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %there = aik_tile.make_ring : !there
    %back = aik_tile.make_ring : !back
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{waits for ever for a full stage}}
        %bs = aik_tile.acquire %back : !back -> !stage
        aik_tile.release %bs : !stage
        aik_tile.fill %there { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !there
      }
    }
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{while this waits for a full stage}}
        %ts = aik_tile.acquire %there : !there -> !stage
        aik_tile.release %ts : !stage
        aik_tile.fill %back { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !back
      }
    }
  }
  return
}

// -----

// All well: one of them begins.
!there = !aik_tile.ring<2, <64x64xbf16>>
!back = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %there = aik_tile.make_ring : !there
    %back = aik_tile.make_ring : !back
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %there { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !there
        %bs = aik_tile.acquire %back : !back -> !stage
        aik_tile.release %bs : !stage
      }
    }
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ts = aik_tile.acquire %there : !there -> !stage
        aik_tile.release %ts : !stage
        aik_tile.fill %back { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !back
      }
    }
  }
  return
}

// -----

// A tile is told of when all of it is loaded, for which there is no room.
!keys = !aik_tile.ring<2, <64x64xbf16>>
!box = !aik_tile.mailbox<1 x 1>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %box = aik_tile.make_mailbox : !box
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        scf.for %i = %c0 to %tile step %c1 : i32 {
          // expected-error @+1 {{waits for ever for an empty stage}}
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        }
        aik_tile.post %box(%tile) : !box
      } : memref<1xi32>, !box
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      // expected-note @+1 {{while this waits for a tile}}
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32):
        scf.for %i = %c0 to %tile step %c1 : i32 {
          %ks = aik_tile.acquire %k : !keys -> !stage
          aik_tile.release %ks : !stage
        }
      } : !box
    }
  }
  return
}

// -----

// All well: the second tile is told of while the first one is read, and there
// are no more afterwards.
!keys = !aik_tile.ring<2, <64x64xbf16>>
!box = !aik_tile.mailbox<1 x 1>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %box = aik_tile.make_mailbox : !box
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        aik_tile.post %box(%tile) : !box
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      } : memref<1xi32>, !box
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32):
        %ks0 = aik_tile.acquire %k : !keys -> !stage
        %ks1 = aik_tile.acquire %k : !keys -> !stage
        aik_tile.release %ks1 : !stage
        aik_tile.release %ks0 : !stage
      } : !box
    }
  }
  return
}

// -----

// That there are no more tiles is said in the only slot, when somebody has read
// of the last one.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!box = !aik_tile.mailbox<1 x 1>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %box = aik_tile.make_mailbox : !box
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      // expected-error @+1 {{waits for ever for an empty slot}}
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.post %box(%tile) : !box
      } : memref<1xi32>, !box
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      // expected-note @+1 {{while this waits for a full stage}}
      %ks = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks : !stage
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32):
      } : !box
    }
  }
  return
}

// -----

// The first warpgroup waits for what the second one, whose turn it is not, has
// to read as well.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      // expected-error @+1 {{waits for ever for an empty stage}}
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      // expected-note @+1 {{while this waits for its turn}}
      aik_tile.take_turn
      %ks0 = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks0 : !stage
      // expected-note @+1 {{while this waits for a full stage}}
      %ks1 = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks1 : !stage
      aik_tile.pass_turn
    }
  }
  return
}

// -----

// All well: turns are passed in between.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      }
    }
    aik_tile.role warpgroups 3 registers 128 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.take_turn
        %ks = aik_tile.acquire %k : !keys -> !stage
        aik_tile.pass_turn
        aik_tile.release %ks : !stage
      }
    }
  }
  return
}

// -----

// At the end of a loop of 2^60 turns.
!keys = !aik_tile.ring<3, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 1152921504606846976 : i64
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %zero to %many step %one : i64 {
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      }
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      // expected-error @+1 {{waits for ever for an empty stage}}
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      scf.for %i = %zero to %many step %one : i64 {
        %ks0 = aik_tile.acquire %k : !keys -> !stage
        %vs0 = aik_tile.acquire %v : !values -> !stage
        %ks1 = aik_tile.acquire %k : !keys -> !stage
        aik_tile.release %ks0 : !stage
        aik_tile.release %vs0 : !stage
        aik_tile.release %ks1 : !stage
      }
      // expected-note @+1 {{while this waits for a full stage}}
      %ks2 = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks2 : !stage
      scf.for %i = %c0 to %c3 step %c1 : i32 {
        %vs1 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs1 : !stage
      }
    }
  }
  return
}

// -----

// All well: keys are read a turn before values.
!keys = !aik_tile.ring<3, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %many = arith.constant 1152921504606846976 : i64
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %zero to %many step %one : i64 {
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      }
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      %ks0 = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks0 : !stage
      scf.for %i = %one to %many step %one : i64 {
        %ks1 = aik_tile.acquire %k : !keys -> !stage
        %vs1 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs1 : !stage
        aik_tile.release %ks1 : !stage
      }
      %vs2 = aik_tile.acquire %v : !values -> !stage
      aik_tile.release %vs2 : !stage
    }
  }
  return
}

// -----

// Nobody waits to see the end of such loops.
!keys = !aik_tile.ring<3, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{has loops of too many turns to tell whether its roles end}}
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i0 = %c0 to %n step %c1 : i32 {
        scf.for %i1 = %c0 to %n step %c1 : i32 {
          scf.for %i2 = %c0 to %n step %c1 : i32 {
            scf.for %i3 = %c0 to %n step %c1 : i32 {
              scf.for %i4 = %c0 to %n step %c1 : i32 {
                scf.for %i5 = %c0 to %n step %c1 : i32 {
                  scf.for %i6 = %c0 to %n step %c1 : i32 {
                    scf.for %i7 = %c0 to %n step %c1 : i32 {
                      scf.for %i8 = %c0 to %n step %c1 : i32 {
                        scf.for %i9 = %c0 to %n step %c1 : i32 {
                          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
                          aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      scf.for %i0 = %c0 to %n step %c1 : i32 {
        scf.for %i1 = %c0 to %n step %c1 : i32 {
          scf.for %i2 = %c0 to %n step %c1 : i32 {
            scf.for %i3 = %c0 to %n step %c1 : i32 {
              scf.for %i4 = %c0 to %n step %c1 : i32 {
                scf.for %i5 = %c0 to %n step %c1 : i32 {
                  scf.for %i6 = %c0 to %n step %c1 : i32 {
                    scf.for %i7 = %c0 to %n step %c1 : i32 {
                      scf.for %i8 = %c0 to %n step %c1 : i32 {
                        scf.for %i9 = %c0 to %n step %c1 : i32 {
                          %ks = aik_tile.acquire %k : !keys -> !stage
                          aik_tile.release %ks : !stage
                          %vs = aik_tile.acquire %v : !values -> !stage
                          aik_tile.release %vs : !stage
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  return
}

// -----

// All well: the last values of a tile are read with the first keys of the next,
// and others than there are before the first one.
!keys = !aik_tile.ring<2, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!box = !aik_tile.mailbox<2 x 2>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    %box = aik_tile.make_mailbox : !box
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.post %box(%tile, %tile) : !box
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        scf.for %i = %c0 to %tile step %c1 : i32 {
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
          aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        }
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      } : memref<1xi32>, !box
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32, %again: i32):
        %ks0 = aik_tile.acquire %k : !keys -> !stage
        %vs0 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %ks0 : !stage
        aik_tile.release %vs0 : !stage
        scf.for %i = %c0 to %tile step %c1 : i32 {
          %ks1 = aik_tile.acquire %k : !keys -> !stage
          %vs1 = aik_tile.acquire %v : !values -> !stage
          aik_tile.release %ks1 : !stage
          aik_tile.release %vs1 : !stage
        }
      } : !box
      %vs2 = aik_tile.acquire %v : !values -> !stage
      aik_tile.release %vs2 : !stage
    }
  }
  return
}

// -----

// Only if the loop, whose first values are read before it, has no turn.
!keys = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      }
      // expected-error @+1 {{waits for ever for an empty stage}}
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      %ks0 = aik_tile.acquire %k : !keys -> !stage
      // expected-note @+1 {{while this waits for a full stage}}
      %vs0 = aik_tile.acquire %v : !values -> !stage
      aik_tile.release %vs0 : !stage
      aik_tile.release %ks0 : !stage
      scf.for %i = %c0 to %n step %c1 : i32 {
        %vs1 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs1 : !stage
      }
      %ks1 = aik_tile.acquire %k : !keys -> !stage
      aik_tile.release %ks1 : !stage
    }
  }
  return
}

// -----

// It takes so many turns that the third keys come before enough values.
!keys = !aik_tile.ring<2, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        // expected-error @+1 {{waits for ever for an empty stage}}
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
      }
      scf.for %i = %c0 to %n step %c1 : i32 {
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      }
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-note @+1 {{while this waits for a full stage}}
        %vs0 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs0 : !stage
      }
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ks = aik_tile.acquire %k : !keys -> !stage
        aik_tile.release %ks : !stage
        scf.for %j = %c0 to %c3 step %c1 : i32 {
          %vs1 = aik_tile.acquire %v : !values -> !stage
          aik_tile.release %vs1 : !stage
        }
      }
    }
  }
  return
}

// -----

// Only if one loop has no turn and the other one has several.
!keys = !aik_tile.ring<2, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32, %l: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %i = %c0 to %n step %c1 : i32 {
        // expected-error @+1 {{waits for ever for an empty stage}}
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
        scf.for %j = %c0 to %l step %c1 : i32 {
          aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
        }
      }
      aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%g: i32):
      // expected-note @+1 {{while this waits for a full stage}}
      %vs0 = aik_tile.acquire %v : !values -> !stage
      aik_tile.release %vs0 : !stage
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ks0 = aik_tile.acquire %k : !keys -> !stage
        aik_tile.release %ks0 : !stage
        %ks1 = aik_tile.acquire %k : !keys -> !stage
        aik_tile.release %ks1 : !stage
        scf.for %j = %c0 to %l step %c1 : i32 {
          %vs1 = aik_tile.acquire %v : !values -> !stage
          aik_tile.release %vs1 : !stage
        }
      }
    }
  }
  return
}

// -----

// The same in a tile of many.
!keys = !aik_tile.ring<2, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x64xbf16>>
!box = !aik_tile.mailbox<2 x 2>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !keys
    %v = aik_tile.make_ring : !values
    %box = aik_tile.make_mailbox : !box
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        %more = arith.addi %tile, %c1 : i32
        aik_tile.post %box(%tile, %more) : !box
        scf.for %i = %c0 to %tile step %c1 : i32 {
          // expected-error @+1 {{waits for ever for an empty stage}}
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
          aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !keys
          scf.for %j = %c0 to %more step %c1 : i32 {
            aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
          }
        }
        aik_tile.fill %v { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !values
      } : memref<1xi32>, !box
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32, %more: i32):
        // expected-note @+1 {{while this waits for a full stage}}
        %vs0 = aik_tile.acquire %v : !values -> !stage
        aik_tile.release %vs0 : !stage
        scf.for %i = %c0 to %tile step %c1 : i32 {
          %ks0 = aik_tile.acquire %k : !keys -> !stage
          aik_tile.release %ks0 : !stage
          %ks1 = aik_tile.acquire %k : !keys -> !stage
          aik_tile.release %ks1 : !stage
          scf.for %j = %c0 to %more step %c1 : i32 {
            %vs1 = aik_tile.acquire %v : !values -> !stage
            aik_tile.release %vs1 : !stage
          }
        }
      } : !box
    }
  }
  return
}

// -----

// One ring: the second stage is given back before the first, whose place comes first.
!r = !aik_tile.ring<2, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!stage = !aik_tile.stage<<64x64xbf16>>
func.func @f(%m: !map) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %k = aik_tile.make_ring : !r
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !r
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !r
      // expected-error @+1 {{waits for ever for an empty stage}}
      aik_tile.fill %k { aik_tile.load %m[%c0, %c0] tile 0 : !map } : !r
    }
    aik_tile.role warpgroups 2 registers 128 {
    ^bb0(%g: i32):
      %a = aik_tile.acquire %k : !r -> !stage
      %b = aik_tile.acquire %k : !r -> !stage
      aik_tile.release %b : !stage
      // expected-note @+1 {{while this waits for a full stage}}
      %c = aik_tile.acquire %k : !r -> !stage
      aik_tile.release %a : !stage
      aik_tile.release %c : !stage
    }
  }
  return
}
