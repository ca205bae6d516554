#!/usr/bin/python3
#===- run_cases.py - Runs the table of op cases --------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Compiles the cases in groups with aikc, runs them with aik-run in guarded
# buffers, on the best instruction set and on the reference inside the artifact,
# and compares with the numpy oracle. Each failure comes with the line that
# repeats it; the last line is `N passed, N failed`.
#
#===----------------------------------------------------------------------===#

import argparse
import collections
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True

from cases import (emit, judge, matrix, selftest, table,  # noqa: E402
                   tools)


# In a folder of compiled cases: how many functions an artifact has, and the ids.
PACKED = "cases.txt"
# Besides it: the ids of those whose kernels are tile programs, if any are.
TILED = "tiles.txt"


def _seeds(text):
    """"100" -> (0, 99); "100-199" -> (100, 199)."""
    first, dash, last = text.partition("-")
    seeds = (int(first), int(last)) if dash else (0, int(first) - 1)
    if seeds[0] > seeds[1]:
        raise ValueError(text)
    return seeds


def _options(words):
    parser = argparse.ArgumentParser(
        prog="run_cases.py", allow_abbrev=False,
        description="Runs the table of op cases.")
    choice = parser.add_argument_group("which cases")
    choice.add_argument("--only", action="append", default=[], metavar="ID",
                        help="this case (may be repeated)")
    choice.add_argument("--filter", metavar="GLOB",
                        help="cases whose id contains or matches this")
    choice.add_argument("--skip", metavar="GLOB", help="but not these")
    choice.add_argument("--sample", type=int, metavar="N",
                        help="N cases, evenly over the table, and one "
                        "of each op that these leave out")
    choice.add_argument("--kinds", action="store_true",
                        help="of cases that differ in numbers alone, which are "
                        "sizes and attributes, the largest; with --sample, "
                        "others besides")
    choice.add_argument("--small", action="store_true",
                        help="only cases of less than a million elements, for "
                        "emulators")
    choice.add_argument("--graphs", type=_seeds, metavar="N|FIRST-LAST",
                        help="random programs instead of the table: those of "
                        "the first N seeds, or of these seeds")
    choice.add_argument("--networks", type=_seeds, metavar="N|FIRST-LAST",
                        help="the same, of the ops that networks consist of")
    how = parser.add_argument_group("how")
    how.add_argument("--build", default=os.path.join(ROOT, "build"),
                     metavar="DIR", help="where bin/aikc and bin/aik-run are")
    how.add_argument("--aikc", metavar="PATH")
    how.add_argument("--runner", metavar="COMMAND",
                     help="aik-run, or a command that runs it, such as "
                     "'qemu-x86_64 -L DIR path/aik-run'")
    how.add_argument("--target", default="cpu", metavar="T",
                     help="given to aikc (default: cpu)")
    how.add_argument("--flags", default="", metavar="WORDS",
                     help="more options for aikc, such as '-O0'")
    how.add_argument("--isa", default="best,reference", metavar="LIST",
                     help="images to run: best, reference or a target "
                     "(default: best,reference)")
    how.add_argument("--jobs", type=int, default=2, metavar="N")
    how.add_argument("--group", type=int, default=60, metavar="N",
                     help="functions per artifact (default: 60)")
    how.add_argument("--keep", metavar="DIR", help="keep all files here")
    how.add_argument("--compiled", metavar="DIR",
                     help="run the cases that --compile-to has compiled, "
                     "perhaps on another machine")
    how.add_argument("--no-guard", action="store_true",
                     help="buffers without guard pages, for other devices")
    how.add_argument("--byte-sums", type=int, metavar="BITS",
                     help="the device's matrix instructions keep so many bits "
                     "in sums of 8-bit floats (13: sm_90); bounds are those of "
                     "docs/Rationale.md")
    how.add_argument("--rounds", type=int, default=1, metavar="N",
                     help="run every case N times; all must give the same bits")
    what = parser.add_argument_group("instead of running")
    what.add_argument("--compile-to", metavar="DIR",
                      help="compile the cases into this folder")
    what.add_argument("--list", action="store_true", help="print the ids")
    what.add_argument("--print", action="store_true", dest="show",
                      help="print the cases as one MLIR module")
    what.add_argument("--self-test", action="store_true",
                      help="check the oracle and the comparison themselves; "
                      "needs no compiler")
    parser.add_argument("--matrix", metavar="FILE",
                        help="write the support matrix; with --list nothing "
                        "is run")
    parser.add_argument("--show-failures", type=int, default=50, metavar="N",
                        help="print at most N failures (default: 50)")
    parser.add_argument("--quiet", action="store_true",
                        help="no progress on stderr")
    options = parser.parse_args(words)
    if options.sample is not None and options.sample < 1:
        parser.error("--sample wants a number of cases, at least 1")
    if options.rounds < 1:
        parser.error("--rounds wants a number, at least 1")
    return options


