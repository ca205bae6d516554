#!/usr/bin/env python3
#===- derive_tables.py - Derives the constants of the math functions -------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Writes the *.inc files of this folder from the mathematics: tables as sums of
# two doubles, polynomials as near-minimax fits (interpolation at Chebyshev
# nodes in 80 digits, then rounded once to double). Needs mpmath. The build
# does not run this; it is here so that every constant can be derived again.
#
#===------------------------------------------------------------------------===#

import math
import os
from mpmath import mp, mpf, cos, pi, sin, exp, erf, erfc, log, sqrt, atan

mp.dps = 80
HERE = os.path.dirname(os.path.abspath(__file__))


def hexa(x):
    """A double as C text."""
    return float(x).hex()


def split(x):
    """x as an unevaluated sum of two doubles."""
    hi = float(x)
    return hi, float(x - mpf(hi))


def leading(x, bits):
    """x cut to its leading `bits` bits."""
    exponent = math.frexp(float(x))[1]
    scale = mpf(2) ** (bits - exponent)
    return mpf(int(x * scale)) / scale


def fit(f, low, high, degree):
    """Coefficients (constant first) of the polynomial through f at the
    Chebyshev nodes of [low, high]. An odd degree keeps the center, where a
    difference quotient is 0/0, out of the nodes."""
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    # Newton's divided differences, then expansion into powers.
    table = [f(x) for x in nodes]
    for level in range(1, n):
        for i in range(n - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - level])
    poly = [mpf(0)] * n
    for i in reversed(range(n)):
        poly = [(poly[k - 1] if k else 0) - nodes[i] * poly[k] for k in range(n)]
        poly[0] += table[i]
    return poly


def write(name, summary, lines):
    bar = "//===- %s - %s " % (name, summary)
    with open(os.path.join(HERE, name), "w") as out:
        out.write(bar + "-" * (75 - len(bar)) + "===//\n//\n"
                  "// Part of the AIKernel project, under the Apache License v2.0 with LLVM\n"
                  "// Exceptions. See LICENSE for license information.\n"
                  "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n"
                  "//===" + "-" * 70 + "===//\n//\n"
                  "// Written by derive_tables.py; derive again instead of editing.\n//\n"
                  "//===" + "-" * 70 + "===//\n\n")
        out.write("\n".join(lines) + "\n")


def scalar(name, value, note=""):
    if note:
        note = " // " + note
    return ["static const double %s = %s;%s" % (name, hexa(value), note)]


def array(name, values):
    return (["static const double %s[%d] = {" % (name, len(values))]
            + ["    %s," % hexa(v) for v in values] + ["};"])


def pairs(name, rows):
    width = len(rows[0])
    return (["static const double %s[%d][%d] = {" % (name, len(rows), width)]
            + ["    {%s}," % ", ".join(hexa(v) for v in row) for row in rows] + ["};"])


def exp_tables():
    step = log(mpf(2)) / 128
    step_hi = leading(step, 34)
    lines = scalar("stepsPerUnit", 1 / step, "128 / ln 2")
    lines += scalar("stepHi", step_hi, "ln 2 / 128, 34 bits") + scalar("stepLo", step - step_hi, "the rest")
    ln2, ln10 = split(log(mpf(2))), split(log(mpf(10)))
    lines += scalar("ln2Hi", ln2[0]) + scalar("ln2Lo", ln2[1])
    lines += scalar("ln10Hi", ln10[0]) + scalar("ln10Lo", ln10[1])
    lines += ["", "// 2^(j/128) as a sum of two doubles."]
    lines += pairs("powersOfTwo", [split(mpf(2) ** (mpf(j) / 128)) for j in range(128)])
    write("ExpTables.inc", "Constants of the exponential family", lines)


def log_tables():
    ln2 = log(mpf(2))
    ln2_hi = leading(ln2, 40)
    lines = scalar("ln2Hi", ln2_hi, "ln 2, 40 bits") + scalar("ln2Lo", ln2 - ln2_hi, "the rest")
    for name, value in (("invLn2", 1 / log(mpf(2))), ("invLn10", 1 / log(mpf(10))),
                        ("log10Of2", log(mpf(2)) / log(mpf(10)))):
        hi, lo = split(value)
        if name == "log10Of2":
            hi = float(leading(value, 40))
            lo = float(value - mpf(hi))
        lines += scalar(name + "Hi", hi) + scalar(name + "Lo", lo)
    rows = []
    for j in range(90, 183):
        c = leading(mpf(128) / j * (1 + mpf(2) ** -21), 20)
        hi, lo = split(-log(c))
        rows.append((float(c), hi, lo))
    lines += ["", "// For j = 90 ... 182: c near 128/j with 20 bits, and -ln c as two doubles."]
    lines += pairs("inverseAndLog", rows)
    write("LogTables.inc", "Constants of the logarithm family", lines)


