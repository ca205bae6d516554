#===- iree.py - IREE ------------------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# The same program, brought to linalg by aik-opt, compiled by iree-base-compiler
# for this host at its highest level and run by iree-base-runtime. Attention
# arrives as plain linalg; the block formats of a layer's weights, which it does
# not know, as arithmetic on their codes and scales, with f32 activations. Its
# functions return the caches of a layer instead of writing to them. `compile`
# times the compiler itself, process start included, as for aikc.
#
#===----------------------------------------------------------------------===#

from dataclasses import replace
from importlib import metadata
import os
import re
import subprocess

import numpy as np

from contenders import Contender, NotInstalled, Unsupported, widened
import programs

try:
    import iree.compiler
    import iree.compiler.tools
    import iree.runtime as runtime
except (ImportError, OSError) as problem:
    runtime = None
    _why = str(problem).split("\n")[0]

_TO_LINALG = ("--aik-aikernel-to-linalg", "--aik-decompose-attention",
              "--canonicalize", "--cse")
_FLAGS = ("--iree-hal-target-backends=llvm-cpu",
          "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3")
_ELEMENTS = {"f32": "FLOAT_32", "f16": "FLOAT_16", "bf16": "BFLOAT_16",
             "i8": "SINT_8", "i32": "SINT_32"}


class Iree(Contender):
    name = "iree"

    def __init__(self, threads, tools):
        if runtime is None:
            raise NotInstalled(_why)
        if not os.path.exists(tools["aik-opt"]):
            raise NotInstalled(f"no {tools['aik-opt']}, which writes its input")
        super().__init__(threads, tools)
        driver = "local-sync"
        if threads > 1:
            driver = "local-task"
            runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        self.config = runtime.Config(driver)
        self.version = "IREE " + metadata.version("iree-base-compiler")

    def prepare(self, task, arrays, copies):
        if task.op == "copy":
            raise Unsupported("it returns the argument itself")
        if task.op == "layer_decode":
            task, arrays = _spelled_out(task, arrays)
        source = os.path.join(task.folder, "iree.mlir")
        binary = os.path.join(task.folder, "iree.vmfb")
        self._write_linalg(task, source)
        command = [iree.compiler.tools.binaries.find_tool("iree-compile"),
                   source, "-o", binary, *_FLAGS]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines()
                     if "error:" in line] or ["iree-compile fails"]
            raise Unsupported(lines[0].split("error: ", 1)[-1][:160])
        if task.op == "compile":
            return [lambda: subprocess.run(command, check=True,
                                           capture_output=True)], None
        context = runtime.SystemContext(config=self.config)
        with open_file(binary, "rb") as file:
            context.add_vm_module(runtime.VmModule.copy_buffer(
                context.instance, file.read()))
        function = context.modules.module[task.function]
        pairs = [self._bind(task, function, arrays, copy)
                 for copy in range(copies)]
        return [call for call, _ in pairs], pairs[0][1]

    def _write_linalg(self, task, path):
        done = subprocess.run([self.tools["aik-opt"], task.program,
                               *_TO_LINALG], capture_output=True, text=True)
        if done.returncode:
            raise Unsupported("aik-opt cannot write the program as linalg")
        text = re.sub(r" \{aikernel\.[^}]*\}", "", done.stdout)
        with open_file(path, "w") as file:
            file.write(text)

    def _bind(self, task, function, arrays, copy):
        device = self.config.device
        operands = []
        for name, dtype, _ in task.inputs:
            array = arrays[name]
            if copy and name in task.stream:
                array = array.copy()
            view = device.allocator.allocate_buffer_copy(
                memory_type=runtime.MemoryType.DEVICE_LOCAL,
                allowed_usage=runtime.BufferUsage.DEFAULT, device=device,
                buffer=array, element_type=getattr(runtime.HalElementType,
                                                   _ELEMENTS[dtype]))
            operands.append(runtime.DeviceArray(device, view))
        last = [None]

        def call():
            last[0] = function(*operands)
        return call, lambda: _host(last[0])


def _spelled_out(task, arrays):
    """The layer with products of plain integers and scales."""
    d, heads, groups, hidden, context = task.size("DHGFT")
    text, _ = programs.layer_decode(task.type, d, heads, groups, hidden,
                                    context, is_spelled=True)
    path = os.path.join(task.folder, "spelled.mlir")
    with open_file(path, "w") as file:
        file.write(text)
    own, inputs, stream = {}, [], []
    for name, dtype, shape in task.inputs:
        if name not in task.stream:
            own[name] = arrays[name]
            inputs.append((name, dtype, shape))
            continue
        codes, scales = programs.spelled_weights(
            task.type, arrays[name].view(np.uint8))
        for part, kind, array in ((name, "i8", codes),
                                  (name + "_scales", "f32", scales)):
            own[part] = array
            inputs.append((part, kind, array.shape))
            stream.append(part)
    return replace(task, program=path, inputs=inputs, stream=stream), own


def _host(result):
    first = result[0] if isinstance(result, (tuple, list)) else result
    view = first._buffer_view
    raw = np.frombuffer(view.map(), np.uint8)
    stored = {4: np.float32, 2: np.uint16}[
        raw.nbytes // int(np.prod(view.shape))]
    values = raw.view(stored)
    is_half = view.element_type == int(runtime.HalElementType.FLOAT_16)
    return widened(values.view(np.float16) if is_half else values)


open_file = open
open = Iree
