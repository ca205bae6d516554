//===- FakeCuda.cpp - A libcuda.so.1 without a GPU ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes in: the calls that the CUDA driver of the runtime makes. What
// comes out: what a GPU would do, done by the kernels' twins (Entry.h) of the
// launchers in this process. Work is put off until somebody waits for it, in
// the order of its stream; device memory is host memory that is bounds-checked
// where the driver touches it; a faulted context stays so until it is reset.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "FakeCudaState.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

using namespace aik::cu;
using namespace aikfake;

namespace {
//===----------------------------------------------------------------------===//
// The driver, devices and contexts
//===----------------------------------------------------------------------===//

Result init(unsigned) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  ++state().calls;
  if (Result code = knobFor("cuInit"))
    return code;
  state().started = true;
  return success;
}
Result driverGetVersion(int *out) {
  Call entered("cuDriverGetVersion", false);
  *out = state().version;
  return entered.code;
}
Result deviceGetCount(int *out) {
  Call entered("cuDeviceGetCount", false);
  *out = state().count;
  return entered.code;
}
Result deviceGet(Device *out, int ordinal) {
  Call entered("cuDeviceGet", false);
  *out = ordinal;
  return entered.code              ? entered.code
         : ordinal < state().count ? success
                                   : invalidDevice;
}
Result deviceGetAttribute(int *out, int attribute, Device) {
  Call entered("cuDeviceGetAttribute", false);
  *out = attribute == capabilityMajor   ? state().sm / 10
         : attribute == capabilityMinor ? state().sm % 10
                                        : 4;
  return entered.code;
}
Result deviceTotalMem(size_t *out, Device) {
  Call entered("cuDeviceTotalMem", false);
  *out = state().memory;
  return entered.code;
}
Result primaryCtxRetain(Context *out, Device device) {
  Call entered("cuDevicePrimaryCtxRetain", false);
  if (entered.code)
    return entered.code;
  *out = &state().contexts[device];
  ++(*out)->users;
  return success;
}
// What gives something back has its effect even when it is made to fail.
Result primaryCtxRelease(Device device) {
  Call entered("cuDevicePrimaryCtxRelease", false);
  ContextObject &context = state().contexts[device];
  if (context.users == 0)
    return invalidCall;
  if (--context.users == 0)
    context.clear();
  return entered.code;
}
Result primaryCtxReset(Device device) {
  Call entered("cuDevicePrimaryCtxReset", false);
  state().contexts[device].clear();
  return entered.code;
}
Result ctxSetCurrent(Context context) {
  Call entered("cuCtxSetCurrent", false);
  if (!entered.code)
    current = context;
  return entered.code;
}
Result ctxGetCurrent(Context *out) {
  Call entered("cuCtxGetCurrent", false);
  *out = current;
  return entered.code;
}
Result ctxGetId(Context context, unsigned long long *out) {
  Call entered("cuCtxGetId", false);
  *out = context->id;
  return entered.code;
}
/// Everything on every stream, which cannot be while one is captured.
Result ctxSynchronize() {
  ENTER("cuCtxSynchronize");
  for (StreamObject *stream : current->streams)
    if (stream->capturing)
      return captureUnsupported;
  for (StreamObject *stream : current->streams)
    drain(*stream);
  drain(current->defaultStream);
  return current->fault;
}
Result getErrorName(Result code, const char **out) {
  static const std::map<Result, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {218, "CUDA_ERROR_INVALID_PTX"},
      {400, "CUDA_ERROR_INVALID_HANDLE"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},
      {999, "CUDA_ERROR_UNKNOWN"}};
  auto found = names.find(code);
  *out = found == names.end() ? "CUDA_ERROR" : found->second;
  return success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

constexpr size_t page = 65536;

Pointer takeMemory(size_t bytes, bool isHost) {
  // Its end is as near to an unmapped page as the device's alignment allows.
  size_t rounded = (bytes + 255) / 256 * 256;
  size_t mapped = (rounded + page - 1) / page * page + page;
  void *mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return 0;
  auto *end = static_cast<char *>(mapping) + mapped - page;
  mprotect(end, page, PROT_NONE);
  memset(end - rounded, 0xCD, rounded);
  auto address = reinterpret_cast<Pointer>(end - rounded);
  current->memory[address] = {bytes, isHost, mapping, mapped};
  ++state().allocations;
  return address;
}

