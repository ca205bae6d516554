//===- Artifact.cpp - Opening artifacts and loading their images ----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is read into memory before it is checked: a mapped file could change
// after the check.
//
//===----------------------------------------------------------------------===//

#include "Core/Artifact.h"

#include "Core/ElfFormat.h"

#include <stdio.h>
#include <string.h>

using namespace aik;

namespace {
constexpr size_t artifactAlignment = 64;

/// Reads until `bytes` are there; short reads are normal, an early end is not.
int32_t readAll(Sys &sys, int fd, const char *path, uint8_t *out,
                uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    int64_t count = sys.read(fd, out + done, bytes - done);
    if (count < 0)
      return failWith(count, 0, "'%s' could not be read (error %lld)", path,
                      (long long)-count);
    if (count == 0)
      return fail(AIK_EBADMSG, "'%s' ended after %llu of %llu bytes", path,
                  (unsigned long long)done, (unsigned long long)bytes);
    done += uint64_t(count);
  }
  return 0;
}

/// Looks at the header before it asks for memory for the rest.
int32_t readFile(Sys &sys, int fd, const char *path, uint8_t *&bytes,
                 uint64_t &byteCount) {
  int64_t size = sys.fileSize(fd);
  if (size < 0)
    return failWith(size, 0, "'%s' is not a regular file", path);
  alignas(8) uint8_t header[sizeof(elf::Header)] = {};
  uint64_t headerBytes =
      uint64_t(size) < sizeof(header) ? uint64_t(size) : sizeof(header);
  if (int32_t status = readAll(sys, fd, path, header, headerBytes))
    return status;
  if (int32_t status = checkArtifactHeader(header, headerBytes))
    return status;
  if (uint64_t(size) > AIK_MAX_ARTIFACT_BYTES)
    return fail(AIK_EBADMSG, "'%s' has %lld bytes, an artifact at most %llu",
                path, (long long)size,
                (unsigned long long)AIK_MAX_ARTIFACT_BYTES);
  bytes = static_cast<uint8_t *>(sys.allocate(size_t(size), artifactAlignment));
  if (!bytes)
    return fail(AIK_ENOMEM, "no memory for the %lld bytes of '%s'",
                (long long)size, path);
  byteCount = uint64_t(size);
  memcpy(bytes, header, headerBytes);
  int32_t status =
      readAll(sys, fd, path, bytes + headerBytes, byteCount - headerBytes);
  if (status != 0)
    sys.release(bytes);
  return status;
}
} // namespace

int32_t Artifact::adopt(Runtime &runtime, uint8_t *bytes, uint64_t byteCount,
                        Artifact **out) {
  Artifact *artifact = create<Artifact>(runtime.sys, runtime);
  if (!artifact) {
    runtime.sys.release(bytes);
    return fail(AIK_ENOMEM, "no memory for an artifact");
  }
  artifact->bytes = bytes;
  artifact->byteCount = byteCount;
  int32_t status = readArtifact(bytes, byteCount, artifact->view);
  if (status == 0)
    status = runtime.handles.insert(kind, artifact);
  if (status != 0) {
    artifact->destroy();
    return status;
  }
  *out = artifact;
  return 0;
}

int32_t Artifact::openFile(Runtime &runtime, const char *path, Artifact **out) {
  Sys &sys = runtime.sys;
  int64_t fd = sys.open(path, AIK_O_READ);
  if (fd < 0 && errorFromSys(fd) == AIK_EINVAL)
    return fail(AIK_EINVAL, "'%s' is not a regular file", path);
  if (fd < 0)
    return failWith(fd, 0, "'%s' could not be opened (%s)", path,
                    aik_error_name(errorFromSys(fd)));
  uint8_t *bytes = nullptr;
  uint64_t byteCount = 0;
  int32_t status = readFile(sys, int(fd), path, bytes, byteCount);
  sys.close(int(fd));
  return status ? status : adopt(runtime, bytes, byteCount, out);
}

int32_t Artifact::openMemory(Runtime &runtime, const void *source,
                             uint64_t byteCount, Artifact **out) {
  if (int32_t status =
          checkArtifactHeader(static_cast<const uint8_t *>(source), byteCount))
    return status;
  if (byteCount > AIK_MAX_ARTIFACT_BYTES)
    return fail(AIK_EBADMSG, "%llu bytes are more than an artifact may have",
                (unsigned long long)byteCount);
  auto *bytes = static_cast<uint8_t *>(
      runtime.sys.allocate(byteCount, artifactAlignment));
  if (!bytes)
    return fail(AIK_ENOMEM, "no memory for the %llu bytes of an artifact",
                (unsigned long long)byteCount);
  memcpy(bytes, source, byteCount);
  return adopt(runtime, bytes, byteCount, out);
}

