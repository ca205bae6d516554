#===- foreign.py - Oracle of ops of linalg that programs bring along -----===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Reductions, transposes, products with vectors, convolutions and poolings on
# float64 or integer arrays. `start` is what the destination holds before.
#
#===----------------------------------------------------------------------===#

import itertools

import numpy as np


def reduce(x, dimensions, combiner, start):
    if combiner == "max":
        return np.max(x, axis=dimensions, initial=start)
    if combiner == "min":
        return np.min(x, axis=dimensions, initial=start)
    return start + np.sum(x * x if combiner == "squares" else x,
                          axis=dimensions)


def transpose(x, permutation=(1, 0)):
    return np.transpose(x, permutation)


def matvec(a, x, start):
    return start + a @ x


vecmat = dot = matmul = batch_matmul = matvec


def batch_matvec(a, x, start):
    return start + (a @ x[:, :, None])[:, :, 0]


def batch_vecmat(x, b, start):
    return start + (x[:, None, :] @ b)[:, 0]


def _windows(x, shape, strides, dilations):
    """For each place (i, j) of a window what lies there, as the window moves
    along the second and third dimension of x."""
    for place in itertools.product(*map(range, shape)):
        parts = [slice(None)]
        for at, size, count, stride, dilation in zip(
                place, x.shape[1:], shape, strides, dilations):
            last = size - dilation * (count - 1)
            parts.append(slice(at * dilation, at * dilation + last, stride))
        yield place, x[tuple(parts)]


def conv_2d_nhwc_hwcf(x, w, start, strides, dilations):
    return start + sum(part @ w[place] for place, part in _windows(
        x, w.shape[:2], strides, dilations))


def conv_2d_nchw_fchw(x, w, start, strides, dilations):
    made = conv_2d_nhwc_hwcf(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0),
                             start, strides, dilations)
    return made.transpose(0, 3, 1, 2)


def conv_1d(x, w, start):
    return start + sum(part[0, :, 0] * w[at] for (at, _), part in _windows(
        x[None, :, None], (len(w), 1), (1, 1), (1, 1)))


def depthwise_conv_2d_nhwc_hwc(x, w, start, strides, dilations):
    return start + sum(part * w[place] for place, part in _windows(
        x, w.shape[:2], strides, dilations))


def pooling_nhwc_sum(x, window, start, strides, dilations):
    return start + sum(part for _, part in _windows(x, window.shape, strides,
                                                    dilations))


def pooling_nhwc_max(x, window, start, strides, dilations):
    parts = [part for _, part in _windows(x, window.shape, strides, dilations)]
    return np.maximum(np.max(parts, axis=0), start)
