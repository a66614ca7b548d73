"""Builds the ONNX graph of all-MiniLM-L6-v2 from its safetensors, so that neither torch nor a model hub is needed.

The graph is BERT's encoder, mean pooling over the real tokens, and scaling to length 1. Every weight matrix is stored
as int8 with one scale per output column, and its input is quantised as it comes ("dynamic quantisation"). Weights use
7 of the 8 bits, because x86 processors without VNNI saturate 16-bit sums of u8 x s8 products; with 7 bits every
processor computes the same.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

LAYERS, HEADS, HIDDEN = 6, 12, 384
HEAD_SIZE = HIDDEN // HEADS
LAYER_NORM_EPSILON = 1e-12
WEIGHT_LIMIT = 63  # 7 bits, signed
OPSET = 20
MASKED = -10_000.0

Array = npt.NDArray[Any]


class _Graph:
    """Collects nodes and constants; each method answers with the name of its output."""

    def __init__(self, weights: dict[str, Array], quantise: bool) -> None:
        self.weights = weights
        self.quantise = quantise
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: Array) -> str:
        self.constants.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant("int_" + "_".join(map(str, values)), np.array(values, np.int64))

    def add(self, operator: str, inputs: Sequence[str], outputs: int = 1, **attributes: Any) -> str:
        return self.add_many(operator, inputs, outputs, **attributes)[0]

    def add_many(self, operator: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        names = [f"{operator}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names

    def layer_norm(self, x: str, prefix: str) -> str:
        scale = self.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"])
        bias = self.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"])
        return self.add("LayerNormalization", [x, scale, bias], axis=-1, epsilon=LAYER_NORM_EPSILON)

    def linear(self, x: str, *prefixes: str) -> str:
        """x · W + b; several prefixes are one wide matrix (query, key and value share their input)."""
        weight = np.concatenate([self.weights[f"{p}.weight"] for p in prefixes]).T
        bias = np.concatenate([self.weights[f"{p}.bias"] for p in prefixes])
        product = (
            self.quantised_product(x, prefixes[0], weight) if self.quantise else self.product(x, prefixes[0], weight)
        )
        return self.add("Add", [product, self.constant(f"{prefixes[0]}.bias", bias)])

    def product(self, x: str, name: str, weight: Array) -> str:
        return self.add("MatMul", [x, self.constant(f"{name}.weight", np.ascontiguousarray(weight))])

    def quantised_product(self, x: str, name: str, weight: Array) -> str:
        scale = (np.abs(weight).max(axis=0) / WEIGHT_LIMIT).astype(np.float32)
        stored = np.ascontiguousarray(np.rint(weight / scale).astype(np.int8))
        values, x_scale, zero = self.add_many("DynamicQuantizeLinear", [x], 3)
        no_offset = self.constant(f"{name}.zero", np.zeros(weight.shape[1], np.int8))
        whole = self.add("MatMulInteger", [values, self.constant(f"{name}.int8", stored), zero, no_offset])
        factor = self.add("Mul", [x_scale, self.constant(f"{name}.scale", scale)])
        return self.add("Mul", [self.add("Cast", [whole], to=TensorProto.FLOAT), factor])


def build_graph(weights_file: Path, quantise: bool = True) -> onnx.ModelProto:
    """Inputs `input_ids`, `attention_mask`: int64 [batch, tokens]; output `embedding`: float32 [batch, 384]."""
    weights = {k: np.asarray(v) for k, v in load_file(str(weights_file)).items()}
    graph = _Graph(weights, quantise)
    mask = graph.add("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    bias = _attention_bias(graph, mask)
    x = _embeddings(graph)
    for layer in range(LAYERS):
        x = _encoder_layer(graph, x, bias, f"encoder.layer.{layer}")
    _pool(graph, x, mask)
    return _finish(graph)


def _attention_bias(graph: _Graph, mask: str) -> str:
    spread = graph.add("Unsqueeze", [mask, graph.integers(1, 2)])
    absent = graph.add("Sub", [graph.constant("one", np.array(1, np.float32)), spread])
    return graph.add("Mul", [absent, graph.constant("masked", np.array(MASKED, np.float32))])


def _embeddings(graph: _Graph) -> str:
    table = {k: graph.weights[f"embeddings.{k}_embeddings.weight"] for k in ("word", "position", "token_type")}
    words = graph.add("Gather", [graph.constant("words", table["word"]), "input_ids"])
    length = graph.add("Slice", [graph.add("Shape", ["input_ids"]), graph.integers(1), graph.integers(2)])
    # Every token has type 0, so its vector is part of the position's.
    places = graph.constant("places", table["position"] + table["token_type"][0])
    here = graph.add("Slice", [places, graph.integers(0), length, graph.integers(0)])
    return graph.layer_norm(graph.add("Add", [words, here]), "embeddings.LayerNorm")


def _encoder_layer(graph: _Graph, x: str, bias: str, prefix: str) -> str:
    attention = graph.linear(_attention(graph, x, bias, f"{prefix}.attention.self"), f"{prefix}.attention.output.dense")
    x = graph.layer_norm(graph.add("Add", [attention, x]), f"{prefix}.attention.output.LayerNorm")
    wide = graph.add("Gelu", [graph.linear(x, f"{prefix}.intermediate.dense")])
    narrow = graph.linear(wide, f"{prefix}.output.dense")
    return graph.layer_norm(graph.add("Add", [narrow, x]), f"{prefix}.output.LayerNorm")


def _attention(graph: _Graph, x: str, bias: str, prefix: str) -> str:
    joined = graph.linear(x, f"{prefix}.query", f"{prefix}.key", f"{prefix}.value")
    query, key, value = graph.add_many("Split", [joined], 3, axis=-1, num_outputs=3)
    shape = graph.integers(0, 0, HEADS, HEAD_SIZE)
    query, key, value = (graph.add("Reshape", [part, shape]) for part in (query, key, value))
    query = graph.add("Transpose", [query], perm=[0, 2, 1, 3])
    key = graph.add("Transpose", [key], perm=[0, 2, 3, 1])
    value = graph.add("Transpose", [value], perm=[0, 2, 1, 3])
    scale = graph.constant("scale", np.array(HEAD_SIZE**-0.5, np.float32))
    scores = graph.add("Add", [graph.add("Mul", [graph.add("MatMul", [query, key]), scale]), bias])
    mixed = graph.add("MatMul", [graph.add("Softmax", [scores], axis=-1), value])
    return graph.add("Reshape", [graph.add("Transpose", [mixed], perm=[0, 2, 1, 3]), graph.integers(0, 0, HIDDEN)])


def _pool(graph: _Graph, x: str, mask: str) -> None:
    """Mean over real tokens, length 1. Dividing by the count is left out: the scaling undoes it."""
    kept = graph.add("Mul", [x, graph.add("Unsqueeze", [mask, graph.integers(2)])])
    total = graph.add("ReduceSum", [kept, graph.integers(1)], keepdims=0)
    graph.nodes.append(helper.make_node("LpNormalization", [total], ["embedding"], axis=-1, p=2))


def _finish(graph: _Graph) -> onnx.ModelProto:
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    )
    out = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
    made = helper.make_graph(graph.nodes, "all-minilm-l6-v2", [ids, mask], [out], list(graph.constants.values()))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
