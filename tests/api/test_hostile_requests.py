"""Values that nobody means, in every place of every route: each is answered with a problem, none fails on our side, and
none is logged. The places come from the API's own description."""

import base64
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.api.errors import STATUS
from functions.api.pagination import listed, number_cursor, ordinal_cursor, text_cursor
from shared.domain.scope import Identity
from shared.errors import BadFilter, BadInput
from shared.filters.text import parse_filter
from shared.filters.tree import read_filter
from shared.ingestion.event import Event
from shared.runtime import Runtime
from tests.api.attempts import PATH_PARAMETER, fill_path, minimal_body, minimal_query, operations
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.api.test_tenancy import Ids, make_ids
from tests.pipeline import make_knowledge_base, run_all, upload

MARK = "xyzzy"
LONG = MARK * 20_000
TEXTS = (
    f"{MARK}\0", f"{MARK} \ud800", LONG[:3000], f"{MARK}' or 1=1 --", f"{MARK} %s {{}} \\", f"\u202e{MARK}\U0001f388",
    "", "NaN", "9" * 400, f"../../{MARK}", f'{MARK} in ("{LONG[:300]}")', "0001-01-01T00:00:00+14:00",
)  # fmt: skip
# As they stand in JSON, where Python could not write them.
RAW = (
    "null", "true", "-1", "9223372036854775808", "1" + "0" * 400, "1e400", "NaN", "0.5",
    '""', f'"{MARK}\\u0000"', f'"{MARK}\\ud800"', f'"{LONG}"', f'"{MARK}\' or 1=1 --"', "[]", "{}",
    "[" * 900 + "]" * 900, "[" * 100_000, '{"all":' * 300 + "1" + "}" * 300, f'[{",".join(["1"] * 2000)}]',
    f'{{"x":{"[" * 600}{"]" * 600},"y":"\\ud83d\\ude00"}}', f'{{"{MARK}": {{"{MARK}": 1}}}}',
    f'["{MARK}", 1, true]', '{"attr": "a", "op": "in", "value": [1e400]}',
    f'"{MARK} in (\\"{LONG[:300]}\\")"', f'"exists \\"{LONG[:300]}\\""', f'"{MARK} > 1e400"', f'"{"(" * 5000}"',
    '"9999-12-31T23:59:59-12:00"', '"0001-01-01T00:00:00+14:00"',
)  # fmt: skip
PLACE = "@place@"


@pytest.fixture(scope="module")
def own(runtime: Runtime, identity: Identity, client: Client) -> Ids:
    return make_ids(runtime, identity, client, "bronze")


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    """What the server writes to its log, of any level; not what the tests' own client says about its addresses."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "asyncio"):
        caplog.set_level(logging.WARNING, name)
    ours = lambda record: not record.name.startswith(("http", "hypothesis"))  # noqa: E731
    return lambda: "\n".join(caplog.handler.format(record) for record in caplog.records if ours(record))


def wrong(answer: httpx.Response) -> bool:
    """Whether it is no answer that the API describes: an error is a problem, and not one of ours."""
    if answer.status_code < 400:
        return False
    problem = answer.headers["content-type"] == "application/problem+json"
    return not problem or answer.status_code >= 500 or answer.json()["status"] != answer.status_code


def bodies(document: dict[str, Any], operation: dict[str, Any], own: Ids) -> Iterator[tuple[str, str]]:
    """The right body with one hostile value, in each of its fields and as a whole."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    schema = next((s for s in content["schema"].get("anyOf", ()) if "$ref" in s), content["schema"])
    fields = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]["properties"]
    right = minimal_body(document, operation, own) or {}
    for raw in RAW:
        yield "the body", raw
        for name in fields:
            yield name, json.dumps(right | {name: PLACE}).replace(f'"{PLACE}"', raw)


def test_no_value_in_any_field_of_any_body_fails_on_our_side(
    app: FastAPI, client: Client, own: Ids, logged: Callable[[], str]
) -> None:
    document, sent, failed = app.openapi(), 0, list[str]()
    for method, template, operation in operations(document):
        path = fill_path(template, own)
        for name, body in bodies(document, operation, own):
            headers = {"Content-Type": "application/json"}
            answer = client(method, path, content=body.encode(), headers=headers)
            failed += [f"{method} {template} {name}: {body[:200]}"] * wrong(answer)
            sent += 1
    assert failed == []
    assert sent > 500
    assert MARK not in logged()