Result giveMemory(Pointer address, bool isHost) {
  auto found = current->memory.find(address);
  if (found == current->memory.end() || found->second.isHost != isHost)
    return invalidValue;
  if (!isHost)
    current->used -= found->second.bytes;
  munmap(found->second.mapping, found->second.mappedBytes);
  current->memory.erase(found);
  return success;
}

enum class Place { Device, Pinned, Pageable, Wrong };

Place placeOf(Pointer address, size_t bytes) {
  auto next = current->memory.upper_bound(address);
  if (next != current->memory.begin()) {
    const auto &[begin, memory] = *std::prev(next);
    if (address - begin < memory.bytes)
      return bytes > memory.bytes - (address - begin) ? Place::Wrong
             : memory.isHost                          ? Place::Pinned
                                                      : Place::Device;
  }
  if (next != current->memory.end() && address + bytes > next->first)
    return Place::Wrong;
  for (const auto &[begin, size] : current->registered)
    if (address >= begin && address + bytes <= begin + size)
      return Place::Pinned;
  return Place::Pageable;
}

void *pointer(Pointer address) { return reinterpret_cast<void *>(address); }

Result memAlloc(Pointer *out, size_t bytes) {
  ENTER("cuMemAlloc");
  if (bytes == 0)
    return invalidValue;
  if (bytes > state().memory - current->used)
    return outOfMemory;
  *out = takeMemory(bytes, false);
  if (!*out)
    return outOfMemory;
  current->used += bytes;
  return success;
}
Result memFree(Pointer address) {
  Call entered("cuMemFree");
  Result code = current ? giveMemory(address, false) : 201;
  return entered.code ? entered.code : code;
}
Result memHostAlloc(void **out, size_t bytes, unsigned) {
  ENTER("cuMemHostAlloc");
  *out = pointer(takeMemory(bytes, true));
  return *out ? success : outOfMemory;
}
Result memFreeHost(void *address) {
  Call entered("cuMemFreeHost");
  Result code =
      current ? giveMemory(reinterpret_cast<Pointer>(address), true) : 201;
  return entered.code ? entered.code : code;
}
Result memHostRegister(void *address, size_t bytes, unsigned) {
  ENTER("cuMemHostRegister");
  bool added =
      current->registered.insert({reinterpret_cast<Pointer>(address), bytes})
          .second;
  return added ? success : hostMemoryAlreadyRegistered;
}
Result memHostUnregister(void *address) {
  Call entered("cuMemHostUnregister");
  current->registered.erase(reinterpret_cast<Pointer>(address));
  return entered.code;
}
Result memHostGetDevicePointer(Pointer *out, void *address, unsigned) {
  ENTER("cuMemHostGetDevicePointer");
  *out = reinterpret_cast<Pointer>(address);
  return success;
}

Result memcpyAsync(Pointer to, Pointer from, size_t bytes, Stream stream) {
  ENTER("cuMemcpyAsync");
  stream = find(stream);
  if (!stream)
    return invalidCall;
  Place target = placeOf(to, bytes), source = placeOf(from, bytes);
  if (target == Place::Wrong || source == Place::Wrong)
    return invalidValue;
  if (source == Place::Pageable && !stream->capturing) {
    std::string staged(static_cast<char *>(pointer(from)), bytes);
    Result code = issue(
        stream, [=] { memcpy(pointer(to), staged.data(), staged.size()); });
    if (target == Place::Pageable)
      drain(*stream);
    return code;
  }
  Result code =
      issue(stream, [=] { memcpy(pointer(to), pointer(from), bytes); });
  if (target == Place::Pageable && !stream->capturing)
    drain(*stream);
  return code ? code : current->fault;
}

