#===- random_orders.py - Random programs, and whether they come to an end ---===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: random_orders.py SEED COUNT AIK_OPT OPTION...
#
# Two roles fill and read rings in loops of known and unknown length, in orders
# that differ. Each step of them is simulated, by slots, with many numbers of
# turns; aik-opt has to say the same of those that pass its other checks. Prints
# how many there were, and those of which it says something else.
#
#===----------------------------------------------------------------------===#

import itertools
import random
import subprocess
import sys

KNOWN, UNKNOWN = [0, 1, 2, 3, 17, 40], ["n", "m"]
TRIED = [dict(n=n, m=m) for n in (0, 1, 2, 3, 4, 7, 12) for m in (0, 1, 2, 3, 7)]
MOST_STEPS = 6000


def uses(rings, turns, depth=0):
    """Rings that are used one after the other, and loops over such."""
    return [(random.choice(turns), uses(rings, turns, depth + 1))
            if depth < 2 and random.random() < 0.35 else random.choice(rings)
            for _ in range(random.randint(1, 5))]


def reordered(use):
    use = [(each[0], reordered(each[1])) if isinstance(each, tuple) else each
           for each in use]
    for _ in range(random.choice([1, 2, 3])):
        at = random.randrange(len(use))
        use[at - 1], use[at] = use[at], use[at - 1]
    return use


def steps(use, filled, names):
    """Fills of these rings, acquires and releases of all others."""
    result, held = [], []

    def release(least):
        while len(held) > least:
            result.append(("release", *held.pop(random.randrange(len(held)))))

    for each in use:
        if isinstance(each, tuple):
            result.append(("loop", each[0], steps(each[1], filled, names)))
        elif each in filled:
            result.append(("fill", each, None))
        else:
            held.append((each, f"%s{next(names)}"))
            result.append(("acquire", *held[-1]))
        release(least=1 if random.random() < 0.1 else 0)
    release(least=0)
    return result


def text(role):
    for kind, what, detail in role:
        if kind == "loop":
            yield f"scf.for %i = %c0 to %c{what} step %c1 {{"
            yield from text(detail)
            yield "}"
        elif kind == "fill":
            yield (f"aik_tile.fill %r{what} {{ aik_tile.load %map[%zero, %zero] "
                   f"tile 0 : !map }} : !ring{what}")
        elif kind == "acquire":
            yield f"{detail} = aik_tile.acquire %r{what} : !ring{what} -> !stage"
        else:
            yield f"aik_tile.release {detail} : !stage"


def program(stages, roles):
    lines = [f"!ring{ring} = !aik_tile.ring<{count}, <16x64xbf16>>"
             for ring, count in stages.items()]
    lines += ["!stage = !aik_tile.stage<<16x64xbf16>>",
              "!map = !aik_tile.map<16x64xbf16>",
              "func.func @f(%map: !map, %zero: i32, %cn: index, %cm: index) {"]
    lines += [f"%c{turns} = arith.constant {turns} : index" for turns in KNOWN]
    lines += ["aik_tile.program cluster 1 {"]
    lines += [f"%r{ring} = aik_tile.make_ring : !ring{ring}" for ring in stages]
    for role, warpgroups in roles:
        lines += [f"aik_tile.role warpgroups {warpgroups} registers 40 {{",
                  "^bb0(%group: i32):", *text(role), "}"]
    return "\n".join(lines + ["}", "return", "}"])


def unrolled(role, turns):
    for step in role:
        if step[0] == "loop":
            for _ in range(turns.get(step[1], step[1])):
                yield from unrolled(step[2], turns)
        else:
            yield step


def ends(stages, readers, roles, turns):
    """Do all come to their end? Nothing if that would take too long."""
    filled = dict.fromkeys(stages, 0)
    released = {ring: {} for ring in stages}
    groups = []
    for role, warpgroups in roles:
        todo = list(itertools.islice(unrolled(role, turns), MOST_STEPS + 1))
        if len(todo) > MOST_STEPS:
            return None
        groups += [dict(todo=todo[::-1], acquired=dict.fromkeys(stages, 0),
                        held={}) for _ in range(warpgroups)]

    def moves(group):
        kind, ring, name = group["todo"][-1]
        if kind == "fill":
            before = filled[ring] - stages[ring]
            if before >= 0 and released[ring].get(before, 0) < readers[ring]:
                return False
            filled[ring] += 1
        elif kind == "acquire":
            if group["acquired"][ring] == filled[ring]:
                return False
            group["held"][name] = group["acquired"][ring]
            group["acquired"][ring] += 1
        else:
            number = group["held"].pop(name)
            released[ring][number] = released[ring].get(number, 0) + 1
        group["todo"].pop()
        return True

    moved = True
    while moved:
        moved = False
        for group in groups:
            while group["todo"] and moves(group):
                moved = True
    return not any(group["todo"] for group in groups)


def one(aik_opt):
    """What is true of a random program, what aik-opt says, and its text."""
    stages = {ring: random.choice([1, 1, 2, 3])
              for ring in range(random.choice([1, 2, 2, 3]))}
    # One role fills all, or each of two fills some: then both are one thread.
    first = set(stages) if random.random() < 0.7 else {0}
    warpgroups = random.choice([1, 2]) if len(first) == len(stages) else 1
    turns = random.choice([KNOWN, UNKNOWN, KNOWN[1:4] + UNKNOWN])
    use = uses(list(stages), turns) + [*stages]
    names = itertools.count()
    roles = [(steps(use, first, names), 1),
             (steps(reordered(use), set(stages) - first, names), warpgroups)]
    readers = {ring: warpgroups if ring in first else 1 for ring in stages}
    verdicts = [ends(stages, readers, roles, turns) for turns in
                (TRIED if turns is not KNOWN else [{}])]
    if None in verdicts:
        return None
    written = program(stages, roles)
    said = subprocess.run([*aik_opt, "-o", "/dev/null"], input=written,
                          capture_output=True, text=True).stderr
    verdict = "ends" if not said else \
        "hangs" if "waits for ever" in said else "refused"
    return ("ends" if all(verdicts) else "hangs"), verdict, written


def main():
    random.seed(int(sys.argv[1]))
    counts = dict(ends=0, hangs=0)
    wrong = 0
    while sum(counts.values()) < int(sys.argv[2]):
        result = one(sys.argv[3:])
        if not result or result[1] == "refused":
            continue
        counts[result[0]] += 1
        if result[0] != result[1]:
            wrong += 1
            print(f"it {result[0]}:\n{result[2]}")
    print(f"{counts['ends']} end, {counts['hangs']} hang, {wrong} judged wrong")


main()
