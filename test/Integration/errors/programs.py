#===- programs.py - Wrong programs ---------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Each is refused with its code, one sentence about the matter and nothing left
# behind. `mentions` is a pattern that the sentence must match: the op, the
# operand or attribute, and both sides of the disagreement where there are two.
#
#===----------------------------------------------------------------------===#

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
    name: str
    source: object          # text or bytes
    code: object            # the nnnn of AIK-Ennnn, or a tuple of those
    mentions: str
    arguments: tuple = field(default=())


def _function(arguments, result, *lines):
    """A function @f with these arguments that returns its last line's %r."""
    body = "".join(f"  {line}\n" for line in lines)
    return (f"func.func @f({arguments}) -> {result} {{\n{body}"
            f"  return %r : {result}\n}}\n")


def _op(arguments, result, line):
    return _function(arguments, result, "%r = " + line)


def _identity(type, attributes=""):
    return (f"func.func @f(%x: {type}{attributes}) -> {type} {{\n"
            f"  return %x : {type}\n}}\n")


_X = "tensor<3x5xf32>"
_RELU = "aikernel.relu %x : (tensor<3x5xf32>) -> tensor<3x5xf32>"

SYNTAX = [
    Program("words", "this is not a program\n", 1, "expected|custom op"),
    Program("open_brace", f"func.func @f(%x: {_X}) -> {_X} {{\n"
            f"  return %x : {_X}\n", 1, "expected"),
    Program("closing_brace", _identity(_X) + "}\n", 1, "expected|}"),
    Program("no_type", _op(f"%x: {_X}", _X, "aikernel.relu %x"), 1,
            "expected"),
    Program("no_result_type", _op(f"%x: {_X}", _X,
                                  f"aikernel.relu %x : ({_X})"), 1,
            "expected|->"),
    Program("undefined_value", _op(f"%x: {_X}", _X, _RELU.replace("%x", "%y")),
            1, "%y|undeclared"),
    Program("defined_twice", _function(f"%x: {_X}", _X, "%r = " + _RELU,
                                       "%r = " + _RELU), 1,
            "redefinition|%r"),
    Program("unknown_type", _identity("tensor<4xf33>"), 1, "f33|type"),
    Program("negative_dim", _identity("tensor<-4xf32>"), 1,
            "dimension|expected|type"),
    Program("huge_dim", _identity("tensor<99999999999999999999xf32>"), 1,
            "dimension|integer|large"),
    Program("other_type_at_use", _op(f"%x: {_X}", _X, _RELU.replace(
        "(tensor<3x5xf32>)", "(tensor<3x4xf32>)")), 1, "type|expects"),
    Program("open_string", 'func.func @f() attributes {a = "never ends\n', 1,
            "string|expected"),
    Program("bad_escape", 'module attributes {a = "\\q"} {}\n', 1,
            "escape|string"),
    Program("return_too_many", f"func.func @f(%x: {_X}) -> {_X} {{\n"
            f"  return %x, %x : {_X}, {_X}\n}}\n", 2,
            "2 .*operands|return|results"),
    Program("return_other_type", f"func.func @f(%x: {_X}) -> tensor<5x3xf32> "
            f"{{\n  return %x : {_X}\n}}\n", 2, "type|return"),
    Program("no_return", f"func.func @f(%x: {_X}) {{\n  %r = {_RELU}\n}}\n", 2,
            "terminator|return|expected"),
    Program("same_name_twice", _identity(_X) * 2, 2, "redefinition.*f|symbol"),
    Program("unknown_callee", _op(f"%x: {_X}", _X,
                                  f"func.call @g(%x) : ({_X}) -> {_X}"), 2,
            "'g'|@g"),
    Program("wrong_call", _identity(_X) + "func.func @g(%x: tensor<4xf32>) -> "
            "tensor<4xf32> {\n  %r = func.call @f(%x) : (tensor<4xf32>) -> "
            "tensor<4xf32>\n  return %r : tensor<4xf32>\n}\n", 2,
            "type|mismatch|call"),
    Program("bad_utf8", b"func.func @f() {\n  \xff\xfe\xc3(\n}\n", 1,
            "UTF-8|expected|unexpected|custom op"),
    Program("bad_utf8_in_string", b'func.func @f() attributes {a = "\xc3("} '
            b"{\n  return\n}\n", 1, "UTF-8"),
    Program("zero_bytes", b"func.func @f() {\x00\x00}\n", 1,
            "NUL|UTF-8|expected|unexpected"),
    Program("garbage", bytes((i * 73 + 41) % 256 for i in range(4096)), 1,
            "UTF-8|expected|unexpected|text"),
    Program("byte_order_mark", b"\xef\xbb\xbf" + _identity(_X).encode(), 1,
            "byte order mark"),
    Program("byte_order_mark_16", "\ufeff".encode("utf-16-le"), 1,
            "UTF-8|byte order mark"),
    Program("elf_file", b"\x7fELF\x02\x01\x01" + bytes(200), 1,
            "UTF-8|expected|unexpected|text"),
    Program("bytecode", b"ML\xefR\x06MLIR22\x00" + bytes(60), 6, "bytecode"),
    Program("bytecode_alone", b"ML\xefR", 6, "bytecode"),
]

