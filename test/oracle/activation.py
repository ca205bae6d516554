#===- activation.py - Oracle of the activation family --------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# relu, gelu, silu, sigmoid, tanh, swiglu and geglu on float64 arrays. NaN goes
# through all of them; gelu and silu of minus infinity are NaN (infinity times
# zero), as in PyTorch.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import special


def relu(x):
    """max(x, 0); both zeros and every negative number give +0."""
    return np.where(np.isnan(x), x, np.where(x > 0, x, 0.0))


def gelu(x, approximate="none"):
    """x Phi(x), by erfc (no cancellation left of 0) or the tanh formula."""
    with np.errstate(invalid="ignore", over="ignore"):
        if approximate == "none":
            return 0.5 * x * special.erfc(-x / np.sqrt(2.0))
        inner = np.sqrt(2.0 / np.pi) * (x + 0.044715 * x * x * x)
        # 0.5 (1 + tanh(y)) is the logistic function of 2y.
        return x * special.sigmoid(2.0 * inner)


def silu(x):
    with np.errstate(invalid="ignore"):
        return x * special.sigmoid(x)


def sigmoid(x):
    return special.sigmoid(x)


def tanh(x):
    return np.tanh(x)


def swiglu(gate, up):
    with np.errstate(invalid="ignore"):
        return silu(gate) * up


def geglu(gate, up, approximate="none"):
    with np.errstate(invalid="ignore"):
        return gelu(gate, approximate) * up


#: The values of `activation` on `linear`.
BY_NAME = {
    "none": lambda x: x,
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": lambda x: gelu(x, "tanh"),
    "silu": silu,
}
