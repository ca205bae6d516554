#!/usr/bin/env python3
#===- run.py - Our functions against PyTorch's on a GPU -------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: run.py --artifacts FOLDER --runtime LIBAIKRT [--cases GLOB ...]
#
# In: artifacts of the programs of cases.py (`gpu_check.sh pack` makes them) and
# libaikrt as a shared library. Out: a table, and with --json a file; 1 when a
# result of ours is wrong or cannot be had. Everyone is measured in this process,
# sample by sample in random order; docs/Benchmarks.md says how.
#
#===----------------------------------------------------------------------===#

import argparse
import datetime
import json
import os
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]

import cases        # noqa: E402
import stats        # noqa: E402

SETS = 3            # of tensors that come from memory
US, BASE, CEILINGS = "aikernel", "base", ("copy", "read", "base")
FEWEST = 10         # samples, however long they take


def parse():
    parser = argparse.ArgumentParser(
        description="Our functions against PyTorch's on a GPU.")
    parser.add_argument("--artifacts", help="folder of the artifacts")
    parser.add_argument("--runtime", help="libaikrt as a shared library")
    parser.add_argument("--beside", nargs="*", default=[],
                        metavar="NAME=FOLDER",
                        help="other artifacts of the same programs, measured "
                        "in the same run")
    parser.add_argument("--cases", nargs="*", default=[], metavar="GLOB")
    parser.add_argument("--skip", nargs="*", default=[], metavar="GLOB")
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--no-compile", action="store_true",
                        help="leave torch.compile out")
    parser.add_argument("--demand", action="store_true",
                        help="a target that is missed is a failure")
    parser.add_argument("--limit", type=float, default=15.0,
                        help="seconds of samples of one case")
    parser.add_argument("--tiny", action="store_true",
                        help="on this CPU with small sizes, to try the driver")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


class Outcome:
    """What was measured of one case."""

    def __init__(self, case):
        self.case = case
        self.ours = [US]        # and other artifacts of ours
        self.samples = {}
        self.sustained = {}     # name -> seconds, where power is the limit
        self.remarks = []       # sentences about peers
        self.defect = None      # why we have no figure
        self.error = None

    def seconds(self, name):
        return stats.summarize(self.samples[name]).median \
            if self.samples.get(name) else None

    def best_peer(self):
        names = [n for n in self.samples if n not in (*self.ours, *CEILINGS)]
        return min(names, key=self.seconds, default=None)

    def ratio(self, name):
        """Our speed over that of `name`, or None."""
        other, own = self.seconds(name) if name else None, self.seconds(US)
        return other / own if other and own else None

    def sustained_ratio(self):
        peers = [t for n, t in self.sustained.items() if n not in self.ours]
        if not peers or US not in self.sustained:
            return None
        return min(peers) / self.sustained[US]

    def share(self):
        """Of the case's ceiling; with pauses and without, where there are
        both."""
        if self.case.ceiling == BASE:
            return self.share_of_base()
        if self.case.ceiling != "peer":
            return self.ratio(self.case.ceiling)
        both = (self.ratio(self.best_peer()), self.sustained_ratio())
        return min((r for r in both if r), default=None)

    def share_of_base(self):
        """Our useful flops per second over those of the base case."""
        ratio = self.ratio(BASE)
        return ratio and ratio * self.case.flops / self.case.base.flops

    def verdict(self):
        if self.defect:
            return "FAILED" if self.error is None else "WRONG"
        share = self.share()
        if share is None:
            return "no figure"
        if share < self.case.target or self.behind():
            return "below"
        return "no peer" if self.missing() else "PASS"

    def behind(self):
        """Peers that we are not as far ahead of as we are to be."""
        ratios = {name: self.ratio(name) for name in self.case.ahead}
        return [name for name, wanted in self.case.ahead.items()
                if ratios[name] is not None and ratios[name] < wanted]

    def missing(self):
        """Peers that we are to be ahead of, and that cannot be had here."""
        return [name for name in self.case.ahead if not self.samples.get(name)]


def errors_of(case, results, tensors):
    """(norm, largest) of the error, relative; NaN where a result has one."""
    import torch
    import peers
    total = wanted = 0.0
    worst = largest = 0.0
    for number, rows, right in peers.reference(case, tensors):
        found = results[number][rows].float()
        difference = found - right
        total += difference.double().square().sum().item()
        wanted += right.double().square().sum().item()
        worst = max(worst, difference.abs().max().item())
        largest = max(largest, right.abs().max().item())
        if not torch.isfinite(found).all():
            return float("nan"), float("nan")
    return (total / wanted) ** 0.5, worst / largest


