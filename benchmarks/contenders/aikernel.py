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
# are prepared and the workspace is allocated once. The structs mirror
# include/AIKernel-c/Runtime.h and Entry.h.
#
#===----------------------------------------------------------------------===#

import ctypes as c
import os
import subprocess

import numpy as np

from contenders import (Contender, NotInstalled, Unsupported, aligned,
                        pointer, widened)

_VERSION = 1
_MAX_RANK = 8
_WEIGHT, _DONATED = 1, 2
_RUN_PREPARED = 1
_DTYPES = {"f32": (1, "f4"), "f64": (2, "f8"), "f16": (3, "f2"),
           "bf16": (4, "u2"), "i8": (7, "i1"), "u8": (8, "u1"),
           "i32": (10, "i4"), "i64": (11, "i8")}
_STORED = {number: stored for number, stored in _DTYPES.values()}


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("dtype", c.c_uint32),
                ("rank", c.c_uint32), ("dims", c.c_int64 * _MAX_RANK),
                ("strides", c.c_int64 * _MAX_RANK)]


class RuntimeOptions(c.Structure):
    _fields_ = [("size", c.c_uint32), ("version", c.c_uint32),
                ("threads", c.c_uint32), ("reserved", c.c_uint32),
                ("hidden_features", c.c_uint64), ("parallel_for", c.c_void_p),
                ("pool", c.c_void_p), ("spin_ns", c.c_uint64)]


class ValueInfo(c.Structure):
    _fields_ = [("size", c.c_uint32), ("version", c.c_uint32),
                ("dtype", c.c_uint32), ("rank", c.c_uint32),
                ("flags", c.c_uint32), ("donates", c.c_uint32),
                ("dims", c.c_int64 * _MAX_RANK), ("min", c.c_int64 * _MAX_RANK),
                ("max", c.c_int64 * _MAX_RANK),
                ("multiple_of", c.c_int64 * _MAX_RANK),
                ("name", c.c_char * 256)]


class FunctionInfo(c.Structure):
    _fields_ = [("size", c.c_uint32), ("version", c.c_uint32),
                ("arg_count", c.c_uint32), ("result_count", c.c_uint32),
                ("name", c.c_char * 256)]


class RunOptions(c.Structure):
    _fields_ = [("size", c.c_uint32), ("version", c.c_uint32),
                ("flags", c.c_uint32), ("reserved", c.c_uint32),
                ("workspace", c.c_void_p), ("workspace_bytes", c.c_uint64)]


def _struct(kind, **fields):
    return kind(size=c.sizeof(kind), version=_VERSION, **fields)


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
            self.library = c.CDLL(tools["runtime"])
        except OSError as error:
            raise NotInstalled(f"no libaikrt: {error}") from None
        if not tools["artifacts"] and not os.path.exists(tools["aikc"]):
            raise NotInstalled(f"no {tools['aikc']}")
        for name in ("workspace", "prepare"):
            getattr(self.library, "aik_function_" + name).restype = c.c_int64
        self.library.aik_fault_message.restype = c.c_char_p
        self.runtime = c.c_void_p()
        options = _struct(RuntimeOptions, threads=threads)
        self._check(self.library.aik_runtime_open(c.byref(options),
                                                  c.byref(self.runtime)))
        self.device = c.c_uint64()
        self._check(self.library.aik_device_open(self.runtime, b"cpu",
                                                 c.byref(self.device)))
        self.version = "artifacts compiled ahead"
        if not tools["artifacts"]:
            self.version = subprocess.run(
                [tools["aikc"], "--version"], capture_output=True,
                text=True).stdout.split("\n")[0].strip()

    def _check(self, status):
        if status < 0:
            raise RuntimeError(self.library.aik_fault_message().decode())
        return status

    def prepare(self, task, arrays, copies):
        if task.op == "compile":
            return self._compile_calls(task)
        module, function = self._load(self._artifact(task), task.function)
        order = [name for name, _, _ in task.inputs]
        pairs = []
        for copy in range(copies):
            own = [arrays[n].copy() if copy and n in task.stream else arrays[n]
                   for n in order]
            pairs.append(self._bind(task, module, function, own))
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

    def _load(self, path, function):
        artifact, module = c.c_uint64(), c.c_uint64()
        self._check(self.library.aik_artifact_open_file(
            self.runtime, path.encode(), c.byref(artifact)))
        self._check(self.library.aik_module_load(
            self.runtime, artifact, self.device, None, c.byref(module)))
        index = self._check(self.library.aik_artifact_find_function(
            self.runtime, artifact, function.encode()))
        self.artifact = artifact
        return module, index

    def _tensor(self, array, dtype):
        tensor = Tensor(data=array.ctypes.data, dtype=_DTYPES[dtype][0],
                        rank=array.ndim)
        tensor.dims[:array.ndim] = array.shape
        tensor.strides[:array.ndim] = [s // array.itemsize
                                       for s in array.strides]
        return tensor

    def _donations(self, function, arg_count):
        """{result: argument that it may replace}"""
        donated = {}
        for index in range(arg_count):
            info = _struct(ValueInfo)
            self._check(self.library.aik_artifact_argument(
                self.runtime, self.artifact, function, index, c.byref(info)))
            if info.flags & _DONATED:
                donated[info.donates] = index
        return donated

    def _bind(self, task, module, function, arrays):
        """A closure that runs the function on these arrays."""
        library, runtime = self.library, self.runtime
        info = _struct(FunctionInfo)
        self._check(library.aik_artifact_function(
            runtime, self.artifact, function, c.byref(info)))
        count, results_count = info.arg_count, info.result_count
        args = (Tensor * count)(*(
            self._tensor(a, t) for a, (_, t, _) in zip(arrays, task.inputs)))
        results = (Tensor * results_count)()
        self._check(library.aik_function_shape(runtime, module, function, args,
                                               count, results, results_count))
        flags, keep = 0, [arrays]
        stored = self._check(library.aik_function_prepare(
            runtime, module, function, args, count, None, None,
            c.c_uint64(0)))
        if stored:
            storage = aligned(stored, np.uint8)
            prepared = (Tensor * count)()
            self._check(library.aik_function_prepare(
                runtime, module, function, args, count, prepared,
                pointer(storage), c.c_uint64(stored)))
            args, flags = prepared, _RUN_PREPARED
            keep.append(storage)
        donated = self._donations(function, count)
        outputs = []
        keep.append(outputs)
        for index, result in enumerate(results):
            array = aligned(tuple(result.dims[:result.rank]),
                            _STORED[result.dtype])
            array[...] = 0      # touch the pages
            result.data = args[donated[index]].data if index in donated \
                else array.ctypes.data
            outputs.append(array)
        needed = self._check(library.aik_function_workspace(
            runtime, module, function, args, count))
        workspace = aligned(max(needed, 1), np.uint8)
        workspace[...] = 0
        keep.append(workspace)
        options = _struct(RunOptions, flags=flags,
                          workspace=workspace.ctypes.data,
                          workspace_bytes=needed)
        run, reference = library.aik_function_run, c.byref(options)

        def call():
            if run(runtime, module, function, args, count, results,
                   results_count, reference) < 0:
                raise RuntimeError(library.aik_fault_message().decode())
        call.keep = keep
        return call, lambda: widened(outputs[0])

    def _compile_calls(self, task):
        if self.tools["artifacts"]:
            raise Unsupported("aikc is not to be used here")
        artifact = os.path.join(task.folder, "compile.aikx")
        command = [self.tools["aikc"], task.program, "-o", artifact]
        return [lambda: subprocess.run(command, check=True,
                                       capture_output=True)], None


open = AIKernel
