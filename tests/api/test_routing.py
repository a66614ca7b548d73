"""A request goes to the route that it would go to if all were asked one after the other, and few are asked."""

import re

import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.types import Scope

from functions.api.routing import ByWords
from tests.api.conftest import Client

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
UUID = "01900000-0000-7000-8000-000000000000"


def routes_of(app: FastAPI) -> tuple[ByWords, list[BaseRoute]]:
    first, *others = app.router.routes
    assert isinstance(first, ByWords)
    return first, others


def paths_of(routes: list[BaseRoute]) -> list[str]:
    """Two addresses of each route, with an id and with a word in the places of its parameters; and some of none."""
    templates = [route.path for route in routes if isinstance(route, Route | Mount)]
    made = [re.sub(r"\{[^}]+\}", value, path) for path in templates for value in (UUID, "members")]
    nothing = ("/", "//", "/v1", "/v1/", "/v1//datasets", "/no/such/page", "/v1/no", "/kb", "/static/0/a.js")
    return [*made, *(f"{path}/" for path in made[:40]), *nothing]


def scope_of(method: str, path: str, root: str = "") -> Scope:
    return {"type": "http", "method": method, "path": root + path, "root_path": root, "headers": []}


def test_the_same_route_is_found_as_by_asking_all_in_their_order(app: FastAPI) -> None:
    first, others = routes_of(app)
    found = 0
    for path in paths_of(others):
        for method in METHODS:
            scope = scope_of(method, path)
            taking = next((route for route in others if route.matches(scope)[0] is Match.FULL), None)
            match, child = first.matches(scope)
            assert child.get("autri.route") is taking, (method, path)
            assert match is (Match.NONE if taking is None else Match.FULL)
            found += taking is not None
    assert found > 300


def test_below_a_root_path_it_is_found_too(app: FastAPI) -> None:
    first, _ = routes_of(app)
    assert first.matches(scope_of("GET", "/v1/health", "/stage"))[0] is Match.FULL


@pytest.mark.parametrize("path", ["/v1/datasets", "/v1/health", "/static/0123456789ab/js/theme.js", "/kb/handbook"])
def test_few_are_asked(app: FastAPI, path: str) -> None:
    first, others = routes_of(app)
    assert len(first.asked(path)) < len(others) / 5


def test_addresses_that_people_make_up_are_not_kept(app: FastAPI) -> None:
    first, _ = routes_of(app)
    assert first.asked("/v1/made-up-a") is first.asked("/v1/made-up-b")
    assert first.asked("/made-up/a") is first.asked("/made/up")


def test_what_no_route_takes_whole_is_said_as_before(client: Client) -> None:
    assert client.get("/v1/nothing").status_code == 404
    refused = client.delete("/v1/health")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET"
    assert client.get("/v1/health/").status_code in (307, 404)


def test_what_stands_below_a_mount_or_takes_a_path_of_any_length_is_found() -> None:
    def answer() -> None:
        raise AssertionError

    class Other(BaseRoute):
        """Of a type that tells nobody which paths it takes."""

        def matches(self, scope: Scope) -> tuple[Match, Scope]:
            return (Match.FULL if scope["path"] == "/any/of/them" else Match.NONE), {}

    routes = [Mount("/one", routes=[]), Route("/two/{rest:path}", answer), Other(), Route("/{rest:path}", answer)]
    first = ByWords(routes)
    for path, wanted in (("/one/a/b", 0), ("/two/a/b", 1), ("/any/of/them", 2), ("/three/a/b", 3), ("/three", 3)):
        assert first.matches(scope_of("GET", path))[1]["autri.route"] is routes[wanted]
