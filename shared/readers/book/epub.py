"""Opens e-books. A chapter is a part, in the order in which they are read; places are offsets in the text that is made
of all of them: their visible lines, joined by line feeds."""

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from shared.errors import RefusedFile
from shared.readers.blocks import Block, LeftOutBlock, NewPart
from shared.readers.docx.elements import child, local, value
from shared.readers.html.blocks import blocks_of_lines, illustrated, placed
from shared.readers.html.flow import read_flow
from shared.readers.html.metadata import title_of
from shared.readers.html.pictures import PagePictures, part_beside
from shared.readers.html.tree import parse
from shared.readers.parted import PartedSource
from shared.readers.parts import parts_of
from shared.readers.zipped import ZippedParts, part_reader

EXTRACTOR_VERSION: Final = "epub-8"
TITLE_CHARACTERS: Final = 200
MAX_CHAPTERS: Final = 5_000
# Of all chapters.
MAX_BYTES: Final = 100_000_000
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_UNREADABLE: Final = "The e-book has no list of its chapters; open it in a reader, save it again and upload that."

_ABSENT: Final = "The e-book lists this chapter and does not have it; look for a whole copy."


def open_epub(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a damaged or locked book, or one beyond a bound."""
    with ZippedParts(path) as zipped:
        if b"aes" in (zipped.read("META-INF/encryption.xml") or b""):
            raise RefusedFile("The e-book is locked by its seller; upload one without protection, or a PDF.")
        name, package = _package(zipped)
        if package is None:
            raise RefusedFile(_UNREADABLE)
        pictures = PagePictures(read=zipped.read)
        parts = parts_of(_chapters(zipped, posixpath.dirname(name), package, pictures), EXTRACTOR_VERSION)
        said = child(package, "metadata")
    title = " ".join((getattr(child(said, "title"), "text", "") or "").split())[:TITLE_CHARACTERS]
    day = _day(getattr(child(said, "date"), "text", "") or "")
    return PartedSource(parts, title or None, day, picture=pictures.read_with(part_reader(path)))


def _chapters(zipped: ZippedParts, folder: str, package: Any, pictures: PagePictures) -> Iterator[Block]:
    """A page of links to the chapters is contents; whatever else is in a book is main text."""
    at = left = 0
    names = frozenset(zipped.names)
    for number, (item, name) in enumerate(_spine(folder, package), 1):
        data = zipped.read(name) or b"" if value(item, "media-type") in _PAGES else b""
        left += len(data)
        if left > MAX_BYTES:
            raise RefusedFile(f"The e-book has more than {MAX_BYTES // 10**6} MB of text; divide it.")
        if not data.strip():
            continue
        root = parse(data, value(item, "media-type") != "text/html")
        found, drawn = read_flow(root, {one for one in root.iter() if isinstance(one.tag, str)})
        find = part_beside(name, names)
        shown = [(one.at + at, pictures.blocks(one._replace(at=one.at + at), find)) for one in drawn]
        lines = [replace(line, start=line.start + at) for line in found]
        at += sum(len(line.text) + 1 for line in lines)
        yield NewPart((title_of(root) or str(number))[:TITLE_CHARACTERS])
        if "nav" in value(item, "properties").split() and lines:
            yield LeftOutBlock("contents", [placed(line) for line in lines])
        else:
            yield from illustrated(blocks_of_lines(lines), shown)


def _spine(folder: str, package: Any) -> Iterator[tuple[Any, str]]:
    """What is read one after the other: items of the manifest, and the parts that they name; None and no name for one
    that the manifest lacks."""
    manifest, order = child(package, "manifest"), child(package, "spine")
    if manifest is None or order is None:
        raise RefusedFile(_UNREADABLE)
    listed = {value(one, "id"): one for one in manifest if local(one) == "item"}
    spine = [one for one in order if local(one) == "itemref"]
    if len(spine) > MAX_CHAPTERS:
        raise RefusedFile(f"The e-book has more than {MAX_CHAPTERS:,} chapters; divide it and upload its pieces.")
    for one in spine:
        item = listed.get(value(one, "idref"))
        href = unquote(value(item, "href"))
        yield item, posixpath.normpath(posixpath.join(folder, href)) if href else ""


def unread_chapters(zipped: ZippedParts) -> Iterator[tuple[str, str]]:
    """What the book lists to be read and `open_epub` does not read: the name of the part, and why."""
    name, package = _package(zipped)
    for item, part in _spine(posixpath.dirname(name), package) if package is not None else ():
        kind = value(item, "media-type")
        if part not in zipped.names:
            yield posixpath.basename(part) or "chapter", _ABSENT
        elif kind not in _PAGES:
            yield posixpath.basename(part), f"It is a chapter of an unread kind ({kind}); export the book as PDF."


def _package(zipped: ZippedParts) -> tuple[str, Any]:
    """The part that lists the others, by its name; None where there is none."""
    container = zipped.root("META-INF/container.xml")
    roots = [] if container is None else [one for one in container.iter() if local(one) == "rootfile"]
    name = unquote(value(roots[0], "full-path")) if roots else ""
    return name, zipped.root(name) if name else None


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said[:10])
    except ValueError:
        return None
