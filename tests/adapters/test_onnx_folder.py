"""Embedders from sentence-transformers folders: what the folder's files say is done, or refused with a reason."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from shared.adapters.local.embedder import load_embedder
from shared.adapters.local.onnx_embedder import load_onnx
from shared.adapters.local.onnx_folder import read_folder
from shared.errors import BadInput
from tests.adapters.onnx_folders import MEAN, bundled_as_folder, lookup_graph, make_folder, write

UNIT = pytest.approx


def flags(kind: str) -> dict[str, Any]:
    return {"word_embedding_dimension": 3, **{name: name == kind for name in (*MEAN, kind) if name.startswith("pool")}}


def embedded(folder: Path, text: str = "wing pump") -> list[float]:
    return list(load_onnx(read_folder(folder), threads=1).embed_passages([text])[0])


def test_the_bundled_model_laid_out_as_a_folder_gives_the_bundled_vectors(tmp_path: Path) -> None:
    folder = load_onnx(read_folder(bundled_as_folder(tmp_path / "minilm")), threads=1)
    bundled = load_embedder(tmp_path / "models", threads=1)
    texts = ["The rear wing must not flex.", "Preise in EUR", "", "wing " * 400]
    assert folder.dimensions == bundled.dimensions
    for text in texts:
        assert np.allclose(folder.embed_query(text), bundled.embed_query(text), atol=1e-5), text


# wing [1, 2, 2], pump [4, 0, 0]; [CLS] [9, 0, 0] and [SEP] [0, 9, 0] around them.
@pytest.mark.parametrize(
    ("pooling", "special", "expected"),
    [
        (flags("pooling_mode_mean_tokens"), False, [2.5, 1, 1]),
        (flags("pooling_mode_mean_tokens"), True, [3.5, 2.75, 0.5]),
        (flags("pooling_mode_cls_token"), True, [9, 0, 0]),
        (flags("pooling_mode_lasttoken"), True, [0, 9, 0]),
        (flags("pooling_mode_lasttoken"), False, [4, 0, 0]),
        (flags("pooling_mode_max_tokens"), False, [4, 2, 2]),
        ({"embedding_dimension": 3, "pooling_mode": "cls"}, False, [1, 2, 2]),
    ],
)
def test_pooling_is_what_the_folder_names(
    tmp_path: Path, pooling: dict[str, Any], special: bool, expected: list[float]
) -> None:
    folder = make_folder(tmp_path / "tiny", pooling, special=special)
    length = sum(x * x for x in expected) ** 0.5
    assert embedded(folder) == UNIT([x / length for x in expected], abs=1e-6)


def test_padding_beside_a_longer_text_changes_no_vector(tmp_path: Path) -> None:
    for kind in ("mean_tokens", "cls_token", "lasttoken", "max_tokens"):
        folder = make_folder(tmp_path / kind, flags(f"pooling_mode_{kind}"))
        embedder = load_onnx(read_folder(folder), threads=1)
        together = embedder.embed_passages(["pump", "wing wing wing wing pump wing"])
        assert list(together[0]) == UNIT([1, 0, 0]), kind


def test_prompts_stand_before_queries_and_passages(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny", prompts={"query": "query: ", "document": "passage: "})
    embedder = load_onnx(read_folder(folder), threads=1)
    # pump [4, 0, 0] and query: [0, 6, 0]; pump and passage: [0, 0, 6]
    assert list(embedder.embed_query("pump")) == UNIT([4 / 52**0.5, 6 / 52**0.5, 0])
    assert list(embedder.embed_passages(["pump"])[0]) == UNIT([4 / 52**0.5, 0, 6 / 52**0.5])


def test_a_default_prompt_stands_before_both(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    config = {"prompts": {"any": "query: "}, "default_prompt_name": "any"}
    write(folder, "config_sentence_transformers.json", config)
    embedder = load_onnx(read_folder(folder), threads=1)
    assert list(embedder.embed_query("pump")) == UNIT([4 / 52**0.5, 6 / 52**0.5, 0])
    assert np.array_equal(embedder.embed_query("pump"), embedder.embed_passages(["pump"])[0])


@pytest.mark.parametrize(
    ("limits", "tokens"),
    [
        ({"sentence_bert_config.json": {"max_seq_length": 2}}, 2),
        ({"sentence_bert_config.json": {}, "config.json": {"max_position_embeddings": 3}}, 3),
        ({"sentence_bert_config.json": {}, "tokenizer_config.json": {"model_max_length": 4}}, 4),
        (
            {
                "sentence_bert_config.json": {"max_seq_length": None},
                "tokenizer_config.json": {"model_max_length": 10**30},
                "config.json": {"max_position_embeddings": 5},
            },
            5,
        ),
    ],
)
def test_texts_are_cut_where_the_files_say(tmp_path: Path, limits: dict[str, Any], tokens: int) -> None:
    folder = make_folder(tmp_path / "tiny", flags("pooling_mode_lasttoken"))
    for name, content in limits.items():
        write(folder, name, content)
    assert embedded(folder, "pump " * tokens + "wing") == UNIT([1, 0, 0])
    assert embedded(folder, "pump " * (tokens - 1) + "wing") == UNIT([1 / 3, 2 / 3, 2 / 3])


def test_letters_are_made_small_where_the_files_say(tmp_path: Path) -> None:
    assert embedded(make_folder(tmp_path / "any"), "PUMP") == UNIT([0, 0, 1])
    assert embedded(make_folder(tmp_path / "small", do_lower_case=True), "PUMP") == UNIT([1, 0, 0])


def test_a_model_that_pools_by_itself_is_believed(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    model = lookup_graph()
    model.graph.node.append(
        onnx.helper.make_node("ReduceMax", ["last_hidden_state", "one"], ["sentence_embedding"], keepdims=0)
    )
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1], np.int64), "one"))
    del model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info("sentence_embedding", 1, ["batch", 3]))
    onnx.save(model, str(folder / "onnx/model.onnx"))
    length = (4**2 + 2**2 + 2**2) ** 0.5
    assert embedded(folder) == UNIT([4 / length, 2 / length, 2 / length])


def test_inputs_that_encoders_have_beside_tokens_are_given(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    names = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    onnx.save(lookup_graph(names), str(folder / "onnx/model.onnx"))
    assert embedded(folder, "pump") == UNIT([1, 0, 0])


def test_the_version_follows_every_byte_and_setting_that_changes_vectors(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    first = read_folder(folder).version
    assert first.startswith("onnx:tiny/")
    assert first.endswith("/3")
    shutil.copytree(folder, tmp_path / "moved" / "tiny")
    assert read_folder(tmp_path / "moved" / "tiny").version == first
    seen = {first}
    changes: list[Callable[[], object]] = [
        lambda: write(folder, "sentence_bert_config.json", {"max_seq_length": 15}),
        lambda: write(folder, "config_sentence_transformers.json", {"prompts": {"query": "query: "}}),
        lambda: write(folder, "1_Pooling/config.json", flags("pooling_mode_cls_token")),
        lambda: onnx.save(lookup_graph(("input_ids",)), str(folder / "onnx/model.onnx")),
        lambda: (folder / "onnx/model.onnx_data").write_bytes(b"weights beside the model"),
        lambda: write(folder, "tokenizer.json", json.loads((folder / "tokenizer.json").read_text()) | {"version": "x"}),
    ]
    for change in changes:
        change()
        seen.add(read_folder(folder).version)
    assert len(seen) == 1 + len(changes)


def without(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def writing(name: str, content: Any) -> Callable[[Path], object]:
    return lambda folder: write(folder, name, content)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (shutil.rmtree, "There is no folder .*tiny"),
        (without("modules.json"), "modules.json is missing"),
        (without("tokenizer.json"), "tokenizer.json is missing"),
        (without("1_Pooling/config.json"), "1_Pooling/config.json is missing"),
        (without("onnx/model.onnx"), "onnx/model.onnx is missing. Export it: optimum-cli"),
        (lambda folder: (folder / "modules.json").write_text("{"), "modules.json is not JSON"),
        (writing("modules.json", [{"path": "", "type": "x.Transformer"}]), "names no Pooling"),
        (writing("modules.json", [{"path": "", "type": "sentence_transformers.models.WordWeights"}]), "WordWeights"),
        (writing("1_Pooling/config.json", flags("pooling_mode_weightedmean_tokens")), "weightedmean"),
        (writing("1_Pooling/config.json", MEAN | {"pooling_mode_cls_token": True}), "cls and mean"),
        (writing("1_Pooling/config.json", {"pooling_mode_mean_tokens": True}), "lacks word_embedding_dimension"),
        (writing("1_Pooling/config.json", MEAN | {"word_embedding_dimension": 5000}), "at most 4000"),
        (writing("1_Pooling/config.json", MEAN | {"word_embedding_dimension": 4}), "makes 3 dimensions, .* says 4"),
        (lambda folder: (folder / "onnx/model.onnx").write_bytes(b"no model"), "cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be loaded"),
        (
            lambda folder: onnx.save(lookup_graph(("input_ids", "past.0.key")), str(folder / "onnx/model.onnx")),
            "wants past.0.key",
        ),
        (
            lambda folder: (folder / "onnx/model.onnx").rename(folder / "onnx/a.onnx")
            and shutil.copy(folder / "onnx/a.onnx", folder / "onnx/b.onnx"),
            "several models .onnx/a.onnx, onnx/b.onnx.. Name one",
        ),
    ],
)  # fmt: skip
def test_a_folder_that_cannot_be_used_says_why(tmp_path: Path, damage: Callable[[Path], object], says: str) -> None:
    folder = make_folder(tmp_path / "tiny")
    damage(folder)
    with pytest.raises(BadInput, match=says):
        embedded(folder)


def test_vectors_whose_length_counts_are_refused(tmp_path: Path) -> None:
    dot = {"similarity_fn_name": "dot"}
    folder = make_folder(tmp_path / "long", kinds=("Transformer", "Pooling"))
    write(folder, "config_sentence_transformers.json", dot)
    with pytest.raises(BadInput, match="similarity 'dot'"):
        read_folder(folder)
    unit = make_folder(tmp_path / "unit")
    write(unit, "config_sentence_transformers.json", dot)
    assert read_folder(unit).recipe.pooling == "mean"


def test_one_of_several_models_may_be_named(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "tiny")
    onnx.save(lookup_graph(("input_ids",)), str(folder / "onnx/small.onnx"))
    assert read_folder(folder).model.name == "model.onnx"
    assert read_folder(folder / "onnx/small.onnx").model.name == "small.onnx"
    assert read_folder(folder / "onnx/small.onnx").version != read_folder(folder).version
