"""The table from exception to HTTP status, and the problem document (RFC 9457) that every error becomes."""

import tempfile
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from functions.api.challenge import challenge_headers
from functions.api.envelope import request_id_of, security_headers
from shared.errors import (
    AutriError,
    BadFilter,
    BadInput,
    BelongsNowhere,
    BudgetSpent,
    Busy,
    ChangedMeanwhile,
    Conflict,
    Damaged,
    DatabaseAway,
    Forbidden,
    LeaseLost,
    NoLonger,
    NotFound,
    PlanExhausted,
    SourceChanged,
    StillReading,
    StorageFull,
    TooMany,
    Unavailable,
    UnreadFormat,
)
from shared.people.sign_in import SeveralInvitations

RETRY_AFTER_S = 5
RETRIED = {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.INSUFFICIENT_STORAGE}


class NotSignedIn(AutriError):
    """The request has no valid identity."""


class RateLimited(TooMany):
    """The sender has asked too often; in `retry_s` seconds it may ask again."""

    def __init__(self, text: str, retry_s: int) -> None:
        super().__init__(text)
        self.retry_s = retry_s


STATUS: dict[type[AutriError], HTTPStatus] = {
    BadInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    PlanExhausted: HTTPStatus.PAYMENT_REQUIRED,
    BudgetSpent: HTTPStatus.PAYMENT_REQUIRED,
    BadFilter: HTTPStatus.BAD_REQUEST,
    UnreadFormat: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    NotSignedIn: HTTPStatus.UNAUTHORIZED,
    Forbidden: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    ChangedMeanwhile: HTTPStatus.PRECONDITION_FAILED,
    LeaseLost: HTTPStatus.CONFLICT,
    Damaged: HTTPStatus.GONE,
    NoLonger: HTTPStatus.GONE,
    TooMany: HTTPStatus.TOO_MANY_REQUESTS,
    SourceChanged: HTTPStatus.CONFLICT,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    StorageFull: HTTPStatus.INSUFFICIENT_STORAGE,
}
# What clients tell apart although its status is another's; by default the kind is the status' phrase.
KINDS: dict[type[AutriError], str] = {
    DatabaseAway: "database-away",
    StillReading: "still-reading",
    PlanExhausted: "plan-exhausted",
    BudgetSpent: "budget-spent",
}
DETAILS: dict[int, str] = {
    400: "The body cannot be read. Send JSON, encoded as UTF-8.",
    404: "There is nothing at this address. The addresses of the API are listed in /v1/openapi.json.",
    405: "This address does not take this method. /v1/openapi.json lists what it takes.",
}


class FieldError(BaseModel):
    """An invalid field of a request: where it is, and what is wrong with it."""

    location: list[str | int]
    message: str


class Problem(BaseModel):
    """The body of every error. `type` names the kind of error, `request_id` is what to quote when asking for help."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[FieldError] | None = None


def status_of(error: AutriError) -> HTTPStatus:
    """The status of the error's nearest base class in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def kind_of(error: BaseException | None) -> str | None:
    """What `problem_response` names the error by; None for its status' phrase."""
    return next((kind for away, kind in KINDS.items() if isinstance(error, away)), None)


def retry_headers(error: AutriError) -> dict[str, str]:
    """`Retry-After`, where trying again may help."""
    if isinstance(error, RateLimited):
        return {"Retry-After": str(error.retry_s)}
    if isinstance(error, StillReading):
        return {"Retry-After": "1"}
    again = isinstance(error, Busy) or status_of(error) in RETRIED
    return {"Retry-After": str(RETRY_AFTER_S)} if again else {}


