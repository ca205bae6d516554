//===- TestSupport.cpp - Artifacts, sessions and packets for tests --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The artifact that describes TestImage.cpp, and short cuts around the C API.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "Core/CpuFeatures.h"
#include "Core/Runtime.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace aiktest;

namespace {
std::string &imageStorage() {
  static std::string bytes;
  return bytes;
}

aik::ArtifactDim dim(int64_t size) {
  aik::ArtifactDim result;
  result.size = size;
  return result;
}

aik::ArtifactValue value(const char *name, std::vector<int64_t> dims,
                         uint32_t flags = 0, uint32_t dtype = AIK_F32) {
  aik::ArtifactValue result;
  result.name = name;
  result.dtype = dtype;
  result.flags = flags;
  for (int64_t size : dims)
    result.dims.push_back(dim(size));
  return result;
}
} // namespace

std::string aiktest::fileBytes(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void aiktest::useTestImage(int argc, char **argv) {
  imageStorage() = fileBytes(argc > 1 ? argv[1] : "");
  if (imageStorage().empty()) {
    std::printf("usage: %s TEST_IMAGE\n", argv[0]);
    std::exit(2);
  }
}

const std::string &aiktest::testImageBytes() { return imageStorage(); }

aik::ArtifactDescription aiktest::testDescription() {
  aik::ArtifactDescription description;
  aik::ArtifactImage image;
  image.arch = aik::hostArch();
  image.target = "cpu:test";
  image.rank = 1;
  image.bytes = testImageBytes();
  description.images.push_back(image);
  image.kind = AIK_IMAGE_REFERENCE;
  image.target = "reference";
  description.images.push_back(image);

  aik::ArtifactValue rows = value("y", {AIK_DYNAMIC, 4});
  rows.dims[0].max = 1 << 20;
  description.functions = {
      {"add",
       {value("x", {AIK_DYNAMIC, 4}), rows},
       {value("z", {AIK_DYNAMIC, 4})}},
      {"linear",
       {value("x", {AIK_DYNAMIC, 4}), value("w", {4, 3}, AIK_VALUE_WEIGHT)},
       {value("", {AIK_DYNAMIC, 3})}},
      {"bump",
       {value("m", {AIK_DYNAMIC}, AIK_VALUE_MUTABLE),
        value("d", {AIK_DYNAMIC}, AIK_VALUE_DONATED)},
       {value("r", {AIK_DYNAMIC})}},
      {"trouble", {value("how", {}, 0, AIK_I64)}, {}},
      {"submit", {value("device", {}, 0, AIK_I64)}, {}}};
  return description;
}

aik::ArtifactDescription aiktest::cudaDescription(const std::string &launcher) {
  aik::ArtifactDescription description = testDescription();
  // Not in the images for CPUs.
  description.functions.push_back(
      {"repeat",
       {value("m", {AIK_DYNAMIC}, AIK_VALUE_MUTABLE),
        value("how", {}, 0, AIK_I64)},
       {}});
  aik::ArtifactImage image;
  image.kind = AIK_IMAGE_LAUNCHER;
  image.arch = aik::hostArch();
  image.target = "nvidia:sm_80";
  image.bytes = launcher;
  description.images.push_back(image);
  image.kind = AIK_IMAGE_PTX;
  image.arch = AIK_ARCH_NONE;
  image.features = 80;
  image.rank = 1;
  image.bytes = "// for the fake driver, which has the kernels' twins\n"
                ".version 7.0\n.target sm_80\n";
  description.images.push_back(image);
  return description;
}

std::string aiktest::artifactOf(const aik::ArtifactDescription &description) {
  std::string bytes, error;
  if (!aik::writeArtifact(description, bytes, error))
    std::printf("the test artifact is wrong: %s\n", error.c_str());
  return bytes;
}

std::string aiktest::testArtifact() { return artifactOf(testDescription()); }

bool aiktest::isEmulated() {
  alignas(65536) static char page[65536];
  return aik::hostSys().advise(page, sizeof(page), aik::Advice::Unknown) >= 0;
}

aik_tensor aiktest::tensor(void *data, std::initializer_list<int64_t> dims,
                           uint32_t dtype) {
  aik_tensor result = {};
  result.data = data;
  result.dtype = dtype;
  result.rank = uint32_t(dims.size());
  uint32_t d = 0;
  for (int64_t size : dims)
    result.dims[d++] = size;
  int64_t stride = 1;
  for (d = result.rank; d-- > 0;) {
    result.strides[d] = stride;
    stride *= result.dims[d];
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

Session::Session(const char *deviceName, uint32_t threads, aik::Sys &sys,
                 const std::string &bytes) {
  auto options = make<aik_runtime_options>();
  options.threads = threads;
  CHECK_EQ(aik::openRuntime(sys, &options, &runtime), 0);
  CHECK_EQ(
      aik_artifact_open_memory(runtime, bytes.data(), bytes.size(), &artifact),
      0);
  CHECK_EQ(aik_device_open(runtime, deviceName, &device), 0);
  CHECK_EQ(aik_module_load(runtime, artifact, device, nullptr, &module), 0);
}

Session::~Session() {
  if (runtime)
    CHECK_EQ(aik_runtime_close(runtime), 0);
}

int32_t Session::runScalar(const char *name, int64_t how) {
  aik_tensor arg = tensor(&how, {}, AIK_I64);
  return aik_function_run(runtime, module, function(name), &arg, 1, nullptr, 0,
                          nullptr);
}

uint64_t Session::kernel(const char *name) {
  auto info = make<aik_kernel_info>();
  CHECK_EQ(aik_syscall(runtime, AIK_SYS_GPU_KERNEL, int64_t(module),
                       reinterpret_cast<int64_t>(name),
                       reinterpret_cast<int64_t>(&info), 0, 0, 0),
           0);
  return info.kernel_object;
}

aik_queue_info Session::queue(uint32_t order, uint64_t stallNs) {
  auto config = make<aik_queue_config>();
  config.order = order;
  config.stall_ns = stallNs;
  auto info = make<aik_queue_info>();
  CHECK_EQ(aik_queue_create(runtime, device, &config, &info), 0);
  return info;
}

aik_memory_info Session::buffer(uint64_t bytes) {
  auto info = make<aik_memory_info>();
  CHECK_EQ(aik_buffer_create(runtime, device, bytes, 0, &info), 0);
  return info;
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

aik_packet aiktest::kernelPacket(uint64_t kernel, void *block,
                                 uint64_t blockBytes) {
  aik_packet packet = {};
  packet.header = AIK_PACKET_KERNEL;
  packet.kernel.kernel_object = kernel;
  packet.kernel.kernarg = reinterpret_cast<uint64_t>(block);
  packet.kernel.kernarg_bytes = blockBytes;
  return packet;
}

aik_packet aiktest::copyPacket(void *to, const void *from, uint64_t bytes) {
  aik_packet packet = {};
  packet.copy.subtype = AIK_VENDOR_COPY;
  packet.copy.destination = reinterpret_cast<uint64_t>(to);
  packet.copy.source = reinterpret_cast<uint64_t>(from);
  packet.copy.byte_count = bytes;
  return packet;
}

aik_packet aiktest::fillPacket(void *to, uint64_t pattern,
                               uint32_t patternBytes, uint64_t bytes) {
  aik_packet packet = {};
  packet.fill.subtype = AIK_VENDOR_FILL;
  packet.fill.pattern_bytes = patternBytes;
  packet.fill.destination = reinterpret_cast<uint64_t>(to);
  packet.fill.pattern = pattern;
  packet.fill.byte_count = bytes;
  return packet;
}

aik_packet aiktest::nopPacket() { return {}; }

aik_packet aiktest::waitPacket(aik_handle signal, uint32_t condition,
                               int64_t value) {
  aik_packet packet = {};
  packet.wait.subtype = AIK_VENDOR_WAIT_VALUE;
  packet.wait.condition = condition;
  packet.wait.signal = signal;
  packet.wait.value = value;
  return packet;
}

aik_packet aiktest::signalPacket(aik_handle signal, uint32_t operation,
                                 int64_t value) {
  aik_packet packet = {};
  packet.signal.subtype = AIK_VENDOR_SIGNAL;
  packet.signal.operation = operation;
  packet.signal.signal = signal;
  packet.signal.value = value;
  return packet;
}
