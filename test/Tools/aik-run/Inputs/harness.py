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
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import make_sample  # noqa: E402

# Sanitizers and emulators cost a multiple.
SLOWNESS = float(os.environ.get("AIK_TEST_SLOWNESS", "1"))

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


def measured(words):
    """Like aik_run, with the CPU seconds and the megabytes that it took."""
    with tempfile.TemporaryFile("w+") as out, \
            tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(["aik-run", *words], stdout=out, stderr=err,
                                 stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return (child.returncode, out.read(), err.read(),
                usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def expect_error(what, words, code, status, sentence=""):
    """One run that must fail with this code and status, quickly, saying so in
    one line on stderr and leaving the folder as it was."""
    before = sorted(os.listdir("."))
    rc, out, err, seconds, megabytes = measured(words)
    found = re.search(r"^aik-run: error: (AIK-R\d{4}): (.+)$", err, re.M)
    check(what, found and found.group(1) == code and rc == status
          and sentence in found.group(2),
          f"aik-run {' '.join(words)}\n  status {rc}: {err.strip()} {out}")
    check(what + ": nothing left behind",
          sorted(os.listdir(".")) == before, str(os.listdir(".")))
    # What it costs is the least of three runs: a neighbour on the machine
    # makes single ones dearer, never cheaper.
    for _ in range(2):
        if seconds >= 0.1 * SLOWNESS:
            seconds = min(seconds, measured(words)[3])
    check(what + ": cheap", seconds < 0.1 * SLOWNESS
          and megabytes < 100 * SLOWNESS, f"{seconds} s, {megabytes} MB")


def finish():
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)
