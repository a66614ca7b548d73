from collections.abc import Iterator
from typing import Any, get_args

from shared.domain.operations import CandidateAttribute, Cell, EngineChunkType, RegisterTable, Skip, SkipReason
from shared.prompts.tool_schema import EXCLUDED, tool_schema

MAX_OPTIONAL, MAX_UNIONS = 24, 16
ALLOWED = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "minItems",
}  # fmt: skip


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema in the schema; what `properties` maps are names, not keywords."""
    yield schema
    for inner in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        yield from nodes(inner)
    if "items" in schema:
        yield from nodes(schema["items"])


def operation(name: str) -> dict[str, Any]:
    options = tool_schema()["properties"]["operations"]["items"]["anyOf"]
    return next(one for one in options if one["properties"]["op"]["const"] == name)


def test_the_schema_uses_only_what_constrained_decoding_takes() -> None:
    for node in nodes(tool_schema()):
        assert set(node) <= ALLOWED
        assert node.get("minItems", 0) in (0, 1)
        assert isinstance(node.get("type", ""), str)
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert set(node["required"]) <= set(node["properties"])


def test_optional_properties_and_unions_stay_within_the_limits_of_strict_tools() -> None:
    optional = sum(len(set(n["properties"]) - set(n["required"])) for n in nodes(tool_schema()) if "properties" in n)
    assert optional <= MAX_OPTIONAL
    assert sum("anyOf" in node for node in nodes(tool_schema())) <= MAX_UNIONS
    assert tool_schema()["type"] == "object"


def test_the_schema_follows_the_models() -> None:
    chunk, skip, table = operation("register_chunk"), operation("skip"), operation("register_table")
    assert chunk["properties"]["chunk_type"]["enum"] == list(get_args(EngineChunkType))
    assert [*skip["properties"]["reason"]["enum"], "quoted", "signature", "boilerplate"] == list(get_args(SkipReason))
    assert set(skip["properties"]) == set(Skip.model_fields)
    assert set(operation("candidate_attribute")["properties"]) == set(CandidateAttribute.model_fields)
    assert set(table["properties"]["rows"]["items"]["items"]["properties"]) == set(Cell.model_fields)
    assert set(table["properties"]) == set(RegisterTable.model_fields) - {"notes"}


def test_a_model_is_asked_for_no_coordinates_and_no_notes() -> None:
    assert "box" not in operation("register_figure")["properties"]
    assert "image_id" in operation("register_figure")["required"]
    for name, key in EXCLUDED:
        assert key not in operation(name)["properties"]
