#!/usr/bin/python3
#===- check_layering.py - Includes go one way -------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_layering.py [--root DIR | --self-test]
#
#   Support, Builtins < Dialect < Conversion, Transforms, Import
#                     < Target, Artifact < Pipeline < CAPI, tools
#
# An area includes itself, areas before it, and the C headers. Runtime and
# Builtins are apart: they include nothing of ours but AIKernel-c, and no LLVM,
# MLIR or Boost; so does aik-run. Only the writer of artifacts looks into the
# runtime. The front doors in Import/ do not see each other, and the folders of
# Transforms only those before them. One line per violation; exit status 1 when
# there is one.
#
#===----------------------------------------------------------------------===#

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import tree as project  # noqa: E402

# Areas of one line may not include each other, with the exceptions below.
LEVELS = [["Support", "Builtins"],
          ["Dialect"],
          ["Conversion", "Transforms", "Import"],
          ["Target", "Artifact"],
          ["Pipeline"],
          ["CAPI", "tools"]]
LEVEL = {area: i for i, areas in enumerate(LEVELS) for area in areas}
# What a folder of Transforms uses comes before it. A compilation runs them in
# another order, which docs/Architecture.md has.
TRANSFORMS = ["Entries", "Checks", "Tiles", "Memory", "Kernels", "Vectors",
              "Products", "Schedule", "Blocks", "Math", "Attention",
              "Threads"]
# tools are made of everything; a back end may serialize into the artifact; the
# writer shares the layouts and the hash of the loader.
EXTRA = {("tools", "CAPI"), ("Target", "Artifact"), ("Artifact", "Runtime")}
ALONE = {"Runtime", "Builtins", "tools/aik-run", "AIKernel-c"}
FOREIGN = re.compile(r"^(mlir|mlir-c|llvm|llvm-c|lld|clang|boost)/")


def area_of(path):
    """The area of a file, or None where no rule applies."""
    parts = path.split("/")
    if parts[:2] == ["include", "AIKernel-c"]:
        return "AIKernel-c"
    if parts[:2] == ["tools", "aik-run"]:
        return "tools/aik-run"
    if parts[0] == "tools" and len(parts) > 2:
        return "tools"
    if parts[:2] == ["include", "AIKernel"] and len(parts) > 3:
        return parts[2]
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    return None


def front_door(path):
    parts = path.split("/")
    return parts[parts.index("Import") + 1] if "Import" in parts else None


def folder_of_transforms(path):
    """The folder below Transforms/ in which a file is, or None."""
    parts = path.split("/")
    if "Transforms" not in parts[1:3]:
        return None
    below = parts[parts.index("Transforms") + 1:]
    return below[0] if len(below) > 1 else None


def among_transforms(path, found, name):
    """What is wrong with an include within Transforms, or None."""
    mine, other = folder_of_transforms(path), folder_of_transforms(found)
    if None in (mine, other) or mine == other:
        return None
    for folder in (mine, other):
        if folder not in TRANSFORMS:
            return f"Transforms/{folder} has no place in the order"
    if TRANSFORMS.index(other) < TRANSFORMS.index(mine):
        return None
    return (f"Transforms/{mine} includes {name}, but {other} does not come "
            f"before {mine}")


def resolve(tree, path, name):
    """The file that an include names, relative to the project."""
    area = area_of(path)
    folders = [os.path.dirname(path), "include", "lib", "lib/Runtime"]
    if area:
        folders.append(area if "/" in area else "lib/" + area)
    for folder in folders:
        found = os.path.normpath(os.path.join(folder, name))
        if found in tree.known:
            return found
    if name.startswith(("AIKernel/", "AIKernel-c/")):
        return "include/" + name  # generated
    return None


