"""The OpenAPI document as people read it: groups of operations, their fields, answers and lines to paste."""

import json
import re
from collections.abc import Iterable, Iterator
from shlex import quote
from typing import Any, NamedTuple
from urllib.parse import urlencode

from functions.api.openapi import operations_of

Schema = dict[str, Any]
SUCCESS = "2"
# Deeper than this, the shapes of a group are not listed: they are in the document.
SHAPES_MAX = 60
# Bounds that go without saying.
PLAIN = (("minLength", 1),)


class FieldRow(NamedTuple):
    """A parameter, or a field of an object; `shapes` are the names of schemas that `type` mentions."""

    name: str
    type: str
    shapes: tuple[str, ...]
    required: bool
    told: str
    place: str = ""


class AnswerRow(NamedTuple):
    status: str
    told: str
    type: str = ""
    shapes: tuple[str, ...] = ()


class DescribedOperation(NamedTuple):
    """One operation; `anchor` is its place on its group's page, `example` and `body` are JSON with indentation."""

    anchor: str
    method: str
    path: str
    summary: str
    paragraphs: tuple[str, ...]
    parameters: list[FieldRow]
    body: list[FieldRow]
    body_shapes: tuple[str, ...]
    body_example: str
    answers: list[AnswerRow]
    problems: list[AnswerRow]
    example: str
    curl: str
    python: str

    def holds(self, words: Iterable[str]) -> bool:
        """Whether each word stands in its address, name or description."""
        text = " ".join((self.method, self.path, self.summary, *self.paragraphs)).lower()
        return all(word in text for word in words)


class DescribedShape(NamedTuple):
    """An object that operations take or answer."""

    name: str
    told: str
    fields: list[FieldRow]


class DescribedGroup(NamedTuple):
    """The operations of a tag, and the objects that they speak of."""

    slug: str
    name: str
    told: str
    operations: list[DescribedOperation]
    shapes: list[DescribedShape]


def described_groups(document: Schema, origin: str) -> list[DescribedGroup]:
    """The groups in the document's order. Lines to paste call `origin`."""
    found: dict[str, list[tuple[str, str, Schema]]] = {tag["name"]: [] for tag in document["tags"]}
    for method, path, operation in operations_of(document):
        found[operation["tags"][0]].append((method, path, operation))
    told = {tag["name"]: tag["description"] for tag in document["tags"]}
    return [
        DescribedGroup(
            name.replace(" ", "-"), name.capitalize(), told[name],
            [_operation(document, origin, *one) for one in operations],
            _shapes(document, [one[2] for one in operations]),
        )
        for name, operations in found.items()
        if operations
    ]  # fmt: skip


def _operation(document: Schema, origin: str, method: str, path: str, operation: Schema) -> DescribedOperation:
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    body_example = content.get("application/json", {}).get("example")
    parameters = operation.get("parameters", [])
    address = _filled(path, parameters)
    return DescribedOperation(
        re.sub(r"[^a-z0-9]+", "-", f"{method} {path.removeprefix('/v1')}".lower()).strip("-"),
        method,
        path,
        operation["summary"],
        _paragraphs(operation.get("description", "")),
        [_parameter(one) for one in parameters],
        list(_fields(_resolved(document, schema))),
        tuple(dict.fromkeys(references(schema))),
        pretty(body_example),
        [_answer(status, one) for status, one in operation["responses"].items() if status < "4"],
        [_problem(document, status, one) for status, one in operation["responses"].items() if status >= "4"],
        _example(operation),
        curl_line(method, origin + address, content, body_example),
        python_line(method, address.removeprefix("/v1"), body_example, "application/json" in content or not content),
    )


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def _filled(path: str, parameters: list[Schema]) -> str:
    """The address with the examples of its parameters; braces stay where there are none."""
    given = {one["name"]: one["example"] for one in parameters if "example" in one}
    names = {one["name"] for one in parameters if one["in"] == "path"}
    for name in names & given.keys():
        path = path.replace(f"{{{name}}}", str(given[name]))
    query = {one["name"]: given[one["name"]] for one in parameters if one["in"] == "query" and one["name"] in given}
    return path + (f"?{urlencode(query)}" if query else "")


def _parameter(one: Schema) -> FieldRow:
    schema = one.get("schema", {})
    told = one.get("description") or schema.get("description") or ""
    return FieldRow(one["name"], type_of(schema), (), one.get("required", False), told, one["in"])


