"""Schemas of kinds of records: what is taken as one, and whether values are of it (JSON Schema, draft 2020-12).

A schema is somebody's input: it refers to nothing outside of itself, and its patterns run in an engine whose time is
linear (Rust's regex, by pydantic).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError as PatternError
from pydantic_core import SchemaValidator, core_schema
from pydantic_core import ValidationError as PatternMismatch

from shared.errors import BadInput

SCHEMA_BYTES: Final = 64 * 1024
VALUES_BYTES: Final = 256 * 1024
DEEPEST: Final = 6
SHOWN_ERRORS: Final = 3
_DEFINITION: Final = "#/$defs/"
# They name fields by what they look like, or refer elsewhere: a field has one name here.
_REFUSED: Final = frozenset({"$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "patternProperties"})

Schema = Mapping[str, Any]


def check_schema(schema: Schema) -> dict[str, Any]:
    """The schema with its references (`#/$defs/NAME`) put in place. Raises BadInput that says what is wrong where."""
    if len(json.dumps(schema)) > SCHEMA_BYTES:
        raise BadInput(f"The schema has more than {SCHEMA_BYTES // 1024} KB; divide the kind into several.")
    found = cast("dict[str, Any]", _inlined(schema, schema.get("$defs") or {}, (), 0))
    try:
        Draft202012Validator.check_schema(found)
    except SchemaError as error:
        raise BadInput(f"The schema is no JSON Schema at {_path(error.absolute_path)}: {error.message}.") from None
    properties = found.get("properties")
    if found.get("type") != "object" or not isinstance(properties, dict) or not properties:
        raise BadInput('The schema is no object with properties. Write {"type": "object", "properties": {…}}.')
    return found


def check_values(schema: Schema, values: Schema, whose: str) -> None:
    """Raises BadInput naming the fields that are not of the schema; `whose` says of which record."""
    if len(json.dumps(values, ensure_ascii=False).encode()) > VALUES_BYTES:
        raise BadInput(f"{whose} has more than {VALUES_BYTES // 1024} KB; upload long texts as files.")
    if _depth(values) > DEEPEST:
        raise BadInput(f"{whose} is nested more than {DEEPEST} levels deep; make it flatter.")
    errors = sorted(_CHECKED(schema, format_checker=_FORMATS).iter_errors(values), key=lambda e: list(map(str, e.path)))
    if errors:
        said = "; ".join(f"{_path(error.absolute_path)}: {error.message}" for error in errors[:SHOWN_ERRORS])
        more = f" (and {len(errors) - SHOWN_ERRORS} more)" if len(errors) > SHOWN_ERRORS else ""
        raise BadInput(f"{whose} is not of its kind. {said}{more}.")


def _linear_pattern(_validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str):
        try:
            _compiled(pattern).validate_python(instance)
        except PatternMismatch:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _compiled(pattern: str) -> SchemaValidator:
    if pattern not in _PATTERNS:
        if len(_PATTERNS) > 1_000:
            _PATTERNS.clear()
        _PATTERNS[pattern] = SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    return _PATTERNS[pattern]


_PATTERNS: Final[dict[str, SchemaValidator]] = {}
_CHECKED: Final[Any] = extend(Draft202012Validator, {"pattern": _linear_pattern})
_FORMATS: Final = FormatChecker(("date", "email", "uuid"))


@_FORMATS.checks("date-time", ValueError)
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value) is not None


def _inlined(part: Any, definitions: Schema, inside: tuple[str, ...], depth: int) -> Any:
    """`inside` are the definitions that `part` is within: one that holds itself has no end."""
    if depth > 4 * DEEPEST:
        raise BadInput("The schema is nested too deep; make it flatter.")
    if isinstance(part, list):
        return [_inlined(one, definitions, inside, depth + 1) for one in cast("Sequence[Any]", part)]
    if not isinstance(part, Mapping):
        return part
    held = cast("Schema", part)
    if refused := _REFUSED & held.keys():
        raise BadInput(f"The schema has {min(refused)!r}, which is not taken here; name the fields themselves.")
    _check_pattern(held.get("pattern"))
    if "$ref" not in held:
        kept = [name for name in held if name != "$defs" or depth]
        return {name: _inlined(held[name], definitions, inside, depth + 1) for name in kept}
    name = str(held["$ref"]).removeprefix(_DEFINITION)
    if name not in definitions or not str(held["$ref"]).startswith(_DEFINITION):
        raise BadInput(
            f"The schema refers to {held['$ref']!r}; refer to its own definitions alone ({_DEFINITION}NAME)."
        )
    if name in inside:
        raise BadInput(f"The definition {name!r} holds itself, which has no end; write its levels out.")
    rest = {key: one for key, one in held.items() if key != "$ref"}
    return _inlined({**definitions[name], **rest}, definitions, (*inside, name), depth + 1)


def _check_pattern(pattern: Any) -> None:
    if isinstance(pattern, str):
        try:
            _compiled(pattern)
        except PatternError:
            raise BadInput(f"The pattern {pattern!r} cannot be used; write it without looking ahead or back.") from None


def _depth(values: Any) -> int:
    if isinstance(values, Mapping):
        return 1 + max(map(_depth, cast("Schema", values).values()), default=0)
    if isinstance(values, list):
        return 1 + max(map(_depth, cast("Sequence[Any]", values)), default=0)
    return 0


def _path(steps: Sequence[Any]) -> str:
    return ".".join(map(str, steps)) or "its top"
