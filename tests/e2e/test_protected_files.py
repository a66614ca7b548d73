"""Files that a password protects: asked for once, kept sealed until its use, forgotten whatever comes of the run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.adapters.local.workflow import PolledWorkflow
from shared.contract import PASSWORD_WRONG, opened_key
from shared.domain.scope import Identity, Scope
from shared.errors import Unavailable
from shared.ingestion import mark_failed
from shared.ingestion.event import Event
from shared.ingestion.uploads import get_ingestion, list_ingestions, reingest
from shared.library.documents import get_document
from shared.library.verification import verify_stored_document
from shared.runtime import Runtime
from tests.pipeline import RULES_2026, chunk_rows, make_knowledge_base, run_all, run_stage, scope_of, upload

AES_256 = 5


class BrokenWorkflow(PolledWorkflow):
    """Starts nothing."""

    leases = False

    def start(self, event: Mapping[str, Any]) -> None:
        raise Unavailable(f"The workflow of {event['document_id']} does not start.")


@pytest.fixture(scope="module")
def knowledge_base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "protected")


@pytest.fixture
def sealed(test_home: Path, database_name: str) -> Callable[[], set[str]]:
    """Ids of the ingestions whose passwords are kept."""
    return lambda: {path.name for path in (test_home / database_name / "vault").glob("*")}


def protected_pdf(text: str) -> bytes:
    with pymupdf.open() as document:
        for number in (1, 2, 3):
            document.new_page().insert_text((72, 400), f"The {text} of page {number} weighs {number} kg.")
        return document.tobytes(encryption=AES_256, owner_pw="owner", user_pw="hush-9241")


def run_again(runtime: Runtime, identity: Identity, document_id: UUID, password: str | None = None) -> UUID:
    """Its ingestion's id."""
    started = reingest(runtime, identity, document_id, password=password)
    event = Event(
        organization_id=identity.organization_id,
        knowledge_base_id=started.knowledge_base_id,
        document_id=document_id,
        ingestion_id=started.id,
    )
    run_all(runtime, event.to_dict())
    return started.id


def test_a_protected_file_is_refused_until_its_password_is_given(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, sealed: Callable[[], set[str]]
) -> None:
    event = upload(runtime, identity, knowledge_base, protected_pdf("vault"))
    run_all(runtime, event)
    refused = get_ingestion(runtime, identity, UUID(event["upload_id"]))
    assert (refused.status, refused.needs_password) == ("refused", True)
    assert refused.document_id is not None
    guessed = get_ingestion(runtime, identity, run_again(runtime, identity, refused.document_id, "guess"))
    assert (guessed.status, guessed.error) == ("refused", PASSWORD_WRONG)
    assert sealed() == set()
    told = get_document(runtime, identity, refused.document_id)
    assert (told.status, told.error, told.needs_password) == ("refused", PASSWORD_WRONG, True)
    run_again(runtime, identity, refused.document_id, "hush-9241")
    read = get_document(runtime, identity, refused.document_id)
    assert (read.status, read.pages, read.chunks) == ("ready", 3, 3)
    rows = chunk_rows(runtime, scope_of(identity, knowledge_base), refused.document_id)
    assert any("vault of page 2" in row["content"] for row in rows)
    assert verify_stored_document(runtime, identity, refused.document_id).failed == 0