UNKNOWN = [
    Program("unknown_dialect", _op(f"%x: {_X}", _X, f"torch.relu %x : {_X}"),
            3, "torch"),
    Program("unknown_dialect_generic", _op(
        f"%x: {_X}", _X, f'"torch.relu"(%x) : ({_X}) -> {_X}'), 3, "torch"),
    Program("unknown_op", _op(f"%x: {_X}", _X, _RELU.replace("relu", "rellu")),
            3, "rellu"),
    Program("unknown_op_generic", _op(
        f"%x: {_X}", _X, f'"aikernel.rellu"(%x) : ({_X}) -> {_X}'), 3,
            "rellu"),
    Program("unknown_arith_op", _op(f"%x: {_X}", _X,
                                    f"arith.plus %x, %x : {_X}"), 3,
            "arith.plus"),
    Program("unknown_type_dialect", _identity("tensor<4x!torch.int>"), 3,
            "torch"),
    Program("unknown_attribute_dialect", "module attributes {a = #torch.b} "
            "{}\n", 3, "torch"),
    Program("unknown_activation", _op(
        f"%x: {_X}, %w: tensor<5x2xf32>", "tensor<3x2xf32>",
        "aikernel.linear %x, %w {activation = #aikernel.activation<swish>} : "
        f"({_X}, tensor<5x2xf32>) -> tensor<3x2xf32>"), 1,
            "swish|activation|expected"),
    Program("unknown_scaling", _op(
        "%x: tensor<1x1x3x8xf32>, %p: tensor<1x3xi32>",
        "tensor<1x1x3x8xf32>",
        "aikernel.rope %x, %p {base = 1.0e4 : f32, scaling = "
        "#aikernel.rope_scaling<ntk, 2.0>} : (tensor<1x1x3x8xf32>, "
        "tensor<1x3xi32>) -> tensor<1x1x3x8xf32>"), 1, "ntk|rope_scaling"),
]


def _nested(opening, closing, depth, inner=""):
    return opening * depth + inner + closing * depth


