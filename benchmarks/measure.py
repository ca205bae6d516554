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
# checked first; then the samples are taken in rounds, one of each contender per
# round, the order turned by one place each time, so that a slow moment of the
# machine hits everyone alike.
#
#===----------------------------------------------------------------------===#

import json
import math
import os
import select
import subprocess
import sys
import time

import numpy as np

import check
import machine

HERE = os.path.dirname(os.path.abspath(__file__))

#: How long a sample should take at least, in seconds.
SAMPLE_SECONDS = 0.02
#: Between two samples: thread pools of the last contender stop spinning.
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

    def close(self):
        if self.alive:
            self.child.stdin.close()
            try:
                self.child.wait(5)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()


class Field:
    """The contenders' processes of one thread count, started when needed."""

    def __init__(self, names, threads, tools, log, limit=ANSWER_LIMIT):
        self.names, self.threads = names, threads
        self.tools, self.log, self.limit = tools, log, limit
        self.processes, self.missing, self.versions = {}, {}, {}

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

    def close(self):
        for process in self.processes.values():
            process.close()
        self.processes.clear()


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


def _calls_per_sample(process, sample_seconds):
    answer = process.ask("sample", calls=1)
    if "ok" not in answer:
        return None
    once = max(answer["seconds"], 1e-7)
    return max(1, math.ceil(sample_seconds / once))


def run(benchmark, field, folder, samples, sample_seconds=SAMPLE_SECONDS,
        one_copy=False):
    """{contender: outcome}; an outcome has "samples_s" or says why not."""
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
    outcomes, running = {}, []
    for name in field.names:
        process = field.process(name)
        if process is None:
            outcomes[name] = {"missing": field.missing[name]}
            continue
        outcomes[name] = _prepare(benchmark, process, details, judge, folder)
        if "error" not in outcomes[name]:
            process.ask("release")
            continue
        calls = _calls_per_sample(process, sample_seconds)
        if calls is None:
            outcomes[name] = {"failed": "it failed when it was timed"}
            continue
        outcomes[name].update(samples_s=[], calls_per_sample=calls,
                              copies=copies)
        running.append(process)
    _take_samples(running, outcomes, samples)
    for process in running:
        process.ask("release")
    for file in files.values():
        os.unlink(file)
    return outcomes


def _take_samples(running, outcomes, samples):
    for round in range(samples):
        turn = round % len(running) if running else 0
        for process in running[turn:] + running[:turn]:
            outcome = outcomes[process.name]
            if "samples_s" not in outcome:
                continue
            time.sleep(PAUSE_SECONDS)
            calls = outcome["calls_per_sample"]
            answer = process.ask("sample", calls=calls)
            if "ok" in answer:
                # A clock may stand still; a rate must not become infinite.
                outcome["samples_s"].append(
                    max(answer["seconds"], 1e-9) / calls)
            else:
                outcomes[process.name] = {
                    "failed": answer.get("failed", "no answer")}
