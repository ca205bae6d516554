// f$shape is called before there is data: what is left of the computation when
// sizes were resolved says why that was not possible.
// RUN: aik-opt %s --aik-verify-phase=phase=kernel --split-input-file --verify-diagnostics

func.func @data$shape(%x: tensor<?xindex>) -> i64 attributes {aikernel.entry = "shape"} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{AIK-E0007: the size of a result depends on data, not only on argument shapes}}
  %n = tensor.extract %x[%c0] : tensor<?xindex>
  %s = arith.index_cast %n : index to i64
  return %s : i64
}

// -----

func.func @loop$shape(%x: tensor<?xf32>, %n: index) -> i64 attributes {aikernel.entry = "shape"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{AIK-E0007: the size of a result is known only after this loop has run, not from argument shapes}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  }
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  %s = arith.index_cast %d : index to i64
  return %s : i64
}
