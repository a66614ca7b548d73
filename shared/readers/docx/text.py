"""The text of paragraphs as it is displayed: insertions in, deletions out, hidden text apart."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from shared.domain.geometry import TextRange
from shared.readers.docx.elements import child, is_on, local, value
from shared.readers.parts import PlacedLine

GONE: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "instrText", "delText", "sectPr"})
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


@dataclass
class Paragraph:
    """What a paragraph displays: its lines, its hidden text, its text boxes, the notes and the drawings that it
    refers to, the descriptions of its pictures."""

    lines: list[str] = field(default_factory=lambda: [""])
    hidden: list[str] = field(default_factory=list[str])
    boxes: list[Any] = field(default_factory=list[Any])
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    drawn: list[Any] = field(default_factory=list[Any])
    described: list[str] = field(default_factory=list[str])

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
                paragraph.described.append(" ".join(value(one, "descr").split()))
            case "relIds" | "chart":
                paragraph.drawn.append(one)
            case "footnoteReference" | "endnoteReference" as name:
                paragraph.notes.append((_NOTES[name], value(one, "id")))
            case _:
                continue
    paragraph.hidden = ["".join(paragraph.hidden)]
    return paragraph


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
