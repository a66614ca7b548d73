"""Records: structured data of declared kinds, found when the request is answered."""

from typing import Annotated
from uuid import UUID

from fastapi import Path
from fastapi.responses import JSONResponse, Response

from functions.api.caller import Reader
from functions.api.idempotency import Change
from functions.api.routing import v1_router
from shared.domain.records import KindName, KindSchema, NewRecord, PostedRecord, PostedRecords, RecordBatch, RecordKind
from shared.ingestion.posting import records

router = v1_router("records", "/knowledge-bases/{knowledge_base_id}")
Name = Annotated[KindName, Path(description="the kind's name")]


@router.get("/record-kinds")
def list_kinds(caller: Reader, knowledge_base_id: UUID) -> list[RecordKind]:
    """The kinds of records that are declared, by name."""
    return records.list_kinds(caller.runtime, caller.identity, knowledge_base_id)


@router.put("/record-kinds/{kind}", response_model=RecordKind)
def put_kind(change: Change, knowledge_base_id: UUID, kind: Name, body: KindSchema) -> JSONResponse:
    """Declare a kind, or change it. Records that are there stay as they were posted."""
    who = (change.runtime, change.identity, knowledge_base_id, kind)
    return change.answer(200, lambda: records.put_kind(*who, body), body)


@router.delete("/record-kinds/{kind}", status_code=204)
def remove_kind(change: Change, knowledge_base_id: UUID, kind: Name) -> Response:
    """Take no more records of this kind; those that are there stay."""
    records.remove_kind(change.runtime, change.identity, knowledge_base_id, kind)
    return Response(status_code=204)


@router.post("/records", status_code=201, response_model=PostedRecord)
def post_record(change: Change, knowledge_base_id: UUID, body: NewRecord) -> JSONResponse:
    """Post a record, or the next version of one with this key. It can be searched when this answers."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(201, lambda: records.post_records(*who, [body]).records[0], body)


@router.post("/records:batch", status_code=201, response_model=PostedRecords)
def post_records(change: Change, knowledge_base_id: UUID, body: RecordBatch) -> JSONResponse:
    """Post up to 1,000 records. All are checked before the first one is stored."""
    who = (change.runtime, change.identity, knowledge_base_id)
    return change.answer(201, lambda: records.post_records(*who, body.records), body)
