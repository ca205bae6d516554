// The kernel phase leaves no op of a later dialect.
// RUN: aik-opt %s --aik-verify-phase=phase=kernel --verify-diagnostics

func.func @f(%x: i32) -> i32 {
  // expected-error @+1 {{AIK-E0009: the phase 'kernel' ended with this operation: the dialect 'llvm' may not remain}}
  %0 = llvm.add %x, %x : i32
  return %0 : i32
}