template <typename T>
Result fill(Pointer to, size_t pitch, T value, size_t width, size_t height,
            Stream stream) {
  if (placeOf(to, pitch * (height - 1) + width * sizeof(T)) != Place::Device)
    return invalidValue;
  return issue(stream, [=] {
    for (size_t y = 0; y < height; ++y)
      for (size_t x = 0; x < width; ++x)
        memcpy(pointer(to + y * pitch + x * sizeof(T)), &value, sizeof(T));
  });
}
Result memsetD8(Pointer to, unsigned char value, size_t count, Stream stream) {
  ENTER("cuMemsetD8Async");
  return fill(to, 0, value, count, 1, stream);
}
Result memsetD16(Pointer to, unsigned short value, size_t count,
                 Stream stream) {
  ENTER("cuMemsetD16Async");
  return fill(to, 0, value, count, 1, stream);
}
Result memsetD32(Pointer to, unsigned value, size_t count, Stream stream) {
  ENTER("cuMemsetD32Async");
  return fill(to, 0, value, count, 1, stream);
}
Result memsetD2D32(Pointer to, size_t pitch, unsigned value, size_t width,
                   size_t height, Stream stream) {
  ENTER("cuMemsetD2D32Async");
  return fill(to, pitch, value, width, height, stream);
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

struct Search {
  const char *name;
  const aik_kernel *found;
  const aik_tensor_map *maps;
};

/// Looks into the table of one shared object of this process.
int searchLauncher(dl_phdr_info *info, size_t, void *opaque) {
  auto *search = static_cast<Search *>(opaque);
  void *library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_NOW);
  if (!library)
    return 0;
  auto *rows = static_cast<const aik_kernel *>(dlsym(library, "aik$kernels"));
  for (; rows && rows->name; ++rows)
    if (strcmp(rows->name, search->name) == 0) {
      search->found = rows; // the launcher loaded last wins
      search->maps =
          static_cast<const aik_tensor_map *>(dlsym(library, "aik$maps"));
    }
  dlclose(library);
  return 0;
}

/// What ptxas has to say, or null.
const char *whyBadPtx(const char *text) {
  if (strstr(text, "bad instruction"))
    return "ptxas application ptx input, line 7; bad instruction\n"
           "ptxas fatal   : Ptx assembly aborted due to errors";
  if (strstr(text, "too much"))
    return "ptxas info    : 0 bytes gmem\n"
           "ptxas error   : Entry function 'kernel_pack' uses too much shared "
           "data (0x40000 bytes, 0x38c00 max)\nptxas fatal   : aborted";
  return nullptr;
}

Result moduleLoadDataEx(Module *out, const void *data, unsigned optionCount,
                        int *options, void **values) {
  ENTER("cuModuleLoadDataEx");
  auto *text = static_cast<const char *>(data);
  bool isElf = memcmp(text, "\177ELF", 4) == 0;
  if (!isElf && strncmp(text, "//", 2) != 0 && strncmp(text, ".version", 8))
    return invalidImage;
  const char *log = isElf ? nullptr : whyBadPtx(text);
  if (log) {
    for (unsigned i = 0; i < optionCount; ++i)
      if (options[i] == jitErrorLogBuffer)
        strcpy(static_cast<char *>(values[i]), log);
    return invalidPtx;
  }
  *out = new ModuleObject;
  (*out)->text = isElf ? "" : text;
  current->modules.insert(*out);
  return success;
}
Result moduleUnload(Module module) {
  Call entered("cuModuleUnload");
  if (current && current->modules.erase(module))
    delete module;
  return entered.code;
}
Result moduleGetFunction(Function *out, Module module, const char *name) {
  ENTER("cuModuleGetFunction");
  if (module->text.find(".entry") != std::string::npos &&
      module->text.find(std::string(".entry ") + name) == std::string::npos)
    return notFound;
  Search search = {name, nullptr, nullptr};
  dl_iterate_phdr(searchLauncher, &search);
  if (!search.found)
    return notFound;
  FunctionObject &function = module->functions[name];
  function.row = search.found;
  function.maps = search.maps;
  *out = &function;
  return success;
}
Result funcSetAttribute(Function function, int attribute, int value) {
  ENTER("cuFuncSetAttribute");
  if (attribute == maxDynamicSharedBytes)
    function->sharedLimit = unsigned(value);
  return success;
}
Result funcLoad(Function) {
  ENTER("cuFuncLoad");
  return success;
}

