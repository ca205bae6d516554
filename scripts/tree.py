#===- tree.py - The files of the project, for the checkers ------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# What check_layout.py and check_layering.py share: the list of files (without
# build folders), C++ without its comments, and the self-test that plants a
# violation in a copy of the tree and expects to see it reported.
#
#===----------------------------------------------------------------------===#

import os
import re
import shutil
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Tree:
    """All source files under `root`, by path relative to it."""

    def __init__(self, root):
        self.root = root
        self.files = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(
                f for f in folders
                if f not in (".git", "__pycache__", "shared")
                and not (folder == root and re.match(r"build($|-)", f))
                and not f.endswith(".egg-info"))
            for name in sorted(names):
                if name != ".git" and not name.endswith((".pyc", ".aikx")):
                    self.files.append(
                        os.path.relpath(os.path.join(folder, name), root))

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8",
                  errors="replace") as file:
            return file.read()

    def under(self, folder, *suffixes):
        return [f for f in self.files
                if f.startswith(folder + "/")
                and (not suffixes or f.endswith(suffixes))]

    def has_folder(self, folder):
        return any(f.startswith(folder + "/") for f in self.files)


def without_comments(text):
    """C or C++ with comments blanked and line numbers kept."""
    def blank(match):
        if match.group(0).startswith("/"):
            return re.sub(r"[^\n]", " ", match.group(0))
        return match.group(0)  # a string
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text,
                  flags=re.S)


def kebab(name):
    """TileAndFuse -> tile-and-fuse; AIKernelToLinalg -> aikernel-to-linalg."""
    name = name.replace("AIKernel", "Aikernel")
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1-\2", name).lower()


def main(check, plants):
    """`check(Tree)` yields (path, sentence). `plants` are (what, sentence part,
    function of a copied tree's root that breaks one rule, or, with None in
    place of the sentence, breaks none)."""
    words = sys.argv[1:]
    if words == ["--self-test"]:
        return self_test(check, plants)
    root = ROOT
    if len(words) == 2 and words[0] == "--root":
        root = words[1]
    elif words:
        print(f"usage: {os.path.basename(sys.argv[0])} "
              "[--root DIR | --self-test]", file=sys.stderr)
        return 2
    problems = sorted(set(check(Tree(root))))
    for path, sentence in problems:
        print(f"{path}: {sentence}")
    return 1 if problems else 0


def self_test(check, plants):
    """Each violation, planted into a copy of the tree, must be reported, and
    must not have been there before. A plant only adds files."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="aik-check-") as folder:
        copy = os.path.join(folder, "tree")
        for path in Tree(ROOT).files:
            to = os.path.join(copy, path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, path), to)
        clean = Tree(copy)
        before = set(check(clean))
        for what, part, plant in plants:
            plant(copy)
            planted = Tree(copy)
            new = set(check(planted)) - before
            if part is None:
                good = not new
            else:
                good = any(part in f"{path}: {sentence}"
                           for path, sentence in new)
            if not good:
                failed += 1
                print(f"FAILED: {what}: new are {sorted(new)}")
            for path in set(planted.files) - set(clean.files):
                os.remove(os.path.join(copy, path))
    print(f"{len(plants) - failed} passed, {failed} failed")
    return 1 if failed else 0


def write(root, path, text, mode="w"):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)
