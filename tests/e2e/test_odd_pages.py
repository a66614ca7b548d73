"""Files that are not damaged though little can be found in them are served; damaged ones end as refused, with why."""

from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.contract import Env
from shared.domain.scope import Identity
from shared.ingestion.event import Event
from shared.ingestion.uploads import get_ingestion
from shared.ingestion.worker_pool import WorkerPool
from shared.library.documents import get_document
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from shared.worker import run_stage
from tests.pipeline import make_knowledge_base, run_all, upload
from tests.readers.made import pdf
from tests.readers.test_pdf_damage import ODD, TREES


@pytest.fixture(scope="module")
def knowledge_base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "odd pages")


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_a_document_without_text_is_served_and_says_that_nothing_in_it_can_be_found(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, data: bytes
) -> None:
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, data))
    document = get_document(runtime, identity, UUID(answer["document_id"]))
    assert (document.status, document.chunks, document.pages) == ("ready", 0, 1)
    assert "None of its pages has any text" in (document.error or "")
    assert runtime.blobs.exists(f"{Event.model_validate(answer).work}images/1.jpg")


def test_a_blank_page_and_a_page_of_fields_among_others_cost_nothing(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    with pymupdf.open() as document:
        document.new_page()
        document.new_page().insert_text((72, 100), "The brake disc weighs 4 kg.")
        library: Any = pymupdf  # forms have no types
        field = library.Widget()
        field.field_name, field.field_type = "owner", library.PDF_WIDGET_TYPE_TEXT
        field.rect, field.field_value = pymupdf.Rect(72, 72, 300, 100), "Tarnwick Works"
        document.new_page().add_widget(field)
        data = document.tobytes()
    answer = run_all(runtime, upload(runtime, identity, knowledge_base, data))
    stored = get_document(runtime, identity, UUID(answer["document_id"]))
    assert (stored.status, stored.pages, stored.error) == ("ready", 3, None)
    report = verify_stored_document(runtime, identity, stored.id)
    assert stored.chunks >= 2
    assert report.failures == []


def test_a_page_tree_that_cannot_be_is_refused_by_a_worker_process_in_one_sentence(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, postgres: EmbeddedPostgres, database_name: str,
    test_home: Path,
) -> None:  # fmt: skip
    environment = {Env.DATABASE_URL: postgres.dsn(database=database_name), Env.HOME: str(test_home / database_name)}
    outcomes = Counter[str]()
    with WorkerPool(1, environment) as pool:
        for number, (name, tree) in enumerate(TREES.items()):
            event = upload(runtime, identity, knowledge_base, pdf(tree) + b"%" * number, f"{name}.pdf")
            outcomes[pool.call(run_stage, "register", event).result(60)["outcome"]] += 1
            error = get_ingestion(runtime, identity, UUID(event["upload_id"])).error or ""
            assert "pages" in error or "damaged beyond repair" in error
            assert "code=" not in error
    assert outcomes == {"refused": len(TREES)}
