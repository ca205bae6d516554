//===- Inspect.cpp - aikc inspect -----------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an artifact, read and checked by the runtime's own reader. Out: its
// images and functions.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Machine.h"
#include "Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {

struct Function {
  std::string name;
  std::vector<aik_value_info> arguments, results;
};

struct Contents {
  aik_artifact_info info = {};
  std::vector<aik_image_info> images;
  std::vector<Function> functions;
};

/// The message and the right status for a call of the runtime that failed.
ExitStatus reportFault(const std::string &file, int32_t status,
                       Messages &messages) {
  Code code = Code::NotAnArtifact;
  switch (-status) {
  case AIK_ENOENT:
  case AIK_EACCES:
  case AIK_EPERM:
  case AIK_EIO:
  case AIK_EMFILE:
    code = Code::CannotRead;
    break;
  case AIK_ENOMEM:
    code = Code::MemoryLimit;
    break;
  default:
    break;
  }
  return messages.error(code, quote(file) + ": " + aik_fault_message());
}

int32_t readValues(aik_runtime *runtime, aik_handle artifact, uint32_t function,
                   uint32_t count, decltype(aik_artifact_argument) *read,
                   std::vector<aik_value_info> &values) {
  for (uint32_t i = 0; i < count; ++i) {
    aik_value_info value = {};
    AIK_INIT(&value);
    if (int32_t status = read(runtime, artifact, function, i, &value))
      return status;
    values.push_back(value);
  }
  return 0;
}

int32_t readContents(aik_runtime *runtime, const std::string &path,
                     Contents &contents) {
  aik_handle artifact;
  if (int32_t status = aik_artifact_open_file(runtime, path.c_str(), &artifact))
    return status;
  AIK_INIT(&contents.info);
  if (int32_t status = aik_artifact_describe(runtime, artifact, &contents.info))
    return status;
  for (uint32_t i = 0; i < contents.info.image_count; ++i) {
    aik_image_info image = {};
    AIK_INIT(&image);
    if (int32_t status = aik_artifact_image(runtime, artifact, i, &image))
      return status;
    contents.images.push_back(image);
  }
  for (uint32_t i = 0; i < contents.info.function_count; ++i) {
    aik_function_info info = {};
    AIK_INIT(&info);
    if (int32_t status = aik_artifact_function(runtime, artifact, i, &info))
      return status;
    Function function;
    function.name = info.name;
    if (int32_t status = readValues(runtime, artifact, i, info.arg_count,
                                    aik_artifact_argument, function.arguments))
      return status;
    if (int32_t status = readValues(runtime, artifact, i, info.result_count,
                                    aik_artifact_result, function.results))
      return status;
    contents.functions.push_back(std::move(function));
  }
  return 0;
}

std::string formatType(const aik_value_info &value) {
  std::string text = aik_dtype_name(value.dtype);
  text += "[";
  for (uint32_t i = 0; i < value.rank; ++i) {
    if (i)
      text += ",";
    text += value.dims[i] == AIK_DYNAMIC ? "?" : std::to_string(value.dims[i]);
  }
  return text + "]";
}

std::string formatArgument(const aik_value_info &value) {
  std::string text = std::string(value.name) + ": " + formatType(value);
  if (value.flags & AIK_VALUE_WEIGHT)
    text += " weight";
  if (value.flags & AIK_VALUE_DONATED)
    text += " donate=" + std::to_string(value.donates);
  if (value.flags & AIK_VALUE_MUTABLE)
    text += " mutable";
  for (uint32_t i = 0; i < value.rank; ++i) {
    std::string dim = std::to_string(i);
    if (value.min[i] > 0)
      text += " min" + dim + "=" + std::to_string(value.min[i]);
    if (value.max[i] >= 0)
      text += " max" + dim + "=" + std::to_string(value.max[i]);
    if (value.multiple_of[i] > 1)
      text += " multiple" + dim + "=" + std::to_string(value.multiple_of[i]);
  }
  return text;
}

std::string formatHash(const uint8_t (&hash)[32]) {
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash), /*LowerCase=*/true);
}

/// A host's feature bits, or the processor that a device's code is for.
std::vector<std::string> featuresOf(const aik_image_info &image) {
  uint64_t number = image.features & 0xffff;
  switch (image.kind) {
  case AIK_IMAGE_PTX:
  case AIK_IMAGE_CUBIN:
    return {llvm::formatv("sm_{0}{1}", number,
                          image.features & AIK_SM_EXACT ? "a" : "")
                .str()};
  case AIK_IMAGE_HSACO:
    return {"gfx" + llvm::utohexstr(number, /*LowerCase=*/true)};
  default:
    return nameFeatures(image.arch, image.features);
  }
}

