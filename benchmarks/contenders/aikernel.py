#===- aikernel.py - Us: artifacts through libaikrt ------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# aikc compiles the program into an artifact; libaikrt loads it into this
# process through ctypes and runs it, so that no process start is timed. Weights
# are prepared and the workspace is allocated once.
#
#===----------------------------------------------------------------------===#

import os
import subprocess

import numpy as np

import aikrt
from contenders import (Contender, NotInstalled, Unsupported, aligned,
                        aligned_copy, widened)

_STORED = {number: stored for number, stored in aikrt.DTYPES.values()}


def compile_program(tools, source, artifact):
    """Raises Unsupported with aikc's sentence."""
    target = [f"--target={tools['target']}"] if tools["target"] else []
    done = subprocess.run([tools["aikc"], source, "-o", artifact,
                           "--strip-reference", *target],
                          capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines()
                 if "error:" in line] or ["aikc failed"]
        raise Unsupported(lines[0].split("error: ", 1)[-1])


class AIKernel(Contender):
    name = "aikernel"

    def __init__(self, threads, tools):
        super().__init__(threads, tools)
        try:
            self.runtime = aikrt.Runtime(tools["runtime"], "cpu", threads)
        except OSError as error:
            raise NotInstalled(f"no libaikrt: {error}") from None
        if not tools["artifacts"] and not os.path.exists(tools["aikc"]):
            raise NotInstalled(f"no {tools['aikc']}")
        self.version = "artifacts compiled ahead"
        if not tools["artifacts"]:
            self.version = subprocess.run(
                [tools["aikc"], "--version"], capture_output=True,
                text=True).stdout.split("\n")[0].strip()

    def prepare(self, task, arrays, copies):
        if task.op == "compile":
            return self._compile_calls(task)
        function = self.runtime.load(self._artifact(task), task.function)
        order = [name for name, _, _ in task.inputs]
        pairs = []
        for copy in range(copies):
            own = [aligned_copy(arrays[n]) if copy and n in task.stream
                   else arrays[n] for n in order]
            pairs.append(self._bind(task, function, own))
        return [call for call, _ in pairs], pairs[0][1]

    def _artifact(self, task):
        if not self.tools["artifacts"]:
            path = os.path.join(task.folder, "aikernel.aikx")
            compile_program(self.tools, task.program, path)
            return path
        path = os.path.join(self.tools["artifacts"], task.id + ".aikx")
        if not os.path.exists(path):
            raise Unsupported("no artifact was compiled ahead")
        return path

    def _bind(self, task, function, arrays):
        """A closure that runs the function on these arrays."""
        args = (aikrt.Tensor * function.arg_count)(*(
            aikrt.tensor(a.ctypes.data, t, a.shape,
                         [s // a.itemsize for s in a.strides])
            for a, (_, t, _) in zip(arrays, task.inputs)))
        results = function.shapes(args)
        flags, keep = 0, [arrays]
        stored = function.storage(args)
        if stored:
            storage = aligned(stored, np.uint8)
            args = function.prepare(args, storage.ctypes.data, stored)
            flags = aikrt.PREPARED
            keep.append(storage)
        donated = function.donations()
        outputs = []
        keep.append(outputs)
        for index, result in enumerate(results):
            array = aligned(tuple(result.dims[:result.rank]),
                            _STORED[result.dtype])
            array[...] = 0      # touch the pages
            result.data = args[donated[index]].data if index in donated \
                else array.ctypes.data
            outputs.append(array)
        needed = function.workspace(args)
        workspace = aligned(max(needed, 1), np.uint8)
        workspace[...] = 0
        keep.append(workspace)
        call = function.caller(args, results, aikrt.struct(
            aikrt.RunOptions, flags=flags, workspace=workspace.ctypes.data,
            workspace_bytes=needed))
        call.more = keep
        return call, lambda: widened(outputs[0])

    def _compile_calls(self, task):
        if self.tools["artifacts"]:
            raise Unsupported("aikc is not to be used here")
        artifact = os.path.join(task.folder, "compile.aikx")
        command = [self.tools["aikc"], task.program, "-o", artifact]
        return [lambda: subprocess.run(command, check=True,
                                       capture_output=True)], None


open = AIKernel
