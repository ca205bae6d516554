//===- CpuFeatures.h - What this CPU can execute --------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Feature bits of Artifact.h, from HWCAP or cpuid and never from the CPU's
// name: a virtual machine may show a name and mask its features.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_RUNTIME_CORE_CPUFEATURES_H
#define AIKERNEL_RUNTIME_CORE_CPUFEATURES_H

#include "Sys.h"

namespace aik {

/// AIK_ARCH_* of this build.
uint32_t hostArch();

/// ELF's e_machine for an AIK_ARCH_*, or 0.
uint16_t elfMachine(uint32_t arch);

uint64_t detectFeatures(Sys &sys);

/// All bits that Artifact.h names for an architecture.
uint64_t knownFeatures(uint32_t arch);

/// Appends "<separator>name" for each bit to `out`, cut to fit.
void appendFeatures(uint32_t arch, uint64_t bits, const char *separator,
                    char *out, size_t outBytes);

} // namespace aik

#endif // AIKERNEL_RUNTIME_CORE_CPUFEATURES_H
