//===- Bench.cpp - Measuring functions ------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are prepared and memory is allocated once, outside the clock. A
// sample is the mean of as many calls as take twenty microseconds, so that
// the clock's own cost does not show.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include "Machine.h"
#include "Report.h"

#include <algorithm>

namespace aikrun {
namespace {

constexpr double shortestSample = 20e-6;
constexpr double shortestRemoteSample = 2e-3;

std::string rate(double amount, double seconds) {
  return seconds > 0 ? format("%.4g", amount / seconds * 1e-9) : "-";
}

std::string share(double amount, double seconds, double peak) {
  return seconds > 0 && peak > 0
             ? format("%.1f%%", 100 * amount / seconds / peak)
             : "-";
}

std::string jsonReport(const Options &options, const std::string &target,
                       uint32_t threads, double peakFlops,
                       const std::vector<Measurement> &measurements) {
  std::string out =
      format("{\n  \"format\": \"aik-bench\",\n  \"version\": 1,\n"
             "  \"artifact\": %s,\n  \"target\": %s,\n"
             "  \"device\": %s,\n  \"threads\": %u,\n"
             "  \"warmup\": %u,\n  \"repeat\": %u,\n"
             "  \"peak_flops\": %s,\n  \"results\": [",
             jsonString(options.artifact).c_str(), jsonString(target).c_str(),
             jsonString(options.device).c_str(), threads, options.warmup,
             options.repeat, jsonNumber(peakFlops).c_str());
  for (size_t i = 0; i < measurements.size(); ++i) {
    const Measurement &m = measurements[i];
    const std::pair<const char *, double> numbers[] = {
        {"median_s", m.summary.median},
        {"mean_s", m.summary.mean},
        {"stddev_s", m.summary.deviation},
        {"min_s", m.summary.min},
        {"max_s", m.summary.max},
        {"flops", static_cast<double>(m.cost.flops)},
        {"bytes", static_cast<double>(m.cost.bytes)},
        {"peak_bytes_per_s", m.peakBandwidth},
        {"calls_per_sample", static_cast<double>(m.callsPerSample)}};
    out += format("%s\n    {\n      \"function\": %s,\n      \"shapes\": %s,\n",
                  i ? "," : "", jsonString(m.function).c_str(),
                  jsonString(m.shapes).c_str());
    for (const auto &[name, number] : numbers)
      out += format("      \"%s\": %s,\n", name, jsonNumber(number).c_str());
    out += "      \"samples_s\": [";
    for (size_t j = 0; j < m.samples.size(); ++j)
      out += (j ? ", " : "") + jsonNumber(m.samples[j]);
    out += "]\n    }";
  }
  return out + "\n  ]\n}\n";
}

/// `calls` runs as one recording.
Error record(const Module &module, const Function &function, CallMemory &memory,
             uint64_t calls, Recording &recording) {
  if (Error error = module.beginRecording(function))
    return error;
  Error failure;
  for (uint64_t i = 0; i < calls && !failure; ++i)
    failure = module.run(function, memory.argViews, memory.resultViews,
                         memory.prepared, nullptr, 0, true);
  Error ended = module.endRecording(function, recording);
  return failure ? std::move(failure) : std::move(ended);
}

} // namespace

Error measure(const Module &module, const Function &function,
              std::vector<Tensor> &args, const Options &options,
              const CallSettings &settings, uint32_t threads,
              Measurement &measurement) {
  CallMemory memory;
  measurement.function = function.name;
  for (const Tensor &arg : args)
    measurement.shapes += (measurement.shapes.empty() ? "" : ",") +
                          std::string(arg.type->name) + "[" +
                          (arg.dims.empty() ? "" : shapeText(arg.dims)) + "]";
  if (Error error = prepareCall(module, function, args, settings, memory))
    return error;
  if (Error error = module.cost(function, viewsOf(args), measurement.cost))
    return error;
  Error failure;
  auto secondsPerCall = [&](uint64_t calls) {
    uint64_t begin = nowNanoseconds();
    for (uint64_t i = 0; i < calls && !failure; ++i)
      failure = module.run(function, memory.argViews, memory.resultViews,
                           memory.prepared, memory.workspace.data(),
                           memory.workspace.size(), module.isRemote());
    if (module.isRemote() && !failure)
      failure = module.wait(function);
    return static_cast<double>(nowNanoseconds() - begin) * 1e-9 /
           static_cast<double>(calls);
  };
  for (uint32_t i = 0; i < options.warmup && !failure; ++i)
    secondsPerCall(1);
  double fastest = secondsPerCall(1);
  for (int i = 0; i < 2; ++i)
    fastest = std::min(fastest, secondsPerCall(1));
  // On a device many runs are launched before one is waited for, so that the
  // wait does not show.
  double shortest = module.isRemote() ? shortestRemoteSample : shortestSample;
  double calls = shortest / std::max(fastest, 1e-9);
  measurement.callsPerSample = static_cast<uint64_t>(std::max(1.0, calls));
  Recording recording;
  if (options.graph && !failure) {
    if (Error error = record(module, function, memory,
                             measurement.callsPerSample, recording))
      return error;
  }
  auto secondsPerRecordedCall = [&] {
    uint64_t begin = nowNanoseconds();
    failure = module.launch(function, recording);
    if (!failure)
      failure = module.wait(function);
    return static_cast<double>(nowNanoseconds() - begin) * 1e-9 /
           static_cast<double>(measurement.callsPerSample);
  };
  if (options.graph && !failure)
    secondsPerRecordedCall(); // the first launch also uploads it
  for (uint32_t i = 0; i < options.repeat && !failure; ++i)
    measurement.samples.push_back(
        options.graph ? secondsPerRecordedCall()
                      : secondsPerCall(measurement.callsPerSample));
  if (failure)
    return failure;
  measurement.summary = summarize(measurement.samples);
  if (module.isRemote())
    return Error();
  return measurePeakBandwidth(
      threads,
      static_cast<uint64_t>(std::max<int64_t>(measurement.cost.bytes, 0)),
      measurement.peakBandwidth);
}

std::string benchReport(const Options &options, const std::string &target,
                        uint32_t threads, double peakFlops,
                        const std::vector<Measurement> &measurements) {
  if (options.format == Format::Json)
    return jsonReport(options, target, threads, peakFlops, measurements);
  bool forPeople = options.format == Format::Markdown;
  Table table;
  if (forPeople)
    table.header = {"function", "median",  "mean", "std dev", "min",   "max",
                    "GFLOP/s",  "of peak", "GB/s", "of peak", "shapes"};
  else
    table.header = {"function",
                    "shapes",
                    "median_s",
                    "mean_s",
                    "stddev_s",
                    "min_s",
                    "max_s",
                    "gflop_per_s",
                    "share_of_flops",
                    "gb_per_s",
                    "share_of_bandwidth",
                    "repeat",
                    "warmup"};
  for (const Measurement &m : measurements) {
    const Summary &s = m.summary;
    double flops = static_cast<double>(m.cost.flops);
    double bytes = static_cast<double>(m.cost.bytes);
    auto time = [&](double seconds) {
      return forPeople ? timeText(seconds) : format("%.9g", seconds);
    };
    std::vector<std::string> numbers = {
        time(s.median),
        time(s.mean),
        time(s.deviation),
        time(s.min),
        time(s.max),
        rate(flops, s.median),
        share(flops, s.median, peakFlops),
        rate(bytes, s.median),
        share(bytes, s.median, m.peakBandwidth)};
    std::vector<std::string> row = {m.function};
    if (!forPeople)
      row.push_back(m.shapes);
    row.insert(row.end(), numbers.begin(), numbers.end());
    if (forPeople) {
      row.push_back(m.shapes);
    } else {
      row.push_back(std::to_string(options.repeat));
      row.push_back(std::to_string(options.warmup));
    }
    table.rows.push_back(std::move(row));
  }
  if (!forPeople)
    return table.csv();
  std::string out =
      format("image %s on %s, %s%u warmup, %u repeats\n\n", target.c_str(),
             options.device.c_str(),
             threads == 0   ? ""
             : threads == 1 ? "1 thread, "
                            : format("%u threads, ", threads).c_str(),
             options.warmup, options.repeat);
  out += table.markdown();
  if (peakFlops == 0)
    return out;
  double slowest = 0, quickest = 0;
  for (const Measurement &m : measurements) {
    slowest =
        slowest == 0 ? m.peakBandwidth : std::min(slowest, m.peakBandwidth);
    quickest = std::max(quickest, m.peakBandwidth);
  }
  out += format("\nPeaks measured in this run: %.4g GFLOP/s (f32 "
                "multiply-adds); reading or copying as many bytes as the "
                "function touches: %.4g",
                peakFlops * 1e-9, slowest * 1e-9);
  if (quickest > slowest)
    out += format(" to %.4g", quickest * 1e-9);
  return out + " GB/s.\n";
}

} // namespace aikrun
