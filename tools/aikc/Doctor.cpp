//===- Doctor.cpp - aikc doctor -------------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Out: one line per part of this installation and machine that matters, each
// `ok`, `warn` (works, but something is slower or missing) or `fail`. The
// exit status is 70 when a line says `fail`.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "DoctorTrial.h"
#include "Machine.h"
#include "Output.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>

using namespace aikc;
using namespace aikernel;
using llvm::StringRef;

namespace {

enum class Health { Ok, Warn, Fail };

struct Finding {
  Health health;
  std::string part, detail;
};

StringRef nameOf(Health health) {
  return health == Health::Ok ? "ok" : health == Health::Warn ? "warn" : "fail";
}

/// The first line of a small file of the kernel, or nothing.
std::string readLine(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  return buffer ? (*buffer)->getBuffer().split('\n').first.trim().str() : "";
}

Finding checkLibraries() {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  std::string found = llvm::formatv("{0}.{1}.{2}", major, minor, patch);
  if (major != LLVM_VERSION_MAJOR || minor != LLVM_VERSION_MINOR)
    return {Health::Fail, "libraries",
            "built for LLVM " LLVM_VERSION_STRING ", running with " + found};
  return {Health::Ok, "libraries", "aikc " AIKERNEL_VERSION ", LLVM " + found};
}

Finding checkTrial() {
  TrialResult result = runTrial();
  if (!result.problem.empty())
    return {Health::Fail, "compile and run", result.problem};
  return {Health::Ok, "compile and run",
          llvm::formatv("a matrix product compiled in {0:F0} ms, loaded ({1}) "
                        "and gave the right numbers",
                        result.compileMilliseconds, result.image)};
}

void checkMachine(std::vector<Finding> &findings) {
  RuntimeHandle runtime;
  aik_runtime_info info = {};
  AIK_INIT(&info);
  if (aik_runtime *opened = nullptr; aik_runtime_open(nullptr, &opened) < 0 ||
                                     aik_runtime_describe(opened, &info) < 0) {
    findings.push_back({Health::Fail, "runtime", aik_fault_message()});
    return;
  } else {
    (void)aik_runtime_close(opened);
  }
  std::vector<std::string> features = nameFeatures(info.arch, info.features);
  findings.push_back({Health::Ok, "cpu",
                      std::string(aik_arch_name(info.arch)) + " with " +
                          (features.empty() ? "its baseline only"
                                            : llvm::join(features, " "))});
  findings.push_back({Health::Ok, "threads",
                      std::to_string(info.threads) + " for parallel loops"});
}

Finding checkHugePages() {
  std::string enabled = readLine("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string reserved = readLine("/proc/sys/vm/nr_hugepages");
  std::string detail = "transparent: ";
  StringRef mode = StringRef(enabled).split('[').second.split(']').first;
  detail += mode.empty() ? "not offered" : mode.str();
  detail += ", reserved: " + (reserved.empty() ? "none" : reserved);
  bool usable = mode == "always" || mode == "madvise" ||
                (!reserved.empty() && reserved != "0");
  if (usable)
    return {Health::Ok, "huge pages", detail};
  return {Health::Warn, "huge pages",
          detail + "; large tensors will use small pages"};
}

Finding checkLockedMemory() {
  // Enough for the buffers of a small model; below it pinning soon fails.
  constexpr rlim_t kWanted = 64u << 20;
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY)
    return {Health::Ok, "locked memory", "no limit"};
  std::string detail = llvm::formatv("limit {0} KiB", limit.rlim_cur >> 10);
  if (limit.rlim_cur >= kWanted)
    return {Health::Ok, "locked memory", detail};
  return {Health::Warn, "locked memory",
          detail + "; raise 'ulimit -l' to pin more"};
}

Finding checkTemporaryFolder() {
  const char *variable = std::getenv("TMPDIR");
  std::string folder = variable && *variable ? variable : "/tmp";
  if (::access(folder.c_str(), W_OK | X_OK) == 0)
    return {Health::Ok, "temporary folder", folder};
  return {Health::Fail, "temporary folder",
          folder + " cannot be written: the linker works there"};
}

Finding checkPtxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return {Health::Ok, "ptxas", *path};
  return {Health::Warn, "ptxas",
          "not found: code for NVIDIA GPUs stays PTX, which the driver "
          "compiles at load"};
}

} // namespace

ExitStatus aikc::runDoctor(const Options &options, Messages &messages) {
  std::vector<Finding> findings;
  findings.push_back(checkLibraries());
  checkMachine(findings);
  findings.push_back(checkTrial());
  findings.push_back(checkHugePages());
  findings.push_back(checkLockedMemory());
  findings.push_back(checkTemporaryFolder());
  findings.push_back(checkPtxas());

  std::string text;
  llvm::raw_string_ostream os(text);
  bool broken = false;
  if (options.json) {
    llvm::json::OStream json(os, 2);
    json.array([&] {
      for (const Finding &finding : findings)
        json.object([&] {
          json.attribute("health", nameOf(finding.health));
          json.attribute("part", finding.part);
          json.attribute("detail", llvm::json::fixUTF8(finding.detail));
        });
    });
    os << "\n";
  }
  for (const Finding &finding : findings) {
    broken |= finding.health == Health::Fail;
    if (!options.json)
      os << llvm::formatv("{0,-6}{1,-18}{2}\n", nameOf(finding.health),
                          finding.part, finding.detail);
  }
  if (ExitStatus status = printToUser(text, messages))
    return status;
  return broken ? kExitInternal : kExitOk;
}
