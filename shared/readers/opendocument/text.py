"""The text of an OpenDocument paragraph as displayed (OpenDocument 1.3, 6.1): notes, comments and frames apart."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from shared.readers.docx.elements import local, value
from shared.readers.opendocument.styles import OpenStyles

MAX_SPACES: Final = 1_000
_SPACE: Final = re.compile(r"[ \t\r\n]+")
# What holds no text that is displayed where it stands.
_SILENT: Final = frozenset(
    {"number", "ruby-text", "script", "tracked-changes", "note-citation", "hidden-text", "forms"}
)
_FRAMES: Final = frozenset({
    "frame", "custom-shape", "rect", "ellipse", "circle", "line", "polygon", "polyline", "path", "connector", "g",
    "caption", "regular-polygon", "measure", "control", "page-thumbnail",
})  # fmt: skip


@dataclass
class OpenParagraph:
    """Its lines and its hidden text; the frames, notes and comments that stand in it."""

    lines: list[str] = field(default_factory=lambda: [""])
    hidden: list[str] = field(default_factory=lambda: [""])
    frames: list[Any] = field(default_factory=list[Any])
    notes: list[Any] = field(default_factory=list[Any])
    comments: list[Any] = field(default_factory=list[Any])


def read_paragraph(element: Any, styles: OpenStyles) -> OpenParagraph:
    found = OpenParagraph()
    _read(element, styles, found, value(element, "style-name") in styles.hidden)
    return found


def _read(element: Any, styles: OpenStyles, found: OpenParagraph, hidden: bool) -> None:
    lines = found.hidden if hidden else found.lines
    lines[-1] += _SPACE.sub(" ", element.text or "")
    for one in element:
        match local(one):
            case "s":
                said = value(one, "c")
                lines[-1] += " " * min(int(said) if said.isdecimal() and len(said) < 6 else 1, MAX_SPACES)
            case "tab":
                lines[-1] += "\t"
            case "line-break":
                lines.append("")
            case "note":
                found.notes.append(one)
            case "annotation":
                found.comments.append(one)
            case name if name in _FRAMES:
                found.frames.append(one)
            case name if name in _SILENT:
                pass
            case name:
                _read(one, styles, found, hidden or (name == "span" and value(one, "style-name") in styles.hidden))
        lines[-1] += _SPACE.sub(" ", one.tail or "")