def test_the_same_protected_bytes_sent_again_with_a_password_become_that_document(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    data = protected_pdf("twin")
    first = upload(runtime, identity, knowledge_base, data)
    run_all(runtime, first)
    second = upload(runtime, identity, knowledge_base, data, password="hush-9241")
    assert run_all(runtime, second)["outcome"] == "run"
    ids = {get_ingestion(runtime, identity, UUID(e["upload_id"])).document_id for e in (first, second)}
    (document_id,) = ids
    assert document_id is not None
    run_again(runtime, identity, document_id)
    assert get_document(runtime, identity, document_id).status == "ready"


def test_the_same_protected_bytes_sent_again_with_a_wrong_password_are_told_so(
    runtime: Runtime, identity: Identity, knowledge_base: UUID
) -> None:
    data = protected_pdf("guessed")
    first = upload(runtime, identity, knowledge_base, data, "first.pdf")
    run_all(runtime, first)
    before = get_ingestion(runtime, identity, UUID(first["upload_id"])).document_id
    assert before is not None
    again = upload(runtime, identity, knowledge_base, data, "again.pdf", password="guess")
    assert run_all(runtime, again)["outcome"] == "duplicate"
    told = get_ingestion(runtime, identity, UUID(again["upload_id"]))
    assert (told.status, told.error, told.needs_password) == ("refused", PASSWORD_WRONG, True)
    assert (told.document_id, get_document(runtime, identity, before).name) == (before, "first.pdf")
    assert not [key for key in runtime.blobs.list("") if again["upload_id"] in key]


def test_a_password_is_nowhere_in_clear_and_is_gone_after_its_use(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, test_home: Path, database_name: str
) -> None:
    home = test_home / database_name
    event = upload(runtime, identity, knowledge_base, protected_pdf("sealed"), password="hush-9241")
    sealed = list((home / "vault").iterdir())
    assert [path.name for path in sealed] == [event["upload_id"]]
    assert not [p for p in home.rglob("*") if p.is_file() and b"hush-9241" in p.read_bytes()]
    run_all(runtime, event)
    assert list((home / "vault").iterdir()) == []
    scope = Scope(organization_id=identity.organization_id, user_id=identity.user_id)
    with runtime.database.transaction(scope) as connection:
        dump = connection.execute("select jsonb_agg(to_jsonb(u))::text as t from uploads u").fetchone()
    assert "hush-9241" not in str(dump)


def test_a_password_is_forgotten_too_where_its_file_came_damaged_or_its_run_failed(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, test_home: Path, database_name: str
) -> None:
    vault = test_home / database_name / "vault"
    damaged = upload(runtime, identity, knowledge_base, protected_pdf("damaged"), password="hush-9241")
    runtime.blobs.put(damaged["key"], b"%PDF-1.7 cut off")
    assert run_all(runtime, damaged)["outcome"] == "refused"
    failed = upload(runtime, identity, knowledge_base, protected_pdf("failed"), password="hush-9241")
    assert [path.name for path in vault.iterdir()] == [failed["upload_id"]]
    mark_failed.run(runtime, {**failed, "error": {"Cause": "The database is gone"}})
    assert list(vault.iterdir()) == []


@pytest.mark.parametrize("password", [None, "hush-9241"])
def test_a_run_that_cannot_be_started_leaves_the_document_as_it_was_and_may_be_asked_for_again(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, sealed: Callable[[], set[str]], password: str | None
) -> None:
    answer = upload(runtime, identity, knowledge_base, protected_pdf(f"stuck {password}"), password=password)
    run_all(runtime, answer)
    document_id = get_ingestion(runtime, identity, UUID(answer["upload_id"])).document_id
    assert document_id is not None
    before = get_document(runtime, identity, document_id)
    with pytest.raises(Unavailable, match=f"workflow of {document_id} does not start"):
        reingest(replace(runtime, workflow=BrokenWorkflow()), identity, document_id, password="hush-9241")
    assert get_document(runtime, identity, document_id) == before
    latest = list_ingestions(runtime, identity, knowledge_base)[0]
    assert (latest.document_id, latest.status) == (document_id, "failed")
    assert latest.error == f"The workflow of {document_id} does not start."
    assert sealed() == set()
    run_again(runtime, identity, document_id, "hush-9241")
    assert get_document(runtime, identity, document_id).status == "ready"


def test_a_password_that_was_not_needed_is_forgotten(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, sealed: Callable[[], set[str]]
) -> None:
    data = RULES_2026.read_bytes()
    first = run_all(runtime, upload(runtime, identity, knowledge_base, data, password="needless"))
    place = str(identity.organization_id), str(knowledge_base), first["document_id"]
    assert not runtime.blobs.exists(opened_key(*place))
    assert sealed() == set()
    again = upload(runtime, identity, knowledge_base, data, password="needless")
    assert sealed() == {again["upload_id"]}
    assert run_all(runtime, again) == {"outcome": "duplicate", "document_id": first["document_id"]}
    assert sealed() == set()


def test_registering_again_after_a_crash_needs_the_forgotten_password_no_more(
    runtime: Runtime, identity: Identity, knowledge_base: UUID, test_home: Path, database_name: str
) -> None:
    event = upload(runtime, identity, knowledge_base, protected_pdf("twice"), password="hush-9241")
    answer = run_stage(runtime, "register", event)
    assert list((test_home / database_name / "vault").iterdir()) == []
    assert run_stage(runtime, "register", event) == answer
    run_all(runtime, event)
    assert get_document(runtime, identity, UUID(answer["document_id"])).status == "ready"
