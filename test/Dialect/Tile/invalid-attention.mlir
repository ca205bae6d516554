// What would hang, race or be wrong in programs of attention is not a program.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

// All well: a tile is posted, its queries are loaded, keys and values take turns.
!queries = !aik_tile.ring<1, <64x64xbf16>>
!values = !aik_tile.ring<2, <64x80xbf16, row_major>>
!map = !aik_tile.map<64x64xbf16>
!vmap = !aik_tile.map<80x64xbf16>
!scores = !aik_tile.frag<64x80xf32>
!sums = !aik_tile.frag<64x64xf32>
func.func @f(%q: !map, %v: !vmap, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !queries
    %vring = aik_tile.make_ring : !values
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 2>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        %count = arith.addi %tile, %c1 : i32
        aik_tile.post %box(%tile, %count) : !aik_tile.mailbox<2 x 2>
        aik_tile.fill %ring { aik_tile.load %q[%c0, %tile] tile 0 : !map } : !queries
        scf.for %j = %c0 to %count step %c1 : i32 {
          aik_tile.fill %vring { aik_tile.load %v[%j, %c0] tile 0 : !vmap } : !values
        }
      } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32, %count: i32):
        %stage = aik_tile.acquire %ring : !queries -> !aik_tile.stage<<64x64xbf16>>
        %none = aik_tile.zero : !sums
        scf.for %j = %c0 to %count step %c1 : i32 {
          %vs = aik_tile.acquire %vring : !values -> !aik_tile.stage<<64x80xbf16, row_major>>
          aik_tile.clear %vs tile 0 from %c1 : !aik_tile.stage<<64x80xbf16, row_major>>
          aik_tile.release %vs : !aik_tile.stage<<64x80xbf16, row_major>>
        }
        aik_tile.release %stage : !aik_tile.stage<<64x64xbf16>>
      } : !aik_tile.mailbox<2 x 2>
    }
  }
  return
}

// -----

// The word that was posted is not the one that counts.
!queries = !aik_tile.ring<1, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%q: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !queries
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 2>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        %count = arith.addi %tile, %c1 : i32
        aik_tile.post %box(%count, %tile) : !aik_tile.mailbox<2 x 2>
        scf.for %j = %c0 to %count step %c1 : i32 {
          // expected-error @+1 {{runs not as often as the stage is acquired}}
          aik_tile.fill %ring { aik_tile.load %q[%c0, %tile] tile 0 : !map } : !queries
        }
      } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32, %count: i32):
        scf.for %j = %c0 to %count step %c1 : i32 {
          // expected-note @+1 {{acquired here}}
          %stage = aik_tile.acquire %ring : !queries -> !aik_tile.stage<<64x64xbf16>>
          aik_tile.release %stage : !aik_tile.stage<<64x64xbf16>>
        }
      } : !aik_tile.mailbox<2 x 2>
    }
  }
  return
}

// -----

!queries = !aik_tile.ring<1, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%q: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !queries
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 2>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      // expected-error @+1 {{posts each tile once but does so 0 times: the other role would wait for ever}}
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.fill %ring { aik_tile.load %q[%c0, %tile] tile 0 : !map } : !queries
      } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
    }
  }
  return
}

// -----

!queries = !aik_tile.ring<1, <64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%q: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !queries
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 2>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        // expected-error @+1 {{posts 1 words, slots have 2}}
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 2>
        aik_tile.fill %ring { aik_tile.load %q[%c0, %tile] tile 0 : !map } : !queries
      } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
    }
  }
  return
}

// -----

func.func @f(%n: i32, %counter: memref<1xi32>) {
  aik_tile.program cluster 1 {
    // expected-error @+1 {{is filled at 0 places and read at 1, expected one each}}
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32):
      } : !aik_tile.mailbox<2 x 1>
    }
  }
  return
}

// -----

// Only the products that came later may go on.
!keys = !aik_tile.shared<128x64xbf16>
!part = !aik_tile.shared<64x64xbf16>
!scores = !aik_tile.frag<64x128xf32>
!pending = !aik_tile.frag<64x128xf32, pending>
func.func @f(%a: !part, %b: !keys) {
  %none = aik_tile.zero : !scores
  %s = aik_tile.multiply %a, %b, %none : (!part, !keys, !scores) -> !pending
  %t = aik_tile.multiply %a, %b, %none : (!part, !keys, !scores) -> !pending
  %u = aik_tile.wait %s {leaving = 1 : i64} : (!pending) -> !scores
  // expected-error @+1 {{leaves 1 products, but only 0 came after the one it waits for}}
  %v = aik_tile.wait %t {leaving = 1 : i64} : (!pending) -> !scores
  return
}

// -----

