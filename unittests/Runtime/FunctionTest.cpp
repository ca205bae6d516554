//===- FunctionTest.cpp - Artifacts, modules and calls of functions -------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the C API, on the cpu device: results, strides, weights, and the
// sentence for every way to call wrongly.
//
//===----------------------------------------------------------------------===//

#include "Core/CpuFeatures.h"
#include "Core/Runtime.h"
#include "TestSupport.h"

#include <cstdlib>
#include <vector>

using namespace aiktest;

namespace {
void describes() {
  Session s;
  auto info = make<aik_artifact_info>();
  CHECK_EQ(aik_artifact_describe(s.runtime, s.artifact, &info), 0);
  CHECK_EQ(info.image_count, 2);
  CHECK_EQ(info.function_count, 5);
  auto image = make<aik_image_info>();
  CHECK_EQ(aik_artifact_image(s.runtime, s.artifact, 0, &image), 0);
  CHECK_EQ(image.target, "cpu:test");
  CHECK_EQ(image.fits, 1);
  CHECK_EQ(image.byte_count, testImageBytes().size());
  CHECK_EQ(aik_artifact_image(s.runtime, s.artifact, 2, &image), -AIK_ENOENT);
  auto function = make<aik_function_info>();
  CHECK_EQ(aik_artifact_function(s.runtime, s.artifact, 1, &function), 0);
  CHECK_EQ(function.name, "linear");
  CHECK_EQ(function.arg_count, 2);
  auto value = make<aik_value_info>();
  CHECK_EQ(aik_artifact_argument(s.runtime, s.artifact, 1, 1, &value), 0);
  CHECK_EQ(value.name, "w");
  CHECK_EQ(value.flags, AIK_VALUE_WEIGHT);
  CHECK_EQ(value.dims[0], 4);
  CHECK_EQ(aik_artifact_result(s.runtime, s.artifact, 1, 0, &value), 0);
  CHECK_EQ(value.name, "result0");
  CHECK_EQ(value.dims[0], AIK_DYNAMIC);
  CHECK_EQ(aik_artifact_result(s.runtime, s.artifact, 1, 1, &value),
           -AIK_ENOENT);
  CHECK_EQ(aik_artifact_find_function(s.runtime, s.artifact, "nope"),
           -AIK_ENOENT);
  CHECK_SAYS("no function 'nope'");
  auto module = make<aik_module_info>();
  CHECK_EQ(aik_module_describe(s.runtime, s.module, &module), 0);
  CHECK_EQ(module.image, 0);
}

void addsInParallel() {
  Session s;
  constexpr int64_t rows = 1000;
  std::vector<float> x(rows * 4), y(rows * 4), z(rows * 4, -1);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = float(i);
    y[i] = float(2 * i);
  }
  aik_tensor args[] = {tensor(x.data(), {rows, 4}),
                       tensor(y.data(), {rows, 4})};
  aik_tensor result = tensor(nullptr, {});
  CHECK_EQ(aik_function_shape(s.runtime, s.module, s.function("add"), args, 2,
                              &result, 1),
           0);
  CHECK_EQ(result.rank, 2);
  CHECK_EQ(result.dims[0], rows);
  result.data = z.data();
  for (int round = 0; round < 20; ++round)
    CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                              &result, 1, nullptr),
             0);
  for (size_t i = 0; i < z.size(); ++i)
    if (z[i] != float(3 * i)) {
      CHECK_EQ(z[i], float(3 * i));
      break;
    }
  aik_cost cost;
  CHECK_EQ(
      aik_function_cost(s.runtime, s.module, s.function("add"), args, 2, &cost),
      0);
  CHECK_EQ(cost.flops, rows * 4);
}

