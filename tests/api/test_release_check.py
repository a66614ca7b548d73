"""What the new version of the API's function says of itself before anybody else calls it."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from fastapi import FastAPI
from pydantic import ConfigDict, PydanticUndefinedAnnotation, create_model

from functions.api.release import answer_release_check, is_release_check
from functions.api.routing import v1_router
from shared.adapters.local.postgres import APPLICATION
from shared.errors import Conflict
from shared.store.migrate import newest
from tests.conftest import as_superuser

ARN = "arn:aws:lambda:eu-central-1:1:function:api:"


def asked(
    version: int, before: int | None = None, schema: str | None = None, request: str | None = None
) -> dict[str, Any]:
    event: dict[str, Any] = {
        "RequestType": request or ("Create" if before is None else "Update"),
        "ResourceProperties": {"version": f"{ARN}{version}", "schema": schema or newest()},
    }
    return event if before is None else event | {"OldResourceProperties": {"version": f"{ARN}{before}"}}


@contextmanager
def changed(owner_dsn: str, there: str, back: str) -> Generator[None]:
    with psycopg.connect(as_superuser(owner_dsn), autocommit=True) as connection:
        connection.execute(there.encode())
        try:
            yield
        finally:
            connection.execute(back.encode())


def test_a_version_over_its_own_schema_or_a_newer_one_may_serve(app: FastAPI) -> None:
    assert answer_release_check(app, asked(3)) == {"PhysicalResourceId": "release"}
    assert answer_release_check(app, asked(4, before=3, schema="9999_later.sql")) == {"PhysicalResourceId": "release"}
    assert not is_release_check({"version": "2.0", "rawPath": "/v1/health"})


@pytest.mark.parametrize(("there", "back", "why"), [
    ("alter table chunks no force row level security", "alter table chunks force row level security",
     "Tables without a forced policy: chunks"),
    ("alter table chunks disable row level security", "alter table chunks enable row level security",
     "Tables without a forced policy: chunks"),
    (f"alter role {APPLICATION} bypassrls", f"alter role {APPLICATION} nobypassrls",
     f"roles that no policy binds: {APPLICATION}"),
    (f"create policy open on organizations for select to {APPLICATION} using (true)",
     "drop policy open on organizations", "Rows that are seen without a scope"),
])  # fmt: skip
def test_what_lets_anybody_past_the_policies_stops_a_release_and_no_roll_back(
    app: FastAPI, owner_dsn: str, there: str, back: str, why: str
) -> None:
    with changed(owner_dsn, there, back):
        for event in (asked(3), asked(3, before=2), asked(10, before=9)):
            with pytest.raises(Conflict, match=why):
                answer_release_check(app, event)
        for event in (asked(2, before=3), asked(9, before=10), asked(3, request="Delete")):
            answer_release_check(app, event)
    answer_release_check(app, asked(3))


def test_a_schema_that_is_older_than_the_version_stops_it(app: FastAPI) -> None:
    with pytest.raises(Conflict, match=r"the database has 0001_foundation\.sql"):
        answer_release_check(app, asked(3, schema="0001_foundation.sql"))


MAKE_MODEL: Any = create_model  # typed for annotations that there are
UNBUILT = MAKE_MODEL("Unbuilt", __config__=ConfigDict(defer_build=True), number=("Nowhere", ...))


@pytest.mark.parametrize(("declared", "wrong", "why"), [
    ({"status_code": 204, "response_model": int}, AssertionError, "must not have a response body"),
    ({"response_model": list[UNBUILT]}, PydanticUndefinedAnnotation, "Nowhere"),
])  # fmt: skip
def test_a_route_that_cannot_be_derived_stops_it(
    app: FastAPI, declared: dict[str, Any], wrong: type[Exception], why: str
) -> None:
    broken = v1_router("system")
    broken.get("/broken", **declared)(list)
    app.router.routes.extend(broken.routes)
    try:
        with pytest.raises(wrong, match=why):
            answer_release_check(app, asked(3))
    finally:
        app.router.routes.remove(*broken.routes)
    answer_release_check(app, asked(3))
