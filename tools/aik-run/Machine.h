//===- Machine.h - What this machine can do at most -----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two small loops of our own, run several times on as many threads as the
// function may use; the best try counts.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_MACHINE_H
#define AIK_RUN_MACHINE_H

#include "Error.h"

#include <cstdint>

namespace aikrun {

/// f32 multiply-adds in registers, counted as two operations each.
double measurePeakFlops(uint32_t threads);

/// Bytes per second of reading, or of copying (bytes read plus written), over
/// `footprint` bytes: what a function can reach that touches as much memory.
Error measurePeakBandwidth(uint32_t threads, uint64_t footprint,
                           double &bytesPerSecond);

/// Nanoseconds of the monotonic clock.
uint64_t nowNanoseconds();

} // namespace aikrun

#endif // AIK_RUN_MACHINE_H
