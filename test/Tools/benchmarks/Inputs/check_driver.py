#!/usr/bin/python3
#===- check_driver.py - Tries benchmarks/run.py ---------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: check_driver.py FOLDER SOURCE BUILD
#
# Runs the driver with tiny sizes and with contenders of this folder that are
# honest, wrong, dying, hanging or absent, and checks what it prints and writes. Peers
# that happen to be installed are left alone.
#
#===----------------------------------------------------------------------===#

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys

FOLDER, SOURCE, BUILD = sys.argv[1:4]
HERE = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
os.chdir(FOLDER)
passed, failed = 0, 0


def check(what, good, details=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}\n{details}")


def driver(*words):
    done = subprocess.run(
        [sys.executable, os.path.join(SOURCE, "benchmarks", "run.py"),
         "--build", BUILD, *words], capture_output=True, text=True,
        stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


FAKES = ["--more", os.path.join(HERE, "contenders")]
TINY = ["--tiny", "--samples", "3", "--threads", "1,2"]
ONE = ["gemm", "--filter", "matmul.f32-f32-f32.16x16x16"]


def check_good_run():
    rc, out, err = driver(*ONE, *TINY, *FAKES, "--contenders",
                          "aikernel,honest,absent", "--json", "a.json",
                          "--html", "a.html")
    check("the run succeeds", rc == 0, out + err)
    check("an absent peer is named", re.search(
        r"^  absent +not installed: no libabsent.so$", out, re.M), out)
    check("and has a line", re.search(
        r"^ +- +not installed: absent$", out, re.M), out)
    check("we are compared", re.search(
        r"^matmul\S+ +2  aikernel .* [\d.]+ +[\d.e-]+  (we are|no sign)", out,
        re.M), out)
    report = json.loads(open("a.json").read())
    keys = {(r["contender"], r["threads"]) for r in report["results"]}
    check("both thread counts", keys == {
        (c, t) for c in ("aikernel", "honest") for t in (1, 2)}, keys)
    for result in report["results"]:
        check("samples", len(result["samples_s"]) == 3
              and min(result["samples_s"]) > 0, result)
        check("checked against a reference", result["error"] is not None
              and result["error"] <= result["tolerance"]
              and "f64" in result["error_against"], result)
        check("cost", result["flops"] == 2 * 16 ** 3
              and result["bytes"] == 4 * 3 * 256, result)
    check("no figure, no pass", [
        (w["contender"], w["reason"]) for w in report["without_figures"]]
        == [("absent", "missing")] * 2, report["without_figures"])
    check("comparisons", [c["best_peer"] for c in report["comparisons"]]
          == ["honest"] * 2, report["comparisons"])
    check("rounds", all(c["limit"] and len(c["limit_s"]) == 3
                        and len(c["alone_s"]) == (3 if c["threads"] > 1 else 0)
                        and (c["scaling"] is None) == (c["threads"] == 1)
                        for c in report["comparisons"]), report["comparisons"])
    check("versions", {c["name"]: c["version"] is None for c in
                       report["contenders"]} ==
          {"aikernel": False, "honest": False, "absent": True}, report)
    check("machine", report["machine"]["cpus"] >= 1
          and "smt" in report["machine"], report["machine"])
    for limits in report["calibration"]:
        check("calibration", limits["peaks"]["f32"][0] > 1e8
              and limits["read"] > 1e8 and limits["copy"] > 1e8, limits)
    check_page()
    rc, out, err = subprocess_compare()
    check("aik-run compare reads it", rc == 0 and "| honest" in out
          and "no significant difference" in out, out + err)


def check_without_us():
    rc, out, err = driver(*ONE, *TINY, *FAKES, "--contenders",
                          "aikernel,honest", "--build", FOLDER)
    check("we may be absent, on one thread too", rc == 0 and re.search(
        r"^  aikernel +not installed: ", out, re.M) and "DEFECT" not in out,
        out + err)


def subprocess_compare():
    done = subprocess.run([os.path.join(BUILD, "bin", "aik-run"), "compare",
                           "a.json", "a.json"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Balanced(html.parser.HTMLParser):
    """Counts what is drawn; svg elements must be closed in order."""
    CLOSED = {"svg", "text", "circle", "rect", "title", "style", "table",
              "h1", "h2", "p", "span"}

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.wrong = [], {}, []

    def handle_starttag(self, tag, attributes):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag in self.CLOSED:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen[tag] = self.seen.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if tag in self.CLOSED and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


def check_page():
    text = open("a.html").read()
    page = Balanced()
    page.feed(text)
    check("the page is balanced", not page.wrong and not page.open,
          f"{page.wrong} {page.open}")
    check("two rooflines and bars", page.seen.get("svg") == 3, page.seen)
    # A point per contender and thread count, and two legends of two.
    check("points", page.seen.get("circle") == 4 + 4, page.seen)
    check("nothing from elsewhere", "http" not in text.replace(
        "http://www.w3.org/2000/svg", ""), "")
    check("no NaN is drawn", not re.search(r"'-?(nan|inf)'",
                                                  text, re.I), "")


def check_bad_contenders():
    rc, out, err = driver(*ONE, "--tiny", "--samples", "2", *FAKES,
                          "--contenders", "honest,wrong,crashing,hanging",
                          "--limit", "5", "--json", "b.json")
    check("defects fail the run", rc == 1, out + err)
    check("a wrong result is named", re.search(
        r"^ +wrong +WRONG .*its result is off by", out, re.M), out)
    check("a dead peer is named", re.search(
        r"^ +crashing +FAILED .*its process ended with signal 4", out, re.M),
        out)
    check("one that hangs is named", re.search(
        r"^ +hanging +FAILED .*it gave no answer in 5 s", out, re.M), out)
    results = json.loads(open("b.json").read())["results"]
    check("neither has a figure", {r["contender"] for r in results}
          == {"honest"}, results)


def check_unsupported():
    rc, out, err = driver("gemm", "--filter", "int8_matmul.8x8x8", "--tiny",
                          "--samples", "2", *FAKES, "--contenders", "honest")
    check("an op that nobody has is no pass", rc == 0
          and "no such op: honest" in out and "They are no pass." in out,
          out + err)


def check_carried_artifacts():
    """Compiled here, run as on a machine without aikc."""
    rc, out, err = driver(*ONE, "--tiny", "--compile-only", "artifacts")
    check("compiled ahead", rc == 0 and os.listdir("artifacts"), out + err)
    words = ["--tiny", "--samples", "2", "--contenders", "aikernel",
             "--artifacts", "artifacts", "--build", "none", "--runtime",
             os.path.join(BUILD, "lib", "libaikrt.so")]
    rc, out, err = driver(*ONE, *words)
    check("run from there", rc == 0 and "no peer has a figure" in out
          and "artifacts compiled ahead" in out, out + err)
    rc, out, err = driver("gemm", "--filter", "*.8x8x8", *words)
    check("one that was not compiled", rc == 0
          and "no artifact was compiled ahead" in out, out + err)
    rc, out, err = driver(*ONE, "--tiny", "--samples", "2", "--contenders",
                          "aikernel", "--build", "none")
    check("nothing built", rc == 0 and "not installed: no libaikrt" in out,
          out + err)


def check_usage():
    for what, words, sentence in (
            ("an unknown suite", ["gemmm"], "there is no suite 'gemmm'"),
            ("an unknown contender", ["--contenders", "mkl"],
             "there is no contender 'mkl'"),
            ("an unknown benchmark", ["--filter", "zzz"],
             "no benchmark is called 'zzz'"),
            ("zero threads", ["--threads", "0"], "thread counts lie in"),
            ("threads of words", ["--threads", "two"], "is not like 1,2"),
            ("no samples", ["--samples", "0"], "is not in 1..100000"),
            ("a folder that is not there", ["--more", "none"],
             "No such file"),
            ("an abbreviation", ["--thr", "1"], "unrecognized arguments")):
        rc, out, err = driver(*words)
        check(what, rc == 2 and sentence in err and not out, out + err)
    rc, out, err = driver(*ONE, "--tiny", "--samples", "2", *FAKES,
                          "--contenders", "absent", "--json", "none/a.json")
    check("a file that cannot be written", rc == 4
          and "'none/a.json' cannot be written" in err, out + err)
    rc, out, err = driver("--list")
    ids = [line.split()[1] for line in out.splitlines()]
    check("every benchmark has a name of its own", rc == 0 and len(ids) > 60
          and len(set(ids)) == len(ids), out)


check_good_run()
check_without_us()
check_bad_contenders()
check_unsupported()
check_carried_artifacts()
check_usage()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
