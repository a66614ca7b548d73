"""Opens notebooks (nbformat 3 and 4). Places are offsets in the text that is made of one: its cells and what they
printed, joined by line feeds; of an output with a table in HTML, as data frames have it, its visible lines."""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from shared.domain.geometry import Place, TextRange
from shared.errors import RefusedFile
from shared.readers.blocks import (
    Block,
    CellBlock,
    FigureBlock,
    GridBlock,
    HeadingBlock,
    LeftOutPicture,
    NewPart,
    PassageBlock,
    PlacedLine,
)
from shared.readers.html.blocks import blocks_of_lines
from shared.readers.html.flow import is_data, lines_of_page
from shared.readers.html.tree import parse
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.text.decode import decode
from shared.readers.text.document import TITLE_CHARACTERS, covered
from shared.readers.text.markdown import markdown_blocks
from shared.readers.text.plain import code_blocks

EXTRACTOR_VERSION: Final = "notebook-7"
MAX_BYTES: Final = 100_000_000
_NO_NOTEBOOK: Final = "The file is no notebook that can be read; open it in Jupyter, save it again and upload that."


def open_notebook(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for what is no notebook, or beyond a bound."""
    if path.stat().st_size > MAX_BYTES:
        raise RefusedFile(f"The notebook is larger than {MAX_BYTES // 10**6} MB; clear its output and upload it again.")
    try:
        read = json.loads(decode(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise RefusedFile(_NO_NOTEBOOK) from error
    blocks = [*_blocks(_cells(read))]
    first = next((one for one in blocks if isinstance(one, HeadingBlock)), None)
    title = " ".join(line.text for line in first.lines)[:TITLE_CHARACTERS] if first else ""
    return PartedSource(parts_of(blocks, EXTRACTOR_VERSION), title or None)


def _cells(read: Any) -> list[Mapping[str, Any]]:
    if not isinstance(read, dict) or "nbformat" not in read:
        raise RefusedFile(_NO_NOTEBOOK)
    sheets = read.get("worksheets") if "cells" not in read else [read]
    found = [one for sheet in _listed(sheets) if isinstance(sheet, dict) for one in _listed(sheet.get("cells"))]
    return [one for one in found if isinstance(one, dict)]


def _blocks(cells: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    at = 0
    for cell in cells:
        text = _said(cell.get("source", cell.get("input")))
        kind = cell.get("cell_type")
        if kind == "heading":
            text = "#" * (level if isinstance(level := cell.get("level"), int) and 0 < level < 7 else 1) + f" {text}"
        blocks = code_blocks(text) if kind in ("code", "raw") else markdown_blocks(text)
        yield from (_moved(block, at) for block in covered(text, blocks))
        at += len(text) + 1
        for output in _listed(cell.get("outputs")):
            text, blocks = _shown(output) if isinstance(output, dict) else ("", [])
            yield from (_moved(block, at) for block in blocks)
            at += len(text) + 1


def _shown(output: Mapping[str, Any]) -> tuple[str, Iterable[Block]]:
    """The text of an output, and its blocks by their places in that."""
    data = output.get("data")
    found = _tables(_said(data.get("text/html"))) if isinstance(data, dict) else None
    if found is not None:
        return found
    text = _printed(output)
    return text, covered(text, code_blocks(text))


def _tables(html: str) -> tuple[str, Iterable[Block]] | None:
    """What is seen of an output in HTML that has a table; None for any other, and beyond the bounds of a page."""
    if "<table" not in html.lower():
        return None
    try:
        root = parse(BOM_UTF8 + html.encode())
    except RefusedFile:
        return None
    if not any(is_data(table) for table in root.iter("table")):
        return None
    lines = lines_of_page(root, {*root.iter()})
    # What an output calls a title is none of the notebook's.
    blocks = (
        PassageBlock("text", one.lines) if isinstance(one, HeadingBlock) else one for one in blocks_of_lines(lines)
    )
    return "\n".join(line.text for line in lines), blocks


def _printed(output: Mapping[str, Any]) -> str:
    """What a person would read of an output: its text, or the error's last line."""
    data = output.get("data")
    if isinstance(data, dict):
        return _said(data.get("text/plain"))
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_said(output.get('ename'))}: {_said(output.get('evalue'))}"
    return _said(output.get("text"))


def _said(value: Any) -> str:
    """A text, which may be divided into its lines; without what no database holds."""
    pieces = value if isinstance(value, list) else [value]
    text = "".join(one for one in pieces if isinstance(one, str))
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _moved(block: Block, at: int) -> Block:
    """The block with its places further behind."""
    if isinstance(block, NewPart):
        return block
    if isinstance(block, GridBlock):
        rows = [[CellBlock(_lines(cell.lines, at), *cell[1:]) for cell in row] for row in block.rows]
        return GridBlock(rows, block.header_rows, _lines(block.caption, at), block.guessed)
    if isinstance(block, FigureBlock | LeftOutPicture):
        raise TypeError("no cell of a notebook has pictures that are read")
    return block._replace(lines=_lines(block.lines, at))


def _lines(lines: Sequence[PlacedLine], at: int) -> list[PlacedLine]:
    return [PlacedLine(line.text, _place(line.place, at)) for line in lines]


def _place(place: Place, at: int) -> Place:
    return TextRange(start=place.start + at, end=place.end + at) if isinstance(place, TextRange) else place
