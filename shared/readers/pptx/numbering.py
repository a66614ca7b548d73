"""The numbers and bullets that slides show in front of paragraphs (ECMA-376 part 1, 21.1.2.4): an item's own properties
say that it has one, or those of its frame, of the frame that its layout and its master have in that place, or of the
master's texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shared.errors import RefusedFile
from shared.readers.docx.elements import child, decimal, local, value
from shared.readers.docx.forms import in_form
from shared.readers.docx.numbering import LEVELS, NUMBER_MAX, bullet_of
from shared.readers.docx.parts import targets
from shared.readers.pptx.placeholders import Placeholder, placeholder
from shared.readers.zipped import ZippedParts

_AROUND: Final = {
    "DbPeriod": "{}．", "DbPlain": "{}", "Plain": "{}", "Period": "{}.", "ParenR": "{})", "ParenBoth": "({})",
    "Minus": "{}-",
}  # fmt: skip
_TYPE: Final = re.compile(rf"(\w+?)({'|'.join(_AROUND)})")
# The form by what stands before that, and the last number that is surely shown so.
_FORMS: Final = {
    "arabic": ("decimal", NUMBER_MAX), "alphaLc": ("lowerLetter", NUMBER_MAX), "alphaUc": ("upperLetter", NUMBER_MAX),
    "romanLc": ("lowerRoman", NUMBER_MAX), "romanUc": ("upperRoman", NUMBER_MAX), "thaiAlpha": ("thaiLetters", 41),
    "thaiNum": ("thaiNumbers", NUMBER_MAX), "hindiNum": ("hindiNumbers", NUMBER_MAX), "hebrew2": ("hebrew2", 22),
    "arabic1": ("arabicAlpha", 28), "arabic2": ("arabicAbjad", 28), "ea1Chs": ("chineseCounting", 99),
    "ea1Cht": ("chineseCounting", 19), "ea1JpnKor": ("ideographDigital", 9), "ea1JpnChs": ("ideographDigital", 9),
}  # fmt: skip
# Circles: of the first ten numbers, those behind are plain.
_CIRCLES: Final = {"circleNumDbPlain": 0x2460, "circleNumWdWhitePlain": 0x2460, "circleNumWdBlackPlain": 0x2776}
# Numbers in letters and Roman figures grow with what they count.
LONGEST: Final = 30
_BULLETS: Final = frozenset({"buNone", "buChar", "buBlip", "buAutoNum"})


class Scheme(NamedTuple):
    """How a list is numbered: a type of DrawingML, and its first number."""

    kind: str
    start: int


class _Frames(NamedTuple):
    """Of a layout or a master the first frame of each index and of each kind with its properties of levels, and the
    properties of the texts of a master."""

    by_index: Mapping[str, tuple[Placeholder, Any]]
    by_likeness: Mapping[str, tuple[Placeholder, Any]]
    texts: Any


_NONE: Final = _Frames({}, {}, None)


@dataclass
class Layouts:
    """The frames of layouts and masters, of each once, however many slides have them. One that cannot be read has
    none: what the slides say is there all the same."""

    zipped: ZippedParts
    _known: dict[str, _Frames] = field(default_factory=dict[str, _Frames])
    _above: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def styles_of(self, slide: str, shape: Any) -> Iterator[Any]:
        """Properties of levels that hold for a frame of a slide beside its own, the nearest first."""
        held = placeholder(shape)
        layout = self._related(slide, "slideLayout")
        master = self._frames(self._related(layout, "slideMaster"))
        texts = "otherStyle"
        if held is not None:
            frames = self._frames(layout)
            found = frames.by_index.get(held.index) if held.index else frames.by_likeness.get(held.like)
            if found is not None:
                yield found[1]
            like = held.like if held.kind or found is None else found[0].like
            if like in master.by_likeness:
                yield master.by_likeness[like][1]
            texts = {"title": "titleStyle", "body": "bodyStyle"}.get(like, texts)
        yield child(master.texts, texts)

    def _related(self, name: str, kind: str) -> str:
        if (name, kind) not in self._above:
            try:
                found = targets(self.zipped, name, kind) if name else {}
            except RefusedFile:
                found = {}
            self._above[name, kind] = next(iter(found.values()), "")
        return self._above[name, kind]

    def _frames(self, name: str) -> _Frames:
        if name not in self._known:
            try:
                root = self.zipped.root(name) if name else None
            except RefusedFile:
                root = None
            self._known[name] = _NONE if root is None else _frames_of(root)
        return self._known[name]


def _frames_of(root: Any) -> _Frames:
    by_index: dict[str, tuple[Placeholder, Any]] = {}
    by_likeness: dict[str, tuple[Placeholder, Any]] = {}
    for body in (one for one in root.iter() if local(one) == "txBody"):
        held = placeholder(body.getparent())
        if held is not None:
            found = held, child(body, "lstStyle")
            by_index.setdefault(held.index, found)
            by_likeness.setdefault(held.like, found)
    return _Frames(by_index, by_likeness, child(root, "txStyles"))


@dataclass
class Counter:
    """Counts the paragraphs of one frame, whose `styles` are properties of levels, the nearest first."""

    styles: Sequence[Any]
    _counts: dict[int, tuple[Scheme, int]] = field(default_factory=dict[int, tuple[Scheme, int]])

    def count(self, paragraph: Any) -> str:
        """The number or bullet of the next paragraph that says something; empty where it has none. One without a number
        ends the list of its level, one that is deeper does not."""
        settings = child(paragraph, "pPr")
        level = min(decimal(value(settings, "lvl"), 0), LEVELS - 1)
        bullet = self._bullet(settings, level)
        scheme = _scheme(bullet)
        before = self._counts.get(level)
        self._counts = {at: one for at, one in self._counts.items() if at < level}
        if scheme is None:
            return _shown_bullet(bullet)
        number = scheme.start
        if before is not None and before[0] == scheme:
            number = min(before[1] + 1, NUMBER_MAX)
        self._counts[level] = (scheme, number)
        return _written(scheme, number)

    def _bullet(self, settings: Any, level: int) -> Any:
        layers = (settings, *(child(style, f"lvl{level + 1}pPr") for style in self.styles))
        said = (one for layer in layers if layer is not None for one in layer if local(one) in _BULLETS)
        return next(said, None)


def _scheme(bullet: Any) -> Scheme | None:
    if bullet is None or local(bullet) != "buAutoNum":
        return None
    start = min(decimal(value(bullet, "startAt"), 1), NUMBER_MAX)
    return Scheme(value(bullet, "type"), start)


def _shown_bullet(bullet: Any) -> str:
    if bullet is None or local(bullet) not in ("buChar", "buBlip"):
        return ""
    said = value(bullet, "char").strip()
    return bullet_of(said) if said or local(bullet) == "buBlip" else ""


def _written(scheme: Scheme, number: int) -> str:
    if scheme.kind in _CIRCLES:
        return chr(_CIRCLES[scheme.kind] + number - 1) if 0 < number <= 10 else str(number)
    found = _TYPE.fullmatch(scheme.kind)
    if found is None or found[1] not in _FORMS:
        return ""
    form, last = _FORMS[found[1]]
    if form == "decimal" and found[2].startswith("Db"):
        form = "decimalFullWidth"
    said = in_form(number, form) if number <= last else None
    return _AROUND[found[2]].format(said) if said and len(said) <= LONGEST else ""
