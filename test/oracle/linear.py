#===- linear.py - Oracle of the linear family ----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# matmul and linear on float64 arrays. Sums start at +0, so no result is -0.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle import activation as activations


def _product(a, b):
    """A B for stacks of matrices; NaN and infinity as IEEE sums give them."""
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(a).all() and np.isfinite(b).all():
            return np.matmul(a, b) + 0.0
        # Libraries may skip zeros; spelled out, 0 * inf stays NaN.
        return (a[..., :, :, None] * b[..., None, :, :]).sum(axis=-2) + 0.0


def matmul(a, b, transpose_a=False, transpose_b=False, fast=False):
    """[*B,M,K] x [*B,K,N]; batch dims equal, 1, or absent on one side. What
    `fast` permits is a matter of bounds."""
    if transpose_a:
        a = np.swapaxes(a, -1, -2)
    if transpose_b:
        b = np.swapaxes(b, -1, -2)
    return _product(a, b)


def linear(x, w, bias=None, activation="none", transpose_b=False, fast=False):
    """act(x w + bias); x [*,K], w [K,N] or [N,K] with transpose_b."""
    if transpose_b:
        w = w.T
    rows = x.reshape(-1, x.shape[-1]) if x.shape[-1] else \
        np.zeros((int(np.prod(x.shape[:-1])), 0))
    y = _product(rows, w).reshape(x.shape[:-1] + (w.shape[1],))
    if bias is not None:
        y = y + bias
    return activations.BY_NAME[activation](y)
