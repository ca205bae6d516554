//===- TestSupport.h - Artifacts, sessions and a Sys that fails -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the path of the test image (argv[1] of every test). What comes
// out: an artifact around it, opened and loaded.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_TESTSUPPORT_H
#define AIKERNEL_UNITTESTS_RUNTIME_TESTSUPPORT_H

#include "AIKernel-c/Runtime.h"
#include "AIKernel/Artifact/ArtifactWriter.h"
#include "Check.h"
#include "Sys.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace aiktest {

/// Reads argv[1]; ends the test program when it is not there.
void useTestImage(int argc, char **argv);
const std::string &testImageBytes();

/// The functions of TestImage.cpp in one host image for this machine, and a
/// reference image with the same code.
aik::ArtifactDescription testDescription();
std::string testArtifact();
/// The same, and TestLauncher.cpp (a file's bytes) with PTX for sm_80.
aik::ArtifactDescription cudaDescription(const std::string &launcher);
std::string artifactOf(const aik::ArtifactDescription &description);
/// Reads a whole file; empty when that fails.
std::string fileBytes(const char *path);

/// True in an emulator of user programs, whose own memory and system calls
/// get in the way of some tests.
bool isEmulated();

/// Waits until `condition` holds; false when that takes ten seconds.
template <typename Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 10000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// A versioned struct, ready to be filled.
template <typename T>
T make() {
  T value = {};
  AIK_INIT(&value);
  return value;
}

/// A dense f32 tensor over `data`.
aik_tensor tensor(void *data, std::initializer_list<int64_t> dims,
                  uint32_t dtype = AIK_F32);

/// A real Sys that counts what is alive and can fail one call.
struct CountingSys : aik::Sys {
  /// The k-th call that can fail fails; 0: none does.
  std::atomic<int> failAt{0};
  std::atomic<int> calls{0};
  std::atomic<int> liveAllocations{0}, liveFiles{0}, liveMappings{0},
      liveLibraries{0}, liveThreads{0};
  /// Those that were released again count too.
  std::atomic<int> allAllocations{0}, allThreads{0};
  /// Threads in futexWait.
  std::atomic<int> sleeping{0};
  std::atomic<bool> noHugePages{false}, noLock{false};
  /// Reads and writes move at most this many bytes.
  std::atomic<size_t> transferLimit{SIZE_MAX};

  void start(int k) {
    calls = 0;
    failAt = k;
  }
  bool isClean() const {
    return liveAllocations == 0 && liveFiles == 0 && liveMappings == 0 &&
           liveLibraries == 0 && liveThreads == 0;
  }
  std::string balance() const;

  void *allocate(size_t bytes, size_t alignment) override;
  void release(void *memory) override;
  int64_t open(const char *path, uint32_t flags) override;
  int64_t close(int fd) override;
  int64_t read(int fd, void *buffer, size_t bytes) override;
  int64_t write(int fd, const void *buffer, size_t bytes) override;
  int64_t fileSize(int fd) override;
  int64_t memoryFile(const char *name) override;
  int64_t sealFile(int fd) override;
  int64_t mapAnonymous(size_t bytes, aik::PageKind pages) override;
  int64_t mapFile(size_t bytes, uint32_t prot, int fd, int64_t offset) override;
  int64_t protect(void *address, size_t bytes, uint32_t prot) override;
  int64_t unmap(void *address, size_t bytes) override;
  int64_t advise(void *address, size_t bytes, aik::Advice advice) override;
  int64_t lock(void *address, size_t bytes) override;
  int64_t numaNode(const void *address) override;
  int64_t pageSize() override;
  int64_t physicalMemory() override;
  int64_t futexWait(const uint32_t *word, uint32_t expected,
                    int64_t timeoutNs) override;
  int64_t futexWake(const uint32_t *word, int32_t count) override;
  int64_t startThread(void (*body)(void *), void *argument,
                      aik::SysThread *out) override;
  void joinThread(aik::SysThread thread) override;
  int64_t affinityCount() override;
  int64_t affinity(int64_t threadId, aik::CpuSet *out) override;
  int64_t setAffinity(int64_t threadId, const aik::CpuSet &cpus) override;
  int64_t scalableVectorBytes() override;
  void *loadLibrary(const char *path, char *error, size_t bytes) override;
  void *symbol(void *library, const char *name) override;
  void unloadLibrary(void *library) override;

private:
  bool failsNow() { return ++calls == failAt; }
};

/// A runtime with the test artifact loaded on a device.
struct Session {
  explicit Session(const char *deviceName = "cpu", uint32_t threads = 2,
                   aik::Sys &sys = aik::hostSys(),
                   const std::string &artifactBytes = testArtifact());
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  uint32_t function(const char *name) {
    return uint32_t(aik_artifact_find_function(runtime, artifact, name));
  }
  /// Runs trouble(how) or submit(how).
  int32_t runScalar(const char *function, int64_t how);
  /// The address of an exported kernel.
  uint64_t kernel(const char *name);
  aik_queue_info queue(uint32_t order = 0, uint64_t stallNs = 0);
  /// Memory of the device, for tensors and packets.
  aik_memory_info buffer(uint64_t bytes);

  aik_runtime *runtime = nullptr;
  aik_handle artifact = 0, device = 0, module = 0;
};

// Packets.
aik_packet kernelPacket(uint64_t kernel, void *block, uint64_t blockBytes = 0);
aik_packet copyPacket(void *to, const void *from, uint64_t bytes);
aik_packet fillPacket(void *to, uint64_t pattern, uint32_t patternBytes,
                      uint64_t bytes);
aik_packet nopPacket();
aik_packet waitPacket(aik_handle signal, uint32_t condition, int64_t value);
aik_packet signalPacket(aik_handle signal, uint32_t operation, int64_t value);

} // namespace aiktest

#endif // AIKERNEL_UNITTESTS_RUNTIME_TESTSUPPORT_H