/// With a workspace of the caller's, calls after the first allocate nothing
/// and start no thread.
void allocatesNothingPerCall() {
  CountingSys sys;
  Session s("cpu", 2, sys);
  const aik_env *env = nullptr;
  CHECK_EQ(aik_device_env(s.runtime, s.device, &env), 0);
  CHECK_EQ(env->threads, 2);
  constexpr int64_t rows = 20000;
  std::vector<float> x(rows * 4, 1), y(rows * 4, 2), z(rows * 4);
  aik_tensor args[] = {tensor(x.data(), {rows, 4}),
                       tensor(y.data(), {rows, 4})};
  aik_tensor result = tensor(z.data(), {rows, 4});
  uint32_t add = s.function("add");
  auto runAdd = [&] {
    return aik_function_run(s.runtime, s.module, add, args, 2, &result, 1,
                            nullptr);
  };
  CHECK_EQ(runAdd(), 0);
  int allocations = sys.allAllocations, threads = sys.allThreads;
  for (int i = 0; i < 20; ++i)
    CHECK_EQ(runAdd(), 0);
  CHECK_EQ(sys.allAllocations.load(), allocations);
  CHECK_EQ(sys.allThreads.load(), threads);
  CHECK_EQ(threads, 1);
  CHECK_EQ(z[rows], 3.0f);
}

void copiesStridedTensors() {
  Session s;
  // x is a transposed view, y goes backwards, z has gaps.
  float x[4 * 3], y[3 * 4], z[3 * 8];
  for (int i = 0; i < 12; ++i) {
    x[i] = float(i);
    y[i] = float(100 * i);
  }
  for (float &value : z)
    value = -7;
  aik_tensor args[] = {tensor(x, {3, 4}), tensor(y + 11, {3, 4})};
  args[0].strides[0] = 1;
  args[0].strides[1] = 3;
  args[1].strides[0] = -4;
  args[1].strides[1] = -1;
  aik_tensor result = tensor(z, {3, 4});
  result.strides[0] = 8;
  result.strides[1] = 2;
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                            &result, 1, nullptr),
           0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      CHECK_EQ(z[i * 8 + j * 2],
               float(j * 3 + i) + float(100 * (11 - i * 4 - j)));
      CHECK_EQ(z[i * 8 + j * 2 + 1], -7.0f);
    }
  auto stats = make<aik_stats>();
  CHECK_EQ(aik_stats_read(s.runtime, &stats), 0);
  CHECK_EQ(stats.dense_copies, 3);

  // Data that is not aligned to its element is copied as well.
  alignas(8) char bytes[4 * 4 + 1];
  float one[4] = {1, 2, 3, 4}, sum[4];
  memcpy(bytes + 1, one, sizeof(one));
  aik_tensor odd[] = {tensor(bytes + 1, {1, 4}), tensor(one, {1, 4})};
  aik_tensor out = tensor(sum, {1, 4});
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), odd, 2,
                            &out, 1, nullptr),
           0);
  CHECK_EQ(sum[3], 8.0f);

  // A broadcast argument is fine, a broadcast result is not.
  aik_tensor row[] = {tensor(one, {2, 4}), tensor(one, {2, 4})};
  row[0].strides[0] = 0;
  row[1].strides[0] = 0;
  float wide[8];
  out = tensor(wide, {2, 4});
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), row, 2,
                            &out, 1, nullptr),
           0);
  CHECK_EQ(wide[7], 8.0f);
  out.strides[0] = 0;
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), row, 2,
                            &out, 1, nullptr),
           -AIK_EINVAL);
  CHECK_SAYS("overlaps itself");
}

void acceptsEmptyTensors() {
  Session s;
  aik_tensor args[] = {tensor(nullptr, {0, 4}), tensor(nullptr, {0, 4})};
  aik_tensor result = tensor(nullptr, {0, 4});
  CHECK_EQ(aik_function_run(s.runtime, s.module, s.function("add"), args, 2,
                            &result, 1, nullptr),
           0);
}

