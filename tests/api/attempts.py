"""Requests made from the OpenAPI document: every operation, with every place in it that takes an id."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

PATH_PARAMETER = re.compile(r"{(\w+)}")
# What a pattern, a format or more than one field asks for.
PATTERNED: dict[str, Any] = {
    "sha256": "0" * 64, "at": "2026-01-05T10:00:00Z",
    "spec": {"form": {"mark": "bar", "x": {"field": "Name"}, "y": {"aggregate": "count"}}},
}  # fmt: skip
# Parameters of a path that name something within what the others name.
NO_IDS = {
    "page": "1", "kind": "thing", "secret": "x", "format": "csv", "form": "svg", "mark": "0", "number": "1",
}  # fmt: skip
# An event of an answer is kept by a process, for whoever asked: tests/api/test_asked_events.py.
ASKED_EVENT = {"/v1/ask/{event_id}": "/v1/ask/0-1"}
FILLER = {"object": {}, "string": "x", "integer": 1, "number": 1.0, "boolean": False}


@dataclass(frozen=True)
class Attempt:
    """One request, with somebody's id in one place, `place`."""

    method: str
    path: str
    place: str
    query: dict[str, str] = field(default_factory=dict[str, str])
    body: dict[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.place}"


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def attempts(document: dict[str, Any], own: dict[str, str], other: dict[str, str]) -> Iterator[Attempt]:
    """Each place that takes an id, filled from `other`; everything else is right and from `own`.

    Both map the name of a place (`document_id`, `knowledge_base_ids`, …) to an id; a place that they do not know is a
    KeyError: a new kind of id needs its sample.
    """
    for method, template, operation in operations(document):
        body = _body(document, operation)
        right = _filled(document, body, own)
        for name in PATH_PARAMETER.findall(ASKED_EVENT.get(template, template)):
            if name not in NO_IDS:
                yield Attempt(method, _fill(template, own, name, other), name, minimal_query(operation, own), right)
        path = _fill(template, own)
        yield from _variants(document, method, path, operation, own, other)
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and _takes_id(parameter["schema"]):
                name = parameter["name"]
                yield Attempt(method, path, name, minimal_query(operation, own) | {name: other[name]}, right)
        for name, schema in (body or {}).get("properties", {}).items():
            if _takes_id(schema):
                wrong = _value(schema, other[name])
                yield Attempt(method, path, name, minimal_query(operation, own), (right or {}) | {name: wrong})


def _variants(
    document: dict[str, Any], method: str, path: str, operation: dict[str, Any], own: dict[str, str],
    other: dict[str, str],
) -> Iterator[Attempt]:  # fmt: skip
    """The places inside those parts of a body that may have one of several shapes."""
    body = _body(document, operation)
    for part, schema in (body or {}).get("properties", {}).items():
        for shape in _shapes(document, schema):
            names = [name for name, inner in shape["properties"].items() if _takes_id(inner)]
            right = _filled(document, shape | {"required": [*shape.get("required", ()), *names]}, own) or {}
            for name in names:
                wrong = right | {name: _value(shape["properties"][name], other[name])}
                whole = (_filled(document, body, own) or {}) | {part: wrong}
                yield Attempt(method, path, f"{part}.{right['kind']}.{name}", minimal_query(operation, own), whole)


def _shapes(document: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that a discriminated part may follow; [] for a plain part."""
    shapes = [document["components"]["schemas"][s["$ref"].rsplit("/", 1)[1]] for s in schema.get("oneOf", ())]
    return [shape for shape in shapes if "properties" in shape]


def fill_path(template: str, ids: dict[str, str]) -> str:
    return _fill(template, ids)


def minimal_body(document: dict[str, Any], operation: dict[str, Any], ids: dict[str, str]) -> dict[str, Any] | None:
    return _filled(document, _body(document, operation), ids)


def _fill(template: str, own: dict[str, str], wrong: str = "", other: dict[str, str] | None = None) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name in NO_IDS:
            return NO_IDS[name]
        return (other or {})[name] if name == wrong else own[name]

    return PATH_PARAMETER.sub(value, ASKED_EVENT.get(template, template))


def minimal_query(operation: dict[str, Any], own: dict[str, str]) -> dict[str, str]:
    """What its address has to ask for, by ids of `own`."""
    given = (p for p in operation.get("parameters", ()) if p["in"] == "query" and p["required"])
    return {p["name"]: own[p["name"]] if _takes_id(p["schema"]) else "words" for p in given}


def _body(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of the JSON body, if there is one."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    schema = next((s for s in content["schema"].get("anyOf", ()) if "$ref" in s), content["schema"])
    return document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]


def _filled(document: dict[str, Any], schema: dict[str, Any] | None, own: dict[str, str]) -> dict[str, Any] | None:
    if schema is None:
        return None
    names = (*schema.get("required", ()), *({"query", "kind"} & schema["properties"].keys()))
    required = {name: schema["properties"][name] for name in names}
    return {name: _sample(document, name, part, own) for name, part in required.items()}


def _sample(document: dict[str, Any], name: str, schema: dict[str, Any], own: dict[str, str]) -> Any:
    if shapes := _shapes(document, schema):
        return _filled(document, shapes[0], own)
    if _takes_id(schema):
        return _value(schema, own[name])
    if "const" in schema or "enum" in schema:
        return schema.get("const") or schema["enum"][0]
    if schema.get("type") == "array":
        of = schema["items"].get("$ref", "").rsplit("/", 1)[-1]
        if not of:
            return [own[name]] if name in own else [FILLER[kind]] if (kind := schema["items"].get("type")) else []
        return [_filled(document, document["components"]["schemas"][of], own)]
    return own.get(name) or PATTERNED.get(name) or FILLER[schema["type"]]


def _takes_id(schema: dict[str, Any]) -> bool:
    return any(
        one.get("format") == "uuid" or one.get("items", {}).get("format") == "uuid"
        for one in (schema, *schema.get("anyOf", ()))
    )


def _value(schema: dict[str, Any], identifier: str) -> Any:
    """What is to be several things has their ids with blanks between them."""
    many = next((one for one in (schema, *schema.get("anyOf", ())) if "items" in one), None)
    ids = identifier.split()
    return identifier if many is None else ids * -(-many.get("minItems", 1) // len(ids))
