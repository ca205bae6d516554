#===- ggml_api.py - ggml's C functions through ctypes ---------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Finds the shared libraries that llama-cpp-python carries, declares the
# functions that ggml.py needs, and keeps one evaluated graph together: weights
# in the buffer type that ggml would choose (repacked where it can), all other
# tensors in plain memory.
#
#===----------------------------------------------------------------------===#

import ctypes as c
import importlib.util
import os

import numpy as np

from contenders import NotInstalled, pointer

_CPU_DEVICE = 0
TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7,
         "q8_0": 8, "q4_k": 12, "q5_k": 13, "q6_k": 14, "i32": 26, "i64": 27,
         "bf16": 30, "mxfp4": 39}

#: name -> result and arguments: p pointer, i int, l int64 or size, f float.
_FUNCTIONS = {
    "ggml_free": "-p", "ggml_tensor_overhead": "l",
    "ggml_graph_overhead": "l", "ggml_version": "s",
    "ggml_nbytes": "lp", "ggml_new_graph": "pp",
    "ggml_build_forward_expand": "-pp",
    "ggml_new_tensor_1d": "ppil", "ggml_new_tensor_2d": "ppill",
    "ggml_new_tensor_3d": "ppilll", "ggml_new_tensor_4d": "ppillll",
    "ggml_mul_mat": "pppp", "ggml_add": "pppp", "ggml_mul": "pppp",
    "ggml_rms_norm": "pppf", "ggml_norm": "pppf", "ggml_soft_max": "ppp",
    "ggml_swiglu_split": "pppp", "ggml_cpy": "pppp", "ggml_cont": "ppp",
    "ggml_rope": "ppppii", "ggml_permute": "pppiiii",
    "ggml_reshape_2d": "pppll", "ggml_reshape_3d": "ppplll",
    "ggml_set_rows": "ppppp", "ggml_flash_attn_ext": "ppppppfff",
    "ggml_backend_init_by_type": "pip", "ggml_backend_get_device": "pp",
    "ggml_backend_dev_backend_reg": "pp",
    "ggml_backend_reg_get_proc_address": "pps",
    "ggml_backend_load_all_from_path": "-s",
    "ggml_backend_dev_supports_op": "ipp",
    "ggml_backend_alloc_ctx_tensors": "ppp",
    "ggml_backend_alloc_ctx_tensors_from_buft": "ppp",
    "ggml_backend_buffer_free": "-p", "ggml_backend_buft_name": "sp",
    "ggml_backend_tensor_set": "-ppll", "ggml_backend_tensor_get": "-ppll",
    "ggml_backend_graph_compute": "ipp",
}
_CTYPES = {"p": c.c_void_p, "i": c.c_int, "l": c.c_int64, "f": c.c_float,
           "s": c.c_char_p, "-": None}


class _InitParams(c.Structure):
    _fields_ = [("mem_size", c.c_size_t), ("mem_buffer", c.c_void_p),
                ("no_alloc", c.c_bool)]


def _folder():
    spec = importlib.util.find_spec("llama_cpp")
    if spec is None:
        raise NotInstalled("No module named 'llama_cpp'")
    for place in spec.submodule_search_locations or ():
        folder = os.path.join(place, "lib")
        if os.path.exists(os.path.join(folder, "libggml.so")):
            return folder
    raise NotInstalled("llama_cpp has no libggml.so")


