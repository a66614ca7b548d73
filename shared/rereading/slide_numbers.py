"""The numbers and bullets that slides show in front of paragraphs, counted for the proof from what the parts of the
file say (ECMA-376 part 1, 21.1.2.4)."""

import posixpath
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from shared.rereading.numerals import eastern, in_roman, repeated

_MOST = 9_999
_LONGEST = 30
_MARKS = {
    "DbPeriod": ("", "．"), "DbPlain": ("", ""), "Plain": ("", ""), "Period": ("", "."), "ParenR": ("", ")"),
    "ParenBoth": ("(", ")"), "Minus": ("", "-"),
}  # fmt: skip
# (form, up to which number it is known) of schemes that are named after a language.
_LANGUAGES = {
    "thaiAlpha": ("thaiLetters", 41), "thaiNum": ("thaiNumbers", 9_999), "hindiNum": ("hindiNumbers", 9_999),
    "hebrew2": ("hebrew2", 22), "arabic1": ("arabicAlpha", 28), "arabic2": ("arabicAbjad", 28),
    "ea1Chs": ("chineseCounting", 99), "ea1Cht": ("chineseCounting", 19), "ea1JpnKor": ("ideographDigital", 9),
    "ea1JpnChs": ("ideographDigital", 9),
}  # fmt: skip
Root = ElementTree.Element


class SlideNumbers:
    """Reads one presentation; what its layouts and masters say is kept."""

    def __init__(self, container: zipfile.ZipFile) -> None:
        self._container = container
        self._names = {name.lower(): name for name in container.namelist()}
        self._shapes: dict[str, tuple[list[tuple[str, str, Root | None]], Root | None]] = {}
        self._related: dict[tuple[str, str], str] = {}

    def of(self, name: str) -> list[tuple[str, str]]:
        """(number, first line of the paragraph) of a part that shows text."""
        found: list[tuple[str, str]] = []
        for holder in _shown(self._root(name)):
            for body in (one for one in holder if _name(one) == "txBody"):
                above = [] if _name(holder) == "tc" else self._above(name, holder)
                found += _count(body, [_first(body, "lstStyle"), *above])
        return found

    def _above(self, name: str, shape: Root) -> Iterator[Root | None]:
        layout = self._relation(name, "/slideLayout")
        shapes, _ = self._placed(layout)
        others, texts = self._placed(self._relation(layout, "/slideMaster"))
        held, group = _held(shape), ""
        if held is not None:
            kind, index = held
            same = [one for one in shapes if (one[1] == index if index else _group(one[0]) == _group(kind))][:1]
            yield from (one[2] for one in same)
            group = _group(kind or (same[0][0] if same else ""))
            yield from [one[2] for one in others if _group(one[0]) == group][:1]
        yield _first(texts, f"{group}Style" if group in ("title", "body") else "otherStyle")

    def _placed(self, name: str) -> tuple[list[tuple[str, str, Root | None]], Root | None]:
        """(kind, index, properties of levels) of the first frame of each index and of each group of kinds."""
        if name not in self._shapes:
            root = self._root(name)
            found: dict[tuple[str, str], tuple[str, str, Root | None]] = {}
            for shape in [] if root is None else root.iter():
                body, held = _first(shape, "txBody"), _held(shape)
                if body is not None and held is not None:
                    found.setdefault((_group(held[0]), held[1]), (*held, _first(body, "lstStyle")))
            self._shapes[name] = list(found.values())[:_PLACES], _first(root, "txStyles")
        return self._shapes[name]

    def _root(self, name: str) -> Root | None:
        """None for what is not there or cannot be read."""
        real = self._names.get(name.lower())
        data = self._container.read(real) if real else b""
        # Expat bounds what entities expand to; no part with a document type comes here.
        try:
            return ElementTree.fromstring(data) if data and b"<!DOCTYPE" not in data[:4096] else None  # noqa: S314
        except ElementTree.ParseError:
            return None

    def _relation(self, name: str, ending: str) -> str:
        if (name, ending) not in self._related:
            folder, file = posixpath.split(name)
            said = self._root(f"{folder}/_rels/{file}.rels") if name else None
            listed: list[Root] = [] if said is None else list(said)
            ends = [one.get("Target", "") for one in listed if one.get("Type", "").endswith(ending)]
            path = posixpath.normpath(posixpath.join("/", folder, ends[0])).lstrip("/") if ends else ""
            self._related[name, ending] = path
        return self._related[name, ending]


