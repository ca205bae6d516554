#!/usr/bin/python3
#===- run_errors.py - Runs the wrong programs and command lines ----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Gives each wrong program and command line to aikc in a folder of its own and
# checks: the exit status, one coded sentence that names the matter, a line that
# says what to do, nothing on stdout, no file left behind, no crash. The last
# line is `N passed, N failed`.
#
#===----------------------------------------------------------------------===#

import argparse
from concurrent.futures import ThreadPoolExecutor
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import commands          # noqa: E402
import foreign_programs  # noqa: E402
import op_programs       # noqa: E402
import programs          # noqa: E402

#: The exit status that belongs to each code.
EXIT = {1: 1, 2: 1, 3: 1, 4: 5, 5: 5, 6: 1, 7: 3, 8: 1, 9: 70, 10: 1, 11: 3,
        12: 5, 13: 70, 14: 3, 100: 2, 101: 2, 102: 2, 103: 2, 104: 2,
        105: 2, 106: 2, 200: 4, 201: 4, 202: 1, 300: 5, 301: 5}

CRASH = re.compile(r"Stack dump|Assertion|LLVM ERROR|PLEASE submit a bug|"
                   r"terminate called|UNREACHABLE|Segmentation fault|"
                   r"AddressSanitizer|runtime error:")
ERROR = re.compile(r"^(?P<place>.*?)error: AIK-E(?P<code>\d{4}): "
                   r"(?P<sentence>.*)$", re.M)

GOOD = """func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = aikernel.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
"""

SECONDS = 60


def all_cases():
    return (programs.SYNTAX + programs.UNKNOWN + programs.LIMITS
            + programs.FORMS + programs.ARGUMENTS + op_programs.ALL
            + foreign_programs.ALL + commands.ALL)


def snapshot(folder):
    """Every path under `folder` with its size."""
    found = {}
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(where, name)
            found[os.path.relpath(path, folder)] = os.lstat(path).st_size \
                if name in files else "folder"
    return found


def judge(case, status, stdout, stderr, before, after):
    """None, or one sentence about what is wrong."""
    if status is None:
        return f"still running after {SECONDS} s"
    if status < 0:
        return f"died of {signal.Signals(-status).name}"
    crash = CRASH.search(stdout + stderr)
    if crash:
        return f"crash text: '{crash[0]}'"
    errors = list(ERROR.finditer(stderr))
    said = re.findall(r"\berror:", stderr)
    if len(errors) != 1 or len(said) != 1:
        first = stderr.strip().splitlines()[:3]
        return (f"{len(errors)} coded and {len(said)} error lines instead of "
                f"one; exit status {status}; stderr begins {first}")
    code, sentence = int(errors[0]["code"]), errors[0]["sentence"]
    codes = case.code if isinstance(case.code, tuple) else (case.code,)
    wanted = " or ".join(f"AIK-E{c:04}" for c in codes)
    if code not in codes:
        return f"AIK-E{code:04} ({sentence}) instead of {wanted}"
    if status != EXIT[code]:
        return f"exit status {status} instead of {EXIT[code]}"
    if not re.search(case.mentions, sentence, re.S):
        return f"'{sentence}' does not mention {case.mentions}"
    if not sentence.strip() or len(sentence) > 1000:
        return f"a sentence of {len(sentence)} characters"
    rest = stderr[errors[0].end():].strip()
    if not rest:
        return "no line says what to do"
    if stdout:
        return f"stdout is not empty: {stdout[:80]!r}"
    if before != after:
        changed = sorted(set(before.items()) ^ set(after.items()),
                         key=lambda item: item[0])
        return f"files changed: {changed[:4]}"
    return None


