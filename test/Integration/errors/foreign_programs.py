#===- foreign_programs.py - Wrong programs in other dialects -------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Valid for upstream's verifiers, and refused: what has no lowering, what could
# reach memory without a check, what is too large, and names and files that are
# the compiler's own.
#
#===----------------------------------------------------------------------===#

from programs import Program, _function, _identity, _op

_T = "tensor<?xf32>"
_M = "memref<?xf32>"


def _body(arguments, *lines):
    """A function @f without results."""
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @f({arguments}) {{\n{body}  return\n}}\n"


def _element(name, type):
    return Program("element_" + name, _function(
        "%x: f32", "index", "%c0 = arith.constant 0 : index",
        f"%e = tensor.empty() : tensor<9x{type}>",
        f"%r = tensor.dim %e, %c0 : tensor<9x{type}>"), 7,
        "tensor.empty.*no place in memory")


def _map(name, expression, mentions, code=7):
    return Program("map_" + name, _op(
        f"%x: {_T}, %y: {_T}", _T,
        f"linalg.generic {{indexing_maps = [affine_map<(i) -> ({expression})>, "
        "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} "
        f"ins(%x : {_T}) outs(%y : {_T}) {{\n^bb0(%a: f32, %b: f32):\n"
        f"  linalg.yield %a : f32\n}} -> {_T}"), code, mentions)


def _named(name, symbol, visibility=""):
    return Program(name, f"func.func {visibility}@{symbol}(%x: {_T}) -> {_T} "
                   f"{{\n  return %x : {_T}\n}}\n"
                   f"func.func @main(%x: {_T}) -> {_T} {{\n"
                   f"  return %x : {_T}\n}}\n", 10, "name")


def _calls(depth):
    """2^depth calls of one function."""
    text = "func.func private @a0(%x: f32) -> f32 {\n  return %x : f32\n}\n"
    for i in range(1, depth + 1):
        text += (f"func.func private @a{i}(%x: f32) -> f32 {{\n"
                 f"  %0 = call @a{i - 1}(%x) : (f32) -> f32\n"
                 f"  %1 = call @a{i - 1}(%0) : (f32) -> f32\n"
                 "  return %1 : f32\n}\n")
    return text + (f"func.func @f(%x: f32) -> f32 {{\n"
                   f"  %0 = call @a{depth}(%x) : (f32) -> f32\n"
                   "  return %0 : f32\n}\n")


_LOAD = ("%c0 = arith.constant 0 : index", "%r = memref.load %v[%c0] : {}")