LIMITS = [
    Program("nested_modules", _nested("module {\n", "}\n", 300), 4,
            "256|nest"),
    Program("nested_attributes", "module attributes {a = "
            + _nested("[", "]", 400) + "} {}\n", 4, "256|nest"),
    Program("nested_types", "func.func private @f("
            + _nested("tuple<", ">", 500, "i32") + ")\n", 4, "256|nest"),
    Program("nested_parentheses", "func.func @f() {\n  "
            + _nested("(", ")", 100000) + "\n}\n", 4, "256|nest"),
    Program("open_nesting", _nested("module {\n", "", 20000), 4, "256|nest"),
    Program("large_constant", 'func.func @f() -> tensor<300000xf32> {\n'
            '  %r = arith.constant dense<"0x' + "0000803F" * 300000
            + '"> : tensor<300000xf32>\n  return %r : tensor<300000xf32>\n}\n',
            5, "1 MiB|1048576|constant"),
    Program("large_list_constant", "func.func @f() -> tensor<300000xi32> {\n"
            "  %r = arith.constant dense<["
            + ",".join(str(i % 10) for i in range(300000))
            + "]> : tensor<300000xi32>\n  return %r : tensor<300000xi32>\n}\n",
            5, "1 MiB|1048576|constant"),
    Program("large_resource", _identity(_X) + "{-#\n  dialect_resources: {\n"
            '    builtin: {\n      w: "0x04000000' + "00" * 1200000
            + '"\n    }\n  }\n#-}\n', 5, "1 MiB|1048576|constant|resource"),
    Program("rank_nine", _identity("tensor<1x1x1x1x1x1x1x1x1xf32>"), 12,
            "rank|dimensions"),
    Program("many_arguments", "func.func @f(" + ", ".join(
        f"%a{i}: tensor<2xf32>" for i in range(300))
            + ") -> tensor<2xf32> {\n  return %a0 : tensor<2xf32>\n}\n", 12,
            "300|256|arguments"),
    Program("many_results", "func.func @f(%x: f32) -> ("
            + ", ".join(["f32"] * 300) + ") {\n  return "
            + ", ".join(["%x"] * 300) + " : " + ", ".join(["f32"] * 300)
            + "\n}\n", 12, "300|256|results"),
    Program("many_functions", "".join(
        f"func.func @f{i}(%x: f32) -> f32 {{\n  return %x : f32\n}}\n"
        for i in range(4200)), 12, "4200|4096|functions"),
]

FORMS = [
    Program("empty", "", 10, "function"),
    Program("only_comments", "// nothing here\n", 10, "function"),
    Program("only_private", "func.func private @f(%x: f32) -> f32 {\n"
            "  return %x : f32\n}\n", 10, "public|function"),
    Program("only_declared", f"func.func @f({_X}) -> {_X}\n", (2, 10),
            "f|body|public|declar"),
    Program("recursion", _op(f"%x: {_X}", _X,
                             f"func.call @f(%x) : ({_X}) -> {_X}"), 10,
            "calls itself|recurs"),
    Program("mutual_recursion", "".join(
        f"func.func @{a}(%x: {_X}) -> {_X} {{\n  %r = func.call @{b}(%x) : "
        f"({_X}) -> {_X}\n  return %r : {_X}\n}}\n"
        for a, b in (("f", "g"), ("g", "h"), ("h", "f"))), 10,
            "itself|recurs"),
    Program("calls_outside", f"func.func private @g({_X}) -> {_X}\n"
            + _op(f"%x: {_X}", _X, f"func.call @g(%x) : ({_X}) -> {_X}"), 10,
            "g"),
    Program("unranked", _identity("tensor<*xf32>"), 10, "tensor<\\*xf32>|rank"),
    Program("tuple_argument", "func.func @f(%x: tuple<f32, f32>) {\n"
            "  return\n}\n", 10, "tuple|type"),
    Program("function_argument", "func.func @f(%x: (f32) -> f32) {\n"
            "  return\n}\n", 10, "->|type"),
    Program("two_blocks", "func.func @f(%x: f32) -> f32 {\n"
            "  cf.br ^next(%x : f32)\n^next(%y: f32):\n  return %y : f32\n}\n",
            10, "block|f"),
    Program("complex_elements", _identity("tensor<4xcomplex<f32>>"), 11,
            "complex"),
    Program("wide_integers", _identity("tensor<4xi128>"), 11, "i128"),
    Program("long_double", _identity("tensor<4xf80>"), 11, "f80"),
    Program("vector_elements", _identity("tensor<4xvector<4xf32>>"), 11,
            "vector"),
    Program("half_bytes", _identity("tensor<4xi4>"), 11, "i4"),
    Program("no_lowering", _function(
        "%x: tensor<4x4xf32>, %i: tensor<2x1xi32>", "tensor<2x4xf32>",
        "%j = arith.index_cast %i : tensor<2x1xi32> to tensor<2x1xindex>",
        "%r = tensor.gather %x[%j] gather_dims([0]) : (tensor<4x4xf32>, "
        "tensor<2x1xindex>) -> tensor<2x4xf32>"), 7, "gather"),
    Program("loop_that_grows", _function(
        "%x: tensor<?xf32>, %n: index", "tensor<?xf32>",
        "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        "%z = arith.constant 0.0 : f32",
        "%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> "
        "(tensor<?xf32>) {",
        "  %y = tensor.pad %a low[0] high[1] {", "  ^bb0(%j: index):",
        "    tensor.yield %z : f32", "  } : tensor<?xf32> to tensor<?xf32>",
        "  scf.yield %y : tensor<?xf32>", "}"), 7,
        "scf.for: the body changes dimension 0"),
    Program("loop_that_decides_a_size", _function(
        "%x: tensor<?xf32>, %n: index", "tensor<?xf32>",
        "%c0 = arith.constant 0 : index",
        "%r = scf.while (%i = %c0) : (index) -> tensor<?xf32> {",
        "  %go = arith.cmpi slt, %i, %n : index",
        "  %y = tensor.extract_slice %x[0] [%i] [1] : tensor<?xf32> to "
        "tensor<?xf32>",
        "  scf.condition(%go) %y : tensor<?xf32>",
        "} do {", "^bb0(%y: tensor<?xf32>):",
        "  %j = tensor.dim %y, %c0 : tensor<?xf32>",
        "  scf.yield %j : index", "}"), 7,
        "known only after this loop has run"),
]


