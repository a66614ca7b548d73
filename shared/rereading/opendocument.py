"""The text of an OpenDocument file as its parts have it, element after element, by the standard library."""

import zipfile
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from shared.domain.raw_page import SecondText

# What is nobody's text: numbers that programs write, readings of characters, what was deleted.
_UNREAD = frozenset({"tracked-changes", "number", "ruby-text", "note-citation", "hidden-text", "script", "forms"})
# Who noted something and when; what a picture is called, but for its description.
_BESIDE = ("{http://purl.org/dc/", "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:")
_APART = frozenset({"note", "annotation"})
_DRAWN = "opendocument:xmlns:drawing:"


def reread_opendocument(path: Path) -> SecondText:
    """The body, and of a text the headers and footers of its pages."""
    found: list[str] = []
    with zipfile.ZipFile(path) as container:
        kind = container.read("mimetype")
        _gather(container.read("content.xml"), ("body",), found)
        if b"opendocument.text" in kind and "styles.xml" in container.namelist():
            _gather(container.read("styles.xml"), ("master-page",), found)
    return SecondText("".join(found), offsets=False)


def _gather(data: bytes, roots: tuple[str, ...], found: list[str]) -> None:
    if b"<!DOCTYPE" in data[:4096]:
        return
    # Expat bounds what entities expand to; no part with a document type comes here.
    for _, element in ElementTree.iterparse(BytesIO(data)):  # noqa: S314
        if element.tag.rpartition("}")[2] in roots:
            found += [said for one in element for said in _texts(one)]


def _texts(element: ElementTree.Element, shown: bool = False) -> list[str]:
    """The text of paragraphs below an element; behind each of them the notes and frames that stand in it."""
    found: list[str] = []
    behind: list[ElementTree.Element] = []
    _walk(element, shown, found, behind)
    for one in behind:
        found += [said for inner in one for said in _texts(inner)]
    return found


def _walk(element: ElementTree.Element, shown: bool, found: list[str], behind: list[ElementTree.Element]) -> None:
    """No deeper than the reader goes, whose library refuses a file that nests its elements deeper than 256."""
    name = element.tag.rpartition("}")[2]
    if name == "desc":
        found.append(element.text or "")
    if name in _UNREAD or element.tag.startswith(_BESIDE):
        return
    if shown and (name in _APART or _DRAWN in element.tag):
        behind.append(element)
        return
    if not shown and name in ("p", "h"):
        found += _texts(element, True)
        return
    if shown:
        found.append(element.text or "")
    for one in element:
        _walk(one, shown, found, behind)
        if shown:
            found.append(one.tail or "")
