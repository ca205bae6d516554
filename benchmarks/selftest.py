#!/usr/bin/python3
#===- selftest.py - The driver's parts by themselves ----------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: selftest.py
#
# Statistics against closed forms and numeric integration, block formats against
# loops over the format's definition, the judge against wrong results, plots
# against odd inputs, rounds against made-up processes. Ends with `N passed, N
# failed`; no time is judged.
#
#===----------------------------------------------------------------------===#

import dataclasses
import math
import os
import subprocess
import sys
import tempfile
import time
import types
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy as np

from gpu import cases as gpu_cases
from gpu import join as gpu_join

import check
import contenders
import formats
import html_report
import machine
import measure
import report
import roofline
import stats
import suites

passed, failed = 0, 0


def expect(what, good, details=""):
    global passed, failed
    passed, failed = (passed + 1, failed) if good else (passed, failed + 1)
    if not good:
        print(f"FAILED: {what}: {details}")


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance * max(1.0, abs(b))


# --- Statistics ---------------------------------------------------------------

def two_sided(t, degrees):
    """1 - the integral of Student's density from -t to t, by Simpson."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) \
        / math.sqrt(degrees * math.pi)
    steps, total = 20000, 0.0
    for i in range(steps + 1):
        x = abs(t) * i / steps
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        total += weight * scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)
    return 1 - 2 * total * abs(t) / steps / 3


def test_summary():
    odd = stats.summarize([3.0, 1.0, 2.0])
    expect("odd median", odd.median == 2 and odd.best == 1 and odd.worst == 3)
    expect("deviation divides by n - 1", near(odd.deviation, 1.0), odd)
    expect("even median", stats.summarize([4.0, 1.0, 2.0, 3.0]).median == 2.5)
    expect("one sample", stats.summarize([7.0]).deviation == 0)
    try:
        stats.summarize([])
        expect("no samples", False)
    except ValueError:
        expect("no samples", True)


def test_ratio():
    # The machine is slow in every other round; the peer is a tenth slower.
    states = [1.0, 3.0] * 7 + [1.0]
    ours = [2e-3 * state for state in states]
    peer = [2.2e-3 * state for state in states]
    expect("a slow round is everybody's", near(stats.ratio(ours, peer), 1.1)
           and stats.ratio_interval(ours, peer) is not None)
    # At most three of 15 rounds lie on one side with 1.8 %.
    low, high = stats.ratio_interval([1.0] * 15, [float(i) for i in range(15)])
    expect("ranks of the interval", (low, high) == (3, 11), (low, high))
    expect("five rounds tell too little",
           stats.ratio_interval([1.0] * 5, [1.0] * 5) is None)
    expect("six rounds", stats.ratio_interval(
        [1.0] * 6, [3.0, 1.0, 2.0, 6.0, 5.0, 4.0]) == (1, 6))


def test_beta():
    for a, b, x, value in ((1, 1, 0.3, 0.3), (2, 1, 0.5, 0.25),
                           (1, 3, 0.2, 1 - 0.8 ** 3), (0.5, 0.5, 0.5, 0.5),
                           (5, 5, 0.5, 0.5), (2, 3, 0.4, 0.5248)):
        expect(f"I_{x}({a}, {b})", near(stats.incomplete_beta(a, b, x), value),
               stats.incomplete_beta(a, b, x))
    for a, b, x in ((0.7, 12.0, 0.1), (30.0, 0.5, 0.97), (200.0, 0.5, 0.999)):
        expect("symmetry", near(stats.incomplete_beta(a, b, x)
                                + stats.incomplete_beta(b, a, 1 - x), 1.0))
    expect("ends", stats.incomplete_beta(2, 3, 0) == 0
           and stats.incomplete_beta(2, 3, 1) == 1)


def test_welch():
    slow = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9]
    quick = [17.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9]
    test = stats.welch(quick, slow)
    expect("slower has a positive t", test.t > 0)
    expect("p", near(test.p, two_sided(test.t, test.degrees), 1e-8), test)
    back = stats.welch(slow, quick)
    expect("turned around", near(back.t, -test.t) and near(back.p, test.p))
    # Four degrees of freedom have a closed form.
    test = stats.welch([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    t = math.sqrt(1.5)
    expect("closed form", near(test.degrees, 4) and near(
        test.p, 1 - t * (t * t + 6) / (t * t + 4) ** 1.5), test)
    expect("no spread, equal", stats.welch([1.0] * 3, [1.0] * 3).p == 1)
    expect("no spread, apart", stats.welch([1.0] * 3, [2.0] * 3).p == 0)
    expect("too few", stats.welch([1.0], [1.0, 2.0]) is None)
    for degrees in (1.0, 2.0, 7.5, 28.0, 300.0):
        for t in (0.0, 0.1, 1.0, 2.5, 9.0):
            p = stats.incomplete_beta(degrees / 2, 0.5,
                                      degrees / (degrees + t * t))
            expect(f"t {t} at {degrees}", near(p, two_sided(t, degrees), 1e-7),
                   p)


# --- Formats ------------------------------------------------------------------

def by_definition(name, block):
    """One block's values, by loops over the format's text."""
    def f16(at):
        return float(np.frombuffer(bytes(block[at:at + 2]), "<f2")[0])
    b, out = [int(x) for x in block], []
    if name in ("q4_0", "q4_1", "q5_0", "q5_1"):
        start = {"q4_0": 2, "q4_1": 4, "q5_0": 6, "q5_1": 8}[name]
        bits = 0
        if name[1] == "5":
            bits = int.from_bytes(bytes(block[start - 4:start]), "little")
        for i in range(32):
            byte = b[start + i % 16]
            q = (byte & 15 if i < 16 else byte >> 4) + 16 * (bits >> i & 1)
            middle = {"q4_0": 8, "q5_0": 16}.get(name)
            out.append(f16(0) * (q - middle) if middle is not None
                       else f16(0) * q + f16(2))
    elif name == "q8_0":
        out = [f16(0) * (x - 256 if x > 127 else x) for x in b[2:]]
    elif name == "mxfp4":
        table = [0, 1, 2, 3, 4, 6, 8, 12]
        for i in range(32):
            code = b[1 + i % 16] & 15 if i < 16 else b[1 + i % 16] >> 4
            out.append((-1) ** (code >> 3) * table[code & 7]
                       * 2.0 ** (b[0] - 128))
    elif name in ("q4_k", "q5_k"):
        s, first = b[4:16], 16 if name == "q4_k" else 48
        for i in range(256):
            j, lane = divmod(i, 32)
            scale, least = (s[j] & 63, s[j + 4] & 63) if j < 4 else (
                s[j + 4] & 15 | s[j - 4] >> 6 << 4,
                s[j + 4] >> 4 | s[j] >> 6 << 4)
            byte = b[first + 32 * (j // 2) + lane]
            q = byte >> 4 if j % 2 else byte & 15
            q += 16 * (b[16 + lane] >> j & 1) if name == "q5_k" else 0
            out.append(f16(0) * scale * q - f16(2) * least)
    elif name == "q6_k":
        for i in range(256):
            half, rest = divmod(i, 128)
            part, lane = divmod(rest, 32)
            byte = b[64 * half + 32 * (part % 2) + lane]
            low = byte & 15 if part < 2 else byte >> 4
            q = low + 16 * (b[128 + 32 * half + lane] >> 2 * part & 3)
            scale = b[192 + i // 16]
            out.append(f16(208) * (scale - 256 if scale > 127 else scale)
                       * (q - 32))
    return np.array(out)


def test_formats():
    for name, form in formats.FORMATS.items():
        rng = np.random.default_rng(1)
        weights = formats.random_weights(name, rng, 4, 512)
        expect(f"{name}: bytes", weights.shape == (
            4, 512 // form.block * form.size), weights.shape)
        values = formats.dequantize(name, weights)
        wanted = np.stack([
            np.concatenate([by_definition(name, block) for block in
                            row.reshape(-1, form.size)]) for row in weights])
        scale = np.abs(wanted).max()
        expect(f"{name}: values", np.abs(values - wanted).max() < 1e-6 * scale,
               np.abs(values - wanted).max())
        expect(f"{name}: a sane size", 1e-3 < values.std() < 1, values.std())
        parts = formats.scales_and_codes(name, weights)
        expect(f"{name}: has codes of one scale",
               (parts is None) == (name not in ("q4_0", "q8_0")))
        if parts:
            scales, codes = parts
            again = codes * np.repeat(scales, form.block, 1)
            expect(f"{name}: scales times codes", np.array_equal(again, values))
    try:
        formats.row_bytes("q4_k", 100)
        expect("a length that is no multiple", False)
    except ValueError:
        expect("a length that is no multiple", True)


# --- The judge ----------------------------------------------------------------

def test_judge():
    for bench in suites.benchmarks(["gemm", "rowwise", "attention", "gemv",
                                    "layer"], tiny=True):
        arrays = check.make_inputs(bench)
        again = check.make_inputs(bench)
        expect(f"{bench.id}: the same inputs", all(
            np.array_equal(arrays[n], again[n]) for n in arrays))
        judge = check.Judge(bench, arrays)
        whole = _whole_result(bench, arrays)
        error, _ = judge.error("a", whole)
        expect(f"{bench.id}: the right result", error <= 1e-6, error)
        broken = whole.copy()
        broken.reshape(-1)[broken.size // 3] += 10 * np.abs(whole).max()
        error, _ = judge.error("b", broken)
        expect(f"{bench.id}: one wrong value", error > bench.tolerance, error)
        broken = whole.copy()
        broken.reshape(-1)[0] = np.nan
        expect(f"{bench.id}: NaN", judge.error("c", broken)[0] == math.inf)
        expect(f"{bench.id}: too short", judge.error(
            "d", whole.reshape(-1)[:1])[0] == math.inf)


def _whole_result(bench, arrays):
    every = np.arange(check.Judge(bench, arrays).row_count())
    reference = check.REFERENCES[bench.op]
    return reference(bench, every, **arrays).astype(np.float32)


# --- Inputs of contenders -----------------------------------------------------

class _Addresses(contenders.Contender):
    """Notes where the arrays that it is given begin."""

    def matmul(self, task, a, b):
        self.seen.append((a.ctypes.data % 64, b.ctypes.data % 64, a.sum()))
        return None, None


def test_inputs_are_aligned():
    some = contenders.aligned((5, 3), np.uint16)
    some[...] = np.arange(15).reshape(5, 3)
    copy = contenders.aligned_copy(some[1:])
    expect("an aligned copy", copy.ctypes.data % 64 == 0
           and np.array_equal(copy, some[1:]))
    contender, task = _Addresses(1, {}), types.SimpleNamespace(
        op="matmul", stream=("a",))
    contender.seen = []
    contender.prepare(task, {"a": some, "b": copy}, copies=3)
    expect("copies of streamed inputs", contender.seen == [(0, 0, 105)] * 3,
           contender.seen)


# --- Rounds -------------------------------------------------------------------

class _Process:
    """Answers with the number of the sample among all that are taken, or,
    by the wall, with the number of its CPUs. `running` are those that are not
    stopped."""
    running = set()

    def __init__(self, order, name, fails_at=None):
        self.order, self.name, self.fails_at = order, name, fails_at
        self.threads = 1

    def go_on(self):
        self.running.add(self.name)

    def halt(self):
        self.running.remove(self.name)

    def ask(self, what, calls, cpus):
        if self.running != {self.name}:
            raise AssertionError(f"{self.running} beside {self.name}")
        self.order.append(self.name)
        return {"failed": "gone"} if len(self.order) == self.fails_at else \
            {"ok": True, "own": float(len(self.order) * calls),
             "seconds": float(len(cpus or ()) * calls)}


class _Limit:
    threads = 2

    def __init__(self, order, seconds=2.0):
        self.order, self.found = order, seconds

    def seconds(self, cpus):
        if _Process.running:
            raise AssertionError(f"{_Process.running} beside the limit")
        self.order.append("limit")
        return self.found


def _rounds(samples, limit_seconds=2.0, fails_at=None, clock="own", **how):
    order = []
    outcomes = [{"samples_s": [], "calls_per_sample": 3} for _ in "ab"]
    running = [(_Process(order, name, fails_at), outcome, clock)
               for name, outcome in zip("ab", outcomes)]
    limits, = measure._take_samples(running, [_Limit(order, limit_seconds)],
                                    samples, **how)
    return order, outcomes, limits


def test_rounds():
    order, (a, b), limits = _rounds(3)
    expect("everybody in every round, another first each time", order == [
        "a", "b", "limit", "b", "limit", "a", "limit", "a", "b"], order)
    expect("samples lie at their rounds", a["samples_s"] == [1, 6, 8]
           and b["samples_s"] == [2, 4, 9] and limits == [2.0] * 3, (a, b))
    _, (a, b), _ = _rounds(3, fails_at=4)
    expect("who fails has no samples", b == {"failed": "gone"}
           and len(a["samples_s"]) == 3, b)
    expect("a limit that cannot be measured is none",
           _rounds(2, limit_seconds=None)[2] == [])
    expect("a round's CPUs", [machine.window([2, 5, 7, 8, 9], i, 2)
                              for i in range(3)] == [[2, 5], [7, 8], [2, 9]]
           and machine.window([2, 5], 1, 3) == [2, 5])
    expect("cores come before siblings", machine.cpus_by_core(
        [0, 1, 2, 3, 6], [(0, 1), (2, 3)]) == [0, 2, 6, 1, 3])
    expect("one thread has one CPU, and the clock that was asked for",
           _rounds(2, clock="seconds")[1][0]["samples_s"] == [1, 1])
    expect("or all CPUs", _rounds(2, clock="seconds", on_cpus_of_round=False)[
        1][1]["samples_s"] == [1e-9 / 3] * 2)
    expect("nobody is there",
           measure._take_samples([], [_Limit([])], 2) == [[]])
    order = []
    running = [(_Process(order, "a", None),
                {"samples_s": [], "calls_per_sample": 1}, "own")]
    expect("several limits, of which one is none", measure._take_samples(
        running, [_Limit(order, 2.0), None, _Limit(order, 5.0)], 2) == [
            [2.0, 2.0], [], [5.0, 5.0]])


_IDLE = """
import contenders