void preparesWeights() {
  Session s;
  float x[2 * 4] = {1, 2, 3, 4, 5, 6, 7, 8};
  float w[4 * 3], y[6], wanted[6] = {};
  for (int i = 0; i < 12; ++i)
    w[i] = float(i + 1);
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 3; ++n)
      for (int k = 0; k < 4; ++k)
        wanted[m * 3 + n] += x[m * 4 + k] * w[k * 3 + n];
  uint32_t linear = s.function("linear");
  aik_tensor args[] = {tensor(x, {2, 4}), tensor(w, {4, 3})};
  aik_tensor result = tensor(y, {2, 3});
  auto check = [&] {
    for (int i = 0; i < 6; ++i)
      CHECK_EQ(y[i], wanted[i]);
    memset(y, 0, sizeof(y));
  };
  // Without prepare, the run packs for itself.
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, args, 2, &result, 1,
                            nullptr),
           0);
  check();
  // Prepared once, with a workspace of ours.
  CHECK_EQ(aik_function_workspace(s.runtime, s.module, linear, args, 2), 12);
  int64_t bytes = aik_function_prepare(s.runtime, s.module, linear, args, 2,
                                       nullptr, nullptr, 0);
  CHECK_EQ(bytes, 64);
  alignas(64) char storage[256], workspace[64];
  aik_tensor prepared[2];
  CHECK_EQ(aik_function_prepare(s.runtime, s.module, linear, args, 2, prepared,
                                storage, 10),
           -AIK_EINVAL);
  CHECK_SAYS("wants 64 bytes");
  CHECK_EQ(aik_function_prepare(s.runtime, s.module, linear, args, 2, prepared,
                                storage, sizeof(storage)),
           64);
  CHECK(prepared[1].data == storage);
  auto options = make<aik_run_options>();
  options.flags = AIK_RUN_PREPARED;
  options.workspace = workspace;
  options.workspace_bytes = sizeof(workspace);
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, prepared, 2, &result,
                            1, &options),
           0);
  check();
  options.workspace_bytes = 8;
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, prepared, 2, &result,
                            1, &options),
           -AIK_EINVAL);
  CHECK_SAYS("wants 12 bytes of workspace, found 8");
  options.workspace_bytes = 63;
  options.workspace = workspace + 1;
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, prepared, 2, &result,
                            1, &options),
           -AIK_EINVAL);
  // A weight given transposed is made dense in the storage.
  float wt[3 * 4];
  for (int k = 0; k < 4; ++k)
    for (int n = 0; n < 3; ++n)
      wt[n * 4 + k] = w[k * 3 + n];
  args[1] = tensor(wt, {4, 3});
  args[1].strides[0] = 1;
  args[1].strides[1] = 4;
  CHECK_EQ(aik_function_prepare(s.runtime, s.module, linear, args, 2, nullptr,
                                nullptr, 0),
           128);
  CHECK_EQ(aik_function_prepare(s.runtime, s.module, linear, args, 2, prepared,
                                storage, sizeof(storage)),
           128);
  memset(wt, 0, sizeof(wt));
  options = make<aik_run_options>();
  options.flags = AIK_RUN_PREPARED;
  CHECK_EQ(aik_function_run(s.runtime, s.module, linear, prepared, 2, &result,
                            1, &options),
           0);
  check();
}

void writesMutableAndDonated() {
  Session s;
  float m[4] = {1, 2, 3, 4}, d[3] = {5, 6, 7};
  aik_tensor args[] = {tensor(m, {2}), tensor(d, {3})};
  args[0].strides[0] = 2;             // strided: copied in and back
  aik_tensor result = tensor(d, {3}); // in place of the donated argument
  uint32_t bump = s.function("bump");
  CHECK_EQ(
      aik_function_run(s.runtime, s.module, bump, args, 2, &result, 1, nullptr),
      0);
  CHECK_EQ(m[0], 2.0f);
  CHECK_EQ(m[1], 2.0f);
  CHECK_EQ(m[2], 4.0f);
  CHECK_EQ(d[2], 14.0f);
  // Overlapping anything else is refused.
  float shared[8] = {};
  args[1] = tensor(shared, {4});
  result = tensor(shared + 1, {4});
  CHECK_EQ(
      aik_function_run(s.runtime, s.module, bump, args, 2, &result, 1, nullptr),
      -AIK_EINVAL);
  CHECK_SAYS("result 'r' of 'bump' overlaps argument 'd' of 'bump'");
  args[0] = tensor(shared, {4});
  args[1] = tensor(d, {3});
  result = tensor(shared, {3});
  CHECK_EQ(
      aik_function_run(s.runtime, s.module, bump, args, 2, &result, 1, nullptr),
      -AIK_EINVAL);
  CHECK_SAYS("not donated");
}

