"""The parts of a Word document: which is which, and what a paragraph's style says."""

import posixpath
from dataclasses import dataclass, field
from typing import Any, Final

from shared.errors import RefusedFile
from shared.readers.docx.elements import child, decimal, local, value
from shared.readers.docx.numbering import UNNUMBERED, NumberedParagraph, Numbering, numbered, read_numbering
from shared.readers.zipped import ZippedParts

# A style is based on another, at most so many steps.
_BASES: Final = 20


@dataclass(frozen=True)
class ParagraphStyle:
    """`level` of the outline, from 0; None for a style of no heading."""

    name: str
    level: int | None
    in_list: bool
    number: NumberedParagraph = UNNUMBERED


@dataclass
class WordParts:
    """The roots of the parts that have text (of some by the parts' names), and the styles by their ids."""

    body: Any
    headers: dict[str, Any] = field(default_factory=dict[str, Any])
    footers: dict[str, Any] = field(default_factory=dict[str, Any])
    comments: dict[str, Any] = field(default_factory=dict[str, Any])
    notes: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    styles: dict[str, ParagraphStyle] = field(default_factory=dict[str, ParagraphStyle])
    default: str = ""
    numbering: Numbering = field(default_factory=Numbering)


def word_parts(zipped: ZippedParts) -> WordParts:
    """Raises RefusedFile where the container has no Word document."""
    main = main_part(zipped)
    root = zipped.root(main) if main else None
    body = child(root, "body")
    if body is None:
        raise RefusedFile("The file has no Word document in it; check that it is the right file and upload it again.")
    parts = WordParts(body)
    parts.headers = _roots(zipped, main, "header")
    parts.footers = _roots(zipped, main, "footer")
    parts.comments = _roots(zipped, main, "comments")
    for kind in ("footnote", "endnote"):
        for notes in _roots(zipped, main, f"{kind}s").values():
            ordinary = (one for one in notes if value(one, "type") in ("", "normal"))
            parts.notes |= {(kind, value(one, "id")): one for one in ordinary}
    for styles in _roots(zipped, main, "styles").values():
        _add_styles(parts, styles)
    for numbers in _roots(zipped, main, "numbering").values():
        parts.numbering = read_numbering(numbers)
    return parts


def main_part(zipped: ZippedParts) -> str:
    """The name of the part that has the text; empty where none does."""
    return next(iter(targets(zipped, "", "officeDocument").values()), "")


def _roots(zipped: ZippedParts, source: str, kind: str) -> dict[str, Any]:
    found = {name: zipped.root(name) for name in targets(zipped, source, kind).values()}
    return {name: root for name, root in found.items() if root is not None}


def targets(zipped: ZippedParts, source: str, kind: str) -> dict[str, str]:
    """Names of the parts that a part (the container: "") is related to, by the relations' ids."""
    folder, name = posixpath.split(source)
    relations = zipped.root(posixpath.join(folder, "_rels", f"{name}.rels"))
    if relations is None:
        return {}
    return {
        value(one, "Id"): posixpath.normpath(posixpath.join("/", folder, value(one, "Target"))).lstrip("/")
        for one in relations
        if value(one, "Type").rpartition("/")[2] == kind and value(one, "TargetMode") != "External"
    }


def _add_styles(parts: WordParts, root: Any) -> None:
    written = {value(one, "styleId"): one for one in root if local(one) == "style"}
    for identifier, one in written.items():
        if value(one, "type") == "paragraph" and value(one, "default") in ("1", "true", "on"):
            parts.default = identifier
        parts.styles[identifier] = _style(one, written)


def _style(style: Any, written: dict[str, Any]) -> ParagraphStyle:
    name = value(child(style, "name")).lower()
    level: int | None = None
    number = UNNUMBERED
    for _ in range(_BASES):
        settings = child(style, "pPr")
        said = value(child(settings, "outlineLvl")) or _heading_number(value(child(style, "name")))
        if level is None and said.isdecimal():
            level = decimal(said, 9)
        number = number.over(numbered(settings))
        style = written.get(value(child(style, "basedOn")))
        if style is None:
            break
    return ParagraphStyle(
        name, level if level is not None and level < 9 else None, number.number not in ("", "0"), number
    )


def _heading_number(name: str) -> str:
    """The outline level of a built-in heading, whose name says it."""
    last = name.lower().removeprefix("heading ")
    return str(int(last) - 1) if last != name.lower() and 1 <= decimal(last, 0) <= 9 else ""