class Idle(contenders.Contender):
    pass


open = Idle
"""


def test_processes_stop():
    def is_in(*states):
        """Soon?"""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with open(f"/proc/{pid}/stat") as file:
                    state = file.read().rpartition(")")[2].split()[0]
            except OSError:
                state = "gone"
            if state in states:
                return True
            time.sleep(0.001)
        return False

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "idle.py"), "w") as file:
            file.write(_IDLE)
        tools = {"more": folder}
        field = measure.Field(["idle"], 2, tools, None, alone="idle")
        for process in field.process("idle"), field.alone.process("idle"):
            pid = process.child.pid
            field.halt()
            expect("it is stopped", is_in("T"))
            field.go_on()
            expect("it goes on", "ok" in process.ask("release"))
        field.halt()
        field.close()
        expect("it ends although it is stopped",
               process.child.returncode == 0, process.child.returncode)
        process.halt()
        expect("who is gone cannot be stopped", not process.alive)
        parent = subprocess.Popen([sys.executable, "-c", f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import measure
process = measure.Process("idle", 1, {tools!r}, None, 60)
process.halt()
print(process.child.pid, flush=True)
process.child.wait()
"""], stdout=subprocess.PIPE, text=True)
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        expect("it ends with a parent that is killed", is_in("gone", "Z"))


