//===- CudaTablesTest.cpp - Launchers with large tables -------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: ManyKernelsLauncher.cpp, with as many kernels as may be
// (argv[2]) and with more (argv[4]). What comes out: a sentence, soon enough
// for the limit of this test.
//
//===----------------------------------------------------------------------===//

#include "CudaTestSupport.h"

using namespace aiktest;

namespace {
std::string larger;

std::string load(const std::string &launcher) {
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  c.description.images[2].bytes = launcher;
  std::string said = c.load("sm=80");
  CHECK_EQ(c.status, -AIK_ENOEXEC);
  return said;
}

void readsLargeTables() {
  CHECK(has(load(fake().launcher),
            "row 4000 of aik$maps of the launcher of 'nvidia:sm_80' is not of "
            "a kernel that has tensor maps"));
}

void refusesLargerOnes() {
  CHECK(has(load(larger),
            "'nvidia:sm_80' has more than 4096 rows in aik$kernels"));
}
} // namespace

int main(int argc, char **argv) {
  useFakeCuda(argc, argv);
  larger = fileBytes(argc > 4 ? argv[4] : "");
  run("reads large tables", readsLargeTables);
  run("refuses larger ones", refusesLargerOnes);
  return finish();
}
