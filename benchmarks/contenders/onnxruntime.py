#===- onnxruntime.py - ONNX Runtime ---------------------------------------===#
#
# Part of the AIKernel project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
# One-node models run by onnxruntime's CPU provider: MatMul, MatMulInteger,
# MatMulNBits with accuracy_level 4 (int8 activations, its fastest), norms,
# softmax, attention; layers as onnx_layers.py has them. Weights are initializers,
# so that sessions pack them once. Inputs and outputs are bound once; only the
# run is timed.
#
#===----------------------------------------------------------------------===#

import numpy as np

from contenders import Contender, NotInstalled, Unsupported
import formats

try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from contenders.onnx_layers import LayerGraph
except (ImportError, OSError) as problem:
    onnx = None
    _why = str(problem).split("\n")[0]

_OPSETS = (("", 23), ("com.microsoft", 1))
_IR_VERSION = 10


def _onnx_type(dtype):
    return {np.dtype("f4"): TensorProto.FLOAT, np.dtype("f2"):
            TensorProto.FLOAT16, np.dtype("i1"): TensorProto.INT8,
            np.dtype("u1"): TensorProto.UINT8,
            np.dtype("i4"): TensorProto.INT32}[np.dtype(dtype)]


def _node(op, inputs, outputs, domain="", **attributes):
    return helper.make_node(op, inputs, outputs, domain=domain, **attributes)


