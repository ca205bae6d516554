#===- html_report.py - The report as a web page ---------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a Report. Out: one self-contained HTML page: the machine, a roofline per
# thread count, and per suite a chart of everyone's speed and the table. No
# script, no file beside it.
#
#===----------------------------------------------------------------------===#

import html

import report as text_report
import roofline

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2433; margin: 2em auto;
       max-width: 1100px; padding: 0 1em; background: #fff; }
h1 { font-size: 1.6em; margin-bottom: .2em; } h2 { margin-top: 1.8em; }
p.small, td.small { color: #5b6478; font-size: .87em; }
table { border-collapse: collapse; width: 100%; font-size: .87em; }
th { text-align: left; border-bottom: 2px solid #c9d0de; padding: .3em .6em; }
td { border-bottom: 1px solid #e6e9f0; padding: .25em .6em;
     vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums;
             white-space: nowrap; }
tr.us td { font-weight: 600; } tr.first td { border-top: 2px solid #c9d0de; }
.faster { color: #12704a; } .slower { color: #b3261e; }
.none { color: #8a6d1a; }
svg { display: block; margin: 1em 0; max-width: 100%; height: auto; }
"""


def _escape(value):
    return html.escape(str(value))


def page(report):
    parts = ["<!doctype html><html lang=en><meta charset=utf-8>",
             "<title>AIKernel benchmarks</title>",
             f"<style>{_STYLE}</style>", "<h1>AIKernel and its peers</h1>",
             _about(report)]
    for threads in dict.fromkeys(r.threads for r in report.rows):
        if threads in report.calibration:
            parts.append(f"<h2>Roofline, {threads} thread"
                         f"{'s' if threads > 1 else ''}</h2>")
            parts.append(roofline.plot(report, threads))
    for suite in dict.fromkeys(r.benchmark.suite for r in report.rows):
        rows = [r for r in report.rows if r.benchmark.suite == suite]
        parts.append(f"<h2>{_escape(suite)}</h2>")
        parts.append(roofline.bars(report, rows))
        parts.append(_table(report, rows))
    parts.append(f"<p class=small>{report.sample_count} rounds with a sample "
                 "of each contender; rates from the medians; ratios, with "
                 "where they lie with 95 % probability, and shares of what "
                 "bounds a benchmark from samples of the same round; a "
                 "difference is significant if 1 lies outside; p: Welch's "
                 "t-test. Other shares are of the calibration above.</p></html>\n")
    return "\n".join(parts)


def _about(report):
    about = report.about
    lines = [f"<p>{_escape(about['cpu'])} ({_escape(about['architecture'])}), "
             f"{about['cpus']} CPUs; {_escape(about['smt'])}. "
             f"Load before the run: {about['load_before']:.1f}. "
             f"{_escape(report.date)}</p>"]
    lines.append("<table><tr><th>contender<th>version</tr>")
    for name in report.contenders:
        version = report.versions.get(name)
        lines.append(
            f"<tr><td>{_escape(name)}<td>" + (_escape(version) if version else
            f"<span class=none>not installed: "
            f"{_escape(report.missing.get(name))}</span>") + "</tr>")
    lines.append("</table><table><tr><th>calibration<th class=n>clock"
                 "<th>peaks, Gop/s<th class=n>read GB/s"
                 "<th class=n>copy GB/s</tr>")
    for threads, limits in report.calibration.items():
        peaks = ", ".join(f"{t} {rate / 1e9:.1f} ({_escape(i)})"
                          for t, (rate, i) in limits["peaks"].items())
        lines.append(
            f"<tr><td>{threads} thread(s), best of {limits['processes']} "
            f"processes<td class=n>{limits['clock_hz'] / 1e9:.2f} GHz"
            f"<td>{peaks}<td class=n>{limits['read'] / 1e9:.1f}"
            f"<td class=n>{limits['copy'] / 1e9:.1f}</tr>")
    lines.append("</table>")
    return "\n".join(lines)


_CLASSES = {"we are faster": "faster", "we are slower": "slower"}


def _table(report, rows):
    lines = ["<table><tr><th>benchmark<th class=n>threads<th>contender"
             "<th class=n>median<th class=n>best<th class=n>&plusmn;"
             "<th class=n>Gop/s<th class=n>of peak<th class=n>GB/s"
             "<th class=n>of memory<th class=n>ratio<th class=n>95 %"
             "<th class=n>p<th></tr>"]
    for row in rows:
        for place, (name, cells) in enumerate(report.entries(row)):
            kind = " ".join(c for c, on in (("us", name == text_report.US),
                                            ("first", not place)) if on)
            start = f"<td>{_escape(row.benchmark.id)}<td class=n>" \
                    f"{row.threads}" if not place else "<td><td>"
            numbers = "".join(f"<td class=n>{_escape(c)}" for c in cells[:-1])
            verdict = cells[-1]
            style = _CLASSES.get(verdict, "none" if not row.samples(name)
                                 else "")
            lines.append(f"<tr class='{kind}'>{start}<td>{_escape(name)}"
                         f"{numbers}<td class='{style}'>{_escape(verdict)}"
                         "</tr>")
    return "\n".join(lines) + "</table>"
