"""Opens presentations. A slide and its notes are a part; places are offsets in the lines, joined by line feeds."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from shared.domain.operations import SkipReason
from shared.errors import RefusedFile
from shared.readers.docx.drawn import Drawn
from shared.readers.docx.elements import child, local, value
from shared.readers.docx.parts import targets
from shared.readers.docx.text import Placer
from shared.readers.parted import PartedSource
from shared.readers.parts import (
    Block,
    CellBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    NewPart,
    PassageBlock,
    parts_of,
)
from shared.readers.zipped import ZippedParts

EXTRACTOR_VERSION: Final = "pptx-7"
TITLE_CHARACTERS: Final = 200
MAX_SPAN: Final = 1_000
_TITLES: Final = ("title", "ctrTitle")
_RUNNING: Final[dict[str, SkipReason]] = {"sldNum": "page_number", "ftr": "footer", "dt": "footer", "hdr": "header"}


def open_pptx(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a damaged file, or one beyond a bound."""
    with ZippedParts(path) as zipped:
        parts = parts_of(_blocks(zipped), EXTRACTOR_VERSION)
        title = child(zipped.root("docProps/core.xml"), "title")
    said = " ".join((title.text or "").split()) if title is not None else ""
    return PartedSource(parts, said[:TITLE_CHARACTERS] or None)


def _blocks(zipped: ZippedParts) -> Iterator[Block]:
    placer = Placer()
    for number, name in enumerate(_slides(zipped), 1):
        slide = zipped.root(name)
        hidden = slide is not None and value(slide, "show") in ("0", "false")
        yield NewPart(f"{number}, hidden slide" if hidden else str(number))
        yield from _slide(slide, placer, Drawn.of(zipped, name))
        for notes in targets(zipped, name, "notesSlide").values():
            yield from _frames(zipped.root(notes), placer, Drawn.of(zipped, notes))
        for remarks in targets(zipped, name, "comments").values():
            yield from _comments(zipped.root(remarks), placer)


def _slides(zipped: ZippedParts) -> Iterator[str]:
    """Names of the slides in the order in which they are shown."""
    main = [*targets(zipped, "", "officeDocument").values()]
    listed = child(zipped.root(main[0]) if main else None, "sldIdLst")
    if listed is None:
        raise RefusedFile("The file has no slides in it; check that it is the right file and upload it again.")
    by_id = targets(zipped, main[0], "slide")
    for one in listed:
        identifier = next((said for key, said in one.attrib.items() if key.endswith("}id")), "")
        if identifier in by_id:
            yield by_id[identifier]


def _comments(root: Any, placer: Placer) -> Iterator[Block]:
    """What readers noted: of the older kind a text each, of the newer paragraphs."""
    said = [one for one in (() if root is None else root.iter()) if local(one) in ("text", "p")]
    texts = [line for one in said for line in (_lines(one) if local(one) == "p" else [one.text or ""])]
    if lines := placer.place(texts):
        yield LeftOutBlock("invisible", lines)


def _slide(slide: Any, placer: Placer, drawn: Drawn) -> Iterator[Block]:
    """Its titles first, wherever the file has them: what is drawn last lies on top."""
    bodies = [one for one in (() if slide is None else slide.iter()) if local(one) == "txBody"]
    titles = [one for one in bodies if _placeholder(one.getparent()) in _TITLES]
    for one in titles:
        yield from _text(one, placer)
    yield from _frames(slide, placer, drawn, titles)


def _frames(element: Any, placer: Placer, drawn: Drawn, said: Sequence[Any] = ()) -> Iterator[Block]:
    """The frames of a slide, a group or a graphic in the order of the file, but for those that have been `said`."""
    for one in () if element is None else element:
        match local(one):
            case "txBody":
                yield from () if one in said else _text(one, placer)
            case "tbl":
                yield _grid(one, placer)
            case "Fallback":
                continue
            case "cNvPr":
                if lines := placer.place([" ".join(value(one, "descr").split())]):
                    yield PassageBlock("caption", lines)
            case "relIds" | "chart":
                yield from drawn.blocks(one, placer)
            case _:
                yield from _frames(one, placer, drawn, said)


def _text(body: Any, placer: Placer) -> Iterator[Block]:
    said = [line for one in body if local(one) == "p" for line in _lines(one)]
    kind = _placeholder(body.getparent())
    if lines := placer.place(said):
        if kind in _RUNNING:
            yield LeftOutBlock(_RUNNING[kind], lines)
        elif kind in _TITLES:
            yield HeadingBlock(lines, 1)
        else:
            yield PassageBlock("list" if len(lines) > 1 else "text", lines)


def _placeholder(shape: Any) -> str:
    """What a shape holds the place for; empty for a shape of its own."""
    own = next((one for one in shape if local(one).startswith("nv")), None)
    return value(child(child(own, "nvPr"), "ph"), "type")


def _lines(paragraph: Any) -> list[str]:
    lines = [""]
    for one in paragraph.iter():
        if local(one) == "t":
            lines[-1] += one.text or ""
        elif local(one) == "br":
            lines.append("")
    return lines


def _grid(table: Any, placer: Placer) -> GridBlock:
    """Cells that a merged one covers are not among those of their row."""
    rows: list[list[CellBlock]] = []
    written = [one for one in table if local(one) == "tr"]
    for number, row in enumerate(written):
        cells: list[CellBlock] = []
        for cell in (one for one in row if local(one) == "tc"):
            if value(cell, "hMerge") in ("1", "true") or value(cell, "vMerge") in ("1", "true"):
                continue
            said = [line for one in cell.iter() if local(one) == "p" for line in _lines(one)]
            down = min(_span(value(cell, "rowSpan")), len(written) - number)
            cells.append(CellBlock(placer.place(said), down, _span(value(cell, "gridSpan"))))
        rows.append(cells)
    headed = value(child(table, "tblPr"), "firstRow") in ("1", "true") and len(rows) > 1
    return GridBlock(rows, int(headed), guessed=headed)


def _span(said: str) -> int:
    return min(max(int(said), 1), MAX_SPAN) if said.isdecimal() and len(said) < 6 else 1
