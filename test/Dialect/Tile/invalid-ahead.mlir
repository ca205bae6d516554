// Stores that are sent later and extras that are read ahead: what would overwrite what
// was not sent, or take the place of another element.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x128xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x128xf32> -> !aik_tile.frag<64x128xbf16>
      aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
      // expected-error @+1 {{is deferred in boxes that have room for all of a matrix' fragment}}
      aik_tile.store %r, %map[%n, %n] via %boxes deferred : !aik_tile.frag<64x128xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{has one deferred store, the last in its block, and what it has written is sent before a store}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.store %r, %map[%i, %j] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
    }
  }
  return
}

// -----

// The send is not in the loop.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{what it has written is sent before a store}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.store %r, %map[%i, %j] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
    }
  }
  return
}

// -----

// What follows would be sent with the next tile.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{the last in its block}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
        aik_tile.store %r, %map[%i, %j] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
        aik_tile.store %r, %map[%i, %j] via %boxes : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
    }
  }
  return
}

// -----

// After the loop, what its last tile has written is overwritten.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{what it has written is sent before a store}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
        aik_tile.store %r, %map[%i, %j] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
      aik_tile.store %r, %map[%n, %n] via %boxes : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%n: i32) {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      // expected-error @+1 {{has a block of 3 i32 arguments and what is carried}}
      %0 = aik_tile.for_tiles in (%n, %n) group 8 carrying (%f : !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32> {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.yield %f : !aik_tile.frag<64x64xf32>
      }
    }
  }
  return
}

// -----

func.func @f(%n: i32) {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      // expected-error @+1 {{carries the same types from tile to tile}}
      %0 = aik_tile.for_tiles in (%n, %n) group 8 carrying (%f : !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32> {
      ^bb0(%i: i32, %j: i32, %turn: i32, %before: !aik_tile.frag<64x64xf32>):
      }
    }
  }
  return
}

// -----

func.func @f() {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
  // expected-error @+1 {{has no columns 16 to 80}}
  %0 = aik_tile.columns %f from 16 : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xf32>
  return
}

// -----

func.func @f() {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
  // expected-error @+1 {{begins at a multiple of eight columns}}
  %0 = aik_tile.columns %f from 4 : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x32xf32>
  return
}

// -----

func.func @f() {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
  // expected-error @+1 {{is of as many rows of the same elements, not pending}}
  %0 = aik_tile.columns %f from 0 : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x32xbf16>
  return
}

// -----

func.func @f() {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32, pending>
  // expected-error @+1 {{keeps what is not pending}}
  %0 = aik_tile.keep %f : !aik_tile.frag<64x64xf32, pending>
  return
}

// -----

// Nothing was deferred.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{what it has written is sent before a store}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
      aik_tile.store %r, %map[%n, %n] via %boxes : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%b: memref<256xbf16>, %n: i32) {
  // expected-error @+1 {{reads elements of 'bf16'}}
  %0 = aik_tile.read %b at (%n, %n) within (%n, %n) by affine_map<(i, j) -> (j)> : memref<256xbf16> -> !aik_tile.frag<64x64xf32>
  return
}

// -----

func.func @f(%b: memref<256xbf16>, %n: i32) {
  // expected-error @+1 {{is not indexed by rows and columns}}
  %0 = aik_tile.read %b at (%n, %n) within (%n, %n) by affine_map<(i, j) -> (i, j)> : memref<256xbf16> -> !aik_tile.frag<64x64xbf16>
  return
}

// -----

func.func @f(%sums: !aik_tile.frag<64x64xf32>, %b: !aik_tile.frag<64x32xf32>, %n: i32) {
  // expected-error @+1 {{extra 0 is another fragment than its own}}
  %0 = aik_tile.map %sums at (%n, %n) within (%n, %n) extras(%b : !aik_tile.frag<64x32xf32>) {
  ^bb0(%x: f32, %y: f32):
    aik_tile.yield %y : f32
  } {extra_maps = [affine_map<(i, j) -> (i, j)>]} : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xf32>
  return
}

// -----

