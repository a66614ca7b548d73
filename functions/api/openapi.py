"""The OpenAPI 3.1 document: each operation with a summary, an example, and the problems that it may answer."""

import re
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from functions.api.errors import Problem
from functions.api.examples import add_examples
from functions.api.summaries import SUMMARIES, TAGS

PROBLEMS = {
    "400": "The body is not text in UTF-8, or the filter cannot be read",
    "401": "Not signed in",
    "402": "The plan, or the day's budget, is used up; `detail` says until when",
    "403": "Signed in, but this role may not do it",
    "404": "No such object that you can see",
    "408": "The body stopped arriving, or came too slowly",
    "409": "It exists already, changed underneath, or is not ready for this",
    "410": "What was stored or kept of it is damaged or gone; make it anew",
    "412": "Somebody changed it since the state that `If-Match` names; read it again",
    "413": "The request is too large",
    "415": "The file is of a format that is not read",
    "422": "The request cannot be used as it is; `errors` names the fields",
    "429": "Too many, or too often; try again after `Retry-After`",
    "500": "Something failed on our side",
    "503": "A service that we depend on sleeps; try again after `Retry-After`",
    "507": "There is no room to store it; try again when somebody has made room",
}
PROBLEM_EXAMPLE = {
    "type": "urn:autri:problem:not-found",
    "title": "Not Found",
    "status": 404,
    "detail": "There is no such document that you can see.",
    "instance": "/v1/documents/01950000-0000-7000-8000-000000000001",
    "request_id": "01950000-0000-7000-8000-000000000002",
}
REPLACED = ("HTTPValidationError", "ValidationError")
BASE = "/v1/knowledge-bases"
ONE_BASE = f"{BASE}/{{knowledge_base_id}}"
DOCUMENT = "/v1/documents/{document_id}"
# Needs nobody to be signed in.
OPEN = {"GET /v1/health"}
# What an operation does, and its shape does not tell. What is counted or paid for is refused by the plan …
PLANNED = {
    f"POST {BASE}", "POST /v1/ask", "POST /v1/threads/{thread_id}/ask",
    "POST /v1/threads/{thread_id}/messages/{message_id}/answers", "POST /v1/uploads",
    f"POST {ONE_BASE}/notes", f"POST {ONE_BASE}/records",
    f"POST {ONE_BASE}/records:batch", "POST /v1/pages:fetch", "POST /v1/watches", "POST /v1/watches/{source_id}/look",
    f"POST {DOCUMENT}/reingest", "POST /v1/connections", f"POST {ONE_BASE}/embedder",
    "POST /v1/webhooks", "POST /v1/threads/{thread_id}/shares",
    "POST /v1/notebooks/{notebook_id}/shares",
}  # fmt: skip
# … reads what was stored of pages …
READING = {
    f"GET {DOCUMENT}/pages/{{page}}", f"GET {DOCUMENT}/verify", f"POST {DOCUMENT}/edits",
    f"POST {DOCUMENT}/edits/{{edit_id}}/undo", "GET /v1/ask/{event_id}", "DELETE /v1/ask/{event_id}",
}  # fmt: skip
# … takes a file …
TAKING = {"POST /v1/uploads", "PUT /v1/uploads/{upload_id}/content", "POST /v1/pages:fetch", f"POST {ONE_BASE}/notes"}
# … or wants a state that another request changes.
STATEFUL = {
    f"GET {DOCUMENT}/verify", f"GET {DOCUMENT}/pages/{{page}}", f"GET {ONE_BASE}/export", "GET /v1/organization/export",
    "PUT /v1/uploads/{upload_id}/content", "POST /v1/imports", "POST /v1/organizations", "POST /v1/organization/erase",
    "GET /v1/shared/{secret}", "GET /v1/shared/{secret}/bundle", "POST /v1/threads/{thread_id}/ask",
    "POST /v1/threads/{thread_id}/messages/{message_id}/answers", "GET /v1/ready", "PUT /v1/model", "DELETE /v1/model",
    f"POST {ONE_BASE}/schema/backfill/continue", f"POST {ONE_BASE}/schema/preview",
}  # fmt: skip


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The document, built when it is first requested."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        document["tags"] = [{"name": name, "description": told} for name, told in TAGS.items()]
        _add_problems(document)
        for method, path, operation in operations_of(document):
            address = f"{method} {path}"
            operation["summary"] = SUMMARIES.get(address) or operation["summary"].capitalize()
            add_examples(address, operation)
        app.openapi_schema = document
    return app.openapi_schema


def operations_of(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each operation with its method in capitals and its path."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _add_problems(document: dict[str, Any]) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in REPLACED:
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs", {}) | {"Problem": problem | {"examples": [PROBLEM_EXAMPLE]}}
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    components["responses"] = {
        f"Problem{status}": {"description": description, "content": content} for status, description in PROBLEMS.items()
    }
    for method, path, operation in operations_of(document):
        said = {code: one for code, one in operation["responses"].items() if code not in PROBLEMS}
        problems = {
            code: {"$ref": f"#/components/responses/Problem{code}"} for code in problems_of(method, path, operation)
        }
        operation["responses"] = said | dict(sorted(problems.items()))


def problems_of(method: str, path: str, operation: dict[str, Any]) -> set[str]:
    """The statuses of the problems that an operation may answer: by what it takes, and by what it does."""
    address, parameters = f"{method} {path}", operation.get("parameters", [])
    found = {"500"}
    if address not in OPEN:
        found |= {"401", "403", "429", "503", "507"}  # reading writes too: requests are counted
    if parameters or "requestBody" in operation:
        found |= {"422"}
    if "requestBody" in operation:
        found |= {"400", "408", "413"}
    if "{" in path or "requestBody" in operation or any(re.search("_id$", one["name"]) for one in parameters):
        found |= {"404"}
    if any(one["in"] == "header" for one in parameters) or address in STATEFUL:
        found |= {"409"}
    if any(one["name"] == "If-Match" for one in parameters):
        found |= {"412"}
    if method != "GET":
        found |= {"507"}
    for code, addresses in {"402": PLANNED, "410": READING, "415": TAKING}.items():
        if address in addresses:
            found |= {code}
    return found
