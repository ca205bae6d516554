//===- List.cpp - Showing what an artifact holds --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact goes in; its images, with the features that this CPU lacks, the
// devices of this machine and the signatures of its functions come out. Nothing
// is loaded or run.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Numbers.h"
#include "Program.h"
#include "Report.h"

#include "AIKernel-c/Artifact.h"

namespace aikrun {
namespace {

std::string factsText(const Value &value) {
  std::string text;
  for (size_t i = 0; i < value.dims.size(); ++i) {
    if (value.min[i] > 0)
      text += format(" dim%zu>=%lld", i, (long long)value.min[i]);
    if (value.max[i] >= 0)
      text += format(" dim%zu<=%lld", i, (long long)value.max[i]);
    if (value.multipleOf[i] > 1)
      text += format(" dim%zu%%%lld=0", i, (long long)value.multipleOf[i]);
  }
  if (value.isWeight)
    text += " weight";
  if (value.isMutable)
    text += " mutable";
  if (value.donates >= 0)
    text += format(" donates=result%d", value.donates);
  return text;
}

} // namespace

Error listCommand(const Options &options) {
  Program program;
  if (Error error = program.open(options.artifact, 1, true))
    return error;
  Table images;
  images.header = {"image", "target", "kind", "arch", "bytes", "runs here"};
  for (size_t i = 0; i < program.images().size(); ++i) {
    const Image &image = program.images()[i];
    std::string fits = image.fits ? "yes" : "no";
    if (!image.missing.empty())
      fits += ": lacks " + image.missing;
    images.rows.push_back({std::to_string(i), image.target, image.kind,
                           image.arch, std::to_string(image.bytes), fits});
  }
  Table devices;
  devices.header = {"device", "arch", "MiB"};
  for (const DeviceEntry &device : program.devices())
    devices.rows.push_back(
        {device.name, device.arch,
         device.memory ? std::to_string(device.memory >> 20) : "-"});
  std::string text = images.markdown() + "\n" + devices.markdown() + "\n";
  for (const Function &function : program.functions()) {
    text += function.name + "\n";
    for (const Value &value : function.args)
      text += format("  in  %s %s%s\n", value.name.c_str(),
                     value.text().c_str(), factsText(value).c_str());
    for (const Value &value : function.results)
      text += format("  out %s %s%s\n", value.name.c_str(),
                     value.text().c_str(), factsText(value).c_str());
  }
  if (!print(text))
    return Error(Code::CannotWrite, "standard output cannot be written");
  return Error();
}

} // namespace aikrun
