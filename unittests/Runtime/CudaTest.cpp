//===- CudaTest.cpp - Calls, checks and graphs on the fake CUDA driver ----===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the C API on nvidia:0: which image is taken, results, waiting,
// checks of kernels, recorded runs, and the sentence for what cannot be.
//
//===----------------------------------------------------------------------===//

#include "CudaTestSupport.h"

#include <future>
#include <thread>

using namespace aiktest;

namespace {
//===----------------------------------------------------------------------===//
// Devices and images
//===----------------------------------------------------------------------===//

void findsDevices() {
  CudaSession s("count=2,sm=89,memory=123456");
  aik_device_info all[4];
  AIK_INIT(&all[0]);
  CHECK_EQ(aik_device_enumerate(s.runtime, all, 4), 4);
  CHECK_EQ(all[3].name, "nvidia:1");
  CHECK_EQ(all[3].index, 3);
  CHECK_EQ(all[3].arch, "sm_89");
  CHECK_EQ(all[3].memory_bytes, 123456);
  CHECK_EQ(all[3].kind, AIK_DEVICE_GPU);
  auto info = make<aik_runtime_info>();
  CHECK_EQ(aik_runtime_describe(s.runtime, &info), 0);
  CHECK_EQ(info.device_count, 4);
  aik_handle second = 0;
  CHECK_EQ(aik_device_open(s.runtime, "nvidia:1", &second), 0);
  CHECK_EQ(aik_device_close(s.runtime, second), 0);
  CHECK_EQ(aik_device_open(s.runtime, "nvidia:2", &second), -AIK_ENODEV);
  CHECK_SAYS("there are 2 devices of nvidia, none with number 2");
  for (const char *name : {"nvidia:", "nvidia:x", "nvidia:0x", "nvidia"})
    CHECK_EQ(aik_device_open(s.runtime, name, &second), -AIK_ENODEV);
}

/// Opens nvidia:0 alone; the sentence says why not.
int32_t tryToOpen(const char *knobs, const char *driver = nullptr) {
  fake().configure(knobs);
  CudaSys sys;
  if (driver)
    sys.driver = driver;
  aik_runtime *runtime = nullptr;
  CHECK_EQ(aik::openRuntime(sys, nullptr, &runtime), 0);
  aik_handle device = 0;
  int32_t status = aik_device_open(runtime, "nvidia:0", &device);
  aik_device_info info = make<aik_device_info>();
  // Looking for devices does not fail, and the sentence stays.
  if (status == -AIK_ENODEV)
    CHECK(aik_device_enumerate(runtime, &info, 1) >= 2);
  CHECK_EQ(aik_runtime_close(runtime), 0);
  CHECK(sys.isClean());
  return status;
}

void saysWhyThereIsNone() {
  CHECK_EQ(tryToOpen("", "libnowhere.so.7"), -AIK_ENODEV);
  CHECK_SAYS("nvidia devices need the CUDA driver: libnowhere.so.7: ");
  CHECK_EQ(tryToOpen("version=11040"), -AIK_ENODEV);
  CHECK_SAYS("version 11.4, 12.0 is the least");
  CHECK_EQ(tryToOpen("count=0"), -AIK_ENODEV);
  CHECK_SAYS("has no device");
  CHECK_EQ(tryToOpen("cuInit:1:100"), -AIK_ENODEV);
  CHECK_SAYS("does not start: CUDA_ERROR_NO_DEVICE (100)");
  CHECK_EQ(tryToOpen("cuGetProcAddress:3:500"), -AIK_ENODEV);
  CHECK_SAYS("does not have cuDeviceGetCount");
  CHECK_EQ(tryToOpen("cuStreamCreate:1:2"), -AIK_ENOMEM);
  CHECK_SAYS("cannot be opened: CUDA_ERROR_OUT_OF_MEMORY");
  CHECK_EQ(tryToOpen(""), 0);
}

void choosesImages() {
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.addLauncher("nvidia:sm_90");
  c.addLauncher("nvidia:sm_90a");
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  c.add(AIK_IMAGE_CUBIN, "nvidia:sm_80", 80, 1);
  c.add(AIK_IMAGE_PTX, "nvidia:sm_90", 90, 2);
  c.add(AIK_IMAGE_CUBIN, "nvidia:sm_90a", 90 | AIK_SM_EXACT, 3);
  c.add(AIK_IMAGE_PTX, "nvidia:sm_90a", 90 | AIK_SM_EXACT, 3);
  c.add(AIK_IMAGE_HSACO, "amd:gfx942", 0x942, 9);
  CHECK_EQ(c.load("sm=90"), "nvidia:sm_90a cubin");
  CHECK_EQ(c.load("sm=80"), "nvidia:sm_80 cubin");
  CHECK_EQ(c.load("sm=86"), "nvidia:sm_80 cubin");
  // Another major capability runs only what its driver compiles.
  CHECK_EQ(c.load("sm=100"), "nvidia:sm_90 ptx");
  CHECK_EQ(c.load("sm=120"), "nvidia:sm_90 ptx");
  // What the driver refuses is compiled by it, from the same target or a lower.
  CHECK_EQ(c.load("sm=90,cuModuleLoadDataEx:1:209"), "nvidia:sm_90a ptx");
  CHECK_EQ(c.load("sm=80,cuModuleLoadDataEx:1:200"), "nvidia:sm_80 ptx");
  CHECK(
      has(c.load("sm=80,cuModuleLoadDataEx:1:2"), "CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK_EQ(c.status, -AIK_ENOMEM);
  CHECK(has(c.load("sm=90,cuModuleLoadDataEx:1:209,cuModuleLoadDataEx:2:218"),
            "refuses ptx image 'nvidia:sm_90a': CUDA_ERROR_INVALID_PTX (218)"));
  CHECK_EQ(c.status, -AIK_ENOEXEC);
  // By name.
  CHECK_EQ(c.load("sm=90", "nvidia:sm_90"), "nvidia:sm_90 ptx");
  CHECK_EQ(c.load("sm=90", "auto"), "nvidia:sm_90a cubin");
  CHECK(has(c.load("sm=100", "nvidia:sm_90a"),
            "image 'nvidia:sm_90a' is a cubin image for sm_90 alone, which "
            "nvidia:0 (sm_100) cannot run"));
  CHECK_EQ(c.status, -AIK_EOPNOTSUPP);
  CHECK(has(c.load("sm=90", "reference"), "is a reference image"));
  CHECK(has(c.load("sm=90", "nvidia:sm_70"), "no image 'nvidia:sm_70'"));
  CHECK_EQ(c.status, -AIK_ENOENT);
  // Nothing fits.
  std::string none = c.load("sm=75");
  CHECK_EQ(c.status, -AIK_EOPNOTSUPP);
  CHECK_EQ(none, "no image fits nvidia:0 (sm_75): 'nvidia:sm_80' is a ptx "
                 "image for sm_80; 'nvidia:sm_90' is a ptx image for sm_90; "
                 "'nvidia:sm_90a' is a cubin image for sm_90 alone");
  // Of many, as many as there is room for, none of them cut.
  for (int i = 1; i < 20; ++i)
    c.add(AIK_IMAGE_PTX, ("nvidia:other_" + std::to_string(i)).c_str(), 100, 2);
  none = c.load("sm=75");
  CHECK(has(none, "'nvidia:other_4' is a ptx image for sm_100; and 15 more"));
  CHECK_EQ(none.substr(none.size() - 8), " 15 more");
  CHECK_EQ(Choice().load("sm=75"), "no image fits nvidia:0 (sm_75): the "
                                   "artifact has none for such devices");
}

void runsNoCubinOfAnotherMajor() {
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_CUBIN, "nvidia:sm_80", 80, 1);
  CHECK_EQ(c.load("sm=89"), "nvidia:sm_80 cubin");
  CHECK(has(c.load("sm=90"), "no image fits nvidia:0 (sm_90)"));
}

/// The CUDA driver is given an address without a size.
void givesTheDriverNothingThatLeavesTheFile() {
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_CUBIN, "nvidia:sm_80", 80, 1);
  auto withCubin = [&](auto damage) {
    TestCubin cubin;
    damage(cubin);
    c.description.images.back().bytes = cubin.bytes();
    std::string said = c.load("sm=80,cuModuleLoadDataEx:1:999");
    CHECK_EQ(c.status, -AIK_ENOEXEC);
    return said;
  };
  CHECK(has(withCubin([](TestCubin &one) { one.header.ident[4] = 1; }),
            "cubin image 'nvidia:sm_80' cannot be loaded: it is not an ELF"));
  CHECK(has(withCubin([](TestCubin &one) { one.header.machine = 183; }),
            "it is not for an NVIDIA GPU"));
  CHECK(has(withCubin([](TestCubin &one) {
              one.header.programHeaders = sizeof(TestCubin);
            }),
            "its program headers are out of range"));
  CHECK(has(withCubin([](TestCubin &one) { one.segment.fileBytes = 1 << 20; }),
            "a segment is out of range"));
  CHECK(has(withCubin([](TestCubin &one) { one.header.sectionCount = 99; }),
            "its section headers are out of range"));
  CHECK(has(withCubin([](TestCubin &one) { one.header.nameSection = 5; }),
            "its section headers are out of range"));
  CHECK(has(withCubin([](TestCubin &one) { one.sections[3].offset = -8; }),
            "a section is out of range"));
  CHECK(has(withCubin([](TestCubin &one) { one.sections[4].name = 32; }),
            "a section refers to what is not there"));
  CHECK(has(withCubin([](TestCubin &one) { one.sections[2].link = 5; }),
            "a section refers to what is not there"));
  CHECK(has(withCubin([](TestCubin &one) { one.names[31] = 'x'; }),
            "a string of its sections has no end"));
  CHECK(has(withCubin([](TestCubin &one) { one.header.nameSection = 3; }),
            "its s"));
  CHECK(has(withCubin([](TestCubin &one) { one.symbols[1].name = 32; }),
            "a symbol refers to what is not there"));
  CHECK(has(withCubin([](TestCubin &one) { one.symbols[1].section = 6; }),
            "a symbol refers to what is not there"));
  CHECK(has(withCubin([](TestCubin &one) { one.sections[2].link = 3; }),
            "its symbols have no names"));
  auto withBytes = [&](std::string bytes) {
    c.description.images.back().bytes = std::move(bytes);
    return c.load("sm=80");
  };
  CHECK(has(withBytes("\177ELF"), "it is too short for an ELF file"));
  CHECK(has(withBytes("// PTX\n" + std::string(99, ' ')), "not an ELF file"));
  CHECK_EQ(withBytes(TestCubin().bytes()), "nvidia:sm_80 cubin");
  // Nor is what is called text looked into as something else.
  c.description.images.pop_back();
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  for (const std::string &bytes :
       {TestCubin().bytes(), std::string("\x50\xed\x55\xba//"),
        std::string("// PTX\n\0more", 12)}) {
    CHECK(has(withBytes(bytes),
              "ptx image 'nvidia:sm_80' cannot be loaded: it is not PTX"));
    CHECK_EQ(c.status, -AIK_ENOEXEC);
  }
}

void needsALauncherForThisCpu() {
  Choice c;
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  CHECK(has(c.load("sm=90"), "'nvidia:sm_80' has no launcher that this "));
  CHECK_EQ(c.status, -AIK_EOPNOTSUPP);
  uint32_t other =
      aik::hostArch() == AIK_ARCH_X86_64 ? AIK_ARCH_AARCH64 : AIK_ARCH_X86_64;
  c.add(AIK_IMAGE_LAUNCHER, "nvidia:sm_80", 0, 0, other);
  c.addLauncher("nvidia:sm_90");
  CHECK(has(c.load("sm=90"), "has no launcher"));
  c.addLauncher("nvidia:sm_80");
  CHECK_EQ(c.load("sm=90"), "nvidia:sm_80 ptx");
}

void refusesWhatCannotBeLoaded() {
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  auto withText = [&](const char *text) {
    c.description.images.back().bytes = text;
    return c.load("sm=80");
  };
  CHECK(has(withText("// bad instruction\n"),
            "the CUDA driver refuses ptx image 'nvidia:sm_80': "
            "CUDA_ERROR_INVALID_PTX (218): ptxas application ptx input, line "
            "7; bad instruction"));
  CHECK_EQ(c.status, -AIK_ENOEXEC);
  // The kernel, from the log or from the line that it names.
  CHECK(has(withText("// too much\n"),
            "(218): ptxas error   : Entry function 'kernel_pack' uses too"));
  std::string inKernel = withText("//\n.entry kernel_add(\n\n"
                                  ".entry kernel_linear (\n\n\n"
                                  "bad instruction\n.entry kernel_pack(\n");
  CHECK_EQ(inKernel.substr(inKernel.size() - 50),
           "line 7; bad instruction, in kernel 'kernel_linear'");
  CHECK(has(withText(".garbage"), "(200)"));
  CHECK_EQ(c.status, -AIK_ENOEXEC);
  CHECK(has(withText("// .entry kernel_add .entry kernel_pack\n"),
            "image 'nvidia:sm_80' has no kernel 'kernel_linear'"));
  CHECK_EQ(c.status, -AIK_ENOEXEC);
  CHECK(has(c.load("sm=80,cuFuncSetAttribute:1:1"), "'kernel_linear'"));
}

void refusesForgedTables() {
  std::vector<uint32_t> row = {128, 1, 0, 4, 0, 0};
  struct {
    size_t field;
    uint32_t value;
    const char *says;
  } cases[] = {{0, 0, "number of threads"},
               {0, 1025, "number of threads"},
               {1, 0, "blocks in a cluster"},
               {1, 17, "blocks in a cluster"},
               {2, (1 << 20) + 1, "shared memory"},
               {3, 481, "too many parameters"},
               {4, 16, "unknown flag"},
               {5, 1, "unknown flag"}};
  for (auto &one : cases) {
    std::vector<uint32_t> after = row;
    after[one.field] = one.value;
    Choice c;
    c.addLauncher("nvidia:sm_80");
    c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
    c.description.images[2].bytes = forged(row, after);
    std::string said = c.load("sm=80");
    CHECK_EQ(c.status, -AIK_ENOEXEC);
    CHECK(has(said, "row 0 of aik$kernels of the launcher of 'nvidia:sm_80'"));
    CHECK(has(said, one.says));
  }
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  std::string symbol = c.description.images[2].bytes;
  symbol.replace(symbol.find("aik$kernels"), 11, "aik$kernelz");
  c.description.images[2].bytes = symbol;
  CHECK(has(c.load("sm=80"), "does not export 'aik$kernels'"));
  CHECK_EQ(c.status, -AIK_ENOEXEC);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void runsFunctions() {
  CudaSession s;
  Addition add(s, 1000);
  CHECK_EQ(add.run(), 0);
  CHECK_EQ(s.read(add.z, 3999), 6.0f);
  aik_tensor &x = add.args[0];
  aik_memory_info w = s.floats({1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  aik_memory_info x4 = s.floats({1, 2, 3, 4}), y = s.floats({-1, -1, -1});
  aik_tensor args[] = {on(x4, {1, 4}), on(w, {4, 3})}, result = on(y, {1, 3});
  uint32_t linear = s.function("linear");
  // Weights are packed, and a workspace is found, for this one call, whose
  // kernel does not begin before they are.
  int overlaps = fake().overlaps();
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, args, 2, &result, 1,
                            nullptr),
           0);
  CHECK_EQ(fake().overlaps(), overlaps);
  CHECK_EQ(s.read(y, 0), 5.0f);
  CHECK_EQ(s.read(y, 2), 7.0f);
  // Prepared once.
  int64_t bytes = aik_function_prepare(s.runtime, s.module, linear, args, 2,
                                       nullptr, nullptr, 0);
  CHECK(bytes >= 48);
  aik_memory_info storage = s.buffer(uint64_t(bytes));
  aik_tensor prepared[2];
  CHECK_EQ(
      aik_function_prepare(s.runtime, s.module, linear, args, 2, prepared,
                           reinterpret_cast<void *>(storage.device_address),
                           storage.byte_count),
      bytes);
  CHECK_EQ(aik_memory_free(s.runtime, w.handle), 0);
  CHECK_EQ(aik_buffer_write(s.runtime, y.handle, 0, "123456789abc", 12), 0);
  auto options = make<aik_run_options>();
  options.flags = AIK_RUN_PREPARED;
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, prepared, 2, &result,
                            1, &options),
           0);
  CHECK_EQ(s.read(y, 1), 6.0f);
  // A workspace of the caller's.
  aik_memory_info workspace = s.buffer(64);
  options.workspace = reinterpret_cast<void *>(workspace.device_address);
  options.workspace_bytes = 64;
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, prepared, 2, &result,
                            1, &options),
           0);
  // Arguments that are written, and donated.
  aik_memory_info m = s.floats({1, 2}), d = s.floats({5, 6, 7});
  aik_tensor both[] = {on(m, {2}), on(d, {3})}, r = on(d, {3});
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("bump"), both, 2,
                            &r, 1, nullptr),
           0);
  CHECK_EQ(s.read(m, 1), 3.0f);
  CHECK_EQ(s.read(d, 2), 14.0f);
  // Other strides cannot be copied from here.
  x.strides[0] = 8;
  x.dims[0] = add.args[1].dims[0] = add.result.dims[0] = 500;
  CHECK_EQ(add.run(), -AIK_EOPNOTSUPP);
  CHECK_SAYS("argument 'x' of 'add' is not dense");
  x.strides[0] = 4;
  add.result.strides[0] = 8;
  CHECK_EQ(add.run(), -AIK_EOPNOTSUPP);
  CHECK_SAYS("result 'z' of 'add' is not dense");
  // What the launcher itself says.
  CHECK_EQ(s.trouble(0), -AIK_EINVAL);
  CHECK_SAYS("trouble: asked for");
  CHECK_EQ(s.trouble(3), -AIK_EINVAL);
  CHECK_SAYS("has 9 kernels, none with number 99");
  CHECK_EQ(s.trouble(4), -AIK_EINVAL);
  CHECK_SAYS("kernel 'kernel_cluster' cannot be launched with 3 blocks");
  CHECK_EQ(s.trouble(5), 0);
}

