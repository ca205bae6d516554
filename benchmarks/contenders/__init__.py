#===- __init__.py - What a contender is -----------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Each file of this folder is one contender, named as its module: us or a peer.
# A contender is opened with a number of threads, says its version, and has one
# method per op that it knows. A method gets a Task and the input arrays, does
# everything that a user would do once (packing, compiling, allocating), and
# returns (call, result): `call()` computes once and is what is timed,
# `result()` gives the numpy array of the last call.
#
#===----------------------------------------------------------------------===#

import ctypes
import importlib
import os
from dataclasses import dataclass

import numpy as np

#: In the order of the report; the first is us.
NAMES = ("aikernel", "blis", "openblas", "onednn", "torch", "onnxruntime",
         "iree", "ggml")


class NotInstalled(Exception):
    """The library is not on this machine."""


class Unsupported(Exception):
    """The contender has no such op, type or size; says which."""


@dataclass
class Task:
    """A benchmark as a worker sees it; suites.py says what the fields mean."""
    id: str
    op: str
    type: str
    sizes: dict
    function: str
    options: dict
    stream: list
    inputs: list        # (name, element type, shape)
    program: str        # path of the MLIR text
    folder: str         # for files of one's own
    tools: dict         # paths of our tools and of the source tree

    def size(self, letters):
        return tuple(self.sizes[c] for c in letters)


class Contender:
    name = "?"
    version = "?"

    def __init__(self, threads, tools):
        self.threads, self.tools = threads, tools

    def prepare(self, task, arrays, copies):
        """(calls, result): one call per copy of the streamed inputs."""
        method = getattr(self, task.op, None)
        if method is None:
            raise Unsupported(f"it has no {task.op}")
        pairs = []
        for copy in range(copies):
            own = {n: aligned_copy(a) if copy and n in task.stream else a
                   for n, a in arrays.items()}
            pairs.append(method(task, **own))
        return [call for call, _ in pairs], pairs[0][1]


def names(more=None):
    """All contenders, with those of the folder `more`."""
    found = [] if more is None else sorted(
        file[:-len(".py")] for file in os.listdir(more)
        if file.endswith(".py"))
    return list(dict.fromkeys([*NAMES, *found]))


def open_contender(name, threads, tools):
    """Raises NotInstalled when the library is not there."""
    if tools.get("more"):
        __path__.append(tools["more"])
    return importlib.import_module(f"contenders.{name}").open(threads, tools)


def load_library(*names):
    """The first shared library of these that can be loaded."""
    for name in names:
        try:
            return ctypes.CDLL(name, mode=ctypes.RTLD_LOCAL)
        except OSError:
            continue
    raise NotInstalled(f"no {names[0]}")


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def widened(array):
    """A stored array as float32: bf16 travels as uint16."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)


def aligned(shape, dtype, alignment=64):
    """An uninitialised array whose data starts at a multiple of `alignment`."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.empty(size + alignment, np.uint8)
    skip = -raw.ctypes.data % alignment
    return raw[skip:skip + size].view(dtype).reshape(shape)


def aligned_copy(array):
    """As libraries allocate tensors themselves: some are half as fast on arrays
    of NumPy, which begin 16 bytes behind a page."""
    copy = aligned(array.shape, array.dtype)
    copy[...] = array
    return copy
