"""Reads the rows of long tables that are kept beside their document: all, a window of them, those with some words."""

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from shared.access import find_place, reading
from shared.contract import kept_key, work_prefix
from shared.domain.inspect import FoundRow, KeptWindow
from shared.domain.kept_rows import KeptBlock, KeptRows
from shared.domain.page import Fragment
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.kept_blocks import load_block
from shared.ports import BlobStore
from shared.runtime import Runtime
from shared.store import library
from shared.store.connect import Row

# How many rows are shown at once.
WINDOW_ROWS: Final = 100


def read_block(blobs: BlobStore, stored: Row) -> KeptBlock | None:
    """The rows that follow those of a table's grid, None for a table without such. `stored` has its `kept_rows`, its
    `first_page`, the ids of its document and of what this is in, and the run that read it (`ingestion_id`).

    Raises Damaged where they are not there as they were stored.
    """
    if stored["kept_rows"] is None:
        return None
    ids = (stored[name] for name in ("organization_id", "knowledge_base_id", "document_id", "ingestion_id"))
    return load_block(blobs, work_prefix(*map(str, ids)), stored["first_page"], stored["kept_rows"])


def show_window(
    blobs: BlobStore, work: str, page: int, kept: KeptRows, row: int, shown: dict[str, Any]
) -> dict[str, Any]:
    """The `fragments` and `operations` of a part in `shown` with rows that are kept beside it, the window that has the
    row of this number, and what this is of them. Raises Damaged."""
    block = load_block(blobs, work, page, kept.rows)
    at = min(bisect_left(block.numbers, row), kept.rows - 1) // WINDOW_ROWS * WINDOW_ROWS
    window = range(at, min(at + WINDOW_ROWS, kept.rows))
    fragments, lines = [*shown["fragments"]], []
    for number in window:
        cells: list[dict[str, Any]] = []
        for column, text in enumerate(block.row(number)):
            cells.append({"fragment_ids": [], "row_span": 1, "col_span": 1})
            if text:
                place = block.box(number, column, page)
                one = Fragment(
                    id=f"p{page}.f{len(fragments) + 1}", text=" ".join(text.split()), place=place,
                    hidden=block.is_hidden(number, column),
                )  # fmt: skip
                fragments.append(one.model_dump(mode="json"))
                cells[-1]["fragment_ids"].append(one.id)
        lines.append(cells)
    tables = [at for at, one in enumerate(shown["operations"]) if one["op"] == "register_table"][-1:]
    operations = [
        one | {"rows": [*one["rows"], *lines]} if at in tables else one for at, one in enumerate(shown["operations"])
    ]
    told = KeptWindow(
        rows=kept.rows, first=kept.first, last=kept.last, shown=[block.numbers[at] for at in (window[0], window[-1])]
    )
    return {"fragments": fragments, "operations": operations, "kept": told}


def find_rows(runtime: Runtime, identity: Identity, document_id: UUID, words: str, limit: int) -> list[FoundRow]:
    """The first rows that are kept beside a document and have each of the words in one of their cells, whatever its
    case and whatever it is a part of. They are looked through.

    Raises NotFound, BadInput without words, Damaged.
    """
    wanted = words.casefold().split()
    if not wanted:
        raise BadInput("Say which words the rows are to have.")
    with reading(runtime, identity) as connection:
        place = find_place(connection, document_id)
        blocks = library.kept_blocks(connection, document_id)
    found: list[FoundRow] = []
    for page, rows in blocks:
        if _may_have(runtime.blobs, kept_key(place.work, page), wanted):
            block = load_block(runtime.blobs, place.work, page, rows)
            found += (
                FoundRow(page=page, row=block.numbers[at], cells=block.row(at)) for at in _rows_with(block, wanted)
            )
        if len(found) >= limit:
            break
    return found[:limit]


def _may_have(blobs: BlobStore, key: str, wanted: Sequence[str]) -> bool:
    """Looks at the block as it is written, which takes a fifth of taking it apart."""
    try:
        written = KeptBlock.as_written(blobs.get(key)).decode("utf-8", "replace").casefold()
    except (NotFound, ValueError):
        return True
    return all(json.dumps(word, ensure_ascii=False)[1:-1] in written for word in wanted)


def _rows_with(block: KeptBlock, wanted: Sequence[str]) -> Iterator[int]:
    for at, row in enumerate(zip(*block.texts, strict=True)):
        said = "\0".join(row).casefold()
        if all(word in said for word in wanted):
            yield at
