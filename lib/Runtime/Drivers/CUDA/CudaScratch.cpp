//===- CudaScratch.cpp - The memory that a module keeps on a GPU ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scratch memory, which runs use one after the other, on whichever stream, and
// the status word, by which kernels say that a check has failed.
//
//===----------------------------------------------------------------------===//

#include "Drivers/CUDA/CudaGraph.h"

using namespace aik;

/// The run's stream waits for the one that used the blocks last. An event is
/// recorded behind each run on a caller's stream, which may be gone by now.
int32_t CudaModule::takeScratch() {
  const cu::Functions &call = device.cuda.call;
  if (!device.isOnCallersStream && !scratchIsCallers)
    return 0;
  cu::Result code = cu::success;
  if (!scratchIsFree)
    code = call.EventCreate(&scratchIsFree, cu::eventDisableTiming);
  if (code == cu::success && !scratchIsCallers)
    code = call.EventRecord(scratchIsFree, device.stream);
  if (code == cu::success)
    code = call.StreamWaitEvent(device.target, scratchIsFree, 0);
  if (int32_t failed =
          device.check(code, "memory of the runtime's cannot be used on this "
                             "stream"))
    return failed;
  scratchIsCallers = usesScratch = device.isOnCallersStream;
  return 0;
}

void CudaModule::passOnScratch() {
  const cu::Functions &call = device.cuda.call;
  if (usesScratch &&
      call.EventRecord(scratchIsFree, device.target) != cu::success)
    call.StreamSynchronize(device.target);
  usesScratch = false;
}

int32_t CudaModule::scratch(Scratch which, uint64_t bytes, void *&memory) {
  cu::Pointer address = 0;
  if (device.recording) {
    if (int32_t failed = device.recording->scratch(which, bytes, address))
      return failed;
  } else {
    CudaBlock &block = blocks[uint32_t(which)];
    bool grows = block.bytes < bytes;
    if (grows && scratchIsFree)
      if (int32_t failed =
              device.check(device.cuda.call.EventSynchronize(scratchIsFree),
                           "waiting for the device failed"))
        return failed;
    if (int32_t failed = device.grow(block, bytes))
      return failed;
    if (int32_t failed = takeScratch())
      return failed;
    address = block.address;
  }
  memory = reinterpret_cast<void *>(address);
  return 0;
}

//===----------------------------------------------------------------------===//
// Checks of kernels
//===----------------------------------------------------------------------===//

/// Done on return: the next kernel may be on another stream.
cu::Result CudaModule::clearStatus() {
  const cu::Functions &call = device.cuda.call;
  cu::Result code =
      call.MemsetD8Async(status, 0, sizeof(aik_device_status), device.stream);
  return code == cu::success ? call.StreamSynchronize(device.stream) : code;
}

cu::Result CudaModule::fetchStatus(WaitFor what) {
  // Who has not waited for a stream finds what failed there the next time.
  bool isEverything = what == WaitFor::Everything;
  bool isWanted = statusIsStale || (isEverything && wasOnCallersStream);
  if (!isWanted || !fetched)
    return cu::success;
  statusIsStale = device.hasUnsettledWork && !isEverything;
  return device.cuda.call.MemcpyAsync(reinterpret_cast<cu::Pointer>(fetched),
                                      status, sizeof(uint32_t), device.stream);
}

int32_t CudaModule::keepFailedCheck() {
  uint32_t failed = fetched ? __atomic_load_n(fetched, __ATOMIC_RELAXED) : 0;
  if (failed == 0)
    return 0;
  if (int32_t sticky =
          device.check(clearStatus(), "a failed check cannot be cleared"))
    return sticky;
  // Only now: copies that others have put on the stream are done, too.
  __atomic_store_n(fetched, 0, __ATOMIC_RELAXED);
  checks.noteFailure(failed, device.launchCount());
  return 0;
}

int32_t CudaModule::takeFailedCheck(WaitFor what) {
  bool isEverything = what == WaitFor::Everything;
  uint32_t failed = checks.take(
      &threadState(), device.hasCallersWork && !isEverything, isEverything);
  if (failed == 0)
    return 0;
  if (failed > table.checkCount)
    return fail(AIK_EIO,
                "a kernel of image '%.120s' reports check %u, of %u that "
                "there are",
                imageTarget, failed, table.checkCount);
  const aik_device_check &check = table.checks[failed - 1];
  int32_t result = fail(check.code, "%s", check.text);
  threadState().record.fault.device = device.index;
  return result;
}
