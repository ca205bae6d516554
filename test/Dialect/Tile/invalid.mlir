// Ops and types whose sizes and elements do not fit.
// RUN: aik-opt %s --split-input-file --verify-diagnostics

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

func.func @f(%r: !aik_tile.rows, %step: !aik_tile.frag<64x16xi32>) {
  // expected-error @+1 {{adds fragments of f32 that are not pending}}
  %s = aik_tile.add_scaled %step, %step by %r : !aik_tile.frag<64x16xi32>
  return
}

// -----

func.func @f(%sums: !aik_tile.frag<64x16xf32>, %y: memref<?x?xbf16>, %n: i32) {
  // expected-error @+1 {{writes a matrix whose rows follow each other}}
  aik_tile.write_transposed %sums, %y[%n, %n] within %n : !aik_tile.frag<64x16xf32>, memref<?x?xbf16>
  return
}

// -----

// expected-error @below {{there is at least one warpgroup, two parts and 8 columns}}
func.func @f(%room: !aik_tile.exchange<1 x 1 x 8>) {
  return
}

// -----

// Registers of integers and of floats.
!ring = !aik_tile.ring<2, <64x128xi8>, <64x128xi8>, <64x64xbf16>, <64x64xbf16>>
!stage = !aik_tile.stage<<64x128xi8>, <64x128xi8>, <64x64xbf16>, <64x64xbf16>>
!i = !aik_tile.shared<64x128xi8>
!o = !aik_tile.shared<64x64xbf16>
!mi = !aik_tile.map<64x128xi8>
!mb = !aik_tile.map<64x64xbf16>
gpu.module @d {
gpu.func @f(%A: memref<64x128xi8>, %B: memref<64x64xbf16>) kernel {
  %a = aik_tile.tensor_map %A : memref<64x128xi8> -> !mi
  %b = aik_tile.tensor_map %B : memref<64x64xbf16> -> !mb
  %c0 = arith.constant 0 : i32
  aik_tile.program cluster 1 {
    %ring = aik_tile.make_ring : !ring
    aik_tile.role warpgroups 1 registers 40 {
    ^bb0(%g: i32):
      aik_tile.fill %ring { aik_tile.load %a[%c0, %c0] tile 0 : !mi
                         aik_tile.load %a[%c0, %c0] tile 1 : !mi
                         aik_tile.load %b[%c0, %c0] tile 2 : !mb
                         aik_tile.load %b[%c0, %c0] tile 3 : !mb } : !ring
    }
    aik_tile.role warpgroups 1 registers 232 {
    ^bb0(%g: i32):
      %zi = aik_tile.zero : !aik_tile.frag<64x64xi32>
      %zf = aik_tile.zero : !aik_tile.frag<64x64xf32>
      %s = aik_tile.acquire %ring : !ring -> !stage
      %x = aik_tile.operand %s tile 0 : !stage -> !i
      %y = aik_tile.operand %s tile 1 : !stage -> !i
      %u = aik_tile.operand %s tile 2 : !stage -> !o
      %v = aik_tile.operand %s tile 3 : !stage -> !o
      %p = aik_tile.multiply %x, %y, %zi : (!i, !i, !aik_tile.frag<64x64xi32>) -> !aik_tile.frag<64x64xi32, pending>
      %q = aik_tile.multiply %u, %v, %zf : (!o, !o, !aik_tile.frag<64x64xf32>) -> !aik_tile.frag<64x64xf32, pending>
      // expected-error @+1 {{waits for fragments of one element type}}
      %w:2 = aik_tile.wait %p, %q : (!aik_tile.frag<64x64xi32, pending>, !aik_tile.frag<64x64xf32, pending>) -> (!aik_tile.frag<64x64xi32>, !aik_tile.frag<64x64xf32>)
      aik_tile.release %s : !stage
    }
  }
  gpu.return
}
}

// -----

// expected-error @+1 {{a mailbox has 1 to 16 slots of 1 to 32 words but had 4611686018427387904 of 1}}
func.func private @f(!aik_tile.mailbox<4611686018427387904 x 1>)

// -----

// expected-error @+1 {{a mailbox has 1 to 16 slots of 1 to 32 words but had 2 of 0}}
func.func private @f(!aik_tile.mailbox<2 x 0>)
