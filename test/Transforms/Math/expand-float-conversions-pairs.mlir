// Halves of 32-bit words, on AVX-512 and on NEON, are the same bits as one number at a time,
// which are those of expand-float-conversions-values.mlir.
//
// RUN: aik-opt %s -aik-expand-float-conversions | FileCheck %s --check-prefix=WORDS
// RUN: aik-opt %s -aik-expand-float-conversions -convert-scf-to-cf -convert-vector-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | sed 's/^module attributes {.*} {/module {/' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: sed 's/^module attributes {.*/module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {/' %s > %t.mlir
// RUN: aik-opt %t.mlir -aik-expand-float-conversions | FileCheck %s --check-prefix=NEON
// RUN: aik-opt %t.mlir -aik-expand-float-conversions -convert-scf-to-cf -convert-vector-to-llvm -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | sed 's/^module attributes {.*} {/module {/' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK: {{^}}-148132658{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}

module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v4", arch = "x86_64", features = "+avx2,+fma,+avx512f,+avx512bw", vector_bits = 512>} {

func.func private @pattern(%i: index) -> f32 {
  %stride = arith.constant 60000 : index
  %product = arith.muli %i, %stride : index
  %bits = arith.index_cast %product : index to i32
  %x = arith.bitcast %bits : i32 to f32
  return %x : f32
}

func.func private @four(%i: index) -> (f32, f32, f32, f32) {
  %one = arith.constant 1 : index
  %i1 = arith.addi %i, %one : index
  %i2 = arith.addi %i1, %one : index
  %i3 = arith.addi %i2, %one : index
  %a = func.call @pattern(%i) : (index) -> f32
  %b = func.call @pattern(%i1) : (index) -> f32
  %c = func.call @pattern(%i2) : (index) -> f32
  %d = func.call @pattern(%i3) : (index) -> f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

func.func private @hash() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %factor = arith.constant 1000003 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %x = func.call @pattern(%i) : (index) -> f32
    %y = arith.truncf %x : f32 to bf16
    %raw = arith.bitcast %y : bf16 to i16
    %wide = arith.extui %raw : i16 to i32
    %product = arith.muli %so_far, %factor : i32
    %next = arith.addi %product, %wide : i32
    scf.yield %next : i32
  }
  return %hash : i32
}

/// How many of four differ from what one alone becomes.
func.func private @differences(%got: vector<4xbf16>, %i: index) -> i32 {
  %a, %b, %c, %d = func.call @four(%i) : (index) -> (f32, f32, f32, f32)
  %a1 = arith.truncf %a : f32 to bf16
  %b1 = arith.truncf %b : f32 to bf16
  %c1 = arith.truncf %c : f32 to bf16
  %d1 = arith.truncf %d : f32 to bf16
  %want = vector.from_elements %a1, %b1, %c1, %d1 : vector<4xbf16>
  %gotBits = arith.bitcast %got : vector<4xbf16> to vector<4xi16>
  %wantBits = arith.bitcast %want : vector<4xbf16> to vector<4xi16>
  %differ = arith.cmpi ne, %gotBits, %wantBits : vector<4xi16>
  %ones = arith.extui %differ : vector<4xi1> to vector<4xi32>
  %count = vector.reduction <add>, %ones : vector<4xi32> into i32
  return %count : i32
}

