// The form of functions is checked before anything else: no names with a
// dollar sign, no functions that call themselves.
// RUN: split-file %s %t
// RUN: not aikc %t/dollar.mlir --compile-to=import -o - 2>&1 | FileCheck %s --check-prefix=DOLLAR
// RUN: not aikc %t/recursion.mlir --compile-to=import -o - 2>&1 | FileCheck %s --check-prefix=RECURSION

// DOLLAR: AIK-E0010: the name of the function 'f$run' contains '$'
// RECURSION: AIK-E0010: this function calls itself, directly or through others

//--- dollar.mlir
func.func @f$run(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
//--- recursion.mlir
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
