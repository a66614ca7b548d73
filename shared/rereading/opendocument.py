"""The text of an OpenDocument file as its parts have it, element after element, by the standard library."""

import posixpath
import zipfile
from contextlib import nullcontext, suppress
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from shared.domain.raw_page import SecondText
from shared.rereading.opendocument_numbers import numbers_of_text

# What is nobody's text: numbers that programs write, readings of characters, what was deleted.
_UNREAD = frozenset({"tracked-changes", "number", "ruby-text", "note-citation", "hidden-text", "script", "forms"})
# Who noted something and when; what a picture is called, but for its description.
_BESIDE = ("{http://purl.org/dc/", "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:")
_APART = frozenset({"note", "annotation"})
_DRAWN = "opendocument:xmlns:drawing:"
# What a formula was written as, behind its marks (MathML 3, 5.1).
_FORMULA = "{http://www.w3.org/1998/Math/MathML}annotation"
_HREF = "{http://www.w3.org/1999/xlink}href"
_OBJECT = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}object"


def reread_opendocument(path: Path) -> SecondText:
    """The body, and of a text the headers and footers of its pages."""
    found: list[str] = []
    with zipfile.ZipFile(path) as container:
        kind = container.read("mimetype")
        names = {*container.namelist()}
        parts = ["content.xml"]
        for name in parts:
            data = container.read(name)
            # A damaged object is nobody's text.
            with suppress(ElementTree.ParseError) if name != parts[0] else nullcontext():
                _gather(data, "body", found)
                parts += [one for one in dict.fromkeys(_objects(data)) if one in names and one not in parts]
        if b"opendocument.text" in kind and "styles.xml" in names:
            _gather(container.read("styles.xml"), "master-page", found)
        shows_items = b"opendocument.text" in kind or b"opendocument.presentation" in kind
        numbers = _numbers(container, names) if shows_items else None
    return SecondText("".join(found), offsets=False, numbers=numbers)


def _numbers(container: zipfile.ZipFile, names: set[str]) -> list[tuple[str, str]] | None:
    """None where a part has a document type: what it declares is not read."""
    parts = [container.read(name) if name in names else b"" for name in ("content.xml", "styles.xml")]
    if any(b"<!DOCTYPE" in data[:4096] for data in parts):
        return None
    content, styles = (ElementTree.fromstring(data) if data else None for data in parts)  # noqa: S314
    return numbers_of_text(content, styles) if content is not None else []


def _gather(data: bytes, root: str, found: list[str]) -> None:
    """What stands below elements of a name, and in a part that is a formula."""
    if b"<!DOCTYPE" in data[:4096]:
        return
    # Expat bounds what entities expand to; no part with a document type comes here.
    element = None
    for _, element in ElementTree.iterparse(BytesIO(data)):  # noqa: S314
        if element.tag.rpartition("}")[2] == root:
            found += [said for one in element for said in _texts(one)]
    if element is not None and element.tag.rpartition("}")[2] == "math":
        found += _texts(element)


def _objects(data: bytes) -> list[str]:
    """The parts of what is embedded."""
    if b"<!DOCTYPE" in data[:4096]:
        return []
    links = [one.get(_HREF, "") for one in ElementTree.fromstring(data).iter(_OBJECT)]  # noqa: S314
    return [posixpath.join(posixpath.normpath(one), "content.xml") for one in links]


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
    if name == "desc" or element.tag == _FORMULA:
        found.append(element.text or "")
    if name in _UNREAD or element.tag.startswith(_BESIDE):
        return
    if shown and (name in _APART or _DRAWN in element.tag):
        behind.append(element)
        return
    if not shown and name in ("p", "h"):
        found += [*_texts(element, True), "\n"]
        return
    if shown:
        found.append(element.text or "")
    for one in element:
        _walk(one, shown, found, behind)
        if shown:
            found.append(one.tail or "")
