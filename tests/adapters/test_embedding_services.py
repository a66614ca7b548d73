"""Embedders behind an endpoint, over real HTTP: order, bounds, tries, refusals, and what each error says."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shared.adapters.embedding_calls import ATTEMPTS, QUERY_ATTEMPTS, Endpoint
from shared.adapters.embedding_services import CHARACTERS, MAX_CHARACTERS, TEXTS, ServiceEmbedder, service_version
from shared.bootstrap import local_embedders
from shared.domain.model_calls import Usage
from shared.errors import BadInput, Unavailable
from tests.adapters.embedding_server import KEY, Answer, EmbeddingServer, refusal, running_embeddings

SMALL = "openai:text-embedding-3-small"
PASSAGES = ["The wing must not flex.", "Prices are in euro.", "A compressor of 15 kW."]
BUSY = refusal(429, "Rate limit reached.")


@pytest.fixture
def server() -> Generator[EmbeddingServer]:
    with running_embeddings() as found:
        yield found


@pytest.fixture
def waits() -> list[float]:
    """What would have been slept."""
    return []


def endpoint(server: EmbeddingServer, waits: list[float], key: str | None = KEY, service: str = "OpenAI") -> Endpoint:
    name = service.upper()
    return Endpoint(service, server.url, f"{name}_BASE_URL", key, f"{name}_API_KEY", waits.append)


@pytest.fixture
def embedder(server: EmbeddingServer, waits: list[float]) -> ServiceEmbedder:
    return ServiceEmbedder(f"{SMALL}/1536", endpoint(server, waits))


def test_passages_come_back_in_order_as_unit_vectors(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    server.shuffled = True
    many = [f"{text} number{i}" for i in range(50) for text in PASSAGES]
    vectors = embedder.embed_passages(many)
    assert vectors.shape == (150, 1536)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for place in (0, 63, 64, 149):
        assert np.allclose(vectors[place], embedder.embed_query(many[place]), atol=1e-6)
    assert sorted(len(body["input"]) for body in server.asked[:3]) == [150 - 2 * TEXTS, TEXTS, TEXTS]
    assert set(server.paths) == {"/v1/embeddings"}


def test_no_passages_are_no_call(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    assert embedder.embed_passages([]).shape == (0, 1536)
    assert server.asked == []


def test_empty_and_endless_texts_are_accepted(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    vectors = embedder.embed_passages(["", "x" * 1_000_000, *(["wing " * 10_000] * 10)])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for body in server.asked:
        assert max(map(len, body["input"])) <= MAX_CHARACTERS
        assert sum(map(len, body["input"])) <= CHARACTERS


def test_what_is_too_long_for_the_model_is_shortened_alone(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    server.tokens_max = 300
    texts = ["wing here", "pump " * 900, "tyre there"]
    vectors = embedder.embed_passages(texts)
    calls = [[len(text.split()) for text in body["input"]] for body in server.asked]
    assert [length for call in calls if max(call) <= 300 for length in call] == [2, 225, 2]
    assert np.allclose(vectors[0], embedder.embed_query("wing here"), atol=1e-6)
    assert np.allclose(vectors[2], embedder.embed_query("tyre there"), atol=1e-6)


def test_a_server_that_takes_few_texts_a_call_gets_few(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    server.texts_max = 5
    texts = [f"passage number{i}" for i in range(40)]
    vectors = embedder.embed_passages(texts)
    assert np.allclose(vectors[37], embedder.embed_query(texts[37]), atol=1e-6)


def test_a_refused_short_text_is_refused_for_good(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    server.first = [refusal(400, "This input is not allowed.")] * 50
    with pytest.raises(BadInput, match=r"refuses a text, or the model .*: 400, This input is not allowed\."):
        embedder.embed_passages(["wing"])
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_after_a_random_wait(
    server: EmbeddingServer, embedder: ServiceEmbedder, waits: list[float], status: int
) -> None:
    server.first = [refusal(status, "Later.")] * (ATTEMPTS - 1)
    assert embedder.embed_passages(PASSAGES).shape == (3, 1536)
    assert len(waits) == len(set(waits)) == ATTEMPTS - 1
    assert all(0 <= wait <= 2**place for place, wait in enumerate(waits))


def test_a_wait_that_the_service_asks_for_is_kept(
    server: EmbeddingServer, embedder: ServiceEmbedder, waits: list[float]
) -> None:
    server.first = [refusal(429, "Slow down.", **{"Retry-After": "7"})]
    embedder.embed_passages(PASSAGES)
    assert waits == [7.0]
    server.first = [refusal(429, "Slow down.", **{"Retry-After": "3600"})]
    with pytest.raises(Unavailable, match="Slow down"):
        embedder.embed_passages(PASSAGES)
    assert waits == [7.0]


def test_tries_end_and_a_waiting_client_gives_up_earlier(server: EmbeddingServer, embedder: ServiceEmbedder) -> None:
    server.first = [BUSY] * 100
    with pytest.raises(Unavailable, match=r"429, Rate limit reached\. Nothing is lost; .* OPENAI_BASE_URL"):
        embedder.embed_passages(PASSAGES)
    assert len(server.asked) == ATTEMPTS
    with pytest.raises(Unavailable):
        embedder.embed_query("wing")
    assert len(server.asked) == ATTEMPTS + QUERY_ATTEMPTS


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (refusal(401, "Incorrect API key provided."), "does not accept OPENAI_API_KEY"),
        (refusal(403, "Not yours."), "does not accept OPENAI_API_KEY"),
        (refusal(404, "No such model."), r"knows no model text-embedding-3-small .* ends in /v1"),
        (refusal(429, "You exceeded your quota.", "insufficient_quota"), "no credit is left"),
        ((301, {"Location": "http://127.0.0.1:9/v1"}, {}), "is no embeddings endpoint"),
    ],
)
def test_what_never_passes_is_said_at_once(
    server: EmbeddingServer, embedder: ServiceEmbedder, waits: list[float], answer: Answer, says: str
) -> None:
    server.first = [answer]
    with pytest.raises(BadInput, match=says):
        embedder.embed_passages(PASSAGES)
    assert (len(server.asked), waits) == (1, [])


def row(index: int, vector: list[float]) -> dict[str, Any]:
    return {"object": "embedding", "index": index, "embedding": vector}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"data": [row(0, [1.0] * 1536)]}, "answered 1 vectors for 2 texts"),
        ({"data": [row(0, [1.0] * 1536), row(0, [1.0] * 1536)]}, "answered 2 vectors for 2 texts"),
        ({"data": [row(0, [0.0] * 1536), row(1, [1.0] * 1536)]}, "without a direction"),
        ({"data": [row(0, [float("nan")] * 1536), row(1, [1.0] * 1536)]}, "without a direction"),
        ({"embeddings": [[1.0]]}, "answers something else than embeddings"),
        (["not", "an", "object"], "answers something else than embeddings"),
    ],
)
def test_an_answer_that_is_none_is_not_stored(
    server: EmbeddingServer, embedder: ServiceEmbedder, body: Any, says: str
) -> None:
    server.first = [(200, {}, body)]
    with pytest.raises(Unavailable, match=says):
        embedder.embed_passages(PASSAGES[:2])


def test_a_wrong_dimension_says_the_right_one(server: EmbeddingServer, waits: list[float]) -> None:
    wrong = ServiceEmbedder("openai:nomic-embed-text/512", endpoint(server, waits))
    with pytest.raises(BadInput, match=r"makes 768 dimensions instead of 512. .* AUTRI_EMBEDDER: …/768"):
        wrong.embed_query("wing")


def test_dimensions_are_asked_for_where_the_model_shortens(server: EmbeddingServer, waits: list[float]) -> None:
    assert ServiceEmbedder(f"{SMALL}/256", endpoint(server, waits)).embed_query("wing").shape == (256,)
    assert server.asked[-1]["dimensions"] == 256
    assert ServiceEmbedder("openai:nomic-embed-text/768", endpoint(server, waits)).embed_query("wing").shape == (768,)
    assert "dimensions" not in server.asked[-1]
    asked = ServiceEmbedder("openai:nomic-embed-text/512", endpoint(server, waits), shortens=True)
    with pytest.raises(BadInput, match="does not support specifying dimensions"):
        asked.embed_query("wing")


def test_voyage_embeds_queries_and_passages_differently(server: EmbeddingServer, waits: list[float]) -> None:
    server.tokens_max = 10
    voyage = ServiceEmbedder("voyage:voyage-3.5/512", endpoint(server, waits, service="Voyage"))
    query, passage = voyage.embed_query("the rear wing"), voyage.embed_passages(["the rear wing", "wing " * 100])[0]
    assert [body["input_type"] for body in server.asked] == ["query", "document"]
    assert [body["output_dimension"] for body in server.asked] == [512, 512]
    assert query.shape == (512,)
    assert not np.allclose(query, passage, atol=0.05)


def test_tokens_are_counted_and_priced_as_they_are_charged(server: EmbeddingServer, waits: list[float]) -> None:
    noted: list[tuple[Usage, float]] = []
    priced = ServiceEmbedder(f"{SMALL}/1536", endpoint(server, waits), usd_per_million=0.5)
    priced.embed_passages(["three words here"] * 100, lambda usage, usd: noted.append((usage, usd)))
    assert noted == [(Usage(input_tokens=300), pytest.approx(300 * 0.5 / 1e6))]


def test_a_server_of_ones_own_needs_no_key(server: EmbeddingServer, waits: list[float]) -> None:
    server.key = None
    assert ServiceEmbedder(f"{SMALL}/1536", endpoint(server, waits, key=None)).embed_query("wing").shape == (1536,)


def test_a_closed_port_is_named(waits: list[float]) -> None:
    with running_embeddings() as gone:
        pass
    lost = ServiceEmbedder(f"{SMALL}/1536", endpoint(gone, waits))
    with pytest.raises(Unavailable, match=f"does not answer at {gone.url}: .*refused"):
        lost.embed_query("wing")
    assert len(waits) == QUERY_ATTEMPTS - 1


@pytest.mark.parametrize(
    ("name", "version"),
    [
        (SMALL, f"{SMALL}/1536"),
        (f"{SMALL}/256", f"{SMALL}/256"),
        ("openai:BAAI/bge-m3/1024", "openai:BAAI/bge-m3/1024"),
        ("openai:bge-m3:567m/1024", "openai:bge-m3:567m/1024"),
        ("voyage:voyage-3.5-lite", "voyage:voyage-3.5-lite/1024"),
    ],
)
def test_a_name_becomes_a_version_with_dimensions(name: str, version: str) -> None:
    assert service_version(name) == version


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("openai:nomic-embed-text", "AUTRI_EMBEDDER=openai:nomic-embed-text/768"),
        ("openai:Qwen/Qwen3-Embedding-8B/4096", "at most 4000"),
        ("openai:", "no embedder 'openai:'"),
        ("openai:two words/3", "no embedder"),
    ],
)
def test_a_name_without_a_usable_dimension_is_refused(name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        service_version(name)


def test_the_environment_names_service_address_and_key(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in {
        "AUTRI_EMBEDDER": f"{SMALL}/512",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": KEY,
        "VOYAGE_BASE_URL": server.url,
        "VOYAGE_API_KEY": KEY,
    }.items():
        monkeypatch.setenv(name, value)
    embedders = local_embedders(tmp_path)
    assert embedders.default == f"{SMALL}/512"
    assert embedders.get(embedders.default).embed_query("wing").shape == (512,)
    assert embedders.get("voyage:voyage-3.5/256").embed_query("wing").shape == (256,)
    assert server.asked[-1]["model"] == "voyage-3.5"


@pytest.mark.parametrize("service", ["openai", "voyage"])
def test_the_services_own_address_wants_a_key(service: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "VOYAGE_API_KEY", "VOYAGE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadInput, match=f"needs a key .* Set {service.upper()}_API_KEY, or {service.upper()}_BASE_URL"):
        local_embedders(tmp_path).get(f"{service}:some-model/512")
