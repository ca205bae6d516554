#!/usr/bin/python3
#===- check_layout.py - One name for each thing, in the right place ---------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_layout.py [--root DIR | --self-test]
#
# The rules of docs/Architecture.md that a script can check:
#   - flag = def = file = test = DEBUG_TYPE for every pass in a .td file
#   - test/ and unittests/ mirror lib/
#   - no cl::opt, cl::list or getenv under lib/ but in lib/Runtime/Sys.cpp
#   - no source file over 800 lines
#   - every source file opens with its own name and what it does
#   - no path of one person's machine, no note of unfinished work
# One line per violation; exit status 1 when there is one.
#
#===----------------------------------------------------------------------===#

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import tree as project  # noqa: E402
from tree import kebab  # noqa: E402

MAX_LINES = 800
SOURCE = (".cpp", ".c", ".h", ".td", ".py", ".sh", ".inc", ".def", ".cmake")
WITH_HEADER = (".cpp", ".c", ".h", ".td", ".py", ".sh")
# Folders of test/ and unittests/ that have no counterpart under lib/.
OWN_TESTS = {"Tools", "Integration", "cases", "oracle", "Fuzz", "Examples",
             "Scripts"}
# Areas whose sub-folders are areas themselves.
SPLIT_AREAS = {"Dialect", "Conversion", "Import", "Target"}


def passes(tree):
    """(td file, def name without Pass, flag) of every pass."""
    for path in tree.files:
        if path.startswith("include/") and path.endswith(".td"):
            for name, flag in re.findall(
                    r'^def\s+(\w+)\s*:\s*(?:Interface)?Pass<\s*"([^"]*)"',
                    tree.read(path), re.M):
                yield path, name, flag


def tests_named(tree, folder, stem):
    return [f for f in tree.under("test/" + folder, ".mlir")
            if os.path.basename(f).startswith(stem)]


def check_passes(tree):
    flags = set()
    for td, name, flag in passes(tree):
        if not name.endswith("Pass"):
            yield td, f"pass {name} should be called {name}Pass"
            continue
        stem = name[:-len("Pass")]
        folder = os.path.dirname(td)[len("include/AIKernel/"):]
        if flag in flags:
            yield td, f"two passes have the flag {flag}"
        flags.add(flag)
        if flag != "aik-" + kebab(stem):
            yield td, f"{name} has the flag {flag}, not aik-{kebab(stem)}"
        files = [f for f in tree.under("lib/" + folder, ".cpp")
                 if os.path.basename(f) == stem + ".cpp"]
        if len(files) != 1:
            yield td, f"{name} has no file {stem}.cpp under lib/{folder}"
            continue
        if f'#define DEBUG_TYPE "{flag}"' not in tree.read(files[0]):
            yield files[0], f'no #define DEBUG_TYPE "{flag}"'
        yield from check_pass_tests(tree, name, flag, files[0])


def check_pass_tests(tree, name, flag, file):
    """A test of the pass's name that runs it. In a folder that is one pass
    (AIKernelToLinalg/), one test for each of its files."""
    folder = os.path.dirname(file)[len("lib/"):]
    stem = name[:-len("Pass")]
    tests = tests_named(tree, folder, kebab(stem))
    if os.path.basename(folder) == stem:
        tests = tree.under("test/" + folder, ".mlir")
    use = re.compile(r"RUN:.*(?<![\w-])-{0,2}" + re.escape(flag) +
                     r"(?![\w-])")
    if not any(use.search(tree.read(t)) for t in tests):
        yield file, (f"no test/{folder}/{kebab(stem)}*.mlir runs --{flag}")


def check_debug_types(tree):
    for path in tree.under("lib", ".cpp"):
        stem = os.path.splitext(os.path.basename(path))[0]
        for value in re.findall(r'#define DEBUG_TYPE "([^"]*)"',
                                tree.read(path)):
            if value != "aik-" + kebab(stem):
                yield path, f"DEBUG_TYPE is {value}, not aik-{kebab(stem)}"


def check_mirror(tree):
    areas = set()
    for path in tree.under("lib", ".cpp", ".c"):
        parts = path.split("/")
        depth = 3 if parts[1] in SPLIT_AREAS and len(parts) > 3 else 2
        if len(parts) > depth:
            areas.add("/".join(parts[1:depth]))
    for area in sorted(areas):
        if not tree.has_folder("test/" + area) and \
                not tree.has_folder("unittests/" + area):
            yield "lib/" + area, f"has no test/{area} or unittests/{area}"
    lib = {f.split("/")[1] for f in tree.under("lib") if f.count("/") > 1}
    for top in ["test", "unittests"]:
        for area in sorted({f.split("/")[1] for f in tree.under(top)
                            if f.count("/") > 1}):
            if area not in lib and area not in OWN_TESTS:
                yield f"{top}/{area}", f"there is no lib/{area}"


def check_globals(tree):
    for path in tree.under("lib", ".cpp", ".c", ".h", ".inc", ".def"):
        if path == "lib/Runtime/Sys.cpp":
            continue
        text = project.without_comments(tree.read(path))
        for word in sorted(set(re.findall(
                r"\bcl::(?:opt|list|bits|alias)\b|\b(?:secure_)?getenv\b",
                text))):
            yield path, f"{word} under lib/: options are structs or td options"


