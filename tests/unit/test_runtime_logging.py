import io
import json
import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from functions.runtime_logging import log_event, logger

EVENT = {"organization_id": "o", "document_id": "d", "ingestion_id": "i", "shard": 3, "key": "incoming/secret name"}
CONTEXT = SimpleNamespace(aws_request_id="request-1")


@pytest.fixture
def lines() -> Iterator[Any]:
    """The lines written so far, parsed."""
    (handler,) = (h for h in logging.getLogger("autri").handlers if h.formatter is logger.registered_formatter)
    stream, handler = io.StringIO(), cast("logging.StreamHandler[Any]", handler)
    before = handler.setStream(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    handler.setStream(before or stream)


def test_an_invocation_leaves_its_ids_stage_request_and_seconds_and_no_content(lines: Any) -> None:
    @log_event
    def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
        return {"outcome": "run", "text": event["key"]}

    handler(EVENT, CONTEXT)
    (line,) = lines()
    said = {name: line[name] for name in ("stage", "request_id", "outcome", "document_id", "ingestion_id", "shard")}
    assert said == {
        "stage": "test_runtime_logging",
        "request_id": "request-1",
        "outcome": "run",
        "document_id": "d",
        "ingestion_id": "i",
        "shard": 3,
    }
    assert line["seconds"] >= 0
    assert "secret name" not in json.dumps(line)


def test_a_failure_passes_and_is_logged_without_what_it_says(lines: Any) -> None:
    @log_event
    def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
        raise ValueError(event["key"])

    with pytest.raises(ValueError, match="secret"):
        handler(EVENT, CONTEXT)
    (line,) = lines()
    assert line["outcome"] == "failed"
    assert "secret name" not in json.dumps(line)


def test_the_applications_loggers_write_structured_lines_with_their_numbers(lines: Any) -> None:
    logging.getLogger("autri.costs").info("model call", extra={"usd": 0.25, "stage": "embed"})
    (line,) = lines()
    assert (line["message"], line["usd"], line["stage"]) == ("model call", 0.25, "embed")
