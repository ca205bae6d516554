#!/bin/bash
#===- gpu_check.sh - The tests that need a GPU: there are none yet -----------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# AIKernel has no GPU back end yet, so there is nothing to check; this script
# says so, and whether it sees a GPU, and succeeds.
#
#===----------------------------------------------------------------------===#

if [ -e /dev/nvidiactl ] || [ -e /dev/kfd ]; then
  echo "A GPU is here, but AIKernel has no GPU back end yet: nothing to check."
else
  echo "No GPU is here, and AIKernel has no GPU back end yet: nothing to check."
fi