def test_limit():
    bench = suites.benchmarks(["gemm"], tiny=True)[0]
    with tempfile.TemporaryDirectory() as folder:
        calibration = machine.calibrate(folder, 2, processes=1, mebibytes=16)
        peak = calibration["peaks"][bench.peak][1]
        for traffic, rate, stream, what in (
                ("read", 1e-9, ("a",), "read"), ("copy", 1e-9, ("a",), "copy"),
                ("read", 1e99, ("a",), peak), ("read", 1e-9, (), peak)):
            limit = machine.Limit(
                folder, {**calibration, traffic: rate},
                dataclasses.replace(bench, traffic=traffic, stream=stream))
            first, second = limit.rate(), limit.seconds(
                os.sched_getaffinity(0))
            limit.close()
            expect(f"{what} bounds it", limit.what == what, limit.what)
            expect("a rate, and what it means", first > 1e6 and
                   0 < second < 1 and (limit.child.returncode == 0))
        limit = machine.Limit(folder, calibration, bench)
        limit.child.kill()
        limit.child.wait()
        expect("a process that is gone", limit.seconds({0}) is None
               and limit.rate() == 0)
        limit.close()
        limit = machine.Limit(folder, {**calibration, "peaks": {
            bench.peak: [1.0, "no such instruction"]}}, bench)
        expect("a rate that is not there", limit.rate() == 0
               and limit.seconds({0}) is None)
        limit.close()


