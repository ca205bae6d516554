#===- ggml.py - ggml, as llama-cpp-python carries it ----------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Graphs of ggml ops on its CPU backend. Weights are stored as [N, K] and
# repacked where ggml has a layout for them; activations are f32, as in
# llama.cpp. Where the task says bf16, attention keys and values and the weights
# of whole layers are f16, which ggml is faster with; caches are f16 as well.
#
#===----------------------------------------------------------------------===#

import numpy as np

from contenders import Contender, Unsupported, widened
from contenders.ggml_api import Api, Graph

_EPS = 1e-5
_HALVES = 2     # rope mode: pairs are (i, i + half)
_MASK_ROWS = 64


def _causal_mask(length):
    """f16, rows padded as flash attention wants them."""
    rows = -(-length // _MASK_ROWS) * _MASK_ROWS
    hidden = np.arange(length)[None, :] > np.arange(rows)[:, None]
    return np.where(hidden, np.float16(-np.inf), np.float16(0))


class Ggml(Contender):
    name = "ggml"

    def __init__(self, threads, tools):
        super().__init__(threads, tools)
        self.api = Api(threads)
        layouts = ", ".join(self.api.backend_buft_name(t).decode()
                            for t in self.api.packing)
        self.version = f"ggml {self.api.version().decode()}" + \
            (f", layouts {layouts}" if layouts else "")

    def _product(self, task, x, type, weights):
        m, k, n = task.size("MKN")
        graph = Graph(self.api)
        w = graph.weight(type, weights, (n, k))
        x = graph.input("f32", widened(x), (m, k))
        return graph.finish(graph.op("mul_mat", w, x), (m, n))

    def matmul(self, task, a, b):
        """ggml only knows b transposed; that is done ahead."""
        return self._product(task, a, task.type, np.ascontiguousarray(b.T))

    def linear(self, task, x, w):
        return self._product(task, x, task.type, w)

    def quant_gemv(self, task, x, w):
        return self._product(task, x, task.type, w)

    quant_matmul = quant_gemv

    def _normed(self, graph, x, gamma):
        return graph.op("mul", graph.op("rms_norm", x, _EPS), gamma)

    def rms_norm(self, task, x, gamma):
        self._only_f32(task)
        graph = Graph(self.api)
        y = self._normed(graph, graph.input("f32", x),
                         graph.input("f32", gamma))
        return graph.finish(y, x.shape)

    def layer_norm(self, task, x, gamma, beta):
        self._only_f32(task)
        graph = Graph(self.api)
        y = graph.op("mul", graph.op("norm", graph.input("f32", x), _EPS),
                     graph.input("f32", gamma))
        return graph.finish(graph.op("add", y, graph.input("f32", beta)),
                            x.shape)

    def softmax(self, task, x):
        self._only_f32(task)
        graph = Graph(self.api)
        return graph.finish(graph.op("soft_max", graph.input("f32", x)),
                            x.shape)

    def swiglu(self, task, gate, up):
        self._only_f32(task)
        graph = Graph(self.api)
        y = graph.op("swiglu_split", graph.input("f32", gate),
                     graph.input("f32", up))
        return graph.finish(y, gate.shape)

    def copy(self, task, x):
        graph = Graph(self.api)
        y = graph.op("cpy", graph.input("f32", x),
                     graph.output("f32", x.shape))
        return graph.finish(y, x.shape)

    def _only_f32(self, task):
        if task.type != "f32":
            raise Unsupported(f"its {task.op} is f32 only")

    def attention(self, task, q, k, v):
        _, heads, length, width = q.shape
        type = "f32" if task.type == "f32" else "f16"
        stored = np.float32 if type == "f32" else np.float16
        graph = Graph(self.api)
        y = graph.op(
            "flash_attn_ext", graph.input("f32", widened(q)),
            graph.input(type, widened(k).astype(stored)),
            graph.input(type, widened(v).astype(stored)),
            graph.input("f16", _causal_mask(length)), width ** -0.5, 0.0, 0.0)
        call, values = graph.finish(y, (length, heads, width))
        return call, lambda: values().transpose(1, 0, 2)

    def layer_prefill(self, task, x, pos, **weights):
        length = task.sizes["S"]
        type = "f32" if task.type == "f32" else "f16"
        stored = np.float32 if type == "f32" else np.float16
        graph = Graph(self.api)
        matrices = {}
        for name in ("wq", "wk", "wv", "wo", "wg", "wu", "wd"):
            turned = np.ascontiguousarray(widened(weights[name]).T)
            matrices[name] = graph.weight(type, turned.astype(stored),
                                          turned.shape)
        g1, g2 = (graph.input("f32", widened(weights[n]))
                  for n in ("g1", "g2"))
        x = graph.input("f32", widened(x[0]))
        positions = graph.input("i32", pos[0])
        mask = graph.input("f16", _causal_mask(length))

        def attended(q, k, v):
            q, k, v = (graph.op("permute", t, 0, 2, 1, 3) for t in (q, k, v))
            half = [graph.op("cpy", t, graph.output(
                "f16", (task.sizes["G"], length, self._width(task))))
                for t in (k, v)]
            return graph.op("flash_attn_ext", q, *half, mask,
                            self._width(task) ** -0.5, 0.0, 0.0)
        y = self._layer(graph, task, length, x, positions, g1, g2, matrices,
                        attended)
        return graph.finish(y, (1, length, task.sizes["D"]))

    def layer_decode(self, task, x, pos, at, g1, g2, kc, vc, **weights):
        graph = Graph(self.api)
        d, hidden = task.size("DF")
        kv = task.sizes["G"] * self._width(task)
        shapes = {"wq": (d, d), "wk": (kv, d), "wv": (kv, d), "wo": (d, d),
                  "wg": (hidden, d), "wu": (hidden, d), "wd": (d, hidden)}
        matrices = {n: graph.weight(task.type, weights[n], s)
                    for n, s in shapes.items()}
        g1, g2 = graph.input("f32", g1), graph.input("f32", g2)
        row = graph.input("i64", at.astype(np.int64))
        keys, values = (graph.input("f16", cache[0].astype(np.float16))
                        for cache in (kc, vc))
        width, groups, heads = self._width(task), *task.size("GH")

        def attended(q, k, v):
            q = graph.op("reshape_3d", q, width, 1, heads)
            k, v = (graph.op("set_rows", cache, graph.op(
                "reshape_3d", t, width, 1, groups), row)
                for cache, t in ((keys, k), (values, v)))
            return graph.op("flash_attn_ext", q, k, v, None, width ** -0.5,
                            0.0, 0.0)
        y = self._layer(graph, task, 1, graph.input("f32", x),
                        graph.input("i32", pos[0]), g1, g2, matrices, attended)
        return graph.finish(y, (1, d))

    @staticmethod
    def _width(task):
        return task.sizes["D"] // task.sizes["H"]

    def _layer(self, graph, task, length, x, positions, g1, g2, w, attended):
        """Norm, attention, projection, norm, gated MLP, with residuals; q, k
        and v reach `attended` as [length, heads, width]."""
        d, heads, groups = task.size("DHG")
        width = self._width(task)

        def split(name, h, count):
            return graph.op("reshape_3d", graph.op("mul_mat", w[name], h),
                            width, count, length)

        def turned(t):
            return graph.op("rope", t, positions, width, _HALVES)

        h = self._normed(graph, x, g1)
        o = attended(turned(split("wq", h, heads)),
                     turned(split("wk", h, groups)), split("wv", h, groups))
        o = graph.op("reshape_2d", o, d, length)
        x = graph.op("add", x, graph.op("mul_mat", w["wo"], o))
        h = self._normed(graph, x, g2)
        gated = graph.op("swiglu_split", graph.op("mul_mat", w["wg"], h),
                         graph.op("mul_mat", w["wu"], h))
        return graph.op("add", x, graph.op("mul_mat", w["wd"], gated))


open = Ggml
