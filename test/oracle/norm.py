#===- norm.py - Oracle of the normalization family -----------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# rms_norm, layer_norm and l2_norm over the last axis, softmax over any axis, on
# float64 arrays. Empty rows give empty results.
#
#===----------------------------------------------------------------------===#

import numpy as np


def rms_norm(x, gamma, eps=1e-5):
    """gamma x / sqrt(mean(x^2) + eps)."""
    if x.size == 0:
        return np.zeros_like(x)
    with np.errstate(invalid="ignore", over="ignore"):
        mean_square = np.mean(x * x, axis=-1, keepdims=True)
        return gamma * (x / np.sqrt(mean_square + eps))


def layer_norm(x, gamma, beta, eps=1e-5):
    """gamma (x - mean) / sqrt(variance + eps) + beta, biased variance."""
    if x.size == 0:
        return np.zeros_like(x)
    with np.errstate(invalid="ignore", over="ignore"):
        centred = x - np.mean(x, axis=-1, keepdims=True)
        variance = np.mean(centred * centred, axis=-1, keepdims=True)
        return gamma * (centred / np.sqrt(variance + eps)) + beta


def l2_norm(x, eps=1e-12):
    """x / max(|x|, eps), |x| the Euclidean length of the row."""
    if x.size == 0:
        return np.zeros_like(x)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        length = np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
        return x / np.maximum(length, eps)      # np.maximum keeps NaN


def softmax(x, axis=-1):
    """exp(x - max) / sum; a row that is all -inf gives zeros."""
    if x.size == 0:
        return np.zeros_like(x)
    with np.errstate(invalid="ignore"):
        top = np.max(x, axis=axis, keepdims=True)
        unseen = np.isneginf(top)
        weights = np.exp(x - np.where(unseen, 0.0, top))
        total = np.sum(weights, axis=axis, keepdims=True)
        return np.where(unseen, 0.0, weights / np.where(unseen, 1.0, total))
