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
from shared.readers.docx.elements import child, local, value
from shared.readers.html.blocks import blocks_of_lines, placed
from shared.readers.html.flow import lines_of_page
from shared.readers.html.metadata import title_of
from shared.readers.html.tree import parse
from shared.readers.parted import PartedSource
from shared.readers.parts import Block, LeftOutBlock, NewPart, parts_of
from shared.readers.zipped import ZippedParts

EXTRACTOR_VERSION: Final = "epub-2"
TITLE_CHARACTERS: Final = 200
MAX_CHAPTERS: Final = 5_000
# Of all chapters.
MAX_BYTES: Final = 100_000_000
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_UNREADABLE: Final = "The e-book has no list of its chapters; open it in a reader, save it again and upload that."


def open_epub(path: Path, _password: str | None) -> PartedSource:
    """Raises RefusedFile for a damaged or locked book, or one beyond a bound."""
    with ZippedParts(path) as zipped:
        if b"aes" in (zipped.read("META-INF/encryption.xml") or b""):
            raise RefusedFile("The e-book is locked by its seller; upload one without protection, or a PDF.")
        container = zipped.root("META-INF/container.xml")
        roots = [] if container is None else [one for one in container.iter() if local(one) == "rootfile"]
        name = unquote(value(roots[0], "full-path")) if roots else ""
        package = zipped.root(name) if name else None
        if package is None:
            raise RefusedFile(_UNREADABLE)
        parts = parts_of(_chapters(zipped, posixpath.dirname(name), package), EXTRACTOR_VERSION)
        said = child(package, "metadata")
    title = " ".join((getattr(child(said, "title"), "text", "") or "").split())[:TITLE_CHARACTERS]
    return PartedSource(parts, title or None, _day(getattr(child(said, "date"), "text", "") or ""))


def _chapters(zipped: ZippedParts, folder: str, package: Any) -> Iterator[Block]:
    """A page of links to the chapters is contents; whatever else is in a book is main text."""
    manifest, order = child(package, "manifest"), child(package, "spine")
    if manifest is None or order is None:
        raise RefusedFile(_UNREADABLE)
    listed = {value(one, "id"): one for one in manifest if local(one) == "item"}
    spine = [one for one in order if local(one) == "itemref"]
    if len(spine) > MAX_CHAPTERS:
        raise RefusedFile(f"The e-book has more than {MAX_CHAPTERS:,} chapters; divide it and upload its pieces.")
    at = left = 0
    for number, one in enumerate(spine, 1):
        item = listed.get(value(one, "idref"))
        if item is None or value(item, "media-type") not in _PAGES:
            continue
        data = zipped.read(posixpath.normpath(posixpath.join(folder, unquote(value(item, "href"))))) or b""
        left += len(data)
        if left > MAX_BYTES:
            raise RefusedFile(f"The e-book has more than {MAX_BYTES // 10**6} MB of text; divide it.")
        if not data.strip():
            continue
        root = parse(data, value(item, "media-type") != "text/html")
        found = lines_of_page(root, {one for one in root.iter() if isinstance(one.tag, str)})
        lines = [replace(line, start=line.start + at) for line in found]
        at += sum(len(line.text) + 1 for line in lines)
        yield NewPart((title_of(root) or str(number))[:TITLE_CHARACTERS])
        if "nav" in value(item, "properties").split() and lines:
            yield LeftOutBlock("contents", [placed(line) for line in lines])
        else:
            yield from blocks_of_lines(lines)


def _day(said: str) -> date | None:
    try:
        return date.fromisoformat(said[:10])
    except ValueError:
        return None