def _answer(status: str, answer: Schema) -> AnswerRow:
    types, shapes = list[str](), list[str]()
    for media, content in answer.get("content", {}).items():
        schema = content.get("schema", {})
        types.append(type_of(schema) if media == "application/json" else media)
        shapes += references(schema)
    told = answer.get("description", "")
    return AnswerRow(
        status, "" if told == "Successful Response" else told, " or ".join(types), tuple(dict.fromkeys(shapes))
    )


def _problem(document: Schema, status: str, answer: Schema) -> AnswerRow:
    if "$ref" in answer:
        answer = document["components"]["responses"][_name(answer)]
    return AnswerRow(status, answer["description"])


def _example(operation: Schema) -> str:
    for status, answer in operation["responses"].items():
        for content in answer.get("content", {}).values() if status.startswith(SUCCESS) else ():
            if "example" in content:
                return content["example"] if isinstance(content["example"], str) else pretty(content["example"])
    return ""


def pretty(value: Any) -> str:
    return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)


def curl_line(method: str, address: str, content: Schema, body: Any) -> str:
    """A line for a shell; the token stands in the environment."""
    verb = "" if method == "GET" else f" -X {method}"
    parts = [f"curl{verb} {quote(address)}", '-H "Authorization: Bearer $AUTRI_TOKEN"']
    if body is not None:
        parts += ["-H 'Content-Type: application/json'", f"-d {quote(json.dumps(body, ensure_ascii=False))}"]
    elif content and "application/json" not in content:
        parts.append("--data-binary @FILE")
    return " \\\n  ".join(parts)


def python_line(method: str, address: str, body: Any, json_body: bool) -> str:
    """The same by the Python client; empty for what is sent as bytes, which its `upload` does."""
    if not json_body:
        return ""
    sent = f", body={body!r}" if body is not None else ""
    return f'client.request("{method}", "{address}"{sent})'


def type_of(schema: Schema) -> str:
    """In words: `string (uuid)`, `list of Hit`, `A or B`, `"read" or "write"`."""
    if "$ref" in schema:
        return _name(schema)
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " or ".join(json.dumps(one) for one in schema["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(type_of(one) for one in schema[key]))
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_of(schema['additionalProperties'])}"
    named = schema.get("type", "any value")
    return f"{named} ({schema['format']})" if "format" in schema else named


def references(node: Any) -> Iterator[str]:
    """The names of schemas that are mentioned, outside in."""
    if isinstance(node, dict):
        if "$ref" in node:
            yield _name(node)
        for key, value in node.items():
            if key not in ("example", "examples", "discriminator"):
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def _name(schema: Schema) -> str:
    return schema["$ref"].rsplit("/", 1)[1]


def _resolved(document: Schema, schema: Schema) -> Schema:
    """The object behind a reference; one that may be left out is followed, too."""
    for one in (schema, *schema.get("anyOf", ())):
        if "$ref" in one:
            return document["components"]["schemas"][_name(one)]
    return schema


def _fields(schema: Schema) -> Iterator[FieldRow]:
    needed = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        yield FieldRow(name, type_of(one), tuple(dict.fromkeys(references(one))), name in needed, _limits(one))


def _limits(schema: Schema) -> str:
    """What is told of a field, and what bounds it."""
    bounds = {
        "minimum": "at least {}", "exclusiveMinimum": "more than {}", "maximum": "at most {}",
        "exclusiveMaximum": "less than {}", "minLength": "{} characters or more", "maxLength": "{} characters at most",
        "minItems": "{} or more of them", "maxItems": "{} of them at most",
    }  # fmt: skip
    found = [schema, *schema.get("anyOf", ())]
    said = [
        text.format(f"{one[key]:,.10g}" if isinstance(one[key], float) else f"{one[key]:,}")
        for one in found
        for key, text in bounds.items()
        if key in one
    ]
    default = schema.get("default")
    if "default" in schema and default not in (None, "", []):
        said.append(f"default {json.dumps(default)}")
    told = " ".join(schema.get("description", "").split())
    return "; ".join(filter(None, (told, ", ".join(said))))


def _shapes(document: Schema, operations: list[Schema]) -> list[DescribedShape]:
    """What the operations' bodies and answers consist of, in the order in which it is met."""
    schemas, found = document["components"]["schemas"], dict[str, None]()
    waiting = [
        name for one in operations for part in ("requestBody", "responses") for name in references(one.get(part))
    ]
    while waiting and len(found) < SHAPES_MAX:
        name = waiting.pop(0)
        if name in schemas and name not in found:
            found[name] = None
            waiting += references(schemas[name])
    return [
        DescribedShape(name, " ".join(schemas[name].get("description", "").split()), list(_fields(schemas[name])))
        for name in found
    ]
