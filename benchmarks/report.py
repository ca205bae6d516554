#===- report.py - Results as a table and as JSON --------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: what was measured. Out: the text table and the JSON file. Rates are those
# of the median sample. The ratio is our speed over the best peer's, and the
# share that of the limit that bounds the benchmark: medians of what each round
# says. p is Welch's. Shares of other limits are of this run's calibration.
#
#===----------------------------------------------------------------------===#

import datetime
import json
import math
from dataclasses import dataclass

import stats

US = "aikernel"
JSON_VERSION = 1
_MARKS = {"missing": "not installed", "refused": "not supported",
          "failed": "FAILED", "wrong": "WRONG"}


@dataclass
class Row:
    """One benchmark at one thread count."""
    benchmark: object
    threads: int
    limit: object       # machine.Limit, or None
    measured: object    # measure.Measured

    @property
    def outcomes(self):
        return self.measured.outcomes

    def samples(self, name):
        return self.outcomes.get(name, {}).get("samples_s")

    def summary(self, name):
        samples = self.samples(name)
        return stats.summarize(samples) if samples else None

    def with_figures(self):
        return [n for n in self.outcomes if self.samples(n)]

    def best_peer(self):
        """The one that we are least ahead of."""
        peers = [n for n in self.with_figures() if n != US]
        ours = self.samples(US)
        return min(peers, key=lambda n: stats.ratio(ours, self.samples(n))
                   if ours else self.summary(n).median, default=None)

    def _compared(self, function):
        """`function` of our samples and those of the best peer, or None."""
        peer = self.best_peer()
        if peer is None or not self.samples(US):
            return None
        return function(self.samples(US), self.samples(peer))

    def ratio(self):
        """Our speed over the best peer's, or None."""
        return self._compared(stats.ratio)

    def ratio_interval(self):
        return self._compared(stats.ratio_interval)

    def test(self):
        return self._compared(stats.welch)

    def share_of_limit(self, name):
        """Of what bounds the benchmark, or None."""
        limits, samples = self.measured.limit_s, self.samples(name)
        return stats.ratio(samples, limits) if limits and samples else None

    def scaling(self):
        """Our speed over that on one thread, or None."""
        alone, ours = self.measured.alone_s, self.samples(US)
        return stats.ratio(ours, alone) if alone and ours else None

    def limit_scaling(self):
        """The same of what bounds the benchmark: CPUs that share a core do not
        double it."""
        alone, limits = self.measured.limit_alone_s, self.measured.limit_s
        return stats.ratio(limits, alone) if alone and limits else None

    def verdict(self):
        """What may be said about us and the best peer."""
        if not self.samples(US):
            return "we have no figure"
        if self.best_peer() is None:
            return "no peer has a figure"
        between, test = self.ratio_interval(), self.test()
        if between is None and test is None:
            return "too few samples"
        # Too few rounds for an interval are judged by the means of all samples.
        if between:
            is_faster, is_slower = between[0] > 1, between[1] < 1
        else:
            is_sure = test.p < stats.SIGNIFICANCE
            is_faster, is_slower = is_sure and test.t > 0, is_sure and test.t < 0
        return "we are faster" if is_faster else \
            "we are slower" if is_slower else "no significant difference"


def _rate(amount, seconds):
    return amount / seconds if seconds > 0 else 0.0