def trig_tables():
    half_pi = pi / 2
    lines = scalar("twoOverPi", 2 / pi)
    rest = half_pi
    for i in range(3):
        part = leading(rest, 33)
        lines += scalar("halfPi%d" % (i + 1), part, "33 bits")
        rest -= part
    lines += scalar("halfPi4", rest)
    hi, lo = split(half_pi)
    lines += scalar("halfPiHi", hi) + scalar("halfPiLo", lo)
    bound = (mpf(pi) / 4) ** 2 * mpf("1.02")
    eps = mpf(10) ** -30  # keeps the removable singularity at 0 out of the nodes

    def sin_tail(z):
        r = sqrt(z)
        return (sin(r) - r) / (r * z)

    def cos_tail(z):
        return (cos(sqrt(z)) - 1 + z / 2) / (z * z)
    lines += ["", "// sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2), |r| <= pi/4."]
    lines += array("sinTail", fit(sin_tail, eps, bound, 6)) + array("cosTail", fit(cos_tail, eps, bound, 6))
    # 2/pi after 64 zero bits, so that a window may start before the point.
    old = mp.prec
    mp.prec = 1500
    bits = int((2 / mp.pi) * mpf(2) ** (64 * 20))
    mp.prec = old
    words = [0] + [(bits >> (64 * (19 - i))) & (2 ** 64 - 1) for i in range(20)]
    lines += ["", "// The bits of 2/pi, most significant first, after one word of zeros.",
              "static const uint64_t twoOverPiBits[%d] = {" % len(words)]
    lines += ["    0x%016xu," % w for w in words] + ["};"]
    write("TrigTables.inc", "Constants of the trigonometric functions", lines)


def erf_tables():
    hi, lo = split(2 / sqrt(pi))
    lines = scalar("slopeHi", hi, "2 / sqrt(pi)") + scalar("slopeLo", lo)

    def small(z):
        x = sqrt(z)
        return (erf(x) / x - 2 / sqrt(pi)) / z
    lines += ["", "// erf x = x (slope + x^2 P(x^2)), |x| <= 1/2."]
    lines += array("smallTail", fit(small, mpf(10) ** -30, mpf("0.2501"), 9))
    rows = []
    for j in range(44):
        center = mpf("0.5625") + mpf(j) / 8
        value = erf(center)

        def slope(h):
            return (erf(center + h) - value) / h
        reach = mpf("0.0626")
        rows.append(list(split(value)) + fit(slope, -reach, reach, 11))
    lines += ["", "// Around c = 9/16 + j/8: erf(c) as two doubles, then the P of",
              "// erf(c + h) = erf(c) + h P(h), |h| <= 1/16."]
    lines += pairs("pieces", rows)
    # e^(x^2) erfc(x) on [1/4, 32): eight pieces per power of two.
    rows = []
    for exponent in range(-2, 5):
        for j in range(8):
            width = mpf(2) ** exponent / 8
            center = mpf(2) ** exponent + width * j + width / 2

            def scaled(x):
                return exp(x * x) * erfc(x)
            value = scaled(center)
            reach = width / 2 * mpf("1.001")
            rows.append(list(split(value))
                        + fit(lambda h: (scaled(center + h) - value) / h, -reach, reach, 11))
    lines += ["", "// Around the centers c of eight pieces per power of two from 1/4 on, for",
              "// g(x) = e^(x^2) erfc(x): g(c) as two doubles, then the P of",
              "// g(c + h) = g(c) + h P(h)."]
    lines += pairs("scaledPieces", rows)
    write("ErfTables.inc", "Constants of the error function", lines)


def atan_tables():
    lines = []
    for name, value in (("halfPi", pi / 2), ("pi", mpf(pi))):
        hi, lo = split(value)
        lines += scalar(name + "Hi", hi) + scalar(name + "Lo", lo)
    lines += ["", "// atan(j/16) as two doubles."]
    lines += pairs("atanOfSixteenth", [split(atan(mpf(j) / 16)) for j in range(17)])
    bound = (mpf(1) / 31) ** 2

    def tail(z):
        t = sqrt(z)
        return (atan(t) / t - 1) / z
    lines += ["", "// atan t = t + t^3 P(t^2), |t| <= 1/31."]
    lines += array("atanTail", fit(tail, mpf(10) ** -30, bound, 5))
    write("AtanTables.inc", "Constants of the inverse trigonometric functions", lines)


exp_tables()
log_tables()
trig_tables()
erf_tables()
atan_tables()
