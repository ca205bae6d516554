// RUN: aik-opt %s --aik-lower-checks --split-input-file --verify-diagnostics

func.func @region(%env: !llvm.ptr, %ok: i1) -> i32 {
  %zero = arith.constant 0 : i32
  scf.if %ok {
    // expected-error @below {{AIK-E0007: inside 'scf.if' nothing can be checked at run time}}
    aikernel.check %ok, 22, "never" env %env : !llvm.ptr
  }
  return %zero : i32
}

// -----

func.func @nowhere(%ok: i1) -> i32 {
  %zero = arith.constant 0 : i32
  // expected-error @below {{a check has nowhere to report}}
  aikernel.check %ok, 22, "never"
  return %zero : i32
}
