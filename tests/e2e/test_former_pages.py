"""Pages that a model has grouped before are not paid for again."""

from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.domain.scope import Identity
from shared.ingestion.event import Event
from shared.ingestion.uploads import get_ingestion, reingest
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.aws.bedrock import FakeBedrock
from tests.e2e import test_bedrock_engine
from tests.e2e.test_bedrock_engine import ingest, pdf_of, stored_operations
from tests.pipeline import run_all, upload

bedrock = test_bedrock_engine.bedrock
knowledge_base = test_bedrock_engine.knowledge_base


def with_line_on(data: bytes, page: int) -> bytes:
    with pymupdf.open("pdf", data) as document:
        document[page - 1].insert_text((60, 400), "The keel is new in this version.", fontsize=10)
        return document.tobytes()


def again(runtime: Runtime, identity: Identity, event: dict[str, Any]) -> UUID:
    run = reingest(runtime, identity, UUID(event["document_id"]), "bedrock").id
    whole = {**event, "ingestion_id": str(run)}
    run_all(runtime, {name: whole[name] for name in (*Event.model_fields, "schema") if name in whole})
    return run


def test_of_a_new_version_the_model_is_asked_about_the_changed_page_alone(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, bedrock: FakeBedrock
) -> None:
    data = pdf_of(3, "former")
    first = ingest(runtime, identity, knowledge_base, data)
    asked = len(bedrock.converse.requests)
    assert asked == 3
    changed = with_line_on(data, 2)
    event = upload(runtime, identity, knowledge_base, changed, version_of=UUID(first["document_id"]), engine="bedrock")
    second = run_all(runtime, event) | {"ingestion_id": event["upload_id"]}
    assert len(bedrock.converse.requests) == asked + 1
    assert "The keel is new" in str(bedrock.converse.requests[-1])
    for page in (1, 3):
        assert stored_operations(runtime, second, page) == stored_operations(runtime, first, page)
    assert verify_stored_document(runtime, identity, UUID(second["document_id"])).ok
    assert get_ingestion(runtime, identity, UUID(event["upload_id"])).cost_usd > 0


def test_a_further_run_with_the_same_model_costs_nothing_and_one_with_another_asks_again(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, bedrock: FakeBedrock, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = ingest(runtime, identity, knowledge_base, pdf_of(2, "twice"))
    asked = len(bedrock.converse.requests)
    assert get_ingestion(runtime, identity, again(runtime, identity, event)).cost_usd == 0
    assert len(bedrock.converse.requests) == asked
    with monkeypatch.context() as patched:
        patched.setattr(type(runtime.grouper), "version", "another model")
        again(runtime, identity, event)
    assert len(bedrock.converse.requests) == asked + 2
