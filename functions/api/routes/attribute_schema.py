"""The schema of attributes of a knowledge base."""

from typing import Annotated
from uuid import UUID

from fastapi import Query
from fastapi.responses import JSONResponse

from functions.api.caller import Editor, Reader
from functions.api.idempotency import Change
from functions.api.pagination import DEFAULT_LIMIT, Cursor, Limit, PageOf, number_cursor, page_of
from functions.api.routing import v1_router
from shared.domain.attribute_schema import (
    Backfill,
    Demotion,
    NewSchema,
    Promotion,
    SchemaCandidate,
    SchemaDiff,
    SchemaState,
    SchemaVersion,
)
from shared.domain.proposals import Proposal
from shared.library.curation import backfills, proposal, schemas

router = v1_router("schema of attributes", "/knowledge-bases/{knowledge_base_id}/schema")
VERSIONS = "schema-versions"
Version = Annotated[int | None, Query(ge=0, le=2**31 - 1, description="0: before the first")]


@router.get("")
def get_schema(caller: Reader, knowledge_base_id: UUID) -> SchemaState:
    """What is declared, with what is stored of it and how far documents are read. `open`: nobody has declared
    anything, and every attribute that is read counts."""
    return schemas.get_schema(caller.runtime, caller.identity, knowledge_base_id)


@router.put("", response_model=SchemaState)
def put_schema(change: Change, knowledge_base_id: UUID, body: NewSchema) -> JSONResponse:
    """Make the next version. What is not in it is found by no filter any more; what is new is read from the documents
    that are there, in the background."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: schemas.put_schema(*who, body), body)


@router.post("/preview")
def preview_schema(caller: Editor, knowledge_base_id: UUID, body: NewSchema) -> SchemaDiff:
    """What a version would change, and how much would have to be read for it; nothing is stored."""
    return schemas.preview_schema(caller.runtime, caller.identity, knowledge_base_id, body)


@router.get("/proposal")
def get_proposal(caller: Reader, knowledge_base_id: UUID) -> Proposal:
    """What was read, as the attributes that it seems to be: names merged, types, units, examples, conflicts."""
    return proposal.propose(caller.runtime, caller.identity, knowledge_base_id)


@router.get("/candidates")
def list_candidates(caller: Reader, knowledge_base_id: UUID, limit: Limit = DEFAULT_LIMIT) -> list[SchemaCandidate]:
    """Values that no filter finds, by printed name and why; the most frequent first."""
    return schemas.list_candidates(caller.runtime, caller.identity, knowledge_base_id, limit)


@router.post("/promote", response_model=SchemaState)
def promote(change: Change, knowledge_base_id: UUID, body: Promotion) -> JSONResponse:
    """Declare a candidate: the next version of the schema, and documents are read for this attribute alone."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: schemas.promote(*who, body), body)


@router.post("/demote", response_model=SchemaState)
def demote(change: Change, knowledge_base_id: UUID, body: Demotion) -> JSONResponse:
    """Take an attribute out: the next version of the schema, and its values are candidates."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: schemas.demote(*who, body), body)


@router.get("/versions")
def list_versions(
    caller: Reader, knowledge_base_id: UUID, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> PageOf[SchemaVersion]:
    """Who made which version, when and why; newest first."""
    before = number_cursor(VERSIONS, cursor)
    found = schemas.list_versions(caller.runtime, caller.identity, knowledge_base_id, before, limit + 1)
    return page_of(VERSIONS, found, limit, lambda item: [item.version])


@router.get("/diff")
def diff_versions(caller: Reader, knowledge_base_id: UUID, before: Version = None, after: Version = None) -> SchemaDiff:
    """What changed from one version to another, by attribute; else to the present one, from the one before."""
    return schemas.diff_versions(caller.runtime, caller.identity, knowledge_base_id, before, after)


@router.get("/backfill")
def get_backfill(caller: Reader, knowledge_base_id: UUID) -> Backfill | None:
    """How far the documents that were there are read under the latest version; null before the first."""
    return backfills.get_backfill(caller.runtime, caller.identity, knowledge_base_id)


@router.post("/backfill/cancel", response_model=Backfill)
def cancel_backfill(change: Change, knowledge_base_id: UUID) -> JSONResponse:
    """Stop it; what is read stays, and it may be resumed."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: backfills.cancel_backfill(*who))


@router.post("/backfill/resume", response_model=Backfill)
def resume_backfill(change: Change, knowledge_base_id: UUID) -> JSONResponse:
    """Go on with one that was stopped."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(200, lambda: backfills.resume_backfill(*who))


@router.post("/backfill/continue")
def continue_backfill(caller: Editor, knowledge_base_id: UUID) -> Backfill | None:
    """Read for a few seconds what is left, without waiting for the background, which reads the largest documents; how
    far it is then. To be asked again while it says `running`."""
    from shared.ingestion import backfill

    return backfill.continue_backfill(caller.runtime, caller.identity, knowledge_base_id)