class OnnxRuntime(Contender):
    name = "onnxruntime"

    def __init__(self, threads, tools):
        if onnx is None:
            raise NotInstalled(_why)
        super().__init__(threads, tools)
        onnxruntime.set_default_logger_severity(3)
        self.version = f"onnxruntime {onnxruntime.__version__}, " \
                       f"onnx {onnx.__version__}"

    def _session(self, nodes, inputs, weights, shape, states=()):
        """A call that runs the graph from `inputs` to "y" [shape] f32. The
        `states` are (output, input) pairs that share memory."""
        if any(a.dtype == np.uint16 for a in (*inputs.values(),
                                              *weights.values())):
            raise Unsupported("its CPU kernels have no bf16")
        first = next(iter(inputs.values()))
        kind = first.dtype if first.dtype == np.float16 else np.dtype("f4")
        graph = helper.make_graph(
            nodes, "g",
            [helper.make_tensor_value_info(n, _onnx_type(a.dtype), a.shape)
             for n, a in inputs.items()],
            [helper.make_tensor_value_info("y", _onnx_type(kind), shape),
             *(helper.make_tensor_value_info(n, _onnx_type(kind),
                                             inputs[of].shape)
               for n, of in states)],
            [numpy_helper.from_array(a, n) for n, a in weights.items()])
        model = helper.make_model(graph, ir_version=_IR_VERSION, opset_imports=[
            helper.make_opsetid(d, v) for d, v in _OPSETS])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, ["CPUExecutionProvider"])
        except Exception as error:  # its own exception types are not public
            raise Unsupported(str(error).split("\n")[0][:160]) from None
        binding = session.io_binding()
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(a)
                  for a in inputs.values()]
        for name, value in zip(inputs, values):
            binding.bind_ortvalue_input(name, value)
        out = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, kind))
        binding.bind_ortvalue_output("y", out)
        for name, of in states:
            binding.bind_ortvalue_output(name, values[list(inputs).index(of)])

        def call():
            session.run_with_iobinding(binding)
        call.keep = (values, out)
        return call, lambda: out.numpy().astype(np.float32)

    def matmul(self, task, a, b):
        m, _, n = task.size("MKN")
        return self._session([_node("MatMul", ["a", "b"], ["y"])],
                             {"a": a, "b": b}, {}, (m, n))

    def linear(self, task, x, w):
        m, _, n = task.size("MKN")
        return self._session([_node("MatMul", ["x", "w"], ["y"])], {"x": x},
                             {"w": np.ascontiguousarray(w.T)}, (m, n))

    def int8_matmul(self, task, a, b, scale_a, scale_b):
        m, _, n = task.size("MKN")
        return self._session(
            [_node("MatMulInteger", ["a", "b"], ["i"]),
             _node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
             _node("Mul", ["f", "scale_b"], ["g"]),
             _node("Mul", ["g", "scale_a"], ["y"])],
            {"a": a, "scale_a": np.ascontiguousarray(scale_a[:, None])},
            {"b": b, "scale_b": scale_b}, (m, n))

    def quant_gemv(self, task, x, w):
        return self.quant_matmul(task, np.atleast_2d(x), w)

    def quant_matmul(self, task, x, w):
        m, k, n = task.size("MKN")
        packed, scales, bits = _n_bits(task.type, w, k, n)
        return self._session(
            [_node("MatMulNBits", ["x", "w", "s"], ["y"], "com.microsoft", K=k,
                   N=n, bits=bits, block_size=32, accuracy_level=4)],
            {"x": x}, {"w": packed, "s": scales}, (m, n))

    def rms_norm(self, task, x, gamma):
        return self._session(
            [_node("RMSNormalization", ["x", "g"], ["y"], axis=-1,
                   epsilon=1e-5)], {"x": x}, {"g": gamma}, x.shape)

    def layer_norm(self, task, x, gamma, beta):
        return self._session(
            [_node("LayerNormalization", ["x", "g", "b"], ["y"], axis=-1,
                   epsilon=1e-5)], {"x": x}, {"g": gamma, "b": beta}, x.shape)

    def softmax(self, task, x):
        return self._session([_node("Softmax", ["x"], ["y"], axis=-1)],
                             {"x": x}, {}, x.shape)

    def swiglu(self, task, gate, up):
        return self._session(
            [_node("Sigmoid", ["gate"], ["s"]),
             _node("Mul", ["gate", "s"], ["g"]),
             _node("Mul", ["g", "up"], ["y"])],
            {"gate": gate, "up": up}, {}, gate.shape)

    def attention(self, task, q, k, v):
        return self._session(
            [_node("Attention", ["q", "k", "v"], ["y"],
                   is_causal=int(task.options.get("causal", False)))],
            {"q": q, "k": k, "v": v}, {}, q.shape)

    def layer_prefill(self, task, x, pos, g1, g2, **weights):
        groups, length = task.size("GS")
        graph = LayerGraph(
            task, length, lambda x, w, y: [_node("MatMul", [x, w], [y])],
            {"g1": g1, "g2": g2})
        none = np.zeros((1, groups, 0, graph.width), x.dtype)
        return self._session(graph.nodes, {"x": x, "kc": none, "vc": none},
                             {**weights, **graph.weights}, x.shape)

    def layer_decode(self, task, x, pos, at, g1, g2, kc, vc, **weights):
        packed = {}

        def product(x, w, y):
            n, row = weights[w].shape
            form = formats.FORMATS[task.type]
            k = row // form.size * form.block
            packed[w], packed[w + "s"], bits = _n_bits(task.type, weights[w],
                                                       k, n)
            return [_node("MatMulNBits", [x, w, w + "s"], [y], "com.microsoft",
                          K=k, N=n, bits=bits, block_size=32,
                          accuracy_level=4)]
        graph = LayerGraph(task, task.sizes["T"], product,
                           {"g1": g1, "g2": g2})
        return self._session(
            graph.nodes, {"x": x[None], "kc": kc.copy(), "vc": vc.copy()},
            {**packed, **graph.weights}, (1, *x.shape),
            (("kn", "kc"), ("vn", "vc")))


def _n_bits(name, weights, k, n):
    """The weights as MatMulNBits wants them: unsigned with a zero point in the
    middle, two neighbours in one byte for 4 bits."""
    parts = formats.scales_and_codes(name, weights.view(np.uint8))
    if parts is None:
        raise Unsupported(f"MatMulNBits has no {name}")
    scales, codes = parts
    if name == "q8_0":
        return (codes.view(np.uint8) ^ 128).reshape(n, k // 32, 32), scales, 8
    values = (codes + 8).view(np.uint8)
    packed = values[:, ::2] | (values[:, 1::2] << 4)
    return packed.reshape(n, k // 32, 16), scales, 4


open = OnnxRuntime
