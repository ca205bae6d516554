#===- judge.py - Runs cases and judges them ------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: cases and the tools; out: one Verdict per case and instruction set.
#
#===----------------------------------------------------------------------===#

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import re
from typing import Optional

from cases import compare, emit, evaluate


@dataclass
class Verdict:
    case: object
    isa: str
    sentence: Optional[str]     # None: passed
    ulp: float = 0.0            # largest distance, elementwise tier
    suspicious: bool = False


def runs(case):
    """(case, inputs) of the case itself and of its variants."""
    inputs = evaluate.inputs_of(case)
    yield case, inputs
    for twin, derive in case.variants:
        yield twin, derive(inputs)


def groups(cases, size, jobs=1):
    """Lists of cases with at most `size` distinct functions each, as many for
    each of `jobs` processes; cases that share a function stay together."""
    by_function = {}
    for case in cases:
        by_function.setdefault(emit.function_name(case), []).append(case)
    names = list(by_function)
    # Interleaved, so that no group holds all the slow functions.
    count = max(1, -(-len(names) // size))
    count = min(-(-count // jobs) * jobs, len(names))
    for index in range(count):
        yield [case for name in names[index::count]
               for case in by_function[name]]


def _judge(case, isa, answers, wanted):
    """`answers` and `wanted` of the case's runs, in order."""
    if case.fails:
        arrays, sentence = answers[0]
        if sentence is None:
            return Verdict(case, isa, "the call succeeded; it must be refused "
                           f"with a sentence about {case.fails}")
        if not re.match("AIK-R0[45]", sentence):    # a damaged buffer, a crash
            return Verdict(case, isa, sentence)
        if not re.search(case.fails, sentence):
            return Verdict(case, isa, f"refused with '{sentence}', which does "
                           f"not mention {case.fails}")
        return Verdict(case, isa, None)
    suspicious, ulp = False, 0.0
    for (arrays, sentence), expectations in zip(answers, wanted):
        if sentence is not None:
            return Verdict(case, isa, sentence)
        for index, (got, expected) in enumerate(zip(arrays, expectations)):
            wrong = compare.mismatch(got, expected)
            if wrong:
                return Verdict(case, isa, f"result {index}: {wrong}")
            suspicious |= compare.suspicious(got, expected)
            if expected.compare == "ulp" and got.size:
                ulp = max(ulp, compare.largest_ulp(got, expected))
    if case.relation:
        broken = case.relation(answers[0][0], answers[1][0], *wanted)
        if broken:
            return Verdict(case, isa, broken)
    return Verdict(case, isa, None, ulp, suspicious)


def _changes(first, later):
    """What is not as it was the first time, or None."""
    if first[1] is not None or later[1] is not None:
        return None if first[1] == later[1] else \
            f"was refused only once: {first[1] or later[1]}"
    for index, (one, other) in enumerate(zip(first[0], later[0])):
        if one.tobytes() != other.tobytes():
            return f"result {index} has other bits"
    return None


def _compare_rounds(verdicts, answers, once):
    """The verdicts on the first round of calls, and on whether every other
    round gave the same."""
    place = 0
    for verdict in verdicts:
        for run in range(1 + len(verdict.case.variants)):
            for again in range(place + once, len(answers), once):
                changed = _changes(answers[place], answers[again])
                if changed and verdict.sentence is None:
                    verdict.sentence = f"run {again // once + 1}: {changed}"
            place += 1
    return verdicts


def _group(tools, name, cases, isas, rounds=1, kept=None):
    verdicts = []
    for part, (artifact, members, sentence) in enumerate(
            tools.compile(name, cases)):
        if artifact is None:
            verdicts += [Verdict(c, isa, sentence)
                         for c in members for isa in isas]
            continue
        called = [(case, twin, inputs) for case in members
                  for twin, inputs in runs(case)]
        wanted = [None if case.fails else evaluate.expected(twin, inputs, kept)
                  for case, twin, inputs in called]
        # Functions that may work in place must also work on a copy.
        copying = [place for place, (case, _, _) in enumerate(called)
                   if _donates(case)]
        calls = [_call(*run) for run in called]
        batch = f"{name}p{part}"
        for isa in isas:
            answers = tools.run(batch, artifact, calls, isa, True, rounds)
            verdicts += _compare_rounds(
                _verdicts(members, isa, answers, wanted), answers, len(calls))
            if copying:
                answers = tools.run(batch + "c", artifact,
                                    [calls[place] for place in copying], isa,
                                    False)
                verdicts += _verdicts(filter(_donates, members),
                                      isa + "/copied", answers,
                                      [wanted[place] for place in copying])
    return verdicts


def _call(case, twin, inputs):
    """What aik-run is asked for: the function, its inputs, how many results."""
    return (emit.function_name(case), [inputs[i.name] for i in twin.inputs],
            len(case.outputs))


def _donates(case):
    return any("donate" in i.attributes for i in case.inputs)


def _verdicts(members, isa, answers, wanted):
    verdicts, first = [], 0
    for case in members:
        last = first + 1 + len(case.variants)
        verdicts.append(_judge(case, isa, answers[first:last],
                               wanted[first:last]))
        first = last
    return verdicts


def judge(tools, cases, isas, size, jobs, progress=lambda done, all: None,
          rounds=1, kept=None):
    """All verdicts, in the table's order; every call is made `rounds` times.
    `kept`: see evaluate.expected."""
    # What is compiled already was grouped for another machine's processes.
    parts = list(groups(cases, size, 1 if tools.compiled else jobs))
    verdicts, done = [], 0
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_group, tools, f"g{i}", part, isas, rounds,
                               kept)
                   for i, part in enumerate(parts)]
        for future in futures:
            verdicts += future.result()
            done += 1
            progress(done, len(parts))
    order = {case.id: place for place, case in enumerate(cases)}
    return sorted(verdicts, key=lambda v: (order[v.case.id], v.isa))


def compile_all(tools, cases, size, jobs, progress=lambda done, all: None):
    """Compiles for another run; a verdict for each case says whether it did."""
    parts = list(groups(cases, size))
    verdicts, done = [], 0
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(lambda *call: list(tools.compile(*call)),
                               f"g{i}", part) for i, part in enumerate(parts)]
        for future in futures:
            for _, compiled, sentence in future.result():
                verdicts += [Verdict(case, "compiled", sentence)
                             for case in compiled]
            done += 1
            progress(done, len(parts))
    return verdicts
