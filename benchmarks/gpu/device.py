#===- device.py - Our functions and the clock in PyTorch's process --------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# Bound runs a function of an artifact on torch tensors, on torch's current
# stream. Gpu times calls by events around one launch, with the level-2 cache
# cleared by reading before each sample, and has the ceilings: a copy and a pass
# that only reads. Cpu stands in for it where there is no GPU, to try the driver.
#
#===----------------------------------------------------------------------===#

import random
import time

import torch

import aikrt
import data

_NAMES = {type: name for name, type in data.DTYPES.items()}
_NUMBERS = {aikrt.DTYPES[name][0]: type for name, type in data.DTYPES.items()}


def _view(tensor):
    return aikrt.tensor(tensor.data_ptr(), _NAMES[tensor.dtype], tensor.shape,
                        tensor.stride())


class Bound:
    """A function with arguments, results, workspace and prepared weights."""

    def __init__(self, function, tensors, stream=None, queued=False):
        """`queued`: on the device's own queue, as graphs are recorded."""
        device = tensors[0].device
        args = (aikrt.Tensor * len(tensors))(*map(_view, tensors))
        results = function.shapes(args)
        stored, flags = function.storage(args), 0
        if device.type == "cuda":
            torch.cuda.synchronize()
            flags = aikrt.ASYNC | (0 if queued else aikrt.ON_STREAM)
        if stored:
            self.storage = torch.empty(stored, dtype=torch.uint8,
                                       device=device)
            args = function.prepare(args, self.storage.data_ptr(), stored)
            flags |= aikrt.PREPARED
        self.prepared_bytes = stored
        donated = function.donations()
        self.results = []
        for index, result in enumerate(results):
            if index in donated:
                own = tensors[donated[index]]
            else:
                own = torch.empty(tuple(result.dims[:result.rank]),
                                  dtype=_NUMBERS[result.dtype], device=device)
            result.data = own.data_ptr()
            self.results.append(own)
        self.donated = {index: tensors[donor].clone()
                        for index, donor in donated.items()}
        needed = function.workspace(args)
        self.workspace = torch.empty(max(needed, 64), dtype=torch.uint8,
                                     device=device)
        self.call = function.caller(args, results, aikrt.struct(
            aikrt.RunOptions, flags=flags, stream=stream,
            workspace=self.workspace.data_ptr(), workspace_bytes=needed))
        self.tensors = tensors

    def poison(self):
        """Results that are left as they are come out wrong."""
        for index, result in enumerate(self.results):
            if index in self.donated:
                result.copy_(self.donated[index])
            elif result.is_floating_point():
                result.fill_(float("nan"))
            else:
                result.fill_(0x55)


class Gpu:
    device = "cuda"

    def __init__(self, library):
        torch.zeros(1, device="cuda")
        torch.backends.cuda.matmul.allow_tf32 = False
        self.runtime = aikrt.Runtime(library, "nvidia:0")
        self.big = torch.zeros(1 << 27, device="cuda")
        self.sink = torch.zeros(1, device="cuda")
        self.readers = {}

    def about(self):
        properties = torch.cuda.get_device_properties(0)
        return {"device": properties.name, "torch": torch.__version__,
                "cuda": torch.version.cuda,
                "multiprocessors": properties.multi_processor_count}

    def bind(self, function, tensors):
        return Bound(function, tensors,
                     torch.cuda.current_stream().cuda_stream or None)

    def wait(self):
        """Also for what a kernel's check has to say."""
        torch.cuda.synchronize()
        self.runtime.wait()

    def forget(self):
        torch.cuda.empty_cache()

    def flush(self):
        torch.sum(self.big, 0, keepdim=True, out=self.sink)

    def time(self, contenders, rounds):
        """{name: seconds of each round}; contenders are lists of calls that
        take turns."""
        samples = {name: [] for name in contenders}
        order = list(contenders)
        for number in range(rounds):
            random.shuffle(order)
            events = {}
            for name in order:
                call = contenders[name][number % len(contenders[name])]
                pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
                self.flush()
                pair[0].record()
                call()
                pair[1].record()
                events[name] = pair
            torch.cuda.synchronize()
            for name, (start, end) in events.items():
                samples[name].append(start.elapsed_time(end) * 1e-3)
        return samples

    def sustained(self, contenders, seconds=1.0):
        """{name: seconds per call} back to back, when the chip has run into
        its power limit and come back from it; everyone twice, in both orders.
        Its clock falls too low at first, so the first half second is nobody's.
        """
        means = {name: [] for name in contenders}
        order = list(contenders)
        self._back_to_back(contenders[order[-1]], seconds / 2)
        for names in (order, order[::-1]):
            for name in names:
                means[name].append(self._back_to_back(contenders[name],
                                                      seconds / 2))
        return {name: sum(both) / 2 for name, both in means.items()}

    def _back_to_back(self, calls, seconds):
        """The mean of the second half, by when the chip has settled."""
        once = min(self.time({"": calls}, 2)[""])
        half = max(2, int(seconds / once / 2))
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(3)]
        marks[0].record()
        for mark in marks[1:]:
            for number in range(half):
                calls[number % len(calls)]()
            mark.record()
        torch.cuda.synchronize()
        return marks[1].elapsed_time(marks[2]) * 1e-3 / half

    def copy(self, size):
        """A call that moves `size` bytes, half of them in each direction."""
        count = max(1, size // 8)
        source = torch.zeros(count, device="cuda")
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def read(self, size):
        """A call that reads `size` bytes: the fastest of a few kernels."""
        count = size // 4
        source = torch.zeros(count, dtype=torch.int32, device="cuda")
        calls = {"sum": lambda: torch.sum(source.view(torch.float32), 0,
                                          keepdim=True, out=self.sink)}
        calls.update(_triton_reads(source, self.sink))
        for call in calls.values():
            call()
        samples = self.time({n: [call] for n, call in calls.items()}, 7)
        best = min(samples, key=lambda n: sorted(samples[n])[3])
        return calls[best]


def _triton_reads(source, sink):
    try:
        import triton
    except ImportError:
        return {}
    from reader import read

    def variant(block, warps):
        grid = (triton.cdiv(source.numel(), block),)
        return lambda: read[grid](source, sink, source.numel(), block,
                                  num_warps=warps)
    return {f"{block}/{warps}": variant(block, warps)
            for block, warps in ((1024, 4), (2048, 4), (4096, 8), (8192, 8),
                                 (16384, 8))}


class Cpu:
    """The same on a host, without caches cleared: figures mean nothing."""
    device = "cpu"

    def __init__(self, library):
        self.runtime = aikrt.Runtime(library, "cpu")

    def about(self):
        return {"device": "cpu", "torch": torch.__version__}

    def bind(self, function, tensors):
        return Bound(function, tensors)

    def wait(self):
        self.runtime.wait()

    def forget(self):
        pass

    def time(self, contenders, rounds):
        samples = {name: [] for name in contenders}
        for number in range(rounds):
            for name, calls in contenders.items():
                start = time.perf_counter()
                calls[number % len(calls)]()
                samples[name].append(time.perf_counter() - start)
        return samples

    def sustained(self, contenders):
        samples = self.time(contenders, 3)
        return {name: sum(taken) / 3 for name, taken in samples.items()}

    def copy(self, size):
        source = torch.zeros(size // 8 + 1)
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def read(self, size):
        source = torch.zeros(size // 4 + 1)
        return lambda: source.sum()
