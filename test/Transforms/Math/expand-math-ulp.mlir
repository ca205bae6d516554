// The errors of the expansions, measured where they run: every function is
// evaluated at 71,583 bit patterns from all f32 and compared with the f64
// function of the C library. A line is 1 when the error stays below the bound
// that the pass documents, in units of the last place. NaN must meet NaN.
//
// RUN: aik-opt %s -aik-expand-math -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// RUN: aik-opt %s -aik-expand-math=has-fma=false -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
// NEON has polynomials of its own.
// RUN: sed '/^\/\/ CHECK-NOT/a module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {' %s > %t.mlir && echo '}' >> %t.mlir
// RUN: aik-opt %t.mlir -aik-expand-math -convert-math-to-llvm -convert-math-to-libm -convert-scf-to-cf -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | sed "s/module attributes.*/module {/" | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_c_runner_utils.so | FileCheck %s
//
// CHECK-COUNT-14: {{^1$}}
// CHECK-NOT: {{.}}

/// |got - want| in units of the last place of want.
func.func private @ulp_error(%got: f32, %want: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %rounded = arith.truncf %want : f64 to f32
  %same = arith.cmpf oeq, %rounded, %got : f32
  %gotNan = arith.cmpf uno, %got, %got : f32
  %wantNan = arith.cmpf uno, %want, %want : f64
  %bothNan = arith.andi %gotNan, %wantNan : i1
  %fine = arith.ori %same, %bothNan : i1
  %oneNan = arith.xori %gotNan, %wantNan : i1
  %bits = arith.bitcast %rounded : f32 to i32
  %c1 = arith.constant 1 : i32
  %c23 = arith.constant 23 : i32
  %c255 = arith.constant 255 : i32
  %shifted = arith.shrui %bits, %c23 : i32
  %field = arith.andi %shifted, %c255 : i32
  %exponent = arith.maxsi %field, %c1 : i32
  %bias = arith.constant 873 : i32
  %field64 = arith.addi %exponent, %bias : i32
  %wide = arith.extui %field64 : i32 to i64
  %c52 = arith.constant 52 : i64
  %ulpBits = arith.shli %wide, %c52 : i64
  %ulp = arith.bitcast %ulpBits : i64 to f64
  %got64 = arith.extf %got : f32 to f64
  %difference = arith.subf %got64, %want : f64
  %magnitude = math.absf %difference : f64
  %error = arith.divf %magnitude, %ulp : f64
  %number = arith.select %oneNan, %infinity, %error : f64
  %result = arith.select %fine, %zero, %number : f64
  return %result : f64
}

func.func private @exp_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.exp %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @exp2_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.exp2 %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp2 %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.1 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @log_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.log %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.log %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @tanh_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.tanh %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.tanh %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.5 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @erf_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.erf %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.erf %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.3 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @erfc_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.erfc %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.erfc %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 5.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @sin_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.sin %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.sin %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 2.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @cos_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.cos %x : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.cos %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 2.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @rsqrt_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %x = arith.bitcast %bits : i32 to f32
    %got = math.rsqrt %x : f32
    %x64 = arith.extf %x : f32 to f64
    %c1 = arith.constant 1.0 : f64
    %root = math.sqrt %x64 : f64
    %want = arith.divf %c1, %root : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.5 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

/// The same, but for results below 2^-125, where 2^-126 is the unit.
func.func private @error_of_small(%got: f32, %want: f64) -> f64 {
  %least = arith.constant 2.350988701644575E-38 : f64
  %unit = arith.constant 1.1754943508222875E-38 : f64
  %isSmall = arith.cmpf olt, %want, %least : f64
  %ulps = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
  %got64 = arith.extf %got : f32 to f64
  %difference = arith.subf %got64, %want : f64
  %magnitude = math.absf %difference : f64
  %units = arith.divf %magnitude, %unit : f64
  %error = arith.select %isSmall, %units, %ulps : f64
  return %error : f64
}