def check_size(tree):
    for path in tree.files:
        if path.endswith(SOURCE):
            lines = tree.read(path).count("\n")
            if lines > MAX_LINES:
                yield path, f"{lines} lines, more than {MAX_LINES}"


LICENSE_LINE = re.compile(
    r"Part of the AIKernel|Exceptions\. See|SPDX-License|^[\s=#/*-]*$")


def check_header(tree):
    """C++ and TableGen open with LLVM's line and their own name; scripts with
    a comment. A header or a table may say all in its title; code needs more."""
    for path in tree.files:
        if not path.endswith(WITH_HEADER):
            continue
        name = os.path.basename(path)
        lines = tree.read(path).splitlines()
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        is_script = path.endswith((".py", ".sh"))
        marker = "#" if is_script else "//"
        title = r"# ?\S" if is_script else r"//===-+ (\S+) - \S"
        match = re.match(title, lines[0]) if lines else None
        if not match or not is_script and match[1] != name:
            yield path, ("does not open with a comment" if is_script else
                         f"does not open with `//===- {name} - ...`")
            continue
        if path.endswith((".cpp", ".c")):
            lines = lines[1:]
        says = ""
        for line in lines:
            if not line.startswith(marker):
                break
            if not LICENSE_LINE.search(line):
                says += line.split(name + " - ", 1)[-1].strip("/#=- ")
        if len(says) < 20:
            yield path, "its header does not say what the file does"


# What may not stand before the slash is looked at after it: there are few.
PRIVATE_PATH = re.compile(r"/(?<![\w.$}>-]/)(?:work|root|home|Users)/\w")
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME"]) +
                        r")\b")


def check_text(tree):
    for path in tree.files:
        if path == "LICENSE" or not path.endswith(
                SOURCE + (".mlir", ".md", ".test", ".txt", ".json", ".in")):
            continue
        text = tree.read(path)
        for pattern, what in ((PRIVATE_PATH, "a path of one machine"),
                              (UNFINISHED, "a note of unfinished work")):
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}", what


def check(tree):
    for rule in [check_passes, check_debug_types, check_mirror, check_globals,
                 check_size, check_header, check_text]:
        yield from rule(tree)


def plant(path, text, mode="w"):
    return lambda root: project.write(root, path, text, mode)


def header(name):
    return (f"//===- {name} - A file for the self-test ---===//\n"
            "//\n// Says at some length what it does.\n//\n")


def planted_pass(flag="aik-planted-thing", debug="aik-planted-thing",
                 test="planted-thing.mlir", run="--aik-planted-thing"):
    def into(root):
        project.write(root, "include/AIKernel/Planted/Passes.td",
                      header("Passes.td") +
                      f'def PlantedThingPass : Pass<"{flag}"> {{}}\n')
        project.write(root, "lib/Planted/PlantedThing.cpp",
                      header("PlantedThing.cpp") +
                      f'#define DEBUG_TYPE "{debug}"\n')
        project.write(root, "test/Planted/" + test,
                      f"// RUN: aik-opt %s {run}\n")
    return into


PLANTS = [
    ("a pass as it should be", None, planted_pass()),
    ("a flag unlike its def", "not aik-planted-thing",
     planted_pass(flag="aik-other")),
    ("a wrong DEBUG_TYPE", "no #define DEBUG_TYPE",
     planted_pass(debug="planted")),
    ("a pass whose test has another name", "runs --aik-planted-thing",
     planted_pass(test="other.mlir")),
    ("a test that does not run its pass", "runs --aik-planted-thing",
     planted_pass(run="--aik-planted-thing-two")),
    ("a pass without a file", "has no file PlantedThing.cpp",
     plant("include/AIKernel/Planted/Passes.td",
           'def PlantedThingPass : Pass<"aik-planted-thing"> {}\n')),
    ("an area without tests", "has no test/Planted",
     plant("lib/Planted/Planted.cpp", header("Planted.cpp"))),
    ("tests of no area", "there is no lib/Planted",
     plant("test/Planted/planted.mlir", "")),
    ("cl::opt in a library", "cl::opt under lib/",
     plant("lib/Support/Planted.cpp", "static llvm::cl::opt<bool> x;\n")),
    ("getenv in the runtime", "getenv under lib/",
     plant("lib/Runtime/Core/Planted.cpp", 'auto x = getenv("X");\n')),
    ("a long file", "more than 800",
     plant("lib/Support/Planted.cpp",
           header("Planted.cpp") + "\n" * MAX_LINES)),
    ("a header that names another file", "does not open with",
     plant("lib/Support/Planted.cpp", header("Other.cpp"))),
    ("a header that says nothing", "does not say what the file does",
     plant("lib/Support/Planted.cpp",
           "//===- Planted.cpp - A file for the self-test ---===//\n")),
    ("a script without a header", "does not open with",
     plant("scripts/planted.py", "import os\n")),
    ("a path of one machine", "a path of one machine",
     plant("docs/Planted.md", "see " + "/home" + "/me/x\n")),
    ("unfinished work", "a note of unfinished work",
     plant("lib/Support/Planted.cpp", "// TO" + "DO: finish\n")),
]

if __name__ == "__main__":
    sys.exit(project.main(check, PLANTS))
