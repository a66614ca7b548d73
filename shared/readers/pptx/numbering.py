"""The numbers that slides show in front of paragraphs (ECMA-376 part 1, 21.1.2.4.1): an item's own properties say that
it has one, or those of its frame, of the frame that its layout and its master have in that place, or of the master's
texts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shared.readers.docx.elements import child, decimal, local, value
from shared.readers.docx.numbering import LEVELS, NUMBER_MAX, in_form
from shared.readers.docx.parts import targets
from shared.readers.zipped import ZippedParts

_TYPE: Final = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Plain|Period|ParenR|ParenBoth)")
_FORMS: Final = {
    "arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}  # fmt: skip
_AROUND: Final = {"Plain": "{}", "Period": "{}.", "ParenR": "{})", "ParenBoth": "({})"}
_BULLETS: Final = frozenset({"buNone", "buChar", "buBlip", "buAutoNum"})
# Which of a master's texts a placeholder is; a box of text without one is of the others.
_TEXTS: Final = {"": "otherStyle", "title": "titleStyle", "ctrTitle": "titleStyle"}


class Scheme(NamedTuple):
    """How a list is numbered: a type of DrawingML, and its first number."""

    kind: str
    start: int


class Placeholder(NamedTuple):
    """What a frame is on its slide: a title, a body …; `index` tells those of one kind apart."""

    kind: str
    index: str


def placeholder(shape: Any) -> Placeholder | None:
    """None for a frame of its own."""
    own = next((one for one in shape if local(one).startswith("nv")), None)
    said = child(child(own, "nvPr"), "ph")
    return None if said is None else Placeholder(value(said, "type") or "obj", value(said, "idx") or "0")


@dataclass
class Layouts:
    """The frames of layouts and masters, of each once, however many slides have them."""

    zipped: ZippedParts
    _levels: dict[str, list[tuple[Placeholder, Any]]] = field(default_factory=dict[str, list[tuple[Placeholder, Any]]])
    _above: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _texts: dict[str, Any] = field(default_factory=dict[str, Any])

    def styles_of(self, slide: str, shape: Any) -> Iterator[Any]:
        """Properties of levels that hold for a frame of a slide beside its own, the nearest first."""
        held = placeholder(shape)
        layout = self._related(slide, "slideLayout")
        master = self._related(layout, "slideMaster") if layout else ""
        if held is not None:
            yield from (style for one, style in self._frames(layout) if one.index == held.index)
            yield from (style for one, style in self._frames(master) if _one_kind(one.kind, held.kind))
        if master:
            self._frames(master)
            texts = _TEXTS.get("" if held is None else held.kind, "bodyStyle")
            yield child(self._texts.get(master), texts)

    def _related(self, name: str, kind: str) -> str:
        if (name, kind) not in self._above:
            self._above[name, kind] = next(iter(targets(self.zipped, name, kind).values()), "")
        return self._above[name, kind]

    def _frames(self, name: str) -> list[tuple[Placeholder, Any]]:
        if not name:
            return []
        if name not in self._levels:
            root = self.zipped.root(name)
            self._texts[name] = child(root, "txStyles")
            bodies = [one for one in (() if root is None else root.iter()) if local(one) == "txBody"]
            held = [(placeholder(one.getparent()), child(one, "lstStyle")) for one in bodies]
            self._levels[name] = [(one, style) for one, style in held if one is not None]
        return self._levels[name]


@dataclass
class Counter:
    """Counts the paragraphs of one frame, whose `styles` are properties of levels, the nearest first."""

    styles: Sequence[Any]
    _counts: dict[int, tuple[Scheme, int]] = field(default_factory=dict[int, tuple[Scheme, int]])

    def count(self, paragraph: Any) -> str:
        """The number of the next paragraph that says something; empty where it has none. One that has none ends the
        list of its level, one that is deeper does not."""
        settings = child(paragraph, "pPr")
        level = min(decimal(value(settings, "lvl"), 0), LEVELS - 1)
        scheme = self._scheme(settings, level)
        before = self._counts.get(level)
        self._counts = {at: one for at, one in self._counts.items() if at < level}
        if scheme is None:
            return ""
        number = scheme.start
        if before is not None and before[0] == scheme:
            number = min(before[1] + 1, NUMBER_MAX)
        self._counts[level] = (scheme, number)
        return _written(scheme, number)

    def _scheme(self, settings: Any, level: int) -> Scheme | None:
        layers = (settings, *(child(style, f"lvl{level + 1}pPr") for style in self.styles))
        said = (one for layer in layers if layer is not None for one in layer if local(one) in _BULLETS)
        bullet = next(said, None)
        if bullet is None or local(bullet) != "buAutoNum":
            return None
        start = min(decimal(value(bullet, "startAt"), 1), NUMBER_MAX)
        return Scheme(value(bullet, "type"), start)


def _written(scheme: Scheme, number: int) -> str:
    found = _TYPE.fullmatch(scheme.kind)
    if found is None:
        return ""
    said = in_form(number, _FORMS[found[1]])
    return "" if said is None else _AROUND[found[2]].format(said)


def _one_kind(one: str, other: str) -> bool:
    """A master has one title and one body, which is what other frames of text are like."""
    return _TEXTS.get(one, "body") == _TEXTS.get(other, "body")