func.func private @exp2_at_most_zero_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %any = arith.bitcast %bits : i32 to f32
    %size = math.absf %any : f32
    %x = arith.negf %size : f32
    %got = math.exp2 %x {aikernel.at_most_zero} : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp2 %x64 : f64
    %error = func.call @error_of_small(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 2.25 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

/// 2^-17 is 128 units of a number just below a power of two.
func.func private @narrow_exp_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %any = arith.bitcast %bits : i32 to f32
    %size = math.absf %any : f32
    %x = arith.negf %size : f32
    %got = math.exp %x {aikernel.at_most_zero, aikernel.narrow} : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp %x64 : f64
    %error = func.call @error_of_small(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 128.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @exp_in_range_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %any = arith.bitcast %bits : i32 to f32
    %low = arith.constant -87.0 : f32
    %high = arith.constant 88.0 : f32
    %above = arith.maximumf %any, %low : f32
    %x = arith.minimumf %above, %high : f32
    %got = math.exp %x {aikernel.in_range} : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 1.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @exp2_in_range_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %any = arith.bitcast %bits : i32 to f32
    %low = arith.constant -126.0 : f32
    %high = arith.constant 127.0 : f32
    %above = arith.maximumf %any, %low : f32
    %x = arith.minimumf %above, %high : f32
    %got = math.exp2 %x {aikernel.in_range} : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp2 %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  %bound = arith.constant 2.25 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func private @rough_exp2_is_accurate() -> i1 {
  %first = arith.constant 0 : index
  %last = arith.constant 71583 : index
  %one = arith.constant 1 : index
  %stride = arith.constant 60000 : index
  %zero = arith.constant 0.0 : f64
  %max = scf.for %i = %first to %last step %one iter_args(%so_far = %zero) -> f64 {
    %pattern = arith.muli %i, %stride : index
    %bits = arith.index_cast %pattern : index to i32
    %any = arith.bitcast %bits : i32 to f32
    %low = arith.constant -126.0 : f32
    %high = arith.constant 127.0 : f32
    %above = arith.maximumf %any, %low : f32
    %x = arith.minimumf %above, %high : f32
    %got = math.exp2 %x fastmath<afn> {aikernel.in_range} : f32
    %x64 = arith.extf %x : f32 to f64
    %want = math.exp2 %x64 : f64
    %error = func.call @ulp_error(%got, %want) : (f32, f64) -> f64
    %larger = arith.maximumf %so_far, %error : f64
    scf.yield %larger : f64
  }
  // 2^-13 of the result.
  %bound = arith.constant 2048.0 : f64
  %within = arith.cmpf ole, %max, %bound : f64
  return %within : i1
}

func.func @main() {
  %exp = call @exp_is_accurate() : () -> i1
  vector.print %exp : i1
  %exp2 = call @exp2_is_accurate() : () -> i1
  vector.print %exp2 : i1
  %log = call @log_is_accurate() : () -> i1
  vector.print %log : i1
  %tanh = call @tanh_is_accurate() : () -> i1
  vector.print %tanh : i1
  %erf = call @erf_is_accurate() : () -> i1
  vector.print %erf : i1
  %erfc = call @erfc_is_accurate() : () -> i1
  vector.print %erfc : i1
  %sin = call @sin_is_accurate() : () -> i1
  vector.print %sin : i1
  %cos = call @cos_is_accurate() : () -> i1
  vector.print %cos : i1
  %rsqrt = call @rsqrt_is_accurate() : () -> i1
  vector.print %rsqrt : i1
  %exp2_negative = call @exp2_at_most_zero_is_accurate() : () -> i1
  vector.print %exp2_negative : i1
  %exp_in_range = call @exp_in_range_is_accurate() : () -> i1
  vector.print %exp_in_range : i1
  %exp2_in_range = call @exp2_in_range_is_accurate() : () -> i1
  vector.print %exp2_in_range : i1
  %rough_exp2 = call @rough_exp2_is_accurate() : () -> i1
  vector.print %rough_exp2 : i1
  %narrow_exp = call @narrow_exp_is_accurate() : () -> i1
  vector.print %narrow_exp : i1
  return
}
