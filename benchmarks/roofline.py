#===- roofline.py - Plots as SVG ------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a Report. Out: the text of an SVG picture. A roofline shows, on
# logarithmic axes, operations per second over operations per byte: the roofs
# are the calibrated peaks and the memory bandwidth of this run, every point is
# one contender on one benchmark. Bars show everyone's speed relative to the
# best peer.
#
#===----------------------------------------------------------------------===#

import html
import math

import report as text_report
import stats

COLORS = {"aikernel": "#d1345b", "blis": "#3366cc", "openblas": "#6aa84f",
          "onednn": "#8e63b3", "torch": "#e07b00", "onnxruntime": "#17889b",
          "iree": "#7a5c45", "ggml": "#5b6478"}
_GREY = "#8b93a5"


class _Picture:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def line(self, x1, y1, x2, y2, color=_GREY, width=1.0, dash=""):
        dash = f" stroke-dasharray='{dash}'" if dash else ""
        self.parts.append(
            f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' "
            f"stroke='{color}' stroke-width='{width}'{dash}/>")

    def text(self, x, y, words, anchor="start", size=12, color="#1d2433",
             weight="normal", turn=0):
        turn = f" transform='rotate({turn} {x:.1f} {y:.1f})'" if turn else ""
        self.parts.append(
            f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{color}' "
            f"text-anchor='{anchor}' font-weight='{weight}'{turn}>"
            f"{html.escape(words)}</text>")

    def dot(self, x, y, color, radius, label):
        self.parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius}' fill='{color}' "
            f"fill-opacity='0.8' stroke='#fff' stroke-width='0.8'>"
            f"<title>{html.escape(label)}</title></circle>")

    def box(self, x, y, width, height, color, label=""):
        title = f"<title>{html.escape(label)}</title>" if label else ""
        self.parts.append(
            f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0):.1f}' "
            f"height='{height:.1f}' fill='{color}'>{title}</rect>")

    def done(self):
        return (f"<svg xmlns='http://www.w3.org/2000/svg' "
                f"viewBox='0 0 {self.width} {self.height}' "
                f"width='{self.width}' height='{self.height}' "
                "font-family='system-ui, sans-serif'>"
                + "".join(self.parts) + "</svg>")


def _points(report, threads):
    """(contender, operations per byte, operations per second, label)"""
    for row in report.rows:
        bench = row.benchmark
        if row.threads != threads or not bench.flops or not bench.bytes:
            continue
        for name in row.with_figures():
            speed = bench.flops / row.summary(name).median
            yield (name, bench.flops / bench.bytes, speed,
                   f"{bench.id}, {name}: {speed / 1e9:.4g} Gop/s")


def _decades(low, high):
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


def _power(exponent):
    """1e9 operations per second are 1 Gop/s."""
    value = 10.0 ** exponent
    return f"{value:g}"


def plot(report, threads):
    """The roofline of one thread count."""
    limits = report.calibration[threads]
    points = list(_points(report, threads))
    width, height, left, right, top, bottom = 1060, 520, 70, 190, 20, 55
    xs = [p[1] for p in points] or [1.0]
    low_x, high_x = min(0.1, min(xs) / 2), max(1000.0, max(xs) * 2)
    roofs = {t: rate for t, (rate, _) in limits["peaks"].items()}
    bandwidth = limits["read"]
    low_y = min([p[2] for p in points] + [bandwidth * low_x]) / 2
    high_y = max([*roofs.values(), *(p[2] for p in points)]) * 2
    picture = _Picture(width, height)

    def x_of(value):
        return left + (width - left - right) * \
            math.log(value / low_x) / math.log(high_x / low_x)

    def y_of(value):
        return height - bottom - (height - top - bottom) * \
            math.log(value / low_y) / math.log(high_y / low_y)

    for exponent in _decades(low_x, high_x):
        if low_x <= 10.0 ** exponent <= high_x:
            x = x_of(10.0 ** exponent)
            picture.line(x, top, x, height - bottom, "#e6e9f0")
            picture.text(x, height - bottom + 18, _power(exponent), "middle",
                         11, "#5b6478")
    for exponent in _decades(low_y, high_y):
        if low_y <= 10.0 ** exponent <= high_y:
            y = y_of(10.0 ** exponent)
            picture.line(left, y, width - right, y, "#e6e9f0")
            picture.text(left - 8, y + 4, _power(exponent - 9), "end", 11,
                         "#5b6478")
    picture.text((left + width - right) / 2, height - 12,
                 "operations per byte that must be moved", "middle")
    picture.text(18, (top + height - bottom) / 2, "Gop/s", "middle", turn=-90)
    _draw_roofs(picture, limits, bandwidth, low_x, high_x, low_y, x_of, y_of,
                width - right)
    # Ours last, so that nobody's point hides it.
    for name, intensity, speed, label in sorted(
            points, key=lambda p: p[0] == text_report.US):
        picture.dot(x_of(intensity), y_of(speed), COLORS.get(name, _GREY),
                    6 if name == text_report.US else 4, label)
    _legend(picture, [n for n in report.contenders
                      if any(p[0] == n for p in points)], width - 110, 300)
    return picture.done()