// WORDS-LABEL: func private @interleaved(
// WORDS-NOT: arith.truncf
// WORDS-NOT: vector.interleave
// WORDS: arith.shrui {{.*}} : vector<2xi32>
// WORDS: arith.andi {{.*}} : vector<2xi32>
// WORDS: %[[WORDS:.*]] = arith.ori {{.*}} : vector<2xi32>
// WORDS: vector.bitcast %[[WORDS]] : vector<2xi32> to vector<4xbf16>
func.func private @interleaved() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71580 : index
  %four = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %count = scf.for %i = %first to %last step %four iter_args(%so_far = %zero) -> i32 {
    %a, %b, %c, %d = func.call @four(%i) : (index) -> (f32, f32, f32, f32)
    %even = vector.from_elements %a, %c : vector<2xf32>
    %odd = vector.from_elements %b, %d : vector<2xf32>
    %x = arith.truncf %even : vector<2xf32> to vector<2xbf16>
    %y = arith.truncf %odd : vector<2xf32> to vector<2xbf16>
    %got = vector.interleave %x, %y : vector<2xbf16> -> vector<4xbf16>
    %more = func.call @differences(%got, %i) : (vector<4xbf16>, index) -> i32
    %next = arith.addi %so_far, %more : i32
    scf.yield %next : i32
  }
  return %count : i32
}

// Vectors in order: the high halves of the words, by one permutation.
// WORDS-LABEL: func private @in_order(
// WORDS-NOT: arith.truncf
// WORDS: %[[HALVES:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<16xi16>
// WORDS: vector.deinterleave %[[HALVES]]
// On NEON all of the arithmetic is on halves, if there are whole registers of them.
// NEON-LABEL: func private @in_order(
// NEON: %[[HALVES:.*]] = vector.bitcast %{{.*}} : vector<8xi32> to vector<16xi16>
// NEON: %[[LOW:.*]], %[[HIGH:.*]] = vector.deinterleave %[[HALVES]]
// NEON: arith.minui %[[LOW]], %{{.*}} : vector<8xi16>
// NEON: arith.addi %[[HIGH]], %{{.*}} : vector<8xi16>
// NEON: arith.select {{.*}} : vector<8xi1>, vector<8xi16>
func.func private @in_order() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71580 : index
  %four = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %count = scf.for %i = %first to %last step %four iter_args(%so_far = %zero) -> i32 {
    %a, %b, %c, %d = func.call @four(%i) : (index) -> (f32, f32, f32, f32)
    %all = vector.from_elements %a, %b, %c, %d : vector<4xf32>
    %twice = vector.shuffle %all, %all [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
    %rounded = arith.truncf %twice : vector<8xf32> to vector<8xbf16>
    %got = vector.extract_strided_slice %rounded {offsets = [4], sizes = [4], strides = [1]} : vector<8xbf16> to vector<4xbf16>
    %more = func.call @differences(%got, %i) : (vector<4xbf16>, index) -> i32
    %next = arith.addi %so_far, %more : i32
    scf.yield %next : i32
  }
  return %count : i32
}

// NEON-LABEL: func private @few(
// NEON: arith.trunci {{.*}} : vector<4xi32> to vector<4xi16>
func.func private @few(%x: vector<4xf32>) -> vector<4xbf16> {
  %y = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %y : vector<4xbf16>
}

// WORDS-LABEL: func private @parted(
// WORDS-NOT: vector.deinterleave
// WORDS: arith.shli {{.*}} : vector<1xi32>
// WORDS: arith.andi {{.*}} : vector<1xi32>
func.func private @parted() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 65536 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %count = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %raw = arith.index_cast %i : index to i16
    %mask = arith.constant 21845 : i16
    %other = arith.xori %raw, %mask : i16
    %x = arith.bitcast %raw : i16 to bf16
    %y = arith.bitcast %other : i16 to bf16
    %both = vector.from_elements %x, %y : vector<2xbf16>
    %even, %odd = vector.deinterleave %both : vector<2xbf16> -> vector<1xbf16>
    %a = arith.extf %even : vector<1xbf16> to vector<1xf32>
    %b = arith.extf %odd : vector<1xbf16> to vector<1xf32>
    %a1 = vector.extract %a[0] : f32 from vector<1xf32>
    %b1 = vector.extract %b[0] : f32 from vector<1xf32>
    %a2 = arith.bitcast %a1 : f32 to i32
    %b2 = arith.bitcast %b1 : f32 to i32
    %wantA = arith.extf %x : bf16 to f32
    %wantB = arith.extf %y : bf16 to f32
    %wantA2 = arith.bitcast %wantA : f32 to i32
    %wantB2 = arith.bitcast %wantB : f32 to i32
    %differA = arith.cmpi ne, %a2, %wantA2 : i32
    %differB = arith.cmpi ne, %b2, %wantB2 : i32
    %differ = arith.ori %differA, %differB : i1
    %more = arith.extui %differ : i1 to i32
    %next = arith.addi %so_far, %more : i32
    scf.yield %next : i32
  }
  return %count : i32
}