void refusesWrongTensors() {
  Session s;
  uint32_t add = s.function("add");
  float x[16] = {}, z[16];
  aik_tensor good[] = {tensor(x, {4, 4}), tensor(x, {4, 4})};
  aik_tensor result = tensor(z, {4, 4});
  auto run = [&](const aik_tensor &first, int32_t code, const char *says) {
    aik_tensor args[] = {first, good[1]};
    CHECK_EQ(aik_function_run(s.runtime, s.module, add, args, 2, &result, 1,
                              nullptr),
             -code);
    CHECK_SAYS(says);
    CHECK_SAYS("argument 'x' of 'add'");
  };
  run(tensor(x, {4, 4}, AIK_F64), AIK_EINVAL,
      "wants element type f32, found f64");
  run(tensor(x, {4, 4}, 99), AIK_EINVAL, "unknown element type 99");
  run(tensor(x, {16}), AIK_EINVAL, "wants rank 2 [?, 4], found rank 1 [16]");
  run(tensor(x, {2, 8}), AIK_EINVAL, "wants dims [?, 4], found [2, 8]");
  run(tensor(nullptr, {4, 4}), AIK_EFAULT, "has no data");
  run(tensor(x, {-4, 4}), AIK_EINVAL, "-4 as dimension 0");
  run(tensor(x, {int64_t(1) << 60, 4}), AIK_EINVAL, "is larger than");
  aik_tensor wild = good[0];
  wild.strides[0] = INT64_MAX / 2;
  run(wild, AIK_EINVAL, "reach out of memory");
  wild = good[0];
  wild.rank = 9;
  run(wild, AIK_EINVAL, "rank 9");

  CHECK_EQ(
      aik_function_run(s.runtime, s.module, add, good, 1, &result, 1, nullptr),
      -AIK_EINVAL);
  CHECK_SAYS("wants 2 arguments, found 1");
  CHECK_EQ(
      aik_function_run(s.runtime, s.module, add, good, 2, nullptr, 0, nullptr),
      -AIK_EINVAL);
  CHECK_EQ(
      aik_function_run(s.runtime, s.module, 99, good, 2, &result, 1, nullptr),
      -AIK_ENOENT);
  CHECK_EQ(aik_function_run(s.runtime, s.module, add, nullptr, 2, &result, 1,
                            nullptr),
           -AIK_EFAULT);
  // Facts: y has at most 2^20 rows; results must have the computed shape.
  aik_tensor args[] = {tensor(x, {(1 << 20) + 1, 4}),
                       tensor(x, {(1 << 20) + 1, 4})};
  CHECK_EQ(aik_function_shape(s.runtime, s.module, add, args, 2, &result, 1),
           -AIK_EINVAL);
  CHECK_SAYS("from 0 to 1048576 and a multiple of 1, found 1048577");
  result = tensor(z, {3, 4});
  CHECK_EQ(
      aik_function_run(s.runtime, s.module, add, good, 2, &result, 1, nullptr),
      -AIK_EINVAL);
  CHECK_SAYS("result 'z' of 'add' wants dims [4, 4], found [3, 4]");
  // Disagreement that only compiled code can see.
  aik_tensor uneven[] = {tensor(x, {4, 4}), tensor(x, {3, 4})};
  result = tensor(z, {4, 4});
  CHECK_EQ(aik_function_run(s.runtime, s.module, add, uneven, 2, &result, 1,
                            nullptr),
           -AIK_EINVAL);
  CHECK_SAYS("different rows");
}

void returnsErrorsOfCompiledCode() {
  Session s;
  CHECK_EQ(s.runScalar("trouble", 0), -AIK_EINVAL);
  CHECK_SAYS("trouble: asked for");
  aik_fault fault;
  CHECK_EQ(aik_fault_read(&fault), AIK_EINVAL);
  CHECK_EQ(fault.text, "trouble: asked for");
  CHECK_EQ(fault.size, 128);
  CHECK_EQ(s.runScalar("trouble", 1), -AIK_ENOSPC);
  CHECK_SAYS("'trouble$run' returned -28 (ENOSPC)");
  CHECK_EQ(s.runScalar("trouble", 2), -AIK_ERANGE);
  CHECK_SAYS("index 37");
  CHECK_EQ(s.runScalar("trouble", 3), 0);
  CHECK_EQ(s.runScalar("trouble", 4), -AIK_ENOSYS);
  CHECK_SAYS("no call number 4711");
  CHECK_EQ(aik_fault_read(&fault), AIK_ENOSYS);
  CHECK_EQ(fault.number, 4711);
  CHECK_EQ(s.runScalar("submit", int64_t(s.device)), 0);
}