/// The target column is as wide as its longest entry.
std::string renderText(const std::string &path, const Contents &contents) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << path << ": artifact version " << contents.info.format_version
     << ", entry ABI " << contents.info.entry_abi << ", "
     << contents.info.byte_count << " bytes\n\nImages:\n";
  size_t width = 0;
  for (const aik_image_info &image : contents.images)
    width = std::max(width, std::strlen(image.target));
  for (const aik_image_info &image : contents.images) {
    os << llvm::formatv("  {0,-10}{1,-9}", aik_image_kind_name(image.kind),
                        aik_arch_name(image.arch));
    os << image.target;
    os.indent(width - std::strlen(image.target) + 2);
    os << llvm::formatv("{0,9} bytes  rank {1}  {2}\n", image.byte_count,
                        image.rank,
                        image.fits ? "runs here" : "does not run here");
    std::vector<std::string> features = featuresOf(image);
    os << "    features: "
       << (features.empty() ? "none" : llvm::join(features, " ")) << "\n"
       << "    sha256: " << formatHash(image.sha256) << "\n";
  }
  os << "\nFunctions:\n";
  for (const Function &function : contents.functions) {
    os << "  " << function.name << "(";
    llvm::interleaveComma(function.arguments, os, [&](const auto &value) {
      os << formatArgument(value);
    });
    os << ") -> (";
    llvm::interleaveComma(function.results, os, [&](const auto &value) {
      os << value.name << ": " << formatType(value);
    });
    os << ")\n";
  }
  return text;
}

void writeValue(llvm::json::OStream &json, const aik_value_info &value) {
  auto dims = [&](StringRef name, const int64_t *values) {
    json.attributeArray(name, [&] {
      for (uint32_t i = 0; i < value.rank; ++i)
        json.value(values[i]);
    });
  };
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(value.name));
    json.attribute("dtype", aik_dtype_name(value.dtype));
    dims("dims", value.dims);
    dims("min", value.min);
    dims("max", value.max);
    dims("multiple_of", value.multiple_of);
    json.attribute("weight", (value.flags & AIK_VALUE_WEIGHT) != 0);
    json.attribute("mutable", (value.flags & AIK_VALUE_MUTABLE) != 0);
    if (value.flags & AIK_VALUE_DONATED)
      json.attribute("donates", value.donates);
  });
}

std::string renderJson(const Contents &contents) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("format_version", contents.info.format_version);
    json.attribute("entry_abi", contents.info.entry_abi);
    json.attribute("bytes", contents.info.byte_count);
    json.attribute("meta_sha256", formatHash(contents.info.meta_sha256));
    json.attributeArray("images", [&] {
      for (const aik_image_info &image : contents.images)
        json.object([&] {
          json.attribute("kind", aik_image_kind_name(image.kind));
          json.attribute("arch", aik_arch_name(image.arch));
          json.attribute("target", llvm::json::fixUTF8(image.target));
          json.attributeArray("features", [&] {
            for (const std::string &name : featuresOf(image))
              json.value(name);
          });
          json.attribute("bytes", image.byte_count);
          json.attribute("rank", image.rank);
          json.attribute("runs_here", image.fits != 0);
          json.attribute("sha256", formatHash(image.sha256));
        });
    });
    json.attributeArray("functions", [&] {
      for (const Function &function : contents.functions)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(function.name));
          json.attributeArray("arguments", [&] {
            for (const aik_value_info &value : function.arguments)
              writeValue(json, value);
          });
          json.attributeArray("results", [&] {
            for (const aik_value_info &value : function.results)
              writeValue(json, value);
          });
        });
    });
  });
  os << "\n";
  return text;
}

} // namespace

ExitStatus aikc::runInspect(const Options &options, Messages &messages) {
  const std::string &path = options.operand;
  if (::access(path.c_str(), R_OK) != 0)
    return messages.error(Code::CannotRead, quote(path) + " cannot be read: " +
                                                std::strerror(errno));
  RuntimeHandle runtime;
  Contents contents;
  int32_t status = runtime.open();
  if (status >= 0)
    status = readContents(runtime.get(), path, contents);
  if (status < 0)
    return reportFault(path, status, messages);
  return printToUser(options.json ? renderJson(contents)
                                  : renderText(path, contents),
                     messages);
}
