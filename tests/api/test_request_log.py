"""What a request leaves behind for operators: one line and one trace, down to the names of its SQL statements."""

import json
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from shared import tracing
from shared.domain.scope import Identity
from tests.api.conftest import Client

SECRET = "zinnober"
LISTENING = "127.0.0.1"


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What the requests' logger was told."""
    seen: list[dict[str, Any]] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record.__dict__)

    logger, handler = logging.getLogger("autri.requests"), Collector()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield seen
    logger.removeHandler(handler)
    logger.setLevel(level)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """A daemon that keeps what it is sent: the documents so far."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind((LISTENING, 0))
        daemon.setblocking(False)
        monkeypatch.setenv(tracing.DAEMON, f"{LISTENING}:{daemon.getsockname()[1]}")

        def received() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = []
            while True:
                try:
                    head, _, body = daemon.recv(65_536).partition(b"\n")
                except BlockingIOError:
                    return found
                assert json.loads(head) == {"format": "json", "version": 1}
                found.append(json.loads(body))

        yield received


def test_a_request_is_one_line_with_its_route_and_organization_and_nothing_that_was_said(
    client: Client, identity: Identity, lines: list[dict[str, Any]]
) -> None:
    answer = client.post("/v1/search", json={"query": SECRET})
    client.get(f"/v1/documents/{identity.user_id}")
    client.get(f"/{SECRET}?q={SECRET}")
    client("HEAD", "/v1/me")
    said = [(one["method"], one["route"], one["status"], one["organization_id"]) for one in lines]
    own = str(identity.organization_id)
    assert said == [
        ("POST", "/v1/search", 200, own),
        ("GET", "/v1/documents/{document_id}", 404, own),
        ("GET", "unmatched", 404, None),
        ("HEAD", "/v1/me", 200, own),
    ]
    assert lines[0]["request_id"] == answer.headers["x-request-id"]
    assert 0 < lines[0]["milliseconds"] < 60_000
    assert SECRET not in repr(lines)


def test_a_trace_goes_from_the_request_to_its_sql_by_name(
    client: Client, spans: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tracing.HEADER, "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1")
    client.post("/v1/search", json={"query": SECRET})
    documents = spans()
    (request,) = (one for one in documents if one["parent_id"] == "53995c3f42cd8ad8")
    assert (request["name"], request["type"]) == ("POST /v1/search", "subsegment")
    assert request["annotations"]["status"] == 200
    statements = {one["name"] for one in documents if one["name"].startswith("sql ")}
    assert {"sql identities.resolve_identity", "sql traces.store"} & statements
    assert {one["trace_id"] for one in documents} == {"1-5759e988-bd862e3fe1be46a994272793"}
    (retrieval,) = (one for one in documents if one["name"] == "rag.retrieve")
    assert retrieval["parent_id"] == request["id"]
    assert retrieval["annotations"]["autri_hits"] == 0
    assert {one["parent_id"] for one in documents if one is not request} == {request["id"], retrieval["id"]}
    assert all(request["start_time"] <= one["start_time"] <= one["end_time"] for one in documents)
    assert SECRET not in repr(documents)
    assert "select" not in repr(documents)


def test_a_request_that_is_not_sampled_sends_nothing(
    client: Client, spans: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tracing.HEADER, "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0")
    client.get("/v1/me")
    assert spans() == []


def test_without_a_daemon_nothing_is_traced(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tracing.DAEMON, raising=False)
    with tracing.traced("request") as span:
        assert span is None
    assert client.get("/v1/me").status_code == 200


def test_a_stage_of_thousands_of_statements_sends_the_first_spans_alone(
    spans: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "SPANS_MAX", 20)
    with pytest.raises(ZeroDivisionError):
        run_statements(70)
    documents = spans()
    assert len(documents) == 20 + 1
    assert (documents[-1]["name"], documents[-1]["fault"]) == ("finalize", True)
    assert "parent_id" not in documents[-1]


def run_statements(count: int) -> None:
    with tracing.traced("finalize"):
        for number in range(count):
            with tracing.span(f"sql {number}"):
                pass
        raise ZeroDivisionError