// Four multiprocessors with room for two blocks each, and for three clusters.
Result occupancy(int *out, Function function, int threads, size_t shared) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (unsigned(threads) != function->row->threads ||
      shared != function->row->shared_bytes || shared > function->sharedLimit)
    return invalidValue;
  function->isResident = true;
  *out = 2;
  return success;
}
Result clusterOccupancy(int *out, Function function,
                        const LaunchConfig *config) {
  ENTER("cuOccupancyMaxActiveClusters");
  if (config->attributeCount != 1 ||
      config->attributes[0].id != attributeCluster ||
      config->attributes[0].value[0] != function->row->cluster ||
      config->blockX != function->row->threads ||
      config->sharedBytes != function->row->shared_bytes)
    return invalidValue;
  function->isResident = true;
  *out = 3;
  return success;
}

/// The map is a mark, the recipe, and what it is of, so that twins can read it.
/// What CUDA's manual demands is demanded here.
Result tensorMapEncodeTiled(void *out, int type, unsigned rank, void *start,
                            const uint64_t *sizes, const uint64_t *strides,
                            const uint32_t *box, const uint32_t *steps,
                            int interleave, int swizzle, int promotion,
                            int outside) {
  Call entered("cuTensorMapEncodeTiled", false);
  if (entered.code)
    return entered.code;
  auto at = reinterpret_cast<uint64_t>(start);
  if (reinterpret_cast<uint64_t>(out) % 64 || at % 16 || !at || rank < 1 ||
      rank > 5 || type < 0 || type > 12 || interleave || swizzle < 0 ||
      swizzle > 3 || promotion < 0 || promotion > 3 || outside)
    return invalidValue;
  for (unsigned i = 0; i < rank; ++i)
    if (sizes[i] == 0 || sizes[i] > uint64_t(1) << 32 || box[i] == 0 ||
        box[i] > 256 || steps[i] != 1 ||
        (i && (strides[i - 1] % 16 || strides[i - 1] >= uint64_t(1) << 40)))
      return invalidValue;
  uint64_t words[AIK_MAP_WORDS] = {at};
  for (unsigned i = 0; i < rank; ++i) {
    words[1 + i] = sizes[i];
    if (i)
      words[5 + i] = strides[i - 1];
  }
  words[14] = box[0] | uint64_t(box[1]) << 32;
  words[15] = uint64_t(0x3a9) << 32 | unsigned(type) << 16 |
              unsigned(swizzle) << 8 | unsigned(promotion);
  memcpy(out, words, sizeof(words));
  ++state().maps;
  return success;
}

/// The words of a launch. CUDA puts parameters that are aligned to 64 bytes at
/// offsets of its own, which who gives a block does not know.
bool takeParameters(Function function, void **each, void **extra,
                    std::vector<uint64_t> &words) {
  const aik_kernel *row = function->row;
  words.assign(row->parameters + 1, 0);
  bool hasMaps = row->flags & AIK_KERNEL_TENSOR_MAPS;
  if (hasMaps != (each != nullptr) || (each && extra))
    return false;
  for (uint32_t word = 0; each && word < row->parameters; ++each) {
    uint32_t size = 1;
    for (const aik_tensor_map *map = function->maps; map && map->kernel; ++map)
      if (strcmp(map->kernel, row->name) == 0 && map->parameter == word)
        size = AIK_MAP_WORDS;
    memcpy(&words[word], *each, size * 8);
    word += size;
  }
  size_t bytes = 0;
  void *block = nullptr;
  for (; extra && *extra; extra += 2)
    if (extra[0] == parameterBuffer)
      block = extra[1];
    else if (extra[0] == parameterBytes)
      bytes = *static_cast<size_t *>(extra[1]);
  if (bytes > row->parameters * 8)
    return false;
  if (bytes)
    memcpy(words.data(), block, bytes);
  return hasMaps || bytes == row->parameters * 8;
}