!scores = !aik_tile.frag<64x128xf32>
func.func @f(%s: !scores) {
  // expected-error @+1 {{waits for no fragment that is pending}}
  %v = aik_tile.wait %s : (!scores) -> !scores
  return
}

// -----

!pending = !aik_tile.frag<64x128xf32, pending>
func.func @f(%s: !pending, %m: !aik_tile.rows, %l: !aik_tile.rows) {
  // expected-error @+1 {{reads a fragment that is still pending}}
  %r:5 = aik_tile.softmax %s, %m, %l {scale = 1.0 : f32} : !pending
  return
}

// -----

!scores = !aik_tile.frag<64x128xf32>
func.func @f(%s: !scores, %m: !aik_tile.rows, %l: !aik_tile.rows) {
  // expected-error @+1 {{scales scores by a positive number}}
  %r:5 = aik_tile.softmax %s, %m, %l {scale = -1.0 : f32} : !scores
  return
}

// -----

!scores = !aik_tile.frag<64x128xf32>
func.func @f(%s: !scores, %i: i32) {
  // expected-error @+1 {{has a window, which needs a diagonal}}
  %r = aik_tile.mask %s at (%i, %i) length %i window 16 : !scores
  return
}

// -----

!scores = !aik_tile.frag<64x128xf32>
func.func @f(%s: !scores) {
  // expected-error @+1 {{caps scores at a number that is not 0}}
  %r = aik_tile.cap %s {scale = 1.0 : f32, cap = 0.0 : f32} : !scores
  return
}

// -----

!scores = !aik_tile.frag<64x128xf32>
func.func @f(%s: !scores) {
  // expected-error @+1 {{gives the same fragment in a narrow type}}
  %r = aik_tile.round %s : !scores -> !aik_tile.frag<64x64xbf16>
  return
}

// -----

func.func @f(%x: memref<2x8x512x64xbf16>) {
  // expected-error @+1 {{has no rows along dimension 3}}
  %m = aik_tile.tensor_map %x rows 3 : memref<2x8x512x64xbf16> -> !aik_tile.map<64x64xbf16>
  return
}

// -----