def run(case, aikc):
    sandbox = tempfile.mkdtemp(prefix="aik-errors-")
    try:
        with open(os.path.join(sandbox, "good.mlir"), "w") as file:
            file.write(GOOD)
        with open(os.path.join(sandbox, "text.txt"), "w") as file:
            file.write("just text\n")
        os.mkdir(os.path.join(sandbox, "folder"))
        stdin = b""
        if isinstance(case, commands.Command):
            words, stdin = list(case.words), case.stdin
        else:
            raw = case.source
            raw = raw.encode() if isinstance(raw, str) else raw
            with open(os.path.join(sandbox, "wrong.mlir"), "wb") as file:
                file.write(raw)
            words = ["wrong.mlir", "-o", "out.aikx", *case.arguments]
        before = snapshot(sandbox)
        try:
            done = subprocess.run([aikc] + words, cwd=sandbox, input=stdin,
                                  capture_output=True, timeout=SECONDS)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status, out, err = None, late.stdout or b"", late.stderr or b""
        return judge(case, status, out.decode(errors="replace"),
                     err.decode(errors="replace"), before, snapshot(sandbox))
    finally:
        shutil.rmtree(sandbox, ignore_errors=True)


def self_test():
    """The judge accepts a right answer and no wrong one."""
    case = programs.Program("x", "", 2, "matmul.*5")
    right = dict(status=1, stdout="", before={"a": 1}, after={"a": 1},
                 stderr="w.mlir:1:2: error: AIK-E0002: matmul has 5\n"
                 "  hint: look\n")
    wrong = [
        dict(status=0), dict(status=2), dict(status=-11), dict(status=None),
        dict(status=70), dict(stdout="x"), dict(after={"a": 1, "out.aikx": 0}),
        dict(after={}), dict(stderr=""), dict(stderr="error: no code\n"),
        dict(stderr=right["stderr"] * 2),
        dict(stderr=right["stderr"].replace("0002", "0001")),
        dict(stderr=right["stderr"].replace("matmul", "linear")),
        dict(stderr="error: AIK-E0002: matmul has 5\n"),
        dict(stderr=right["stderr"] + "Stack dump:\n"),
        dict(stderr=right["stderr"] + "note: error: again\n"),
    ]
    names = [c.name for c in all_cases()]
    count = len([c for c in all_cases() if isinstance(c, commands.Command)])
    checks = [judge(case, **right) is None,
              *(judge(case, **{**right, **w}) is not None for w in wrong),
              len(names) == len(set(names)), len(names) - count >= 60,
              count >= 40,
              all(c in EXIT for case in all_cases() for c in
                  (case.code if isinstance(case.code, tuple)
                   else (case.code,))),
              all(re.compile(c.mentions) for c in all_cases())]
    print(f"{sum(checks)} passed, {len(checks) - sum(checks)} failed")
    return 0 if all(checks) else 1


def main(words):
    parser = argparse.ArgumentParser(prog="run_errors.py", allow_abbrev=False,
                                     description="Runs wrong programs and "
                                     "wrong command lines.")
    parser.add_argument("--aikc", metavar="PATH", default=os.path.join(
        ROOT, "build", "bin", "aikc"))
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--print", action="store_true", dest="show",
                        help="print the program or the command line")
    parser.add_argument("--self-test", action="store_true",
                        help="check the judge; needs no compiler")
    options = parser.parse_args(words)
    if options.self_test:
        return self_test()
    cases = all_cases()
    if options.only:
        cases = [c for c in cases if c.name in options.only]
    if options.list:
        print("\n".join(c.name for c in cases))
        return 0
    if options.show:
        for case in cases:
            raw = " ".join(("aikc",) + case.words) + "\n" \
                if isinstance(case, commands.Command) else case.source
            sys.stdout.buffer.write(raw.encode() if isinstance(raw, str)
                                    else raw)
        return 0
    if not os.path.exists(options.aikc):
        print(f"run_errors.py: {options.aikc} is not there; build it, or say "
              "where with --aikc", file=sys.stderr)
        return 2
    aikc = os.path.abspath(options.aikc)
    with ThreadPoolExecutor(options.jobs) as pool:
        sentences = list(pool.map(lambda case: run(case, aikc), cases))
    failed = 0
    for case, sentence in zip(cases, sentences):
        if sentence:
            failed += 1
            print(f"FAIL {case.name}: {sentence}\n"
                  f"  test/Integration/errors/run_errors.py --only "
                  f"{case.name}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
