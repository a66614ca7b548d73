"""Opens OpenDocument texts and presentations. Places are offsets in the text that is made of one: its lines, joined by
line feeds."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from shared.domain.operations import SkipReason
from shared.errors import RefusedFile
from shared.readers.blocks import Block, HeadingBlock, LeftOutBlock, NewPart, PassageBlock
from shared.readers.docx.blocks import lists_joined
from shared.readers.docx.elements import child, local, value
from shared.readers.docx.text import Placer
from shared.readers.drawings import PAGE_PT2, Drawings
from shared.readers.opendocument.blocks import OpenBlocks, frame_size
from shared.readers.opendocument.styles import OpenStyles, read_styles
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.zipped import ZippedParts, part_reader

EXTRACTOR_VERSION: Final = "opendocument-9"
TITLE_CHARACTERS: Final = 200
_RUNNING: Final[dict[str, SkipReason]] = {
    "page-number": "page_number", "footer": "footer", "date-time": "footer", "header": "header",
}  # fmt: skip
_UNREADABLE: Final = "The file has no {} in it; check that it is the right file and upload it again."


def open_odt(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a damaged or encrypted file, or one beyond a bound."""
    return _open(path, "text")


def open_odp(path: Path, _password: str | None) -> PartedSource:
    """As above."""
    return _open(path, "presentation")


def _open(path: Path, kind: str) -> PartedSource:
    with ZippedParts(path) as zipped:
        if b"encryption-data" in (zipped.read("META-INF/manifest.xml") or b""):
            raise RefusedFile("The file is encrypted; save it without a password and upload that.")
        content, styled = zipped.root("content.xml"), zipped.root("styles.xml")
        body = child(child(content, "body"), kind)
        if body is None:
            raise RefusedFile(_UNREADABLE.format("text" if kind == "text" else "slides"))
        styles = read_styles([one for one in (styled, content) if one is not None])
        drawings = Drawings(zipped.read, _page_area(styled) or PAGE_PT2)
        if kind == "text":
            parts = parts_of(_text(body, styled, styles, zipped, drawings), EXTRACTOR_VERSION)
        else:
            parts = parts_of(_slides(body, styles, zipped, drawings), EXTRACTOR_VERSION)
        meta = child(zipped.root("meta.xml"), "meta")
    title = " ".join((getattr(child(meta, "title"), "text", "") or "").split())[:TITLE_CHARACTERS]
    made = _day(getattr(child(meta, "creation-date"), "text", "") or "")
    return PartedSource(parts, title or None, made, picture=part_reader(path))


def _page_area(styled: Any) -> float:
    """In square points, by the layout of the first kind of page; 0 where nothing says."""
    named = [] if styled is None else [one for one in styled.iter() if local(one) in ("master-page", "page-layout")]
    wanted = next((value(one, "page-layout-name") for one in named if local(one) == "master-page"), "")
    layout = next((one for one in named if local(one) == "page-layout" and value(one, "name") == wanted), None)
    size = frame_size(child(layout, "page-layout-properties"), "page-width", "page-height")
    return size.width * size.height


def _text(body: Any, styled: Any, styles: OpenStyles, zipped: ZippedParts, drawings: Drawings) -> Iterator[Block]:
    """Headers first, footers and comments last."""
    made = OpenBlocks(styles, Placer(), zipped, drawings)
    pages = [] if styled is None else [one for one in styled.iter() if local(one) == "master-page"]
    for page in pages:
        for one in page:
            if local(one).startswith("header"):
                yield from made.left_out(one, "header")
    yield from lists_joined(made.inside(body))
    for page in pages:
        for one in page:
            if local(one).startswith("footer"):
                yield from made.left_out(one, "footer")
    yield from made.comments()


def _slides(body: Any, styles: OpenStyles, zipped: ZippedParts, drawings: Drawings) -> Iterator[Block]:
    """A slide and its notes are a part."""
    placer = Placer()
    for number, page in enumerate((one for one in body if local(one) == "page"), 1):
        made = OpenBlocks(styles, placer, zipped, drawings)
        hidden = value(page, "style-name") in styles.hidden_slides
        yield NewPart(f"{number}, hidden slide" if hidden else str(number), hidden)
        # The title first, wherever the file has it: what is drawn last lies on top.
        yield from lists_joined(_shapes(page, made, titles=True))
        yield from lists_joined(_shapes(page, made, titles=False))
        yield from made.comments()


def _shapes(element: Any, made: OpenBlocks, titles: bool) -> Iterator[Block]:
    """The shapes of a slide in the order of the file, those of titles or the others; groups and notes are entered."""
    for one in element:
        kind = value(one, "class")
        if local(one) in ("g", "notes", "a"):
            yield from _shapes(one, made, titles)
        elif (kind == "title") is not titles:
            continue
        elif kind in _RUNNING:
            yield from made.left_out(one, _RUNNING[kind])
        elif titles:
            yield from (_titled(block) for block in made.inside([one]))
        else:
            yield from made.inside([one])


def _titled(block: Block) -> Block:
    return HeadingBlock(block.lines, 1) if isinstance(block, PassageBlock | LeftOutBlock) else block


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said[:10])
    except ValueError:
        return None