// expected-error @+1 {{tiles have 64, 128, 192 or 256 rows but had 100}}
#schedule = #aik_tile.attention_schedule<rows = 100, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
func.func private @f() attributes {s = #schedule}

// -----

// expected-error @+1 {{there are 16 to 256 keys at a time, a multiple of 16, but were 24}}
#schedule = #aik_tile.attention_schedule<rows = 128, keys = 24, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
func.func private @f() attributes {s = #schedule}

// -----

// expected-error @+1 {{there is a block, and 1 to 16 boxes and stages of queries and 2 to 16 stages of keys, but were 132, 2, 2 and 17}}
#schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 17, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
func.func private @f() attributes {s = #schedule}

// -----

// expected-error @+1 {{a schedule gives threads 24 to 256 registers, a multiple of 8, and a block 65536, but had 3 x 232 + 40}}
#schedule = #aik_tile.attention_schedule<rows = 192, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
func.func private @f() attributes {s = #schedule}

// -----

#schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
!q = tensor<1x8x512x144xbf16>
func.func @f(%q: !q, %o: !q, %c: tensor<1xi32>) {
  // expected-error @+1 {{has a schedule that is not one for it: it takes 328704 bytes of shared memory, a block has 232448}}
  %r:2 = aik_tile.attention %q, %q, %q outs %o, %c {scale = 0.125 : f32, schedule = #schedule} : (!q, !q, !q, !q, tensor<1xi32>) -> (!q, tensor<1xi32>)
  return
}

// -----

#schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
!q = tensor<1x8x512x64xbf16>
!k = tensor<1x3x512x64xbf16>
func.func @f(%q: !q, %k: !k, %o: !q, %c: tensor<1xi32>) {
  // expected-error @+1 {{has heads that are known, a multiple of those of k}}
  %r:2 = aik_tile.attention %q, %k, %k outs %o, %c {scale = 0.125 : f32, schedule = #schedule} : (!q, !k, !k, !q, tensor<1xi32>) -> (!q, tensor<1xi32>)
  return
}

// -----

#schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
!q = tensor<1x8x512x64xbf16>
func.func @f(%q: !q, %o: !q, %c: tensor<1xi32>) {
  // expected-error @+1 {{has a window, which needs causal}}
  %r:2 = aik_tile.attention %q, %q, %q outs %o, %c {scale = 0.125 : f32, window = 8 : i64, schedule = #schedule} : (!q, !q, !q, !q, tensor<1xi32>) -> (!q, tensor<1xi32>)
  return
}

// -----

#schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
!q = tensor<1x8x512x64xbf16>
func.func @f(%q: !q, %o: !q, %m: tensor<512x512xf16>, %c: tensor<1xi32>) {
  // expected-error @+1 {{adds a mask of its type or f32, of rank 4 or less}}
  %r:2 = aik_tile.attention %q, %q, %q mask %m outs %o, %c {scale = 0.125 : f32, schedule = #schedule} : (!q, !q, !q, tensor<512x512xf16>, !q, tensor<1xi32>) -> (!q, tensor<1xi32>)
  return
}

// -----

#schedule = #aik_tile.attention_schedule<rows = 128, keys = 128, stages = 2, query_stages = 2, boxes = 2, registers = 232, load_registers = 40, blocks = 132>
!q = tensor<1x8x512x64xbf16>
func.func @f(%q: !q, %o: !q, %m: tensor<512x100xf32>, %c: tensor<1xi32>) {
  // expected-error @+1 {{adds a mask that has 100 where scores have 512}}
  %r:2 = aik_tile.attention %q, %q, %q mask %m outs %o, %c {scale = 0.125 : f32, schedule = #schedule} : (!q, !q, !q, tensor<512x100xf32>, !q, tensor<1xi32>) -> (!q, tensor<1xi32>)
  return
}

// -----

!scores = !aik_tile.frag<64x128xf32>
func.func @f(%s: !scores, %m: memref<512x512xi8>, %i: i32) {
  // expected-error @+1 {{adds a mask of f32, bf16 or f16}}
  %r = aik_tile.add_mask %s, %m[%i, %i, %i] of (%i, %i) {scale = 1.0 : f32} : !scores, memref<512x512xi8>
  return
}

// -----

!pending = !aik_tile.frag<64x128xf32, pending>
func.func @f(%s: !pending, %m: memref<512x512xf32>, %i: i32) {
  // expected-error @+1 {{reads a fragment that is still pending}}
  %r = aik_tile.add_mask %s, %m[%i, %i, %i] of (%i, %i) {scale = 1.0 : f32} : !pending, memref<512x512xf32>
  return
}

// -----

// Tiles are claimed again when nobody looks for them.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 2>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      scf.for %k = %c0 to %c3 step %c1 : i32 {
        // expected-error @+1 {{belongs into a role that fills rings, of which one thread claims, and into no loop}}
        aik_tile.claim_tiles of %n by %counter for %box {
        ^bb0(%tile: i32):
          aik_tile.post %box(%tile, %tile) : !aik_tile.mailbox<2 x 2>
          aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
      }
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32, %count: i32):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
      } : !aik_tile.mailbox<2 x 2>
    }
  }
  return
}

// -----

// Blocks of a cluster claim different tiles, and wait for each other's loads.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
!part = !aik_tile.map<32x64xbf16>
func.func @f(%a: !part, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  aik_tile.program cluster 2 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 2>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.post %box(%tile, %tile) : !aik_tile.mailbox<2 x 2>
        aik_tile.fill %ring {
          // expected-error @+1 {{is for all blocks of a cluster, each of which claims other tiles}}
          aik_tile.load %a[%c0, %c0] tile 0 shared : !part
        } : !ring
      } : memref<1xi32>, !aik_tile.mailbox<2 x 2>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32, %count: i32):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
      } : !aik_tile.mailbox<2 x 2>
    }
  }
  return
}

// -----

// All well: both roles carry something, and one more stage is filled at the end.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      %last = aik_tile.claim_tiles of %n by %counter for %box carrying (%c0 : i32) -> i32 {
      ^bb0(%tile: i32, %before: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        aik_tile.yield %tile : i32
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
      aik_tile.fill %ring { aik_tile.load %a[%last, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %rows = aik_tile.fill_rows 0.0
      %end = aik_tile.posted_tiles %box carrying (%rows : !aik_tile.rows) -> !aik_tile.rows {
      ^bb0(%tile: i32, %so_far: !aik_tile.rows):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
        aik_tile.yield %so_far : !aik_tile.rows
      } : !aik_tile.mailbox<2 x 1>
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
    }
  }
  return
}

// -----

