; What no kernel of ours may be: it keeps an array on the stack, because the
; index is not known.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @bad_0(ptr addrspace(1) %x, i64 %i) {
  %room = alloca [64 x float], addrspace(5)
  %one = getelementptr [64 x float], ptr addrspace(5) %room, i64 0, i64 %i
  store volatile float 1.0, ptr addrspace(5) %one
  %v = load volatile float, ptr addrspace(5) %room
  store float %v, ptr addrspace(1) %x
  ret void
}
