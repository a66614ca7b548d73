"""Sentence-transformers folders as their exporters write them: a tiny one of known vectors, and the bundled model's."""

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from shared.adapters.local.embedder_version import PACKAGE
from shared.adapters.local.minilm_graph import build_graph

WORDS = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "wing": 3, "pump": 4, "query:": 5, "passage:": 6}
# A row per word, in the order of WORDS.
TABLE = np.array([[0, 0, 1], [9, 0, 0], [0, 9, 0], [1, 2, 2], [4, 0, 0], [0, 6, 0], [0, 0, 6]], np.float32)
MEAN = {"word_embedding_dimension": 3, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
KINDS = ("Transformer", "Pooling", "Normalize")


def make_folder(
    folder: Path,
    pooling: Mapping[str, Any] = MEAN,
    prompts: Mapping[str, str] | None = None,
    kinds: Sequence[str] = KINDS,
    special: bool = False,
    **sentence: Any,
) -> Path:
    """A model whose token vectors are rows of TABLE. `special`: texts stand between [CLS] and [SEP]."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    onnx.save(lookup_graph(), str(folder / "onnx/model.onnx"))
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))  # a word, no password
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
        )
    tokenizer.save(str(folder / "tokenizer.json"))
    paths = {"Transformer": "", "Pooling": "1_Pooling"}
    modules = [
        {
            "idx": i,
            "name": str(i),
            "path": paths.get(kind, f"{i}_{kind}"),
            "type": f"sentence_transformers.models.{kind}",
        }
        for i, kind in enumerate(kinds)
    ]
    write(folder, "modules.json", modules)
    write(folder, "1_Pooling/config.json", pooling)
    write(folder, "config_sentence_transformers.json", {"prompts": prompts or {}, "default_prompt_name": None})
    write(folder, "sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": False, **sentence})
    return folder


def write(folder: Path, name: str, content: Any) -> None:
    (folder / name).write_text(json.dumps(content))


def lookup_graph(inputs: Sequence[str] = ("input_ids", "attention_mask"), dimensions: int = 3) -> onnx.ModelProto:
    """`last_hidden_state`: each token's row of TABLE."""
    table = np.resize(TABLE, (len(TABLE), dimensions)) if dimensions != TABLE.shape[1] else TABLE
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs]
    made = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", dimensions])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "lookup", given, [made], [numpy_helper.from_array(table, "table")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def bundled_as_folder(folder: Path) -> Path:
    """The bundled model with its own files, its graph ending in the tokens' vectors as exporters leave it."""
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    weights = Path(spec.origin).parent / "model"
    shutil.copytree(weights, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    model = build_graph(weights / "model.safetensors")
    last = next(node for node in reversed(model.graph.node) if node.op_type == "LayerNormalization")
    tokens = helper.make_tensor_value_info(last.output[0], TensorProto.FLOAT, ["batch", "tokens", 384])
    del model.graph.output[:]
    model.graph.output.append(tokens)
    (folder / "onnx").mkdir()
    onnx.save(model, str(folder / "onnx/model.onnx"))
    return folder
