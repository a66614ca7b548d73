"""Pages of errors: the header of every other page for who is signed in, and nothing of anybody for who is not."""

from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from functions.api import pages
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.errors import AutriError, PlanExhausted
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.signing import Claims, SignedIn, claims_of, invite

BROWSER = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def ella(owner_dsn: str) -> Claims:
    invite(owner_dsn, "ella@local.example", "viewer", "local")
    invite(owner_dsn, "ella@local.example", "viewer", "other")
    return claims_of("ella@local.example")


def page_of(signed_in: SignedIn, claims: Claims | None, path: str, status: int) -> str:
    answer = signed_in(claims, path=path, headers=BROWSER)
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (status, "text/html")
    return answer.text


def has_header(page: str) -> bool:
    return 'data-organization-name="Local"' in page and 'href="/settings/members"' in page


def join(signed_in: SignedIn, claims: Claims) -> None:
    assert signed_in(claims, "local").status_code == 200


@pytest.mark.parametrize(("path", "status"), [("/nothing-here", 404), ("/settings/audit", 403)])
def test_what_is_missing_or_forbidden_keeps_the_header(
    signed_in: SignedIn, ella: Claims, path: str, status: int
) -> None:
    join(signed_in, ella)
    assert has_header(page_of(signed_in, ella, path, status))


def test_too_many_requests_keep_the_header(
    signed_in: SignedIn, ella: Claims, runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    join(signed_in, ella)
    monkeypatch.setattr(runtime, "limits", PlanSettings("free"))
    empty(runtime, identity, identity.organization_id)
    refused = signed_in(ella, path="/", headers=BROWSER)
    assert has_header(refused.text)
    assert said(refused) == (429, "organization")


def empty(runtime: Runtime, identity: Identity, subject: UUID) -> None:
    with runtime.database.transaction(identity.scope()) as connection:
        connection.execute(
            "insert into rate_buckets values (%(o)s, %(s)s, clock_timestamp() + interval '63 s')"
            " on conflict (organization_id, subject_id) do update set full_at = excluded.full_at",
            {"o": identity.organization_id, "s": subject},
        )


def said(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.headers["RateLimit"].partition('"')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("error", "status"), [(PlanExhausted("The month's pages are used up."), 402), (ZeroDivisionError("secret"), 500)]
)
def test_a_plan_used_up_and_a_failure_keep_the_header(
    signed_in: SignedIn, ella: Claims, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    join(signed_in, ella)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(pages, "require_role", fail)
    page = page_of(signed_in, ella, "/settings/keys", status)
    assert has_header(page)
    assert "secret" not in page


@pytest.mark.parametrize("error", [AutriError("x"), ZeroDivisionError("secret")])
def test_a_page_of_an_error_is_there_where_nobody_can_be_recognized_any_more(
    signed_in: SignedIn, ella: Claims, runtime: Runtime, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(runtime.database, "check", fail)
    page = page_of(signed_in, ella, "/nothing-here", 404)
    assert "Local" not in page
    assert "secret" not in page


def test_nobody_is_told_anything(signed_in: SignedIn) -> None:
    page = page_of(signed_in, None, "/nothing-here", 404)
    assert "data-organization" not in page
    assert "/settings/" not in page


def test_on_one_machine_an_error_keeps_the_header(client: Client, app: FastAPI) -> None:
    assert app.state.local
    assert 'href="/settings/members"' in client.get("/nothing-here", headers=BROWSER).text