void Artifact::destroy() {
  runtime.sys.release(bytes);
  dispose(runtime.sys, this);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

int32_t Module::open(Artifact &artifact, Device &device, const char *wanted,
                     Module **out) {
  Runtime &runtime = artifact.runtime;
  Module *module = create<Module>(runtime.sys, artifact, device);
  if (!module)
    return fail(AIK_ENOMEM, "no memory for a module");
  artifact.users.fetch_add(1, std::memory_order_acq_rel);
  device.users.fetch_add(1, std::memory_order_acq_rel);
  int32_t status = module->build(wanted);
  if (status == 0)
    status = runtime.handles.insert(kind, module);
  if (status != 0) {
    module->destroy();
    return status;
  }
  runtime.trace.event(AIK_TRACE_MODULE, module->handle, module->imageIndex);
  *out = module;
  return 0;
}

int32_t Module::build(const char *wanted) {
  if (device.isRemote())
    return buildRemote(wanted);
  if (int32_t status = chooseImage(artifact, wanted, imageIndex))
    return status;
  if (int32_t status = loadHostCode(imageIndex))
    return status;
  return resolveAll();
}

int32_t Module::buildRemote(const char *wanted) {
  if (int32_t status = chooseDeviceImage(artifact, device, wanted, imageIndex))
    return status;
  bool refused = false;
  int32_t status = loadRemote(refused);
  if (refused && artifact.view.images[imageIndex].kind == AIK_IMAGE_CUBIN &&
      chooseCompiledInstead(artifact, device, wanted, imageIndex))
    status = loadRemote(refused);
  return status ? status : resolveAll();
}

int32_t Module::loadRemote(bool &refused) {
  const ArtifactView &view = artifact.view;
  uint32_t launcher = 0;
  if (int32_t status = findLauncher(artifact, imageIndex, launcher))
    return status;
  image.unload();
  if (int32_t status = loadHostCode(launcher))
    return status;
  const aik_meta_image &chosen = view.images[imageIndex];
  const char *target = view.string(chosen.target);
  if (int32_t status = table.read(image, target))
    return status;
  if (int32_t status = device.loadKernels(chosen, view.imageBytes[imageIndex],
                                          target, table, &remote, refused))
    return status;
  remote->users = &users;
  return 0;
}

int32_t Module::loadHostCode(uint32_t index) {
  const aik_meta_image &code = artifact.view.images[index];
  return image.load(artifact.view.imageBytes[index], code.size, code.arch,
                    artifact.view.string(code.target));
}

int32_t Module::resolveAll() {
  const ArtifactView &view = artifact.view;
  uint32_t count = view.header->function_count;
  entries = static_cast<FunctionEntry *>(artifact.runtime.sys.allocate(
      sizeof(FunctionEntry) * count, alignof(FunctionEntry)));
  if (!entries)
    return fail(AIK_ENOMEM, "no memory for %u function entries", count);
  for (uint32_t i = 0; i < count; ++i)
    if (int32_t status =
            resolve(view.string(view.functions[i].name), entries[i]))
      return status;
  if (count)
    image.locate(reinterpret_cast<const void *>(entries[0].run));
  return 0;
}

int32_t Module::findKernel(const char *name, aik_kernel_info &out) {
  for (uint32_t i = 0; remote && i < table.kernelCount; ++i)
    if (strcmp(table.kernels[i].name, name) == 0) {
      remote->describeKernel(i, out);
      return 0;
    }
  void *address = remote ? nullptr : image.symbol(name);
  if (!address)
    return fail(AIK_ENOENT, "the module has no kernel '%.200s'", name);
  out.kernel_object = reinterpret_cast<uint64_t>(address);
  out.kernarg_bytes = out.group_bytes = out.private_bytes = 0;
  out.max_threads = 1;
  return 0;
}

int32_t Module::resolve(const char *function, FunctionEntry &entry) {
  struct {
    const char *suffix;
    void *address;
  } parts[] = {{"shape", nullptr},
               {"workspace", nullptr},
               {"prepare", nullptr},
               {"cost", nullptr},
               {"run", nullptr}};
  for (auto &part : parts) {
    char symbol[AIK_MAX_NAME + 16];
    snprintf(symbol, sizeof(symbol), "%s$%s", function, part.suffix);
    part.address = image.symbol(symbol);
    if (!part.address)
      return fail(AIK_ENOEXEC, "image '%s' does not export '%s'",
                  artifact.view.string(artifact.view.images[imageIndex].target),
                  symbol);
  }
  entry = {reinterpret_cast<aik_shape_fn>(parts[0].address),
           reinterpret_cast<aik_workspace_fn>(parts[1].address),
           reinterpret_cast<aik_prepare_fn>(parts[2].address),
           reinterpret_cast<aik_cost_fn>(parts[3].address),
           reinterpret_cast<aik_run_fn>(parts[4].address)};
  return 0;
}

void Module::destroy() {
  Runtime &runtime = artifact.runtime;
  if (remote)
    remote->destroy();
  runtime.sys.release(entries);
  artifact.users.fetch_sub(1, std::memory_order_acq_rel);
  device.users.fetch_sub(1, std::memory_order_acq_rel);
  if (ownsArtifact &&
      runtime.handles.pin(ObjectKind::Artifact, artifact.handle)) {
    aik_handle owned = artifact.handle;
    runtime.handles.remove(owned, false);
    runtime.handles.unpin(owned);
  }
  dispose(runtime.sys, this);
}
