#!/usr/bin/python3
#===- mutants.py - Break the lowerings on purpose ---------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: mutants.py [NAME...]      all mutants, or only these
#        mutants.py --list         their names and files
#        mutants.py --check        does each still find what it changes, once?
#
# Each mutant is one small edit of a lowering. It is put into the source, aikc
# is built, and the op cases that should notice run; then the source is put
# back. A mutant that no case notices is a hole in the tests. On demand: about
# a minute each. The last line is `N passed, N failed`: caught, and not.
#
#===----------------------------------------------------------------------===#

import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Code for it does by itself what the best level has instructions for.
BASELINE = {"x86_64": "cpu:x86-64"}.get(platform.machine(), "cpu:aarch64")


@dataclass
class Mutant:
    name: str
    file: str
    old: str
    new: str
    cases: str  # the cases that must notice
    threads: int = 0  # with so many, or as many as there are


MUTANTS = [
    Mutant("norm_without_eps", "lib/Conversion/AIKernelToLinalg/Norm.cpp",
           "arith::AddFOp::create(b, mean, floatConstant(b, rows.compute, eps))",
           "arith::AddFOp::create(b, mean, floatConstant(b, rows.compute, 0))",
           "*_norm.f32*"),
    Mutant("causal_one_key_late",
           "lib/Conversion/AIKernelToLinalg/Attention.cpp",
           "Value past = arith::AddIOp::create(b, diagonal, constant(b, 1));",
           "Value past = arith::AddIOp::create(b, diagonal, constant(b, 2));",
           "attention.f32*causal*"),
    Mutant("vector_loop_forgets_scalars", "lib/Transforms/Vectors/Vectorize.cpp",
           "for (unsigned width : {wide, lanes, 1u}) {",
           "for (unsigned width : {wide, lanes}) {", "relu.f32*"),
    Mutant("parts_start_with_zero", "lib/Transforms/Kernels/SplitReductions.cpp",
           "arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner));",
           "arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));",
           "linalg.reduce.m*262144*"),
    Mutant("parts_are_not_added", "lib/Transforms/Kernels/SplitReductions.cpp",
           "operand == op.getRegionOutputArgs()[0] ? args[1] : args[0]);",
           "args[0]);", "linalg.reduce.*262144*"),
    Mutant("steps_together_forget_the_rest", "lib/Transforms/Vectors/Vectorize.cpp",
           "begin = whole;", "begin = end;", "linalg.reduce.sum.along0.*"),
    Mutant("steps_together_repeat", "lib/Transforms/Vectors/Vectorize.cpp",
           "arith::AddIOp::create(builder, loc, firstStep, ahead);",
           "firstStep;", "linalg.vecmat.*"),
    Mutant("vectors_skip_no_columns", "lib/Transforms/Vectors/Vectorize.cpp",
           "return !rest.isFunctionOfDim(dim);", "return true;",
           "linalg.conv_2d_nchw_fchw.*"),
    Mutant("steps_of_one_row_repeat", "lib/Transforms/Vectors/Vectorize.cpp",
           "for (unsigned step = 0; step < stepsTogether; ++step) {",
           "for (unsigned step = 1; step < stepsTogether + 1; ++step) {",
           "matmul.f32-f32-f32.1x*"),
    Mutant("product_repeats_first_k_block", "lib/Transforms/Tiles/MatrixViews.cpp",
           "offsets{block, panel, zero, zero}",
           "offsets{zero, panel, zero, zero}", "matmul.f32-f32-f32.13x809x11*"),
    Mutant("product_rows_on_top_of_each_other", "lib/Transforms/Products/TileLoops.cpp",
           "atRow.push_back(b.plus(m, row));", "atRow.push_back(m);",
           "matmul.f32*"),
    Mutant("tile_repeats_a_block_of_rows", "lib/Transforms/Schedule/SumBlocks.cpp",
           "b.getAffineDimExpr(0).floorDiv(length), {start});",
           "b.getAffineDimExpr(0).floorDiv(2 * length), {start});",
           "matmul.bf16*1100*"),
    Mutant("epilogue_forgets_empty_sums", "lib/Transforms/Products/WaitingSums.cpp",
           "finishRows(before, end(rounds), all);",
           "finishRows(before, all, all);", "matmul.bf16*70x0x40*"),
    Mutant("operand_in_place_of_another_panel",
           "lib/Transforms/Products/PackedSource.cpp", "d0 * width,", "d0 * 2 * width,",
           "matmul.*512x512x96*"),
    Mutant("columns_of_another_block", "lib/Transforms/Products/TileLoops.cpp",
           "at{before, n}, sizes{steps, width};",
           "at{b.getIndexAttr(0), n}, sizes{steps, width};",
           "matmul.f64*44x700x100*"),
    Mutant("last_columns_lose_numbers", "lib/Transforms/Products/TileLoops.cpp",
           "b.loop(even, width, 1, [&](Value column) {",
           "b.loop(even, even, 1, [&](Value column) {", "matmul.f32*65x63x66*"),
    Mutant("slices_of_the_sum_begin_elsewhere",
           "lib/Transforms/Products/PackingLoops.cpp",
           "b.plus(b.times(block, sumOfBlock), inBlock);",
           "b.plus(b.times(block, sumOfBlock), b.index(0));",
           "matmul.*static*"),
    Mutant("rounds_forget_where_they_begin", "lib/Transforms/Products/RowRounds.cpp",
           "b.minus(cast<Value>(at[1]), panelsBefore);",
           "b.minus(cast<Value>(at[1]), b.index(0));", "matmul.*1240x*",
           threads=2),
    Mutant("packing_skips_a_step", "lib/Transforms/Products/PanelPacking.cpp",
           "packRagged(done, steps, b.index(rows));",
           "packRagged(b.plus(done, 1), steps, b.index(rows));",
           "matmul.f32*"),
    Mutant("unrolled_steps_repeat", "lib/Transforms/Tiles/RegisterTiles.cpp",
           "Value at = b.plus(k, i % stepsOfStream);",
           "Value at = k;", "matmul.f32*"),
    # These eight are for machines with tile registers.
    Mutant("tiles_are_kept_for_another", "lib/Transforms/Tiles/TileInstructions.cpp",
           "if (partAndNumberThatStays != std::pair(other, s))",
           "if (!partAndNumberThatStays)",
           "matmul.bf16*"),
    Mutant("parts_that_go_by_are_kept", "lib/Transforms/Tiles/TileInstructions.cpp",
           "if (partThatGoesBy != one) {", "if (!partThatGoesBy) {",
           "matmul.f32-f32-f32*both*"),
    Mutant("only_rows_are_turned", "lib/Transforms/Products/TileLoopsByRows.cpp",
           "registers.turned(columns, steps, isBackwards), steps, m, n);",
           "columns, steps, m, n);", "matmul.bf16*288x736x160*"),
    Mutant("turned_from_beyond_the_end", "lib/Transforms/Tiles/TileRegisters.cpp",
           "b.times(b.minus(steps, b.index(1)), operand.stepBytes)",
           "b.times(steps, operand.stepBytes)", "matmul.bf16*288x736x160*"),
    Mutant("powers_skip_keys",
           "lib/Transforms/Attention/AttentionTileRegisters.cpp",
           "{share, inSteps, work}, soFar);",
           "{share, b.plus(inSteps, op.rows / 2), work}, soFar);",
           "attention.bf16*"),
    Mutant("parts_forget_a_product", "lib/Transforms/Tiles/NumberParts.cpp",
           "{2, 0}, {1, 0}, {1, 1},", "{2, 0}, {1, 0},",
           "matmul.f32-f32-f32*both*"),
    Mutant("parts_of_large_numbers", "lib/Transforms/Tiles/NumberParts.cpp",
           "constexpr int64_t kLarge = 0x5e000000;",
           "constexpr int64_t kLarge = 0x7fffffff;",
           "matmul.f32-f32-f32*.most.exact"),
    Mutant("parts_of_powers_lost", "lib/Transforms/Attention/AttentionSoftmax.cpp",
           "power = math.sub(power, here);",
           "power = constant(0.0);", "attention.f32*parts*"),
    Mutant("streams_repeat", "lib/Transforms/Tiles/RegisterTiles.cpp",
           "at = b.plus(at, b.times(length, i));",
           "at = b.plus(at, b.times(length, 0));", "linear.f32*weight*"),
    Mutant("streams_of_blocks_repeat", "lib/Transforms/Blocks/BlockGemv.cpp",
           "next = addBlock(b.plus(first, b.times(length, stream)), next);",
           "next = addBlock(first, next);", "quant_gemv.q8_0*"),
    Mutant("buffers_share_while_alive", "lib/Transforms/Memory/PlanMemory.cpp",
           "slot.freeFrom = isApart ? kNever : buffer.lastUse + 1;",
           "slot.freeFrom = isApart ? kNever : buffer.firstUse;", "transformer_block*"),
    Mutant("attention_keeps_old_scale",
           "lib/Transforms/Attention/DecomposeAttention.cpp",
           "weightedValues(probabilities, multiplyByRow(op.getAcc(), shrink));",
           "weightedValues(probabilities, op.getAcc());", "attention.f32*"),
    Mutant("attention_tile_keeps_old_scale",
           "lib/Transforms/Attention/AttentionTiles.cpp",
           "store(math.multiplyAdd(old, factor, product), sums, where);",
           "store(math.add(old, product), sums, where);",
           "attention.f32*400-400*"),
    Mutant("attention_parts_unscaled", "lib/Transforms/Attention/AttentionRows.cpp",
           "Value more = single.mul(b.load(partSums, {part, zero}), factor);",
           "Value more = b.load(partSums, {part, zero});",
           "attention.f32*1-1300*"),
    Mutant("window_starts_a_tile_late", "lib/Transforms/Schedule/TileAndFuse.cpp",
           "arith::DivUIOp::create(rewriter, loc, first, loop.getStep());",
           "arith::CeilDivUIOp::create(rewriter, loc, first, loop.getStep());",
           "attention.f32*window*"),
    Mutant("parallel_loops_swapped", "lib/Transforms/Threads/OutlineParallel.cpp",
           "trip = arith::RemUIOp::create(builder, loc, rest, trips);",
           "trip = arith::DivUIOp::create(builder, loc, rest, trips);",
           "matmul.f32*"),
    Mutant("rows_ahead_read_again", "lib/Transforms/Threads/ReadRowsAhead.cpp",
           "IRMapping values = clonePlaceOf(next);",
           "IRMapping values = clonePlaceOf(rows.getInductionVar());",
           "*_norm.f32*1037*"),
    # These two on x86-64.
    Mutant("rows_late_of_this_turn", "lib/Transforms/Threads/WriteRowsLate.cpp",
           "    values.map(turn, itsTurn);\n", "", "softmax*large*"),
    Mutant("last_row_not_written", "lib/Transforms/Threads/WriteRowsLate.cpp",
           "    writeLast();\n", "", "softmax*large*"),
    Mutant("donated_argument_not_copied", "lib/Transforms/Memory/AddDestinations.cpp",
           "copyUnlessSame(builder, argument.getLoc(), argument, memory);",
           "copyUnlessSame(builder, argument.getLoc(), memory, memory);",
           "kv_append*donated*"),
    Mutant("checks_pass_always", "lib/Transforms/Checks/LowerChecks.cpp",
           "cf::CondBranchOp::create(builder, op->getLoc(), holds, after, "
           "fail);",
           "cf::BranchOp::create(builder, op->getLoc(), after);", "*refused*"),
    Mutant("rope_turns_one_half_back",
           "lib/Conversion/AIKernelToLinalg/Position.cpp",
           "Value newSecond = arith::AddFOp::create(b, product(second, v[2]),",
           "Value newSecond = arith::SubFOp::create(b, product(second, v[2]),",
           "rope.f32*"),
    Mutant("conversion_truncates", "lib/Transforms/Math/ExpandFloatConversions.cpp",
           "arith::SelectOp::create(b, isQuieted, quiet, roundHighHalf(bits))",
           "arith::SelectOp::create(b, isQuieted, quiet, bits)", "matmul.bf16*"),
    Mutant("kernel_takes_what_others_need", "lib/Transforms/Kernels/FormKernels.cpp",
           "if (!ancestor || ancestor->isBeforeInBlock(group.root))\n"
           "      return false;",
           "if (!ancestor || ancestor->isBeforeInBlock(group.root))\n"
           "      return true;", "transformer_block*"),
    Mutant("quantized_bits_out_of_place",
           "lib/Dialect/AIKernel/QuantFormats.cpp",
           "{32, 4, 0, 2}, {128, 2, 32, 0}", "{32, 4, 0, 2}, {128, 2, 0, 0}",
           "dequantize.q6_k*"),
    # On cores with bfmmla or smmla.
    Mutant("round_loads_other_columns", "lib/Transforms/Tiles/QuadRounds.cpp",
           "loadRights(block, 4, step);", "loadRights(block, 2, step);",
           "matmul.bf16*tile*"),
    Mutant("next_round_is_elsewhere", "lib/Transforms/Tiles/QuadRounds.cpp",
           "block.advance(rightAddress, kSteps * rightBytes);",
           "block.advance(rightAddress, kSteps * leftBytes);",
           "matmul.bf16*tile*"),
    Mutant("sums_are_mixed", "lib/Transforms/Tiles/RegisterTiles.cpp",
           "Value &total = totals[i % count];",
           "Value &total = totals[i * 0];", "int8_matmul*"),
    Mutant("activations_round_to_even",
           "lib/Dialect/AIKernel/QuantActivations.cpp",
           "return math::TruncOp::create(b, arith::AddFOp::create(b, x, half));",
           "return math::RoundEvenOp::create(b, x);",
           "quant_gemv.q*_0.*ties*"),
]


