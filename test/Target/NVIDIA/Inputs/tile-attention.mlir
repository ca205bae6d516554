// Every kind of schedule, and every kind of mask.
!q = tensor<2x8x4096x128xbf16>
!k = tensor<2x2x4096x128xbf16>
!q64 = tensor<2x8x1000x64xbf16>
!k64 = tensor<2x2x1000x64xbf16>
!q96 = tensor<2x8x512x96xbf16>
!k96 = tensor<2x2x512x96xbf16>
!q256 = tensor<2x8x512x256xf16>
!k256 = tensor<2x2x512x256xf16>
!q1 = tensor<2x8x1000x128xbf16>
!k1 = tensor<2x2x1000x128xbf16>
!qd = tensor<?x?x8x128xbf16>
!kd = tensor<?x?x2x128xbf16>
func.func @full(%q: !q, %k: !k, %v: !k) -> !q {
  %o = aikernel.attention %q, %k, %v : (!q, !k, !k) -> !q
  return %o : !q
}
func.func @causal(%q: !q, %k: !k, %v: !k) -> !q {
  %o = aikernel.attention %q, %k, %v {causal} : (!q, !k, !k) -> !q
  return %o : !q
}
func.func @narrow(%q: !q64, %k: !k64, %v: !k64) -> !q64 {
  %o = aikernel.attention %q, %k, %v {causal} : (!q64, !k64, !k64) -> !q64
  return %o : !q64
}
func.func @capped(%q: !q64, %k: !k64, %v: !k64) -> !q64 {
  %o = aikernel.attention %q, %k, %v {causal, softcap = 30.0 : f32} : (!q64, !k64, !k64) -> !q64
  return %o : !q64
}
func.func @cappedfew(%q: !q1, %k: !k1, %v: !k1) -> !q1 {
  %o = aikernel.attention %q, %k, %v {causal, softcap = 30.0 : f32} : (!q1, !k1, !k1) -> !q1
  return %o : !q1
}
func.func @cappedwide(%q: !q256, %k: !k256, %v: !k256) -> !q256 {
  %o = aikernel.attention %q, %k, %v {causal, softcap = 30.0 : f32} : (!q256, !k256, !k256) -> !q256
  return %o : !q256
}
func.func @odd(%q: !q96, %k: !k96, %v: !k96) -> !q96 {
  %o = aikernel.attention %q, %k, %v {causal} : (!q96, !k96, !k96) -> !q96
  return %o : !q96
}
func.func @wide(%q: !q256, %k: !k256, %v: !k256) -> !q256 {
  %o = aikernel.attention %q, %k, %v {causal} : (!q256, !k256, !k256) -> !q256
  return %o : !q256
}
func.func @all(%q: !qd, %k: !kd, %v: !kd, %n: tensor<?xi32>) -> (!qd, tensor<?x8x?xf32>) {
  %o:2 = aikernel.attention %q, %k, %v kv_len %n {causal, window = 100 : i64, softcap = 30.0 : f32, layout = #aikernel.layout_kind<bshd>} : (!qd, !kd, !kd, tensor<?xi32>) -> (!qd, tensor<?x8x?xf32>)
  return %o#0, %o#1 : !qd, tensor<?x8x?xf32>
}
func.func @masked(%q: !q, %k: !k, %v: !k, %m: tensor<1x8x4096x4096xbf16>) -> !q {
  %o = aikernel.attention %q, %k, %v mask %m : (!q, !k, !k, tensor<1x8x4096x4096xbf16>) -> !q
  return %o : !q
}
func.func @maskedwide(%q: !q256, %k: !k256, %v: !k256, %m: tensor<512x512xf16>, %n: tensor<2xi32>) -> !q256 {
  %o = aikernel.attention %q, %k, %v mask %m kv_len %n {causal} : (!q256, !k256, !k256, tensor<512x512xf16>, tensor<2xi32>) -> !q256
  return %o : !q256
}
