// A second run finds the entries in place and adds nothing.
// RUN: aik-opt %s --aik-build-entries -o %t.once
// RUN: aik-opt %s --aik-build-entries --aik-build-entries -o %t.twice
// RUN: cmp %t.once %t.twice

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
