"""How each error leaves: status, headers, as a page or as a problem document."""

import asyncio
import errno
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from fastapi import FastAPI

from functions.api.errors import NotSignedIn, add_error_handlers
from functions.api.pages_shell import PageContext, render_page
from shared.errors import (
    AutriError,
    BadFilter,
    BadInput,
    Conflict,
    Damaged,
    Forbidden,
    LeaseLost,
    NotFound,
    SourceChanged,
    StorageFull,
    TooMany,
    Unavailable,
)

BROWSER = "text/html,application/xhtml+xml"
# A folder that is there, and not the temporary one.
SPOOL = Path(__file__).parent


class OneMoreConflict(Conflict):
    """A kind that the table does not name."""


def answered(
    error: Exception, method: str = "GET", path: str = "/v1/things", accept: str = "application/json"
) -> httpx.Response:
    """What an application answers whose route fails with `error`."""

    def fail() -> None:
        raise error

    app = FastAPI()
    app.state.local = True
    app.state.runtime = SimpleNamespace(blobs=SimpleNamespace(spool=lambda: SPOOL))
    add_error_handlers(app)
    app.add_api_route(path, fail, methods=[method])

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, headers={"Accept": accept})

    return asyncio.run(send())


@pytest.mark.parametrize(
    ("error", "status", "name", "again"),
    [
        (BadInput("Say more."), 422, "unprocessable", None),
        (BadFilter("Say more."), 400, "bad-request", None),
        (NotSignedIn("Say more."), 401, "unauthorized", None),
        (Forbidden("Say more."), 403, "forbidden", None),
        (NotFound("Say more."), 404, "not-found", None),
        (Conflict("Say more."), 409, "conflict", None),
        (OneMoreConflict("Say more."), 409, "conflict", None),
        (LeaseLost("Say more."), 409, "conflict", None),
        (SourceChanged("Say more."), 409, "conflict", None),
        (Damaged("Say more."), 410, "gone", None),
        (TooMany("Say more."), 429, "too-many-requests", "5"),
        (Unavailable("Say more."), 503, "service-unavailable", "5"),
        (StorageFull("Say more."), 507, "insufficient-storage", "5"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_an_error_has_its_status_its_name_and_says_when_to_come_again(
    error: AutriError, status: int, name: str, again: str | None
) -> None:
    answer = answered(error)
    assert (answer.status_code, answer.headers.get("Retry-After")) == (status, again)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    problem = answer.json()
    assert problem.pop("type").startswith(f"urn:autri:problem:{name}")
    assert problem.pop("request_id") == answer.headers["X-Request-Id"]
    assert problem.pop("title").lower().replace(" ", "-").startswith(name)
    assert problem == {"status": status, "detail": "Say more.", "instance": "/v1/things"}


@pytest.mark.parametrize(
    ("method", "path", "accept", "page"),
    [
        ("GET", "/kb/acme", BROWSER, True),
        ("GET", "/kb/acme", "text/html", True),
        ("GET", "/v1x", BROWSER, True),
        ("GET", "/kb/acme", "application/json", False),
        ("GET", "/kb/acme", "*/*", False),
        ("GET", "/v1/things", BROWSER, False),
        ("POST", "/kb/acme", BROWSER, False),
        ("DELETE", "/kb/acme", BROWSER, False),
    ],
)
def test_a_person_gets_a_page_and_a_program_a_problem(method: str, path: str, accept: str, page: bool) -> None:
    answer = answered(Unavailable("The model does not answer."), method, path, accept)
    assert answer.headers["Content-Type"] == ("text/html; charset=utf-8" if page else "application/problem+json")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.headers["X-Request-Id"] in answer.text
    assert "The model does not answer." in answer.text
    # A page keeps its own policy, or it could load nothing.
    assert ("script-src 'self'" in answer.headers["Content-Security-Policy"]) is page
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_every_field_that_cannot_be_used_is_listed_and_three_are_told_without_their_values() -> None:
    app = FastAPI()
    add_error_handlers(app)

    def take(first: int, second: int, third: int, fourth: int) -> None: ...

    app.add_api_route("/v1/things", take)

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
            return await client.get("/v1/things", params={"first": "secret", "second": "1.5"})

    answer = asyncio.run(send())
    problem = answer.json()
    assert (answer.status_code, problem["status"], "secret" in answer.text) == (422, 422, False)
    fields = ["first", "second", "third", "fourth"]
    assert [error["location"] for error in problem["errors"]] == [["query", field] for field in fields]
    assert [f"query.{field}: " in problem["detail"] for field in fields] == [True, True, True, False]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_with_its_folder(number: int) -> None:
    answer = answered(OSError(number, "no room"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (507, "5")
    assert str(SPOOL) in answer.json()["detail"]


def test_another_failure_of_the_disk_is_a_failure_on_our_side() -> None:
    with pytest.raises(OSError, match="cannot be read"):
        answered(OSError(errno.EIO, "cannot be read"))


def test_a_page_is_an_answer_that_went_well_unless_it_says_otherwise() -> None:
    response = render_page(PageContext(title="Boats", template="playground.html", twin="/v1", module="home/main.js"))
    assert response.status_code == 200
    assert response.headers["content-security-policy"].count("https://") == 0
