#!/usr/bin/env python3
#===- run.py - Measures us and the peers side by side ---------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: run.py [SUITE...] [--threads 1,2] [--json FILE] [--html FILE] ...
#
# In: suites of suites.py (all by default). Out: an aligned table on standard
# output, and on demand the samples as JSON (`aik-run compare` reads it) and a
# report with roofline plots. docs/Benchmarks.md says how the figures come about
# and what the fields mean. Needs numpy; peers that are not installed are named
# as such.
#
# Exit status: 0 when every contender that ran computed the right thing, 1 when
# a result was wrong or a contender failed, 2 for wrong usage, 4 for a file.
#
#===----------------------------------------------------------------------===#

import argparse
import fnmatch
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

try:
    import numpy    # noqa: F401
except ImportError:
    sys.exit("run.py: error: numpy is not installed (python3-numpy)")

import contenders
from contenders import aikernel
import html_report
import machine
import measure
import report
import suites


def _numbers(text):
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not like 1,2")
    if not numbers or min(numbers) < 1 or max(numbers) > 1024:
        raise argparse.ArgumentTypeError("thread counts lie in 1..1024")
    return list(dict.fromkeys(numbers))


def _positive(text):
    if not text.isdigit() or not 1 <= int(text) <= 100000:
        raise argparse.ArgumentTypeError(f"'{text}' is not in 1..100000")
    return int(text)


def options(words):
    parser = argparse.ArgumentParser(
        prog="run.py", allow_abbrev=False,
        description="Measures AIKernel and its peers side by side.")
    parser.add_argument("suites", nargs="*", metavar="SUITE",
                        help="of " + ", ".join(suites.SUITES) + " (all)")
    parser.add_argument("--threads", type=_numbers, default=[1],
                        metavar="N[,N]")
    parser.add_argument("--samples", type=_positive, default=15,
                        help="per contender (15)")
    parser.add_argument("--contenders", metavar="NAME[,NAME]",
                        help="of " + ", ".join(contenders.NAMES) + " (all)")
    parser.add_argument("--more", metavar="FOLDER",
                        help="a folder whose Python files are more contenders")
    parser.add_argument("--limit", type=_positive, metavar="SECONDS",
                        default=measure.ANSWER_LIMIT,
                        help="that a contender may take over one step (600)")
    parser.add_argument("--filter", metavar="GLOB",
                        help="only benchmarks whose id matches")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"),
                        help="where aikc and libaikrt are (build)")
    parser.add_argument("--target", help="what aikc compiles for (this host)")
    parser.add_argument("--compile-only", metavar="FOLDER",
                        help="write the artifacts there and measure nothing")
    parser.add_argument("--artifacts", metavar="FOLDER",
                        help="use those instead of aikc, on a machine that "
                        "has none")
    parser.add_argument("--runtime", metavar="FILE",
                        help="libaikrt (BUILD/lib/libaikrt.so)")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--html", metavar="FILE")
    parser.add_argument("--list", action="store_true",
                        help="name the benchmarks and measure nothing")
    parser.add_argument("--tiny", action="store_true",
                        help="sizes that take no time: tries the driver, "
                        "measures nothing of interest")
    chosen = parser.parse_args(words)
    for name in chosen.suites:
        if name not in suites.SUITES:
            parser.error(f"there is no suite '{name}'; there are: "
                         + ", ".join(suites.SUITES))
    try:
        known = contenders.names(chosen.more)
    except OSError as problem:
        parser.error(f"--more {chosen.more}: {problem.strerror}")
    chosen.contenders = chosen.contenders.split(",") if chosen.contenders \
        else known
    for name in chosen.contenders:
        if name not in known:
            parser.error(f"there is no contender '{name}'; there are: "
                         + ", ".join(known))
    chosen.suites = chosen.suites or list(suites.SUITES)
    chosen.table = suites.benchmarks(chosen.suites, chosen.tiny)
    if chosen.filter:
        chosen.table = [b for b in chosen.table
                        if fnmatch.fnmatchcase(b.id, chosen.filter)]
        if not chosen.table:
            parser.error(f"no benchmark is called '{chosen.filter}'")
    return chosen


