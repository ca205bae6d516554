#!/usr/bin/python3
# ===- check_bench.py - --bench and compare -----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
#
# The three formats, sums that can be checked, and Welch's t-test against
# values worked out elsewhere. usage: check_bench.py FOLDER
#
# ===----------------------------------------------------------------------===#

import csv
import io
import json
import math
import statistics
import sys

import harness
from harness import aik_run, check, expect_error


def check_formats():
    words = ["good.aikx", "--function", "matmul", "--input", "a=random:1:32x16",
             "--input", "b=random:1:16x8", "--bench", "--repeat", "12",
             "--warmup", "2"]
    rc, out, err = aik_run(*words, "-o", "json")
    check("json", rc == 0, err)
    report = json.loads(out)
    result = report["results"][0]
    samples = result["samples_s"]
    check("samples", len(samples) == 12 and min(samples) > 0)
    for name, value in (("median_s", statistics.median(samples)),
                        ("mean_s", statistics.mean(samples)),
                        ("stddev_s", statistics.stdev(samples)),
                        ("min_s", min(samples)), ("max_s", max(samples))):
        check(name, abs(result[name] - value) <= 1e-9 * value,
              f"{result[name]} {value}")
    check("cost", result["flops"] == 2 * 32 * 16 * 8
          and result["bytes"] == 4 * (32 * 16 + 16 * 8 + 32 * 8))
    check("settings", report["warmup"] == 2 and report["repeat"] == 12
          and report["threads"] >= 1 and report["target"].startswith("cpu:"))
    # Any machine of this century, and none of the next.
    check("peaks", 1e8 < report["peak_flops"] < 1e15
          and 1e8 < result["peak_bytes_per_s"] < 1e14, out)

    rc, out, err = aik_run(*words, "-o", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    check("csv", rc == 0 and len(rows) == 1 and
          rows[0]["shapes"] == "f32[32x16],f32[16x8]", out)
    rate = float(rows[0]["gflop_per_s"])
    check("GFLOP/s are of the median", abs(
        rate * float(rows[0]["median_s"]) * 1e9 - 8192) < 100, out)

    rc, out, err = aik_run("good.aikx", "--bench", "--repeat", "3",
                           "--warmup", "0", "--threads", "1")
    table = [line for line in out.splitlines() if line.startswith("|")]
    check("md has a row per function", rc == 0 and len(table) == 8
          and len({len(line) for line in table}) == 1, out + err)
    check("md names what was measured", "1 thread, 0 warmup, 3 repeats" in out
          and "Peaks measured in this run" in out, out)
    expect_error("a failing function", ["fails.aikx", "--bench"],
                 "AIK-R0504", 1)


def report(path, samples, function="f", shapes="f32[4]"):
    with open(path, "w") as file:
        json.dump({"format": "aik-bench", "version": 1, "results": [
            {"function": function, "shapes": shapes, "samples_s": samples}]},
            file)


def welch(a, b):
    """t, degrees of freedom and p, the latter by Simpson's rule on Student's
    density."""
    va = statistics.variance(a) / len(a)
    vb = statistics.variance(b) / len(b)
    t = (statistics.mean(b) - statistics.mean(a)) / math.sqrt(va + vb)
    df = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / \
        math.sqrt(df * math.pi)
    steps = 20000
    total = 0
    for i in range(steps + 1):
        x = abs(t) * i / steps
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        total += weight * scale * (1 + x * x / df) ** (-(df + 1) / 2)
    return t, df, 1 - 2 * total * abs(t) / steps / 3


def compared(a, b):
    report("a.json", a)
    report("b.json", b)
    rc, out, err = aik_run("compare", "a.json", "b.json", "-o", "json")
    check("compare runs", rc == 0, err)
    return json.loads(out)["results"][0]


def check_compare():
    slow = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9]
    quick = [17.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9]
    for a, b, verdict in ((quick, slow, "B is slower"),
                          (slow, quick, "B is faster"),
                          (slow, slow[3:], "no significant difference")):
        result = compared(a, b)
        t, degrees, p = welch(a, b)
        check("t", abs(result["t"] - t) < 1e-9, f"{result} {t}")
        check("degrees of freedom", abs(result["df"] - degrees) < 1e-9, result)
        check("p", abs(result["p"] - p) < 1e-7, f"{result} {p}")
        check(verdict, result["verdict"] == verdict, result)
    # Equal counts and spreads: 4 degrees of freedom, where
    # p = 1 - t (t^2 + 6) / (t^2 + 4)^(3/2).
    result = compared([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    t = 1 / (2 / 3) ** 0.5
    p = 1 - t * (t * t + 6) / (t * t + 4) ** 1.5
    check("p in closed form", abs(result["df"] - 4) < 1e-9
          and abs(result["p"] - p) < 1e-9, f"{result} {p}")
    check("not significant", result["verdict"] == "no significant difference")
    result = compared([1.0, 1.0], [1.0, 1.0])
    check("no spread, equal", result["p"] == 1, result)
    result = compared([1.0, 1.0], [2.0, 2.0])
    check("no spread, different", result["p"] == 0
          and result["verdict"] == "B is slower", result)
    result = compared([1e-6 + i * 1e-12 for i in range(1000)],
                      [2e-6 + i * 1e-12 for i in range(1000)])
    check("a large t", 0 <= result["p"] < 1e-12, result)
    report("a.json", [1, 2])
    report("b.json", [1, 2], shapes="f32[5]")
    expect_error("other shapes", ["compare", "a.json", "b.json"], "AIK-R0702",
                 1)
    for what, text in (("not an object", "[]"), ("cut", '{"format": "aik'),
                       ("a string as sample", json.dumps(
                           {"format": "aik-bench", "version": 1, "results": [
                               {"function": "f", "shapes": "",
                                "samples_s": ["1", 2]}]})),
                       ("one sample", json.dumps(
                           {"format": "aik-bench", "version": 1, "results": [
                               {"function": "f", "shapes": "",
                                "samples_s": [1]}]})),
                       ("version 2", json.dumps(
                           {"format": "aik-bench", "version": 2,
                            "results": []})),
                       ("deep", "[" * 100000)):
        with open("b.json", "w") as file:
            file.write(text)
        expect_error(what, ["compare", "a.json", "b.json"], "AIK-R0701", 1)
    report("a.json", [1, 2])
    rc, out, err = aik_run("compare", "a.json", "a.json")
    check("the table for people", rc == 0 and "| f " in out
          and "no significant difference" in out, out)


def driver_report(path, results, cpu="a machine"):
    """As benchmarks/run.py writes it: results are (function, contender,
    threads, samples)."""
    with open(path, "w") as file:
        json.dump({"format": "aik-bench", "version": 1,
                   "driver": "benchmarks/run.py", "machine": {"cpu": cpu},
                   "results": [{"function": f, "shapes": "f32[4]",
                                "contender": c, "threads": t, "samples_s": s}
                               for f, c, t, s in results]}, file)


def check_driver_reports():
    one, two, ten = [1.0, 1.1, 1.2], [2.0, 2.1, 2.2], [10.0, 10.1, 10.2]
    driver_report("a.json", [("f", "aikernel", 1, two), ("f", "blis", 1, one),
                             ("f", "aikernel", 2, one), ("g", "blis", 1, one)])
    # In another order, so that places cannot be mistaken for names.
    driver_report("b.json", [("f", "aikernel", 2, ten), ("f", "blis", 1, one),
                             ("f", "aikernel", 1, one)], "another")
    rc, out, err = aik_run("compare", "a.json", "b.json", "-o", "json")
    check("driver reports", rc == 0, err)
    found = {(r["contender"], r["threads"]): r["verdict"]
             for r in json.loads(out)["results"]}
    check("contender and threads count", found == {
        ("aikernel", 1): "B is faster", ("aikernel", 2): "B is slower",
        ("blis", 1): "no significant difference"}, out)
    rc, out, err = aik_run("compare", "a.json", "b.json")
    check("the table names them", rc == 0 and "| contender" in out
          and "| aikernel" in out, out)
    check("what is left out is said", "1 result of one report" in out, out)
    check("other machines are named",
          "The machines differ: a machine and another." in out, out)
    rc, out, err = aik_run("compare", "a.json", "b.json", "-o", "csv")
    check("csv names them", rc == 0 and
          out.startswith("function,contender,threads,a_mean_s"), out)
    driver_report("b.json", [("f", "aikernel", 1, one),
                             ("f", "aikernel", 1, two)])
    expect_error("two results of one name", ["compare", "a.json", "b.json"],
                 "AIK-R0701", 1, "cannot be told apart")


def check_hostile_reports():
    report("a.json", [1, 2])
    entry = '{"function": "f", "shapes": "f32[4]", "samples_s": [%s]}'
    whole = '{"format": "aik-bench", "version": 1, "results": [%s]}'
    for what, text in (
            ("a negative time", whole % entry % "1, -1"),
            ("an infinite time", whole % entry % "1, 1e999"),
            ("not a number", whole % entry % "1, NaN"),
            ("null as sample", whole % entry % "1, null"),
            ("no samples", whole % entry % ""),
            ("a result that is a number", whole % "3"),
            ("results that are no list",
             '{"format": "aik-bench", "version": 1, "results": {}}'),
            ("a version that is text", '{"format": "aik-bench", '
             '"version": "1", "results": []}'),
            ("another format", '{"format": "x", "version": 1, "results": []}'),
            ("an open string", '{"format": "aik-bench'),
            ("a bad escape", '{"format": "\\u12'),
            ("bytes of nothing", "\0" * 1000),
            ("an empty file", ""),
            ("text behind the end", whole % entry % "1, 2" + "x"),
            ("too many values", "[" + "0," * 600000 + "0]")):
        with open("b.json", "w") as file:
            file.write(text)
        expect_error(what, ["compare", "a.json", "b.json"], "AIK-R0701", 1)
        expect_error(what + ", first", ["compare", "b.json", "a.json"],
                     "AIK-R0701", 1)
    expect_error("no such file", ["compare", "a.json", "none.json"],
                 "AIK-R0201", 4)
    expect_error("a folder", ["compare", "a.json", "."], "AIK-R0201", 4)
    expect_error("one file", ["compare", "a.json"], "AIK-R0105", 2)
    expect_error("three files", ["compare", "a.json", "a.json", "a.json"],
                 "AIK-R0106", 2)
    # Numbers at the ends of the range overflow in the mean, not in the tool.
    for samples in ([1e308, 1.7e308], [0.0, 0.0], [5e-324, 0.0]):
        report("b.json", samples)
        for words in (["a.json", "b.json"], ["b.json", "a.json"],
                      ["b.json", "b.json"]):
            for form in ("md", "csv", "json"):
                rc, out, err = aik_run("compare", *words, "-o", form)
                check(f"extreme {samples} {words} {form}", rc == 0, err)
                if form == "json":
                    json.loads(out)
    # Many results are paired by name, not by trying all pairs.
    many = [(f"f{i}", "c", 1, [1.0, 2.0]) for i in range(20000)]
    driver_report("b.json", many)
    rc, out, err = aik_run("compare", "b.json", "b.json", "-o", "csv")
    check("many results", rc == 0 and out.count("\n") == 20001, err)


harness.fresh_folder(sys.argv[1])
harness.sample("good.aikx", list(harness.make_sample.GOOD))
harness.sample("fails.aikx", ["fails"])
check_formats()
check_compare()
check_driver_reports()
check_hostile_reports()
harness.finish()
