#===- cache.py - Oracle of the cache family ------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# kv_append moves bits: it works on stored tensors of any type, not on float64.
#
#===----------------------------------------------------------------------===#

import numpy as np

from oracle.attention import to_bhsd


def kv_append(cache, new, pos, layout="bhsd"):
    """cache with new[b] written from row pos[b] on; ValueError if it does not
    fit, before anything is written."""
    result = np.array(to_bhsd(cache, layout))
    rows = to_bhsd(new, layout)
    count = rows.shape[2]
    starts = [int(p) for p in np.asarray(pos)]
    for batch, start in enumerate(starts):
        if start < 0 or start + count > result.shape[2]:
            raise ValueError(f"position {start} + {count} rows of batch "
                             f"{batch} leaves a cache of {result.shape[2]}")
    for batch, start in enumerate(starts):
        result[batch, :, start:start + count] = rows[batch]
    return np.ascontiguousarray(to_bhsd(result, layout))
