// RUN: aik-opt %s -aik-load-addends -split-input-file | FileCheck %s

module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // Eight registers at once. The next result takes the register of a factor
  // that is not used again; a constant factor is loaded once.
  // CHECK-LABEL: func @chain(
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<3.000000e+00> : vector<4xf32>
  // CHECK-DAG: %[[D:.*]] = arith.constant dense<2.000000e+00> : vector<4xf32>
  // CHECK-DAG: %[[X0:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0]
  // CHECK-DAG: %[[X7:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [28]
  // CHECK: %[[FIRST:.*]] = llvm.inline_asm has_side_effects
  // CHECK-SAME: "ldr ${8:q}, $17\0Aldr ${0:q}, $18\0Afmla $0.4s, $9.4s, $8.4s\0A{{.*}}ldr ${7:q}, $18\0Afmla $7.4s, $16.4s, $8.4s\0A"
  // CHECK-SAME: "=&w,=&w,=&w,=&w,=&w,=&w,=&w,=&w,=&w,w,w,w,w,w,w,w,w,m,m" %[[X0]], {{.*}}%[[X7]], %[[C]], %[[D]] :
  // CHECK: %[[Q0:.*]] = llvm.extractvalue %[[FIRST]][0]
  // CHECK: %[[Q7:.*]] = llvm.extractvalue %[[FIRST]][7]
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: "ldr ${0:q}, $24\0Afmla $0.4s, $8.4s, $16.4s\0A{{.*}}ldr ${7:q}, $24\0Afmla $7.4s, $15.4s, $23.4s\0A"
  // CHECK-SAME: "=&w,=&w,=&w,=&w,=&w,=&w,=&w,=&w,w,w,w,w,w,w,w,w,1,2,3,4,5,6,7,w,m" %[[X0]], {{.*}}%[[X7]], %[[Q0]], {{.*}}%[[Q7]], %{{[^ ]*}} :
  // CHECK: vector.insert_strided_slice {{.*}}offsets = [28]
  // CHECK-NOT: math.fma
  // CHECK: return
  func.func @chain(%x: vector<32xf32>) -> vector<32xf32> {
    %c3 = arith.constant dense<3.0> : vector<32xf32>
    %c2 = arith.constant dense<2.0> : vector<32xf32>
    %c1 = arith.constant dense<1.0> : vector<32xf32>
    %q = math.fma %x, %c3, %c2 : vector<32xf32>
    %y = math.fma %q, %x, %c1 : vector<32xf32>
    return %y : vector<32xf32>
  }

  // A factor that is used again keeps its register; ten registers are eight and
  // two.
  // CHECK-LABEL: func @ten(
  // CHECK: llvm.inline_asm {{.*}} "=&w,=&w,=&w,=&w,=&w,=&w,=&w,=&w,w,w,w,w,w,w,w,w,w,w,w,w,w,w,w,w,m"
  // CHECK: llvm.inline_asm {{.*}} "=&w,=&w,w,w,w,w,m"
  // CHECK-NOT: llvm.inline_asm
  // CHECK: return
  func.func @ten(%x: vector<40xf32>) -> (vector<40xf32>, vector<40xf32>) {
    %c = arith.constant dense<1.0> : vector<40xf32>
    %x2 = arith.mulf %x, %x : vector<40xf32>
    %y = math.fma %x2, %x2, %c : vector<40xf32>
    return %y, %x2 : vector<40xf32>, vector<40xf32>
  }

  // A sum of a product is one if it may be rounded once.
  // CHECK-LABEL: func @fused(
  // CHECK-NOT: arith.addf
  // CHECK: llvm.inline_asm
  // CHECK-NOT: arith.addf
  // CHECK: return
  func.func @fused(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
    %c = arith.constant dense<1.0> : vector<8xf32>
    %p = arith.mulf %x, %y fastmath<contract> : vector<8xf32>
    %s = arith.addf %p, %c fastmath<contract> : vector<8xf32>
    return %s : vector<8xf32>
  }
  // CHECK-LABEL: func @rounded(
  // CHECK-NOT: llvm.inline_asm
  // CHECK: return
  func.func @rounded(%x: vector<8xf32>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
    %c = arith.constant dense<1.0> : vector<8xf32>
    %p = arith.mulf %x, %y : vector<8xf32>
    %s = arith.addf %p, %c fastmath<contract> : vector<8xf32>
    %q = arith.mulf %x, %y fastmath<contract> : vector<8xf32>
    %t = arith.addf %q, %c : vector<8xf32>
    return %s, %t : vector<8xf32>, vector<8xf32>
  }
  // The product is there anyway.
  // CHECK-LABEL: func @product_used(
  // CHECK-NOT: llvm.inline_asm
  // CHECK: return
  func.func @product_used(%x: vector<8xf32>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
    %c = arith.constant dense<1.0> : vector<8xf32>
    %p = arith.mulf %x, %y fastmath<contract> : vector<8xf32>
    %s = arith.addf %p, %c fastmath<contract> : vector<8xf32>
    return %s, %p : vector<8xf32>, vector<8xf32>
  }

  // One register, other types and shapes, and sums to what varies stay.
  // CHECK-LABEL: func @others(
  // CHECK-COUNT-6: math.fma
  // CHECK: return
  func.func @others(%s: f32, %v: vector<4xf32>, %w: vector<8xf32>, %h: vector<8xf16>, %n: vector<6xf32>, %m: vector<2x8xf32>)
      -> (f32, vector<4xf32>, vector<8xf32>, vector<8xf16>, vector<6xf32>, vector<2x8xf32>) {
    %cs = arith.constant 1.0 : f32
    %cv = arith.constant dense<1.0> : vector<4xf32>
    %ch = arith.constant dense<1.0> : vector<8xf16>
    %cn = arith.constant dense<1.0> : vector<6xf32>
    %cm = arith.constant dense<1.0> : vector<2x8xf32>
    %0 = math.fma %s, %s, %cs : f32
    %1 = math.fma %v, %v, %cv : vector<4xf32>
    %2 = math.fma %w, %w, %w : vector<8xf32>
    %3 = math.fma %h, %h, %ch : vector<8xf16>
    %4 = math.fma %n, %n, %cn : vector<6xf32>
    %5 = math.fma %m, %m, %cm : vector<2x8xf32>
    return %0, %1, %2, %3, %4, %5 : f32, vector<4xf32>, vector<8xf32>, vector<8xf16>, vector<6xf32>, vector<2x8xf32>
  }

  // What was loaded before the sums and is used after them is loaded again, and
  // compared again.
  // CHECK-LABEL: func @again(
  // CHECK: %[[X:.*]] = vector.load
  // CHECK: %[[IS:.*]] = arith.cmpf olt, %[[X]]
  // CHECK: arith.select %[[IS]]
  // CHECK: llvm.inline_asm
  // CHECK: %[[AGAIN:.*]] = vector.load
  // CHECK: arith.mulf %{{.*}}, %[[AGAIN]]
  // CHECK: %[[ONCE_MORE:.*]] = vector.load
  // CHECK: %[[STILL:.*]] = arith.cmpf olt, %[[ONCE_MORE]]
  // CHECK: arith.select %[[STILL]]
  // CHECK: vector.store
  func.func @again(%from: memref<8xf32>, %to: memref<8xf32>) {
    %zero = arith.constant 0 : index
    %c = arith.constant dense<1.0> : vector<8xf32>
    %x = vector.load %from[%zero] : memref<8xf32>, vector<8xf32>
    %is = arith.cmpf olt, %x, %c : vector<8xf32>
    %a = arith.select %is, %x, %c : vector<8xi1>, vector<8xf32>
    %s = math.fma %a, %a, %c : vector<8xf32>
    %p = arith.mulf %s, %x : vector<8xf32>
    %q = arith.select %is, %p, %s : vector<8xi1>, vector<8xf32>
    vector.store %q, %to[%zero] : memref<8xf32>, vector<8xf32>
    return
  }

  // Not past a store, wherever it is.
  // CHECK-LABEL: func @stored_before(
  // CHECK: vector.load
  // CHECK-NOT: vector.load
  // CHECK: return
  func.func @stored_before(%m: memref<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant dense<1.0> : vector<8xf32>
    %x = vector.load %m[%zero] : memref<8xf32>, vector<8xf32>
    vector.store %c, %m[%zero] : memref<8xf32>, vector<8xf32>
    %s = math.fma %x, %x, %one : vector<8xf32>
    %p = arith.mulf %s, %x : vector<8xf32>
    return %p : vector<8xf32>
  }
  // CHECK-LABEL: func @stored_after(
  // CHECK: vector.load
  // CHECK-NOT: vector.load
  // CHECK: return
  func.func @stored_after(%m: memref<8xf32>) -> vector<8xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant dense<1.0> : vector<8xf32>
    %x = vector.load %m[%zero] : memref<8xf32>, vector<8xf32>
    %s = math.fma %x, %x, %one : vector<8xf32>
    vector.store %s, %m[%zero] : memref<8xf32>, vector<8xf32>
    %p = arith.mulf %s, %x : vector<8xf32>
    return %p : vector<8xf32>
  }
}

