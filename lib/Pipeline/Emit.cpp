//===- Emit.cpp - From the phase `target` to bytes ------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: one nested module per target and @reference, each in its target's own
// dialect. Out: images, and for an artifact the metadata of all functions.
// @reference is compiled once for each architecture among the targets, and code
// that is the same for several targets once for all of them.
//
//===----------------------------------------------------------------------===//

#include "AIKernel/Pipeline/Emit.h"
#include "AIKernel-c/Artifact.h"
#include "AIKernel-c/Runtime.h"
#include "AIKernel/Artifact/ArtifactWriter.h"
#include "AIKernel/Dialect/AIKernel/AIKernelDialect.h"
#include "AIKernel/Support/Parallel.h"
#include "AIKernel/Target/CPU/CPUBackend.h"
#include "AIKernel/Target/Target.h"
#include "AIKernel/Transforms/Entries/Entries.h"
#include "AIKernel/Transforms/Entries/EntryABI.h"

using namespace mlir;
using namespace aikernel;

namespace {

llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

aik::ArtifactValue describe(Type type, DictionaryAttr attrs) {
  aik::ArtifactValue value;
  value.dtype = *entryabi::dtypeOf(getElementTypeOrSelf(type));
  if (auto shaped = dyn_cast<ShapedType>(type))
    for (int64_t size : shaped.getShape()) {
      aik::ArtifactDim dim;
      dim.size = ShapedType::isDynamic(size) ? AIK_DYNAMIC : size;
      value.dims.push_back(dim);
    }
  if (isa<MemRefType>(type))
    value.flags |= AIK_VALUE_MUTABLE;
  if (!attrs)
    return value;
  if (auto name = attrs.getAs<StringAttr>(kNameAttr))
    value.name = name.getValue().str();
  if (attrs.get(kWeightAttr))
    value.flags |= AIK_VALUE_WEIGHT;
  if (auto donate = attrs.getAs<IntegerAttr>(kDonateAttr)) {
    value.flags |= AIK_VALUE_DONATED;
    value.donates = donate.getInt();
  }
  auto copyFacts = [&](StringRef name, int64_t aik::ArtifactDim::*fact) {
    if (auto facts = attrs.getAs<DenseI64ArrayAttr>(name))
      for (auto [dim, number] : llvm::zip(value.dims, facts.asArrayRef()))
        dim.*fact = number;
  };
  copyFacts(kMinAttr, &aik::ArtifactDim::min);
  copyFacts(kMaxAttr, &aik::ArtifactDim::max);
  copyFacts(kMultipleOfAttr, &aik::ArtifactDim::multipleOf);
  return value;
}

void describeFunctions(ModuleOp module, aik::ArtifactDescription &out) {
  auto functions = module->getAttrOfType<ArrayAttr>(kFunctionsAttrName);
  for (auto signature : functions.getAsRange<DictionaryAttr>()) {
    aik::ArtifactFunction function;
    function.name = cast<StringAttr>(signature.get("name")).getValue().str();
    auto type =
        cast<FunctionType>(cast<TypeAttr>(signature.get("type")).getValue());
    auto args = cast<ArrayAttr>(signature.get("args"));
    for (auto [argType, attrs] : llvm::zip(type.getInputs(), args))
      function.arguments.push_back(
          describe(argType, cast<DictionaryAttr>(attrs)));
    auto results = cast<ArrayAttr>(signature.get("results"));
    for (auto [resultType, attrs] : llvm::zip(type.getResults(), results))
      function.results.push_back(
          describe(resultType, cast<DictionaryAttr>(attrs)));
    out.functions.push_back(std::move(function));
  }
}

aik::ArtifactImage toArtifactImage(Image image) {
  aik::ArtifactImage out;
  out.kind = image.kind;
  out.arch = image.arch;
  out.features = image.features;
  out.rank = image.rank;
  out.target = std::move(image.target);
  out.bytes = std::move(image.bytes);
  return out;
}

void passOn(ArrayRef<Image> images, const SerializeOptions &options) {
  for (const Image &image : images) {
    if (options.onRemark)
      llvm::for_each(image.remarks, options.onRemark);
    if (options.onWarning)
      llvm::for_each(image.warnings, options.onWarning);
  }
}

/// A maker whose image has the bytes of a later one's.
struct SharedBytes {
  size_t maker, from;
};

llvm::Error makeImages(MutableArrayRef<ImageMaker> makers,
                       ArrayRef<SharedBytes> shared,
                       const SerializeOptions &options,
                       aik::ArtifactDescription &out) {
  SmallVector<SmallVector<Image>> images(makers.size());
  SmallVector<std::string> errors(makers.size());
  runTogether(makers.size(), [&](size_t i) {
    llvm::Expected<SmallVector<Image>> made = makers[i]();
    if (made)
      images[i] = std::move(*made);
    else
      errors[i] = llvm::toString(made.takeError());
  });
  for (StringRef error : errors)
    if (!error.empty())
      return fail(error);
  for (SharedBytes bytes : llvm::reverse(shared)) {
    Image &image = images[bytes.maker].front();
    const Image &from = images[bytes.from].front();
    image.bytes = from.bytes;
    image.remarks = from.remarks;
    image.warnings = from.warnings;
  }
  for (SmallVector<Image> &made : images) {
    passOn(made, options);
    for (Image &image : made)
      out.images.push_back(toArtifactImage(std::move(image)));
  }
  return llvm::Error::success();
}

/// The architectures of the CPUs among the targets.
SmallVector<std::string> hostsOf(ModuleOp module) {
  SmallVector<std::string> hosts;
  for (auto nested : module.getOps<ModuleOp>()) {
    auto target = nested->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (target && !needsHost(target) &&
        !llvm::is_contained(hosts, target.getArch()))
      hosts.push_back(target.getArch().str());
  }
  return hosts;
}

llvm::Expected<std::string>
emitArtifact(ModuleOp module, SerializeOptions options, bool stripReference) {
  aik::ArtifactDescription description;
  describeFunctions(module, description);
  options.hosts = hostsOf(module);
  SmallVector<ImageMaker> makers;
  SmallVector<SharedBytes> shared;
  ModuleOp reference;
  SmallVector<ModuleOp> modules;
  for (auto nested : module.getOps<ModuleOp>())
    if (nested->hasAttr(kTargetAttrName))
      modules.push_back(nested);
    else
      reference = nested;
  // Targets with fewer features come later.
  SmallVector<size_t> makerOf;
  for (size_t i = 0; i < modules.size(); ++i) {
    ModuleOp nested = modules[i];
    auto target = nested->getAttrOfType<TargetAttr>(kTargetAttrName);
    makerOf.push_back(makers.size());
    ArrayRef<ModuleOp> later = ArrayRef(modules).drop_front(i + 1);
    auto *other = llvm::find_if(
        later, [&](ModuleOp other) { return givesSameCode(nested, other); });
    if (other != later.end()) {
      shared.push_back({makers.size(), size_t(other - modules.begin())});
      makers.push_back([image = describeImage(target)] {
        return SmallVector<Image>{image};
      });
      continue;
    }
    llvm::Expected<SmallVector<ImageMaker>> made =
        getBackend(target)->serialize(nested, target, options);
    if (!made)
      return made.takeError();
    for (ImageMaker &maker : *made)
      makers.push_back(std::move(maker));
  }
  for (SharedBytes &bytes : shared)
    bytes.from = makerOf[bytes.from];
  if (reference && !stripReference)
    for (StringRef arch : options.hosts) {
      llvm::Expected<ImageMaker> maker =
          serializeReference(reference, arch, options);
      if (!maker)
        return maker.takeError();
      makers.push_back(std::move(*maker));
    }
  if (llvm::Error error = makeImages(makers, shared, options, description))
    return std::move(error);
  std::string bytes, error;
  if (!aik::writeArtifact(description, bytes, error))
    return fail(error);
  return bytes;
}

} // namespace