/// Is it of a module that is loaded?
bool isAlive(Function function) {
  for (ModuleObject *module : current->modules)
    for (auto &[name, one] : module->functions)
      if (&one == function)
        return true;
  return false;
}

Result launch(Function function, unsigned grid, unsigned threads,
              unsigned shared, unsigned cluster, Stream stream, void **each,
              void **extra) {
  if (!isAlive(function))
    return invalidCall;
  const aik_kernel *row = function->row;
  std::vector<uint64_t> words;
  if (!row->twin)
    return noFunction;
  if (!takeParameters(function, each, extra, words) ||
      threads != row->threads || shared != row->shared_bytes ||
      shared > function->sharedLimit || cluster != row->cluster || grid == 0 ||
      grid % cluster)
    return invalidValue;
  // Persistent kernels are launched with what fits, and told.
  bool isResident = row->flags & AIK_KERNEL_RESIDENT;
  unsigned room = row->cluster > 1 ? 3 * row->cluster : 8;
  if (isResident != function->isResident ||
      (isResident && (grid > room || words[row->parameters - 1] != grid)))
    return invalidValue;
  return issue(stream, [=]() mutable {
    ++state().kernels;
    if (Result fault = knobFor("launch")) {
      current->fault = fault;
      return;
    }
    std::vector<uint64_t> own = words;
    row->twin(grid, own.data());
  });
}
Result launchKernel(Function function, unsigned gridX, unsigned gridY,
                    unsigned gridZ, unsigned blockX, unsigned blockY,
                    unsigned blockZ, unsigned shared, Stream stream,
                    void **parameters, void **extra) {
  ENTER("cuLaunchKernel");
  if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
    return invalidValue;
  return launch(function, gridX, blockX, shared, 1, stream, parameters, extra);
}
Result launchKernelEx(const LaunchConfig *config, Function function,
                      void **parameters, void **extra) {
  ENTER("cuLaunchKernelEx");
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->attributeCount; ++i)
    if (config->attributes[i].id == attributeCluster)
      cluster = config->attributes[i].value[0];
    else if (config->attributes[i].id != attributeOverlap ||
             config->attributes[i].value[0] != 1)
      return invalidValue;
    else
      ++state().overlaps;
  if (config->gridY != 1 || config->blockY != 1)
    return invalidValue;
  return launch(function, config->gridX, config->blockX, config->sharedBytes,
                cluster, config->stream, parameters, extra);
}

//===----------------------------------------------------------------------===//
// Streams, events and graphs
//===----------------------------------------------------------------------===//

