#!/usr/bin/python3
#===- signals.py - Sends signals to a waiting aikc --------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: signals.py TOOL
#
# In: nothing. Out: how aikc ended after each signal, and what it left. Either
# it has read its program then and waits for an override that never comes, a
# pipe; or it has compiled, has written temporary files, and waits for somebody
# to read its standard output.
#
#===----------------------------------------------------------------------===#

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

F_SETPIPE_SZ = 1031  # of Linux; newer versions of fcntl name it

GOOD = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = aikernel.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


def restore_signals():
    """A test may be run with some signals ignored."""
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGPIPE]:
        signal.signal(number, signal.SIG_DFL)


def send(tool, number, words=()):
    """(how it ended, files left, standard error, reproducer's text)"""
    with tempfile.TemporaryDirectory() as folder, \
            tempfile.TemporaryDirectory() as temporary:
        with open(os.path.join(folder, "good.mlir"), "w") as file:
            file.write(GOOD)
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        process = subprocess.Popen(
            [tool, "good.mlir", "-o", "out.aikx", "--dump-phases-to=dump",
             "--override=kernel:pipe", *words],
            cwd=folder, env={**os.environ, "TMPDIR": temporary},
            stderr=subprocess.PIPE, text=True, preexec_fn=restore_signals)
        # Opening our end succeeds only when aikc has opened its own.
        deadline = time.monotonic() + 30
        while True:
            try:
                end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        process.send_signal(number)
        errors = process.communicate(timeout=30)[1]
        os.close(end)
        ending = describe(process.returncode)
        texts = []
        for name in os.listdir(temporary):
            with open(os.path.join(temporary, name)) as file:
                texts.append(file.read())
        return ending, sorted(os.listdir(folder)), errors, texts


def describe(code):
    return f"ended by signal {-code}" if code < 0 else f"exit status {code}"


def interrupt_writing(tool, number=None, words=()):
    """Without a number, the reader goes away."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "good.mlir"), "w") as file:
            file.write(GOOD)
        before, after = os.pipe()
        # Smaller than any output, so that writing to it waits.
        fcntl.fcntl(after, F_SETPIPE_SZ, 4096)
        process = subprocess.Popen(
            [tool, "good.mlir", "--compile-to=target", "-o", "-",
             "--dump-phases-to=dump", *words],
            cwd=folder, stdout=after, stderr=subprocess.DEVNULL,
            preexec_fn=restore_signals)
        os.close(after)
        os.read(before, 1)  # it writes
        if number:
            process.send_signal(number)
        elif not words:
            os.close(before)
        code = process.wait(timeout=30)
        return f"{describe(code)}, files: {sorted(os.listdir(folder))}"


def main():
    tool = sys.argv[1]
    for name in ["SIGINT", "SIGTERM", "SIGHUP"]:
        ending, files, errors, texts = send(tool, getattr(signal, name))
        print(f"{name}: {ending}, files: {files}")
    print("SIGTERM while writing:", interrupt_writing(tool, signal.SIGTERM))
    print("time limit while writing:",
          interrupt_writing(tool, words=["--max-time=2"]))
    print("closed pipe:", interrupt_writing(tool))
    ending, files, errors, texts = send(tool, signal.SIGSEGV)
    print(f"SIGSEGV: {ending}, files: {files}")
    print(errors)
    named = re.search(r"this replays it: aikc (\S+\.mlir) -o /dev/null", errors)
    print(f"the reproducer is the program: {texts == [GOOD] and bool(named)}")
    errors = send(tool, signal.SIGSEGV, ["--diagnostics=json"])[2]
    lines = [json.loads(line) for line in errors.splitlines()]
    print("json: AIK-E0013 and a note:",
          [line.get("code") for line in lines] == ["AIK-E0013", None]
          and "this replays it" in lines[1]["message"])


if __name__ == "__main__":
    main()
