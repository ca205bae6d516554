// Without a list of targets there is nothing to fork for.
// RUN: aik-opt %s --aik-fork-targets --verify-diagnostics

// expected-error @+1 {{names no targets to compile for}}
module {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
