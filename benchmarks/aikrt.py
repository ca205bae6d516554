#===- aikrt.py - libaikrt from Python -------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The structs of include/AIKernel-c/Runtime.h and Entry.h, and a runtime with
# one device, through ctypes. In: the path of the library, artifacts. Out:
# functions to call, with what the artifact says about their values. A failure
# is a RuntimeError with the runtime's sentence.
#
#===----------------------------------------------------------------------===#

import ctypes as c

_VERSION = 1
_MAX_RANK = 8
WEIGHT, DONATED = 1, 2
PREPARED, ASYNC, ON_STREAM = 1, 2, 4
#: Name -> number and the letter and size that numpy stores it as.
DTYPES = {"f32": (1, "f4"), "f64": (2, "f8"), "f16": (3, "f2"),
          "bf16": (4, "u2"), "f8E4M3FN": (5, "u1"), "f8E5M2": (6, "u1"),
          "i8": (7, "i1"), "u8": (8, "u1"),
          "i32": (10, "i4"), "i64": (11, "i8")}


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
                ("workspace", c.c_void_p), ("workspace_bytes", c.c_uint64),
                ("stream", c.c_void_p)]


def struct(kind, **fields):
    return kind(size=c.sizeof(kind), version=_VERSION, **fields)


def tensor(address, dtype, shape, strides):
    """`dtype` is a name; strides are in elements."""
    view = Tensor(data=address, dtype=DTYPES[dtype][0], rank=len(shape))
    view.dims[:len(shape)] = shape
    view.strides[:len(shape)] = strides
    return view


class Runtime:
    """A runtime and one device of it. OSError when there is no library."""

    def __init__(self, path, device, threads=0):
        self.library = c.CDLL(path)
        for name in ("workspace", "prepare"):
            getattr(self.library, "aik_function_" + name).restype = c.c_int64
        self.library.aik_fault_message.restype = c.c_char_p
        self.runtime = c.c_void_p()
        self.call("runtime_open", c.byref(struct(RuntimeOptions,
                                                 threads=threads)),
                  c.byref(self.runtime), plain=True)
        self.device = c.c_uint64()
        self.call("device_open", device.encode(), c.byref(self.device))

    def check(self, status):
        if status < 0:
            raise RuntimeError(self.library.aik_fault_message().decode())
        return status

    def call(self, name, *values, plain=False):
        """aik_<name> of this runtime."""
        first = () if plain else (self.runtime,)
        return self.check(getattr(self.library, "aik_" + name)(*first, *values))

    def load(self, path, function):
        return Function(self, path, function)

    def wait(self):
        self.call("device_wait", self.device, c.c_int64(-1))

    def record(self, call):
        """The runs that `call` makes, as one graph; a function that launches
        it on a stream."""
        graph = c.c_uint64()
        self.call("graph_begin", self.device)
        call()
        self.call("graph_end", self.device, c.byref(graph))
        return lambda stream: self.call("graph_launch_on", graph,
                                        c.c_void_p(stream))


class Function:
    """One function of an artifact, loaded onto the device."""

    def __init__(self, owner, path, name):
        self.owner = owner
        self.artifact, self.module = c.c_uint64(), c.c_uint64()
        owner.call("artifact_open_file", path.encode(), c.byref(self.artifact))
        owner.call("module_load", self.artifact, owner.device, None,
                   c.byref(self.module))
        self.index = owner.call("artifact_find_function", self.artifact,
                                name.encode())
        info = struct(FunctionInfo)
        owner.call("artifact_function", self.artifact, self.index,
                   c.byref(info))
        self.arg_count, self.result_count = info.arg_count, info.result_count

    def unload(self):
        self.owner.call("module_unload", self.module)
        self.owner.call("artifact_close", self.artifact)

    def donations(self):
        """{result: argument that it may replace}"""
        donated = {}
        for index in range(self.arg_count):
            info = struct(ValueInfo)
            self.owner.call("artifact_argument", self.artifact, self.index,
                            index, c.byref(info))
            if info.flags & DONATED:
                donated[info.donates] = index
        return donated

    def shapes(self, args):
        """Tensors of the results, without data."""
        results = (Tensor * self.result_count)()
        self.owner.call("function_shape", self.module, self.index, args,
                        self.arg_count, results, self.result_count)
        return results

    def workspace(self, args):
        return self.owner.call("function_workspace", self.module, self.index,
                               args, self.arg_count)

    def storage(self, args):
        """Bytes that prepared weights take; 0: nothing to prepare."""
        return self.owner.call("function_prepare", self.module, self.index,
                               args, self.arg_count, None, None,
                               c.c_uint64(0))

    def prepare(self, args, address, size):
        prepared = (Tensor * self.arg_count)()
        self.owner.call("function_prepare", self.module, self.index, args,
                        self.arg_count, prepared, c.c_void_p(address),
                        c.c_uint64(size))
        return prepared

    def caller(self, args, results, options):
        """A function without parameters that runs it."""
        run, check = self.owner.library.aik_function_run, self.owner.check
        values = (self.owner.runtime, self.module, self.index, args,
                  self.arg_count, results, self.result_count, c.byref(options))

        def call():
            status = run(*values)
            if status < 0:
                check(status)
        call.keep = (args, results, options, self)
        return call