# --- Reports ------------------------------------------------------------------

def _row(benchmark, outcomes, threads=1, limit=None, limit_s=(), alone_s=(),
         limit_alone_s=()):
    return report.Row(benchmark, threads, limit, measure.Measured(
        outcomes, limit_s, alone_s, limit_alone_s))


def test_report():
    table = suites.benchmarks(["gemm", "compile"], tiny=True)
    rows = [_row(b, {
        "aikernel": {"samples_s": [1e-6, 1.1e-6, 1.2e-6], "error": 0.0,
                     "against": "f64", "calls_per_sample": 1, "copies": 1},
        "blis": {"samples_s": [2e-6, 2.1e-6, 2.2e-6], "error": 0.0,
                 "against": "f64", "calls_per_sample": 1, "copies": 1},
        "torch": {"missing": "No module"}, "iree": {"refused": "<no> & no"},
        "ggml": {"failed": "it died"}}) for b in table]
    limits = {"threads": 1, "processes": 1, "clock_hz": 1e9, "read": 1e10,
              "copy": 2e10, "peaks": {t: [1e11, "x"] for t in machine.TYPES}}
    whole = report.Report(
        machine.describe(), {1: limits}, {"aikernel": "1", "blis": "2"},
        {"torch": "No module"}, rows, 3,
        ["aikernel", "blis", "torch", "iree", "ggml"])
    row = rows[0]
    expect("ratio", near(row.ratio(), 2.1 / 1.1), row.ratio())
    expect("verdict", row.verdict() == "we are faster", row.verdict())
    expect("share of peak", near(whole.share_of_peak(row, "blis"),
                                 row.benchmark.flops / 2.1e-6 / 1e11))
    expect("share of memory", near(whole.share_of_bandwidth(row, "blis"),
                                   row.benchmark.bytes / 2.1e-6 / 1e10))
    expect("failures are defects", len(whole.defects()) == len(rows))
    text = whole.text()
    for words in ("not installed", "not supported", "FAILED", "best peer",
                  "DEFECT"):
        expect(f"the table says {words}", words in text, text)
    expect("one thread does not scale", whole.scaling() == {})
    # What bounds it was measured in the same rounds.
    for is_memory, share in ((False, whole.share_of_peak),
                             (True, whole.share_of_bandwidth)):
        bound = _row(row.benchmark, row.outcomes,
                     limit=types.SimpleNamespace(is_memory=is_memory, what="x"),
                     limit_s=[1e-6, 0.55e-6, 0.1e-6])
        expect("share of the limit of the round",
               near(share(bound, "aikernel"), 0.5), share(bound, "aikernel"))
        other = whole.share_of_peak if is_memory else whole.share_of_bandwidth
        expect("share of the other limit", near(
            other(bound, "aikernel"), other(row, "aikernel")))
    ours = dict(row.outcomes["aikernel"], samples_s=[0.5e-6, 0.55e-6, 0.6e-6])
    pair = report.Report(
        dict(machine.describe(), smt="CPUs of one core: 0+1"), {}, {}, {},
        [row, _row(row.benchmark, {"aikernel": ours}, 2,
                   alone_s=[1e-6, 1.1e-6, 0.3e-6], limit_s=[2e-7, 3e-7, 4e-7],
                   limit_alone_s=[3e-7, 3e-7, 8e-7]),
         _row(table[1], {"aikernel": ours}, 2,
              alone_s=[1e-6, 1.1e-6, 0.3e-6])], 3, [])
    factor, of_limit = pair.scaling()[2][row.benchmark.id]
    expect("scaling", near(factor, 2), factor)
    expect("that of what bounds it", near(of_limit, 1.5), of_limit)
    expect("the report tells scaling and siblings",
           f"{row.benchmark.id} 2.00 (1.50), {table[1].id} 2.00 (-); CPUs of "
           "one core: 0+1." in pair.text(), pair.text())
    page = html_report.page(whole)
    expect("the page escapes", "&lt;no&gt; &amp; no" in page
           and "<no>" not in page)
    for picture in (roofline.plot(whole, 1), roofline.bars(whole, rows)):
        ElementTree.fromstring(picture)
        expect("a picture is XML", True)
    slow = _row(table[0], {"aikernel": rows[0].outcomes["blis"],
                           "blis": rows[0].outcomes["aikernel"]})
    expect("slower is said", slow.verdict() == "we are slower")
    states = [1.0, 3.0] * 5
    noisy = _row(table[0], {
        "aikernel": {"samples_s": states},
        "blis": {"samples_s": [1.1 * x for x in states]}})
    expect("rounds decide", noisy.test().p > 0.5
           and noisy.verdict() == "we are faster", noisy.verdict())
    mixed = _row(table[0], {
        "aikernel": {"samples_s": [1.0] * 8 + [3.0] * 7},
        "blis": {"samples_s": [1.05] * 15}})
    expect("half of the rounds decide nothing", mixed.test().p < 0.01
           and mixed.verdict() == "no significant difference")
    alone = _row(table[0], {"blis": rows[0].outcomes["blis"]})
    expect("no figure is no pass", alone.ratio() is None
           and alone.verdict() == "we have no figure")
    empty = report.Report(machine.describe(), {}, {}, {}, [], 1, [])
    expect("nothing measured", "samples" in empty.text()
           and "</html>" in html_report.page(empty))


