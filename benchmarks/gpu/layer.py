#!/usr/bin/env python3
#===- layer.py - A transformer layer on a GPU -----------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# usage: layer.py --artifacts FOLDER --runtime LIBAIKRT [--prefill] [--samples N]
#                 [--json FILE]
#
# In: an artifact of cases.layers(): one decode step, or with --prefill all the
# tokens of a prompt. Out: the time of the whole layer as one graph, beside the
# same layer in PyTorch, compiled (a prefill with max-autotune) and as a graph;
# and the time of each kernel in it, from the profiler's timestamps of replays
# of the graph. 1 when our result is wrong.
#
#===----------------------------------------------------------------------===#

import argparse
import json
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]

import torch                            # noqa: E402
import torch.nn.functional as F         # noqa: E402

import cases                            # noqa: E402
import device                           # noqa: E402
import peers                            # noqa: E402
import stats                            # noqa: E402

#: Of the norm: eight roundings to bf16 one after the other.
TOLERANCE = 2e-2


def tensors(layer, where):
    def normal(*shape, scale=1.0):
        return (torch.randn(shape, device=where) * scale).bfloat16()
    gains = {"g1": normal(layer.d), "g2": normal(layer.d)}
    if layer.is_prefill:
        numbers = torch.arange(layer.tokens, dtype=torch.int32, device=where)
        found = {"x": normal(layer.tokens, layer.d), "pos": numbers[None],
                 **gains}
    else:
        last = layer.context - 1
        cache = (1, layer.groups, layer.context, layer.width)
        found = {"x": normal(1, layer.d),
                 "pos": torch.full((1, 1), last, dtype=torch.int32,
                                   device=where),
                 "at": torch.full((1,), last, dtype=torch.int32, device=where),
                 **gains, "kc": normal(*cache), "vc": normal(*cache)}
    for name, (n, k) in layer.weights().items():
        found[name] = normal(n, k, scale=k ** -0.5)
    return found


def step(layer, cos, sin):
    """The layer in PyTorch, on any element type."""
    def heads_of(x, heads):
        return x.view(1, layer.tokens, heads, layer.width).transpose(1, 2)

    def turned(x, heads):
        return peers.turn(heads_of(x, heads), cos, sin)

    def run(t):
        h = F.rms_norm(t["x"], (layer.d,), t["g1"], 1e-5)
        q = turned(F.linear(h, t["wq"]), layer.heads)
        k = turned(F.linear(h, t["wk"]), layer.groups)
        v = heads_of(F.linear(h, t["wv"]), layer.groups)
        if not layer.is_prefill:
            last = layer.context - 1
            t["kc"][:, :, last:] = k
            t["vc"][:, :, last:] = v
            k, v = t["kc"], t["vc"]
        o = F.scaled_dot_product_attention(
            q, k, v, is_causal=layer.is_prefill, enable_gqa=True)
        o = o.transpose(1, 2).reshape(layer.tokens, layer.d)
        x = t["x"] + F.linear(o, t["wo"])
        h = F.rms_norm(x, (layer.d,), t["g2"], 1e-5)
        gated = F.silu(F.linear(h, t["wg"])) * F.linear(h, t["wu"])
        return x + F.linear(gated, t["wd"])
    return run


