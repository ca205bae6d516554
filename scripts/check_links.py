#!/usr/bin/python3
#===- check_links.py - What the pages name exists ---------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_links.py [--root DIR | --self-test]
#
# In the .md files, every relative link leads to a file, and every path in
# `code` that begins with a folder of this project exists (`*`, `<...>` and
# `{a,b}` may stand in it; paths under build/ are not looked at). One line per
# violation.
#
#===----------------------------------------------------------------------===#

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import tree as project  # noqa: E402

FOLDERS = r"(?:lib|include|test|unittests|tools|docs|scripts|examples|cmake)"
PATH = re.compile(r"`(" + FOLDERS + r"/[\w./*<>{},+-]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def alternatives(path):
    """a/{b,c} -> a/b and a/c."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [end for part in match.group(1).split(",")
            for end in alternatives(path[:match.start()] + part +
                                    path[match.end():])]


def check(tree):
    for page in tree.files:
        if not page.endswith(".md"):
            continue
        text = tree.read(page)
        for link in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.S)):
            target = os.path.normpath(
                os.path.join(tree.root, os.path.dirname(page), link))
            if "://" not in link and not os.path.exists(target):
                yield page, f"the link {link} leads nowhere"
        for name in PATH.findall(text):
            for path in alternatives(re.sub(r"<[^>]*>", "*", name)):
                if not glob.glob(os.path.join(tree.root, path)):
                    yield page, f"there is no {path}"


PLANTS = [
    ("a dead link", "leads nowhere",
     lambda root: project.write(root, "docs/Planted.md", "[x](Gone.md)\n")),
    ("a dead path", "there is no lib/Gone.cpp",
     lambda root: project.write(root, "docs/Planted.md", "`lib/Gone.cpp`\n")),
    ("a dead alternative", "there is no lib/Gone",
     lambda root: project.write(root, "docs/Planted.md",
                                "`lib/{Support,Gone}/*`\n")),
]

if __name__ == "__main__":
    sys.exit(project.main(check, PLANTS))