def _tools(chosen):
    build = os.path.abspath(chosen.build)
    return {"more": chosen.more and os.path.abspath(chosen.more),
            "target": chosen.target,
            "artifacts": chosen.artifacts
            and os.path.abspath(chosen.artifacts),
            "aikc": os.path.join(build, "bin", "aikc"),
            "aik-opt": os.path.join(build, "bin", "aik-opt"),
            "runtime": os.path.abspath(chosen.runtime) if chosen.runtime
            else os.path.join(build, "lib", "libaikrt.so")}


def _compile_only(chosen):
    """One line per benchmark; 0 when all that aikc knows were written."""
    tools, folder = _tools(chosen), chosen.compile_only
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        print(f"run.py: error: '{folder}': {problem.strerror}",
              file=sys.stderr)
        return 4
    for benchmark in chosen.table:
        if benchmark.op == "compile":
            continue
        source = os.path.join(folder, benchmark.id + ".mlir")
        _write(source, benchmark.program)
        try:
            aikernel.compile_program(tools, source, os.path.join(
                folder, benchmark.id + ".aikx"))
            print(f"{benchmark.id}: compiled")
        except contenders.Unsupported as reason:
            print(f"{benchmark.id}: not supported yet: {reason}")
    return 0


def _calibrated(chosen, folder):
    """{threads: calibration}, or {} when it cannot be had: shares are then
    left out, never guessed."""
    try:
        few = {"processes": 1, "mebibytes": 16} if chosen.tiny else {}
        return {n: machine.calibrate(folder, n, **few) for n in chosen.threads}
    except machine.NoCalibration as problem:
        print(f"note: no calibration: {problem}", file=sys.stderr)
        return {}


def _measure(chosen, calibration, folder, log, progress):
    """([result row], {contender: version}, {contender: why it is absent})"""
    rows, versions, missing = [], {}, {}
    for threads in chosen.threads:
        compares = threads > 1 and 1 in chosen.threads \
            and report.US in chosen.contenders
        field = measure.Field(chosen.contenders, threads, _tools(chosen), log,
                              chosen.limit, report.US if compares else None)
        try:
            for number, benchmark in enumerate(chosen.table, 1):
                progress(f"{threads} thread(s), {number}/{len(chosen.table)}: "
                         f"{benchmark.id}")
                rows.append(_row(chosen, benchmark, field, folder, calibration))
        except KeyboardInterrupt:
            print("\nnote: interrupted; what was measured follows",
                  file=sys.stderr)
            return rows, {**versions, **field.versions}, missing
        finally:
            field.close()
        versions.update(field.versions)
        missing.update(field.missing)
    return rows, versions, missing


def _row(chosen, benchmark, field, folder, calibration):
    quick = {"sample_seconds": 0, "one_copy": True} if chosen.tiny else {}
    limit = limit_alone = None
    if calibration and (benchmark.flops or benchmark.bytes):
        limit = machine.Limit(folder, calibration[field.threads], benchmark)
        if field.alone:
            limit_alone = machine.Limit(folder, calibration[1], benchmark,
                                        limit)
    try:
        return report.Row(benchmark, field.threads, limit, measure.run(
            benchmark, field, folder, chosen.samples, limit=limit,
            limit_alone=limit_alone, **quick))
    finally:
        for one in limit, limit_alone:
            if one:
                one.close()


def _progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _write(path, text):
    try:
        with open(path + ".part", "w") as file:
            file.write(text)
        os.replace(path + ".part", path)
    except OSError as problem:
        print(f"run.py: error: '{path}' cannot be written: "
              f"{problem.strerror}", file=sys.stderr)
        sys.exit(4)


def main(words):
    chosen = options(words)
    if chosen.list:
        for benchmark in chosen.table:
            print(f"{benchmark.suite:<11} {benchmark.id}")
        return 0
    if chosen.compile_only:
        return _compile_only(chosen)
    about = machine.describe()
    if about["load_before"] > 0.5:
        print(f"note: the machine is busy (load {about['load_before']:.1f}): "
              "these figures are not worth keeping", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="aik-bench-") as folder, \
            open(os.path.join(folder, "log"), "w") as log:
        calibration = _calibrated(chosen, folder)
        rows, versions, missing = _measure(chosen, calibration, folder, log,
                                           _progress)
    _progress("")
    outcome = report.Report(about, calibration, versions, missing, rows,
                            chosen.samples, chosen.contenders)
    print(outcome.text(), end="")
    if chosen.json:
        _write(chosen.json, outcome.json())
    if chosen.html:
        _write(chosen.html, html_report.page(outcome))
    return 1 if outcome.defects() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
