"""What needs DuckDB or vl-convert is sent to the function that has them, and so are files of any size."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.routing import Route

from functions.api.app import create_app
from functions.api.openapi import operations_of
from shared.contract import LAB_PATHS
from shared.runtime import Runtime
from tests.stacks.traced import imported_by

PACKAGES = {"duckdb", "vl_convert"}
PATTERNS = [re.compile(re.sub(r"\{rest\+\}", ".+", re.sub(r"\{\w+\}", "[^/]+", path)) + "$") for path in LAB_PATHS]
# A file, and still not larger than one answer of Lambda: what a search finds, and a conversation, in words.
SMALL = {"/v1/search:export", "/v1/threads/{thread_id}/export"}


@pytest.fixture(scope="module")
def application() -> Any:
    return create_app(cast(Runtime, SimpleNamespace()), lambda _: pytest.fail("nobody is asked"), local=False)


def is_sent_there(path: str) -> bool:
    """A path of the application, whose forms stand beside their name: `tables.{format}`."""
    paths = [path.replace("{format}", kind) for kind in ("csv", "xlsx", "parquet")]
    return all(any(one.match(each) for one in PATTERNS) for each in paths)


@pytest.fixture(scope="module")
def computing(application: Any) -> dict[str, set[str]]:
    """What may be imported by each route that imports one of them."""
    routes = [route for route in application.router.routes if isinstance(route, Route)]
    assert len(routes) > 150
    traced = [(route.path, imported_by(route.endpoint) & PACKAGES) for route in routes]
    found: dict[str, set[str]] = {}
    for path, packages in traced:
        if packages:
            found[path] = found.get(path, set()) | packages
    return found


def test_every_route_that_imports_them_is_sent_there(computing: dict[str, set[str]]) -> None:
    assert {path for path in computing if not is_sent_there(path)} == set()


def test_what_is_traced_is_what_is_known_to_import_them(computing: dict[str, set[str]]) -> None:
    """By hand, so that a route of which nothing is seen is noticed."""
    assert computing["/v1/datasets/{dataset_id}/preview"] == {"duckdb"}
    assert computing["/v1/plots/{plot_id}.{form}"] == PACKAGES
    assert computing["/mcp"] == PACKAGES
    assert "/v1/ask" not in computing
    assert "/v1/documents/{document_id}" not in computing


def test_every_file_of_any_size_is_sent_there_or_fetched_from_the_bucket(application: Any) -> None:
    """A whole answer of Lambda has 6 MB at most; one that is streamed 200."""
    large = set[str]()
    for _, path, operation in operations_of(application.openapi()):
        answers = operation["responses"]
        kinds = set(answers["200"].get("content", {"file": {}})) if "200" in answers else set()
        if "302" not in answers and kinds - {"application/json", "text/event-stream"}:
            large.add(path)
    assert {"/v1/bundles", "/v1/datasets/{dataset_id}/export"} <= large
    assert {path for path in large if not is_sent_there(path)} == SMALL


def test_nothing_else_is_sent_there(application: Any) -> None:
    """Each line of the table is of a route, and no line takes the next one's."""
    paths = {route.path for route in application.router.routes if isinstance(route, Route)}
    for pattern, line in zip(PATTERNS, LAB_PATHS, strict=True):
        kinds = [line, line.replace(line.rpartition(".")[2], "{format}")] if "tables." in line else [line]
        assert any(pattern.match(path) for path in paths) or set(kinds) & paths, line
    assert not is_sent_there("/v1/exports/{job_id}")