void allocatesNothingInTheSteadyState() {
  CudaSession s;
  aik_memory_info w = s.floats(std::vector<float>(12, 1));
  aik_memory_info x = s.floats(std::vector<float>(4, 1)),
                  y = s.floats({0, 0, 0});
  aik_tensor args[] = {on(x, {1, 4}), on(w, {4, 3})}, result = on(y, {1, 3});
  uint32_t linear = s.function("linear");
  auto options = make<aik_run_options>();
  options.flags = AIK_RUN_PREPARED | AIK_RUN_ASYNC;
  auto run = [&] {
    CHECK_EQ(aik_function_run(s.runtime, s.module, linear, args, 2, &result, 1,
                              &options),
             0);
  };
  run();
  CHECK_EQ(s.wait(), 0);
  int onHost = s.allAllocations, onDevice = fake().allocations();
  for (int i = 0; i < 20; ++i)
    run();
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(int(s.allAllocations), onHost);
  CHECK_EQ(fake().allocations(), onDevice);
  // A run without prepared weights keeps its storage on the device, too.
  options.flags = 0;
  run();
  onDevice = fake().allocations();
  for (int i = 0; i < 5; ++i)
    run();
  CHECK_EQ(fake().allocations(), onDevice);
}

void waitsWhenAsked() {
  CudaSession s;
  Addition add(s);
  CHECK_EQ(s.wait(), 0);
  int before = fake().kernels();
  fake().configure("hang");
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_device_wait(s.runtime, s.device, 0), -AIK_ETIMEDOUT);
  CHECK_EQ(aik_device_wait(s.runtime, s.device, 3000000), -AIK_ETIMEDOUT);
  CHECK_SAYS("nvidia:0 is still at work after 3000000 ns");
  CHECK_EQ(fake().kernels(), before);
  fake().configure("");
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(fake().kernels(), before + 1);
  CHECK_EQ(s.read(add.z, 7), 6.0f);
  for (int i = 0; i < 10; ++i)
    CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_device_wait(s.runtime, s.device, 1000000000), 0);
  CHECK_EQ(fake().kernels(), before + 11);
}

