#===- commands.py - Wrong command lines ----------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Each is refused with its code, one sentence about the matter and nothing left
# behind. The sandbox holds `good.mlir` (a program that compiles), `text.txt`
# and the empty folder `folder`; `out.aikx` does not exist.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    name: str
    words: tuple
    code: object            # the nnnn of AIK-Ennnn, or a tuple of those
    mentions: str
    stdin: bytes = b""


def _command(name, line, code, mentions, stdin=b""):
    return Command("command_" + name, tuple(line.split(" ")) if line else (),
                   code, mentions, stdin)


_OUT = " -o out.aikx"

OPTIONS = [
    _command("nothing", "", 105, "input|file"),
    _command("unknown_long", "good.mlir --frobnicate" + _OUT, 100,
             "--frobnicate"),
    _command("unknown_with_value", "good.mlir --frobnicate=3" + _OUT, 100,
             "--frobnicate"),
    _command("unknown_short", "good.mlir -z" + _OUT, 100, "-z"),
    _command("abbreviated", "good.mlir --targ=cpu" + _OUT, 100, "--targ"),
    _command("misspelled", "good.mlir --emmit=asm" + _OUT, 100, "--emmit"),
    _command("single_dash", "good.mlir -target=cpu" + _OUT, 100, "-target"),
    _command("single_dash_emit", "good.mlir -emit asm" + _OUT, 100, "-emit"),
    _command("single_dash_help", "-help", 100, "-help"),
    _command("capital", "good.mlir --Target=cpu" + _OUT, 100, "--Target"),
    _command("no_output_name", "good.mlir -o", 101, "-o"),
    _command("no_target", "good.mlir --target", 101, "--target"),
    _command("no_emit", "good.mlir" + _OUT + " --emit", 101, "--emit"),
    _command("empty_target", "good.mlir --target=" + _OUT, (101, 102, 103),
             "--target|target"),
    _command("empty_emit", "good.mlir --emit=" + _OUT, (101, 102), "--emit"),
    _command("empty_output", "good.mlir --emit=asm -o ", (101, 102, 201),
             "-o|output"),
    _command("value_for_a_flag", "good.mlir --trust-input=yes" + _OUT,
             (100, 102), "--trust-input"),
    _command("bad_emit", "good.mlir --emit=exe" + _OUT, 102, "exe"),
    _command("bad_level", "good.mlir -O4" + _OUT, (100, 102), "4"),
    _command("fast_level", "good.mlir -Ofast" + _OUT, (100, 102), "fast"),
    _command("bad_phase", "good.mlir --compile-to=middle" + _OUT, 102,
             "middle"),
    _command("bad_first_phase", "good.mlir --compile-from=middle" + _OUT, 102,
             "middle"),
    _command("resume_at_artifact", "good.mlir --compile-from=artifact" + _OUT,
             102, "artifact"),
    _command("override_without_file", "good.mlir --override=kernel" + _OUT,
             102, "override|kernel"),
    _command("override_bad_phase", "good.mlir --override=middle:good.mlir"
             + _OUT, 102, "middle"),
    _command("bad_diagnostics", "good.mlir --diagnostics=xml" + _OUT, 102,
             "xml"),
    _command("bad_time", "good.mlir --time=xml" + _OUT, 102, "xml"),
    _command("bad_memory", "good.mlir --max-memory=lots" + _OUT, 102, "lots"),
    _command("negative_memory", "good.mlir --max-memory=-1" + _OUT, 102, "-1"),
    _command("bad_seconds", "good.mlir --max-time=soon" + _OUT, 102, "soon"),
    _command("huge_memory", "good.mlir --max-memory=99999999999999999999999"
             + _OUT, 102, "9999"),
]

TARGETS = [
    _command("target_" + name, f"good.mlir --target={target}" + _OUT, 103,
             mentions)
    for name, target, mentions in [
        ("unknown", "gpu", "gpu"),
        ("level", "cpu:x86-64-v9", "x86-64-v9"),
        ("name", "cpu:pentium", "pentium"),
        ("feature", "cpu:aarch64+warp", "warp"),
        ("other_feature", "cpu:x86-64-v3+dotprod", "dotprod"),
        ("bare_plus", "cpu:aarch64+", "aarch64\\+|feature|empty"),
        ("hole", "cpu,,cpu:x86-64-v3", ",|empty|target"),
        ("colon", "cpu:", "cpu:|empty|level"),
        ("sm", "nvidia:sm_1", "sm_1"),
        ("no_sm", "nvidia", "nvidia"),
        ("gfx", "amd:gfx000", "gfx000"),
        ("capital", "CPU", "CPU"),
        ("tab", "cpu:x86-64-v3+avx\t2", "avx"),
    ]
]

