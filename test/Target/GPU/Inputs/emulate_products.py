#!/usr/bin/python3
#===- emulate_products.py - Runs the code of products in numpy ------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: emulate_products.py FILE WAVE ROWS
#
# In: a module in MLIR's generic form whose gpu.func say what the threads of a
# block do, after aik-lower-warp-products or aik-lower-wave-products, with
# WAVE lanes in a wave. Their parameters are left operand, right operand,
# result, rows and extras; unknown rows are ROWS. Out: for each kernel, how far
# its result is from numpy's, with its attribute `test.expect` as the rule
#   lhs_transposed, rhs_transposed, bias, relu, residual
# (any of them). 1 if one is wrong.
#
# All threads of a block go through the code side by side. Matrix instructions
# do what the manuals of the vendors say about lanes. Around buffers there are
# guards of NaNs: who reads beyond a buffer gets these, who writes is caught.
# Asynchronous copies arrive when they are waited for, and not before; what was
# there is gone when they start. That barriers are missing is not noticed.
#
#===----------------------------------------------------------------------===#

import re
import sys
import numpy as np

GUARD = 4096
OP = re.compile(r'^\s*(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)(.*)$')
LABEL = re.compile(r"^\s*\^bb\d+\((.*)\):")


class Op:
    def __init__(self, match):
        name, count, self.name, operands, self.rest = match.groups()
        self.results = ([] if not name else [name] if not count else
                        [f"{name}#{i}" for i in range(int(count))])
        self.operands = [x for x in operands.split(", ") if x]
        self.regions = []
        self.types = ""

    def attr(self, name):
        return re.search(rf"\b{name} = (-?[\w.+]+)", self.rest)[1]

    def attr_list(self, name):
        text = re.search(rf"\b{name} = (?:array<i64: |\[)([^\]>]*)", self.rest)
        return [int(x) for x in text[1].split(", ")]

    def made(self):
        return self.types.rsplit("-> ", 1)[1]


def parse(lines):
    """The ops of a block, up to the end of its region."""
    arguments, ops = [], []
    for line in lines:
        label = LABEL.match(line)
        if label:
            arguments = re.findall(r"(%\w+): ([^,]*(?:<[^>]*>)?)", label[1])
            continue
        if re.match(r"^\s*\}", line):
            return arguments, ops, line
        match = OP.match(line)
        if not match:
            continue
        op = Op(match)
        ops.append(op)
        end = line
        while end.rstrip().endswith("{"):
            inner, body, end = parse(lines)
            op.regions.append((inner, body))
        op.types = end
    return arguments, ops, ""


def from_bits(bits, element):
    """16-bit words as f32."""
    bits = bits.astype(np.uint16)
    if element == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bits(values, element):
    values = np.ascontiguousarray(values, np.float32)
    if element == "f16":
        return values.astype(np.float16).view(np.uint16)
    bits = values.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


SIZES = {"f32": 4, "bf16": 2, "f16": 2, "i16": 2, "i32": 4}


def element_of(type):
    match = re.match(r"vector<(\d+)x(\w+)>", type)
    return (int(match[1]), match[2]) if match else (0, type)