void reportsFailedChecks() {
  CudaSession s;
  CHECK_EQ(s.trouble(1), -AIK_ERANGE);
  CHECK_EQ(std::string(aik_fault_message()), "an id is out of range");
  aik_fault fault = {};
  CHECK_EQ(aik_fault_read(&fault), AIK_ERANGE);
  CHECK_EQ(fault.device, 2);
  // Once, and it is no fault of the device.
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(s.trouble(5), 0);
  CHECK_EQ(aik_device_fault(s.runtime, s.device, &fault), -AIK_ENOENT);
  CHECK_EQ(s.trouble(2), -AIK_EINVAL);
  CHECK_EQ(std::string(aik_fault_message()), "a length is wrong");
  // The first that fails counts; those after it do nothing.
  CHECK_EQ(s.trouble(2, AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.trouble(1, AIK_RUN_ASYNC), 0);
  CHECK_EQ(s.wait(), -AIK_EINVAL);
  CHECK_EQ(s.wait(), 0);
  // A module's checks are its own.
  aik_handle other = 0;
  CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &other),
           0);
  CHECK_EQ(s.trouble(1, AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_module_unload(s.runtime, other), 0);
  CHECK_EQ(s.wait(), -AIK_ERANGE);
}

/// What other threads launched meanwhile did nothing, either.
void tellsEveryThreadOfAFailedCheck() {
  CudaSession s;
  std::promise<void> launched, told;
  CHECK_EQ(s.trouble(1, AIK_RUN_ASYNC), 0);
  std::thread other([&] {
    CHECK_EQ(s.trouble(5, AIK_RUN_ASYNC), 0);
    launched.set_value();
    told.get_future().wait();
    CHECK_EQ(s.wait(), -AIK_ERANGE);
    CHECK_EQ(std::string(aik_fault_message()), "an id is out of range");
    CHECK_EQ(s.wait(), 0);
  });
  launched.get_future().wait();
  CHECK_EQ(s.wait(), -AIK_ERANGE);
  CHECK_EQ(s.wait(), 0);
  // What comes after that is not concerned.
  std::thread([&] { CHECK_EQ(s.trouble(5), 0); }).join();
  told.set_value();
  other.join();
  // Whoever finds it: who caused it is told, too, and nobody else's module.
  aik_handle module = 0;
  CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &module),
           0);
  for (bool isOthers : {false, true}) {
    CHECK_EQ(s.trouble(2, AIK_RUN_ASYNC), 0);
    std::thread([&] {
      if (isOthers)
        std::swap(s.module, module);
      CHECK_EQ(s.trouble(5), isOthers ? 0 : -AIK_EINVAL);
      CHECK_EQ(s.trouble(5), 0);
      if (isOthers)
        std::swap(s.module, module);
    }).join();
    CHECK_EQ(s.wait(), -AIK_EINVAL);
    CHECK_EQ(s.wait(), 0);
  }
  // A thread that launches nothing waits for all.
  CHECK_EQ(s.trouble(2, AIK_RUN_ASYNC), 0);
  std::thread([&] {
    CHECK_EQ(s.wait(), -AIK_EINVAL);
    CHECK_EQ(s.wait(), 0);
  }).join();
  CHECK_EQ(s.wait(), -AIK_EINVAL);
  // More threads than are kept: the last ones are told.
  for (int i = 0; i < 40; ++i)
    std::thread([&] { CHECK_EQ(s.trouble(5, AIK_RUN_ASYNC), 0); }).join();
  CHECK_EQ(s.trouble(1), -AIK_ERANGE);
}

