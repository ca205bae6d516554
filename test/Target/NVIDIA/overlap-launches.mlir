// Kernels of a function that launches several may begin before those before
// them have ended: all that another one may touch is touched after the wait.
// RUN: aik-opt %s --split-input-file --aik-overlap-launches | FileCheck %s
// RUN: aik-opt %s --split-input-file --aik-overlap-launches --aik-lower-launches | FileCheck %s --check-prefix=STATUS

module attributes {gpu.container_module,
    aikernel.target = #aikernel.target<"nvidia:sm_90a", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  gpu.module @device {
    // Weights before the wait, as words through it; x after it, but before what
    // writes shared memory; what was donated is no weight.
    // CHECK-LABEL: gpu.func @f_0
    // CHECK-SAME: (%[[W:.*]]: memref<64x256xbf16>, %[[X:.*]]: memref<256xbf16>, %[[D:.*]]: memref<256xbf16>, %[[Y:.*]]: memref<64xf32>)
    // CHECK-SAME: attributes {aikernel.overlaps,
    // CHECK-NOT: load
    // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "griddepcontrol.launch_dependents;", ""
    // CHECK: %[[ROW:.*]] = memref.subview %[[W]]
    // CHECK: %[[LOADED:.*]] = vector.load %[[ROW]]
    // CHECK: vector.bitcast %[[LOADED]] : vector<8xbf16> to vector<4xi32>
    // CHECK-NOT: load
    // CHECK: %[[WORDS:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "griddepcontrol.wait;", "=r,=r,=r,=r,0,1,2,3,~{memory}"
    // CHECK-SAME: (i32, i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
    // CHECK: vector.load %[[X]]
    // CHECK: vector.load %[[D]]
    // CHECK: {aikernel.awaits} ""
    // CHECK: memref.store %{{.*}}, %{{.*}}#gpu.address_space<workgroup>
    // CHECK: %[[BACK:.*]] = vector.from_elements
    // CHECK: vector.bitcast %[[BACK]] : vector<4xi32> to vector<8xbf16>
    // CHECK: memref.load %[[Y]]
    // The status is read after all of it.
    // STATUS-LABEL: gpu.func @f_0
    // STATUS: griddepcontrol.wait
    // STATUS: aikernel.awaits
    // STATUS: llvm.load %{{.*}} : !llvm.ptr -> i32
    gpu.func @f_0(%w: memref<64x256xbf16>, %x: memref<256xbf16>, %d: memref<256xbf16>, %y: memref<64xf32>)
        workgroup(%s: memref<1xf32, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %s[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      %t = gpu.thread_id x
      %at = arith.muli %t, %c8 : index
      %b = gpu.block_id x
      %xs = vector.load %x[%at] : memref<256xbf16>, vector<8xbf16>
      %ds = vector.load %d[%at] : memref<256xbf16>, vector<8xbf16>
      %row = memref.subview %w[%b, 0] [1, 256] [1, 1] : memref<64x256xbf16> to memref<1x256xbf16, strided<[256, 1], offset: ?>>
      %ws = vector.load %row[%c0, %at] : memref<1x256xbf16, strided<[256, 1], offset: ?>>, vector<8xbf16>
      %p = arith.mulf %xs, %ws : vector<8xbf16>
      %q = arith.mulf %p, %ds : vector<8xbf16>
      %sum = vector.reduction <add>, %q : vector<8xbf16> into bf16
      %wide = arith.extf %sum : bf16 to f32
      memref.store %wide, %y[%b] : memref<64xf32>
      %again = memref.load %y[%b] : memref<64xf32>
      memref.store %again, %y[%c0] : memref<64xf32>
      gpu.return
    }
    // It writes an argument, which is no weight for any kernel then; and what
    // is behind a check stays there.
    // CHECK-LABEL: gpu.func @f_1
    // CHECK: griddepcontrol.launch_dependents
    // CHECK-NOT: vector.load
    // CHECK: griddepcontrol.wait;", "=r,0,~{memory}"
    // CHECK: aikernel.awaits
    // CHECK: aikernel.check
    // CHECK: vector.load
    gpu.func @f_1(%w: memref<256xf32>, %x: memref<256xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %t = gpu.thread_id x
      %zero = arith.constant 0 : i32
      %v = memref.load %x[%t] : memref<256xi32>
      %ok = arith.cmpi sge, %v, %zero : i32
      aikernel.check %ok, 22, "is negative"
      %loaded = vector.load %w[%t] : memref<256xf32>, vector<4xf32>
      vector.store %loaded, %w[%t] : memref<256xf32>, vector<4xf32>
      gpu.return
    }
    // CHECK-LABEL: gpu.func @f_2
    // CHECK-NOT: vector.load
    // CHECK: griddepcontrol.wait;", "~{memory}"
    // CHECK: vector.load
    gpu.func @f_2(%w: memref<256xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %t = gpu.thread_id x
      %loaded = vector.load %w[%t] : memref<256xf32>, vector<4xf32>
      gpu.return
    }
    // One alone is left as it is.
    // CHECK-LABEL: gpu.func @g_0
    // CHECK-NOT: griddepcontrol
    gpu.func @g_0(%w: memref<256xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }
  }
  func.func private @f_0$twin(%a0: memref<64x256xbf16>, %a1: memref<256xbf16>, %a2: memref<256xbf16>, %a3: memref<64xf32>) {
    return
  }
  func.func private @f_1$twin(%a0: memref<256xf32>, %a1: memref<256xi32>) {
    return
  }
  func.func private @f_2$twin(%a0: memref<256xf32>) {
    return
  }
  func.func private @g_0$twin(%a0: memref<256xf32>) {
    return
  }
  func.func @f(%w: memref<64x256xbf16>, %d: memref<256xbf16>, %v: memref<256xf32>, %n: memref<256xi32>,
               %r: memref<256xbf16> {aikernel.result = 0 : i64, aikernel.donor = 1 : i64},
               %space: memref<4096xi8> {aikernel.workspace}) attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %x = memref.view %space[%c0][] : memref<4096xi8> to memref<256xbf16>
    %y = memref.view %space[%c1024][] : memref<4096xi8> to memref<64xf32>
    gpu.launch_func @device::@f_0 blocks in (%c64, %c1, %c1) threads in (%c32, %c1, %c1) args(%w : memref<64x256xbf16>, %x : memref<256xbf16>, %d : memref<256xbf16>, %y : memref<64xf32>)
    gpu.launch_func @device::@f_1 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%v : memref<256xf32>, %n : memref<256xi32>)
    gpu.launch_func @device::@f_2 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%v : memref<256xf32>)
    return
  }
  func.func @g(%w: memref<256xf32>) attributes {aikernel.entry = "run"} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @device::@g_0 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%w : memref<256xf32>)
    return
  }
}

// -----

// Older devices run one after the other.
// CHECK-LABEL: gpu.func @h_0
// CHECK-NOT: griddepcontrol
module attributes {gpu.container_module,
    aikernel.target = #aikernel.target<"nvidia:sm_80", arch = "nvptx64", features = "+ptx80", vector_bits = 128>} {
  gpu.module @device {
    gpu.func @h_0(%w: memref<256xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      gpu.return
    }
  }
  func.func private @h_0$twin(%a0: memref<256xf32>) {
    return
  }
  func.func @h(%w: memref<256xf32>) attributes {aikernel.entry = "run"} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @device::@h_0 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%w : memref<256xf32>)
    gpu.launch_func @device::@h_0 blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%w : memref<256xf32>)
    return
  }
}
