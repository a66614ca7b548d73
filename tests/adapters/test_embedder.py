"""The bundled embedder: needs the installed weights, no network."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer

from shared.adapters.local.embedder import DIMENSIONS, MiniLmEmbedder, load_embedder
from shared.adapters.local.embedder_version import MAX_TOKENS, model_version
from shared.adapters.local.known_words import share_of_known_words
from shared.adapters.local.minilm_graph import build_graph
from shared.ports import Embedder, KnowsWords


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def embedder(folder: Path) -> Embedder:
    return load_embedder(folder)


PASSAGES = [
    "The rear wing must not be wider than the rear tyres.",
    "Width of the aerofoil at the back of the car",
    "The invoice is due within thirty days of delivery.",
]


def test_vectors_have_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed_passages([*PASSAGES, "", "x" * 100_000])
    assert vectors.shape == (5, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_like_passages_are_nearer_than_unlike_ones(embedder: Embedder) -> None:
    wing, aerofoil, invoice = embedder.embed_passages(PASSAGES)
    assert wing @ aerofoil > 0.4
    assert wing @ invoice < 0.2


def test_order_and_company_do_not_change_a_vector(embedder: Embedder) -> None:
    together = embedder.embed_passages([*PASSAGES, *(f"filler {i} " * i for i in range(30))])
    alone = np.stack([embedder.embed_query(p) for p in PASSAGES])
    assert np.array_equal(together[:3], alone)


def test_text_beyond_the_token_limit_is_ignored(embedder: Embedder) -> None:
    start = "wing " * MAX_TOKENS
    assert np.allclose(embedder.embed_query(start), embedder.embed_query(start + "invoice " * 50))


def test_quantising_keeps_the_direction(embedder: Embedder, tmp_path: Path) -> None:
    from shared.adapters.local import embedder as module

    exact = tmp_path / "exact.onnx"
    weights = module._weights_folder() / "model.safetensors"  # noqa: SLF001
    onnx.save(build_graph(weights, quantise=False), str(exact))
    reference = MiniLmEmbedder(exact, threads=1).embed_passages(PASSAGES)
    assert (reference * embedder.embed_passages(PASSAGES)).sum(axis=1).min() > 0.97


def test_two_processes_may_build_the_model_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: load_embedder(tmp_path, threads=1), range(2)))
    assert [f.suffix for f in tmp_path.iterdir()] == [".onnx"]
    assert np.array_equal(both[0].embed_query("wing"), both[1].embed_query("wing"))


def test_version_names_weights_recipe_and_length() -> None:
    assert model_version() == "all-minilm-l6-v2/0.1.0/int8.1/256"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("How wide may the rear wing be?", 1),
        ("What does the TF-7 cost in FY2022?", 1),
        ("Höchstgeschwindigkeit der Fahrzeuge", 1),
        ("największa prędkość pojazdu", 1),
        ("הסכם שכירות דירה", 0),
        ("السرعة القصوى", 0),
        ("максимальная скорость", 0),
        ("μέγιστη ταχύτητα", 0),
        ("최대 속도 제한", 0),
        ("最高速度", 0),
        ("maximum מהירות", 0.5),
        ("12.5 %", 1),
        ("", 1),
    ],
)
def test_the_share_of_words_that_the_model_can_have_learnt(embedder: Embedder, text: str, share: float) -> None:
    assert isinstance(embedder, KnowsWords)
    assert embedder.known_share(text) == share


def test_a_vocabulary_with_the_words_knows_them() -> None:
    tokenizer = Tokenizer(WordPiece({"[UNK]": 0, "שכירות": 1, "דירה": 2, "大": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    assert share_of_known_words(tokenizer, "שכירות דירה") == 1
    assert share_of_known_words(tokenizer, "שכירות הסכם") == 0.5
    assert share_of_known_words(tokenizer, "大") == 1
