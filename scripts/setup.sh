#!/bin/bash
#===- setup.sh - Installs the Debian packages that AIKernel needs ------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# By apt-get, as root or through sudo, and only what is missing. quickstart.sh
# and test.sh do the same by themselves.
#
#===----------------------------------------------------------------------===#

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_packages
say "All packages are installed."
