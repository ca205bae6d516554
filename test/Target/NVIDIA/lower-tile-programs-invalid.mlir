// The host makes maps of parameters, and of nothing else.
// RUN: aik-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(aik-lower-tile-programs))'

gpu.module @device {
  gpu.func @f(%x: memref<64x64xbf16>, %y: memref<64x64xf32>) kernel {
    // expected-error @+1 {{is of a parameter that has no other use}}
    %a = aik_tile.tensor_map %x : memref<64x64xbf16> -> !aik_tile.map<64x64xbf16>
    %b = aik_tile.tensor_map %x : memref<64x64xbf16> -> !aik_tile.map<16x64xbf16>
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
      }
    }
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @f(%n: index) kernel {
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        // expected-error @+1 {{has no place in a tile program}}
        scf.execute_region {
          scf.yield
        }
      }
    }
    gpu.return
  }
}

// -----

gpu.module @device {
  gpu.func @f(%n: i32) kernel {
    aik_tile.program cluster 1 {
      aik_tile.role warpgroups 1 registers 40 {
      ^bb0(%group: i32):
        %zero = aik_tile.zero : !aik_tile.frag<64x64xf32>
        %m = aik_tile.map %zero at (%n, %n) within (%n, %n) {
        ^bb0(%x: f32):
          // expected-error @+1 {{cannot be done to each element of a fragment}}
          %v = vector.broadcast %x : f32 to vector<1xf32>
          aik_tile.yield %x : f32
        } {extra_maps = []} : !aik_tile.frag<64x64xf32> -> !aik_tile.frag<64x64xf32>
      }
    }
    gpu.return
  }
}
