// From the first phase on only the known dialects may be there.
// RUN: aik-opt %s --aik-verify-phase=phase=import --verify-diagnostics

func.func @f() {
  // expected-error @+1 {{AIK-E0009: the phase 'import' ended with this operation: the dialect 'llvm' may not remain}}
  %0 = llvm.mlir.constant(1 : i32) : i32
  return
}
