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
    // expected-error @+1 {{has a deferred store and, before it in its block, what sends the one before, and no other use}}
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
    // expected-error @+1 {{what sends the one before, and no other use}}
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

// Nothing was deferred.
func.func @f(%y: memref<512x256xbf16>, %n: i32) {
  %map = aik_tile.tensor_map %y : memref<512x256xbf16> -> !aik_tile.map<16x64xbf16>
  aik_tile.program cluster 1 {
    // expected-error @+1 {{what sends the one before, and no other use}}
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