def check(machine, case, bound, tensors, outcome):
    """Three runs into poisoned results."""
    import peers
    tolerance = peers.TOLERANCE[case.results[0][1].rsplit("x", 1)[1][:-1]]
    for _ in range(3):
        bound.poison()
        bound.call()
        machine.wait()
        norm, worst = errors_of(case, bound.results, tensors)
        outcome.error = norm
        if not (norm < tolerance[0] and worst < tolerance[1]):
            outcome.defect = (f"the error is {norm:.2e} of the norm and "
                              f"{worst:.2e} of the largest value; "
                              f"{tolerance[0]:.0e} and {tolerance[1]:.0e} are "
                              "allowed")
            return


def our_calls(machine, case, folder, sets, outcome):
    function = machine.runtime.load(os.path.join(folder, case.id + ".aikx"),
                                    case.function)
    bound = [machine.bind(function, [t[i.name] for i in case.inputs])
             for t in sets]
    donors = {i.name for i in case.inputs if "donate" in i.notes}
    original = {n: v.clone() if n in donors else v
                for n, v in sets[0].items()}
    check(machine, case, bound[0], original, outcome)
    for one in bound[1:]:
        one.call()
    machine.wait()
    return [one.call for one in bound], bound


def sets_of(machine, case):
    """Tensors by name, several times where some come from memory."""
    import data
    count = SETS if any(i.stream for i in case.inputs) else 1
    shared = {i.name: data.fill(i, machine.device) for i in case.inputs}
    return [{i.name: data.fill(i, machine.device)
             if i.stream and number else shared[i.name] for i in case.inputs}
            for number in range(count)]


def measure(machine, case, options):
    import peers
    outcome = Outcome(case)
    sets = sets_of(machine, case)
    calls, keep = {}, []
    try:
        calls[US], bound = our_calls(machine, case, options.artifacts, sets,
                                     outcome)
        keep.append(bound)
        for name, folder in options.beside:
            calls[name], bound = our_calls(machine, case, folder, sets, outcome)
            keep.append(bound)
            outcome.ours.append(name)
        if case.base:
            base = Outcome(case.base)
            calls[BASE], bound = our_calls(
                machine, case.base, options.artifacts,
                sets_of(machine, case.base), base)
            keep.append(bound)
            outcome.defect = outcome.defect or base.defect
    except RuntimeError as error:
        outcome.defect = str(error)
        if "has a fault" in outcome.defect:     # nothing works after that
            return outcome
    if outcome.defect:
        for name in (*outcome.ours, BASE):
            calls.pop(name, None)
    own = [peers.complete(case, dict(t)) for t in sets]
    for name, peer in peers.peers(case, not options.no_compile).items():
        try:
            for tensors in own:
                peer(tensors)
            machine.wait()
            calls[name] = [lambda t=t, peer=peer: peer(t) for t in own]
        except Exception as error:      # whatever a peer may say
            outcome.remarks.append(f"{name}: {str(error).splitlines()[0][:90]}")
    calls["copy"] = [machine.copy(case.bytes)]
    calls["read"] = [machine.read(case.reads)]
    machine.time(calls, 2)      # warm
    once = sum(machine.time(calls, 1)[name][0] for name in calls)
    rounds = min(options.samples,
                 max(FEWEST, int(options.limit / max(once, 1e-9))))
    if rounds < options.samples:
        outcome.remarks.append(f"{rounds} samples, not {options.samples}")
    outcome.samples = machine.time(calls, rounds)
    if case.ceiling == "peer":
        outcome.sustained = machine.sustained(
            {n: calls[n] for n in (*outcome.ours, outcome.best_peer())
             if n in calls})
    return outcome


#===----------------------------------------------------------------------===#
# Report
#===----------------------------------------------------------------------===#

def _microseconds(seconds):
    return f"{seconds * 1e6:.1f}" if seconds else "-"


def _share(value):
    return f"{value:.2f}" if value else "-"


