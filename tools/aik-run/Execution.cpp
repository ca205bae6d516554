//===- Execution.cpp - One call of one function ---------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments are made, results are sized by f$shape, weights are prepared, and
// the function runs once.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Guard.h"
#include "Npy.h"
#include "Shapes.h"

#include <cstring>

namespace aikrun {
namespace {

/// A view of an argument of which only the shape is known.
aik_tensor shapeOnly(const Value &value, const Dims &dims) {
  aik_tensor view = {};
  view.dtype = value.type->dtype;
  view.rank = static_cast<uint32_t>(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- != 0;) {
    view.dims[i] = dims[i];
    view.strides[i] = stride;
    if (dims[i] > 0 && __builtin_mul_overflow(stride, dims[i], &stride))
      stride = 1; // the shape is refused before strides matter
  }
  return view;
}

Error fillNamed(const Value &value, const InputSpec &spec, Tensor &tensor) {
  return fill(spec, tensor).at("input " + quoted(value.name));
}

/// Settles the shape of every argument that has one before f$shape is asked:
/// reads files, and makes scalars, because f$shape may look at their values.
Error makeKnown(const Function &function, const std::vector<InputSpec> &specs,
                const CallSettings &settings, std::vector<Tensor> &args,
                std::vector<bool> &fixed, std::vector<Dims> &shapes) {
  for (size_t i = 0; i < function.args.size(); ++i) {
    const Value &value = function.args[i];
    const InputSpec &spec = specs[i];
    bool isFile = spec.kind == InputSpec::File;
    fixed[i] = isFile || spec.hasShape || value.dims.empty();
    if (!fixed[i])
      continue;
    if (isFile) {
      if (Error error = readNpy(spec.path, *value.type, settings.guard,
                                settings.budget, args[i]))
        return std::move(error).at("input " + quoted(value.name));
      shapes[i] = args[i].dims;
    } else if (spec.hasShape) {
      shapes[i] = spec.shape;
    }
    if (Error error = value.check(*value.type, shapes[i]))
      return error;
    uint64_t bytes;
    if (!byteCount(shapes[i], value.type->size, bytes) ||
        bytes > settings.budget.limit())
      return Error(Code::TooLarge,
                   format("input %s of shape %s is over the memory limit of "
                          "%llu bytes",
                          quoted(value.name).c_str(),
                          shapeText(shapes[i]).c_str(),
                          (unsigned long long)settings.budget.limit()),
                   "use a smaller shape or raise --max-memory");
    if (isFile || !shapes[i].empty())
      continue;
    if (Error error = Tensor::allocate(*value.type, {}, settings.guard,
                                       settings.budget, args[i]))
      return error;
    if (Error error = fillNamed(value, spec, args[i]))
      return error;
  }
  return Error();
}

} // namespace

Error makeArguments(const Module &module, const Function &function,
                    const InputList &inputs, const CallSettings &settings,
                    std::vector<Tensor> &args) {
  size_t count = function.args.size();
  args.clear();
  args.resize(count);
  std::vector<InputSpec> specs(count);
  for (size_t i = 0; i < count; ++i)
    specs[i] = inputs[i]
                   ? *inputs[i]
                   : defaultSpec(function.args[i], settings.seed * 1000 + i);
  std::vector<bool> fixed(count, true);
  std::vector<Dims> shapes(count);
  if (Error error = makeKnown(function, specs, settings, args, fixed, shapes))
    return error;
  Error error = chooseShapes(
      function, fixed, shapes, [&](const std::vector<Dims> &candidate) {
        std::vector<aik_tensor> views(count), results;
        for (size_t i = 0; i < count; ++i)
          views[i] = args[i].type ? args[i].view()
                                  : shapeOnly(function.args[i], candidate[i]);
        return module.shape(function, views, results);
      });
  if (error)
    return error;
  for (size_t i = 0; i < count; ++i) {
    if (args[i].type)
      continue;
    if (Error error =
            Tensor::allocate(*function.args[i].type, shapes[i], settings.guard,
                             settings.budget, args[i]))
      return std::move(error).at("input " + quoted(function.args[i].name));
    if (Error error = fillNamed(function.args[i], specs[i], args[i]))
      return error;
  }
  return Error();
}

Error copyArguments(const std::vector<Tensor> &args,
                    const CallSettings &settings, std::vector<Tensor> &copies) {
  copies.clear();
  copies.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (Error error =
            Tensor::allocate(*args[i].type, args[i].dims, settings.guard,
                             settings.budget, copies[i]))
      return error;
    if (args[i].buffer.size())
      std::memcpy(copies[i].buffer.data(), args[i].buffer.data(),
                  args[i].buffer.size());
  }
  return Error();
}

std::vector<aik_tensor> viewsOf(const std::vector<Tensor> &tensors) {
  std::vector<aik_tensor> views;
  for (const Tensor &tensor : tensors)
    views.push_back(tensor.view());
  return views;
}