# No layout has so many places: a hostile one has each frame in one of its own.
_PLACES = 1_000


def _shown(element: Root | None) -> Iterator[Root]:
    """An element and what is in it, but for what stands in for it elsewhere."""
    if element is not None and _name(element) != "Fallback":
        yield element
        for one in element:
            yield from _shown(one)


def _group(kind: str) -> str:
    """A master has one title, one body for all frames of text, and its running frames."""
    if kind in ("dt", "ftr", "sldNum", "hdr"):
        return kind
    return "title" if kind in ("title", "ctrTitle") else "body"


def _count(body: Root, styles: list[Root | None]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    # Of each level its list, as (type, first number), and the last number.
    lists: list[tuple[tuple[str, int], int] | None] = [None] * 9
    for paragraph in (one for one in body if _name(one) == "p"):
        lines = _lines(paragraph)
        if not lines:
            continue
        own = _first(paragraph, "pPr")
        depth = min(_natural("" if own is None else own.get("lvl", ""), 0), 8)
        said = [own, *(_first(style, f"lvl{depth + 1}pPr") for style in styles)]
        bullets = [one for layer in said for one in (() if layer is None else layer) if _name(one) in _BULLETS]
        last, lists[depth:] = lists[depth], [None] * (9 - depth)
        if not bullets or _name(bullets[0]) != "buAutoNum":
            if sign := _sign(bullets[0]) if bullets else "":
                found.append((sign, lines[0]))
            continue
        kind, start = bullets[0].get("type", ""), min(_natural(bullets[0].get("startAt", ""), 1), _MOST)
        number = min(last[1] + 1, _MOST) if last is not None and last[0] == (kind, start) else start
        lists[depth] = ((kind, start), number)
        if shown := _written(kind, number):
            found.append((shown, lines[0]))
    return found


def _sign(bullet: Root) -> str:
    """Dashes as they are, any other sign or picture as a point."""
    drawn = bullet.get("char", "").strip() if _name(bullet) == "buChar" else "x" * (_name(bullet) == "buBlip")
    return drawn if drawn in ("", "-", "\u2013", "\u2014") else "\u2022"


_BULLETS = ("buNone", "buChar", "buBlip", "buAutoNum")


def _written(kind: str, number: int) -> str:
    if kind.startswith("circleNum"):
        black = "❶❷❸❹❺❻❼❽❾❿" if kind == "circleNumWdBlackPlain" else "①②③④⑤⑥⑦⑧⑨⑩"
        known = kind in ("circleNumDbPlain", "circleNumWdBlackPlain", "circleNumWdWhitePlain")
        return (black[number - 1] if 0 < number < 11 else str(number)) if known else ""
    marks = next((one for one in _MARKS if kind.endswith(one)), None)
    if marks is None:
        return ""
    name = kind.removesuffix(marks)
    if name in _LANGUAGES:
        form, last = _LANGUAGES[name]
        said = eastern(number, form) if number <= last else None
    elif name == "arabic":
        said = eastern(number, "decimalFullWidth") if marks.startswith("Db") else str(number)
    elif name in ("alphaLc", "alphaUc") and number:
        said = repeated(number)
    else:
        said = in_roman(number) if name in ("romanLc", "romanUc") else None
    before, behind = _MARKS[marks]
    return before + (said.upper() if "Uc" in kind else said) + behind if said and len(said) <= _LONGEST else ""


def _lines(paragraph: Root) -> list[str]:
    said = "".join(
        "\n" if _name(one) == "br" else one.text or "" for one in paragraph.iter() if _name(one) in ("t", "br")
    )
    return [line for line in said.split("\n") if line.strip()]


def _held(shape: Root) -> tuple[str, str] | None:
    """(kind, index) of a frame that stands in a layout's place."""
    own = next((one for one in shape if _name(one).startswith("nv")), None)
    said = _first(_first(own, "nvPr"), "ph")
    return None if said is None else (said.get("type", ""), said.get("idx", ""))


def _first(element: Root | None, name: str) -> Root | None:
    return None if element is None else next((one for one in element if _name(one) == name), None)


def _name(element: Root) -> str:
    return element.tag.rpartition("}")[2]


def _natural(said: str, usual: int) -> int:
    return int(said) if said.isdecimal() and len(said) < 8 else usual
