// A nested module must say what it is for.
// RUN: aik-opt %s --pass-pipeline='builtin.module(builtin.module(aik-schedule-target))' --split-input-file --verify-diagnostics

module {
  // expected-error @+1 {{a nested module has neither a target nor the name of the reference}}
  module @other {
  }
}
