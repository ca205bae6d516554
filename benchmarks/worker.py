#===- worker.py - One contender in a process of its own -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: worker.py CONTENDER THREADS TOOLS-AS-JSON
#
# One JSON object per line comes in and one goes out:
#   {"do": "prepare", "task": {...}, "arrays": {name: file}, "copies": n}
#   {"do": "sample", "calls": n, "cpus": [...]}
#                                     -> {"seconds": of all calls together, on
#                                        these CPUs (null: on all), "own":
#                                        on one thread without what the machine
#                                        gave to others meanwhile}
#   {"do": "result", "file": path}    -> saves what the last call computed
#   {"do": "release"}
# Answers are {"ok": true, ...}, {"missing": why} when the contender is not
# installed, {"refused": why} when it does not know the op, {"failed": why}. A
# process per contender keeps libraries that share symbols or thread pools
# apart, and one that crashes takes only itself along.
#
#===----------------------------------------------------------------------===#

import ctypes
import json
import os
import signal
import sys
import time
import traceback

sys.dont_write_bytecode = True

import numpy as np

import contenders
import machine

SLOW_SECONDS = 0.2


class Worker:
    def __init__(self, name, threads, tools):
        self.tools, self.threads = tools, threads
        self.all_cpus = os.sched_getaffinity(0)
        self.contender = contenders.open_contender(name, threads, tools)
        self.release()

    def prepare(self, task, arrays, copies):
        machine.move(os.getpid(), self.all_cpus)
        loaded = {n: contenders.aligned_copy(np.load(f))
                  for n, f in arrays.items()}
        task = contenders.Task(tools=self.tools, **task)
        self.calls, self.result = self.contender.prepare(task, loaded, copies)
        for call in self.calls:
            begin = time.perf_counter()
            call()
            self.slow = time.perf_counter() - begin > SLOW_SECONDS
        return {}

    def sample(self, calls, cpus):
        """One call outside the clock wakes the threads and fills the caches
        that the others emptied, unless a call takes so long that this is
        nothing."""
        machine.move(os.getpid(), self.all_cpus if cpus is None else cpus)
        runs = [self.calls[i % len(self.calls)] for i in range(calls)]
        if not self.slow:
            self.calls[-1]()
        wall, own = time.perf_counter(), time.process_time()
        for run in runs:
            run()
        wall, own = time.perf_counter() - wall, time.process_time() - own
        return {"seconds": wall,
                "own": min(wall, own) if self.threads == 1 and cpus else wall}

    def save(self, file):
        self.calls[0]()
        if self.result is None:
            return {"file": None}
        np.save(file, np.ascontiguousarray(self.result(), np.float32))
        return {"file": file}

    def release(self):
        self.calls, self.result, self.slow = [], None, False
        return {}


def _answer(worker, request):
    what = request.pop("do")
    method = {"prepare": worker.prepare, "sample": worker.sample,
              "result": worker.save, "release": worker.release}[what]
    try:
        return {"ok": True, **method(**request)}
    except contenders.Unsupported as reason:
        return {"refused": str(reason)}
    except MemoryError:
        return {"failed": "out of memory"}
    except Exception as error:  # whatever a library raises: report, go on
        traceback.print_exc()
        return {"failed": f"{type(error).__name__}: {error}".split("\n")[0]}


def _end_with_parent():
    """Also while stopped, when the end of the input would not be seen."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main(name, threads, tools):
    _end_with_parent()
    # Libraries print to standard output; answers go to a descriptor of ours.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        worker = Worker(name, int(threads), json.loads(tools))
    except contenders.NotInstalled as reason:
        return say({"missing": str(reason)})
    except Exception as error:
        traceback.print_exc()
        return say({"missing": f"{type(error).__name__}: {error}"
                    .split("\n")[0]})
    say({"ok": True, "version": worker.contender.version})
    for line in sys.stdin:
        say(_answer(worker, json.loads(line)))


if __name__ == "__main__":
    main(*sys.argv[1:])