class Report:
    def __init__(self, about, calibration, versions, missing, rows, samples,
                 contenders):
        self.about, self.calibration = about, calibration
        self.versions, self.missing = versions, missing
        self.rows, self.sample_count = rows, samples
        self.contenders = contenders
        self.date = datetime.datetime.now(
            datetime.timezone.utc).isoformat(timespec="seconds")

    def defects(self):
        """[(benchmark id, contender, sentence)] of what must not happen."""
        return [(row.benchmark.id, name, outcome[kind])
                for row in self.rows for name, outcome in row.outcomes.items()
                for kind in ("failed", "wrong") if kind in outcome]

    def scaling(self):
        """{threads: {benchmark id: (our speed over that on one thread, the same
        of what bounds the benchmark, or None)}}"""
        found = {}
        for row in self.rows:
            if row.scaling():
                found.setdefault(row.threads, {})[row.benchmark.id] = \
                    row.scaling(), row.limit_scaling()
        return found

    def share_of_peak(self, row, name):
        """Of the operations per second that can be done, or None."""
        return self._share(row, name, False, row.benchmark.flops,
                           lambda limits: limits["peaks"][row.benchmark.peak][0])

    def share_of_bandwidth(self, row, name):
        return self._share(row, name, True, row.benchmark.bytes,
                           lambda limits: limits[row.benchmark.traffic])

    def _share(self, row, name, of_memory, work, rate):
        """Of the rate in the same rounds if that is what bounds the benchmark,
        else of the calibration's `rate`."""
        limits, summary = self.calibration.get(row.threads), row.summary(name)
        if not limits or not summary or not work:
            return None
        if row.limit and row.limit.is_memory == of_memory:
            return row.share_of_limit(name)
        return _rate(work, summary.median) / rate(limits)

    # --- Text -----------------------------------------------------------------

    def text(self):
        parts = [self._heading()]
        for suite in dict.fromkeys(r.benchmark.suite for r in self.rows):
            rows = [r for r in self.rows if r.benchmark.suite == suite]
            parts.append(f"\n{suite}\n" + _table(self._lines(rows)))
        parts.append(self._notes())
        return "\n".join(p for p in parts if p) + "\n"

    def _heading(self):
        about = self.about
        cache = ", ".join(f"{k} {v >> 10} KiB"
                          for k, v in sorted(about["caches"].items()))
        lines = [f"{about['cpu']} ({about['architecture']}), {about['cpus']} "
                 f"CPUs; {about['smt']}; {cache}; load before: "
                 f"{about['load_before']:.1f}"]
        for threads, limits in self.calibration.items():
            peaks = ", ".join(
                f"{t} {rate / 1e9:.1f} ({with_})"
                for t, (rate, with_) in limits["peaks"].items())
            lines.append(
                f"{threads} thread(s): {limits['clock_hz'] / 1e9:.2f} GHz; "
                f"peak Gop/s {peaks}; memory GB/s read "
                f"{limits['read'] / 1e9:.1f}, copy {limits['copy'] / 1e9:.1f} "
                f"(best of {limits['processes']} processes)"
                + self._scaling(threads))
        for name in self.contenders:
            lines.append(f"  {name:<12} " + self.versions.get(
                name, "not installed: " + self.missing.get(name, "not tried")))
        return "\n".join(lines)

    def _scaling(self, threads):
        """Two threads on one core do not double the peak."""
        if threads == 1 or 1 not in self.calibration:
            return ""
        peaks = [self.calibration[n]["peaks"]["f32"][0] for n in (threads, 1)]
        return f"; {peaks[0] / peaks[1]:.2f} times the f32 peak of 1 thread"

    def _lines(self, rows):
        yield ("benchmark", "thr", "contender", "median", "best", "+-",
               "Gop/s", "of peak", "GB/s", "of memory", "ratio", "95 %", "p",
               "verdict")
        for row in rows:
            start = (row.benchmark.id, str(row.threads))
            for name, cells in self.entries(row):
                yield start + (name,) + cells
                start = ("", "")

    def entries(self, row):
        """(contender, cells) for all who have something to say; the others
        share the last one."""
        absent = [n for n, o in row.outcomes.items() if "missing" in o]
        unable = [n for n, o in row.outcomes.items() if o.get(
            "refused", "").startswith("it has no ")]
        for name in row.outcomes:
            if name not in absent and name not in unable:
                yield name, self.cells(row, name)
        rest = [f"{what}: {', '.join(names)}" for what, names in
                (("not installed", absent), ("no such op", unable)) if names]
        if rest:
            yield "-", ("",) * 10 + ("; ".join(rest),)

    def cells(self, row, name):
        outcome, summary = row.outcomes[name], row.summary(name)
        if summary is None:
            kind = next(k for k in _MARKS if k in outcome)
            mark = _MARKS[kind] + (" yet" if kind == "refused" and name == US
                                   else "")
            return (mark, "", "", "", "", "", "", "", "", "",
                    "" if kind == "missing" else outcome[kind])
        bench = row.benchmark
        ratio = between = test = verdict = None
        if name == US:
            ratio, test, verdict = row.ratio(), row.test(), row.verdict()
            between = row.ratio_interval()
        elif name == row.best_peer():
            verdict = "best peer"
        return (_time(summary.median), _time(summary.best),
                _percent(summary.deviation / summary.mean),
                _number(_rate(bench.flops, summary.median) / 1e9),
                _percent(self.share_of_peak(row, name)),
                _number(_rate(bench.bytes, summary.median) / 1e9),
                _percent(self.share_of_bandwidth(row, name)),
                f"{ratio:.3f}" if ratio else "",
                f"{between[0]:.2f}-{between[1]:.2f}" if between else "",
                f"{test.p:.2g}" if test else "", verdict or "")

    def _notes(self):
        rows = [r for r in self.rows if r.ratio()]
        lines = []
        if rows:
            mean = math.exp(sum(math.log(r.ratio()) for r in rows) / len(rows))
            faster = sum(r.verdict() == "we are faster" for r in rows)
            slower = sum(r.verdict() == "we are slower" for r in rows)
            lines.append(
                f"\nAgainst the best peer of each: {len(rows)} comparisons, "
                f"faster {faster}, slower {slower}, no significant difference "
                f"{len(rows) - faster - slower}; geometric mean of the ratios "
                f"{mean:.3f}.")
        for threads, factors in self.scaling().items():
            lines.append(
                f"{US} on {threads} threads, times its speed on one, and in "
                "brackets the same of what bounds the benchmark: "
                + ", ".join(f"{id} {ours:.2f} "
                            f"({f'{limits:.2f}' if limits else '-'})"
                            for id, (ours, limits) in factors.items())
                + f"; {self.about['smt']}.")
        without = len(self.rows) - len(rows)
        if without:
            lines.append(f"{without} benchmark(s) without a comparison: we or "
                         "all peers have no figure. They are no pass.")
        lines.append(
            f"{self.sample_count} rounds with a sample of each; rates from the "
            "medians; the ratio, where it lies with 95 % probability, and the "
            "share of what bounds a benchmark from samples of the same round; a "
            "difference is significant if 1 lies outside; p: Welch's t-test.")
        for id, name, sentence in self.defects():
            lines.append(f"DEFECT: {id}: {name}: {sentence}")
        return "\n".join(lines)

    # --- JSON -----------------------------------------------------------------

    def json(self):
        return json.dumps({
            "format": "aik-bench", "version": JSON_VERSION,
            "driver": "benchmarks/run.py", "date": self.date,
            "machine": self.about,
            "calibration": list(self.calibration.values()),
            "contenders": [
                {"name": n, "version": self.versions.get(n),
                 "missing": self.missing.get(n)} for n in self.contenders],
            "results": [self._json_result(row, name) for row in self.rows
                        for name in row.with_figures()],
            "without_figures": [
                {"function": row.benchmark.id, "contender": name,
                 "threads": row.threads,
                 "reason": next(k for k in _MARKS if k in outcome),
                 "sentence": next(v for k, v in outcome.items()
                                  if k in _MARKS)}
                for row in self.rows for name, outcome in row.outcomes.items()
                if not row.samples(name)],
            "comparisons": [self._json_comparison(row) for row in self.rows],
        }, indent=1) + "\n"

    def _json_result(self, row, name):
        bench, outcome = row.benchmark, row.outcomes[name]
        summary = row.summary(name)
        shapes = ",".join(f"{t}[{'x'.join(map(str, s))}]"
                          for _, t, s, _ in bench.inputs)
        return {
            "function": bench.id, "shapes": shapes, "contender": name,
            "threads": row.threads, "suite": bench.suite,
            "median_s": summary.median, "mean_s": summary.mean,
            "stddev_s": summary.deviation, "min_s": summary.best,
            "max_s": summary.worst, "flops": bench.flops,
            "bytes": bench.bytes, "peak": bench.peak,
            "traffic": bench.traffic,
            "share_of_peak": self.share_of_peak(row, name),
            "share_of_bandwidth": self.share_of_bandwidth(row, name),
            "calls_per_sample": outcome["calls_per_sample"],
            "copies": outcome["copies"], "error": outcome["error"],
            "error_against": outcome["against"],
            "tolerance": bench.tolerance, "samples_s": outcome["samples_s"]}

    def _json_comparison(self, row):
        test = row.test()
        return {"function": row.benchmark.id, "threads": row.threads,
                "best_peer": row.best_peer(), "ratio": row.ratio(),
                "ratio_interval": row.ratio_interval(),
                "limit": row.limit.what if row.limit else None,
                "limit_s": row.measured.limit_s,
                "alone_s": row.measured.alone_s, "scaling": row.scaling(),
                "limit_alone_s": row.measured.limit_alone_s,
                "limit_scaling": row.limit_scaling(),
                "t": test.t if test and math.isfinite(test.t) else None,
                "p": test.p if test else None, "verdict": row.verdict()}


def _time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if seconds * scale >= 1 or unit == "ns":
            return f"{seconds * scale:.4g} {unit}"


def _number(value):
    return f"{value:.4g}" if value else ""


def _percent(share):
    return "" if share is None else f"{100 * share:.1f} %"


def _table(lines):
    """Columns padded to one width; figures are set right."""
    lines = [tuple(line) for line in lines]
    widths = [max(len(line[i]) for line in lines)
              for i in range(len(lines[0]))]
    left = {0, 2, len(widths) - 1}
    text = []
    for line in lines:
        cells = [c.ljust(w) if i in left else c.rjust(w)
                 for i, (c, w) in enumerate(zip(line, widths))]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)