// A fragment has its element where it is.
func.func @f(%sums: !aik_tile.frag<64x64xf32>, %b: !aik_tile.frag<64x64xf32>, %n: i32) {
  // expected-error @+1 {{extra 0 is not indexed by rows and columns}}
  %0 = aik_tile.map %sums at (%n, %n) within (%n, %n) extras(%b : !aik_tile.frag<64x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    aik_tile.yield %y : f32
  } {extra_maps = [affine_map<(i, j) -> (j)>]} : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xf32>
  return
}

// -----

// A box that is not full is never sent.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      // expected-error @+1 {{leaves a box that is not full}}
      aik_tile.store %r, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      // expected-error @+1 {{begins at column 32 of a box, of which 0 have been written}}
      aik_tile.store %r, %map[%n, %n] via %boxes at 32 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      aik_tile.store %r, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      // expected-error @+1 {{begins at column 0 of a box, of which 32 have been written}}
      aik_tile.store %r, %map[%n, %n] via %boxes : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      // expected-error @+1 {{is a part of a box of 64 columns, from a multiple of 16 on, and not deferred}}
      aik_tile.store %r, %map[%n, %n] via %boxes at 48 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      // expected-error @+1 {{is a part of a box of 64 columns}}
      aik_tile.store %r, %map[%n, %n] via %boxes at 8 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      // expected-error @+1 {{is a part of a box of 64 columns}}
      aik_tile.store %r, %map[%n, %n] via %boxes deferred at 0 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f(%y: memref<512x256xbf16>, %z: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  %other = aik_tile.tensor_map %z : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      aik_tile.store %r, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      // expected-error @+1 {{is not of the same box as the part before}}
      aik_tile.store %r, %other[%n, %n] via %boxes at 32 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

// The last tile of the loop is not sent before it is overwritten.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{what it has written is sent before a store}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
        aik_tile.store %r, %map[%i, %j] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
      aik_tile.store %r, %map[%n, %n] via %boxes : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

func.func @f() {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
  // expected-error @+1 {{has no columns -8 to 24}}
  %0 = aik_tile.columns %f from -8 : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x32xf32>
  return
}

// -----

func.func @f(%n: i32) {
  %f = aik_tile.zero : !aik_tile.frag<64x64xf32, pending>
  aik_tile.program cluster 1 {
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      // expected-error @+1 {{carries a fragment that is still pending}}
      %0 = aik_tile.for_tiles in (%n, %n) group 8 carrying (%f : !aik_tile.frag<64x64xf32, pending>) -> !aik_tile.frag<64x64xf32, pending> {
      ^bb0(%i: i32, %j: i32, %turn: i32, %before: !aik_tile.frag<64x64xf32, pending>):
        aik_tile.yield %f : !aik_tile.frag<64x64xf32, pending>
      }
    }
  }
  return
}

// -----

// Another role has written nothing that it could send.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{what it has written is sent before a store}}
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xbf16>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
        aik_tile.store %r, %map[%i, %j] via %boxes deferred : !aik_tile.frag<64x64xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
    }
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      aik_tile.send %boxes : !aik_tile.boxes<4 x 1>
    }
  }
  return
}

// -----

// A loop writes the box of which a part has been written.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    %boxes = aik_tile.make_boxes : !aik_tile.boxes<4 x 1>
    aik_tile.role warpgroups 1 registers 128 {
    ^bb0(%group: i32):
      %f = aik_tile.zero : !aik_tile.frag<64x32xf32>
      %r = aik_tile.round %f : !aik_tile.frag<64x32xf32> -> !aik_tile.frag<64x32xbf16>
      aik_tile.store %r, %map[%n, %n] via %boxes at 0 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      aik_tile.for_tiles in (%n, %n) group 8 {
      ^bb0(%i: i32, %j: i32, %turn: i32):
        aik_tile.store %r, %map[%i, %j] via %boxes : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
      }
      // expected-error @+1 {{is not of the same box as the part before}}
      aik_tile.store %r, %map[%n, %n] via %boxes at 32 : !aik_tile.frag<64x32xbf16>, !aik_tile.map<16x64xbf16>, !aik_tile.boxes<4 x 1>
    }
  }
  return
}