def graph_of(call):
    """A CUDA graph of what PyTorch does."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def contenders(run, own, is_prefill):
    """{name: call}, and sentences about those that cannot be had."""
    calls, remarks = {"eager": lambda: run(own)}, []

    def attempt(name, make):
        try:
            call = make()
            for _ in range(4):
                call()
            torch.cuda.synchronize()
            calls[name] = call
        except Exception as error:      # whatever a peer may say
            remarks.append(f"{name}: {str(error).splitlines()[0][:110]}")

    def reduced():
        for value in own.values():
            torch._dynamo.mark_static_address(value)
        compiled = torch.compile(run, mode="reduce-overhead", dynamic=False)
        return lambda: compiled(own)

    def captured(**how):
        compiled = torch.compile(run, dynamic=False, **how)
        compiled(own)
        return graph_of(lambda: compiled(own))
    if is_prefill:
        # Its kernels; the graph is ours, as it is for all.
        attempt("compiled, max-autotune",
                lambda: captured(mode="max-autotune-no-cudagraphs"))
    else:
        attempt("compiled, reduce-overhead", reduced)
    attempt("compiled, in a graph", captured)
    attempt("eager, in a graph", lambda: graph_of(lambda: run(own)))
    return calls, remarks


def traced(call, replays):
    """[(name, seconds)] of all that the device did meanwhile, in order."""
    from torch.profiler import profile, ProfilerActivity
    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(replays):
            call()
        torch.cuda.synchronize()
    events = sorted((e for e in profiler.events()
                     if e.device_type == torch.autograd.DeviceType.CUDA),
                    key=lambda e: e.time_range.start)
    return [(e.name, e.time_range.elapsed_us() * 1e-6) for e in events]


def kernels(call, flush, replays=20):
    """[(name, median seconds)] of the kernels of one call, in order. What
    clears the cache stands between two calls and is known by its names."""
    between = {name for name, _ in traced(flush, 2)}

    def both():
        flush()
        call()
    rounds = [[]]
    for name, seconds in traced(both, replays):
        if name in between:
            if rounds[-1]:
                rounds.append([])
        else:
            rounds[-1].append((name, seconds))
    rounds = [r for r in rounds if r]
    length = max(map(len, rounds), default=0)
    whole = [r for r in rounds if len(r) == length]
    return [(whole[0][i][0], stats.summarize([r[i][1] for r in whole]).median)
            for i in range(length)]


def show(name, samples, layer):
    median = stats.summarize(samples).median
    low, high = stats.quartiles(samples)
    rate = f"{layer.flops / median / 1e12:6.0f} Tflop/s" if layer.is_prefill \
        else f"{layer.bytes / median / 1e9:6.0f} GB/s"
    print(f"{name:28s} {median * 1e6:8.1f} us  {low * 1e6:8.1f} - "
          f"{high * 1e6:8.1f}  {rate}")
    return median


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--artifacts", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--prefill", action="store_true")
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--demand", action="store_true",
                        help="not being ahead of all others is a failure")
    parser.add_argument("--tiny", action="store_true",
                        help="on this CPU, to try the driver")
    options = parser.parse_args()
    torch.manual_seed(0)
    layer = cases.layers(options.tiny)[options.prefill]
    machine = (device.Cpu if options.tiny else device.Gpu)(options.runtime)
    own = tensors(layer, machine.device)
    cos, sin = peers.angles(own["pos"][0], layer.width)
    run = step(layer, cos, sin)
    wanted = run({n: v.float() for n, v in own.items()})

    function = machine.runtime.load(
        os.path.join(options.artifacts, layer.id + ".aikx"), layer.function)
    bound = device.Bound(function, list(own.values()), queued=True)
    call = bound.call
    if not options.tiny:
        launch = machine.runtime.record(bound.call)
        stream = torch.cuda.current_stream().cuda_stream
        call = lambda: launch(stream)   # noqa: E731
    for _ in range(3):
        bound.poison()
        machine.wait()
        call()
        machine.wait()
        error = ((bound.results[0].float() - wanted).norm()
                 / wanted.norm()).item()
        if not error < TOLERANCE:
            print(f"WRONG: the error is {error:.2e} of the norm")
            return 1
    print(f"{layer}: error {error:.1e}, "
          f"{bound.prepared_bytes / 1e6:.0f} MB of prepared weights")
    calls, remarks = {"aikernel": call}, []
    if not options.tiny and not options.no_compile:
        more, remarks = contenders(run, own, layer.is_prefill)
        calls.update(more)
    if not layer.is_prefill:
        calls["read"] = machine.read(layer.bytes)
    turns = {name: [one] for name, one in calls.items()}
    machine.time(turns, 3)
    samples = machine.time(turns, options.samples)
    medians = {name: show(name, samples[name], layer) for name in calls}
    for remark in remarks:
        print("   ", remark)
    compared = [n for n in medians if n not in ("aikernel", "read")]
    if compared:
        best = min(compared, key=medians.get)
        print(f"ratio {medians[best] / medians['aikernel']:.2f} over {best}")
    if "read" in medians:
        print(f"{medians['read'] / medians['aikernel']:.2f} of reading")
    found = {"id": layer.id, "bytes": layer.bytes, "error": error,
             "median_s": medians, "kernels_s": {}, "remarks": remarks}
    for name in () if options.tiny else ("aikernel",
                                         *([best] if compared else [])):
        parts = kernels(calls[name], machine.flush)
        found["kernels_s"][name] = parts
        total = sum(seconds for _, seconds in parts)
        print(f"{name}: {len(parts)} kernels, {total * 1e6:.1f} us in all")
        for kernel, seconds in parts:
            print(f"  {kernel[:60]:60s} {seconds * 1e6:8.1f} us "
                  f"{100 * seconds / total:5.1f} %")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file)
    ahead = compared and medians["aikernel"] <= medians[best]
    return 1 if options.demand and not ahead else 0


if __name__ == "__main__":
    sys.exit(main())