void takesThreads() {
  CudaSession s;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Addition add(s, 3);
      for (int i = 0; i < 50; ++i)
        wrong += add.run(i % 3 ? AIK_RUN_ASYNC : 0) != 0;
      wrong += s.wait() != 0;
      wrong += s.read(add.z, 11) != 6.0f;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQ(int(wrong), 0);
}

//===----------------------------------------------------------------------===//
// Graphs, packets and mapped memory
//===----------------------------------------------------------------------===//

void recordsGraphs() {
  CudaSession s;
  Addition add(s);
  aik_memory_info w = s.floats(std::vector<float>(12, 1));
  aik_memory_info y = s.floats(std::vector<float>(6, 0));
  aik_tensor args[] = {on(add.z, {2, 4}), on(w, {4, 3})};
  aik_tensor result = on(y, {2, 3});
  auto options = make<aik_run_options>();
  options.flags = AIK_RUN_ASYNC;
  int before = fake().kernels(), live = fake().live();
  aik_handle graph = 0, other = 0;
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), -AIK_EINVAL);
  CHECK_SAYS("no graph is being recorded");
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), -AIK_EBUSY);
  for (int i = 0; i < 32; ++i) {
    CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
    // It needs a workspace and packed weights.
    CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("linear"), args,
                              2, &result, 1, &options),
             0);
  }
  CHECK_EQ(add.run(), -AIK_EBUSY);
  CHECK_SAYS("only runs with AIK_RUN_ASYNC");
  // What is not a run goes on.
  CHECK_EQ(s.read(add.z, 0), -1.0f);
  CHECK_EQ(s.wait(), 0);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
  CHECK_EQ(fake().kernels(), before);
  for (int round = 0; round < 3; ++round) {
    CHECK_EQ(aik_buffer_write(s.runtime, y.handle, 0,
                              std::vector<float>(6, 0).data(), 24),
             0);
    CHECK_EQ(aik_graph_launch(s.runtime, graph), 0);
    CHECK_EQ(s.wait(), 0);
    CHECK_EQ(s.read(y, 5), 24.0f);
  }
  // Add, pack and linear, 32 times each, three times over.
  CHECK_EQ(fake().kernels(), before + 288);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), -AIK_EBUSY);
  CHECK_EQ(aik_device_close(s.runtime, s.device), -AIK_EBUSY);
  CHECK_EQ(aik_graph_launch(s.runtime, graph), 0);
  CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
  CHECK_EQ(aik_graph_close(s.runtime, graph), -AIK_ENOENT);
  CHECK_EQ(aik_graph_launch(s.runtime, graph), -AIK_ENOENT);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
  // The event and the stream for recording are kept.
  CHECK(fake().live() <= live + 2);
  // A check that fails inside.
  CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &s.module),
           0);
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(s.trouble(1, AIK_RUN_ASYNC), 0);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &other), 0);
  CHECK_EQ(s.wait(), 0);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(aik_graph_launch(s.runtime, other), 0);
    CHECK_EQ(s.wait(), -AIK_ERANGE);
  }
  // One that is never ended, and one that is never closed.
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
  CHECK_EQ(add.run(AIK_RUN_ASYNC), 0);
}