ALL = [
    Program("memref_view", _function(
        "%m: memref<64xi8>, %i: index", "f32", _LOAD[0],
        "%v = memref.view %m[%i][] : memref<64xi8> to memref<4xf32>",
        _LOAD[1].format("memref<4xf32>")), 7, "memref.view"),
    Program("memref_reinterpret_cast", _function(
        f"%m: {_M}", "f32", _LOAD[0],
        f"%v = memref.reinterpret_cast %m to offset: [5], sizes: [4], "
        f"strides: [1] : {_M} to memref<4xf32, strided<[1], offset: 5>>",
        _LOAD[1].format("memref<4xf32, strided<[1], offset: 5>>")), 7,
        "memref.reinterpret_cast"),
    Program("memref_cast_strides", _function(
        "%m: memref<64xf32>", "f32", _LOAD[0],
        "%a = memref.cast %m : memref<64xf32> to "
        "memref<64xf32, strided<[?], offset: ?>>",
        "%v = memref.cast %a : memref<64xf32, strided<[?], offset: ?>> to "
        "memref<64xf32, strided<[2], offset: 5>>",
        _LOAD[1].format("memref<64xf32, strided<[2], offset: 5>>")), 7,
        "memref.cast.*strides"),
    Program("memref_dealloc_argument",
            _body("%m: memref<9xf32>", "memref.dealloc %m : memref<9xf32>"), 7,
            "memref.dealloc.*memref.alloc"),
    Program("memref_realloc", _body(
        "%m: memref<9xf32>", "%a = memref.alloc() : memref<9xf32>",
        "%b = memref.realloc %a : memref<9xf32> to memref<18xf32>",
        "memref.dealloc %b : memref<18xf32>"), 7, "memref.realloc"),
    Program("memref_global", 'memref.global "private" @g : memref<4xf32>\n' +
            _body("%m: memref<9xf32>"), 7, "memref.global"),
    Program("memref_atomic", _op(
        f"%m: {_M}, %i: index", "f32", f"memref.generic_atomic_rmw %m[%i] : "
        f"{_M} {{\n^bb0(%a: f32):\n  memref.atomic_yield %a : f32\n}}"), 7,
        "memref.generic_atomic_rmw"),
    *(Program(f"atomic_on_{target.replace(':', '_')}", _op(
        f"%m: {_M}, %i: index, %x: f32", "f32",
        f"memref.atomic_rmw addf %x, %m[%i] : (f32, {_M}) -> f32"), 7,
        "memref.atomic_rmw", (f"--target={target}",))
      for target in ("nvidia:sm_90a", "amd:gfx942")),
    *(Program(f"commands_on_{target.replace(':', '_')}", _body(
        f"%m: {_M}", "%q = aikernel.gpu.queue_create {device = \"cpu\"} -> "
        "!aikernel.queue", "%c = aikernel.gpu.commands {",
        "  aikernel.gpu.barrier", "} -> !aikernel.commands",
        "%f = aikernel.gpu.submit_commands %q, %c -> !aikernel.fence",
        "%s = aikernel.gpu.wait %f -> i32"), 7,
        "a queue of .cpu. cannot take the commands", (f"--target={target},cpu",))
      for target in ("nvidia:sm_90a", "amd:gfx942")),
    Program("vector_load", _body(
        f"%m: {_M}, %i: index",
        f"%v = vector.load %m[%i] : {_M}, vector<4xf32>"), 7, "vector.load"),
    Program("vector_constant", _body(
        "%x: f32", "%v = arith.constant dense<0.0> : vector<4xf32>"), 7,
        "arith.constant.*vector<4xf32>"),
    Program("affine_vector", _body(
        f"%m: {_M}, %i: index",
        f"%v = affine.vector_load %m[symbol(%i)] : {_M}, vector<4xf32>"), 7,
        "affine.vector_load"),
    Program("poison", _op("%x: f32", "f32", "ub.poison : f32"), 7,
            "ub.poison"),
    Program("llvm_op", _op("%x: f32", "i32",
                           "llvm.mlir.constant(1 : i32) : i32"), 7,
            "llvm.mlir.constant"),
    Program("unrealized_cast", _op(
        "%x: f32", "i32", "builtin.unrealized_conversion_cast %x : f32 to i32"),
        7, "unrealized_conversion_cast"),
    Program("own_env", _body("%x: f32", "%e = aikernel.env : !llvm.ptr"), 7,
            "aikernel.env"),
    Program("own_reference_call", _op(
        f"%x: {_T}, %e: {_T}", _T, 'aikernel.reference_call "relu" ins(%x : '
        f"{_T}) outs(%e : {_T}) {{params = array<f64>}} -> {_T}"), 7,
        "aikernel.reference_call"),
    Program("indirect_call", "func.func private @a(%x: f32) -> f32 {\n"
            "  return %x : f32\n}\n" + _function(
                "%x: f32", "f32", "%g = func.constant @a : (f32) -> f32",
                "%r = func.call_indirect %g(%x) : (f32) -> f32"), 7,
            "func.constant"),
    Program("several_blocks", _op(
        "%x: i32", "i32", "scf.execute_region -> i32 {\n  cf.br ^b\n^b:\n"
        "  scf.yield %x : i32\n}"), 7, "scf.execute_region.*blocks"),
    Program("ipowi", _op("%x: tensor<4xi32>", "tensor<4xi32>",
                         "math.ipowi %x, %x : tensor<4xi32>"), 7,
            "math.ipowi"),
    Program("math_f8", _op("%x: tensor<4xf8E5M2>", "tensor<4xf8E5M2>",
                           "math.exp %x : tensor<4xf8E5M2>"), 7,
            "math.exp.*f8"),
    Program("tensor_reshape", _function(
        f"%x: {_T}, %s: tensor<2xindex>", "index",
        "%c0 = arith.constant 0 : index",
        f"%v = tensor.reshape %x(%s) : ({_T}, tensor<2xindex>) -> "
        "tensor<?x?xf32>", "%r = tensor.dim %v, %c0 : tensor<?x?xf32>"), 7,
        "tensor.reshape"),
    Program("no_rank", _function(
        f"%x: {_T}", _T, f"%u = tensor.cast %x : {_T} to tensor<*xf32>",
        f"%r = tensor.cast %u : tensor<*xf32> to {_T}"), 7,
        "tensor.cast.*no rank"),
    Program("to_tensor_shared", _op(
        f"%m: {_M}", _T, f"bufferization.to_tensor %m : {_M} to {_T}"), 7,
        "to_tensor.*restrict"),
    Program("memory_space", _body(
        "%x: f32", "%a = memref.alloc() : memref<4xf32, 1>"), 7,
        "memref.alloc.*plain memory"),
    _element("i4", "i4"), _element("i33", "i33"), _element("i128", "i128"),
    _element("f128", "f128"), _element("complex", "complex<f32>"),
    _element("vector", "vector<4xf32>"),
    _map("factor", "i * 1000000", "linalg.generic.*factor"),
    _map("term", "i + 4611686018427387904", "linalg.generic.*map"),
    Program("negative_padding", _op(
        "%x: tensor<9xf32>", "tensor<7xf32>", "tensor.pad %x low[-1] high[-1] "
        "{\n^bb0(%i: index):\n  %v = arith.constant 0.0 : f32\n"
        "  tensor.yield %v : f32\n} : tensor<9xf32> to tensor<7xf32>"), 2,
        "tensor.pad.*negative"),
    Program("negative_offset", _function(
        f"%x: {_T}", "tensor<4xf32>", "%c = arith.constant -3 : index",
        f"%r = tensor.extract_slice %x[%c] [4] [1] : {_T} to tensor<4xf32>"),
        2, "tensor.extract_slice.*negative offset"),
    Program("materialize_restrict", _body(
        "%m: memref<8x8xf32>",
        "%t = bufferization.to_tensor %m restrict writable : memref<8x8xf32> "
        "to tensor<8x8xf32>",
        "%y = aikernel.matmul %t, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
        "tensor<8x8xf32>",
        "bufferization.materialize_in_destination %y in restrict writable %m "
        ": (tensor<8x8xf32>, memref<8x8xf32>) -> ()"), 7,
        "materialize_in_destination.*restrict"),
    Program("view_unknown_stride", _body(
        "%x: memref<1x1x1x1xf32>, %o: memref<1x?x?xf32>, %n: index",
        "%r = memref.subview %x[0, 0, 0, 0] [1, %n, 1, %n] [1, 1, 1, %n] : "
        "memref<1x1x1x1xf32> to memref<1x?x?xf32, strided<[1, 1, ?]>>",
        "memref.copy %r, %o : memref<1x?x?xf32, strided<[1, 1, ?]>> to "
        "memref<1x?x?xf32>"), 7,
        "memref.subview.*dimensions"),
    Program("view_unclear", _body(
        "%x: memref<4x5x6xf32>, %o: memref<?x5xf32>, %n: index",
        "%r = memref.subview %x[0, 0, 0] [%n, 5, 1] [1, 1, 1] : "
        "memref<4x5x6xf32> to memref<?x5xf32, strided<[30, 6]>>",
        "memref.copy %r, %o : memref<?x5xf32, strided<[30, 6]>> to "
        "memref<?x5xf32>"), 7,
        "memref.subview.*dimensions"),
    Program("expand_mismatch", _op(
        "%x: tensor<10xf32>", "tensor<3x4xf32>",
        "tensor.expand_shape %x [[0, 1]] output_shape [3, 4] : "
        "tensor<10xf32> into tensor<3x4xf32>"), 2, "tensor.expand_shape.*12"),
    Program("huge_argument", _identity("tensor<4611686018427387904xf32>"), 12,
            r"argument 0.*2\^48"),
    Program("huge_product", _identity("tensor<?x4294967296x4294967296xi8>"),
            12, r"argument 0.*2\^48"),
    Program("huge_intermediate", _function(
        "%x: f32", "index", "%c0 = arith.constant 0 : index",
        "%e = tensor.empty() : tensor<4611686018427387904xf32>",
        "%r = tensor.dim %e, %c0 : tensor<4611686018427387904xf32>"), 12,
        r"tensor.empty.*2\^48"),
    Program("call_bomb", _calls(19), 12, "65536 calls"),
    _named("named_reference", "reference"),
    _named("named_reference_private", "reference", "private "),
    _named("named_aik_ref", "aik_ref_relu"),
    _named("named_dollar", '"g$run"'),
    _named("named_dollar_private", '"main$run"', "private "),
    _named("named_newline", '"a\\0Ab"'),
    Program("not_of_kernel", _identity(_T), 2, "no file of the phase 'kernel'",
            ("--compile-from=kernel",)),
    Program("not_of_structured", _identity(_T), 2,
            "no file of the phase 'structured'",
            ("--compile-from=structured",)),
    Program("not_of_scheduled", _identity(_T), 2,
            "no file of the phase 'scheduled'",
            ("--compile-from=scheduled",)),
    Program("not_of_target", _identity(_T), 2, "no file of the phase 'target'",
            ("--compile-from=target",)),
]