class Block:
    def __init__(self, threads, wave, memory, block):
        self.threads, self.wave, self.block = threads, wave, block
        self.memory = memory
        self.shared = np.full(1 << 18, 0xFF, np.uint8)
        self.values = {}
        self.copies, self.groups = [], []

    def get(self, name):
        return self.values[name]

    def lanes(self, array):
        return array.reshape(-1, self.wave, *array.shape[1:])

    #--- Memory ---------------------------------------------------------------

    def bytes_at(self, space, addresses, count, mask):
        at = np.where(mask, addresses, GUARD)[:, None] + np.arange(count)
        return self.room(space)[at]

    def room(self, space):
        return self.shared if space == "3" else self.memory

    def read(self, space, addresses, type, mask):
        count, element = element_of(type)
        size = SIZES[element]
        raw = np.ascontiguousarray(
            self.bytes_at(space, addresses, max(count, 1) * size, mask))
        if element == "f32":
            values = raw.view(np.float32)
        elif element in ("bf16", "f16"):
            values = from_bits(raw.view(np.uint16), element)
        else:
            values = raw.view({2: np.uint16, 4: np.uint32}[size]).astype(
                np.int64)
        return values if count else values[:, 0]

    def write(self, space, addresses, value, type, mask):
        count, element = element_of(type)
        value = value if count else value[:, None]
        if element == "f32":
            raw = np.ascontiguousarray(value, np.float32).view(np.uint8)
        elif element in ("bf16", "f16"):
            raw = to_bits(value, element).view(np.uint8)
        else:
            raw = np.ascontiguousarray(value.astype(
                {2: np.uint16, 4: np.uint32}[SIZES[element]])).view(np.uint8)
        at = addresses[mask][:, None] + np.arange(raw.shape[1])
        self.room(space)[at] = raw[mask]

    #--- Control flow ---------------------------------------------------------

    def run(self, ops, mask):
        for op in ops:
            if op.name in ("scf.yield", "gpu.return"):
                return [self.get(x) for x in op.operands]
            results = self.do(op, mask)
            for name, value in zip(op.results, results):
                self.values[name] = value
        return []

    def loop(self, op, mask):
        iv, end, step, *carried = [self.get(x) for x in op.operands]
        arguments, body = op.regions[0]
        while True:
            active = mask & (iv < end)
            if not active.any():
                return carried
            for (name, _), value in zip(arguments, [iv] + carried):
                self.values[name] = value
            next = self.run(body, active)
            carried = [merge(active, new, old)
                       for new, old in zip(next, carried)]
            iv = np.where(active, iv + step, iv)

    #--- Ops ------------------------------------------------------------------

    def do(self, op, mask):
        name = op.name
        if name == "scf.for":
            return self.loop(op, mask)
        args = [self.get(x) for x in op.operands]
        if name == "scf.if":
            self.run(op.regions[0][1], mask & (args[0] != 0))
            return []
        if name in BINARY:
            return [BINARY[name](*args)]
        return [getattr(self, name.replace(".", "_"))(op, args, mask)]

    def arith_constant(self, op, args, mask):
        count, element = element_of(op.made())
        text = re.search(r"value = (?:dense<)?([^ >]+)", op.rest)[1]
        value = {"true": 1, "false": 0}.get(text)
        value = float(text) if value is None else value
        is_float = element in ("f32", "bf16", "f16")
        shape = (self.threads, count) if count else (self.threads,)
        return np.full(shape, value, np.float32 if is_float else np.int64)

    def same(self, op, args, mask):
        return args[0]

    arith_index_cast = llvm_inttoptr = arith_extf = llvm_inline_asm = same

    def arith_truncf(self, op, args, mask):
        element = element_of(op.made())[1]
        return from_bits(to_bits(args[0], element), element)

    def arith_cmpi(self, op, args, mask):
        kind = int(op.attr("predicate"))
        return {0: np.equal, 6: np.less}[kind](*args).astype(np.int64)

    def arith_select(self, op, args, mask):
        return merge(args[0] != 0, args[1], args[2])

    def gpu_thread_id(self, op, args, mask):
        return np.arange(self.threads)

    def gpu_block_id(self, op, args, mask):
        return np.full(self.threads, self.block)

    def gpu_barrier(self, op, args, mask):
        assert mask.all(), "a barrier that some threads do not reach"

    def memref_extract_aligned_pointer_as_index(self, op, args, mask):
        return np.full(self.threads, args[0].base)

    def llvm_mlir_addressof(self, op, args, mask):
        return np.zeros(self.threads, np.int64)

    def llvm_getelementptr(self, op, args, mask):
        return args[0] + args[1]

    def llvm_load(self, op, args, mask):
        return self.read(re.search(r"ptr<(\d)>", op.types)[1], args[0],
                         op.made(), mask)

    def llvm_store(self, op, args, mask):
        value, space = re.search(r": \((.*), !llvm.ptr<(\d)>\)",
                                 op.types).groups()
        self.write(space, args[1], args[0], value, mask)

    def addresses(self, memref, indices):
        at = sum(index * stride
                 for index, stride in zip(indices, memref.strides()))
        return memref.base + at * SIZES[memref.element]

    def vector_load(self, op, args, mask):
        return self.read("1", self.addresses(args[0], args[1:]), op.made(),
                         mask)

    memref_load = vector_load

    def vector_store(self, op, args, mask):
        type = re.search(r": \((vector<[^>]*>)", op.types)[1]
        self.write("1", self.addresses(args[1], args[2:]), args[0], type, mask)

    def vector_broadcast(self, op, args, mask):
        return np.repeat(args[0][:, None], element_of(op.made())[0], 1)

    def vector_from_elements(self, op, args, mask):
        return np.stack(args, 1)

    def vector_extract(self, op, args, mask):
        return args[0][:, op.attr_list("static_position")[0]]

    def vector_shuffle(self, op, args, mask):
        return np.concatenate(args, 1)[:, op.attr_list("mask")]

    def llvm_extractvalue(self, op, args, mask):
        return args[0][op.attr_list("position")[0]]

    def llvm_bitcast(self, op, args, mask):
        return halves(args[0], element_of(op.made())[1])

    #--- NVIDIA ---------------------------------------------------------------

    def nvvm_cp_async_shared_global(self, op, args, mask):
        to, source, size = args
        data = self.bytes_at("1", source, 16, mask)
        data[np.arange(16)[None] >= size[:, None]] = 0
        at = to[mask][:, None] + np.arange(16)
        self.shared[at] = 0xFF
        self.copies.append((at, data[mask]))

    def nvvm_cp_async_commit_group(self, op, args, mask):
        self.groups.append(self.copies)
        self.copies = []

    def nvvm_cp_async_wait_group(self, op, args, mask):
        while len(self.groups) > int(op.attr("n")):
            for at, data in self.groups.pop(0):
                self.shared[at] = data

    def nvvm_ldmatrix(self, op, args, mask):
        rows = self.lanes(self.read("3", args[0], "vector<8xi16>", mask))
        lane = np.arange(32)
        words = []
        for matrix in range(4):
            tile = rows[:, 8 * matrix:8 * matrix + 8]
            if "mma_layout<col>" in op.rest:
                tile = tile.transpose(0, 2, 1)
            pairs = [tile[:, lane // 4, 2 * (lane % 4) + h] for h in (0, 1)]
            words.append((pairs[0] | pairs[1] << 16).reshape(-1))
        return words

    def nvvm_mma_sync(self, op, args, mask):
        kind = re.search(r"multiplicandAPtxType = #nvvm.mma_type<(\w+)>",
                         op.rest)[1]
        pairs = [self.lanes(x if x.ndim == 2 else halves(x, kind))
                 for x in args[:6]]
        lane = np.arange(32)
        g, t = lane // 4, lane % 4
        waves = len(pairs[0])
        a, b = np.zeros((waves, 16, 16)), np.zeros((waves, 16, 8))
        for i in range(4):
            for h in (0, 1):
                a[:, g + i % 2 * 8, 2 * t + i // 2 * 8 + h] = pairs[i][..., h]
        for i in range(2):
            for h in (0, 1):
                b[:, 2 * t + 8 * i + h, g] = pairs[4 + i][..., h]
        d = a @ b
        return [args[6 + i] + d[:, g + i // 2 * 8, 2 * t + i % 2].reshape(
            -1).astype(np.float32) for i in range(4)]

    #--- AMD ------------------------------------------------------------------

    def rocdl_mfma_f32_16x16x16f16(self, op, args, mask):
        return self.mfma(args[0], args[1], args[2])

    def rocdl_mfma_f32_16x16x16bf16_1k(self, op, args, mask):
        return self.mfma(from_bits(args[0], "bf16"),
                         from_bits(args[1], "bf16"), args[2])

    def mfma(self, left, right, sums):
        """A[i][k] is in lane i + 16 (k / 4), element k mod 4, B[k][j] in lane
        j + 16 (k / 4), and D[i][j] in lane j + 16 (i / 4), element i mod 4."""
        left, right = self.lanes(left), self.lanes(right)
        lane = np.arange(64)
        a = np.zeros((len(left), 16, 16))
        b = np.zeros((len(left), 16, 16))
        for e in range(4):
            a[:, lane % 16, 4 * (lane // 16) + e] = left[..., e]
            b[:, 4 * (lane // 16) + e, lane % 16] = right[..., e]
        d = a @ b
        made = [d[:, 4 * (lane // 16) + e, lane % 16] for e in range(4)]
        return sums + np.stack(made, -1).reshape(-1, 4).astype(np.float32)

    def rocdl_wmma_f32_16x16x16_f16(self, op, args, mask):
        return self.wmma(args[0], args[1], args[2])

    def rocdl_wmma_f32_16x16x16_bf16(self, op, args, mask):
        return self.wmma(from_bits(args[0], "bf16"),
                         from_bits(args[1], "bf16"), args[2])

    def wmma(self, left, right, sums):
        """A[i][k] is in lanes i and i + 16, element k, B[k][j] in lanes j and
        j + 16, element k, and D[i][j] in lane j + 16 (i mod 2), element
        i / 2."""
        left, right = self.lanes(left), self.lanes(right)
        assert (left[:, :16] == left[:, 16:]).all()
        assert (right[:, :16] == right[:, 16:]).all()
        d = left[:, :16] @ right[:, :16].transpose(0, 2, 1)
        lane = np.arange(32)
        made = [d[:, 2 * e + lane // 16, lane % 16] for e in range(8)]
        return sums + np.stack(made, -1).reshape(-1, 8).astype(np.float32)


def halves(words, element):
    return np.stack([from_bits(words & 0xFFFF, element),
                     from_bits(words >> 16, element)], -1)


def merge(condition, new, old):
    if isinstance(new, list):
        return [merge(condition, x, y) for x, y in zip(new, old)]
    if new is old:
        return new
    while condition.ndim < new.ndim:
        condition = condition[..., None]
    return np.where(condition, new, old)


BINARY = {"arith.addi": np.add, "arith.subi": np.subtract,
          "arith.muli": np.multiply, "arith.divui": np.floor_divide,
          "arith.remui": np.remainder, "arith.xori": np.bitwise_xor,
          "arith.andi": np.bitwise_and, "arith.minsi": np.minimum,
          "arith.addf": np.add, "arith.maximumf": np.maximum}


class Buffer:
    def __init__(self, type, rows):
        *shape, self.element = re.match(r"memref<([^,>]*)", type)[1].split("x")
        self.shape = [rows if x == "?" else int(x) for x in shape]
        self.base = 0

    def strides(self):
        return [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]

    def bytes(self):
        return int(np.prod(self.shape)) * SIZES[self.element]


def check(name, function, wave, rows):
    generator = np.random.default_rng(7)
    arguments, body = function.regions[0]
    said = function.rest + function.types
    expect = re.search(r'test.expect = "([^"]*)"', said)[1].split()
    threads = int(re.search(r"known_block_size = array<i32: (\d+)", said)[1])
    blocks = int(re.search(r"test.blocks = (\d+)", said)[1])
    buffers = {x: Buffer(type, rows) for x, type in arguments
               if type.startswith("memref")}
    end = GUARD
    for buffer in buffers.values():
        buffer.base = end
        end += -(-buffer.bytes() // 16) * 16 + GUARD
    memory = np.full(end, 0xFF, np.uint8)
    numbers, filled = [], memory.copy()
    for buffer in buffers.values():
        given = generator.integers(-4, 5, buffer.shape).astype(np.float32) / 4
        numbers.append(given)
        raw = (given.view(np.uint8) if buffer.element == "f32" else
               to_bits(given, buffer.element).view(np.uint8)).reshape(-1)
        memory[buffer.base:buffer.base + len(raw)] = raw
    filled = memory.copy()
    for block in range(blocks):
        state = Block(threads, wave, memory, block)
        for x, type in arguments:
            state.values[x] = buffers.get(x, np.full(threads, rows))
        state.run(body, np.ones(threads, bool))
    lhs, rhs, out, *extras = numbers
    wanted = ((lhs.T if "lhs_transposed" in expect else lhs) @
              (rhs.T if "rhs_transposed" in expect else rhs))
    for word in expect:
        if word in ("bias", "residual"):
            wanted = wanted + extras.pop(0)
        if word == "relu":
            wanted = np.maximum(wanted, 0)
    result = list(buffers.values())[2]
    start, stop = result.base, result.base + result.bytes()
    raw = memory[start:stop]
    made = (raw.view(np.float32) if result.element == "f32" else
            from_bits(raw.view(np.uint16), result.element))
    if result.element != "f32":
        wanted = from_bits(to_bits(wanted, result.element), result.element)
    wrong = int((made.reshape(wanted.shape) != wanted).sum())
    filled[start:stop] = raw
    outside = int((filled != memory).sum())
    print(f"{name}: {wrong} of {wanted.size} wrong, {outside} bytes outside")
    return wrong or outside


def main(path, wave, rows):
    with open(path) as file:
        _, ops, _ = parse(iter(file.read().splitlines()))
    kernels = [op for module in ops for op in module.regions[0][1]]
    kernels = [op for module in kernels for op in
               (module.regions[0][1] if module.regions else [])]
    bad = 0
    for op in kernels:
        if op.name == "gpu.func":
            name = re.search(r'sym_name = "(\w+)"', op.rest + op.types)[1]
            bad += 1 if check(name, op, int(wave), int(rows)) else 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
