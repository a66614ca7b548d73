"""The API's document: every operation is told, has an example that its schemas hold, and is on a page."""

import ast
import json
import re
from typing import Any

import pytest
from fastapi import FastAPI
from jsonschema import Draft202012Validator, FormatChecker

from functions.api.described import described_groups
from functions.api.examples import examples
from functions.api.openapi import operations_of
from functions.api.summaries import SUMMARIES
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.described import document_of

BROWSER = {"Accept": "text/html"}
# A generated name of a function, as the document would have it without a summary of ours.
GENERATED = re.compile(r"^[A-Z][a-z]+( [A-Z][a-z]+)+$")


@pytest.fixture(scope="module", params=["one machine", "AWS"])
def document(runtime: Runtime, request: pytest.FixtureRequest) -> dict[str, Any]:
    return document_of(request.param == "one machine", runtime)


def wrong(document: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    whole = schema | {"components": document["components"]}
    validator = Draft202012Validator(whole, format_checker=FormatChecker())
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(value)]


def test_every_operation_says_in_plain_words_what_it_does(document: dict[str, Any]) -> None:
    told = {tag["name"] for tag in document["tags"]}
    for method, path, operation in operations_of(document):
        assert len(operation["description"]) > 3, (method, path)
        assert not GENERATED.match(operation["summary"]), (method, path, operation["summary"])
        assert set(operation["tags"]) <= told, (method, path)
    summaries = [(o["tags"][0], o["summary"]) for _, _, o in operations_of(document)]
    assert len(set(summaries)) == len(summaries)


def test_no_summary_or_example_is_of_an_operation_that_is_gone(runtime: Runtime) -> None:
    both = [document_of(local, runtime) for local in (True, False)]
    there = {f"{method} {path}" for one in both for method, path, _ in operations_of(one)}
    assert there >= set(SUMMARIES)
    assert there >= set(examples())


def test_every_body_and_every_answer_has_an_example_that_its_schema_holds(document: dict[str, Any]) -> None:
    """Where one is missing: `make examples`, and a call of the operation in clients/record.py."""
    missing, held = list[str](), 0
    for method, path, operation in operations_of(document):
        parts = [operation.get("requestBody", {})]
        parts += [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        for part in parts:
            content = part.get("content", {}).get("application/json")
            if content is None or "schema" not in content:
                continue
            if "example" not in content:
                missing += [f"{method} {path}"] * ("anyOf" not in content["schema"] or part is not parts[0])
                continue
            assert wrong(document, content["schema"], content["example"]) == [], (method, path)
            held += 1
    assert missing == []
    assert held > 150


def test_examples_of_parameters_are_values_that_they_take(document: dict[str, Any]) -> None:
    for method, path, operation in operations_of(document):
        for parameter in operation.get("parameters", ()):
            if "example" in parameter:
                assert wrong(document, parameter["schema"], parameter["example"]) == [], (method, path)
            else:
                assert parameter["in"] != "path", (method, path, parameter["name"])


def test_no_example_holds_a_secret() -> None:
    text = json.dumps(examples(), ensure_ascii=False)
    assert re.findall(r"autri_[0-9A-Za-z]{10,}", text) == []
    assert set(re.findall(r'"ticket": "([^"]*)"', text)) <= {"…"}


def test_the_pages_show_every_operation_with_lines_that_can_be_pasted(client: Client, app: FastAPI) -> None:
    index = client.get("/docs", headers=BROWSER).text
    groups = set(re.findall(r'href="/docs/([a-z-]+)"', index))
    pages = {group: client.get(f"/docs/{group}", headers=BROWSER) for group in groups}
    shown = "".join(page.text for page in pages.values())
    assert {page.status_code for page in pages.values()} == {200}
    for _method, path, operation in operations_of(app.openapi()):
        assert f'<code class="docs-path">{path}</code>' in index
        assert f'<code class="docs-path">{path}</code>' in shown
        assert operation["summary"].replace("'", "&#39;") in shown
    assert "style=" not in shown
    assert shown.count("<script") == sum(page.text.count(' src="') for page in pages.values())


def test_a_word_finds_the_operations_in_which_it_stands_and_markup_stays_text(client: Client) -> None:
    found = client.get("/docs", params={"q": "REAR-wing"}, headers=BROWSER).text
    assert "No operation has these words" in found
    found = client.get("/docs", params={"q": "revoke a key"}, headers=BROWSER).text
    assert re.findall(r'class="docs-path">([^<]+)<', found)[-1:] == ["/v1/keys/{key_id}/revoke"]
    assert len(re.findall(r'class="docs-path">', found)) < 5
    assert "<img" not in client.get("/docs", params={"q": "<img src=x>"}, headers=BROWSER).text
    assert client.get("/docs/nothing", headers=BROWSER).status_code == 404


def test_the_lines_for_python_are_calls_of_the_clients_own_method(document: dict[str, Any]) -> None:
    lines = [one.python for group in described_groups(document, "https://x.example") for one in group.operations]
    for line in filter(None, lines):
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        method, path = (ast.literal_eval(argument) for argument in call.args)
        assert method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        assert not path.startswith("/v1")
    assert len(list(filter(None, lines))) > 100
