// The converted bits, by value: hashes of the results over 71,583 f32 patterns
// (truncation), over all patterns of the small type (extension) and over 4,000
// f64 values that lie just above ties of the small types, against hashes of a
// model that looks for the nearest representable value.
//
// RUN: aik-opt %s -aik-expand-float-conversions=expand-f16 -convert-scf-to-cf -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK: {{^}}-148132658{{$}}
// CHECK: {{^}}1432237146{{$}}
// CHECK: {{^}}-1668772918{{$}}
// CHECK: {{^}}206547025{{$}}
// CHECK-NEXT: {{^}}1843658752{{$}}
// CHECK-NEXT: {{^}}1307742464{{$}}
// CHECK-NEXT: {{^}}481957888{{$}}
// CHECK-NEXT: {{^}}-2070644736{{$}}
// CHECK-NEXT: {{^}}-1495356550{{$}}
// CHECK-NEXT: {{^}}-941486676{{$}}
// CHECK-NEXT: {{^}}-35803680{{$}}

func.func private @combine(%hash: i32, %value: i32) -> i32 {
  %factor = arith.constant 1000003 : i32
  %product = arith.muli %hash, %factor : i32
  %sum = arith.addi %product, %value : i32
  return %sum : i32
}

func.func private @truncate_bf16() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %y = arith.truncf %x : f32 to bf16
    %raw = arith.bitcast %y : bf16 to i16
    %wide = arith.extui %raw : i16 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @extend_bf16() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 65536 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %raw = arith.index_cast %i : index to i16
    %x = arith.bitcast %raw : i16 to bf16
    %y = arith.extf %x : bf16 to f32
    %bits = arith.bitcast %y : f32 to i32
    %c13 = arith.constant 13 : i32
    %high = arith.shrui %bits, %c13 : i32
    %next = func.call @combine(%so_far, %high) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @truncate_f64_bf16() -> i32 {
  %first = arith.constant 1 : i32
  %last = arith.constant 4001 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %sixteenth = arith.constant 0.0625 : f64
  %above = arith.constant 0x3FF0000000001000 : f64
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 : i32 {
    %j = arith.sitofp %i : i32 to f64
    %tie = arith.mulf %j, %sixteenth : f64
    %x = arith.mulf %tie, %above : f64
    %y = arith.truncf %x : f64 to bf16
    %raw = arith.bitcast %y : bf16 to i16
    %wide = arith.extui %raw : i16 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @truncate_f8E4M3FN() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %y = arith.truncf %x : f32 to f8E4M3FN
    %raw = arith.bitcast %y : f8E4M3FN to i8
    %wide = arith.extui %raw : i8 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @extend_f8E4M3FN() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 256 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %raw = arith.index_cast %i : index to i8
    %x = arith.bitcast %raw : i8 to f8E4M3FN
    %y = arith.extf %x : f8E4M3FN to f32
    %bits = arith.bitcast %y : f32 to i32
    %c13 = arith.constant 13 : i32
    %high = arith.shrui %bits, %c13 : i32
    %next = func.call @combine(%so_far, %high) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @truncate_f64_f8E4M3FN() -> i32 {
  %first = arith.constant 1 : i32
  %last = arith.constant 4001 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %sixteenth = arith.constant 0.0625 : f64
  %above = arith.constant 0x3FF0000000001000 : f64
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 : i32 {
    %j = arith.sitofp %i : i32 to f64
    %tie = arith.mulf %j, %sixteenth : f64
    %x = arith.mulf %tie, %above : f64
    %y = arith.truncf %x : f64 to f8E4M3FN
    %raw = arith.bitcast %y : f8E4M3FN to i8
    %wide = arith.extui %raw : i8 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @truncate_f8E5M2() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %y = arith.truncf %x : f32 to f8E5M2
    %raw = arith.bitcast %y : f8E5M2 to i8
    %wide = arith.extui %raw : i8 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @extend_f8E5M2() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 256 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %raw = arith.index_cast %i : index to i8
    %x = arith.bitcast %raw : i8 to f8E5M2
    %y = arith.extf %x : f8E5M2 to f32
    %bits = arith.bitcast %y : f32 to i32
    %c13 = arith.constant 13 : i32
    %high = arith.shrui %bits, %c13 : i32
    %next = func.call @combine(%so_far, %high) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @truncate_f64_f8E5M2() -> i32 {
  %first = arith.constant 1 : i32
  %last = arith.constant 4001 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %sixteenth = arith.constant 0.0625 : f64
  %above = arith.constant 0x3FF0000000001000 : f64
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 : i32 {
    %j = arith.sitofp %i : i32 to f64
    %tie = arith.mulf %j, %sixteenth : f64
    %x = arith.mulf %tie, %above : f64
    %y = arith.truncf %x : f64 to f8E5M2
    %raw = arith.bitcast %y : f8E5M2 to i8
    %wide = arith.extui %raw : i8 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @truncate_f16() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %y = arith.truncf %x : f32 to f16
    %raw = arith.bitcast %y : f16 to i16
    %wide = arith.extui %raw : i16 to i32
    %next = func.call @combine(%so_far, %wide) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}
func.func private @extend_f16() -> i32 {
  %first = arith.constant 0 : index
  %last = arith.constant 65536 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %hash = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> i32 {
    %raw = arith.index_cast %i : index to i16
    %x = arith.bitcast %raw : i16 to f16
    %y = arith.extf %x : f16 to f32
    %bits = arith.bitcast %y : f32 to i32
    %c13 = arith.constant 13 : i32
    %high = arith.shrui %bits, %c13 : i32
    %next = func.call @combine(%so_far, %high) : (i32, i32) -> i32
    scf.yield %next : i32
  }
  return %hash : i32
}

func.func @main() {
  %0 = call @truncate_bf16() : () -> i32
  vector.print %0 : i32
  %1 = call @truncate_f8E4M3FN() : () -> i32
  vector.print %1 : i32
  %2 = call @truncate_f8E5M2() : () -> i32
  vector.print %2 : i32
  %3 = call @truncate_f16() : () -> i32
  vector.print %3 : i32
  %4 = call @extend_bf16() : () -> i32
  vector.print %4 : i32
  %5 = call @extend_f8E4M3FN() : () -> i32
  vector.print %5 : i32
  %6 = call @extend_f8E5M2() : () -> i32
  vector.print %6 : i32
  %7 = call @extend_f16() : () -> i32
  vector.print %7 : i32
  %8 = call @truncate_f64_bf16() : () -> i32
  vector.print %8 : i32
  %9 = call @truncate_f64_f8E4M3FN() : () -> i32
  vector.print %9 : i32
  %10 = call @truncate_f64_f8E5M2() : () -> i32
  vector.print %10 : i32
  return
}