void choosesImages() {
  auto open = [](const aik::ArtifactDescription &description,
                 const char *wanted, std::string *target, uint64_t hidden = 0) {
    std::string bytes, error;
    CHECK(aik::writeArtifact(description, bytes, error));
    auto options = make<aik_runtime_options>();
    options.hidden_features = hidden;
    options.threads = 1;
    aik_runtime *runtime = nullptr;
    aik_handle artifact = 0, device = 0, module = 0;
    CHECK_EQ(aik_runtime_open(&options, &runtime), 0);
    CHECK_EQ(aik_artifact_open_memory(runtime, bytes.data(), bytes.size(),
                                      &artifact),
             0);
    CHECK_EQ(aik_device_open(runtime, "cpu", &device), 0);
    auto load = make<aik_load_options>();
    load.image = wanted;
    int32_t status = aik_module_load(runtime, artifact, device, &load, &module);
    if (status == 0) {
      auto info = make<aik_module_info>();
      auto image = make<aik_image_info>();
      CHECK_EQ(aik_module_describe(runtime, module, &info), 0);
      CHECK_EQ(aik_artifact_image(runtime, artifact, info.image, &image), 0);
      *target = image.target;
    }
    std::string message = aik_fault_message();
    CHECK_EQ(aik_runtime_close(runtime), 0);
    return status;
  };
  uint64_t features = aik::detectFeatures(aik::hostSys());
  uint64_t present = features & (~features + 1); // its lowest bit
  aik::ArtifactDescription description = testDescription();
  aik::ArtifactImage best = description.images[0];
  best.target = "cpu:best";
  best.rank = 5;
  best.features = present;
  description.images.push_back(best);
  uint32_t other =
      best.arch == AIK_ARCH_X86_64 ? AIK_ARCH_AARCH64 : AIK_ARCH_X86_64;
  aik::ArtifactImage foreign = best;
  foreign.target = "cpu:foreign";
  foreign.arch = other;
  foreign.rank = 9;
  description.images.push_back(foreign);
  aik::ArtifactImage ptx;
  ptx.kind = AIK_IMAGE_PTX;
  ptx.features = 90 | AIK_SM_EXACT;
  ptx.target = "nvidia:sm_90a";
  ptx.bytes = "//";
  ptx.rank = 10;
  description.images.push_back(ptx);

  std::string target;
  CHECK_EQ(open(description, nullptr, &target), 0);
  CHECK_EQ(target, "cpu:best");
  CHECK_EQ(open(description, "auto", &target, ~uint64_t(0)), 0);
  CHECK_EQ(target, present ? "cpu:test" : "cpu:best");
  CHECK_EQ(open(description, "cpu:test", &target), 0);
  CHECK_EQ(target, "cpu:test");
  CHECK_EQ(open(description, "reference", &target), 0);
  CHECK_EQ(target, "reference");
  CHECK_EQ(open(description, "cpu:none", &target), -AIK_ENOENT);
  CHECK_SAYS("no image 'cpu:none'");
  CHECK_EQ(open(description, "cpu:foreign", &target), -AIK_EOPNOTSUPP);
  CHECK_SAYS("image 'cpu:foreign' is for");
  CHECK_EQ(open(description, "nvidia:sm_90a", &target), -AIK_EOPNOTSUPP);
  CHECK_SAYS("is a ptx image");
  if (present) {
    CHECK_EQ(open(description, "cpu:best", &target, ~uint64_t(0)),
             -AIK_EOPNOTSUPP);
    CHECK_SAYS("image 'cpu:best' needs ");
    CHECK_SAYS("does not have");
  }
  // Nothing fits: the sentence goes through all of them.
  description.images.erase(description.images.begin());
  CHECK_EQ(open(description, nullptr, &target, ~uint64_t(0)),
           present ? -AIK_EOPNOTSUPP : 0);
  if (present)
    CHECK_SAYS("no image fits");
  // An image whose ELF header is for another machine than it says.
  description = testDescription();
  description.images[0].bytes[18] ^= 0x40;
  CHECK_EQ(open(description, nullptr, &target), -AIK_EOPNOTSUPP);
  CHECK_SAYS("is for ELF machine");
  description = testDescription();
  description.images[0].bytes = "not an ELF file";
  CHECK_EQ(open(description, nullptr, &target), -AIK_ENOEXEC);
  CHECK_SAYS("image 'cpu:test' cannot be loaded");
  // Program headers that point out of the file.
  description = testDescription();
  description.images[0].bytes.resize(1024);
  CHECK_EQ(open(description, nullptr, &target), -AIK_ENOEXEC);
  CHECK_SAYS("out of range");
  // A function that the image does not have.
  description = testDescription();
  description.functions[0].name = "missing";
  CHECK_EQ(open(description, nullptr, &target), -AIK_ENOEXEC);
  CHECK_SAYS("does not export 'missing$shape'");
}

