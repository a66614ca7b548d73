"""Named blocks of SQL: `-- name: list_documents` starts a block in `shared/store/queries/*.sql`."""

import re
from functools import cache
from importlib import resources
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
# Comments at the end of a block belong to the next one; they are cut, as blocks are joined into longer statements.
_INTRODUCTION = re.compile(r"(\n[ \t]*(--[^\n]*)?)+\Z")

OTHER = "other"
_names: dict[str, str] = {}


@cache
def load_queries(file: str) -> dict[str, LiteralString]:
    """Returns the blocks of `queries/{file}.sql` by name. The text is our own and not input, hence the cast."""
    text = resources.files("shared.store").joinpath("queries", f"{file}.sql").read_text(encoding="utf-8")
    parts = _NAME.split(text)
    blocks = zip(parts[1::2], parts[2::2], strict=True)
    found = {name: cast(LiteralString, _INTRODUCTION.sub("", body).strip()) for name, body in blocks}
    _names.update({text: f"{file}.{name}" for name, text in found.items()})
    return found


def name_of(statement: object) -> str:
    """`file.block` of a statement of ours, for traces; `other` for one that is composed of several, or none of them."""
    return _names.get(statement, OTHER) if isinstance(statement, str) else OTHER
