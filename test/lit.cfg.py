#===- lit.cfg.py - How lit runs the tests of this folder --------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: what CMake wrote into build/test/lit.site.cfg.py. Out: tools on PATH,
# substitutions and features. `lit test/Dialect` works from the source tree as
# well, with the build in build/.
#
#   features       target-host=aarch64 or target-host=x86_64; qemu, when the
#                  other architecture can be built for and run here; numpy;
#                  ptxas
#   substitutions  %python  %aik_src  %aik_build  %mlir_lib
#                  with qemu: %other_arch  %other_gxx  %other_run
#   parameters     AIK_ROUNDTRIP_IR=1 (or that environment variable): aik-opt
#                  prints and re-parses all IR that it reads, and compares
#
#===----------------------------------------------------------------------===#

import os
import shutil
import subprocess

import lit.formats

# Started on the source tree: begin again with what CMake wrote.
if not hasattr(config, "aik_source"):
    here = os.path.dirname(os.path.abspath(__file__))
    site = os.path.join(os.path.dirname(here), "build", "test",
                        "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal("there is no build/test/lit.site.cfg.py: configure "
                         "first, with `cmake --preset dev`")
    lit_config.load_config(config, site)
    raise SystemExit

config.name = "AIKernel"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["oracle", "cases", "errors", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.aik_source, "test")
config.test_exec_root = os.path.join(config.aik_build, "test")

# Messages are part of the tests: no colours, no translation.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.aik_build, "bin"), config.llvm_tools,
     config.environment["PATH"]])

host = {"arm64": "aarch64", "amd64": "x86_64"}.get(config.aik_host,
                                                   config.aik_host)
config.available_features.add("target-host=" + host)

other = {"aarch64": "x86_64", "x86_64": "aarch64"}.get(host)
if other:
    gxx = shutil.which(other + "-linux-gnu-g++")
    qemu = shutil.which("qemu-" + other)
    sysroot = f"/usr/{other}-linux-gnu"
    if gxx and qemu and os.path.isdir(sysroot):
        config.available_features.add("qemu")
        config.substitutions.append(("%other_arch", other))
        config.substitutions.append(("%other_gxx", gxx))
        config.substitutions.append(("%other_run", f"{qemu} -L {sysroot}"))

if shutil.which("ptxas"):
    config.available_features.add("ptxas")

if subprocess.run([config.python, "-c", "import numpy"],
                  stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("numpy")

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%aik_src", config.aik_source))
config.substitutions.append(("%aik_build", config.aik_build))
config.substitutions.append(("%mlir_lib", config.llvm_libraries))
for library in ["mlir_runner_utils", "mlir_c_runner_utils"]:
    config.substitutions.append(
        ("%" + library,
         os.path.join(config.llvm_libraries, f"lib{library}.so")))

wanted = lit_config.params.get("AIK_ROUNDTRIP_IR",
                               os.environ.get("AIK_ROUNDTRIP_IR", "0"))
if wanted not in ("", "0"):
    # The tool as a word of its own, not as part of a path or a longer name.
    config.substitutions.append(
        (r"(?<![-\w./])aik-opt(?![-\w./])", "aik-opt --verify-roundtrip"))
