#===- onednn.py - oneDNN --------------------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Debian's libdnnl2 (the C API of version 2): f32, bf16 and int8 products.
# Weights of `linear` are reordered ahead into the layout that the primitive
# asks for. Descriptors are opaque here: the library fills buffers of ours that
# are larger than any of its structs.
#
#===----------------------------------------------------------------------===#

import ctypes as c

import numpy as np

from contenders import (Contender, Unsupported, load_library, pointer,
                        widened)

_F32, _BF16, _S32, _S8 = 3, 2, 4, 5
_ANY, _AB, _BA = 1, 3, 22           # format tags: any, row-major, transposed
_CPU = 1
_SRC, _DST, _WEIGHTS = 1, 17, 33    # execution arguments
_TYPES = {"f32": (_F32, np.float32), "bf16": (_BF16, np.uint16)}
_DESCRIPTOR_BYTES = 16384


class _Version(c.Structure):
    _fields_ = [("major", c.c_int), ("minor", c.c_int), ("patch", c.c_int)]


class _Argument(c.Structure):
    _fields_ = [("arg", c.c_int), ("memory", c.c_void_p)]


class OneDnn(Contender):
    name = "onednn"

    def __init__(self, threads, tools):
        super().__init__(threads, tools)
        self.library = load_library("libdnnl.so.2", "libmkldnn.so.2")
        self.library.dnnl_version.restype = c.POINTER(_Version)
        v = self.library.dnnl_version().contents
        self.version = f"oneDNN {v.major}.{v.minor}.{v.patch}"
        self.engine, self.stream = c.c_void_p(), c.c_void_p()
        self._check("engine_create", c.byref(self.engine), c.c_int(_CPU),
                    c.c_size_t(0))
        self._check("stream_create", c.byref(self.stream), self.engine,
                    c.c_uint(1))

    def _check(self, name, *words):
        status = getattr(self.library, "dnnl_" + name)(*words)
        if status == 3:     # dnnl_unimplemented
            raise Unsupported(f"dnnl_{name} is not implemented for this type")
        if status:
            raise RuntimeError(f"dnnl_{name} returns {status}")

    def _layout(self, rows, columns, type, tag):
        described = c.create_string_buffer(_DESCRIPTOR_BYTES)
        dims = (c.c_int64 * 12)(rows, columns)
        self._check("memory_desc_init_by_tag", described, c.c_int(2), dims,
                    c.c_int(type), c.c_int(tag))
        return described

    def _memory(self, described, data):
        """`data` None: the library allocates."""
        memory = c.c_void_p()
        where = c.c_void_p(-1) if data is None else pointer(data)
        self._check("memory_create", c.byref(memory), described, self.engine,
                    where)
        return memory

    def _product(self, task, left, right, tag, pack):
        if task.type not in _TYPES:
            raise Unsupported(f"no product of {task.type} is called here")
        m, k, n = task.size("MKN")
        type, stored = _TYPES[task.type]
        out = np.zeros((m, n), stored)
        source = self._layout(m, k, type, _AB)
        plain = self._layout(k, n, type, tag)
        weights = self._layout(k, n, type, _ANY) if pack else plain
        target = self._layout(m, n, type, _AB)
        operation = c.create_string_buffer(8 * _DESCRIPTOR_BYTES)
        self._check("matmul_desc_init", operation, source, weights, None,
                    target)
        described, primitive = c.c_void_p(), c.c_void_p()
        self._check("primitive_desc_create", c.byref(described), operation,
                    None, self.engine, None)
        self._check("primitive_create", c.byref(primitive), described)
        operand = self._memory(plain, right)
        if pack:
            operand = self._packed(described, operand)
        arguments = (_Argument * 3)(
            (_SRC, self._memory(source, left)), (_WEIGHTS, operand),
            (_DST, self._memory(target, out)))
        execute, stream = self.library.dnnl_primitive_execute, self.stream
        wait = self.library.dnnl_stream_wait

        def call():
            if execute(primitive, stream, c.c_int(3), arguments) or \
                    wait(stream):
                raise RuntimeError("dnnl_primitive_execute fails")
        call.keep = (left, right, out, arguments)
        return call, lambda: widened(out)

    def _packed(self, described, plain):
        """The weights in the layout that the primitive wants."""
        query = self.library.dnnl_primitive_desc_query_md
        query.restype = c.c_void_p
        wanted = c.c_void_p(query(described, c.c_int(131), c.c_int(0)))
        packed = c.c_void_p()
        self._check("memory_create", c.byref(packed), wanted, self.engine,
                    c.c_void_p(-1))
        reorder, primitive = c.c_void_p(), c.c_void_p()
        layout = self.library.dnnl_memory_get_memory_desc
        from_desc, to_desc = c.c_void_p(), c.c_void_p()
        layout(plain, c.byref(from_desc))
        layout(packed, c.byref(to_desc))
        self._check("reorder_primitive_desc_create", c.byref(reorder),
                    from_desc, self.engine, to_desc, self.engine, None)
        self._check("primitive_create", c.byref(primitive), reorder)
        arguments = (_Argument * 2)((_SRC, plain), (_DST, packed))
        self._check("primitive_execute", primitive, self.stream, c.c_int(2),
                    arguments)
        self._check("stream_wait", self.stream)
        return packed

    def matmul(self, task, a, b):
        return self._product(task, a, b, _AB, False)

    def linear(self, task, x, w):
        return self._product(task, x, w, _BA, True)

    def int8_matmul(self, task, a, b, scale_a, scale_b):
        """The i32 product alone is timed: no scales, less than we do."""
        m, k, n = task.size("MKN")
        out = np.zeros((m, n), np.int32)
        zero_a, zero_b, zero_c = c.c_int8(0), c.c_int8(0), c.c_int32(0)
        no = c.c_char(b"N")
        words = (no, no, c.c_char(b"F"), c.c_int64(m), c.c_int64(n),
                 c.c_int64(k), c.c_float(1), pointer(a), c.c_int64(k), zero_a,
                 pointer(b), c.c_int64(n), zero_b, c.c_float(0), pointer(out),
                 c.c_int64(n), c.byref(zero_c))
        product = self.library.dnnl_gemm_s8s8s32

        def call():
            if product(*words):
                raise RuntimeError("dnnl_gemm_s8s8s32 fails")
        call.keep = (a, b, out)
        return call, lambda: out * scale_a[:, None] * scale_b


open = OneDnn
