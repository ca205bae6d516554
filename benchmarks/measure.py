#===- measure.py - Interleaved samples of many contenders -----------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a benchmark, a thread count and the contenders' processes. Out: per
# contender either its samples or why there are none. Everyone is prepared and
# checked first; then the samples are taken in rounds, the order turned by one
# place each time: one of each contender, one of what bounds the benchmark on
# this machine, and, where several threads are to be compared with one, one of
# us on a single thread. All of a round are on the same CPUs, and while one is
# measured the others are stopped. What is compared later are samples of one
# round, so that a slow minute, or a core whose sibling is somebody else's, is
# everybody's.
#
#===----------------------------------------------------------------------===#

import json
import math
import os
import select
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np

import check
import machine

HERE = os.path.dirname(os.path.abspath(__file__))

#: How long a sample should take at least, in seconds.
SAMPLE_SECONDS = 0.02
#: Between two samples: who is stopped stands still by then.
PAUSE_SECONDS = 0.005
#: How long a contender may take over one answer, in seconds.
ANSWER_LIMIT = 600
#: No contender may hold more than this share of the memory in copies.
MEMORY_SHARE = 0.25


class Process:
    """A worker and the pipe to it. A dead worker answers {"failed": ...}."""

    def __init__(self, name, threads, tools, log, limit):
        self.name, self.threads, self.limit = name, threads, limit
        environment = dict(os.environ)
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                         "BLIS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[variable] = str(threads)
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.child = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "worker.py"), name,
             str(threads), json.dumps(tools)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        answer = self._answer()
        self.version = answer.get("version")
        self.missing = answer.get("missing") or answer.get("failed")

    def _answer(self):
        ready, _, _ = select.select([self.child.stdout], [], [], self.limit)
        if not ready:
            self.child.kill()
            self.child.wait()
            return {"failed": f"it gave no answer in {self.limit} s"}
        line = self.child.stdout.readline()
        if line:
            return json.loads(line)
        status = self.child.wait()
        ending = f"signal {-status}" if status < 0 else f"status {status}"
        return {"failed": f"its process ended with {ending}"}

    def ask(self, what, **details):
        try:
            self.child.stdin.write(json.dumps({"do": what, **details}) + "\n")
            self.child.stdin.flush()
        except (BrokenPipeError, ValueError):
            return {"failed": "its process is gone"}
        return self._answer()

    @property
    def alive(self):
        return self.child.poll() is None

    def halt(self):
        """Threads of a pool may go on looking for work long after the answer,
        and take the CPUs from whoever is measured next."""
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def _signal(self, what):
        if self.alive:
            self.child.send_signal(what)

    def close(self):
        if self.alive:
            self.go_on()
            self.child.stdin.close()
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()


class Field:
    """The contenders' processes of one thread count, started when needed.
    `alone` is the one that also runs on a single thread, or None."""

    def __init__(self, names, threads, tools, log, limit=ANSWER_LIMIT,
                 alone=None):
        self.names, self.threads = names, threads
        self.tools, self.log, self.limit = tools, log, limit
        self.processes, self.missing, self.versions = {}, {}, {}
        self.alone = alone and Field([alone], 1, tools, log, limit)

    def process(self, name):
        """A living process, or None when the contender is not installed."""
        if name in self.missing:
            return None
        process = self.processes.get(name)
        if process is None or not process.alive:
            process = Process(name, self.threads, self.tools, self.log,
                              self.limit)
            if process.missing:
                self.missing[name] = process.missing
                process.close()
                return None
            self.processes[name] = process
            self.versions[name] = process.version
        return process

    def halt(self):
        for process in self.processes.values():
            process.halt()
        if self.alone:
            self.alone.halt()

    def go_on(self):
        for process in self.processes.values():
            process.go_on()
        if self.alone:
            self.alone.go_on()

    def close(self):
        for process in self.processes.values():
            process.close()
        self.processes.clear()
        if self.alone:
            self.alone.close()


class Measured(NamedTuple):
    """Lists are by rounds."""
    outcomes: dict      # contender -> {"samples_s": ...} or why there are none
    limit_s: list       # what the work takes at the limit; [] without one
    alone_s: list       # samples of us on one thread; [] if not asked for
    limit_alone_s: list     # limit_s of one thread; [] likewise


def _copies(benchmark, arrays, memory):
    """How often the streamed inputs are repeated: together they must be four
    times as large as the last-level cache."""
    streamed = sum(arrays[n].nbytes for n in benchmark.stream)
    if not streamed:
        return 1
    wanted = math.ceil(4 * machine.last_level_cache() / streamed)
    affordable = int(MEMORY_SHARE * memory / streamed / 2)
    return max(1, min(wanted, affordable))


