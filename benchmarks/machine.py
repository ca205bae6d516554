#===- machine.py - What this machine is and can do ------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Out: a description (CPU, caches, siblings, load), per thread count the
# calibrated peaks and bandwidths of this very run, and `Limit`, which measures
# one of them again whenever it is asked. The peak loop of calibrate.c is bimodal
# from process to process on some machines, so several processes are started and
# the best of each figure counts.
#
#===----------------------------------------------------------------------===#

import glob
import json
import os
import platform
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROCESSES = 5
TYPES = ("f32", "f16", "bf16", "int8")


def _read(path, default=""):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return default


def _cpu_model():
    text = _read("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    if found:
        return found[1]
    said = subprocess.run(["lscpu"], capture_output=True, text=True).stdout \
        if shutil.which("lscpu") else ""
    found = re.search(r"^\s*Model name:\s*(.+)$", said, re.M)
    return found[1] if found else platform.machine()


def _features():
    found = re.search(r"^(?:flags|Features)\s*:\s*(.+)$",
                      _read("/proc/cpuinfo"), re.M)
    return found[1].split() if found else []


def _number_list(text):
    """"0-2,5" -> [0, 1, 2, 5]"""
    numbers = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def siblings(cpus):
    """Groups of these CPUs that share one core."""
    groups = set()
    for cpu in cpus:
        text = _read(f"/sys/devices/system/cpu/cpu{cpu}/topology/"
                     "thread_siblings_list")
        group = tuple(c for c in _number_list(text) if c in cpus)
        if len(group) > 1:
            groups.add(group)
    return sorted(groups)


def caches():
    """{"L1d": bytes, "L2": ..., "L3": ...} of CPU 0."""
    found = {}
    for folder in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*"):
        kind = _read(folder + "/type")
        size = re.fullmatch(r"(\d+)([KMG]?)", _read(folder + "/size"))
        if kind in ("Data", "Unified") and size:
            level = _read(folder + "/level")
            name = f"L{level}" + ("d" if kind == "Data" else "")
            found[name] = int(size[1]) << {"": 0, "K": 10, "M": 20,
                                           "G": 30}[size[2]]
    return found


def last_level_cache():
    """A machine that does not tell is taken to have 32 MiB."""
    return max(caches().values(), default=32 << 20)


def describe():
    cpus = sorted(os.sched_getaffinity(0))
    pairs = siblings(cpus)
    return {
        "cpu": _cpu_model(), "architecture": platform.machine(),
        "features": _features(), "cpus": len(cpus),
        "smt_siblings": [list(p) for p in pairs],
        "smt": ("CPUs of one core: "
                + ", ".join("+".join(map(str, p)) for p in pairs)) if pairs
        else "no two CPUs are siblings of one core, as far as the system says",
        "caches": caches(), "memory_bytes": os.sysconf("SC_PAGE_SIZE")
        * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(), "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }


def cpus_by_core(cpus, groups):
    """Ordered so that neighbours are of different cores while there are any:
    first one CPU of each core, then their siblings."""
    place = {cpu: i for group in groups for i, cpu in enumerate(group)}
    return sorted(cpus, key=lambda cpu: (place.get(cpu, 0), cpu))


def window(cpus, number, count):
    """`count` of these CPUs, and for the next number the next ones, if there
    are more."""
    return sorted({cpus[(number * count + i) % len(cpus)]
                   for i in range(count)})


def move(process, cpus):
    """All threads of a process, those that it already has and later ones."""
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            os.sched_setaffinity(int(thread), cpus)
        except ProcessLookupError:      # it has just ended
            pass


class NoCalibration(Exception):
    pass


def _build(folder):
    compiler = next(filter(shutil.which, ("cc", "gcc", "clang", "clang-22")),
                    None)
    if not compiler:
        raise NoCalibration("there is no C compiler to calibrate with")
    program = os.path.join(folder, "calibrate")
    done = subprocess.run([compiler, "-O2", "-pthread",
                           os.path.join(HERE, "calibrate.c"), "-o", program],
                          capture_output=True, text=True)
    if done.returncode:
        raise NoCalibration(f"{compiler} does not compile calibrate.c: "
                            + done.stderr.strip().split("\n")[0])
    return program


def calibrate(folder, threads, processes=PROCESSES, mebibytes=None):
    """{"peaks": {type: [operations/s, instruction]}, "read": bytes/s,
    "copy": bytes/s, "clock_hz": ...}"""
    program = _build(folder)
    mebibytes = mebibytes or max(256, 4 * last_level_cache() >> 20)
    best = {}
    for _ in range(processes):
        done = subprocess.run([program, str(threads), str(mebibytes)],
                              capture_output=True, text=True)
        if done.returncode:
            raise NoCalibration(f"calibrate fails: {done.stderr.strip()}")
        for name, value in json.loads(done.stdout).items():
            best[name] = max(value, best.get(name, 0))
    peaks = {}
    for type in TYPES:
        rates = [(value, name.split(":")[1]) for name, value in best.items()
                 if name.startswith(type + ":")]
        if rates:
            peaks[type] = list(max(rates))
    # Without instructions of its own, a type is widened to f32.
    for type in TYPES[1:]:
        peaks.setdefault(type, peaks["f32"])
    return {"threads": threads, "processes": processes,
            "footprint_bytes": mebibytes << 20, "peaks": peaks,
            "read": best["read"], "copy": best["copy"],
            "clock_hz": best["clock_hz"]}


class Limit:
    """What the machine can do just now, of the one thing that bounds a
    benchmark: an instruction's operations or bytes of memory per second. It
    is that of `like`, a limit for another number of threads, if there is
    one."""

    def __init__(self, folder, calibration, benchmark, like=None):
        rate, instruction = calibration["peaks"][benchmark.peak]
        traffic = benchmark.traffic
        # What does not come from memory is not bound by it.
        self.is_memory = bool(benchmark.stream) and \
            benchmark.bytes / calibration[traffic] > benchmark.flops / rate \
            if like is None else like.is_memory
        self.what = like.what if like else \
            traffic if self.is_memory else instruction
        self.work = benchmark.bytes if self.is_memory else benchmark.flops
        self.threads = calibration["threads"]
        self.child, best = None, 0
        command = [os.path.join(folder, "calibrate"),
                   str(self.threads),
                   str(calibration["footprint_bytes"] >> 20), "serve"]
        for _ in range(1 if self.is_memory else calibration["processes"]):
            child = subprocess.Popen(command, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
            found = self._ask(child)
            loser = child if found <= best else self.child
            if found > best:
                self.child, best = child, found
            self._end(loser)
            if best > 0.98 * rate:
                break

    def rate(self):
        """0 when it cannot be measured."""
        return self._ask(self.child) if self.child else 0

    def seconds(self, cpus):
        """That the work of the benchmark would take on these CPUs at the rate
        that it has now, or None."""
        try:
            if self.child:
                move(self.child.pid, cpus)
        except OSError:     # it is gone
            return None
        rate = self.rate()
        return self.work / rate if rate > 0 else None

    def close(self):
        self._end(self.child)

    def _ask(self, child):
        try:
            child.stdin.write(self.what + "\n")
            child.stdin.flush()
            return float(child.stdout.readline() or 0)
        except (OSError, ValueError):
            return 0

    @staticmethod
    def _end(child):
        if not child:
            return
        try:
            child.stdin.close()
        except OSError:     # it did not read what was written last
            pass
        child.wait()
        child.stdout.close()
