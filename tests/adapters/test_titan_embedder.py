"""The Titan adapter against a server that speaks Bedrock's wire format; the contract is the local embedder's too."""

import numpy as np
import pytest

from shared.adapters.aws import bedrock_calls
from shared.adapters.aws.bedrock_embedder import MAX_CHARACTERS, TitanEmbedder
from shared.errors import BadInput, Unavailable
from tests.aws.account import forget_account
from tests.aws.bedrock import TITAN, FakeBedrock

TEXTS = ["The wing must not flex.", "Prices are in euro.", "A compressor of 15 kW."]


@pytest.fixture
def embedder(bedrock: FakeBedrock) -> TitanEmbedder:
    return TitanEmbedder(TITAN, 1024)


def test_passages_come_back_in_order_as_unit_vectors(embedder: TitanEmbedder) -> None:
    vectors = embedder.embed_passages(TEXTS * 10)
    assert vectors.shape == (30, 1024)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[0], embedder.embed_query(TEXTS[0]), atol=1e-6)
    assert np.allclose(vectors[:3], vectors[3:6], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1], atol=0.1)


def test_no_passages_are_no_call(embedder: TitanEmbedder, bedrock: FakeBedrock) -> None:
    assert embedder.embed_passages([]).shape == (0, 1024)
    assert bedrock.calls == 0


def test_the_version_names_model_and_dimensions(embedder: TitanEmbedder) -> None:
    assert embedder.version == f"{TITAN}/1024"
    assert embedder.dimensions == 1024


def test_throttling_is_waited_out(embedder: TitanEmbedder, bedrock: FakeBedrock) -> None:
    bedrock.throttle_every = 5
    assert embedder.embed_passages(TEXTS * 4).shape == (12, 1024)
    assert bedrock.throttled > 0


def test_a_model_that_throttles_without_end_is_unavailable(
    bedrock: FakeBedrock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bedrock_calls, "ATTEMPTS", 2)
    bedrock.throttle_every = 1
    with pytest.raises(Unavailable, match="does not answer"):
        TitanEmbedder(TITAN, 1024).embed_query("wing")
    assert bedrock.calls == 2


def test_a_refused_text_is_bad_input_and_not_tried_again(embedder: TitanEmbedder, bedrock: FakeBedrock) -> None:
    bedrock.refuse_everything = True
    with pytest.raises(BadInput, match="refuses a text"):
        embedder.embed_query("wing")
    assert bedrock.calls == 1


def test_an_overlong_text_is_cut_to_what_the_model_takes(embedder: TitanEmbedder, bedrock: FakeBedrock) -> None:
    embedder.embed_query("word " * MAX_CHARACTERS)
    assert [len(body["inputText"]) for body in bedrock.bodies] == [MAX_CHARACTERS]


def test_without_a_region_it_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_account(monkeypatch)
    with pytest.raises(Unavailable, match="specify a region"):
        TitanEmbedder(TITAN, 1024).embed_query("wing")


def test_a_model_without_a_price_is_refused(bedrock: FakeBedrock) -> None:
    with pytest.raises(BadInput, match="Use one of"):
        TitanEmbedder("amazon.unknown", 1024)
