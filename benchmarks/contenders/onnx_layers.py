#===- onnx_layers.py - A transformer layer as an ONNX graph ---------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# In: a task and its arrays. Out: nodes, inputs and weights of a graph as
# onnxruntime's own model builder writes it, with the operators that it has
# fused kernels for: GroupQueryAttention, which turns queries and keys and
# appends to the cache, and SkipSimplifiedLayerNormalization. The result is "y".
#
#===----------------------------------------------------------------------===#

import numpy as np
from onnx import helper

_EPS = 1e-5


def _turns(length, width):
    """cos and sin of all positions, [length, width / 2] each."""
    half = width // 2
    angle = np.arange(length)[:, None] * 1e4 ** (-np.arange(half) / half)
    return (np.cos(angle).astype(np.float32),
            np.sin(angle).astype(np.float32))


class LayerGraph:
    """`product(x, w, y)` gives the nodes that multiply with a weight."""

    def __init__(self, task, positions, product, gains):
        heads, groups, d = task.size("HGD")
        self.width, self.groups = d // heads, groups
        cos, sin = _turns(positions, self.width)
        self.weights = {**gains, "cos": cos, "sin": sin,
                        "length": np.array([positions - 1], np.int32),
                        "total": np.array(positions, np.int32)}
        self.nodes = []
        self._own("SimplifiedLayerNormalization", ["x", "g1"], ["h"], "",
                  axis=-1, epsilon=_EPS, stash_type=1)
        for name in "qkv":
            self.nodes += product("h", "w" + name, name)
        self._own("GroupQueryAttention",
                  ["q", "k", "v", "kc", "vc", "length", "total", "cos", "sin"],
                  ["o", "kn", "vn"], num_heads=heads, kv_num_heads=groups,
                  do_rotary=1, rotary_interleaved=0)
        self.nodes += product("o", "wo", "p")
        self._own("SkipSimplifiedLayerNormalization", ["x", "p", "g2"],
                  ["n", "", "", "s"], epsilon=_EPS)
        self.nodes += product("n", "wg", "gate") + product("n", "wu", "up")
        self._own("Sigmoid", ["gate"], ["sigmoid"], "")
        self._own("Mul", ["gate", "sigmoid"], ["silu"], "")
        self._own("Mul", ["silu", "up"], ["hidden"], "")
        self.nodes += product("hidden", "wd", "down")
        self._own("Add", ["s", "down"], ["y"], "")

    def _own(self, op, inputs, outputs, domain="com.microsoft", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain,
                                           **attributes))
