//===- CudaCommands.h - Command buffers of compiled code ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the launches that a function makes between AIK_SYS_COMMANDS_
// BEGIN and END. What comes out: one launch of a graph for each SUBMIT. The
// graph is made by the first one, launched again as it is where a later run
// keeps the same launches, and updated where their parameters differ.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDACOMMANDS_H
#define AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDACOMMANDS_H

#include "Drivers/CUDA/CudaApi.h"
#include "Sys.h"

namespace aik {

struct CudaModule;

/// With the device's mutex held, as everything of a run.
class CudaCommands {
public:
  explicit CudaCommands(CudaModule &module) : module(module) {}

  /// Launches are kept from here on, as those of this buffer.
  int32_t begin(uint32_t number);
  void stop() { current = nullptr; }
  bool isKeeping() const { return current; }
  int32_t keep(uint32_t kernel, int64_t blocks, const void *parameters);
  /// Puts the launches of a buffer on the run's stream, or into the graph that
  /// is being recorded.
  int32_t submit(uint32_t number);

  /// Destroys the graphs, which nothing on the device uses any more.
  void release();
  /// The same where the context is gone.
  void forget();
  /// Gives back the memory of everything.
  void drop();

private:
  /// Launches, each as its kernel, its blocks and its parameters.
  struct Words {
    uint64_t *data = nullptr;
    size_t count = 0, capacity = 0;
  };
  struct Buffer {
    Buffer *next;
    uint32_t number;
    Words kept, built;
    cu::GraphExec exec;
  };

  Buffer *find(uint32_t number) const;
  bool append(Words &to, const uint64_t *words, size_t count);
  template <typename Function>
  int32_t forLaunches(const Words &words, Function each);
  int32_t build(Buffer &buffer);
  int32_t capture(const Words &words, cu::Graph &graph);

  CudaModule &module;
  Buffer *buffers = nullptr;
  Buffer *current = nullptr;
};

} // namespace aik

#endif // AIKERNEL_RUNTIME_DRIVERS_CUDA_CUDACOMMANDS_H