def _prepare(benchmark, process, details, judge, folder):
    """(None or why not, error, against)"""
    answer = process.ask("prepare", **details)
    if "ok" not in answer:
        return answer.get("refused") and {"refused": answer["refused"]} or \
            {"failed": answer.get("failed", "no answer")}
    file = os.path.join(folder, f"result.{process.name}.npy")
    answer = process.ask("result", file=file)
    if "ok" not in answer:
        return {"failed": answer.get("failed", "no answer")}
    if answer["file"] is None:
        return {"error": None, "against": None}
    error, against = judge.error(process.name, np.load(file))
    os.unlink(file)
    if error > benchmark.tolerance:
        return {"wrong": f"its result is off by {error:.2g} "
                         f"(against {against}; "
                         f"{benchmark.tolerance:g} is allowed)"}
    return {"error": error, "against": against}


def _enter(benchmark, process, details, judge, folder, sample_seconds):
    """What is known of a contender before the first round."""
    outcome = _prepare(benchmark, process, details, judge, folder)
    if "error" not in outcome:
        process.ask("release")
        return outcome
    calls = _calls_per_sample(process, sample_seconds)
    if calls is None:
        return {"failed": "it failed when it was timed"}
    return {**outcome, "samples_s": [], "calls_per_sample": calls}


def _calls_per_sample(process, sample_seconds):
    answer = process.ask("sample", calls=1, cpus=None)
    if "ok" not in answer:
        return None
    once = max(answer["seconds"], 1e-7)
    return max(1, math.ceil(sample_seconds / once))


def run(benchmark, field, folder, samples, sample_seconds=SAMPLE_SECONDS,
        one_copy=False, limit=None, limit_alone=None):
    """Measured; `limit` is a machine.Limit or None, `limit_alone` one of a
    single thread, beside several."""
    arrays = check.make_inputs(benchmark)
    files = {}
    for name, array in arrays.items():
        files[name] = os.path.join(folder, f"input.{name}.npy")
        np.save(files[name], array)
    program = os.path.join(folder, "program.mlir")
    with open(program, "w") as file:
        file.write(benchmark.program)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    copies = 1 if one_copy else _copies(benchmark, arrays, memory)
    details = {"task": {**benchmark.described(), "program": program,
                        "folder": folder},
               "arrays": files, "copies": copies}
    judge = check.Judge(benchmark, arrays)
    del arrays
    running = []

    def enter(field, clock):
        outcomes = {}
        for name in field.names:
            process = field.process(name)
            if process is None:
                outcomes[name] = {"missing": field.missing[name]}
                continue
            process.go_on()
            outcome = outcomes[name] = _enter(benchmark, process, details,
                                              judge, folder, sample_seconds)
            process.halt()
            if "samples_s" in outcome:
                outcome["copies"] = copies
                running.append((process, outcome, clock))
        return outcomes

    field.halt()
    try:
        # What is beside several threads is timed as they are.
        outcomes = enter(field, "own")
        alone = enter(field.alone, "seconds") if field.alone else {}
        # Whoever starts other programs, as compilers are, has all CPUs.
        limits = _take_samples(running, (limit, limit_alone), samples,
                               bool(benchmark.flops or benchmark.bytes))
    finally:
        field.go_on()
    for process, *_ in running:
        process.ask("release")
    for file in files.values():
        os.unlink(file)
    for name, outcome in alone.items():
        for kind in ("failed", "wrong"):
            if kind in outcome:
                outcomes[name] = {kind: "on one thread: " + outcome[kind]}
    alone_s = next(
        (o["samples_s"] for o in alone.values() if "samples_s" in o), [])
    return Measured(outcomes, limits[0], alone_s, limits[1])


def _take_samples(running, limits, samples, on_cpus_of_round=True):
    """Fills the outcomes of `running`, who stand still but for their turns;
    returns the seconds of each limit, none where there is none."""
    own = os.sched_getaffinity(0)
    all_cpus = machine.cpus_by_core(own, machine.siblings(own))
    most = max((process.threads for process, *_ in running), default=1)
    seconds = [[] for _ in limits]

    def cpus(threads, round):
        """A single thread beside several is on one of theirs."""
        if not on_cpus_of_round:
            return None
        of_round = machine.window(all_cpus, round, most)
        return of_round if threads > 1 else [of_round[round % len(of_round)]]

    turns = [lambda round, process=process, rest=rest:
             _sample(process, cpus(process.threads, round), *rest)
             for process, *rest in running]
    if turns:
        turns += [lambda round, limit=limit, found=found: found.append(
            limit.seconds(cpus(limit.threads, round)))
            for limit, found in zip(limits, seconds) if limit]
    for round in range(samples if turns else 0):
        first = round % len(turns)
        for turn in turns[first:] + turns[:first]:
            time.sleep(PAUSE_SECONDS)
            turn(round)
    return [found if all(found) else [] for found in seconds]


def _sample(process, cpus, outcome, clock):
    if "samples_s" not in outcome:
        return
    calls = outcome["calls_per_sample"]
    process.go_on()
    answer = process.ask("sample", calls=calls, cpus=cpus)
    process.halt()
    if "ok" in answer:
        # A clock may stand still; a rate must not become infinite.
        outcome["samples_s"].append(max(answer[clock], 1e-9) / calls)
    else:
        outcome.clear()
        outcome["failed"] = answer.get("failed", "no answer")
