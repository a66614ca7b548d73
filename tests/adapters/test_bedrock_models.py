"""Cohere's embedder and both rerankers against a server that speaks Bedrock's wire format."""

import numpy as np
import pytest

from shared.adapters.aws.bedrock_embedder import COHERE_TEXTS, CohereEmbedder, TitanEmbedder
from shared.adapters.aws.bedrock_reranker import TEXTS_PER_CALL, BedrockReranker
from shared.adapters.aws.embedders import embedder_version, load_embedder
from shared.domain.model_calls import Usage
from shared.errors import BadInput, Unavailable
from shared.ports import Embedder, IdentityReranker, Reranker
from tests.aws.bedrock import AMAZON_RERANK, COHERE, COHERE_RERANK, TITAN, FakeBedrock

TEXTS = ["The wing must not flex.", "Prices are in euro.", "A compressor of 15 kW."]


@pytest.mark.parametrize("version", [f"{TITAN}/512", f"{COHERE}/256", f"{COHERE}/1536"])
def test_every_embedder_makes_unit_vectors_in_order_and_bears_its_version(bedrock: FakeBedrock, version: str) -> None:
    embedder: Embedder = load_embedder(version)
    vectors = embedder.embed_passages(TEXTS * 5)
    assert (embedder.version, vectors.shape, vectors.dtype) == (version, (15, embedder.dimensions), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[:3], vectors[3:6], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1], atol=0.1)
    assert embedder.embed_passages([]).shape == (0, embedder.dimensions)


def test_cohere_is_told_what_a_text_is_for_and_gets_as_many_as_it_takes(bedrock: FakeBedrock) -> None:
    embedder = CohereEmbedder(COHERE, 1024)
    embedder.embed_passages([f"text {i}" for i in range(2 * COHERE_TEXTS + 5)])
    embedder.embed_query("wing")
    assert sorted(len(body["texts"]) for body in bedrock.bodies) == [1, 5, COHERE_TEXTS, COHERE_TEXTS]
    assert [body["input_type"] for body in bedrock.bodies if len(body["texts"]) == 1] == ["search_query"]
    assert {body["input_type"] for body in bedrock.bodies if len(body["texts"]) > 1} == {"search_document"}


@pytest.mark.parametrize(("version", "usd_per_million"), [(f"{TITAN}/512", 0.02), (f"{COHERE}/256", 0.12)])
def test_what_embedding_cost_is_told_in_tokens_and_dollars(
    bedrock: FakeBedrock, version: str, usd_per_million: float
) -> None:
    told: list[tuple[Usage, float]] = []
    load_embedder(version).embed_passages(TEXTS * 50, lambda usage, usd: told.append((usage, usd)))
    words = 50 * sum(len(text.split()) for text in TEXTS)
    assert told == [(Usage(input_tokens=words), pytest.approx(words * usd_per_million / 1e6))]


def test_an_empty_text_gets_a_vector_too(bedrock: FakeBedrock) -> None:
    assert CohereEmbedder(COHERE, 256).embed_passages(["", "wing"]).shape == (2, 256)


@pytest.mark.parametrize("model", [COHERE_RERANK, AMAZON_RERANK])
def test_a_reranker_orders_every_text_and_says_what_it_cost(bedrock: FakeBedrock, model: str) -> None:
    reranker: Reranker = BedrockReranker(model)
    texts = [*(f"filler {i}" for i in range(TEXTS_PER_CALL + 10)), "the rear wing", ""]
    found = reranker.rerank("rear wing", texts)
    assert sorted(place for place, _ in found.order) == list(range(len(texts)))
    assert found.order[0] == (len(texts) - 2, 1.0)
    assert [place for place, _ in found.order[1:4]] == [0, 1, 2]
    assert bedrock.calls == 2
    assert found.usd == pytest.approx(2 * (0.002 if model == COHERE_RERANK else 0.001))


def test_without_a_model_the_order_stays(bedrock: FakeBedrock) -> None:
    kept: Reranker = IdentityReranker()
    assert [place for place, _ in kept.rerank("wing", TEXTS).order] == [0, 1, 2]
    assert (kept.version, bedrock.calls) == (None, 0)


def test_throttling_is_waited_out_and_given_up_in_the_end(bedrock: FakeBedrock) -> None:
    bedrock.throttle_every = 2
    assert CohereEmbedder(COHERE, 256).embed_passages(TEXTS).shape == (3, 256)
    assert BedrockReranker(COHERE_RERANK).rerank("wing", TEXTS).order
    bedrock.throttle_every = 1
    with pytest.raises(Unavailable, match="reranker does not answer"):
        BedrockReranker(COHERE_RERANK).rerank("wing", TEXTS)


def test_a_model_without_access_says_what_to_do(bedrock: FakeBedrock) -> None:
    bedrock.forbidden |= {COHERE, AMAZON_RERANK}
    with pytest.raises(BadInput, match="open the model in the Bedrock console"):
        CohereEmbedder(COHERE, 256).embed_query("wing")
    with pytest.raises(BadInput, match="open the model in the Bedrock console"):
        BedrockReranker(AMAZON_RERANK).rerank("wing", TEXTS)


def test_a_refused_query_is_bad_input(bedrock: FakeBedrock) -> None:
    bedrock.refuse_everything = True
    with pytest.raises(BadInput, match="refuses a text"):
        CohereEmbedder(COHERE, 256).embed_query("wing")


def test_a_profile_is_called_and_not_part_of_the_version(bedrock: FakeBedrock) -> None:
    profile = f"eu.{COHERE}"
    assert embedder_version(profile, 1024) == f"{COHERE}/1024"
    embedder = load_embedder(f"{COHERE}/1024", profile=profile)
    assert embedder.version == f"{COHERE}/1024"
    with pytest.raises(Unavailable, match=r"No such model: /model/eu\.cohere"):
        embedder.embed_query("wing")
    assert isinstance(load_embedder(f"{TITAN}/1024", profile=profile), TitanEmbedder)


@pytest.mark.parametrize("version", ["all-minilm/1", f"{TITAN}/384", f"{COHERE}/", "acme.embed-v1:0/256"])
def test_an_embedder_that_is_not_to_be_had_is_bad_input(version: str) -> None:
    with pytest.raises(BadInput):
        load_embedder(version)


def test_a_reranker_without_a_price_is_refused() -> None:
    with pytest.raises(BadInput, match=r"cohere\.rerank-v3-5:0"):
        BedrockReranker("acme.rerank-v1:0")
