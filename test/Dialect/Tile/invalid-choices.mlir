// A stage may be given back in both regions of a choice, and nowhere else. What goes
// on to the next tile has the same types everywhere.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

// All well: who does not multiply gives the stage back at once.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        %sum = scf.if %is -> !sums {
          %x = aik_tile.operand %stage tile 0 : !stage -> !operand
          %y = aik_tile.operand %stage tile 1 : !stage -> !operand
          %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
          %w = aik_tile.wait %d : (!pending) -> !sums
          aik_tile.release %stage : !stage
          scf.yield %w : !sums
        } else {
          aik_tile.release %stage : !stage
          scf.yield %acc : !sums
        }
        scf.yield %sum : !sums
      }
    }
  }
  return
}

// -----

// Who does not multiply keeps the stage.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        // expected-error @+1 {{is released in another block}}
        %stage = aik_tile.acquire %ring : !ring -> !stage
        %sum = scf.if %is -> !sums {
          %x = aik_tile.operand %stage tile 0 : !stage -> !operand
          %y = aik_tile.operand %stage tile 1 : !stage -> !operand
          %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
          %w = aik_tile.wait %d : (!pending) -> !sums
          aik_tile.release %stage : !stage
          scf.yield %w : !sums
        } else {
          scf.yield %acc : !sums
        }
        scf.yield %sum : !sums
      }
    }
  }
  return
}

// -----

// One of two choices is made within another, which may not be made.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        // expected-error @+1 {{is released in another block}}
        %stage = aik_tile.acquire %ring : !ring -> !stage
        scf.if %is {
          scf.if %is {
            aik_tile.release %stage : !stage
          } else {
            aik_tile.release %stage : !stage
          }
        }
        scf.yield %acc : !sums
      }
    }
  }
  return
}

// -----

// Given back in two choices, one after the other.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        // expected-error @+1 {{is released 2 times: the ring would stand still, or be filled while it is read}}
        %stage = aik_tile.acquire %ring : !ring -> !stage
        scf.if %is {
          aik_tile.release %stage : !stage
        }
        scf.if %is {
          aik_tile.release %stage : !stage
        }
        scf.yield %acc : !sums
      }
    }
  }
  return
}

// -----

// A product still reads what its own region gives back.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        %sum = scf.if %is -> !sums {
          %x = aik_tile.operand %stage tile 0 : !stage -> !operand
          %y = aik_tile.operand %stage tile 1 : !stage -> !operand
          // expected-note @+1 {{nobody waits for this one before}}
          %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
          // expected-error @+1 {{gives back what a product still reads}}
          aik_tile.release %stage : !stage
          %w = aik_tile.wait %d : (!pending) -> !sums
          scf.yield %w : !sums
        } else {
          aik_tile.release %stage : !stage
          scf.yield %acc : !sums
        }
        scf.yield %sum : !sums
      }
    }
  }
  return
}

// -----

// A product from before the choice still reads what is given back in it.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        scf.if %is {
          // expected-error @+1 {{gives back what a product still reads}}
          aik_tile.release %stage : !stage
        } else {
          aik_tile.release %stage : !stage
        }
        %w = aik_tile.wait %d : (!pending) -> !sums
        scf.yield %w : !sums
      }
    }
  }
  return
}

// -----

// Some read the stage, others do not: nobody knows how often.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
      %all = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
        %sum = scf.if %is -> !sums {
          // expected-note @+1 {{acquired here}}
          %stage = aik_tile.acquire %ring : !ring -> !stage
          %x = aik_tile.operand %stage tile 0 : !stage -> !operand
          %y = aik_tile.operand %stage tile 1 : !stage -> !operand
          %d = aik_tile.multiply %x, %y, %acc : (!operand, !operand, !sums) -> !pending
          %w = aik_tile.wait %d : (!pending) -> !sums
          aik_tile.release %stage : !stage
          scf.yield %w : !sums
        } else {
          scf.yield %acc : !sums
        }
        scf.yield %sum : !sums
      }
    }
  }
  return
}

// -----

// The product of both choices is waited for in one of them.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        %sum = scf.if %is -> !sums {
          %w = aik_tile.wait %d : (!pending) -> !sums
          scf.yield %w : !sums
        } else {
          scf.yield %acc : !sums
        }
        // expected-error @+1 {{gives back what a product still reads}}
        aik_tile.release %stage : !stage
        scf.yield %sum : !sums
      }
    }
  }
  return
}

// -----

// A stage is chosen.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        %which = scf.if %is -> !stage {
          scf.yield %stage : !stage
        } else {
          scf.yield %stage : !stage
        }
        // expected-error @+1 {{uses a stage that no op acquires here}}
        %x = aik_tile.operand %which tile 0 : !stage -> !operand
        aik_tile.release %stage : !stage
        %sum = scf.if %is -> !sums {
          scf.yield %acc : !sums
        } else {
          scf.yield %acc : !sums
        }
        scf.yield %sum : !sums
      }
    }
  }
  return
}

// -----

// Rows of a stage are chosen.
!ring = !aik_tile.ring<2, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>, <64x64xbf16>>
!operand = !aik_tile.shared<64x64xbf16>
!sums = !aik_tile.frag<64x64xf32>
!pending = !aik_tile.frag<64x64xf32, pending>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %is: i1) {
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
        %which = scf.if %is -> !operand {
          scf.yield %x : !operand
        } else {
          scf.yield %x : !operand
        }
        // expected-error @+1 {{uses rows of no stage}}
        %d = aik_tile.multiply %which, %x, %acc : (!operand, !operand, !sums) -> !pending
        %sum = aik_tile.wait %d : (!pending) -> !sums
        aik_tile.release %stage : !stage
        scf.yield %sum : !sums
      }
    }
  }
  return
}
