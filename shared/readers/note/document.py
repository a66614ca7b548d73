"""Opens notes. Places are offsets in the stored file's characters, its head included; the tags become keywords."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from shared.domain.geometry import TextRange
from shared.domain.operations import RegisterChunk
from shared.domain.page import PageFile
from shared.readers.blocks import Block, CellBlock, GridBlock, PassageBlock, PlacedLine, lines_of
from shared.readers.note.head import divide
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.text.decode import decode
from shared.readers.text.document import covered
from shared.readers.text.markdown import markdown_blocks
from shared.readers.text.plain import code_blocks

EXTRACTOR_VERSION: Final = "note-6"


def open_note(path: Path, _password: str | None) -> PartedSource:
    stored = decode(path.read_bytes())
    head, start = divide(stored)
    text = re.sub(r"[^\r\n]", " ", stored[:start]) + stored[start:]
    blocks_of = _BLOCKS.get(str(head.get("type")), markdown_blocks)
    parts = parts_of(covered(stored, blocks_of(text)), EXTRACTOR_VERSION)
    return PartedSource([_tagged(part, head) for part in parts], head.get("title"))


def table_blocks(text: str) -> Iterator[Block]:
    """Lines with tabs, as they come from a spreadsheet, are a table under its first row; what is none of them is
    Markdown, which has tables of its own."""
    if "\t" not in text.strip():
        yield from markdown_blocks(text)
        return
    rows: list[Sequence[CellBlock]] = []
    for said, at in lines_of(text):
        if "\t" in said:
            rows.append(_cells(said, at))
            continue
        yield from _grid(rows)
        rows = []
        if said:
            yield PassageBlock("text", [_placed(said, at)])
    yield from _grid(rows)


def _grid(rows: Sequence[Sequence[CellBlock]]) -> Iterator[Block]:
    if rows:
        yield GridBlock(rows, header_rows=1 if len(rows) > 1 else 0, guessed=True)


def _cells(said: str, at: int) -> Sequence[CellBlock]:
    cells: list[CellBlock] = []
    start = 0
    for piece in said.split("\t"):
        bare = piece.strip()
        cells.append(CellBlock([_placed(bare, at + start + piece.index(bare))] if bare else []))
        start += len(piece) + 1
    return cells


def _placed(said: str, at: int) -> PlacedLine:
    return PlacedLine(said, TextRange(start=at, end=at + len(said)))


def _tagged(part: PageFile, head: Mapping[str, Any]) -> PageFile:
    tags = list(head.get("tags") or [])
    if not tags:
        return part
    structure = [
        one.model_copy(update={"keywords": tags}) if isinstance(one, RegisterChunk) else one
        for one in part.structure or []
    ]
    return part.model_copy(update={"structure": structure})


_BLOCKS: Final[Mapping[str, Callable[[str], Iterable[Block]]]] = {"code": code_blocks, "table": table_blocks}