ELSEWHERE = [
    _command("elsewhere_" + name, f"good.mlir --target={target}" + _OUT, 14,
             target)
    for name, target in [("nvidia", "nvidia:sm_70"), ("amd", "amd:gfx90a")]
]

TOGETHER = [
    _command("two_inputs", "good.mlir good.mlir" + _OUT, (104, 105),
             "good.mlir|one"),
    _command("two_outputs", "good.mlir -o a.aikx -o b.aikx", (102, 104), "-o"),
    _command("two_emits", "good.mlir --emit=asm --emit=obj" + _OUT,
             (102, 104), "--emit"),
    _command("backwards", "good.mlir --compile-from=scheduled "
             "--compile-to=kernel" + _OUT, 104,
             "compile-from|compile-to|scheduled"),
    _command("ptx_on_cpu", "good.mlir --emit=ptx --target=cpu" + _OUT,
             104, "ptx"),
    _command("hsaco_on_nvidia", "good.mlir --emit=hsaco --target=nvidia:sm_80"
             + _OUT, 104, "hsaco"),
    _command("so_of_two", "good.mlir --emit=so --target=cpu:x86-64-v3,"
             "cpu:aarch64" + _OUT, 104, "so|one target"),
]

COMMANDS = [
    _command("unknown_command", "frobnicate", (106, 200), "frobnicate"),
    _command("unknown_command_with_file", "frobnicate good.mlir",
             (104, 105, 106, 200), "frobnicate|good.mlir"),
    _command("compile_nothing", "compile", 105, "input|file"),
    _command("check_nothing", "check", 105, "input|file"),
    _command("inspect_nothing", "inspect", 105, "artifact|file|input"),
    _command("explain_nothing", "explain", (101, 105), "code"),
    _command("explain_word", "explain banana", 102, "banana"),
    _command("explain_unknown", "explain AIK-E9999", 102, "9999"),
    _command("targets_extra", "targets good.mlir", (102, 104, 105),
             "good.mlir|targets"),
    _command("inspect_text", "inspect text.txt", 202, "text.txt|artifact"),
    _command("inspect_program", "inspect good.mlir", 202,
             "good.mlir|artifact"),
    _command("inspect_missing", "inspect missing.aikx", 200, "missing.aikx"),
]

FILES = [
    _command("missing", "compile missing.mlir" + _OUT, 200, "missing.mlir"),
    _command("missing_alone", "missing.mlir" + _OUT, (106, 200),
             "missing.mlir"),
    _command("folder", "compile folder" + _OUT, 200, "folder"),
    _command("through_a_file", "compile good.mlir/x.mlir" + _OUT, 200,
             "good.mlir/x.mlir"),
    _command("long_name", "compile " + "n" * 5000 + ".mlir" + _OUT, 200,
             "n|long"),
    _command("output_folder_missing", "good.mlir -o nowhere/out.aikx", 201,
             "nowhere"),
    _command("output_is_a_folder", "good.mlir -o folder", 201, "folder"),
    _command("output_through_a_file", "good.mlir -o text.txt/out.aikx", 201,
             "text.txt"),
    _command("dump_to_a_file", "good.mlir --dump-phases-to=text.txt" + _OUT,
             (201,), "text.txt"),
    _command("override_missing", "good.mlir --override=kernel:missing.mlir"
             + _OUT, 200, "missing.mlir"),
    _command("empty_stdin", "-" + _OUT, 10, "function"),
    _command("wrong_stdin", "-" + _OUT, 1, "expected|custom op",
             b"this is not a program\n"),
    _command("little_memory", "good.mlir --max-memory=1M" + _OUT, (102, 300),
             "memory|1M"),
]

ALL = OPTIONS + TARGETS + ELSEWHERE + TOGETHER + COMMANDS + FILES
