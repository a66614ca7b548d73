"""Opens records: groups of fields are sections, fields lines of label and value, lists of objects tables.

The stored file holds `{kind, key, title, schema, values, …}`, so that it reads the same whatever its kind has become.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from shared.domain.geometry import TextRange
from shared.readers.blocks import Block, CellBlock, GridBlock, HeadingBlock, PassageBlock, PlacedLine, as_head
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.record.placed import Placed, parse_placed

EXTRACTOR_VERSION: Final = "record-3"
# A value with more characters, or with several lines, is a passage of its own.
SHORT: Final = 300
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Schema = Mapping[str, Any]


def open_record(path: Path, _password: str | None) -> PartedSource:
    record = parse_placed(path.read_bytes().decode(), whole=frozenset({"schema"})).value
    schema: Schema = record["schema"].value
    name = str(schema.get("title") or label_of(record["kind"].value, {}))
    heading = HeadingBlock([_line(name, record["kind"])], 1)
    blocks = [heading, *as_head(_group(record["values"], schema, 2))]
    return PartedSource(parts_of(blocks, EXTRACTOR_VERSION), record["title"].value)


def label_of(name: str, field: Schema) -> str:
    """A field's title, or its name in words."""
    title = field.get("title")
    if isinstance(title, str) and title.strip():
        return " ".join(title.split())
    words = " ".join(_CAMEL.sub(" ", name).replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:]


def _group(group: Placed, schema: Schema, depth: int) -> Iterator[Block]:
    """First the fields of the group itself, then what it holds."""
    members: Mapping[str, Placed] = group.value
    fields: Schema = schema.get("properties") or {}
    order = [*(name for name in fields if name in members), *(name for name in members if name not in fields)]
    inner = [name for name in order if _is_group(members[name]) or _is_table(members[name])]
    lines = [
        line for name in order if name not in inner for line in _field(name, members[name], fields.get(name) or {})
    ]
    yield from _passages(lines)
    for name in inner:
        field = fields.get(name) or {}
        yield HeadingBlock([_line(label_of(name, field), members[name])], depth)
        if _is_group(members[name]):
            yield from _group(members[name], field, depth + 1)
        else:
            yield _table(members[name], field.get("items") or {})


def _passages(lines: Sequence[PlacedLine]) -> Iterator[Block]:
    """Short lines together; a long value by itself, its lines together."""
    together: list[PlacedLine] = []
    for line in lines:
        if len(line.text) > SHORT:
            if together:
                yield PassageBlock("list", together)
            yield PassageBlock("text", [line])
            together = []
        else:
            together.append(line)
    if together:
        yield PassageBlock("list", together)


def _field(name: str, field: Placed, schema: Schema) -> Iterator[PlacedLine]:
    shown = _shown(field, schema)
    if not shown:
        return
    first, *more = [line.strip() for line in shown.splitlines() if line.strip()]
    yield _line(f"{label_of(name, schema)}: {first}", field)
    for line in more:
        yield _line(line, field)


def _table(rows: Placed, schema: Schema) -> GridBlock:
    items: Sequence[Placed] = rows.value
    fields: Schema = schema.get("properties") or {}
    known = {name: member for item in items for name, member in item.value.items()}
    names = [*(name for name in fields if name in known), *(name for name in known if name not in fields)]
    header = [CellBlock([_line(label_of(name, fields.get(name) or {}), known[name])]) for name in names]
    body = [[_cell(item.value.get(name), fields.get(name) or {}) for name in names] for item in items]
    return GridBlock([header, *body], header_rows=1)


def _cell(member: Placed | None, schema: Schema) -> CellBlock:
    shown = " ".join(_shown(member, schema).split()) if member else ""
    return CellBlock([_line(shown, member)] if member and shown else [])


def _shown(member: Placed, schema: Schema) -> str:
    """A value in words: lists divided by commas, objects within a cell as their labels and values."""
    value = member.value
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(filter(None, (_shown(item, schema.get("items") or {}) for item in value)))
    if isinstance(value, dict):
        fields = schema.get("properties") or {}
        said = (
            (label_of(name, fields.get(name) or {}), _shown(one, fields.get(name) or {})) for name, one in value.items()
        )
        return "; ".join(f"{label}: {shown}" for label, shown in said if shown)
    unit = schema.get("x-unit")
    return f"{value} {unit}" if isinstance(unit, str) and unit.strip() else str(value)


def _is_group(member: Placed) -> bool:
    return isinstance(member.value, dict) and bool(member.value)


def _is_table(member: Placed) -> bool:
    return isinstance(member.value, list) and bool(member.value) and all(_is_group(item) for item in member.value)


def _line(text: str, member: Placed) -> PlacedLine:
    return PlacedLine(text, TextRange(start=member.start, end=member.end))
