# ===- harness.py - What the scripts that test aik-run share ----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# Runs aik-run, found on PATH, in a fresh folder, and counts what is as it
# should be. `finish` prints `N passed, N failed` and sets the exit status.
#
# ===----------------------------------------------------------------------===#

import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import make_sample  # noqa: E402

passed = 0
failures = []


def fresh_folder(path):
    """Makes an empty folder and goes there."""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    os.chdir(path)


def sample(path, functions, **options):
    with open(path, "wb") as file:
        file.write(make_sample.make(functions, **options))


def aik_run(*words, stdin=None, timeout=60):
    result = subprocess.run(["aik-run", *words], capture_output=True,
                            text=True, input=stdin or "", timeout=timeout)
    return result.returncode, result.stdout, result.stderr


def check(what, condition, detail=""):
    global passed
    if condition:
        passed += 1
    else:
        failures.append(what)
        print(f"FAILED: {what}\n  {detail}")


def expect_error(what, words, code, status, sentence="", stdin=None):
    """One run that must fail with this code and status, quickly, saying so in
    one line on stderr and leaving the folder as it was."""
    before = sorted(os.listdir("."))
    begin = time.monotonic()
    rc, out, err = aik_run(*words, stdin=stdin)
    seconds = time.monotonic() - begin
    found = re.search(r"^aik-run: error: (AIK-R\d{4}): (.+)$", err, re.M)
    detail = f"aik-run {' '.join(words)}\n  status {rc}: {err.strip()} {out}"
    if code is not None:
        check(what, found and found.group(1) == code and rc == status
              and sentence in found.group(2), detail)
    else:
        check(what, found and rc == status, detail)
    check(what + ": nothing left behind",
          sorted(os.listdir(".")) == before, str(os.listdir(".")))
    check(what + ": in time", seconds < 10, f"{seconds} s")


def finish():
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)
