// Matrix instructions of NEON: two loads stand before every four of them, and
// one request in each step, which LLVM's scheduler would move. The last round
// loads nothing for a next one: behind it may be the end of memory.
// RUN: aikc %s --emit=asm --target=cpu:aarch64+bf16 -o - | FileCheck %s

// CHECK: .Laik_round[[ID:[0-9]+]]:
// CHECK-NEXT: ldr q[[L2:[0-9]+]], [x[[LEFT:[0-9]+]], #32]
// CHECK-NEXT: ldr q[[L3:[0-9]+]], [x[[LEFT]], #48]
// CHECK-NEXT: bfmmla v{{[0-9]+}}.4s, v[[L0:[0-9]+]].8h, v[[R0:[0-9]+]].8h
// CHECK-NEXT: bfmmla v{{[0-9]+}}.4s, v[[L1:[0-9]+]].8h, v[[R0]].8h
// CHECK-NEXT: bfmmla v{{[0-9]+}}.4s, v[[L0]].8h, v[[R1:[0-9]+]].8h
// CHECK-NEXT: bfmmla v{{[0-9]+}}.4s, v[[L1]].8h, v[[R1]].8h
// CHECK-NEXT: ldr q[[R2:[0-9]+]], [x[[RIGHT:[0-9]+]], #32]
// CHECK-NEXT: ldr q[[R3:[0-9]+]], [x[[RIGHT]], #48]
// CHECK-NEXT: bfmmla v{{[0-9]+}}.4s, v[[L2]].8h, v[[R0]].8h
// CHECK-COUNT-3: bfmmla
// CHECK-NEXT: ldr q[[R0]], [x[[RIGHT]], #96]
// CHECK-NEXT: ldr q[[R1]], [x[[RIGHT]], #112]
// CHECK-COUNT-4: bfmmla
// CHECK-NEXT: prfm pldl1keep, [x[[LEFT]], #1024]
// CHECK-COUNT-4: bfmmla
// CHECK-NEXT: ldr q[[R2]], [x[[RIGHT]], #64]
// CHECK-NEXT: ldr q[[R3]], [x[[RIGHT]], #80]
// CHECK-COUNT-4: bfmmla
// CHECK-NEXT: ldr q[[L0]], [x[[LEFT]], #64]
// CHECK-NEXT: ldr q[[L1]], [x[[LEFT]], #80]
// CHECK-COUNT-164: bfmmla
// CHECK-NEXT: ldr q{{[0-9]+}}, [x[[RIGHT]], #736]
// CHECK-NEXT: ldr q{{[0-9]+}}, [x[[RIGHT]], #752]
// CHECK-COUNT-4: bfmmla
// CHECK-NEXT: ldr q[[L0]], [x[[LEFT]], #512]
// CHECK: b.ne .Laik_round[[ID]]
// CHECK-NEXT: .Laik_last_round[[ID]]:
// The last round: seven steps of ten loads, and six.
// CHECK-COUNT-76: ldr q
// CHECK-COUNT-8: bfmmla
// CHECK-NOT: ldr q
// CHECK-NOT: bfmmla
// CHECK: zip2
func.func @product(%a: tensor<64x256xbf16>, %b: tensor<256x96xbf16>)
    -> tensor<64x96xf32> {
  %c = aikernel.matmul %a, %b : (tensor<64x256xbf16>, tensor<256x96xbf16>)
      -> tensor<64x96xf32>
  return %c : tensor<64x96xf32>
}
