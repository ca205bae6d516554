//===- Help.cpp - The text of --help --------------------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --help prints. The tolerances come from the table of element types.
//
//===----------------------------------------------------------------------===//

#include "ElementType.h"
#include "Options.h"

namespace aikrun {

std::string helpText() {
  std::string text = R"(usage: aik-run ARTIFACT [options]
       aik-run compare A.json B.json [-o md|csv|json]
       aik-run --tune=TABLE --device DEVICE

Runs, verifies and measures the functions of an .aikx artifact.

what to run
  --list               show the images and functions of the artifact and the
                       devices of this machine, run nothing
  --function NAME      the function; not needed when there is only one
  --input NAME=VALUE   an argument (argN works for every one), VALUE being
                         @file.npy
                         random:SEED[:SHAPE[:LO..HI]]
                         zeros[:SHAPE]  ones[:SHAPE]  arange[:SHAPE]
                         full:NUMBER[:SHAPE]
                       A SHAPE is 2x3x4 or scalar; left out or empty, it is
                       chosen: an unknown dimension takes its `min` fact, else
                       17, and where the function refuses that, all unknown
                       dimensions are made equal, or equal to a known one.
                       Random floats lie in -1..1, i8 and u8 in their whole
                       range, other integers in 0..9, unless LO..HI says
                       otherwise (both included for integers).
  --output NAME=@FILE  save a result, or an argument that is written, as .npy;
                       files appear only when the whole run succeeds
  --seed N             for arguments without --input (1): those are random, but
                       i32 and i64 are zeros, because they are positions,
                       lengths or ids; where zeros are refused, ones. Matrices
                       marked as weights lie within sqrt(6 / (rows + columns)),
                       so that results keep the size of the inputs

where to run
  --device DEVICE      cpu (default), nvidia:0 and so on where the CUDA driver
                       12.0 or later is installed, or null, which takes
                       everything and computes nothing; --list shows which
                       devices there are
  --isa TARGET         the image to load: a target from --list, or reference;
                       by default the best that this machine can run
  --threads N          by default as many as the machine has

verifying
  --verify=ref         compare with the reference image inside the artifact;
                       without --function, --input and --output, every function
                       is run on seeded inputs
  --rtol X --scale-rtol X --atol X
                       a float a matches the reference r when
                       |a - r| <= atol + rtol |r| + scale-rtol max|r|, the
                       maximum over the tensor; NaN matches NaN. Integers must
                       be equal. Defaults (atol is 0):
)";
  for (uint32_t dtype = 0; dtype < AIK_DTYPE_COUNT; ++dtype)
    if (const ElementType *type = elementType(dtype); type && type->isFloat)
      text += format("                         %-9s rtol %-7g scale-rtol %g\n",
                     type->name, type->relativeTolerance, type->scaleTolerance);
  text +=
      R"(  --guard              end every buffer at an unmapped page, put canary bytes
                       before it, and check that inputs stay as they were
  --donate             let results take the memory of donated arguments

many cases in one process
  --cases FILE         one case per line, - for standard input:
                         function in1.npy,in2.npy -> out1.npy,out2.npy
                       Inputs are files or what --input takes, an output of -
                       is not saved. Prints `N ok function` or
                       `N error CODE sentence` per case.
  --first N            skip the cases before case N

measuring
  --bench              times, rates and shares of the machine's measured peak
  --graph              record the calls of a sample and launch them together
                       (devices with memory of their own)
  --repeat N           samples (30)
  --warmup N           calls before the first sample (5)
  -o md|csv|json       the report's format (md); compare reads json
  compare A.json B.json
                       Welch's t-test on two such reports
  --tune=TABLE         measure the schedules of a table that aikc
                       --tune-candidates has written, and write their times
                       into it for aikc --tuning; needs --device

  --max-memory BYTES   of all buffers together, such as 512M or 4G (default:
                       three quarters of the machine's memory)
  -h, --help           print this
  --version            print the version

In .npy files bf16 travels as u2, f8E4M3FN and f8E5M2 as u1, f16 as f2, i1 as b1.

examples
  aik-run x.aikx --verify=ref
  aik-run x.aikx --input x=@x.npy --input scale=full:0.5 --output y=@y.npy
  aik-run x.aikx --bench -o json > a.json

`aikc explain AIK-R0504` says more about a code.
Exit status: 0 success, 1 an error in the input or returned by the function,
2 wrong usage, 3 valid but not supported here, 4 a file error, 5 a resource
limit, 6 results that differ or a damaged guard, 70 a defect in aik-run.
)";
  return text;
}

} // namespace aikrun
