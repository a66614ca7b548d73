"""The OpenAPI 3.1 document, with problem documents as the answers that every operation may give."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from functions.api.errors import Problem

PROBLEMS = {
    "400": "The body is not text in UTF-8",
    "401": "Not signed in",
    "402": "The plan, or the day's budget, is used up; `detail` says until when",
    "403": "Signed in, but this role may not do it",
    "404": "No such object that you can see",
    "408": "The body stopped arriving, or came too slowly",
    "409": "It exists already, or changed underneath",
    "410": "What was stored of it is damaged; make it anew",
    "413": "The request is too large",
    "415": "The file is of a format that is not read",
    "422": "The request cannot be used as it is; `errors` names the fields",
    "429": "Too many, or too often; try again after `Retry-After`",
    "500": "Something failed on our side",
    "503": "A service that we depend on sleeps; try again after `Retry-After`",
    "507": "There is no room to store it; try again when somebody has made room",
}
REPLACED = ("HTTPValidationError", "ValidationError")


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The document, built when it is first requested."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        _add_problems(document)
        app.openapi_schema = document
    return app.openapi_schema


def _add_problems(document: dict[str, Any]) -> None:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in REPLACED:
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs", {}) | {"Problem": problem}
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path in document["paths"].values():
        for operation in path.values():
            for status, description in PROBLEMS.items():
                operation["responses"][status] = {"description": description, "content": content}