void loadsManyImagesAtOnce() {
  // The loader must not take one image for another.
  Session s;
  aik_handle modules[8];
  for (aik_handle &module : modules)
    CHECK_EQ(aik_module_load(s.runtime, s.artifact, s.device, nullptr, &module),
             0);
  auto info = make<aik_kernel_info>();
  uint64_t addresses[8];
  for (int i = 0; i < 8; ++i) {
    CHECK_EQ(aik_syscall(s.runtime, AIK_SYS_GPU_KERNEL, int64_t(modules[i]),
                         reinterpret_cast<int64_t>("kernel_scale"),
                         reinterpret_cast<int64_t>(&info), 0, 0, 0),
             0);
    addresses[i] = info.kernel_object;
    for (int j = 0; j < i; ++j)
      CHECK(addresses[j] != addresses[i]);
  }
  for (aik_handle module : modules)
    CHECK_EQ(aik_module_unload(s.runtime, module), 0);
  CHECK_EQ(aik_module_unload(s.runtime, modules[0]), -AIK_ENOENT);
}

void usesTheCallersPool() {
  struct Pool {
    int loops = 0;
    static int32_t run(void *pool, int64_t count, aik_parallel_body body,
                       void *captures) {
      ++static_cast<Pool *>(pool)->loops;
      int32_t status = 0;
      for (int64_t i = 0; i < count && status == 0; i += 10)
        status = body(captures, i, i + 10 < count ? i + 10 : count);
      return status;
    }
  } pool;
  auto options = make<aik_runtime_options>();
  options.parallel_for = Pool::run;
  options.pool = &pool;
  struct StoppedClock : CountingSys {
    uint64_t now = 1;
    uint64_t clockNs() override { return now; }
  } sys;
  {
    Session s("null", 1, sys);
    CHECK_EQ(sys.liveThreads.load(), 0);
  }
  aik_runtime *runtime = nullptr;
  CHECK_EQ(aik::openRuntime(sys, &options, &runtime), 0);
  aik_handle device = 0;
  CHECK_EQ(aik_device_open(runtime, "cpu", &device), 0);
  const aik_env *env = nullptr;
  CHECK_EQ(aik_device_env(runtime, device, &env), 0);
  CHECK_EQ(env->threads, 0); // nobody said how many the pool has
  struct Captures {
    const aik_env *env;
    int64_t sum;
  } captures = {env, 0};
  auto body = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    auto *c = static_cast<Captures *>(opaque);
    c->sum += end - begin;
    // Nested: must not reach the pool again.
    return c->env->parallel_for(
        c->env, 3, [](void *, int64_t, int64_t) -> int32_t { return 0; },
        nullptr);
  };
  CHECK_EQ(env->parallel_for(env, 95, body, &captures), 0);
  CHECK_EQ(captures.sum, 95);
  CHECK_EQ(pool.loops, 1);
  // It is known by now that this is not worth handing over.
  CHECK_EQ(env->parallel_for(env, 95, body, &captures), 0);
  CHECK_EQ(captures.sum, 190);
  CHECK_EQ(pool.loops, 1);
  auto slow = [](void *opaque, int64_t, int64_t) -> int32_t {
    static_cast<StoppedClock *>(opaque)->now += 1000000;
    return 0;
  };
  for (int loops = 2; loops < 5; ++loops) {
    CHECK_EQ(env->parallel_for(env, 95, slow, &sys), 0);
    CHECK_EQ(pool.loops, loops);
  }
  // One that takes longer than the last time goes to the pool while it runs.
  struct Changing {
    StoppedClock &sys;
    uint64_t ns;
    int visits[95];
  } changing = {sys, 1, {}};
  auto note = [](void *opaque, int64_t begin, int64_t end) -> int32_t {
    auto *c = static_cast<Changing *>(opaque);
    for (int64_t i = begin; i < end; ++i)
      ++c->visits[i];
    c->sys.now += c->ns;
    return 0;
  };
  for (int round = 0; round < 3; ++round) {
    changing.ns = round < 2 ? 1 : 1000000;
    CHECK_EQ(env->parallel_for(env, 95, note, &changing), 0);
    CHECK_EQ(pool.loops, round < 2 ? 5 : 6);
    for (int visits : changing.visits)
      CHECK_EQ(visits, round + 1);
  }
  auto failing = [](void *opaque, int64_t begin, int64_t) -> int32_t {
    auto *e = static_cast<const aik_env *>(opaque);
    return begin == 40 ? e->fail(e, AIK_ERANGE, "at forty") : 0;
  };
  CHECK_EQ(env->parallel_for(env, 95, failing, const_cast<aik_env *>(env)),
           -AIK_ERANGE);
  CHECK_SAYS("at forty");
  CHECK_EQ(sys.allThreads.load(), 0);
  CHECK_EQ(aik_runtime_close(runtime), 0);
}

