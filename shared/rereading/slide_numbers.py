"""The numbers that slides show in front of paragraphs, counted for the proof from what the parts of the file say
(ECMA-376 part 1, 21.1.2.4)."""

import posixpath
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from shared.rereading.numerals import in_roman, repeated

_MOST = 9_999
_MARKS = {"Plain": ("", ""), "Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")")}
Root = ElementTree.Element


class SlideNumbers:
    """Reads one presentation; layouts and masters are kept."""

    def __init__(self, container: zipfile.ZipFile) -> None:
        self._container = container
        self._names = {name.lower(): name for name in container.namelist()}
        self._roots: dict[str, Root | None] = {}
        self._related: dict[tuple[str, str], str] = {}

    def of(self, name: str) -> list[tuple[str, str]]:
        """(number, first line of the paragraph) of a part that shows text."""
        root = self._root(name)
        found: list[tuple[str, str]] = []
        for holder in () if root is None else root.iter():
            for body in (one for one in holder if _name(one) == "txBody"):
                found += _count(body, [_first(body, "lstStyle"), *self._above(name, holder)])
        return found

    def _above(self, name: str, shape: Root) -> Iterator[Root | None]:
        layout = self._relation(name, "/slideLayout")
        master = self._relation(layout, "/slideMaster")
        held = _held(shape)
        if held is not None:
            for one in self._shapes(layout):
                if (other := _held(one)) is not None and other[1] == held[1]:
                    yield _first(_first(one, "txBody"), "lstStyle")
            for one in self._shapes(master):
                if (other := _held(one)) is not None and (other[0] in _TITLES) == (held[0] in _TITLES):
                    yield _first(_first(one, "txBody"), "lstStyle")
        texts = _first(self._root(master), "txStyles")
        yield _first(texts, "otherStyle" if held is None else "titleStyle" if held[0] in _TITLES else "bodyStyle")

    def _shapes(self, name: str) -> list[Root]:
        root = self._root(name)
        return [] if root is None else [one for one in root.iter() if _first(one, "txBody") is not None]

    def _root(self, name: str) -> Root | None:
        if name not in self._roots:
            real = self._names.get(name.lower())
            data = self._container.read(real) if real else b""
            # Expat bounds what entities expand to; no part with a document type comes here.
            read = data and b"<!DOCTYPE" not in data[:4096]
            self._roots[name] = ElementTree.fromstring(data) if read else None  # noqa: S314
        return self._roots[name]

    def _relation(self, name: str, ending: str) -> str:
        if (name, ending) not in self._related:
            folder, file = posixpath.split(name)
            said = self._root(f"{folder}/_rels/{file}.rels") if name else None
            listed: list[Root] = [] if said is None else list(said)
            ends = [one.get("Target", "") for one in listed if one.get("Type", "").endswith(ending)]
            path = posixpath.normpath(posixpath.join("/", folder, ends[0])).lstrip("/") if ends else ""
            self._related[name, ending] = path
        return self._related[name, ending]


_TITLES = ("title", "ctrTitle")


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
            continue
        kind, start = bullets[0].get("type", ""), min(_natural(bullets[0].get("startAt", ""), 1), _MOST)
        number = min(last[1] + 1, _MOST) if last is not None and last[0] == (kind, start) else start
        lists[depth] = ((kind, start), number)
        if shown := _written(kind, number):
            found.append((shown, lines[0]))
    return found


_BULLETS = ("buNone", "buChar", "buBlip", "buAutoNum")


def _written(kind: str, number: int) -> str:
    for marks, (before, behind) in _MARKS.items():
        if kind.endswith(marks):
            match kind.removesuffix(marks):
                case "arabic":
                    said = str(number)
                case "alphaLc" | "alphaUc" if number:
                    said = repeated(number)
                case "romanLc" | "romanUc":
                    said = in_roman(number)
                case _:
                    return ""
            return before + (said.upper() if "Uc" in kind else said) + behind
    return ""


def _lines(paragraph: Root) -> list[str]:
    said = "".join(
        "\n" if _name(one) == "br" else one.text or "" for one in paragraph.iter() if _name(one) in ("t", "br")
    )
    return [line for line in said.split("\n") if line.strip()]


def _held(shape: Root) -> tuple[str, str] | None:
    """(kind, index) of a frame that stands in a layout's place."""
    own = next((one for one in shape if _name(one).startswith("nv")), None)
    said = _first(_first(own, "nvPr"), "ph")
    return None if said is None else (said.get("type", "obj"), said.get("idx", "0"))


def _first(element: Root | None, name: str) -> Root | None:
    return None if element is None else next((one for one in element if _name(one) == name), None)


def _name(element: Root) -> str:
    return element.tag.rpartition("}")[2]


def _natural(said: str, usual: int) -> int:
    return int(said) if said.isdecimal() and len(said) < 8 else usual
