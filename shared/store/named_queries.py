"""Named blocks of SQL: `-- name: list_documents` starts a block in `shared/store/queries/*.sql`.

`-- name: hits, planned once` starts one whose plan is the same for all values: no parameter decides which index may be
used. The server keeps such plans (docs/decisions/0216).
"""

import re
from functools import cache
from importlib import resources
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)(, planned once)?\s*$", re.MULTILINE)
# Comments at the end of a block belong to the next one; they are cut, as blocks are joined into longer statements.
_INTRODUCTION = re.compile(r"(\n[ \t]*(--[^\n]*)?)+\Z")

OTHER = "other"
_names: dict[str, str] = {}
_planned_once: set[str] = set()


@cache
def load_queries(file: str) -> dict[str, LiteralString]:
    """Returns the blocks of `queries/{file}.sql` by name. The text is our own and not input, hence the cast."""
    text = resources.files("shared.store").joinpath("queries", f"{file}.sql").read_text(encoding="utf-8")
    parts = _NAME.split(text)
    texts = [cast(LiteralString, _INTRODUCTION.sub("", body).strip()) for body in parts[3::3]]
    found = dict(zip(parts[1::3], texts, strict=True))
    _names.update({text: f"{file}.{name}" for name, text in found.items()})
    _planned_once.update(text for text, mark in zip(texts, parts[2::3], strict=True) if mark)
    return found


def name_of(statement: object) -> str:
    """`file.block` of a statement of ours, for traces; `other` for one that is composed of several, or none of them."""
    return _names.get(statement, OTHER) if isinstance(statement, str) else OTHER


def is_planned_once(statement: object) -> bool:
    """Whether the server may keep the statement's plan."""
    return isinstance(statement, str) and statement in _planned_once