/// Not only when the context goes.
void givesBackModulesAndGraphs() {
  CudaSession s;
  aik_memory_info x = s.floats(std::vector<float>(12, 1));
  aik_memory_info y = s.floats({0, 0, 0});
  aik_tensor args[] = {on(x, {1, 4}), on(x, {4, 3})}, result = on(y, {1, 3});
  auto options = make<aik_run_options>();
  options.flags = AIK_RUN_ASYNC;
  auto round = [&] {
    aik_handle module = 0, graph = 0;
    CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &module),
             0);
    uint32_t linear = s.function("linear");
    auto run = [&] {
      CHECK_EQ(aik_function_run(s.runtime, module, linear, args, 2, &result, 1,
                                &options),
               0);
    };
    run();
    CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
    run();
    CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
    CHECK_EQ(aik_graph_launch(s.runtime, graph), 0);
    int recorded = fake().live();
    CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
    // The graph itself, its workspace and its packed weights.
    CHECK_EQ(fake().live(), recorded - 3);
    CHECK_EQ(aik_module_unload(s.runtime, module), 0);
  };
  round(); // an event and a stream are made once
  CHECK_EQ(s.wait(), 0);
  int live = fake().live();
  round();
  CHECK_EQ(fake().live(), live);
}

void recordsOnlyOnGpus() {
  Session s("cpu");
  aik_handle graph = 0;
  CHECK_EQ(aik_graph_begin(s.runtime, s.device), -AIK_EOPNOTSUPP);
  CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), -AIK_EOPNOTSUPP);
  CHECK_EQ(aik_graph_begin(s.runtime, s.module), -AIK_ENOENT);
}

