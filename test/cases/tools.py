#===- tools.py - Calls aikc and aik-run ----------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Compiles groups of functions and runs batches of calls. A compiler or a kernel
# that dies takes only its own cases with it: a group that does not compile is
# halved until the guilty function stands alone, and a batch that dies is
# resumed after the call that killed it.
#
#===----------------------------------------------------------------------===#

import os
import re
import shlex
import signal
import subprocess

import numpy as np

from cases import emit


class Tools:
    def __init__(self, aikc, runner, target, folder, flags="", guard=True,
                 compiled=False, compile_limit=600, run_limit=600):
        self.aikc = [aikc] + shlex.split(flags)
        self.runner = shlex.split(runner)
        self.target = target
        self.folder = folder
        self.guard = guard
        self.compiled = compiled    # on another machine, into this folder
        self.compile_limit = compile_limit
        self.run_limit = run_limit
        self.tiled = set()      # functions whose kernels are tile programs

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, name, cases):
        """Yields (artifact or None, cases, sentence) for parts of `cases`."""
        source, artifact = self.path(name + ".mlir"), self.path(name + ".aikx")
        if self.compiled:
            yield from self._find(name, artifact, cases)
            return
        with open(source, "w") as file:
            file.write(emit.module_text(cases))
        command = self.aikc + [source, "--fail-on-warnings", "-o", artifact]
        if self.target:
            command.append(f"--target={self.target}")
        status, _, errors = _call(command, self.compile_limit)
        if status == 0 and os.path.exists(artifact):
            # With --remarks among the flags.
            self.tiled.update(re.findall(
                r"kernel '(\w+)\$kernel[\w$]+': (?:tile programs|attention in "
                r"tiles) of", errors))
            yield artifact, cases, None
            return
        functions = list(dict.fromkeys(emit.function_name(c) for c in cases))
        if len(functions) == 1:
            yield None, cases, f"aikc {_ending(status)}: {_last(errors)}"
            return
        for suffix, part in _halves(cases):
            yield from self.compile(name + suffix, part)

    def _find(self, name, artifact, cases):
        if os.path.exists(artifact):
            yield artifact, cases, None
        elif len({emit.function_name(c) for c in cases}) == 1:
            yield None, cases, f"{artifact} is not there"
        else:
            for suffix, part in _halves(cases):
                yield from self.compile(name + suffix, part)

    def run(self, name, artifact, calls, isa, donate, rounds=1):
        """calls: (function, input arrays, result count). One answer per call:
        (list of arrays, None) or (None, "AIK-Rnnnn sentence"). `donate`:
        results take the memory of the arguments that were given away. With
        several rounds, all calls are made that often, one round after the
        other."""
        lines, once = [], len(calls)
        calls = list(calls) * rounds
        for number, (function, inputs, results) in enumerate(calls):
            files = []
            for place, array in enumerate(inputs):
                file = self.path(f"{name}.{number % once}.i{place}.npy")
                if not os.path.exists(file):    # the other ISA's run wrote it
                    np.save(file, array)
                files.append(file)
            outputs = [self.path(f"{name}.{number}.o{r}.npy")
                       for r in range(results)]
            for file in outputs:
                if os.path.exists(file):
                    os.unlink(file)
            lines.append(f"{function} {','.join(files)} -> "
                         f"{','.join(outputs)}")
        answers = []
        while len(answers) < len(calls):
            answers += self._batch(name, artifact, lines[len(answers):], isa,
                                   donate)
        return [self._result(name, number, call[2], answer)
                for number, (call, answer) in enumerate(zip(calls, answers))]

    def _batch(self, name, artifact, lines, isa, donate):
        """The answers of as many lines as one process got through, at least
        one: None for success, else a sentence."""
        listing = self.path(name + ".cases")
        with open(listing, "w") as file:
            file.write("\n".join(lines) + "\n")
        command = self.runner + [artifact, "--cases", listing]
        if self.guard:
            command.append("--guard")
        if isa != "best":
            command += ["--isa", isa]
        if donate:
            command.append("--donate")
        status, output, errors = _call(command, self.run_limit)
        answers = []
        for line in output.splitlines():
            match = re.match(r"\d+ (ok|error) (.*)", line)
            if match and len(answers) < len(lines):
                answers.append(None if match[1] == "ok" else match[2])
        if len(answers) < len(lines) and (status != 0 or not answers):
            answers.append(f"DIED: aik-run {_ending(status)}: {_last(errors)}")
        return answers

    def _result(self, name, number, count, answer):
        if answer is not None:
            return None, answer
        arrays = []
        for index in range(count):
            file = self.path(f"{name}.{number}.o{index}.npy")
            try:
                arrays.append(np.load(file, allow_pickle=False))
            except (OSError, ValueError) as error:
                return None, f"result {index} cannot be read: {error}"
        return arrays, None


def _halves(cases):
    functions = list(dict.fromkeys(emit.function_name(c) for c in cases))
    half = set(functions[:len(functions) // 2])
    for suffix, side in (("a", True), ("b", False)):
        yield suffix, [c for c in cases
                       if (emit.function_name(c) in half) == side]


def _call(command, limit):
    """(status, stdout, stderr); status -9999 when out of time."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        return -9999, _text(late.stdout), _text(late.stderr)
    except OSError as error:
        return -9998, "", str(error)
    return done.returncode, _text(done.stdout), _text(done.stderr)


def _text(raw):
    return (raw or b"").decode(errors="replace")


def _ending(status):
    if status == -9999:
        return "ran out of time"
    if status == -9998:
        return "could not be started"
    if status < 0:
        return f"died of {signal.Signals(-status).name}"
    return f"exited with {status}"


def _last(errors):
    """The line of a tool's stderr that says the most."""
    lines = [l.strip() for l in errors.splitlines() if l.strip()]
    for line in lines:
        if "error" in line.lower():
            return line[:300]
    return lines[-1][:300] if lines else "no message"