Error prepareCall(const Module &module, const Function &function,
                  std::vector<Tensor> &args, const CallSettings &settings,
                  CallMemory &memory) {
  memory.argViews = viewsOf(args);
  std::vector<aik_tensor> shapes;
  if (Error error = module.shape(function, memory.argViews, shapes))
    return error;
  memory.results.resize(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const aik_tensor &shape = shapes[i];
    const ElementType *type = elementType(shape.dtype);
    if (!type || shape.rank > AIK_MAX_RANK)
      return Error(Code::RuntimeFailed,
                   format("the shape of result %zu of %s makes no sense", i,
                          quoted(function.name).c_str()));
    Tensor &result = memory.results[i];
    Dims dims(shape.dims, shape.dims + shape.rank);
    for (size_t j = 0; settings.donate && j < args.size(); ++j)
      if (function.args[j].donates == static_cast<int>(i) &&
          args[j].type == type && args[j].dims == dims && !result.type) {
        result = std::move(args[j]);
        args[j] = Tensor();
      }
    if (!result.type)
      if (Error error = Tensor::allocate(*type, dims, settings.guard,
                                         settings.budget, result))
        return error;
  }
  memory.resultViews = viewsOf(memory.results);
  // Asked before weights are prepared: those no longer fit the signature.
  uint64_t bytes = 0;
  if (Error error = module.workspace(function, memory.argViews, bytes))
    return error;
  if (module.isRemote()) {
    memory.remoteWorkspaceBytes = bytes;
    return memory.remote.prepare(module, function, memory.argViews,
                                 memory.resultViews, memory.prepared);
  }

  auto aligned = [](uint64_t count) {
    // A guarded buffer begins its size before a page's end.
    const uint64_t mask = AIK_WORKSPACE_ALIGNMENT - 1;
    return (count + mask) & ~mask;
  };
  if (Error error = Buffer::allocate(aligned(bytes), settings.guard,
                                     settings.budget, memory.workspace))
    return error;
  std::vector<aik_tensor> prepared;
  if (Error error = module.prepare(function, memory.argViews, nullptr, 0,
                                   prepared, bytes))
    return error;
  if (bytes == 0)
    return Error();
  if (Error error = Buffer::allocate(aligned(bytes), settings.guard,
                                     settings.budget, memory.preparedStorage))
    return error;
  memory.prepared = true;
  if (Error error = module.prepare(
          function, memory.argViews, memory.preparedStorage.data(),
          memory.preparedStorage.size(), prepared, bytes))
    return error;
  memory.argViews = prepared;
  return Error();
}

Error call(const Module &module, const Function &function,
           std::vector<Tensor> &args, uint8_t poison,
           const CallSettings &settings, std::vector<Tensor> &results) {
  CallMemory memory;
  std::vector<bool> wasGiven(args.size());
  std::string label = settings.label + quoted(function.name);
  {
    // f$prepare reads the weights, so the arguments are watched here, too.
    std::optional<GuardScope> scope;
    if (settings.guard) {
      scope.emplace(label);
      for (size_t i = 0; i < args.size(); ++i)
        scope->watch(function.args[i].name, args[i].buffer, false);
    }
    if (Error error = prepareCall(module, function, args, settings, memory))
      return error;
  }
  for (size_t i = 0; i < args.size(); ++i)
    wasGiven[i] = args[i].type == nullptr;
  for (size_t i = 0; i < memory.results.size(); ++i) {
    bool donated = false;
    for (size_t j = 0; j < args.size(); ++j)
      donated |= wasGiven[j] && function.args[j].donates == static_cast<int>(i);
    const Buffer &buffer = memory.results[i].buffer;
    if (!donated && buffer.size())
      std::memset(buffer.data(), poison, buffer.size());
  }
  auto run = [&](void *workspace, uint64_t bytes) {
    return module.run(function, memory.argViews, memory.resultViews,
                      memory.prepared, workspace, bytes);
  };
  if (module.isRemote()) {
    uint64_t bytes = memory.remoteWorkspaceBytes;
    if (Error error = memory.remote.poisonResults(memory.results))
      return error;
    if (Error error = memory.remote.poisonWorkspace(module, bytes))
      return error;
    if (Error error = run(memory.remote.workspace(), bytes))
      return error;
    if (Error error = memory.remote.readBack(function, args, memory.results))
      return error;
    results = std::move(memory.results);
    return Error();
  }
  Error error;
  if (settings.guard) {
    GuardScope scope(label);
    for (size_t i = 0; i < args.size(); ++i)
      if (!wasGiven[i])
        scope.watch(function.args[i].name, args[i].buffer,
                    !function.args[i].isMutable);
    for (size_t i = 0; i < memory.results.size(); ++i)
      scope.watch(function.results[i].name, memory.results[i].buffer, false);
    scope.watch("the workspace", memory.workspace, false);
    scope.watch("the prepared weights", memory.preparedStorage, true);
    error = run(memory.workspace.data(), memory.workspace.size());
    if (Error damage = scope.check())
      error = std::move(damage); // worse than whatever the function returned
  } else {
    error = run(memory.workspace.data(), memory.workspace.size());
  }
  results = std::move(memory.results);
  return error;
}

} // namespace aikrun