void refusesWrongKernelPackets() {
  CudaSession s;
  aik_memory_info data = s.floats({1, 2, 3, 4});
  struct {
    uint64_t data;
    int64_t count;
    float factor;
  } block = {data.device_address, 4, 3};
  uint64_t scale = s.kernel("kernel_scale");
  auto submit = [&](const aik_packet &packet) {
    aik_queue_info queue = s.queue();
    aik_fence fence = {};
    CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
    int32_t status = aik_fence_wait(s.runtime, &fence, -1);
    CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_ABORT, -1), 0);
    return status;
  };
  CHECK_EQ(submit(kernelPacket(scale + 1, &block, 24)), -AIK_EIO);
  CHECK_SAYS("is not a kernel of a module on nvidia:0");
  CHECK_EQ(submit(kernelPacket(scale, &block, 16)), -AIK_EIO);
  CHECK_SAYS("'kernel_scale' has 24 bytes of parameters, found 16");
  aik_packet packet = kernelPacket(scale, &block, 24);
  packet.kernel.setup = 1;
  packet.kernel.grid_x = 63;
  CHECK_EQ(submit(packet), -AIK_EIO);
  CHECK_SAYS("has blocks of 64 work-items");
  packet.kernel.grid_x = 128;
  packet.kernel.workgroup_x = 64;
  CHECK_EQ(submit(packet), 0);
  CHECK_EQ(s.read(data, 3), 12.0f);
  auto info = make<aik_kernel_info>();
  CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_KERNEL, int64_t(s.module),
                       reinterpret_cast<int64_t>("kernel_linear"),
                       reinterpret_cast<int64_t>(&info), 0, 0, 0),
           0);
  CHECK_EQ(info.max_threads, 96);
  CHECK_EQ(info.group_bytes, 65536);
  CHECK_EQ(info.kernarg_bytes, 40);
  CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_KERNEL, int64_t(s.module),
                       reinterpret_cast<int64_t>("nothing"),
                       reinterpret_cast<int64_t>(&info), 0, 0, 0),
           -AIK_ENOENT);
}

