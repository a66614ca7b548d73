"""Opens presentations. A slide and its notes are a part; places are offsets in the lines, joined by line feeds."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from shared.errors import RefusedFile
from shared.readers.blocks import (
    Block,
    CellBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    NewPart,
    PassageBlock,
    PlacedLine,
)
from shared.readers.docx.drawn import Drawn
from shared.readers.docx.elements import child, local, value
from shared.readers.docx.parts import targets
from shared.readers.docx.text import Placer, emu_size
from shared.readers.drawings import PAGE_PT2, Drawings
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.pptx.numbering import Counter, Layouts
from shared.readers.pptx.placeholders import RUNNING, TITLES, placeholder
from shared.readers.zipped import ZippedParts, part_reader

EXTRACTOR_VERSION: Final = "pptx-9"
TITLE_CHARACTERS: Final = 200
MAX_SPAN: Final = 1_000


def open_pptx(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a damaged file, or one beyond a bound."""
    with ZippedParts(path) as zipped:
        parts = parts_of(_blocks(zipped), EXTRACTOR_VERSION)
        title = child(zipped.root("docProps/core.xml"), "title")
    said = " ".join((title.text or "").split()) if title is not None else ""
    return PartedSource(parts, said[:TITLE_CHARACTERS] or None, picture=part_reader(path))


class _Shown(NamedTuple):
    """What a slide, or its notes, shows beside text: the parts that it refers to, by the references' ids. `name`: its
    own part, by which `layouts` know what it is laid out by."""

    name: str
    layouts: Layouts
    placer: Placer
    drawn: Drawn
    drawings: Drawings
    pictures: dict[str, str]


def _blocks(zipped: ZippedParts) -> Iterator[Block]:
    placer = Placer()
    layouts = Layouts(zipped)
    drawings = Drawings(zipped.read, _slide_area(zipped))
    for number, name in enumerate(_slides(zipped), 1):
        slide = zipped.root(name)
        hidden = slide is not None and value(slide, "show") in ("0", "false")
        yield NewPart(f"{number}, hidden slide" if hidden else str(number), hidden)
        shown = _Shown(name, layouts, placer, Drawn.of(zipped, name), drawings, targets(zipped, name, "image"))
        yield from _slide(slide, shown)
        for notes in targets(zipped, name, "notesSlide").values():
            pictures = targets(zipped, notes, "image")
            beside = _Shown(notes, layouts, placer, Drawn.of(zipped, notes), drawings, pictures)
            yield from _frames(zipped.root(notes), beside)
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


def _slide(slide: Any, shown: _Shown) -> Iterator[Block]:
    """Its titles first, wherever the file has them: what is drawn last lies on top."""
    bodies = [one for one in (() if slide is None else slide.iter()) if local(one) == "txBody"]
    titles = [one for one in bodies if _placeholder(one.getparent()) in TITLES]
    for one in titles:
        yield from _text(one, shown)
    yield from _frames(slide, shown, titles)


def _frames(element: Any, shown: _Shown, said: Sequence[Any] = ()) -> Iterator[Block]:
    """The frames of a slide, a group or a graphic in the order of the file, but for those that have been `said`."""
    for one in () if element is None else element:
        match local(one):
            case "txBody":
                yield from () if one in said else _text(one, shown)
            case "tbl":
                yield _grid(one, shown.placer)
            case "Fallback":
                continue
            case "pic" if reference := _reference(one):
                yield from _picture(one, reference, shown)
            case "cNvPr":
                if lines := shown.placer.place([_description(one)]):
                    yield PassageBlock("caption", lines)
            case "relIds" | "chart":
                yield from shown.drawn.blocks(one, shown.placer)
            case _:
                yield from _frames(one, shown, said)


def _picture(element: Any, reference: str, shown: _Shown) -> Iterator[Block]:
    """A picture of a slide; within a group its size is in the group's units, which are those of the slide unless it was
    stretched."""
    at = shown.placer.at
    described = shown.placer.place([_description(child(child(element, "nvPicPr"), "cNvPr"))])
    drawn = emu_size(child(child(child(element, "spPr"), "xfrm"), "ext"))
    yield from shown.drawings.blocks(shown.pictures.get(reference), drawn, at, described)


def _reference(picture: Any) -> str:
    blip = child(child(picture, "blipFill"), "blip")
    return value(blip, "embed") or value(blip, "link")


def _description(element: Any) -> str:
    return " ".join(value(element, "descr").split())


def _slide_area(zipped: ZippedParts) -> float:
    main = next(iter(targets(zipped, "", "officeDocument").values()), "")
    size = emu_size(child(zipped.root(main), "sldSz") if main else None)
    return size.width * size.height or PAGE_PT2


def _text(body: Any, shown: _Shown) -> Iterator[Block]:
    shape = body.getparent()
    lines = _numbered(body, shown.placer, shown.layouts.styles_of(shown.name, shape))
    kind = _placeholder(shape)
    if lines:
        if kind in RUNNING:
            yield LeftOutBlock(RUNNING[kind], lines)
        elif kind in TITLES:
            yield HeadingBlock(lines, 1)
        else:
            yield PassageBlock("list" if len(lines) > 1 else "text", lines)


def _numbered(body: Any, placer: Placer, beyond: Iterable[Any] = ()) -> list[PlacedLine]:
    """The lines of a frame or a cell; a paragraph's number is the marker of its first. `beyond`: properties of levels
    that hold beside those of the body."""
    counter = Counter((child(body, "lstStyle"), *beyond))
    placed: list[PlacedLine] = []
    for one in body:
        if local(one) == "p" and (lines := placer.place(_lines(one))):
            placed += [lines[0]._replace(marker=counter.count(one)), *lines[1:]]
    return placed


def _placeholder(shape: Any) -> str:
    """What a shape holds the place for; empty for a shape of its own."""
    held = placeholder(shape)
    return "" if held is None else held.kind


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
            said = [line for one in cell if local(one) == "txBody" for line in _numbered(one, placer)]
            down = min(_span(value(cell, "rowSpan")), len(written) - number)
            cells.append(CellBlock(said, down, _span(value(cell, "gridSpan"))))
        rows.append(cells)
    headed = value(child(table, "tblPr"), "firstRow") in ("1", "true") and len(rows) > 1
    return GridBlock(rows, int(headed), guessed=headed)


def _span(said: str) -> int:
    return min(max(int(said), 1), MAX_SPAN) if said.isdecimal() and len(said) < 6 else 1
