// A file that is said to be of a phase: what is missing is the person's matter.
// RUN: aik-opt %s --aik-verify-phase="phase=structured is-input=true" --split-input-file --verify-diagnostics

// expected-error @below {{AIK-E0002: this is no file of the phase 'structured': the module does not list targets}}
module {
  func.func @f() {
    return
  }
}

// -----

// expected-error @below {{the module does not list its functions}}
module attributes {aikernel.targets = []} {
  func.func @f() {
    return
  }
}

// -----

// expected-error @below {{the module does not list its functions}}
module attributes {aikernel.targets = [], aikernel.functions = [3]} {
}

// -----

// expected-error @below {{it has no module of the reference}}
module attributes {aikernel.targets = [], aikernel.functions = []} {
}

// -----

// expected-error @below {{a nested module is neither of a target nor the reference}}
module attributes {aikernel.targets = [], aikernel.functions = []} {
  module @other {
  }
}

// -----

module attributes {aikernel.targets = [], aikernel.functions = []} {
  module @reference {
  }
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{AIK-E0002: this is no file of the phase 'structured': of 'aikernel.relu', it should have been lowered}}
    %r = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