// NEON widens by a permutation.
// WORDS-LABEL: func private @widened(
// WORDS: arith.extui {{.*}} : vector<8xi16> to vector<8xi32>
// WORDS: arith.shli {{.*}} : vector<8xi32>
// NEON-LABEL: func private @widened(
// NEON: %[[ZERO:.*]] = arith.constant dense<0> : vector<8xi16>
// NEON: %[[WIDE:.*]] = vector.interleave %[[ZERO]], %{{.*}} : vector<8xi16> -> vector<16xi16>
// NEON: vector.bitcast %[[WIDE]] : vector<16xi16> to vector<8xi32>
func.func private @widened() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 65536 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %masks = arith.constant dense<[0, 21845, 255, -256, 1, 2, 4, -32768]> : vector<8xi16>
  %count = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %raw = arith.index_cast %i : index to i16
    %each = vector.broadcast %raw : i16 to vector<8xi16>
    %others = arith.xori %each, %masks : vector<8xi16>
    %x = arith.bitcast %others : vector<8xi16> to vector<8xbf16>
    %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %got = arith.bitcast %y : vector<8xf32> to vector<8xi32>
    %wide = arith.extui %others : vector<8xi16> to vector<8xi32>
    %c16 = arith.constant dense<16> : vector<8xi32>
    %want = arith.shli %wide, %c16 : vector<8xi32>
    %differ = arith.cmpi ne, %got, %want : vector<8xi32>
    %ones = arith.extui %differ : vector<8xi1> to vector<8xi32>
    %more = vector.reduction <add>, %ones : vector<8xi32> into i32
    %next = arith.addi %so_far, %more : i32
    scf.yield %next : i32
  }
  return %count : i32
}

/// How many of eight numbers are not rounded to these.
func.func private @wrong(%bits: vector<8xi32>, %want: vector<8xi16>) -> i32 {
  %x = arith.bitcast %bits : vector<8xi32> to vector<8xf32>
  %y = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  %got = arith.bitcast %y : vector<8xbf16> to vector<8xi16>
  %differ = arith.cmpi ne, %got, %want : vector<8xi16>
  %ones = arith.extui %differ : vector<8xi1> to vector<8xi32>
  %count = vector.reduction <add>, %ones : vector<8xi32> into i32
  return %count : i32
}

func.func @main() {
  %hash = func.call @hash() : () -> i32
  %interleaved = func.call @interleaved() : () -> i32
  %order = func.call @in_order() : () -> i32
  %parted = func.call @parted() : () -> i32
  vector.print %hash : i32
  vector.print %interleaved : i32
  vector.print %order : i32
  vector.print %parted : i32
  %widened = func.call @widened() : () -> i32
  vector.print %widened : i32
  // NaN of all ones, and NaN whose high half is that of infinity; ties to even,
  // above a tie, and to infinity.
  %bits = arith.constant dense<[0x7fffffff, 0xffffffff, 0x7f800001, 0xff800001, 0x3f808000, 0x3f818000, 0x3f808001, 0x7f7fffff]> : vector<8xi32>
  %want = arith.constant dense<[0x7fff, 0xffff, 0x7fc0, 0xffc0, 0x3f80, 0x3f82, 0x3f81, 0x7f80]> : vector<8xi16>
  %wrong = func.call @wrong(%bits, %want) : (vector<8xi32>, vector<8xi16>) -> i32
  vector.print %wrong : i32
  return
}
}