def run(*command):
    return subprocess.run(command, cwd=ROOT, text=True, capture_output=True)


def stale(mutant):
    """Why the mutant cannot be made, or None."""
    path = ROOT / mutant.file
    if not path.is_file():
        return f"{mutant.file} is gone"
    count = path.read_text().count(mutant.old)
    if count != 1:
        return f"the code it changes is in {mutant.file} {count} times, not once"
    return None if mutant.new != mutant.old else "it changes nothing"


def check():
    wrong = [(m, stale(m)) for m in MUTANTS if stale(m)]
    for mutant, why in wrong:
        print(f"{mutant.name}: {why}")
    names = [m.name for m in MUTANTS]
    for name in {n for n in names if names.count(n) > 1}:
        print(f"{name}: two mutants have this name")
    return 1 if wrong or len(set(names)) != len(names) else 0


def try_mutant(mutant):
    """'caught by ...', or why it was not."""
    path = ROOT / mutant.file
    source = path.read_text()
    if stale(mutant):
        return stale(mutant), False
    try:
        path.write_text(source.replace(mutant.old, mutant.new, 1))
        build = run("ninja", "-C", "build", "aikc")
        if build.returncode:
            return "it does not compile", False
        threads = [f"AIK_THREADS={mutant.threads}"] if mutant.threads else []
        cases = run("env", *threads, "test/cases/run_cases.py", "--build", "build", "--isa",
                    f"best,{BASELINE}", "--filter", mutant.cases,
                    "--show-failures", "1")
    finally:
        path.write_text(source)
    last = cases.stdout.strip().splitlines()[-1] if cases.stdout else "nothing"
    # Any other status is a mistake in calling, not a case that noticed.
    return last, cases.returncode == 1 and " 0 failed" not in last


def main():
    if "--list" in sys.argv:
        for mutant in MUTANTS:
            print(f"{mutant.name:34} {mutant.file}")
        return 0
    if "--check" in sys.argv:
        return check()
    unknown = set(sys.argv[1:]) - {m.name for m in MUTANTS}
    if unknown:
        print(f"error: there is no mutant {', '.join(sorted(unknown))}")
        return 2
    chosen = [m for m in MUTANTS if not sys.argv[1:] or m.name in sys.argv[1:]]
    caught = 0
    for mutant in chosen:
        said, noticed = try_mutant(mutant)
        caught += noticed
        print(f"{'caught' if noticed else 'MISSED':7} {mutant.name:34} {said}",
              flush=True)
    run("ninja", "-C", "build", "aikc")
    print(f"{caught} passed, {len(chosen) - caught} failed")
    return 0 if caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