def _argument(name, attributes, mentions, type=_X, arguments=(), code=8):
    return Program("argument_" + name, _identity(type, f" {{{attributes}}}"),
                   code, mentions, arguments)


ARGUMENTS = [
    _argument("donate_no_result", "aikernel.donate = 1 : i64",
              "donate.*|result"),
    _argument("donate_negative", "aikernel.donate = -1 : i64", "donate|-1"),
    _argument("donate_text", 'aikernel.donate = "0"', "donate"),
    _argument("name_number", "aikernel.name = 3 : i64", "name"),
    _argument("name_empty", 'aikernel.name = ""', "name"),
    _argument("name_long", f'aikernel.name = "{"n" * 300}"', "name|255"),
    _argument("weight_value", "aikernel.weight = 3 : i64", "weight"),
    _argument("unknown", "aikernel.wait", "aikernel.wait"),
    _argument("min_rank", "aikernel.min = array<i64: 1>", "min"),
    _argument("min_negative", "aikernel.min = array<i64: -2, 1>", "min|-2"),
    _argument("min_over_max", "aikernel.min = array<i64: 8, 1>, "
              "aikernel.max = array<i64: 4, 5>", "min|max",
              "tensor<?x?xf32>"),
    _argument("multiple_zero", "aikernel.multiple_of = array<i64: 0, 1>",
              "multiple_of"),
    _argument("max_text", 'aikernel.max = "ten"', "max"),
    _argument("max_below_size", "aikernel.max = array<i64: 2, 5>", "max"),
    Program("argument_donate_type", "func.func @f(%x: tensor<4xf32> "
            "{aikernel.donate = 0 : i64}, %y: tensor<4xf16>) -> tensor<4xf16> "
            "{\n  return %y : tensor<4xf16>\n}\n", 8, "f32.*f16|donate"),
    Program("argument_donate_twice", "func.func @f(%x: tensor<4xf32> "
            "{aikernel.donate = 0 : i64}, %y: tensor<4xf32> {aikernel.donate "
            "= 0 : i64}) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n",
            8, "donated|donate"),
    Program("argument_same_name", 'func.func @f(%x: tensor<4xf32> '
            '{aikernel.name = "a"}, %y: tensor<4xf32> {aikernel.name = "a"}) '
            "-> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n", 8,
            '"a"|named'),
    Program("argument_weight_scalar", "func.func @f(%x: f32 "
            "{aikernel.weight}) -> f32 {\n  return %x : f32\n}\n", 8,
            "weight.*tensor|f32"),
    Program("result_unknown", "func.func @f(%x: f32) -> (f32 "
            "{aikernel.weight}) {\n  return %x : f32\n}\n", 8,
            "result|weight"),
]
