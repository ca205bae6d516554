//===- ArtifactApi.cpp - C API: artifacts, modules, functions -------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks pointers and handles, then calls Core. Everything described is copied
// out, so that it stays valid when the artifact is closed.
//
//===----------------------------------------------------------------------===//

#include "Core/Artifact.h"
#include "Core/CpuFeatures.h"
#include "Core/FunctionCall.h"
#include "Queue/CommandQueue.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
/// What the calls about one artifact have in common.
template <typename Info, typename Fill>
int32_t describe(aik_runtime *runtime, aik_handle handle, Info *out,
                 Fill fill) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  Pin<Artifact> artifact(runtime->handles, handle);
  if (!artifact)
    return -AIK_ENOENT;
  return fill(*artifact);
}

int32_t noSuchFunction(const Artifact &artifact, uint32_t index) {
  return fail(AIK_ENOENT, "the artifact has %u functions, none with number %u",
              artifact.view.header->function_count, index);
}

int32_t describeValue(const Artifact &artifact, uint32_t function,
                      uint32_t index, bool isResult, aik_value_info &out) {
  const aik_meta_function *meta = artifact.function(function);
  if (!meta)
    return noSuchFunction(artifact, function);
  uint32_t count = isResult ? meta->result_count : meta->arg_count;
  const char *what = isResult ? "result" : "arg";
  if (index >= count)
    return fail(AIK_ENOENT, "'%s' has no %s%u",
                artifact.view.string(meta->name), what, index);
  uint32_t at = meta->first_value + index + (isResult ? meta->arg_count : 0);
  const aik_meta_value &value = artifact.view.values[at];
  out.dtype = value.dtype;
  out.rank = value.rank;
  out.flags = value.flags;
  out.donates = value.donates;
  memcpy(out.dims, value.dims, sizeof(out.dims));
  memcpy(out.min, value.min, sizeof(out.min));
  memcpy(out.max, value.max, sizeof(out.max));
  memcpy(out.multiple_of, value.multiple_of, sizeof(out.multiple_of));
  const char *name = artifact.view.string(value.name);
  if (*name)
    snprintf(out.name, sizeof(out.name), "%s", name);
  else
    snprintf(out.name, sizeof(out.name), "%s%u", what, index);
  return 0;
}

template <typename Open>
int32_t openArtifact(aik_runtime *runtime, const void *source,
                     const char *sourceName, aik_handle *out, Open open) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(source, sourceName))
    return status;
  if (int32_t status = needPointer(out, "artifact"))
    return status;
  Artifact *artifact = nullptr;
  if (int32_t status = open(&artifact))
    return status;
  *out = artifact->handle;
  return 0;
}
} // namespace

int32_t aik_artifact_open_file(aik_runtime *runtime, const char *path,
                               aik_handle *out) {
  return openArtifact(runtime, path, "path", out, [&](Artifact **artifact) {
    return Artifact::openFile(*runtime, path, artifact);
  });
}

int32_t aik_artifact_open_memory(aik_runtime *runtime, const void *bytes,
                                 size_t byteCount, aik_handle *out) {
  return openArtifact(runtime, bytes, "bytes", out, [&](Artifact **artifact) {
    return Artifact::openMemory(*runtime, bytes, byteCount, artifact);
  });
}

int32_t aik_artifact_close(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Artifact> artifact(runtime->handles, handle);
  return artifact ? runtime->handles.remove(handle, true) : -AIK_ENOENT;
}

int32_t aik_artifact_describe(aik_runtime *runtime, aik_handle handle,
                              aik_artifact_info *out) {
  return describe(runtime, handle, out, [&](const Artifact &artifact) {
    const aik_meta_header &header = *artifact.view.header;
    out->format_version = header.version;
    out->entry_abi = header.entry_abi;
    out->image_count = header.image_count;
    out->function_count = header.function_count;
    out->byte_count = artifact.byteCount;
    memcpy(out->meta_sha256, header.meta_sha256, sizeof(out->meta_sha256));
    return 0;
  });
}

int32_t aik_artifact_image(aik_runtime *runtime, aik_handle handle,
                           uint32_t index, aik_image_info *out) {
  return describe(runtime, handle, out, [&](const Artifact &artifact) {
    const ArtifactView &view = artifact.view;
    if (index >= view.header->image_count)
      return fail(AIK_ENOENT, "the artifact has %u images, none with number %u",
                  view.header->image_count, index);
    const aik_meta_image &image = view.images[index];
    out->kind = image.kind;
    out->arch = image.arch;
    out->features = image.features;
    out->missing =
        image.arch == hostArch() ? missingFeatures(*runtime, image) : 0;
    out->byte_count = image.size;
    out->bytes = view.imageBytes[index];
    out->rank = image.rank;
    out->fits = fitsHost(*runtime, image) || fitsFoundDevice(*runtime, image);
    memcpy(out->sha256, image.sha256, sizeof(out->sha256));
    snprintf(out->target, sizeof(out->target), "%s", view.string(image.target));
    return 0;
  });
}

int32_t aik_artifact_function(aik_runtime *runtime, aik_handle handle,
                              uint32_t index, aik_function_info *out) {
  return describe(runtime, handle, out, [&](const Artifact &artifact) {
    const aik_meta_function *meta = artifact.function(index);
    if (!meta)
      return noSuchFunction(artifact, index);
    out->arg_count = meta->arg_count;
    out->result_count = meta->result_count;
    snprintf(out->name, sizeof(out->name), "%s",
             artifact.view.string(meta->name));
    return 0;
  });
}

