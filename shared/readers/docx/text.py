"""The text of paragraphs as it is displayed: insertions in, deletions out, hidden text apart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shared.domain.geometry import TextRange
from shared.readers.blocks import PlacedLine
from shared.readers.docx.elements import child, is_on, local, value
from shared.readers.drawings import DrawnSize

GONE: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "instrText", "delText", "sectPr"})
# Of a point; and points of the units in which shapes of the older kind have their size.
EMU: Final = 12_700
POINTS_OF: Final = {"pt": 1.0, "in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "px": 0.75}
_SIDES: Final = re.compile(r"(?:^|;)\s*(width|height):\s*([0-9]{1,6}(?:\.[0-9]{1,6})?)(pt|in|cm|mm|px)")
_NOTES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


@dataclass
class Placer:
    """Gives lines their places in the text that is made of the document."""

    at: int = 0

    def place(self, texts: list[str]) -> list[PlacedLine]:
        return [self._placed(said) for text in texts if (said := text.strip())]

    def _placed(self, said: str) -> PlacedLine:
        start, self.at = self.at, self.at + len(said) + 1
        return PlacedLine(said, TextRange(start=start, end=start + len(said)))


class ShownPicture(NamedTuple):
    """A picture in a part of its own: the reference to it, its size as drawn, its description."""

    reference: str
    drawn: DrawnSize
    described: str


@dataclass
class Paragraph:
    """What a paragraph displays: its lines, its hidden text, its text boxes, the notes and the drawings that it
    refers to, and its pictures as they are `shown`, each with its description, or a description
    alone."""

    lines: list[str] = field(default_factory=lambda: [""])
    hidden: list[str] = field(default_factory=list[str])
    boxes: list[Any] = field(default_factory=list[Any])
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    drawn: list[Any] = field(default_factory=list[Any])
    shown: list["str | ShownPicture"] = field(default_factory=list["str | ShownPicture"])

    def add_picture(self, reference: str, drawn: DrawnSize) -> None:
        """With the description that stands before it, if there is one."""
        if reference:
            said = self.shown.pop() if self.shown and isinstance(self.shown[-1], str) else ""
            self.shown.append(ShownPicture(reference, drawn, str(said)))

    @property
    def described(self) -> list[str]:
        """The descriptions of all."""
        return [one if isinstance(one, str) else one.described for one in self.shown]

    def add(self, text: str, hidden: bool) -> None:
        if hidden:
            self.hidden.append(text)
        else:
            self.lines[-1] += text


def read_paragraph(element: Any) -> Paragraph:
    paragraph = Paragraph()
    for one in _shown(element):
        match local(one):
            case "t":
                paragraph.add(one.text or "", _is_hidden(one))
            case "tab" | "ptab":
                paragraph.add("\t", False)
            case "noBreakHyphen":
                paragraph.add("\u2011", _is_hidden(one))
            case "sym":
                paragraph.add(symbol(value(one, "char")), _is_hidden(one))
            case "br" | "cr":
                paragraph.lines.append("")
            case "txbxContent":
                paragraph.boxes.append(one)
            case "docPr":
                paragraph.shown.append(" ".join(value(one, "descr").split()))
            case "blip":
                paragraph.add_picture(value(one, "embed") or value(one, "link"), _extent(one))
            case "imagedata":
                paragraph.add_picture(value(one, "id"), _styled_size(one.getparent()))
            case "relIds" | "chart":
                paragraph.drawn.append(one)
            case "footnoteReference" | "endnoteReference" as name:
                paragraph.notes.append((_NOTES[name], value(one, "id")))
            case _:
                continue
    paragraph.hidden = ["".join(paragraph.hidden)]
    return paragraph


def _extent(blip: Any) -> DrawnSize:
    """Of a picture within a group its own, else that of its frame (ECMA-376 part 1, 20.4.2.7)."""
    around = list(blip.iterancestors())
    if any(local(one) == "wgp" for one in around):
        own = next((one for one in around if local(one) in ("pic", "sp", "wsp")), None)
        return emu_size(child(child(child(own, "spPr"), "xfrm"), "ext"))
    frame = next((one for one in around if local(one) in ("inline", "anchor")), None)
    return emu_size(child(frame, "extent"))


def emu_size(extent: Any) -> DrawnSize:
    """Of an element with `cx` and `cy`."""
    return DrawnSize(_length(value(extent, "cx")) / EMU, _length(value(extent, "cy")) / EMU)


def _length(said: str) -> int:
    """A length in EMU; no page is ten kilometres wide."""
    return int(said) if said.isdecimal() and len(said) < 12 else 0


def _styled_size(shape: Any) -> DrawnSize:
    """What the style of a shape of the older kind says (`width:120pt;height:40pt`)."""
    said = {name: float(number) * POINTS_OF[unit] for name, number, unit in _SIDES.findall(value(shape, "style"))}
    return DrawnSize(said.get("width", 0.0), said.get("height", 0.0))


def symbol(code: str) -> str:
    """The character of a symbol, by its hexadecimal code."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return chr(number) if 0x20 <= number < 0xD800 or 0xE000 <= number < 0xFFFE else ""


def _shown(element: Any) -> Iterator[Any]:
    """What is below an element in document order, but for what is deleted or repeats; a text box is not entered."""
    for one in element:
        name = local(one)
        if name in GONE:
            continue
        yield one
        if name not in ("t", "txbxContent"):
            yield from _shown(one)


def _is_hidden(text: Any) -> bool:
    return is_on(child(child(text.getparent(), "rPr"), "vanish"))