# --- The table of the GPU -----------------------------------------------------

def test_gpu_table():
    for tiny in (False, True):
        table = gpu_cases.table(tiny)
        expect("ids are unique", len({c.id for c in table}) == len(table))
        for case in table:
            sizes = {i.name: gpu_cases.BYTES[i.type] * math.prod(i.shape)
                     for i in case.inputs}
            read = sum(size for name, size in sizes.items()
                       if not name.endswith("c"))       # but caches
            expect(f"{case.id} reads its inputs", near(case.reads, read, 0.02),
                   (case.reads, read))
            # Peers can be overtaken, memory cannot.
            most = {"copy": 1, "read": 1, "peer": 1.5,
                    "base": 1}.get(case.ceiling, 0)
            expect(f"{case.id} has a target", 0 < case.target <= most)
            expect(f"{case.id} names its inputs in order", all(
                f"%{i.name}: tensor<" in case.program() for i in case.inputs))
            expect(f"{case.id} has a base where it needs one",
                   (case.base in table) == (case.ceiling == "base"))
            # Pairs of queries and keys, counted one by one.
            if case.op == "prefill" and tiny:
                (batch, heads, queries, width), how = (case.inputs[0].shape,
                                                       case.options)
                seen = sum(1 for i in range(queries) for j in range(queries)
                           if (not how["causal"] or j <= i)
                           and (not how["window"] or j > i - how["window"]))
                expect(f"{case.id} counts what is useful",
                       case.flops == 4 * batch * heads * seen * width)
    from gpu import run as gpu_run      # late: it has modules of these names
    demands = {case.id: case.ahead for case in gpu_cases.table()}
    expect("softmax is to be twice as fast as torch.compile's",
           demands["softmax.16384x8192"] == {"compiled": 2.0})
    for name, peer in (("gemv", "cublas"), ("quant_gemv", "torch int4"),
                       ("decode", "cudnn")):
        found = [ahead for id, ahead in demands.items()
                 if id.startswith(name + ".")]
        expect(f"{name} is to be ahead of {peer}", len(found) > 1 and all(
            ahead == {peer: 1.0} for ahead in found), found)
    case = next(c for c in gpu_cases.table() if c.op == "softmax")
    for compiled, verdict, late in ((2.1, "PASS", []), (1.9, "below",
                                                       ["compiled"])):
        outcome = gpu_run.Outcome(case)
        outcome.samples = {"aikernel": [1.0] * 3, "copy": [0.97] * 3,
                           "compiled": [compiled] * 3, "eager": [9.0] * 3}
        expect(f"{compiled} times a peer's speed", outcome.verdict() == verdict
               and outcome.behind() == late, outcome.verdict())
    del outcome.samples["compiled"]
    expect("a peer that is not there is not passed",
           outcome.verdict() == "no peer" and "no figure of compiled" in
           gpu_run.line(outcome), gpu_run.line(outcome))
    window = next(c for c in gpu_cases.table() if ".window" in c.id)
    less = window.flops / window.base.flops     # than the base has to do
    for seconds, verdict in ((less / 0.71, "PASS"), (less / 0.69, "below")):
        outcome = gpu_run.Outcome(window)
        outcome.samples = {"aikernel": [seconds] * 3, "base": [1.0] * 3,
                           "copy": [9.0] * 3}
        expect("a share of the rate of another case",
               outcome.verdict() == verdict
               and near(outcome.share_of_base(), less / seconds, 1e-9)
               and outcome.best_peer() is None, outcome.verdict())
    large = next(c for c in gpu_cases.table() if c.op == "matmul")
    for seconds, verdict in ((0.99, "PASS"), (1.02, "below")):
        outcome = gpu_run.Outcome(large)
        outcome.samples = {"aikernel": [0.9] * 3, "cublas": [1.0] * 3}
        outcome.sustained = {"aikernel": seconds, "cublas": 1.0}
        expect("the ratio without pauses counts too",
               outcome.verdict() == verdict and f"{1 / seconds:.2f}" in
               gpu_run.line(outcome).split()[7:9], gpu_run.line(outcome))
    chosen = gpu_cases.chosen(["gemv.*"], skipped=["*f32*"])
    expect("cases are chosen by name", {c.id for c in chosen} == {
        f"gemv.{t}.{s}" for t in ("bf16", "f16")
        for s in ("28672x8192", "14336x4096")}, chosen)
    joined = gpu_join.join("9 passed, 1 failed\n7 cases that passed are tile "
                           "programs: 7 exact\n850 passed, 2 failed\n",
                           {"results": [1]}, [{"id": "layer"}])
    expect("one file of all", joined == {
        "results": [1],
        "cases": {"passed": 859, "failed": 3, "tile_programs": 7},
        "layers": [{"id": "layer"}]}, joined)
    low, high = stats.quartiles([5, 1, 2, 4, 3])
    expect("quartiles", (low, high) == (2, 4), (low, high))


for test in (test_summary, test_ratio, test_beta, test_welch, test_formats,
             test_judge, test_inputs_are_aligned, test_rounds,
             test_processes_stop, test_limit,
             test_report, test_gpu_table):
    test()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