void refusesMemoryOfOthers() {
  CudaSession s;
  aik_memory_info data = s.floats({1, 2, 3, 4});
  aik_handle cpu = 0;
  CHECK_EQ(aik_device_open(s.runtime, "cpu", &cpu), 0);
  auto config = make<aik_queue_config>();
  auto queue = make<aik_queue_info>();
  CHECK_EQ(aik_queue_create(s.runtime, cpu, &config, &queue), 0);
  float there[4] = {};
  aik_packet packet =
      copyPacket(there, reinterpret_cast<void *>(data.device_address), 16);
  aik_fence fence = {};
  CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence),
           -AIK_EINVAL);
  CHECK_SAYS("packet 0 names memory of device");
  CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_DRAIN, -1), 0);
}

void mapsHostMemory() {
  CudaSession s;
  auto memory = make<aik_memory_info>();
  CHECK_EQ(aik_memory_alloc(s.runtime, 4096, 0, AIK_MEM_LOCK_TRY, &memory), 0);
  auto *values = static_cast<float *>(memory.address);
  for (int i = 0; i < 8; ++i)
    values[i] = 5;
  uint64_t seen = 0;
  auto map = [&] {
    return aik_syscall(s.runtime, AIK_SYS_MEM_MAP_DEVICE,
                       int64_t(memory.handle), int64_t(s.device), 3,
                       reinterpret_cast<int64_t>(&seen), 0, 0);
  };
  CHECK_EQ(map(), 0);
  CHECK_EQ(map(), -AIK_EEXIST);
  Addition add(s);
  add.args[0].data = add.args[1].data = reinterpret_cast<void *>(seen);
  CHECK_EQ(add.run(), 0);
  CHECK_EQ(s.read(add.z, 0), 10.0f);
  int live = fake().live();
  CHECK_EQ(aik_memory_free(s.runtime, memory.handle), 0);
  CHECK_EQ(fake().live(), live - 1);
}