// -----

// Elsewhere nothing changes: with SVE of a known length,
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64+sve256", arch = "aarch64", features = "+sve", vector_bits = 256, vscale = 2>} {
  // CHECK-LABEL: func @sve(
  // CHECK: math.fma
  func.func @sve(%x: vector<8xf32>) -> vector<8xf32> {
    %c = arith.constant dense<1.0> : vector<8xf32>
    %y = math.fma %x, %x, %c : vector<8xf32>
    return %y : vector<8xf32>
  }
}

// -----

// and on x86.
module attributes {aikernel.target = #aikernel.target<"cpu:x86-64-v3", arch = "x86_64", features = "+avx2,+fma", vector_bits = 256>} {
  // CHECK-LABEL: func @x86(
  // CHECK: math.fma
  func.func @x86(%x: vector<8xf32>) -> vector<8xf32> {
    %c = arith.constant dense<1.0> : vector<8xf32>
    %y = math.fma %x, %x, %c : vector<8xf32>
    return %y : vector<8xf32>
  }
}

// -----

// The registers of a vector are taken where it is made, for both arms.
module attributes {aikernel.target = #aikernel.target<"cpu:aarch64", arch = "aarch64", features = "", vector_bits = 128>} {
  // CHECK-LABEL: func @arms(
  // CHECK-SAME: %[[X:.*]]: vector<8xf32>
  // CHECK-COUNT-2: vector.extract_strided_slice %[[X]]
  // CHECK: scf.if
  // CHECK-COUNT-2: llvm.inline_asm
  // CHECK-NOT: math.fma
  func.func @arms(%x: vector<8xf32>, %c: i1) -> vector<8xf32> {
    %one = arith.constant dense<1.0> : vector<8xf32>
    %two = arith.constant dense<2.0> : vector<8xf32>
    %y = scf.if %c -> vector<8xf32> {
      %a = math.fma %x, %x, %one : vector<8xf32>
      scf.yield %a : vector<8xf32>
    } else {
      %b = math.fma %x, %x, %two : vector<8xf32>
      scf.yield %b : vector<8xf32>
    }
    return %y : vector<8xf32>
  }

  // What was freed is not loaded again.
  // CHECK-LABEL: func @freed(
  // CHECK: vector.load
  // CHECK: memref.dealloc
  // CHECK-NOT: vector.load
  // CHECK: return
  func.func @freed(%m: memref<8xf32>) -> vector<8xf32> {
    %c0 = arith.constant 0 : index
    %one = arith.constant dense<1.0> : vector<8xf32>
    %x = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>
    %y = math.fma %x, %x, %one : vector<8xf32>
    memref.dealloc %m : memref<8xf32>
    %z = arith.subf %y, %x : vector<8xf32>
    return %z : vector<8xf32>
  }
}
