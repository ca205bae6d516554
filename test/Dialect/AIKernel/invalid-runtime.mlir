// RUN: aik-opt %s --split-input-file --verify-diagnostics

func.func @case0(%ok: i1) {
  // expected-error @+1 {{'aikernel.check' op attribute 'code' is 0 but an error number is positive}}
  aikernel.check %ok, 0, "wrong"
  return
}

// -----

func.func @case1(%ok: i1) {
  // expected-error @+1 {{op attribute 'code' is -22 but an error number is positive}}
  aikernel.check %ok, -22, "wrong"
  return
}

// -----

func.func @case2(%ok: i1) {
  // expected-error @+1 {{op attribute 'message' is empty but must say what is wrong}}
  aikernel.check %ok, 22, ""
  return
}
