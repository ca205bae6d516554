//===- Bench.h - Measuring functions --------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions with their inputs go in; a table of times, of rates and of shares
// of the machine's measured peak comes out.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_BENCH_H
#define AIK_RUN_BENCH_H

#include "Execution.h"
#include "Options.h"
#include "Stats.h"

namespace aikrun {

struct Measurement {
  std::string function, shapes;
  uint64_t callsPerSample = 1;
  std::vector<double> samples; // seconds of one call
  Summary summary;
  aik_cost cost = {};
  double peakBandwidth = 0; // bytes per second at the function's footprint
};

Error measure(const Module &module, const Function &function,
              std::vector<Tensor> &args, const Options &options,
              const CallSettings &settings, uint32_t threads,
              Measurement &measurement);

/// The report in the format that the options name.
std::string benchReport(const Options &options, const std::string &target,
                        uint32_t threads, double peakFlops,
                        const std::vector<Measurement> &measurements);

} // namespace aikrun

#endif // AIK_RUN_BENCH_H