def _draw_roofs(picture, limits, bandwidth, low_x, high_x, low_y, x_of, y_of,
                edge):
    highest = max(rate for rate, _ in limits["peaks"].values())
    start = max(low_x, low_y / bandwidth)
    picture.line(x_of(start), y_of(bandwidth * start),
                 x_of(min(highest / bandwidth, high_x)),
                 y_of(min(highest, bandwidth * high_x)), "#1d2433", 1.6)
    copy = limits["copy"]
    picture.line(x_of(start), y_of(copy * start),
                 x_of(min(highest / copy, high_x)),
                 y_of(min(highest, copy * high_x)), _GREY, 1.2, "6 4")
    slope_x, slope_y = x_of(start * 1.6), y_of(bandwidth * start * 1.6)
    angle = -math.degrees(math.atan2(
        slope_y - y_of(bandwidth * start * 16),
        x_of(start * 16) - slope_x))
    picture.text(slope_x, slope_y + 18, f"reading memory "
                 f"{bandwidth / 1e9:.1f} GB/s", size=12, turn=angle)
    picture.text(slope_x, y_of(copy * start * 1.6) - 8,
                 f"copying it {copy / 1e9:.1f} GB/s", size=12, turn=angle)
    taken = []
    for type, (rate, instruction) in sorted(limits["peaks"].items(),
                                            key=lambda p: -p[1][0]):
        y = y_of(rate)
        picture.line(x_of(min(rate / bandwidth, high_x)), y, edge, y,
                     "#1d2433", 1.6)
        place = y + 4
        while any(abs(place - other) < 14 for other in taken):
            place += 14     # equal peaks share one line
        taken.append(place)
        picture.text(edge + 6, place, f"{type} {rate / 1e9:.0f} "
                     f"({instruction})", size=11)


def _legend(picture, names, x, y):
    for place, name in enumerate(names):
        picture.dot(x, y + 19 * place, COLORS.get(name, _GREY), 5, name)
        picture.text(x + 12, y + 4 + 19 * place, name)


def bars(report, rows):
    """Everyone's speed over the best peer's (over ours where there is none)."""
    rows = [r for r in rows if r.with_figures()]
    names = [n for n in report.contenders if any(r.samples(n) for r in rows)]
    if not rows:
        return "<p class=none>nobody has a figure</p>"
    bar, gap, left, width = 11, 12, 330, 1060
    heights = [len(r.with_figures()) * bar + gap for r in rows]
    top = 34
    height = top + sum(heights) + 12
    picture = _Picture(width, height)
    best = max(_share(r, n) for r in rows for n in r.with_figures())
    scale = (width - left - 70) / max(best, 1.1)
    for tick in range(0, int(max(best, 1.1) * 2) + 1):
        x = left + scale * tick / 2
        picture.line(x, top - 4, x, height - 8,
                     "#1d2433" if tick == 2 else "#e6e9f0")
        picture.text(x, top - 8, f"{tick / 2:g}", "middle", 10, "#5b6478")
    shown = 0
    for name in names:
        picture.box(left + shown, 2, 10, 10, COLORS.get(name, _GREY))
        picture.text(left + shown + 14, 11, name, size=11)
        shown += 30 + 7 * len(name)
    y = top
    for row, room in zip(rows, heights):
        picture.text(left - 10, y + (room - gap) / 2 + 4,
                     f"{row.benchmark.id} ({row.threads} thr)", "end", 11)
        for name in row.with_figures():
            share = _share(row, name)
            picture.box(left, y, scale * share, bar - 2,
                        COLORS.get(name, _GREY),
                        f"{name}: {share:.3f}")
            if name == text_report.US:
                picture.text(left + scale * share + 4, y + bar - 3,
                             f"{share:.2f}", size=10, weight="bold")
            y += bar
        y += gap
    return picture.done()


def _share(row, name):
    """The speed of one over that of the best peer, or over ours."""
    base = row.best_peer() or text_report.US
    return stats.ratio(row.samples(name), row.samples(base))