void refusesWrongStructsAndHandles() {
  Session s;
  aik_artifact_info info = {};
  CHECK_EQ(aik_artifact_describe(s.runtime, s.artifact, &info), -AIK_EINVAL);
  CHECK_SAYS("has size 0 and version 0");
  CHECK_EQ(aik_artifact_describe(s.runtime, s.artifact, nullptr), -AIK_EFAULT);
  CHECK_EQ(aik_artifact_describe(nullptr, s.artifact, nullptr), -AIK_EFAULT);
  AIK_INIT(&info);
  CHECK_EQ(aik_artifact_describe(s.runtime, s.module, &info), -AIK_ENOENT);
  CHECK_SAYS("not the handle of an open artifact");
  for (aik_handle wrong : {aik_handle(0), aik_handle(1), ~aik_handle(0),
                           s.artifact + 1, s.artifact ^ (aik_handle(1) << 24)})
    CHECK_EQ(aik_artifact_describe(s.runtime, wrong, &info), -AIK_ENOENT);
  CHECK_EQ(aik_artifact_close(s.runtime, s.artifact), -AIK_EBUSY);
  CHECK_EQ(aik_device_close(s.runtime, s.device), -AIK_EBUSY);
  CHECK_EQ(aik_module_unload(s.runtime, s.module), 0);
  CHECK_EQ(aik_artifact_close(s.runtime, s.artifact), 0);
  CHECK_EQ(aik_artifact_close(s.runtime, s.artifact), -AIK_ENOENT);
  CHECK_EQ(aik_device_close(s.runtime, s.device), 0);
  aik_handle device = 0;
  CHECK_EQ(aik_device_open(s.runtime, "amd:0", &device), -AIK_ENODEV);
  CHECK_SAYS("needs a driver");
  CHECK_EQ(aik_device_open(s.runtime, "nvidia:999", &device), -AIK_ENODEV);
  CHECK_EQ(aik_device_open(s.runtime, "toaster", &device), -AIK_ENODEV);
  CHECK_SAYS("'toaster' is not a device");
}
} // namespace

int main(int argc, char **argv) {
  useTestImage(argc, argv);
  run("describes", describes);
  run("adds in parallel", addsInParallel);
  run("allocates nothing per call", allocatesNothingPerCall);
  run("copies strided tensors", copiesStridedTensors);
  run("accepts empty tensors", acceptsEmptyTensors);
  run("prepares weights", preparesWeights);
  run("writes mutable and donated", writesMutableAndDonated);
  run("refuses wrong tensors", refusesWrongTensors);
  run("returns errors of compiled code", returnsErrorsOfCompiledCode);
  run("chooses images", choosesImages);
  run("loads many images at once", loadsManyImagesAtOnce);
  run("uses the caller's pool", usesTheCallersPool);
  run("refuses wrong structs and handles", refusesWrongStructsAndHandles);
  return finish();
}