llvm::Expected<std::string> aikernel::emitModule(ModuleOp module, EmitKind kind,
                                                 SerializeOptions options,
                                                 bool stripReference) {
  if (!module->getAttrOfType<ArrayAttr>(kFunctionsAttrName))
    return fail("AIK-E0002: the module does not list its public functions: "
                "is it the result of the phase `target`?");
  if (kind == EmitKind::Artifact)
    return emitArtifact(module, std::move(options), stripReference);
  if (kind == EmitKind::Header)
    return emitHeader(module);
  unsigned wanted = 0; // the first image
  switch (kind) {
  case EmitKind::LLVMIR:
    options.form = ImageForm::LLVMIR;
    break;
  case EmitKind::Bitcode:
    options.form = ImageForm::Bitcode;
    break;
  case EmitKind::Assembly:
    options.form = ImageForm::Assembly;
    break;
  case EmitKind::Object:
    options.form = ImageForm::Object;
    break;
  case EmitKind::PTX:
    wanted = AIK_IMAGE_PTX;
    break;
  case EmitKind::Cubin:
    wanted = AIK_IMAGE_CUBIN;
    break;
  case EmitKind::HSACO:
    wanted = AIK_IMAGE_HSACO;
    break;
  default:
    options.form = ImageForm::SharedObject;
    break;
  }
  // One file holds one target: the first, which is the most capable.
  for (auto nested : module.getOps<ModuleOp>())
    if (auto target = nested->getAttrOfType<TargetAttr>(kTargetAttrName)) {
      llvm::Expected<SmallVector<ImageMaker>> makers =
          getBackend(target)->serialize(nested, target, options);
      if (!makers)
        return makers.takeError();
      llvm::Expected<SmallVector<Image>> images = makers->front()();
      if (!images)
        return images.takeError();
      passOn(*images, options);
      for (Image &image : *images)
        if (!wanted || image.kind == wanted)
          return std::move(image.bytes);
      return fail(
          wanted == AIK_IMAGE_CUBIN && needsHost(target) &&
                  images->front().kind == AIK_IMAGE_PTX
              ? "AIK-E0014: a cubin is made by NVIDIA's ptxas, which is "
                "not there"
              : "AIK-E0104: '" + target.getName() + "' has no " +
                    aik_image_kind_name(wanted) + " code");
    }
  return fail("AIK-E0002: the module has no target");
}
