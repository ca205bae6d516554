//===- GraphApi.cpp - C API: recorded runs --------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks pointers and handles, then calls the device. A graph keeps its device
// open.
//
//===----------------------------------------------------------------------===//

#include "Drivers/Driver.h"

using namespace aik;

namespace {
struct GraphHandle final : Object {
  static constexpr ObjectKind kind = ObjectKind::Graph;
  GraphHandle(Device &device) : device(device) {
    device.users.fetch_add(1, std::memory_order_acq_rel);
  }
  void destroy() override {
    Sys &sys = device.runtime.sys;
    if (remote)
      remote->destroy();
    device.users.fetch_sub(1, std::memory_order_acq_rel);
    dispose(sys, this);
  }
  Device &device;
  RemoteGraph *remote = nullptr;
};
} // namespace

int32_t aik_graph_begin(aik_runtime *runtime, aik_handle deviceHandle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Device> device(runtime->handles, deviceHandle);
  return device ? device->beginGraph() : -AIK_ENOENT;
}

int32_t aik_graph_end(aik_runtime *runtime, aik_handle deviceHandle,
                      aik_handle *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(out, "graph"))
    return status;
  Pin<Device> device(runtime->handles, deviceHandle);
  if (!device)
    return -AIK_ENOENT;
  RemoteGraph *remote = nullptr;
  if (int32_t status = device->endGraph(&remote))
    return status;
  GraphHandle *graph = create<GraphHandle>(runtime->sys, *device);
  if (!graph) {
    remote->destroy();
    return fail(AIK_ENOMEM, "no memory for a graph");
  }
  graph->remote = remote;
  if (int32_t status = runtime->handles.insert(ObjectKind::Graph, graph)) {
    graph->destroy();
    return status;
  }
  *out = graph->handle;
  return 0;
}

static int32_t launch(aik_runtime *runtime, aik_handle handle,
                      const RunMode &mode) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<GraphHandle> graph(runtime->handles, handle);
  if (!graph)
    return -AIK_ENOENT;
  runtime->trace.event(AIK_TRACE_RUN, handle, 0);
  return graph->remote->launch(mode);
}

int32_t aik_graph_launch(aik_runtime *runtime, aik_handle handle) {
  return launch(runtime, handle, {true});
}

int32_t aik_graph_launch_on(aik_runtime *runtime, aik_handle handle,
                            void *stream) {
  return launch(runtime, handle, {true, true, stream});
}

int32_t aik_graph_close(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<GraphHandle> graph(runtime->handles, handle);
  return graph ? runtime->handles.remove(handle, true) : -AIK_ENOENT;
}
