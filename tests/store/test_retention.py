"""What is kept for a time only, and what is never taken for it."""

import hashlib
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from pydantic import SecretStr

from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.domain.scope import Identity, Scope
from shared.errors import Forbidden, NotFound
from shared.ingestion.uploads import UploadRequest, UploadTicket, create_upload, receive_upload
from shared.library.account import OrganizationChange, change_organization, get_profile
from shared.library.retention import forget_abandoned_uploads
from shared.library.traces import get_trace, list_traces
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store.ingestions import find_ingestion, find_upload
from shared.store.traces import forget_traces
from tests.erasing import erase_base
from tests.pipeline import make_knowledge_base, scope_of


def organization_of(identity: Identity) -> Scope:
    return Scope(organization_id=identity.organization_id)


def forget_old_traces(runtime: Runtime, organization: Scope) -> int:
    with runtime.database.transaction(organization) as connection:
        return forget_traces(connection)


def ask(runtime: Runtime, identity: Identity, base: UUID) -> UUID:
    return search(runtime, identity, SearchRequest(query="x", index="fts", knowledge_base_ids=[base])).trace_id


def make_old(runtime: Runtime, scope: Scope, table: str, row: UUID, days: float) -> None:
    with runtime.database.transaction(scope) as connection:
        statement = f"update {table} set created_at = now() - make_interval(secs => %s) where id = %s"  # noqa: S608 ours
        assert connection.execute(statement.encode(), (days * 86_400, row)).rowcount == 1


def announce(runtime: Runtime, identity: Identity, base: UUID, days: float) -> UploadTicket:
    sha256 = hashlib.sha256(b"abc").hexdigest()
    request = UploadRequest(
        filename="a.pdf", size=3, sha256=sha256, knowledge_base_id=base, password=SecretStr("sesame")
    )
    ticket = create_upload(runtime, identity, request)
    make_old(runtime, scope_of(identity, base), "ingestions", ticket.upload_id, days)
    return ticket


def test_traces_go_after_as_many_days_as_their_organization_keeps_them(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    bases = {who: make_knowledge_base(runtime, who, "aging") for who in (identity, other_identity)}
    ages = (0.0, 6.0, 8.0, 29.0, 31.0)
    for who, base in bases.items():
        for days in ages:
            make_old(runtime, scope_of(who, base), "retrieval_log", ask(runtime, who, base), days)
    theirs = change_organization(runtime, other_identity, OrganizationChange(trace_days=7)).organization
    assert (theirs.trace_days, get_profile(runtime, identity).organization.trace_days) == (7, 30)
    assert forget_old_traces(runtime, organization_of(identity)) == 1
    assert len(list_traces(runtime, other_identity)) == 5
    assert forget_old_traces(runtime, organization_of(other_identity)) == 3
    assert [len(list_traces(runtime, who)) for who in bases] == [4, 2]


@pytest.mark.parametrize("role", ["editor", "viewer"])
def test_how_long_traces_are_kept_is_for_owners_and_admins(runtime: Runtime, identity: Identity, role: str) -> None:
    somebody = Identity.model_validate(identity.model_dump() | {"role": role})
    with pytest.raises(Forbidden, match=role):
        change_organization(runtime, somebody, OrganizationChange(trace_days=0))
    assert get_profile(runtime, identity).organization.trace_days == 30


def test_traces_of_a_knowledge_base_that_is_gone_go_with_age_too(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    kept, gone = (make_knowledge_base(runtime, identity, name) for name in ("stays", "goes"))
    theirs = make_knowledge_base(runtime, other_identity, "goes")
    scopes = {who: scope_of(who, base) for who, base in ((identity, gone), (other_identity, theirs))}
    both = search(runtime, identity, SearchRequest(query="x", index="fts", knowledge_base_ids=[kept, gone])).trace_id
    wide = scopes[identity].model_copy(update={"knowledge_base_ids": (kept, gone)})
    make_old(runtime, wide, "retrieval_log", both, 31)
    make_old(runtime, scopes[other_identity], "retrieval_log", ask(runtime, other_identity, theirs), 3000)
    # A search that began before its knowledge base was deleted stores its trace after.
    for scope in scopes.values():
        with runtime.database.transaction(scope) as connection:
            connection.execute("delete from knowledge_bases where id = %s", (scope.knowledge_base_ids[0],))
    with pytest.raises(NotFound):
        get_trace(runtime, identity, both)
    assert forget_old_traces(runtime, organization_of(identity)) == 1
    assert forget_old_traces(runtime, organization_of(other_identity)) == 1


def test_a_file_that_never_came_is_forgotten_with_its_password_after_a_day(
    runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "abandoned")
    old, young, arrived, late = (announce(runtime, identity, base, days) for days in (1.1, 0.9, 0.0, 3.0))
    receive_upload(runtime, identity, arrived.upload_id, [b"abc"])
    make_old(runtime, scope_of(identity, base), "ingestions", arrived.upload_id, 3)
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        row = find_ingestion(connection, late.upload_id)
    assert row is not None
    runtime.blobs.put(row["source_key"], b"abc")  # its event has not come through yet
    assert forget_abandoned_uploads(runtime, organization_of(identity)) == 1
    assert runtime.vault.get(old.upload_id) is None
    kept = (young, arrived, late)
    assert [runtime.vault.get(ticket.upload_id) for ticket in kept] == ["sesame"] * 3
    with runtime.database.transaction(scope_of(identity, base)) as connection:
        assert find_upload(connection, old.upload_id) is None
        assert find_ingestion(connection, old.upload_id) is None
        assert all(find_upload(connection, ticket.upload_id) for ticket in kept)
    assert forget_abandoned_uploads(runtime, organization_of(identity), timedelta(hours=1)) == 1


def test_what_another_organization_announced_stays(
    runtime: Runtime, identity: Identity, other_identity: Identity
) -> None:
    theirs = announce(runtime, other_identity, make_knowledge_base(runtime, other_identity, "theirs"), 9)
    forget_abandoned_uploads(runtime, organization_of(identity))
    assert runtime.vault.get(theirs.upload_id) == "sesame"
    assert forget_abandoned_uploads(runtime, organization_of(other_identity)) == 1


def test_with_a_knowledge_base_goes_what_was_asked_of_it_alone_or_with_others(
    runtime: Runtime, identity: Identity, postgres: EmbeddedPostgres, database_name: str
) -> None:
    gone, left = (make_knowledge_base(runtime, identity, name) for name in ("gone", "left"))
    asked = SearchRequest(query="x", index="fts", knowledge_base_ids=[gone, left])
    both = search(runtime, identity, asked).trace_id
    alone, other = ask(runtime, identity, gone), ask(runtime, identity, left)
    erase_base(runtime, identity, gone)
    with psycopg.connect(postgres.dsn(SUPERUSER, database_name)) as everything:
        query = "select id from retrieval_log where id = any (%s)"
        assert everything.execute(query, ([both, alone, other],)).fetchall() == [(other,)]