def test_no_value_in_any_address_fails_on_our_side(
    app: FastAPI, client: Client, own: Ids, logged: Callable[[], str]
) -> None:
    sent, failed = 0, list[str]()
    for method, template, operation in operations(app.openapi()):
        queried = [p for p in operation.get("parameters", ()) if p["in"] == "query"]
        query = minimal_query(operation, own)
        body = None if method in ("GET", "DELETE") else {}
        for text in (one.encode("utf-8", "surrogatepass") for one in TEXTS):
            quoted = "".join(f"%{byte:02x}" for byte in text)
            for parameter in queried:
                rest = "&".join(f"{name}={value}" for name, value in query.items() if name != parameter["name"])
                path = f"{fill_path(template, own)}?{parameter['name']}={quoted}&{rest}"
                failed += [f"{method} {template} {parameter['name']} {text[:99]}"] * wrong(
                    client(method, path, json=body)
                )
                sent += 1
            for name in PATH_PARAMETER.findall(template):
                path = fill_path(template.replace(f"{{{name}}}", quoted), own)
                failed += [f"{method} {template} {name} {text[:99]}"] * wrong(client(method, path, json=body))
                sent += 1
    assert failed == []
    assert sent > 500
    assert MARK not in logged()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize(
    "kind", ["application/json", "application/ld+json", "application/vnd.api+json; charset=utf-16"]
)
def test_nul_comes_in_by_no_other_encoding_or_type(client: Client, kind: str, encoding: str) -> None:
    for name in (f"{MARK}\0", "plain"):
        body = json.dumps({"name": name}).encode(encoding)
        answer = client.post("/v1/knowledge-bases", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400
        assert "UTF-8" in answer.json()["detail"]
    body = json.dumps({"name": f"{MARK}\0"}).encode()
    answer = client.post("/v1/knowledge-bases", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert "NUL" in answer.json()["detail"]


def test_a_deep_body_is_searched_to_its_bottom(client: Client) -> None:
    for escaped, nul in (("\\ud83d\\ude00", False), ("\\u0000", True)):
        body = '{"name":' + "[" * 600 + f'"{escaped}"' + "]" * 600 + "}"
        answer = client.post("/v1/knowledge-bases", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        assert ("NUL" in answer.json()["detail"]) == nul


def test_no_depth_of_a_body_hides_what_stands_beside_it(client: Client) -> None:
    said = set[bool]()
    for depth in range(850, 1000):
        body = '{"name":"a\\u0000","x":' + "[" * depth + "]" * depth + "}"
        answer = client.post("/v1/knowledge-bases", content=body, headers={"Content-Type": "application/json"})
        said.add(answer.status_code == 400 or "NUL" in answer.json()["detail"])
    assert said == {True}


def test_every_status_that_an_error_becomes_is_described(app: FastAPI) -> None:
    statuses = {str(int(status)) for status in STATUS.values()}
    assert "507" in statuses
    described = {status for _, _, operation in operations(app.openapi()) for status in operation["responses"]}
    assert statuses <= described


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)), st.lists, max_leaves=6
)
READERS: list[Callable[[str, str], object]] = [
    text_cursor,
    number_cursor,
    ordinal_cursor,
    lambda name, cursor: listed(name, cursor, 1, lambda _behind, _count: list[Any]()),
]


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_no_position_in_a_cursor_is_taken_that_the_database_would_refuse(position: Any) -> None:
    for value in (position, ["list", position], ["list", position, position]):
        cursor = base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
        for read in READERS:
            try:
                found = read("list", cursor)
            except BadInput:
                continue
            assert not isinstance(found, bool)
            assert "\0" not in str(found)
            str(found).encode()


def test_a_cursor_that_is_true_or_half_a_character_is_refused(client: Client, own: Ids) -> None:
    document = own["document_id"]
    for path, name in ((f"/v1/documents/{document}/pages", "pages"), (f"/v1/documents/{document}/chunks", "chunks")):
        right = client.get(path, params={"limit": 1}).json()["next_cursor"]
        assert json.loads(base64.urlsafe_b64decode(right + "=="))[0] == name
        for value in (True, [name, True], [name, "\ud800"], [name, True, own["chunk_id"]], [name, 1.0], [name, None]):
            cursor = base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
            assert client.get(path, params={"cursor": cursor}).status_code == 422


WORDS = st.sampled_from(
    ["a", "in", "(", ")", ",", "=", ">", "not", "and", "or", "exists", "between", '"', '""', "'b'", "1e400", "0.1.2",
     f'"{"x" * 201}"', "x" * 201, "[", "\\", "€", "true", "\0", "½", "1,000", "-"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60))
def test_a_written_filter_is_read_or_refused(text: str) -> None:
    with suppress(BadFilter):
        parse_filter(text)


@settings(max_examples=200, deadline=None)
@given(JSON, JSON, JSON)
def test_a_filter_in_json_is_read_or_refused(attribute: Any, value: Any, unit: Any) -> None:
    for op in ("in", "eq", "between", "exists", value):
        for tree in ({"attr": attribute, "op": op, "value": value, "unit": unit}, {"all": [value, {"not": attribute}]}):
            with suppress(BadFilter):
                read_filter(tree)


def test_a_page_whose_file_was_cut_off_says_so(
    runtime: Runtime, identity: Identity, client: Client, logged: Callable[[], str]
) -> None:
    base = make_knowledge_base(runtime, identity, "cut off")
    event = run_all(runtime, upload(runtime, identity, base, three_pages(MARK)))
    work, document = Event.model_validate(event).work, event["document_id"]
    page = f"/v1/documents/{document}/pages/1"
    for key, part in ((f"{work}pages/1.json", "fragments"), (f"{work}ops/1.json", "operations")):
        whole = runtime.blobs.get(key)
        assert client.get(page, params={"include": part}).json()[part]
        for kept in (b"", whole[: len(whole) // 2], b"null", b"[]", b"\xff\xfe"):
            runtime.blobs.put(key, kept)
            answer = client.get(page, params={"include": part})
            assert answer.status_code == 410, answer.text
            assert "Reingest the document" in answer.json()["detail"]
            assert client.get(page).status_code == 200
            assert not wrong(client.get(f"/v1/documents/{document}/verify", params={"refresh": True}))
        runtime.blobs.put(key, whole)
    assert MARK not in logged()
