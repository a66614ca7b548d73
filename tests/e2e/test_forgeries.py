from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.domain.scope import Identity
from shared.library import verification
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.forger import Forger, Stored, forging, page_of
from tests.forgeries import FORGERIES, Forgery
from tests.pipeline import RULES_2025, make_knowledge_base, run_all, scope_of, upload

# Pages with a table over a page break, a list, a footnote, figures, numbered rules, and text over a page break.
PAGES = [5, 15, 18, 19, 21, 22]
OTHER = [7]


def some_pages(numbers: list[int]) -> bytes:
    """Some pages, and one of a form: an empty box to tick, and one with a cross."""
    with pymupdf.open(RULES_2025) as document:
        document.select(numbers)
        page = document.new_page(width=595, height=842)
        for x, word in ((72, "sail"), (122, "motor")):
            page.draw_rect((x, 91, x + 10, 101), color=(0, 0, 0))
            page.insert_text((x + 16, 100), word)
        page.draw_line((123, 92), (131, 100))
        return document.tobytes()


def ingested(runtime: Runtime, identity: Identity, base: UUID, data: bytes, name: str) -> Stored:
    answer = run_all(runtime, upload(runtime, identity, base, data, name))
    scope, document = scope_of(identity, base), UUID(answer["document_id"])
    with runtime.database.transaction(scope) as connection:
        row = connection.execute("select source_key from documents where id = %s", (document,)).fetchone()
    assert row is not None
    work = f"work/{scope.organization_id}/{base}/{document}/{answer['ingestion_id']}/"
    return Stored(scope, document, work, row["source_key"])


@pytest.fixture(scope="module")
def pair(runtime: Runtime, identity: Identity) -> tuple[Stored, Stored]:
    base = make_knowledge_base(runtime, identity, "forged")
    first = ingested(runtime, identity, base, some_pages(PAGES), "rules.pdf")
    kept = verify_stored_document(runtime, identity, first.document)
    assert verify_stored_document(runtime, identity, first.document) == kept
    return first, ingested(runtime, identity, base, some_pages(OTHER), "other.pdf")


@pytest.fixture
def forger(runtime: Runtime, identity: Identity, pair: tuple[Stored, Stored], tmp_path: Path) -> Iterator[Forger]:
    with forging(runtime, identity, *pair, tmp_path) as opened:
        yield opened


def test_the_undamaged_document_holds_every_kind_of_thing_and_passes(forger: Forger) -> None:
    report = forger.verify()
    assert report.ok, report.failures
    assert report.verbatim == report.boxes_exact == report.second_reader == report.chunks == len(forger.chunks())
    kinds = {chunk["chunk_type"] for chunk in forger.chunks()}
    assert {"text", "list", "caption", "footnote", "heading", "figure", "table", "table_row"} <= kinds


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_a_forgery_is_found_where_it_was_made(forger: Forger, forgery: Forgery) -> None:
    place: Any = forgery(forger)
    report = forger.verify()
    assert not report.ok
    page, chunk = (place, None) if isinstance(place, int) else (page_of(place) if place["boxes"] else None, place["id"])
    there = [f for f in report.failures if (f.chunk_id == str(chunk) if chunk else f.page == page)]
    assert {f.check for f in there} & FORGERIES[forgery], report.failures


def test_after_all_of_them_the_document_is_as_it_was(forger: Forger) -> None:
    assert len(FORGERIES) >= 60
    assert forger.verify().ok


def test_what_was_kept_under_other_rules_is_not_told_again(
    runtime: Runtime, identity: Identity, pair: tuple[Stored, Stored], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = verify_stored_document(runtime, identity, pair[0].document)
    monkeypatch.setattr(verification, "RULES", verification.RULES[:-1])
    again = verify_stored_document(runtime, identity, pair[0].document)
    assert kept.checked_at is not None
    assert again.checked_at is not None
    assert again.checked_at > kept.checked_at
    assert again.ok
