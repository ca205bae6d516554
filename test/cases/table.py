#===- table.py - All cases -----------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The one table: every case of every family, in a fixed order, with unique ids.
# Random programs, which have no end, are not in it: `graph.SEED` and
# `network.SEED.TOKENS` name them.
#
#===----------------------------------------------------------------------===#

import fnmatch
import math
import re

from cases import (activation_cases, attention_cases, cache_cases, chain_cases,
                   emit, foreign_cases, graph_cases, linear_cases,
                   network_cases, norm_cases, position_cases, property_cases,
                   quant_cases, refusal_cases, tile_cases)

FAMILIES = (linear_cases, activation_cases, norm_cases, attention_cases,
            position_cases, cache_cases, quant_cases, chain_cases,
            property_cases, refusal_cases, tile_cases, foreign_cases)


def all_cases():
    table = [case for family in FAMILIES for case in family.cases()]
    seen = set()
    for case in table:
        if case.id in seen:
            raise ValueError(f"two cases are called {case.id}")
        seen.add(case.id)
    return table


def _matching(table, pattern):
    globbed = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
    return [c for c in table if fnmatch.fnmatchcase(c.id, globbed)]


def random_program(id):
    kind, *numbers = id.split(".")
    case = {"graph": graph_cases.graph,
            "network": network_cases.network}[kind](*map(int, numbers))
    if case.id != id:   # the program knows how many tokens it takes
        raise KeyError(id)
    return case


def random_programs(graphs, networks):
    """Those of these seeds: a first and a last, or none."""
    return (graph_cases.cases(*graphs) if graphs else []) + \
        (network_cases.cases(*networks) if networks else [])


# More take an emulator seconds.
SMALL_ELEMENTS = 1 << 20


def chosen(only=(), pattern=None, sample=None, skipped=None, kinds=False,
           small=False):
    """The cases named in `only`, or matching `pattern` but not `skipped` and
    with `small` of few elements, or about `sample` of those, or with `kinds`
    one of each kind, and of the others as many as make `sample`."""
    table = all_cases()
    if only:
        known = {case.id: case for case in table}
        known.update((id, random_program(id)) for id in only
                     if re.fullmatch(r"graph\.\d+|network\.\d+\.\d+", id))
        missing = [id for id in only if id not in known]
        if missing:
            raise KeyError(missing[0])
        return [known[id] for id in only]
    if pattern:
        table = _matching(table, pattern)
    if skipped:
        left_out = {c.id for c in _matching(table, skipped)}
        table = [c for c in table if c.id not in left_out]
    if small:
        table = [c for c in table if elements(c) < SMALL_ELEMENTS]
    always = _largest_of_each_kind(table) if kinds else []
    if kinds and not sample:
        return always
    return _spread(table, sample, always) if sample and sample < len(table) \
        else table


def _largest_of_each_kind(table):
    """Small ones may lack loops that others of their kind have."""
    largest = {}
    for case in table:
        kind = emit.kind(case)
        if kind not in largest or elements(case) > elements(largest[kind]):
            largest[kind] = case
    return list(largest.values())


def elements(case):
    return sum(math.prod(type.shape) for type in case.types.values())


def _spread(table, count, always):
    """Those of `always`, every n-th of the others, and a case of each op that
    these leave out; about `count`."""
    certain = {case.id for case in always}
    others = [i for i, case in enumerate(table) if case.id not in certain]
    places = {i for i, case in enumerate(table) if case.id in certain}
    count = max(0, count - len(places))
    places.update(others[i * len(others) // count] for i in range(count))
    seen = {node.op for i in places for node in table[i].nodes}
    for i, case in enumerate(table):
        ops = {node.op for node in case.nodes}
        if not ops <= seen:
            places.add(i)
            seen |= ops
    return [table[i] for i in sorted(places)]