Result streamCreate(Stream *out, unsigned) {
  ENTER("cuStreamCreate");
  *out = new StreamObject;
  current->streams.insert(*out);
  return success;
}
Result streamDestroy(Stream stream) {
  Call entered("cuStreamDestroy");
  if (current && current->streams.count(stream)) {
    drain(*stream); // what is on it is done all the same
    current->streams.erase(stream);
    for (EventObject *event : current->events)
      if (event->stream == stream)
        event->stream = nullptr;
    delete stream;
  }
  return entered.code;
}
Result streamSynchronize(Stream stream) {
  ENTER("cuStreamSynchronize");
  stream = find(stream);
  if (!stream)
    return invalidCall;
  if (stream->capturing)
    return notPermitted;
  drain(*stream);
  return current->fault;
}
/// The stream does nothing more until the event's has come to where it was
/// recorded.
Result streamWaitEvent(Stream stream, Event event, unsigned) {
  ENTER("cuStreamWaitEvent");
  stream = find(stream);
  if (!stream)
    return invalidCall;
  if (stream->capturing)
    return captureIsolated;
  StreamObject *other = event->stream;
  uint64_t at = event->at;
  return issue(stream, [=] {
    while (find(other) == other && other->done < at)
      stepStream(*other);
  });
}
Result eventCreate(Event *out, unsigned) {
  ENTER("cuEventCreate");
  *out = new EventObject;
  current->events.insert(*out);
  return success;
}
Result eventDestroy(Event event) {
  Call entered("cuEventDestroy");
  if (current && current->events.erase(event))
    delete event;
  return entered.code;
}
Result eventRecord(Event event, Stream stream) {
  ENTER("cuEventRecord");
  stream = find(stream);
  if (!stream)
    return invalidCall;
  event->stream = stream;
  event->at = stream->issued;
  return success;
}
Result eventQuery(Event event) {
  ENTER("cuEventQuery");
  if (!event->stream || event->stream->done >= event->at)
    return success;
  if (!state().hangs)
    stepStream(*event->stream);
  return current->fault ? current->fault : notReady;
}
Result eventSynchronize(Event event) {
  ENTER("cuEventSynchronize");
  if (event->stream)
    drain(*event->stream);
  return current->fault;
}
Result streamBeginCapture(Stream stream, int) {
  ENTER("cuStreamBeginCapture");
  if (stream->capturing)
    return captureInvalid;
  stream->capturing = true;
  return success;
}
Result streamEndCapture(Stream stream, Graph *out) {
  Call entered("cuStreamEndCapture");
  if (entered.code && stream) {
    stream->capturing = false;
    stream->captured.clear();
    return entered.code;
  }
  *out = new GraphObject{std::move(stream->captured)};
  stream->captured.clear();
  stream->capturing = false;
  current->graphs.insert(*out);
  return success;
}
Result streamIsCapturing(Stream stream, int *out) {
  ENTER("cuStreamIsCapturing");
  stream = find(stream);
  *out = stream && stream->capturing;
  return stream ? Result(success) : invalidCall;
}
Result graphInstantiate(GraphExec *out, Graph graph, unsigned long long) {
  ENTER("cuGraphInstantiateWithFlags");
  *out = new GraphExecObject{graph->operations};
  ++state().graphs;
  current->execs.insert(*out);
  return success;
}
Result graphExecUpdate(GraphExec exec, Graph graph, GraphUpdate *) {
  ENTER("cuGraphExecUpdate");
  if (exec->operations.size() != graph->operations.size())
    return graphDiffers;
  exec->operations = graph->operations;
  ++state().updates;
  return success;
}
Result graphLaunch(GraphExec exec, Stream stream) {
  ENTER("cuGraphLaunch");
  for (const Operation &operation : exec->operations)
    if (Result code = issue(stream, operation))
      return code;
  return success;
}
Result graphDestroy(Graph graph) {
  Call entered("cuGraphDestroy");
  if (current && current->graphs.erase(graph))
    delete graph;
  return entered.code;
}
Result graphExecDestroy(GraphExec exec) {
  Call entered("cuGraphExecDestroy");
  if (current && current->execs.erase(exec))
    delete exec;
  return entered.code;
}

template <typename F>
void *address(F *function) {
  return reinterpret_cast<void *>(function);
}
} // namespace

