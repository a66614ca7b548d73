"""A record as another parser reads it (pydantic's, written in Rust): labels and values in the order of its schema."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from shared.domain.raw_page import SecondText


def reread_record(path: Path) -> SecondText:
    record = from_json(path.read_bytes(), allow_inf_nan=False)
    name = record["schema"].get("title") or _words(record["kind"])
    return SecondText("\n".join([str(name), *_said(record["values"], record["schema"])]), offsets=False)


def _said(values: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    declared: dict[str, Any] = schema.get("properties") or {}
    ranks = {name: number for number, name in enumerate(declared)}
    ordered = sorted(values, key=lambda name: ranks.get(name, len(ranks)))
    held = {name for name in ordered if _holds(values[name])}
    for name in ordered:
        shown = _text(values[name], declared.get(name) or {})
        if name not in held and shown:
            yield f"{_label(name, declared)}: {shown}"
    for name in (one for one in ordered if one in held):
        field = declared.get(name) or {}
        yield _label(name, declared)
        if isinstance(values[name], dict):
            yield from _said(values[name], field)
        else:
            yield from _rows(values[name], field.get("items") or {})


def _holds(value: Any) -> bool:
    """A group of fields, or a list of them."""
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and one for one in value)


def _rows(rows: list[dict[str, Any]], schema: dict[str, Any]) -> Iterator[str]:
    declared: dict[str, Any] = schema.get("properties") or {}
    every = list(dict.fromkeys(name for row in rows for name in row))
    columns = [name for name in declared if name in every] + [name for name in every if name not in declared]
    yield from (_label(name, declared) for name in columns)
    for row in rows:
        yield from (_text(row.get(name), declared.get(name) or {}) for name in columns)


def _text(value: Any, field: dict[str, Any]) -> str:
    match value:
        case None | "":
            return ""
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(said for one in value if (said := _text(one, field.get("items") or {})))
        case dict():
            declared = field.get("properties") or {}
            parts = [(_label(name, declared), _text(one, declared.get(name) or {})) for name, one in value.items()]
            return "; ".join(f"{label}: {said}" for label, said in parts if said)
        case _:
            unit = field.get("x-unit")
            said = value if isinstance(value, str) else repr(value)
            return f"{said} {unit}" if isinstance(unit, str) and unit.strip() else said


def _label(name: str, declared: dict[str, Any]) -> str:
    title = (declared.get(name) or {}).get("title")
    return title if isinstance(title, str) and title.strip() else _words(name)


def _words(name: str) -> str:
    said = ""
    for before, letter in zip(f" {name}", name, strict=False):
        joint = before.isascii() and (before.islower() or before.isdigit()) and letter.isascii() and letter.isupper()
        said += f"{' ' if joint else ''}{' ' if letter in '_-' else letter}"
    said = " ".join(said.split())
    return said[:1].upper() + said[1:]