def _repro(options, case, isa):
    words = ["test/cases/run_cases.py", "--only", case.id, "--isa",
             isa.split("/")[0]]
    if options.target != "cpu":
        words += ["--target", options.target]
    if options.flags:
        words += [f"--flags='{options.flags}'"]
    if options.byte_sums:
        words += ["--byte-sums", str(options.byte_sums)]
    if options.runner:
        words += ["--runner", f"'{options.runner}'"]
    return " ".join(words)


def _write_matrix(options, cases, verdicts=()):
    with open(options.matrix, "w") as file:
        file.write(matrix.text(cases, verdicts))


def _run(options, cases):
    folder = options.compiled or options.compile_to or options.keep
    mine = not folder
    folder = folder or tempfile.mkdtemp(prefix="aik-cases-")
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(options.build, "bin")
    needed = [("aikc", options.aikc or options.compiled),
              ("aik-run", options.runner or options.compile_to)]
    for name, given in needed:
        if not given and not os.path.exists(os.path.join(program, name)):
            raise FileNotFoundError(os.path.join(program, name))
    calls = tools.Tools(options.aikc or os.path.join(program, "aikc"),
                        options.runner or os.path.join(program, "aik-run"),
                        options.target, folder, options.flags,
                        not options.no_guard, bool(options.compiled))

    def progress(done, all):
        if not options.quiet and sys.stderr.isatty():
            print(f"\r{done}/{all} groups", end="", file=sys.stderr)

    try:
        if options.compile_to:
            with open(os.path.join(folder, PACKED), "w") as file:
                print(options.group, *(case.id for case in cases), sep="\n",
                      file=file)
            verdicts = judge.compile_all(calls, cases, options.group,
                                         options.jobs, progress)
            if calls.tiled:
                with open(os.path.join(folder, TILED), "w") as file:
                    file.writelines(f"{case.id}\n" for case in cases
                                    if emit.function_name(case) in calls.tiled)
            return verdicts
        return judge.judge(calls, cases, options.isa.split(","),
                           options.group, options.jobs, progress,
                           options.rounds, options.byte_sums)
    finally:
        if mine:
            shutil.rmtree(folder, ignore_errors=True)


def _tiled(options, verdicts):
    """How many cases that passed have kernels that are tile programs."""
    path = os.path.join(options.compiled or options.compile_to or "", TILED)
    if not (options.compiled or options.compile_to) or not os.path.exists(path):
        return None
    with open(path) as file:
        tiled = set(file.read().split())
    passed = {v.case.id: v.case.tier for v in verdicts
              if v.case.id in tiled and v.sentence is None}
    counts = collections.Counter(passed.values())
    return f"{len(passed)} cases that passed are tile programs: " + \
        ", ".join(f"{count} {tier}" for tier, count in sorted(counts.items()))


def _report(options, cases, verdicts, seconds):
    bad = [v for v in verdicts if v.sentence is not None]
    for verdict in bad[:options.show_failures]:
        print(f"FAIL {verdict.case.id} [{verdict.isa}]: {verdict.sentence}\n"
              f"  {_repro(options, verdict.case, verdict.isa)}")
    if len(bad) > options.show_failures:
        print(f"... and {len(bad) - options.show_failures} more")
    odd = [v for v in verdicts if v.suspicious]
    for verdict in odd[:10]:
        print(f"note: {verdict.case.id} [{verdict.isa}]: within its bound, "
              "but over 8 sqrt(n) u")
    functions = len({emit.function_name(c) for c in cases})
    print(f"{len(cases)} cases, {functions} functions, {seconds:.0f} s")
    tiled = _tiled(options, verdicts)
    if tiled:
        print(tiled)
    print(f"{len(verdicts) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not verdicts else 0


def main(words):
    options = _options(words)
    if options.self_test:
        return selftest.main()
    if options.compiled:
        with open(os.path.join(options.compiled, PACKED)) as file:
            options.group = int(file.readline())
            options.only = file.read().split()
    try:
        if options.graphs or options.networks:
            cases = table.random_programs(options.graphs, options.networks)
        else:
            cases = table.chosen(options.only, options.filter, options.sample,
                                 options.skip, options.kinds, options.small)
    except KeyError as missing:
        print(f"run_cases.py: no case is called {missing.args[0]}; "
              "--list shows the ids", file=sys.stderr)
        return 2
    if not cases:
        print(f"run_cases.py: no case matches '{options.filter}'; "
              "--list shows the ids", file=sys.stderr)
        return 2
    if options.show:
        print(emit.module_text(cases), end="")
        return 0
    if options.list:
        if options.matrix:
            _write_matrix(options, cases)
        else:
            print("\n".join(case.id for case in cases))
        return 0
    start = time.time()
    try:
        verdicts = _run(options, cases)
    except FileNotFoundError as missing:
        print(f"run_cases.py: {missing} is not there; build it, or say where "
              "with --build, --aikc and --runner", file=sys.stderr)
        return 2
    if options.matrix:
        _write_matrix(options, cases, verdicts)
    return _report(options, cases, verdicts, time.time() - start)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
