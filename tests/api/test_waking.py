"""A database that sleeps: what is answered without it, and what a page and a program are told."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi import FastAPI

from functions.api import pages_account
from functions.api.app import create_app
from functions.api.identity import CloudIdentity, Identify, development_identity
from functions.api.routes import system
from shared.runtime import Runtime
from shared.store.connect import Database
from tests.api.conftest import BASE, Client
from tests.api.signing import SignedIn, claims_of

NOWHERE = "host=127.0.0.1 port=1 dbname=autri"
PAGE = {"Accept": "text/html"}


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """A runtime whose database nobody reaches, waited for as briefly as a test may wait."""
    monkeypatch.setattr(pages_account, "PATIENCE_S", 0.2)
    monkeypatch.setattr(system, "READY_WITHIN_S", 0.2)
    with Database(NOWHERE) as database:
        yield cast(Runtime, SimpleNamespace(database=database))


def application(runtime: Runtime, identify: Identify | None = None, *, local: bool = True) -> FastAPI:
    return create_app(runtime, identify or development_identity(runtime), local=local)


def test_the_service_says_that_it_is_up_without_asking_the_database(asleep: Runtime) -> None:
    answer = Client(application(asleep), peer="203.0.113.9").get("/v1/health")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")


def test_a_page_of_a_sleeping_database_comes_soon_and_says_so(asleep: Runtime) -> None:
    begun = time.monotonic()
    page = Client(application(asleep)).get("/kb/acme?x=1", headers=PAGE)
    assert time.monotonic() - begun < 30
    assert (page.status_code, page.headers["retry-after"], page.headers["cache-control"]) == (503, "5", "no-cache")
    assert "The database does not answer yet" in page.text
    assert "waking/main.js" in page.text
    assert "<h1>Service Unavailable" not in page.text


def test_a_program_is_told_by_the_problem_s_type(asleep: Runtime) -> None:
    answer = Client(application(asleep)).get("/v1/ready")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["type"] == "urn:autri:problem:database-away"


def test_a_change_whose_sender_cannot_be_asked_for_is_told_the_same(asleep: Runtime) -> None:
    def identify(_request: Any) -> Any:
        asleep.database.check(0.2)

    answer = Client(application(asleep, identify)).post("/v1/knowledge-bases", json={"name": "x"})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:autri:problem:database-away")


@pytest.mark.parametrize(("path", "status"), [("/", 302), ("/v1/ready", 401)])
def test_nobody_wakes_the_database_without_having_signed_in(asleep: Runtime, path: str, status: int) -> None:
    app = application(asleep, CloudIdentity(asleep, BASE), local=False)
    assert Client(app, peer="203.0.113.9").get(path, headers=PAGE if path == "/" else {}).status_code == status


def test_who_has_signed_in_may_ask_before_any_organization_knows_them(signed_in: SignedIn) -> None:
    claims = claims_of("nobody@nowhere.example")
    assert signed_in(claims).status_code == 403
    assert signed_in(claims, path="/v1/ready").json()["database"] == "ok"
    assert signed_in(None, path="/v1/ready").status_code == 401


def test_the_version_of_the_service_is_the_same_when_it_is_ready(client: Client) -> None:
    ready, health = client.get("/v1/ready").json(), client.get("/v1/health").json()
    assert ready == health | {"database": "ok"}