int32_t aik_artifact_find_function(aik_runtime *runtime, aik_handle handle,
                                   const char *name) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(name, "name"))
    return status;
  Pin<Artifact> artifact(runtime->handles, handle);
  if (!artifact)
    return -AIK_ENOENT;
  const ArtifactView &view = artifact->view;
  for (uint32_t i = 0; i < view.header->function_count; ++i)
    if (strcmp(view.string(view.functions[i].name), name) == 0)
      return int32_t(i);
  return fail(AIK_ENOENT, "the artifact has no function '%.200s'", name);
}

int32_t aik_artifact_argument(aik_runtime *runtime, aik_handle handle,
                              uint32_t function, uint32_t index,
                              aik_value_info *out) {
  return describe(runtime, handle, out, [&](const Artifact &artifact) {
    return describeValue(artifact, function, index, false, *out);
  });
}

int32_t aik_artifact_result(aik_runtime *runtime, aik_handle handle,
                            uint32_t function, uint32_t index,
                            aik_value_info *out) {
  return describe(runtime, handle, out, [&](const Artifact &artifact) {
    return describeValue(artifact, function, index, true, *out);
  });
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

int32_t aik_module_load(aik_runtime *runtime, aik_handle artifactHandle,
                        aik_handle deviceHandle,
                        const aik_load_options *options, aik_handle *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needPointer(out, "module"))
    return status;
  const char *wanted = nullptr;
  if (options) {
    if (int32_t status = needStruct(options, "options"))
      return status;
    wanted = options->image;
  }
  Pin<Artifact> artifact(runtime->handles, artifactHandle);
  if (!artifact)
    return -AIK_ENOENT;
  Pin<Device> device(runtime->handles, deviceHandle);
  if (!device)
    return -AIK_ENOENT;
  Module *module = nullptr;
  if (int32_t status = Module::open(*artifact, *device, wanted, &module))
    return status;
  *out = module->handle;
  return 0;
}

int32_t aik_module_unload(aik_runtime *runtime, aik_handle handle) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Module> module(runtime->handles, handle);
  if (!module)
    return -AIK_ENOENT;
  bool busy = false;
  runtime->handles.forEach(ObjectKind::Queue, [&](Object &object) {
    busy = static_cast<CommandQueue &>(object).anyPending(
        [&](const aik_packet &packet) {
          return typeOf(packet) == AIK_PACKET_KERNEL &&
                 module->ownsKernel(packet.kernel.kernel_object);
        });
    return !busy;
  });
  if (busy)
    return fail(AIK_EBUSY, "a queued packet launches a kernel of the module");
  return runtime->handles.remove(handle, true);
}

int32_t aik_module_describe(aik_runtime *runtime, aik_handle handle,
                            aik_module_info *out) {
  if (int32_t status = enter(runtime))
    return status;
  if (int32_t status = needStruct(out, "out"))
    return status;
  Pin<Module> module(runtime->handles, handle);
  if (!module)
    return -AIK_ENOENT;
  out->artifact = module->artifact.handle;
  out->device = module->device.handle;
  out->image = module->imageIndex;
  out->function_count = module->artifact.view.header->function_count;
  return 0;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
template <typename Call>
int64_t callFunction(aik_runtime *runtime, aik_handle handle, uint32_t function,
                     Call call) {
  if (int32_t status = enter(runtime))
    return status;
  Pin<Module> module(runtime->handles, handle);
  if (!module)
    return -AIK_ENOENT;
  FunctionCall one(*module, function);
  return call(one);
}
} // namespace

int32_t aik_function_shape(aik_runtime *runtime, aik_handle module,
                           uint32_t function, const aik_tensor *args,
                           uint32_t argCount, aik_tensor *results,
                           uint32_t resultCount) {
  return int32_t(callFunction(runtime, module, function, [&](FunctionCall &f) {
    return f.shape(args, argCount, results, resultCount);
  }));
}

int64_t aik_function_workspace(aik_runtime *runtime, aik_handle module,
                               uint32_t function, const aik_tensor *args,
                               uint32_t argCount) {
  return callFunction(runtime, module, function, [&](FunctionCall &f) {
    return f.workspace(args, argCount);
  });
}

int64_t aik_function_prepare(aik_runtime *runtime, aik_handle module,
                             uint32_t function, const aik_tensor *args,
                             uint32_t argCount, aik_tensor *prepared,
                             void *storage, uint64_t storageBytes) {
  return callFunction(runtime, module, function, [&](FunctionCall &f) {
    return f.prepare(args, argCount, prepared, storage, storageBytes);
  });
}

int32_t aik_function_cost(aik_runtime *runtime, aik_handle module,
                          uint32_t function, const aik_tensor *args,
                          uint32_t argCount, aik_cost *out) {
  if (int32_t status = needPointer(out, "out"))
    return status;
  return int32_t(callFunction(runtime, module, function, [&](FunctionCall &f) {
    return f.cost(args, argCount, *out);
  }));
}

int32_t aik_function_run(aik_runtime *runtime, aik_handle module,
                         uint32_t function, const aik_tensor *args,
                         uint32_t argCount, aik_tensor *results,
                         uint32_t resultCount, const aik_run_options *options) {
  aik_run_options chosen = {};
  AIK_INIT(&chosen);
  if (options) {
    // Who was built before there was `stream` does not have it.
    bool isOlder = options->version == AIK_RUNTIME_VERSION &&
                   options->size == offsetof(aik_run_options, stream);
    if (!isOlder)
      if (int32_t status = needStruct(options, "options"))
        return status;
    memcpy(&chosen, options, isOlder ? options->size : sizeof(chosen));
  }
  return int32_t(callFunction(runtime, module, function, [&](FunctionCall &f) {
    return f.run(args, argCount, results, resultCount, chosen);
  }));
}