def problem_response(
    request: Request,
    status: int,
    detail: str,
    errors: list[FieldError] | None = None,
    headers: Mapping[str, str] | None = None,
    kind: str | None = None,
) -> JSONResponse:
    """A problem document with the headers that every response has; `kind` is its type, else its status' phrase."""
    phrase = HTTPStatus(status).phrase
    problem = Problem(
        type=f"urn:autri:problem:{kind or phrase.lower().replace(' ', '-')}",
        title=phrase,
        status=status,
        detail=detail,
        instance=request.url.path,
        request_id=request_id_of(request.scope),
        errors=errors,
    )
    own = security_headers(request.scope) | challenge_headers(request, status) | dict(headers or {})
    body = problem.model_dump(exclude_none=True, mode="json")
    return JSONResponse(body, status, own, media_type="application/problem+json")


def add_error_handlers(app: FastAPI) -> None:
    """Handles every exception that a route can raise, so that all errors are problem documents."""
    app.add_exception_handler(AutriError, _autri_error)
    app.add_exception_handler(OSError, _os_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)


def _autri_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AutriError)  # noqa: S101 registered for this type alone
    if isinstance(error, NotSignedIn) and _wants_page(request) and not request.app.state.local:
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/auth/login?{urlencode({'next': target})}", 302, security_headers(request.scope))
    if isinstance(error, BelongsNowhere) and _wants_page(request) and request.app.state.runtime.self_sign_up:
        return RedirectResponse("/welcome", 302, security_headers(request.scope))
    status = status_of(error)
    invited = error.slugs if isinstance(error, SeveralInvitations) else ()
    return _answer(request, status, str(error), retry_headers(error), kind_of(error), invited)


def _os_error(request: Request, error: Exception) -> Response:
    """Answers a full disk other than the data folder's: where uploads are spooled while they arrive."""
    assert isinstance(error, OSError)  # noqa: S101 registered for this type alone
    from shared.adapters.local.room import FULL, full_text

    if error.errno not in FULL:
        raise error
    folder = request.app.state.runtime.blobs.spool() or Path(tempfile.gettempdir())
    return _autri_error(request, StorageFull(full_text(folder)))


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 registered for this type alone
    detail = DETAILS.get(error.status_code, error.detail)
    # Whoever refuses a body before it is read says so by status, because of an error of ours.
    return _answer(request, error.status_code, detail, error.headers, kind_of(error.__cause__))


def _validation_error(request: Request, error: Exception) -> Response:
    """The offending values are not echoed: they may be secrets, or not text at all."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 registered for this type alone
    errors = [FieldError(location=list(e["loc"]), message=e["msg"]) for e in error.errors()]
    where = "; ".join(f"{'.'.join(str(part) for part in e.location)}: {e.message}" for e in errors[:3])
    return problem_response(request, 422, f"The request cannot be used as it is: {where}", errors)


def unexpected_answer(request: Request) -> Response:
    """Tells the client nothing about the error except the request id to quote."""
    detail = "Something failed on our side; nothing was half-stored. Try again, and quote the request id if it stays."
    return _answer(request, 500, detail, None)


def _answer(
    request: Request,
    status: int,
    detail: str,
    headers: Mapping[str, str] | None,
    kind: str | None = None,
    invited: Sequence[str] = (),
) -> Response:
    """`invited`: the organizations between which the person has to choose first."""
    if _wants_page(request):
        return _page(request, status, detail, headers, {"waking": kind == KINDS[DatabaseAway], "invited": invited})
    return problem_response(request, status, detail, headers=headers, kind=kind)


def _wants_page(request: Request) -> bool:
    accepts_html = "text/html" in request.headers.get("accept", "")
    return accepts_html and request.method == "GET" and not request.url.path.startswith("/v1/")


def _page(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None, more: dict[str, Any]
) -> Response:
    """Imports the template engine only when needed: most processes never render a page."""
    from functions.api import pages_errors

    problem: dict[str, Any] = {"status": status, "title": HTTPStatus(status).phrase, "detail": detail, **more}
    problem["request_id"] = request_id_of(request.scope)
    response = pages_errors.render_problem(request, pages_errors.ProblemPage(**problem))
    for name, value in (security_headers(request.scope) | dict(headers or {})).items():
        response.headers.setdefault(name, value)
    return response
