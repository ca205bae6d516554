//===- FakeCudaState.h - What the fake CUDA driver keeps ------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind the handles, the knobs, and work that waits on streams.
// Only FakeCuda.cpp includes this.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_UNITTESTS_RUNTIME_FAKECUDASTATE_H
#define AIKERNEL_UNITTESTS_RUNTIME_FAKECUDASTATE_H

#include "AIKernel-c/Entry.h"
#include "Drivers/CUDA/CudaApi.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <vector>

// The opaque types behind the handles of CudaApi.h.
namespace aik::cu {
struct FunctionObject {
  const aik_kernel *row;
  const aik_tensor_map *maps; // of all kernels, or null
  unsigned sharedLimit = 48 << 10;
  bool isResident = false; // its occupancy was asked for
};
struct ModuleObject {
  std::map<std::string, FunctionObject> functions;
  std::string text; // PTX, or empty
};
using Operation = std::function<void()>;
struct StreamObject {
  std::deque<Operation> waiting;
  uint64_t issued = 0, done = 0;
  bool capturing = false;
  std::vector<Operation> captured;
};
struct EventObject {
  StreamObject *stream = nullptr;
  uint64_t at = 0;
};
struct GraphObject {
  std::vector<Operation> operations;
};
struct GraphExecObject {
  std::vector<Operation> operations;
};

struct ContextObject {
  struct Memory {
    size_t bytes;
    bool isHost;
    void *mapping;
    size_t mappedBytes;
  };
  int users = 0;
  unsigned long long id = 1; // another one after each reset
  Result fault = success;
  size_t used = 0;
  std::map<Pointer, Memory> memory;
  std::map<Pointer, size_t> registered;
  std::set<ModuleObject *> modules;
  std::set<StreamObject *> streams;
  StreamObject defaultStream; // what a null stream is
  std::set<EventObject *> events;
  std::set<GraphObject *> graphs;
  std::set<GraphExecObject *> execs;

  size_t live() const {
    return size_t(users) + memory.size() + registered.size() + modules.size() +
           streams.size() + events.size() + graphs.size() + execs.size();
  }
  void clear();
};

inline void ContextObject::clear() {
  for (ModuleObject *module : modules)
    delete module;
  for (StreamObject *stream : streams)
    delete stream;
  for (EventObject *event : events)
    delete event;
  for (GraphObject *graph : graphs)
    delete graph;
  for (GraphExecObject *exec : execs)
    delete exec;
  for (auto &[begin, block] : memory)
    munmap(block.mapping, block.mappedBytes);
  int before = users;
  unsigned long long next = id + 1;
  *this = ContextObject();
  users = before;
  id = next;
}
} // namespace aik::cu

namespace aikfake {
using namespace aik::cu;

constexpr Result invalidDevice = 101, notInitialized = 3, invalidCall = 400,
                 noFunction = 98, notPermitted = 800, captureUnsupported = 900,
                 captureInvalid = 901, captureIsolated = 905,
                 graphDiffers = 910;

struct Knob {
  std::string name;
  int at;
  Result code;
  int seen = 0;
};

struct State {
  std::recursive_mutex mutex;
  std::vector<Knob> knobs;
  bool hangs = false;
  int calls = 0, kernels = 0, allocations = 0, maps = 0, overlaps = 0;
  int graphs = 0, updates = 0;
  int sm = 90, count = 1, version = 12040;
  size_t memory = size_t(1) << 30;
  std::string missing; // a function that the driver does not have
  std::string awaited; // one at whose next call `callback` is called
  void (*callback)() = nullptr;
  bool started = false;
  ContextObject contexts[8];

  State() { configure(getenv("AIK_FAKE_CUDA")); }
  void configure(const char *text);
};

inline State &state() {
  static State one;
  return one;
}

inline thread_local ContextObject *current = nullptr;

inline void State::configure(const char *text) {
  knobs.clear();
  calls = 0;
  hangs = false;
  missing.clear();
  sm = 90;
  count = 1;
  version = 12040;
  memory = size_t(1) << 30;
  std::string words = text ? text : "";
  for (size_t begin = 0; begin < words.size();) {
    size_t end = std::min(words.find(',', begin), words.size());
    std::string word = words.substr(begin, end - begin);
    begin = end + 1;
    size_t equals = word.find('='), first = word.find(':'),
           second = word.rfind(':');
    if (word == "hang")
      hangs = true;
    else if (equals != std::string::npos) {
      std::string name = word.substr(0, equals);
      unsigned long long value = strtoull(word.c_str() + equals + 1, 0, 10);
      (name == "sm"        ? sm
       : name == "count"   ? count
       : name == "version" ? version
                           : calls) = int(value);
      if (name == "memory")
        memory = size_t(value);
      if (name == "missing")
        missing = word.substr(equals + 1);
      calls = 0;
    } else if (first != second)
      knobs.push_back({word.substr(0, first), atoi(word.c_str() + first + 1),
                       atoi(word.c_str() + second + 1)});
  }
}

inline Result knobFor(const std::string &name) {
  Result code = success;
  for (Knob &knob : state().knobs)
    if (knob.name == name || (knob.name == "*" && name != "launch"))
      if (++knob.seen == knob.at)
        code = knob.code;
  return code;
}

/// Opens every call: counts it, fails it when a knob says so.
struct Call {
  std::lock_guard<std::recursive_mutex> lock;
  Result code;
  explicit Call(const char *name, bool inContext = true)
      : lock(state().mutex), code(success) {
    ++state().calls;
    if (state().callback && state().awaited == name) {
      auto callback = state().callback;
      state().callback = nullptr;
      callback();
    }
    code = knobFor(name);
    if (code != success)
      return;
    if (!state().started)
      code = notInitialized;
    else if (inContext && !current)
      code = 201;
    else if (inContext)
      code = current->fault;
  }
};

#define ENTER(name)                                                            \
  Call entered(name);                                                          \
  if (entered.code)                                                            \
  return entered.code

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Does what is next on the stream.
inline void stepStream(StreamObject &stream) {
  if (stream.waiting.empty())
    return;
  Operation next = std::move(stream.waiting.front());
  stream.waiting.pop_front();
  if (!current->fault)
    next();
  ++stream.done;
}

inline void drain(StreamObject &stream) {
  while (!stream.waiting.empty() && !state().hangs)
    stepStream(stream);
}

/// Null: it is not one of this context's.
inline StreamObject *find(StreamObject *stream) {
  if (!stream)
    return &current->defaultStream;
  return current->streams.count(stream) ? stream : nullptr;
}

inline Result issue(StreamObject *stream, Operation operation) {
  stream = find(stream);
  if (!stream)
    return invalidCall;
  if (stream->capturing) {
    stream->captured.push_back(std::move(operation));
    return success;
  }
  stream->waiting.push_back(std::move(operation));
  ++stream->issued;
  return success;
}

} // namespace aikfake

#endif // AIKERNEL_UNITTESTS_RUNTIME_FAKECUDASTATE_H