def sentence(tree, path, name):
    """What is wrong with this include, or None."""
    area = area_of(path)
    if area in ALONE and FOREIGN.match(name):
        return f"{area} includes {name}, but depends on nothing"
    found = resolve(tree, path, name)
    if not found:
        return None
    other = area_of(found)
    if other in (None, area, "AIKernel-c"):
        if area == other == "Import" and front_door(path) and \
                front_door(found) not in (front_door(path), None):
            return f"one front door includes another: {name}"
        if area == other == "Transforms":
            return among_transforms(path, found, name)
        return None
    if area in ALONE:
        return f"{area} includes {name}, but may include only AIKernel-c"
    if (area, other) in EXTRA:
        return None
    if other in ("Runtime", "tools/aik-run"):
        return f"{area} includes {name}, but nothing includes {other}"
    if area not in LEVEL or other not in LEVEL:
        unknown = area if area not in LEVEL else other
        return f"area {unknown} has no place in the order"
    if LEVEL[other] < LEVEL[area]:
        return None
    return f"{area} includes {name}, but {other} does not come before {area}"


def check(tree):
    tree.known = set(tree.files)
    for path in tree.files:
        if not path.endswith((".cpp", ".c", ".h", ".td", ".inc", ".def")) or \
                not area_of(path):
            continue
        text = project.without_comments(tree.read(path))
        # Within a line: comments are blank, and there are long ones.
        for name in re.findall(
                r'^[ \t]*#?[ \t]*include[ \t]*[<"]([^">]+)[">]', text, re.M):
            problem = sentence(tree, path, name)
            if problem:
                yield path, problem


def plant(path, name):
    def into(root):
        project.write(root, path, f'#include "{name}"\n')
    return into


PLANTS = [
    ("Dialect that includes Transforms", "Transforms does not come before",
     plant("lib/Dialect/Planted.cpp", "AIKernel/Transforms/Passes.h")),
    ("Support that includes Pipeline", "Pipeline does not come before",
     plant("include/AIKernel/Support/Planted.h",
           "AIKernel/Pipeline/Compiler.h")),
    ("Transforms that includes Conversion", "Conversion does not come before",
     plant("lib/Transforms/Planted.cpp", "AIKernel/Conversion/X/Passes.h")),
    ("a relative way around", "Target does not come before",
     lambda root: (plant("lib/Target/Planted.h", "x")(root),
                   plant("lib/Dialect/Planted.cpp",
                         "../Target/Planted.h")(root))),
    ("Runtime that includes the dialect", "may include only AIKernel-c",
     plant("lib/Runtime/Core/Planted.cpp",
           "AIKernel/Dialect/AIKernel/AIKernelOps.h")),
    ("Transforms that includes the runtime", "nothing includes Runtime",
     lambda root: (plant("lib/Runtime/Core/Planted.h", "x")(root),
                   plant("lib/Transforms/Planted.cpp",
                         "Core/Planted.h")(root))),
    ("Runtime that includes LLVM", "depends on nothing",
     plant("lib/Runtime/Core/Planted.cpp", "llvm/ADT/StringRef.h")),
    ("Builtins that include Support", "may include only AIKernel-c",
     plant("lib/Builtins/Planted.c", "AIKernel/Support/Link.h")),
    ("aik-run that includes LLVM", "depends on nothing",
     plant("tools/aik-run/Planted.cpp", "llvm/ADT/StringRef.h")),
    ("a tablegen file the wrong way", "Transforms does not come before",
     lambda root: project.write(
         root, "include/AIKernel/Dialect/X/Planted.td",
         'include "AIKernel/Transforms/Passes.td"\n')),
    ("a folder of Transforms the wrong way", "Products does not come before",
     plant("lib/Transforms/Tiles/Planted.cpp", "Products/TileLoops.h")),
    ("a folder of Transforms without a place", "has no place in the order",
     plant("lib/Transforms/Planted/Planted.cpp", "Tiles/RegisterTiles.h")),
    ("an area without a place", "has no place in the order",
     plant("lib/Planted/Planted.cpp", "AIKernel/Support/Link.h")),
]

if __name__ == "__main__":
    sys.exit(project.main(check, PLANTS))