def line(outcome):
    case = outcome.case
    own = outcome.seconds(US)
    low, high = stats.quartiles(outcome.samples[US]) if own else (None, None)
    peers = ", ".join(
        f"{name} {_microseconds(outcome.seconds(name))}"
        for name in outcome.samples if name not in (US, *CEILINGS))
    rate = case.bytes / own / 1e9 if own else 0
    best = outcome.best_peer()
    text = (f"{case.id:39s} {_microseconds(own):>9s} "
            f"{_microseconds(low):>8s}-{_microseconds(high):<8s} {rate:6.0f} "
            f"{_share(outcome.ratio('copy')):>5s} "
            f"{_share(outcome.ratio('read')):>5s} "
            f"{_share(outcome.ratio(best)):>6s} "
            f"{_share(outcome.sustained_ratio()):>6s} "
            f"{_share(outcome.share_of_base()):>5s} "
            f"{outcome.verdict():>9s} {case.target:.2f} of {case.ceiling:4s} "
            f"| {peers}")
    if case.flops and case.ceiling in ("peer", BASE) and own:
        text += f" | {case.flops / own / 1e12:.0f} Tflop/s"
    if outcome.sustained:
        text += " | back to back: " + ", ".join(
            f"{name} {_microseconds(taken)}"
            for name, taken in outcome.sustained.items())
    notes = ([outcome.defect] if outcome.defect else []) + outcome.remarks
    notes += [f"{outcome.ratio(name):.2f} of {name}; "
              f"{case.ahead[name]:.2f} is the target"
              for name in outcome.behind()]
    notes += [f"no figure of {name}; {case.ahead[name]:.2f} of it is the target"
              for name in outcome.missing()]
    return "\n    ".join([text, *notes])


HEADER = (f"{'case':39s} {'us':>9s} {'quartiles':>17s} {'GB/s':>6s} {'copy':>5s} "
          f"{'read':>5s} {'ratio':>6s} {'1 s':>6s} {'base':>5s} "
          f"{'verdict':>9s} target       | peers, us")


def to_json(about, outcomes):
    results = []
    for outcome in outcomes:
        case = outcome.case
        for name, samples in outcome.samples.items():
            summary = stats.summarize(samples)
            low, high = stats.quartiles(samples)
            results.append({
                "function": case.id, "shapes": "", "contender": name,
                "threads": 1, "samples_s": samples,
                "median_s": summary.median, "mean_s": summary.mean,
                "stddev_s": summary.deviation, "min_s": summary.best,
                "max_s": summary.worst, "quartiles_s": [low, high],
                "flops": case.flops, "bytes": case.bytes})
    return {
        "format": "aik-bench", "version": 1, "driver": "benchmarks/gpu/run.py",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(
            timespec="seconds"),
        "machine": about, "results": results,
        "comparisons": [
            {"function": o.case.id, "best_peer": o.best_peer(),
             "ratio": o.ratio(o.best_peer()), "share_of_copy": o.ratio("copy"),
             "share_of_read": o.ratio("read"), "ceiling": o.case.ceiling,
             "sustained_s": o.sustained,
             "sustained_ratio": o.sustained_ratio(),
             "base": o.case.base and o.case.base.id,
             "share_of_base": o.share_of_base(),
             "target": o.case.target, "verdict": o.verdict(),
             "ahead": {name: {"ratio": o.ratio(name), "target": wanted}
                       for name, wanted in o.case.ahead.items()},
             "error": o.error, "defect": o.defect, "remarks": o.remarks}
            for o in outcomes]}


def main():
    options = parse()
    chosen = cases.chosen(options.cases, options.tiny, options.skip)
    if options.list:
        for case in chosen:
            print(f"{case.id:39s} {case.bytes / 1e6:9.1f} MB "
                  f"{case.target:.2f} of {case.ceiling}")
        return 0
    if not all("=" in word for word in options.beside):
        sys.exit("--beside takes NAME=FOLDER")
    options.beside = [word.split("=", 1) for word in options.beside]
    if not chosen:
        sys.exit("no case has such a name; --list names them")
    if not options.artifacts or not options.runtime:
        sys.exit("--artifacts and --runtime are needed")
    import torch
    import data
    import device
    if not options.tiny and not torch.cuda.is_available():
        sys.exit("PyTorch finds no GPU here")
    torch.manual_seed(0)
    machine = (device.Cpu if options.tiny else device.Gpu)(options.runtime)
    data.check_formats(machine.device)
    about = machine.about()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print(HEADER, flush=True)
    outcomes, begin = [], time.time()
    for case in chosen:
        outcomes.append(measure(machine, case, options))
        machine.forget()
        print(line(outcomes[-1]), flush=True)
    counts = {}
    for outcome in outcomes:
        counts[outcome.verdict()] = counts.get(outcome.verdict(), 0) + 1
    print(f"{len(outcomes)} cases in {time.time() - begin:.0f} s: "
          + ", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(to_json(about, outcomes), file)
    bad = {"WRONG", "FAILED", "no figure"}
    if options.demand:
        bad |= {"below", "no peer"}
    return 1 if bad & set(counts) else 0


if __name__ == "__main__":
    sys.exit(main())