void checksBuffers() {
  CudaSession s("memory=1000000");
  auto info = make<aik_memory_info>();
  CHECK_EQ(aik_buffer_create(s.runtime, s.device, 2000000, 0, &info),
           -AIK_ENOMEM);
  CHECK_SAYS("nvidia:0 has no memory for 2000000 bytes");
  CHECK_EQ(aik_buffer_create(s.runtime, s.device, 0, 0, &info), -AIK_EINVAL);
  aik_memory_info most = s.buffer(990000);
  // No room for a workspace; then there is.
  aik_memory_info x = s.floats(std::vector<float>(12, 1));
  aik_tensor args[] = {on(x, {1, 4}), on(x, {4, 3})};
  args[0].dims[0] = 1;
  aik_memory_info y = s.floats({0, 0, 0});
  aik_tensor result = on(y, {1, 3});
  auto run = [&] {
    return aik_function_run(s.runtime, s.module, s.function("linear"), args, 2,
                            &result, 1, nullptr);
  };
  CHECK_EQ(run(), -AIK_ENOMEM);
  CHECK_SAYS("no memory for 48 bytes (packed weights of 'linear')");
  fake().configure("cuMemAlloc:2:2");
  CHECK_EQ(run(), -AIK_ENOMEM);
  CHECK_SAYS("nvidia:0 has no memory for 12 bytes (workspace of 'linear')");
  CHECK_EQ(aik_memory_free(s.runtime, most.handle), 0);
  CHECK_EQ(run(), 0);
  CHECK_EQ(s.read(y, 0), 4.0f);
  auto found = make<aik_memory_info>();
  CHECK_EQ(aik_memory_query(s.runtime,
                            reinterpret_cast<void *>(x.device_address + 40),
                            &found),
           0);
  CHECK_EQ(found.handle, x.handle);
  CHECK(found.address == nullptr);
}
} // namespace

int main(int argc, char **argv) {
  useFakeCuda(argc, argv);
  run("finds devices", findsDevices);
  run("says why there is none", saysWhyThereIsNone);
  run("chooses images", choosesImages);
  run("runs no cubin of another major", runsNoCubinOfAnotherMajor);
  run("needs a launcher for this CPU", needsALauncherForThisCpu);
  run("refuses what cannot be loaded", refusesWhatCannotBeLoaded);
  run("refuses forged tables", refusesForgedTables);
  run("runs functions", runsFunctions);
  run("allocates nothing in the steady state",
      allocatesNothingInTheSteadyState);
  run("waits when asked", waitsWhenAsked);
  run("gives the driver nothing that leaves the file",
      givesTheDriverNothingThatLeavesTheFile);
  run("reports failed checks", reportsFailedChecks);
  run("tells every thread of a failed check", tellsEveryThreadOfAFailedCheck);
  run("takes threads", takesThreads);
  run("records graphs", recordsGraphs);
  run("gives back modules and graphs", givesBackModulesAndGraphs);
  run("records only on GPUs", recordsOnlyOnGpus);
  run("refuses wrong kernel packets", refusesWrongKernelPackets);
  run("refuses memory of others", refusesMemoryOfOthers);
  run("maps host memory", mapsHostMemory);
  run("checks buffers", checksBuffers);
  run("keeps nothing", [] { CHECK_EQ(fake().live(), 0); });
  return finish();
}
