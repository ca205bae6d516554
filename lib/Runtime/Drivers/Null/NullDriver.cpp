//===- NullDriver.cpp - The device that does nothing ----------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accepts what every device accepts, checks it the same way, completes it and
// executes none of it. It measures the cost of the runtime itself, and it is
// the driver to copy when a new one is begun.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Driver.h"

#include <stdio.h>

using namespace aik;

namespace {
struct NullDevice final : Device {
  using Device::Device;

  void describe(aik_device_info &out) override {
    out.kind = AIK_DEVICE_NULL;
    out.threads = 1;
    snprintf(out.name, sizeof(out.name), "null");
    snprintf(out.arch, sizeof(out.arch), "none");
  }
  void destroy() override { dispose(runtime.sys, this); }
};
} // namespace

int32_t aik::countNull(Runtime &) { return 1; }

int32_t aik::openNull(Runtime &runtime, uint32_t index, uint32_t,
                      Device **out) {
  *out = create<NullDevice>(runtime.sys, runtime, index);
  return *out ? 0 : fail(AIK_ENOMEM, "no memory for a device");
}
