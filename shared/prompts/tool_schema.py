"""The operations as the input schema of a model's tool, generated from the pydantic models.

Constrained decoding takes a subset of JSON Schema (Bedrock's structured outputs): no `oneOf`, no `pattern`, no bounds
of numbers, strings or arrays beyond `minItems` 0 and 1, every object closed, at most 24 optional properties and 16
unions in all strict tools. What the schema cannot say is checked afterwards: the pydantic models, then `validate`.
"""

from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter

from shared.domain.operations import Operation

TOOL_NAME: Final = "group_page"
TOOL_DESCRIPTION: Final = (
    "Say which fragments of the page belong together and what they are. Call it once, with every fragment of the page"
    " in exactly one operation, in reading order."
)

# What a model is not asked for. It gives an image's id instead of a box: it never writes coordinates.
EXCLUDED: Final = frozenset({("register_section", "parent"), ("register_chunk", "notes"),
                             ("register_chunk", "stands"), ("register_table", "notes"),
                             ("register_figure", "box")})  # fmt: skip
IMAGE_ID: Final = "image_id"
# Why text of a message or of a web page is left out; a page that a model is shown has no such text.
_OF_OTHER_SOURCES: Final = frozenset({"quoted", "signature", "boilerplate"})
_DROPPED: Final = frozenset(
    {"title", "default", "pattern", "minimum", "maximum", "minLength", "maxLength", "discriminator", "description"}
)


@cache
def tool_schema() -> dict[str, Any]:
    """JSON Schema of the tool's input: `{operations, confidence}`."""
    generated = TypeAdapter(list[Operation]).json_schema()
    operation = _strict(generated["items"], generated["$defs"])
    return {
        "type": "object",
        "properties": {
            "operations": {"type": "array", "items": {"anyOf": [_for_model(one) for one in operation["anyOf"]]}},
            "confidence": {"type": "number"},
        },
        "required": ["operations", "confidence"],
        "additionalProperties": False,
    }


def _strict(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The same schema within the subset: references inlined, null left to absence."""
    if "$ref" in schema:
        return _strict(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    options = [o for o in schema.get("oneOf", schema.get("anyOf", [])) if o.get("type") != "null"]
    if len(options) == 1:
        return _strict(options[0], definitions)
    if options:
        return {"anyOf": [_strict(option, definitions) for option in options]}
    kept = {name: value for name, value in schema.items() if name not in _DROPPED}
    if schema.get("minItems", 0) > 1:
        kept["minItems"] = 1
    if "items" in schema:
        kept["items"] = _strict(schema["items"], definitions)
    if "properties" in schema:
        kept["properties"] = {name: _strict(value, definitions) for name, value in schema["properties"].items()}
        kept["additionalProperties"] = False
        kept.setdefault("required", [])
    return kept


def _for_model(operation: dict[str, Any]) -> dict[str, Any]:
    """One operation as the model fills it in."""
    name = operation["properties"]["op"]["const"]
    properties = {key: value for key, value in operation["properties"].items() if (name, key) not in EXCLUDED}
    required = ["op", *(key for key in operation["required"] if key in properties)]
    if name == "register_figure":
        properties[IMAGE_ID] = {"type": "string"}
        required.append(IMAGE_ID)
    if name == "skip":
        reason = properties["reason"]
        properties["reason"] = reason | {"enum": [one for one in reason["enum"] if one not in _OF_OTHER_SOURCES]}
    return {**operation, "properties": properties, "required": required}