//===----------------------------------------------------------------------===//
// What the library exports
//===----------------------------------------------------------------------===//

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Result cuGetProcAddress_v2(const char *name, void **out, int version,
                                  uint64_t, int *found) {
  static const std::map<std::string, void *> table = {
      {"cuInit", address(init)},
      {"cuDriverGetVersion", address(driverGetVersion)},
      {"cuDeviceGetCount", address(deviceGetCount)},
      {"cuDeviceGet", address(deviceGet)},
      {"cuDeviceGetAttribute", address(deviceGetAttribute)},
      {"cuDeviceTotalMem", address(deviceTotalMem)},
      {"cuDevicePrimaryCtxRetain", address(primaryCtxRetain)},
      {"cuDevicePrimaryCtxRelease", address(primaryCtxRelease)},
      {"cuDevicePrimaryCtxReset", address(primaryCtxReset)},
      {"cuCtxSetCurrent", address(ctxSetCurrent)},
      {"cuCtxGetCurrent", address(ctxGetCurrent)},
      {"cuCtxGetId", address(ctxGetId)},
      {"cuCtxSynchronize", address(ctxSynchronize)},
      {"cuMemAlloc", address(memAlloc)},
      {"cuMemFree", address(memFree)},
      {"cuMemHostAlloc", address(memHostAlloc)},
      {"cuMemFreeHost", address(memFreeHost)},
      {"cuMemHostRegister", address(memHostRegister)},
      {"cuMemHostUnregister", address(memHostUnregister)},
      {"cuMemHostGetDevicePointer", address(memHostGetDevicePointer)},
      {"cuMemcpyAsync", address(memcpyAsync)},
      {"cuMemsetD8Async", address(memsetD8)},
      {"cuMemsetD16Async", address(memsetD16)},
      {"cuMemsetD32Async", address(memsetD32)},
      {"cuMemsetD2D32Async", address(memsetD2D32)},
      {"cuModuleLoadDataEx", address(moduleLoadDataEx)},
      {"cuModuleUnload", address(moduleUnload)},
      {"cuModuleGetFunction", address(moduleGetFunction)},
      {"cuFuncSetAttribute", address(funcSetAttribute)},
      {"cuFuncLoad", address(funcLoad)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", address(occupancy)},
      {"cuOccupancyMaxActiveClusters", address(clusterOccupancy)},
      {"cuTensorMapEncodeTiled", address(tensorMapEncodeTiled)},
      {"cuLaunchKernel", address(launchKernel)},
      {"cuLaunchKernelEx", address(launchKernelEx)},
      {"cuStreamCreate", address(streamCreate)},
      {"cuStreamDestroy", address(streamDestroy)},
      {"cuStreamSynchronize", address(streamSynchronize)},
      {"cuStreamWaitEvent", address(streamWaitEvent)},
      {"cuEventCreate", address(eventCreate)},
      {"cuEventDestroy", address(eventDestroy)},
      {"cuEventRecord", address(eventRecord)},
      {"cuEventQuery", address(eventQuery)},
      {"cuEventSynchronize", address(eventSynchronize)},
      {"cuStreamBeginCapture", address(streamBeginCapture)},
      {"cuStreamEndCapture", address(streamEndCapture)},
      {"cuStreamIsCapturing", address(streamIsCapturing)},
      {"cuGraphInstantiateWithFlags", address(graphInstantiate)},
      {"cuGraphExecUpdate", address(graphExecUpdate)},
      {"cuGraphLaunch", address(graphLaunch)},
      {"cuGraphDestroy", address(graphDestroy)},
      {"cuGraphExecDestroy", address(graphExecDestroy)},
      {"cuGetErrorName", address(getErrorName)}};
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  ++state().calls;
  if (Result code = knobFor("cuGetProcAddress"))
    return code;
  auto entry = table.find(name);
  // A function is known to those who ask for a version that has it.
  int since = strcmp(name, "cuFuncLoad") == 0 ? 12040 : 12000;
  if (strcmp(name, "cuLaunchKernelEx") == 0 ||
      strcmp(name, "cuOccupancyMaxActiveClusters") == 0)
    since = 11080;
  bool known =
      entry != table.end() && version >= since && state().missing != name;
  *out = known ? entry->second : nullptr;
  *found = known ? 0 : 1;
  return known ? success : notFound;
}

EXPORT void aik_fake_cuda_configure(const char *knobs) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().configure(knobs);
}
EXPORT int aik_fake_cuda_calls(void) { return state().calls; }
EXPORT int aik_fake_cuda_kernels(void) { return state().kernels; }
EXPORT int aik_fake_cuda_allocations(void) { return state().allocations; }
EXPORT int aik_fake_cuda_maps(void) { return state().maps; }
EXPORT int aik_fake_cuda_overlaps(void) { return state().overlaps; }
EXPORT int aik_fake_cuda_graphs(void) { return state().graphs; }
EXPORT int aik_fake_cuda_updates(void) { return state().updates; }
EXPORT void aik_fake_cuda_before(const char *function, void (*callback)()) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().awaited = function;
  state().callback = callback;
}
EXPORT int aik_fake_cuda_live(void) {
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  size_t live = 0;
  for (const ContextObject &context : state().contexts)
    live += context.live();
  return int(live);
}
