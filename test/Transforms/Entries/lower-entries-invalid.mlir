// An entry whose signature the module does not list has no types to unpack.
// RUN: aik-opt %s --aik-lower-entries --verify-diagnostics

module attributes {aikernel.functions = []} {
  // expected-error @+1 {{is an entry but the module does not list 'f'}}
  func.func @f() attributes {aikernel.entry = "run"} {
    return
  }
}