// The claims give nothing to the next tile.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      // expected-error @+1 {{carries the same types from tile to tile}}
      %last = aik_tile.claim_tiles of %n by %counter for %box carrying (%c0 : i32) -> i32 {
      ^bb0(%tile: i32, %before: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        aik_tile.yield
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
      aik_tile.fill %ring { aik_tile.load %a[%last, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %rows = aik_tile.fill_rows 0.0
      %end = aik_tile.posted_tiles %box carrying (%rows : !aik_tile.rows) -> !aik_tile.rows {
      ^bb0(%tile: i32, %so_far: !aik_tile.rows):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
        aik_tile.yield %so_far : !aik_tile.rows
      } : !aik_tile.mailbox<2 x 1>
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
    }
  }
  return
}

// -----

// What is carried has no argument.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      // expected-error @+1 {{has a block of 1 i32 arguments and what is carried}}
      %last = aik_tile.claim_tiles of %n by %counter for %box carrying (%c0 : i32) -> i32 {
      ^bb0(%tile: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        aik_tile.yield %tile : i32
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
      aik_tile.fill %ring { aik_tile.load %a[%last, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %rows = aik_tile.fill_rows 0.0
      %end = aik_tile.posted_tiles %box carrying (%rows : !aik_tile.rows) -> !aik_tile.rows {
      ^bb0(%tile: i32, %so_far: !aik_tile.rows):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
        aik_tile.yield %so_far : !aik_tile.rows
      } : !aik_tile.mailbox<2 x 1>
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
    }
  }
  return
}

// -----

// Who reads gives a number where it carries rows.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      %last = aik_tile.claim_tiles of %n by %counter for %box carrying (%c0 : i32) -> i32 {
      ^bb0(%tile: i32, %before: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        aik_tile.yield %tile : i32
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
      aik_tile.fill %ring { aik_tile.load %a[%last, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %rows = aik_tile.fill_rows 0.0
      // expected-error @+1 {{carries the same types from tile to tile}}
      %end = aik_tile.posted_tiles %box carrying (%rows : !aik_tile.rows) -> !aik_tile.rows {
      ^bb0(%tile: i32, %so_far: !aik_tile.rows):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
        aik_tile.yield %tile : i32
      } : !aik_tile.mailbox<2 x 1>
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
    }
  }
  return
}

// -----

// Who reads has no argument for what it carries.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      %last = aik_tile.claim_tiles of %n by %counter for %box carrying (%c0 : i32) -> i32 {
      ^bb0(%tile: i32, %before: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        aik_tile.yield %tile : i32
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
      aik_tile.fill %ring { aik_tile.load %a[%last, %c0] tile 0 : !map } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %rows = aik_tile.fill_rows 0.0
      // expected-error @+1 {{has a block of 1 i32 arguments and what is carried}}
      %end = aik_tile.posted_tiles %box carrying (%rows : !aik_tile.rows) -> !aik_tile.rows {
      ^bb0(%tile: i32):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
        aik_tile.yield %rows : !aik_tile.rows
      } : !aik_tile.mailbox<2 x 1>
      %s1 = aik_tile.acquire %ring : !ring -> !stage
      aik_tile.release %s1 : !stage
    }
  }
  return
}

// -----

// Blocks of a cluster claim other tiles, and other numbers of them.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 2 {
    %ring = aik_tile.make_ring : !ring
    %room = aik_tile.make_exchange : !aik_tile.exchange<1 x 2 x 8>
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      aik_tile.posted_tiles %box {
      ^bb0(%tile: i32):
        %s0 = aik_tile.acquire %ring : !ring -> !stage
        aik_tile.release %s0 : !stage
        %part = aik_tile.zero : !aik_tile.frag<64x16xf32>
        // expected-error @+1 {{waits for blocks that claim other tiles}}
        %sums = aik_tile.add_parts %part via %room : !aik_tile.frag<64x16xf32>, !aik_tile.exchange<1 x 2 x 8> -> !aik_tile.frag<64x8xf32>
      } : !aik_tile.mailbox<2 x 1>
    }
  }
  return
}

// -----

// What is carried is no word of a mailbox.
!ring = !aik_tile.ring<2, <64x64xbf16>>
!stage = !aik_tile.stage<<64x64xbf16>>
!map = !aik_tile.map<64x64xbf16>
func.func @f(%a: !map, %n: i32, %counter: memref<1xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    %box = aik_tile.make_mailbox : !aik_tile.mailbox<2 x 1>
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.claim_tiles of %n by %counter for %box {
      ^bb0(%tile: i32):
        aik_tile.post %box(%tile) : !aik_tile.mailbox<2 x 1>
        scf.for %k = %c0 to %tile step %c1 : i32 {
          // expected-error @+1 {{runs not as often as the stage is acquired}}
          aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !map } : !ring
        }
      } : memref<1xi32>, !aik_tile.mailbox<2 x 1>
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %end = aik_tile.posted_tiles %box carrying (%n : i32) -> i32 {
      ^bb0(%tile: i32, %before: i32):
        scf.for %k = %c0 to %before step %c1 : i32 {
          // expected-note @+1 {{acquired here}}
          %s0 = aik_tile.acquire %ring : !ring -> !stage
          aik_tile.release %s0 : !stage
        }
        aik_tile.yield %tile : i32
      } : !aik_tile.mailbox<2 x 1>
    }
  }
  return
}
