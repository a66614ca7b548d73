"""The audit log: who did what."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import AwareDatetime

from functions.api.caller import Admin
from functions.api.pagination import DEFAULT_LIMIT, MAX_LIMIT, Cursor, Limit, PageOf, listed
from functions.api.routing import v1_router
from shared.domain.people import AuditEntry
from shared.people import audit

router = v1_router("people")

Act = Annotated[str | None, Query(max_length=60, pattern=r"^[a-z_.]+$", description="`document.delete`, or `document`")]
Person = Annotated[UUID | None, Query(description="only what this member did")]
Since = Annotated[AwareDatetime | None, Query(description="not before this time")]
Until = Annotated[AwareDatetime | None, Query(description="before this time")]
Form = Annotated[Literal["json", "csv"] | None, Query(description="`csv`: all entries that match, as one file")]


@router.get("/audit", response_model=PageOf[AuditEntry])
def list_audit(
    request: Request,
    caller: Admin,
    act: Act = None,
    person_id: Person = None,
    since: Since = None,
    until: Until = None,
    format: Form = None,  # noqa: A002 the parameter's name in the address
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> PageOf[AuditEntry] | Response:
    """Who did what, newest first, for owners and admins. As CSV with `format=csv` or `Accept: text/csv`."""
    read = partial(audit.list_entries, caller.runtime, caller.identity, audit.Wanted(act, person_id, since, until))
    if format == "csv" or (format is None and request.headers.get("accept", "").startswith("text/csv")):
        headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
        return StreamingResponse(_file(read), media_type="text/csv; charset=utf-8", headers=headers)
    return listed("audit", cursor, limit, read)


def _file(read: "partial[list[AuditEntry]]") -> Iterator[str]:
    """All entries, page by page."""
    before: UUID | None = None
    while True:
        page = read(before, MAX_LIMIT)
        yield audit.to_csv(page, head=before is None)
        if len(page) < MAX_LIMIT:
            return
        before = page[-1].id
