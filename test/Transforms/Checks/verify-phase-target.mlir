// After the lowering only the LLVM dialect is left, and no cast between two
// worlds.
// RUN: aik-opt %s --aik-verify-phase=phase=target --split-input-file --verify-diagnostics

llvm.func @cast(%x: i64) {
  // expected-error @+1 {{AIK-E0009: the phase 'target' ended with this operation: a conversion was left unresolved}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}

// -----

llvm.func @arith() {
  // expected-error @+1 {{AIK-E0009: the phase 'target' ended with this operation: the dialect 'arith' may not remain}}
  %0 = arith.constant 1 : i64
  llvm.return
}

// -----

llvm.func @clean(%x: i64) -> i64 {
  llvm.return %x : i64
}
