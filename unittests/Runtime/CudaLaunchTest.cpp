//===- CudaLaunchTest.cpp - What launches of kernels may ask for ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps, blocks that stay, clusters and large shared memory, on the fake
// driver: it checks each launch against the table of the launcher, and makes
// maps that the kernels' twins can read.
//
//===----------------------------------------------------------------------===//

#include "CudaTestSupport.h"

using namespace aiktest;

namespace {
/// kernel_map of the test launcher, through a packet.
struct MapLaunch {
  explicit MapLaunch(CudaSession &s)
      : s(s), source(s.floats(
                  {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})),
        out(s.floats(std::vector<float>(16, -1))) {
    uint64_t *a = words + 1, *b = words + 18;
    a[0] = source.device_address;
    a[1] = 3; // of rows that are four apart
    a[2] = 2;
    a[6] = 16;
    b[0] = source.device_address;
    b[1] = b[2] = b[3] = 2;
    b[6] = 16;
    b[7] = 32;
    words[34] = out.device_address;
  }
  int32_t run(uint32_t blocks = 100, const char *kernel = "kernel_map",
              uint32_t threads = 128) {
    uint64_t block[36];
    memcpy(block, words, sizeof(block));
    bool isMap = strcmp(kernel, "kernel_map") == 0;
    aik_packet packet =
        kernelPacket(s.kernel(kernel), isMap ? block : block + 34,
                     isMap ? sizeof(block) : 16);
    packet.kernel.setup = 1;
    packet.kernel.grid_x = blocks * threads;
    aik_queue_info queue = s.queue();
    aik_fence fence = {};
    CHECK_EQ(aik_queue_submit(s.runtime, queue.queue, &packet, 1, &fence), 0);
    int32_t status = aik_fence_wait(s.runtime, &fence, -1);
    CHECK_EQ(aik_queue_destroy(s.runtime, queue.queue, AIK_QUEUE_ABORT, -1), 0);
    return status;
  }
  CudaSession &s;
  aik_memory_info source, out;
  uint64_t words[36] = {};
};

void makesTensorMaps() {
  CudaSession s;
  MapLaunch launch(s);
  CHECK_EQ(launch.run(), 0);
  float wanted[] = {1, 2, 3, 5, 6, 7};
  for (size_t i = 0; i < 6; ++i)
    CHECK_EQ(s.read(launch.out, i), wanted[i]);
  // bf16 is 9, 128 bytes the third swizzle, 256 the third promotion.
  CHECK_EQ(s.read(launch.out, 6), float(9 << 16 | 3 << 8 | 3));
  CHECK_EQ(s.read(launch.out, 7), 7.0f);
}

void keepsTensorMaps() {
  CudaSession s;
  MapLaunch launch(s);
  int before = fake().maps();
  for (int i = 0; i < 5; ++i)
    CHECK_EQ(launch.run(), 0);
  CHECK_EQ(fake().maps(), before + 2);
  // Another size, another address, another distance are other maps.
  launch.words[2] = 4;
  CHECK_EQ(launch.run(), 0);
  CHECK_EQ(fake().maps(), before + 3);
  CHECK_EQ(s.read(launch.out, 3), 4.0f);
  launch.words[1] += 16;
  CHECK_EQ(launch.run(), 0);
  CHECK_EQ(fake().maps(), before + 4);
  CHECK_EQ(s.read(launch.out, 0), 5.0f);
  launch.words[7] = 32;
  CHECK_EQ(launch.run(), 0);
  CHECK_EQ(fake().maps(), before + 5);
  CHECK_EQ(s.read(launch.out, 4), 13.0f);
  // More than are kept, all of them right.
  launch.words[3] = 1;
  for (int i = 0; i < 300; ++i) {
    launch.words[1] = launch.source.device_address + 16 * uint64_t(i % 3);
    launch.words[7] = 16 * uint64_t(i / 3);
    CHECK_EQ(launch.run(), 0);
    CHECK_EQ(s.read(launch.out, 0), float(1 + 4 * (i % 3)));
  }
}

void launchesWhatTheDeviceHolds() {
  CudaSession s;
  MapLaunch launch(s);
  CHECK_EQ(launch.run(100), 0);
  CHECK_EQ(s.read(launch.out, 8), 8.0f); // four multiprocessors, two blocks
  CHECK_EQ(launch.run(5), 0);
  CHECK_EQ(s.read(launch.out, 8), 5.0f);
  CHECK_EQ(launch.run(40, "kernel_crowd", 64), 0);
  CHECK_EQ(s.read(launch.out, 0), 6.0f); // three clusters of two
  CHECK_EQ(launch.run(4, "kernel_crowd", 64), 0);
  CHECK_EQ(s.read(launch.out, 0), 4.0f);
}

void saysWhatCannotBeMapped() {
  CudaSession s;
  MapLaunch launch(s);
  struct {
    int word;
    uint64_t value;
  } cases[] = {{1, launch.source.device_address + 4}, {1, 0}, {2, 0}, {7, 12}};
  for (auto &one : cases) {
    uint64_t before = launch.words[one.word];
    launch.words[one.word] = one.value;
    // Before anything is launched, and each time.
    for (int i = 0; i < 2; ++i) {
      CHECK_EQ(launch.run(), -AIK_EIO); // what queues say
      CHECK_SAYS("kernel 'kernel_map' cannot have a tensor map of 2 x ");
      CHECK_SAYS(one.word == 7 ? ", 12 bytes apart" : ", 16 bytes apart");
    }
    launch.words[one.word] = before;
    CHECK_EQ(launch.run(), 0);
  }
  // All sizes and distances, and no more.
  launch.words[20] = 0;
  CHECK_EQ(launch.run(), -AIK_EIO);
  CHECK_SAYS("a tensor map of 2 x 0 x 2 elements at 0x");
  CHECK_SAYS(", 32 x 16 bytes apart");
  launch.words[20] = 2;
  fake().configure("cuTensorMapEncodeTiled:1:801");
  launch.words[2] = 1;
  CHECK_EQ(launch.run(), -AIK_EIO);
  CHECK_SAYS("a tensor map cannot be made: ");
}

void saysHowManyBlocksThereCanBe() {
  CudaSession s;
  CHECK_EQ(s.trouble(8), -AIK_EINVAL);
  CHECK_SAYS("kernel 'kernel_cluster' would be launched with 2147483648 "
             "blocks; a device takes at most 2147483647");
  CHECK_EQ(s.trouble(4), -AIK_EINVAL);
  CHECK_SAYS("cannot be launched with 3 blocks in clusters of 2");
}

/// Launches overlap those before them in the same run, and nothing else.
void overlapsLaunchesOfARun() {
  const struct {
    const char *knobs;
    int inGraphs;
  } drivers[] = {{"version=12020", 0}, {"version=12030", 1}};
  for (auto &driver : drivers) {
    CudaSession s(driver.knobs);
    int before = fake().overlaps();
    CHECK_EQ(s.trouble(5), 0);
    CHECK_EQ(fake().overlaps() - before, 0);
    for (int runs = 1; runs < 3; ++runs) {
      CHECK_EQ(s.trouble(6, AIK_RUN_ASYNC), 0);
      CHECK_EQ(fake().overlaps() - before, runs);
    }
    CHECK_EQ(s.wait(), 0);
    MapLaunch packet(s);
    CHECK_EQ(packet.run(2, "kernel_crowd", 64), 0);
    CHECK_EQ(fake().overlaps() - before, 2);
    aik_handle graph = 0;
    CHECK_EQ(aik_graph_begin(s.runtime, s.device), 0);
    for (int i = 0; i < 2; ++i)
      CHECK_EQ(s.trouble(6, AIK_RUN_ASYNC), 0);
    CHECK_EQ(aik_graph_end(s.runtime, s.device, &graph), 0);
    CHECK_EQ(fake().overlaps() - before, 2 + 2 * driver.inGraphs);
    CHECK_EQ(aik_graph_close(s.runtime, graph), 0);
  }
}

void needsADriverThatHasThem() {
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  struct {
    const char *function, *kernel;
  } cases[] = {{"cuLaunchKernelEx", "kernel_linear"},
               {"cuTensorMapEncodeTiled", "kernel_map"},
               {"cuOccupancyMaxActiveClusters", "kernel_crowd"}};
  for (auto &one : cases) {
    std::string said =
        c.load((std::string("sm=80,missing=") + one.function).c_str());
    CHECK_EQ(c.status, -AIK_EOPNOTSUPP);
    CHECK_EQ(said, std::string("kernel '") + one.kernel +
                       "' needs a CUDA driver with " + one.function);
  }
  CHECK_EQ(c.load("sm=80"), "nvidia:sm_80 ptx");
}

void refusesForgedMaps() {
  // After the name: parameter, dtype, rank, swizzle, promotion, box.
  std::vector<uint32_t> row = {18, AIK_BF16, 3, 128, 256, 64, 7, 2, 1, 1};
  struct {
    size_t field;
    uint32_t value;
    const char *says;
  } cases[] = {{0, 16, "behind"},      {0, 0, "behind"},
               {0, 20, "parameter"},   {0, 0xfffffff8, "parameter"},
               {1, 0, "element type"}, {1, 99, "element type"},
               {2, 0, "rank"},         {2, 6, "rank"},
               {3, 16, "swizzle"},     {4, 32, "promotion"},
               {5, 0, "box"},          {5, 7, "box"},
               {5, 128, "box"},        {6, 257, "box"},
               {9, 2, "box"}};
  for (auto &one : cases) {
    std::vector<uint32_t> after = row;
    after[one.field] = one.value;
    Choice c;
    c.addLauncher("nvidia:sm_80");
    c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
    c.description.images[2].bytes = forged(row, after);
    std::string said = c.load("sm=80");
    CHECK_EQ(c.status, -AIK_ENOEXEC);
    CHECK(has(said, "row 1 of aik$maps of the launcher of 'nvidia:sm_80'"));
    CHECK(has(said, one.says));
  }
  Choice c;
  c.addLauncher("nvidia:sm_80");
  c.add(AIK_IMAGE_PTX, "nvidia:sm_80", 80, 1);
  std::string &bytes = c.description.images[2].bytes;
  std::string whole = bytes;
  bytes.replace(bytes.find("aik$maps"), 8, "aik$mapz");
  CHECK(has(c.load("sm=80"), "does not export 'aik$maps'"));
  // A kernel that says nothing of maps; one without room for its number.
  bytes = whole;
  bytes = forged({128, 1, 200 << 10, 36, 13, 0}, {128, 1, 200 << 10, 36, 5, 0});
  CHECK_EQ(c.load("sm=80"), "nvidia:sm_80 ptx");
  bytes = forged({64, 2, 0, 2, 6, 0}, {64, 2, 0, 2, 14, 0});
  CHECK_EQ(c.load("sm=80"), "nvidia:sm_80 ptx");
  bytes = forged({64, 2, 0, 2, 6, 0}, {64, 2, 0, 1, 7, 0});
  CHECK(has(c.load("sm=80"), "has no parameter for the number of its blocks"));
  bytes =
      forged({128, 1, 200 << 10, 36, 13, 0}, {128, 1, 200 << 10, 34, 13, 0});
  CHECK(has(c.load("sm=80"), "row 1 of aik$maps"));
}
} // namespace

int main(int argc, char **argv) {
  useFakeCuda(argc, argv);
  run("makes tensor maps", makesTensorMaps);
  run("keeps tensor maps", keepsTensorMaps);
  run("launches what the device holds", launchesWhatTheDeviceHolds);
  run("says what cannot be mapped", saysWhatCannotBeMapped);
  run("says how many blocks there can be", saysHowManyBlocksThereCanBe);
  run("overlaps launches of a run", overlapsLaunchesOfARun);
  run("needs a driver that has them", needsADriverThatHasThem);
  run("refuses forged maps", refusesForgedMaps);
  run("keeps nothing", [] { CHECK_EQ(fake().live(), 0); });
  return finish();
}