class Api:
    """The functions as attributes without their prefix, and a CPU backend."""

    def __init__(self, threads):
        folder = _folder()
        libraries = []
        for name in ("libggml-base.so", "libggml-cpu.so", "libggml.so"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                libraries.append(c.CDLL(path, mode=c.RTLD_GLOBAL))
        for name, kinds in _FUNCTIONS.items():
            setattr(self, name[len("ggml_"):],
                    self._declared(libraries, name, kinds))
        self._init = self._declared(libraries, "ggml_init", "p")
        self._init.argtypes = [_InitParams]
        self.backend_load_all_from_path(folder.encode())
        self.backend = self.backend_init_by_type(_CPU_DEVICE, None)
        if not self.backend:
            raise NotInstalled("ggml has no CPU backend here")
        self.device = self.backend_get_device(self.backend)
        self.registry = self.backend_dev_backend_reg(self.device)
        self._proc(b"ggml_backend_set_n_threads", None, c.c_void_p, c.c_int)(
            self.backend, threads)
        self.packing = self._extra_buffer_types()

    @staticmethod
    def _declared(libraries, name, kinds):
        for library in libraries:
            try:
                function = getattr(library, name)
            except AttributeError:
                continue
            function.restype = _CTYPES[kinds[0]]
            function.argtypes = [_CTYPES[k] for k in kinds[1:]]
            return function
        raise NotInstalled(f"this ggml has no {name}")

    def _proc(self, name, result, *arguments):
        address = self.backend_reg_get_proc_address(self.registry, name)
        return c.CFUNCTYPE(result, *arguments)(address) if address else None

    def _extra_buffer_types(self):
        """Where weights are repacked; the device lists the best first."""
        listed = self._proc(b"ggml_backend_dev_get_extra_bufts",
                            c.POINTER(c.c_void_p), c.c_void_p)
        found, types = [], listed(self.device) if listed else None
        while types and types[len(found)]:
            found.append(types[len(found)])
        return found

    def context(self, tensors):
        size = tensors * self.tensor_overhead() + 2 * self.graph_overhead()
        return self._init(_InitParams(size, None, True))


class Graph:
    """Tensors, their memory and the computation between them."""

    def __init__(self, api, tensors=256):
        self.api = api
        self.contexts, self.buffers = [api.context(tensors)], []
        self.context = self.contexts[0]
        self.pending = []       # (tensor, data) of inputs

    def __del__(self):
        for buffer in self.buffers:
            self.api.backend_buffer_free(buffer)
        for context in self.contexts:
            self.api.free(context)

    def op(self, name, *operands):
        return getattr(self.api, name)(self.context, *operands)

    def _tensor(self, context, type, shape):
        """`shape` as numpy has it; ggml counts from the innermost."""
        new = getattr(self.api, f"new_tensor_{len(shape)}d")
        return new(context, TYPES[type], *reversed(shape))

    def input(self, type, array, shape=None):
        tensor = self._tensor(self.context, type, shape or array.shape)
        self.pending.append((tensor, array))
        return tensor

    def output(self, type, shape):
        return self._tensor(self.context, type, shape)

    def weight(self, type, array, shape):
        """[N, K] in a buffer that mul_mat likes best."""
        api = self.api
        for buffer_type in [*api.packing, None]:
            context = api.context(8)
            tensor = self._tensor(context, type, shape)
            buffer = api.backend_alloc_ctx_tensors_from_buft(
                context, buffer_type) if buffer_type else \
                api.backend_alloc_ctx_tensors(context, api.backend)
            trial = self._tensor(context, "f32", (1, shape[1]))
            product = api.mul_mat(context, tensor, trial)
            if buffer and (not buffer_type or api.backend_dev_supports_op(
                    api.device, product) & 255):
                self.contexts.append(context)
                self.buffers.append(buffer)
                self._set(tensor, array)
                return tensor
            if buffer:
                api.backend_buffer_free(buffer)
            api.free(context)
        raise RuntimeError("ggml cannot allocate a weight")

    def _set(self, tensor, array):
        if self.api.nbytes(tensor) != array.nbytes:
            raise RuntimeError("a ggml tensor has another size than its data")
        array = np.ascontiguousarray(array)
        self.api.backend_tensor_set(tensor, pointer(array), 0, array.nbytes)

    def finish(self, result, shape):
        """(call, result) as contenders give it; `result` is f32."""
        api, graph = self.api, self.api.new_graph(self.context)
        api.build_forward_expand(graph, result)
        buffer = api.backend_alloc_ctx_tensors(self.context, api.backend)
        if not buffer:
            raise MemoryError
        self.buffers.append(buffer)
        for tensor, array in self.pending:
            self._set(tensor, array)
        self.pending = []
        compute, backend = api.backend_graph_compute, api.backend

        def call():
            if compute(backend, graph):
                raise RuntimeError("ggml_backend_graph_compute fails")

        def values():
            out = np.empty(shape, np.float32)
            api.backend_tensor_get(result, pointer(out), 0, out.nbytes)
            return out
        call.keep = self
        return call, values
