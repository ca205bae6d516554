// Launches that do not need each other are one: its blocks are theirs, one
// after the other.
// RUN: aik-opt %s --split-input-file --aik-merge-launches | FileCheck %s
// RUN: aik-opt %s --split-input-file --aik-merge-launches --aik-lower-launches | FileCheck %s --check-prefix=STATUS

module attributes {gpu.container_module} {
  gpu.module @device {
    // What is written is the workspace, at addresses that do not come from
    // memory: it may be beside the check. What both get is given once.
    // CHECK-LABEL: gpu.func @f_0_1
    // CHECK-SAME: (%[[POS:.*]]: memref<8xi32>, %[[T:.*]]: memref<64xf32>) kernel
    // CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
    // CHECK: %[[BLOCK:.*]] = gpu.block_id x
    // CHECK: %[[TWO:.*]] = arith.constant 2 : index
    // CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %[[TWO]]
    // CHECK: scf.if %[[FIRST]] {
    // CHECK:   memref.load %[[POS]][%[[BLOCK]]]
    // CHECK:   aikernel.check %{{.*}}, 34, "negative"
    // CHECK: } else {
    // CHECK:   %[[REST:.*]] = arith.subi %[[BLOCK]], %[[TWO]]
    // CHECK:   %[[FIVE:.*]] = arith.constant 5 : index
    // CHECK-NOT: gpu.grid_dim
    // CHECK:   arith.addi %[[REST]], %[[FIVE]]
    // CHECK:   memref.store %{{.*}}, %[[T]]
    // CHECK: }
    // CHECK: gpu.return
    gpu.func @f_0(%pos: memref<8xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : i32
      %b = gpu.block_id x
      %p = memref.load %pos[%b] : memref<8xi32>
      %ok = arith.cmpi sge, %p, %zero : i32
      aikernel.check %ok, 34, "negative"
      gpu.return
    }
    gpu.func @f_1(%pos: memref<8xi32>, %t: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %b = gpu.block_id x
      %n = gpu.grid_dim x
      %at = arith.addi %b, %n : index
      %p = memref.load %pos[%c0] : memref<8xi32>
      %v = arith.sitofp %p : i32 to f32
      memref.store %v, %t[%at] : memref<64xf32>
      gpu.return
    }
    // Results are written behind the check and behind what they are made of;
    // buffers in shared memory are in one place. A number of blocks that is not
    // known is a parameter.
    // CHECK-LABEL: gpu.func @f_2_4
    // CHECK-SAME: (%[[T:.*]]: memref<64xf32>, %[[Y:.*]]: memref<64xf32>, %[[N:.*]]: index, %[[Z:.*]]: memref<64xf32>)
    // CHECK-SAME: workgroup(%[[ROOM:[^ ]*]] : memref<64xf32, {{.*}} {llvm.align = 16 : i64}, %[[OTHER:[^ ]*]] : memref<8xf32, {{.*}} {llvm.align = 16 : i64})
    // CHECK: %[[BLOCK:.*]] = gpu.block_id x
    // CHECK: arith.cmpi ult, %[[BLOCK]], %[[N]]
    // CHECK: memref.store %{{.*}}, %[[ROOM]]
    // CHECK: memref.store %{{.*}}, %[[Y]][%[[BLOCK]]]
    // CHECK: } else {
    // CHECK: %[[REST:.*]] = arith.subi %[[BLOCK]], %[[N]]
    // CHECK: memref.store %{{.*}}, %[[OTHER]]
    // CHECK: memref.store %{{.*}}, %[[ROOM]]
    // CHECK: memref.store %{{.*}}, %[[Z]][%[[REST]]]
    gpu.func @f_2(%t: memref<64xf32>, %y: memref<64xf32>)
        workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %b = gpu.block_id x
      %v = memref.load %t[%b] : memref<64xf32>
      memref.store %v, %s[%b] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %v, %y[%b] : memref<64xf32>
      gpu.return
    }
    // CHECK-LABEL: gpu.func @f_3
    gpu.func @f_3(%x: memref<64xf32>, %z: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %b = gpu.block_id x
      %v = memref.load %x[%b] : memref<64xf32>
      memref.store %v, %z[%b] : memref<64xf32>
      gpu.return
    }
    gpu.func @f_4(%t: memref<64xf32>, %z: memref<64xf32>)
        workgroup(%r: memref<8xf32, #gpu.address_space<workgroup>>, %s: memref<64xf32, #gpu.address_space<workgroup>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %b = gpu.block_id x
      %v = memref.load %t[%b] : memref<64xf32>
      memref.store %v, %r[%b] : memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %v, %s[%b] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %v, %z[%b] : memref<64xf32>
      gpu.return
    }
  }
  // CHECK: func.func private @f_0_1$twin(%[[POS:.*]]: memref<8xi32>, %[[T:.*]]: memref<64xf32>) {
  // CHECK:   memref.load %[[POS]]
  // CHECK:   aikernel.check
  // CHECK:   memref.store %{{.*}}, %[[T]]
  // CHECK:   return
  // CHECK-NOT: @f_0$twin
  // CHECK-NOT: @f_1$twin
  func.func private @f_0$twin(%pos: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %p = memref.load %pos[%c0] : memref<8xi32>
    %ok = arith.cmpi sge, %p, %zero : i32
    aikernel.check %ok, 34, "negative"
    return
  }
  func.func private @f_1$twin(%pos: memref<8xi32>, %t: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %t[%c0] : memref<64xf32>
    return
  }
  func.func private @f_2$twin(%t: memref<64xf32>, %y: memref<64xf32>) {
    return
  }
  func.func private @f_3$twin(%x: memref<64xf32>, %z: memref<64xf32>) {
    return
  }
  func.func private @f_4$twin(%t: memref<64xf32>, %z: memref<64xf32>) {
    return
  }
  // What is launched on a condition comes before those that are merged.
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:.*]]: memref<64xf32>, %[[POS:.*]]: memref<8xi32>, %[[N:.*]]: index, %[[Y:.*]]: memref<64xf32> {{.*}}, %[[Z:.*]]: memref<64xf32>
  // CHECK: %[[T:.*]] = memref.view
  // CHECK: %[[SEVEN:.*]] = arith.constant 7 : index
  // CHECK: gpu.launch_func @device::@f_0_1 blocks in (%[[SEVEN]], {{.*}} args(%[[POS]] : memref<8xi32>, %[[T]] : memref<64xf32>)
  // CHECK: scf.if
  // CHECK:   gpu.launch_func @device::@f_3
  // CHECK: %[[SUM:.*]] = arith.addi %[[N]], %{{.*}} : index
  // CHECK: gpu.launch_func @device::@f_2_4 blocks in (%[[SUM]], {{.*}} args(%[[T]] : memref<64xf32>, %[[Y]] : memref<64xf32>, %[[N]] : index, %[[Z]] : memref<64xf32>)
  // CHECK-NOT: gpu.launch_func
  // CHECK: return
  func.func @f(%x: memref<64xf32>, %pos: memref<8xi32>, %n: index, %y: memref<64xf32> {aikernel.result = 0 : i64},
               %z: memref<64xf32> {aikernel.donor = 0 : i64, aikernel.result = 1 : i64}, %w: memref<?xi8> {aikernel.workspace})
      attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @device::@f_0 blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1) args(%pos : memref<8xi32>)
    %t = memref.view %w[%c0][] : memref<?xi8> to memref<64xf32>
    gpu.launch_func @device::@f_1 blocks in (%c5, %c1, %c1) threads in (%c64, %c1, %c1) args(%pos : memref<8xi32>, %t : memref<64xf32>)
    gpu.launch_func @device::@f_2 blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1) args(%t : memref<64xf32>, %y : memref<64xf32>)
    %from = memref.extract_aligned_pointer_as_index %x : memref<64xf32> -> index
    %to = memref.extract_aligned_pointer_as_index %z : memref<64xf32> -> index
    %other = arith.cmpi ne, %from, %to : index
    scf.if %other {
      gpu.launch_func @device::@f_3 blocks in (%c64, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : memref<64xf32>, %z : memref<64xf32>)
    }
    gpu.launch_func @device::@f_4 blocks in (%c64, %c1, %c1) threads in (%c64, %c1, %c1) args(%t : memref<64xf32>, %z : memref<64xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @device {
    // Behind the check: it would read out of bounds without it. Each kind of
    // block waits for itself, and looks at the status then.
    // CHECK-LABEL: gpu.func @g_0_2
    // STATUS-LABEL: gpu.func @g_0_2
    // STATUS: %[[STATUS:.*]] = llvm.inttoptr
    // STATUS: scf.if
    // STATUS: aikernel.awaits
    // STATUS-NEXT: llvm.load %[[STATUS]]
    // STATUS-NEXT: aikernel.propagate
    // STATUS: aikernel.check {{.*}} "negative" env %[[STATUS]] : !llvm.ptr {aikernel.check_number = 2 : i32}
    // STATUS: else
    // STATUS: aikernel.awaits
    // STATUS-NEXT: llvm.load %[[STATUS]]
    // STATUS-NEXT: aikernel.propagate
    // STATUS: aikernel.check {{.*}} "too large" env %[[STATUS]] : !llvm.ptr {aikernel.check_number = 1 : i32}
    gpu.func @g_0(%pos: memref<8xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      llvm.inline_asm has_side_effects {aikernel.awaits} "", "" : () -> ()
      %p = memref.load %pos[%c0] : memref<8xi32>
      %ok = arith.cmpi sge, %p, %zero : i32
      aikernel.check %ok, 34, "negative"
      gpu.return
    }
    // CHECK-LABEL: gpu.func @g_1
    gpu.func @g_1(%pos: memref<8xi32>, %x: memref<64xf32>, %t: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %b = gpu.block_id x
      llvm.inline_asm has_side_effects {aikernel.awaits} "", "" : () -> ()
      %p = memref.load %pos[%b] : memref<8xi32>
      %at = arith.index_cast %p : i32 to index
      %v = memref.load %x[%at] : memref<64xf32>
      memref.store %v, %t[%b] : memref<64xf32>
      gpu.return
    }
    gpu.func @g_2(%pos: memref<8xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %limit = arith.constant 64 : i32
      llvm.inline_asm has_side_effects {aikernel.awaits} "", "" : () -> ()
      %p = memref.load %pos[%c0] : memref<8xi32>
      %ok = arith.cmpi slt, %p, %limit : i32
      aikernel.check %ok, 34, "too large"
      gpu.return
    }
    // Other threads, or a cluster: not with others.
    // CHECK-LABEL: gpu.func @g_3(
    gpu.func @g_3(%t: memref<64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %b = gpu.block_id x
      %v = arith.constant 0.0 : f32
      memref.store %v, %t[%b] : memref<64xf32>
      gpu.return
    }
    // CHECK-LABEL: gpu.func @g_4(
    gpu.func @g_4(%t: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %b = gpu.block_id x
      %v = arith.constant 0.0 : f32
      memref.store %v, %t[%b] : memref<64xf32>
      gpu.return
    }
    // The same bytes of the workspace as g_1 writes.
    // CHECK-LABEL: gpu.func @g_5(
    gpu.func @g_5(%t: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %b = gpu.block_id x
      %v = arith.constant 0.0 : f32
      memref.store %v, %t[%b] : memref<64xf32>
      gpu.return
    }
  }
  func.func private @g_0$twin(%pos: memref<8xi32>) {
    return
  }
  func.func private @g_1$twin(%pos: memref<8xi32>, %x: memref<64xf32>, %t: memref<64xf32>) {
    return
  }
  func.func private @g_2$twin(%pos: memref<8xi32>) {
    return
  }
  func.func private @g_3$twin(%t: memref<64xf32>) {
    return
  }
  func.func private @g_4$twin(%t: memref<64xf32>) {
    return
  }
  func.func private @g_5$twin(%t: memref<64xf32>) {
    return
  }
  // CHECK-LABEL: func.func @g(
  // CHECK: gpu.launch_func @device::@g_0_2
  // CHECK: gpu.launch_func @device::@g_3
  // CHECK: gpu.launch_func @device::@g_4
  // CHECK: gpu.launch_func @device::@g_1
  // CHECK: gpu.launch_func @device::@g_5
  // CHECK-NOT: gpu.launch_func
  func.func @g(%x: memref<64xf32>, %pos: memref<8xi32>, %w: memref<?xi8> {aikernel.workspace})
      attributes {aikernel.entry = "run"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %t = memref.view %w[%c0][] : memref<?xi8> to memref<64xf32>
    %u = memref.view %w[%c256][] : memref<?xi8> to memref<64xf32>
    %v = memref.view %w[%c512][] : memref<?xi8> to memref<64xf32>
    %s = memref.view %w[%c128][] : memref<?xi8> to memref<64xf32>
    gpu.launch_func @device::@g_0 blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%pos : memref<8xi32>)
    gpu.launch_func @device::@g_1 blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%pos : memref<8xi32>, %x : memref<64xf32>, %t : memref<64xf32>)
    gpu.launch_func @device::@g_2 blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%pos : memref<8xi32>)
    gpu.launch_func @device::@g_3 blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%v : memref<64xf32>)
    gpu.launch_func @device::@g_4 blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%u : memref<64xf32>)
    gpu.launch_func @device::@g_5 blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%s : memref<64xf32>)
    return
  }
}
