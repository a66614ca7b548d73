"""The numbers that Word shows in front of paragraphs, counted for the proof from what the parts of the file say
(ECMA-376 part 1, 17.9)."""

import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from shared.rereading.numerals import eastern, in_roman, repeated

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_GONE = frozenset({"del", "moveFrom", "Fallback", "rPr", "pPr", "delText", "instrText"})
_MOST = 9_999


def numbers_of_word(container: zipfile.ZipFile) -> list[tuple[str, str]]:
    """(number, first line of the paragraph), in the order of the paragraphs."""
    parts = {name.lower(): name for name in container.namelist()}
    main = _root(container, parts, r"word/document\d*\.xml")
    if main is None:
        return []
    counter = _Counter(
        _root(container, parts, r"word/numbering\d*\.xml"), _root(container, parts, r"word/styles\d*\.xml")
    )
    found: list[tuple[str, str]] = []
    for paragraph in _paragraphs(main):
        number = counter.number(paragraph)
        if number and (text := _first_line(paragraph)):
            found.append((number, text))
    return found


def _root(container: zipfile.ZipFile, parts: dict[str, str], pattern: str) -> ElementTree.Element | None:
    name = next((real for lower, real in sorted(parts.items()) if re.fullmatch(pattern, lower)), None)
    data = container.read(name) if name else b""
    # Expat bounds what entities expand to; no part with a document type comes here.
    if not data or b"<!DOCTYPE" in data[:4096]:
        return None
    return ElementTree.fromstring(data.replace(_STRICT[1:-1].encode(), _W[1:-1].encode()))  # noqa: S314


def _paragraphs(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Those that are shown; what stands in a box of text comes behind the paragraph that holds it."""
    for one in element:
        name = one.tag.rpartition("}")[2]
        if name in _GONE or (name == "tr" and one.find(f"{_W}trPr/{_W}del") is not None):
            continue
        if name == "p" and one.tag.startswith(_W):
            yield one
        yield from _paragraphs(one)


def _first_line(paragraph: ElementTree.Element) -> str:
    """Up to the first break behind some text, or up to a formula, which may be written out otherwise: of one that
    begins the paragraph its first character."""
    said = ""
    for name, text in _pieces(paragraph):
        if name == "formula":
            return said if said.strip() else text[:1]
        if name == "break" and said.strip():
            break
        said += text
    return said


def _pieces(element: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for one in element:
        name = one.tag.rpartition("}")[2]
        if name in _GONE or name == "txbxContent":
            continue
        if name in ("br", "cr"):
            yield "break", ""
        elif name == "t" and one.tag.startswith(_W):
            if element.find(f"{_W}rPr/{_W}vanish") is None:
                yield "text", one.text or ""
        elif name == "oMath":
            yield "formula", "".join("".join(said for said in one.itertext()).split())
        elif name == "noBreakHyphen":
            yield "text", "\u2011"
        elif name == "sym":
            code = one.get(f"{_W}char", "")
            yield "text", chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", code) else ""
        else:
            yield from _pieces(one)


def _said(element: ElementTree.Element | None, path: str) -> str | None:
    found = element.find("/".join(f"{_W}{step}" for step in path.split("/"))) if element is not None else None
    return found.get(f"{_W}val") if found is not None else None


class _Counter:
    def __init__(self, numbering: ElementTree.Element | None, styles: ElementTree.Element | None) -> None:
        self._styles = {one.get(f"{_W}styleId"): one for one in (styles if styles is not None else ())}
        self._default = next(
            (name for name, one in self._styles.items()
             if one.get(f"{_W}type") == "paragraph" and one.get(f"{_W}default") in ("1", "true", "on")), None,
        )  # fmt: skip
        root = numbering if numbering is not None else ElementTree.Element("none")
        abstract = {one.get(f"{_W}abstractNumId"): one for one in root.findall(f"{_W}abstractNum")}
        of_style = {said: one for one in abstract.values() if (said := _said(one, "styleLink"))}
        self._lists = {
            name: self._levels(of_style.get(_said(one, "numStyleLink") or "", one)) for name, one in abstract.items()
        }
        self._nums = {one.get(f"{_W}numId"): one for one in root.findall(f"{_W}num")}
        self._counts: dict[str | None, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    @staticmethod
    def _levels(one: ElementTree.Element) -> dict[int, ElementTree.Element]:
        levels = [(level.get(f"{_W}ilvl") or "", level) for level in one.findall(f"{_W}lvl")]
        return {int(at): level for at, level in levels if at.isdecimal() and int(at) < 9}

    def number(self, paragraph: ElementTree.Element) -> str:
        """What is shown in front of the paragraph; empty for nothing."""
        style = _said(paragraph, "pPr/pStyle") or self._default
        num = self._inherited(paragraph, style, "numId")
        if num not in self._nums:
            return ""
        one = self._nums[num]
        abstract = _said(one, "abstractNumId")
        levels = dict(self._lists.get(abstract, {}))
        starts: dict[int, int] = {}
        for over in one.findall(f"{_W}lvlOverride"):
            levels |= self._levels(over)
            begin = over.find(f"{_W}startOverride")
            if begin is not None and (over.get(f"{_W}ilvl") or "").isdecimal():
                starts[int(over.get(f"{_W}ilvl") or 0)] = _natural(begin.get(f"{_W}val"), 1)
        said = self._inherited(paragraph, style, "ilvl")
        if said is not None and said.isdecimal():
            at = int(said)
        else:
            at = next((n for n, level in levels.items() if _said(level, "pStyle") == style and style), 0)
        if at not in levels:
            return ""
        self._count(num or "", abstract, at, levels, starts)
        return self._shown(levels, at, self._counts[abstract])

    def _count(
        self, num: str, abstract: str | None, at: int, levels: dict[int, ElementTree.Element], starts: dict[int, int]
    ) -> None:
        counts = self._counts.setdefault(abstract, {})
        first = _natural(_said(levels[at], "start"), 1)
        counts[at] = min(counts[at] + 1, _MOST) if at in counts else first
        if at in starts and (num, at) not in self._begun:
            counts[at] = starts[at]
        self._begun.add((num, at))
        for above in range(at):
            counts.setdefault(above, _natural(_said(levels.get(above), "start"), 1))
        for below in [n for n in counts if n > at]:
            restart = _said(levels.get(below), "lvlRestart")
            if restart is None or at < _natural(restart, 0):
                del counts[below]

    def _shown(self, levels: dict[int, ElementTree.Element], at: int, counts: dict[int, int]) -> str:
        text = _said(levels[at], "lvlText") or ""
        if text and _said(levels[at], "numFmt") == "bullet":
            return text if re.fullmatch("[-\u2013\u2014]", text) else "\u2022"
        legal = levels[at].find(f"{_W}isLgl")
        plain = legal is not None and legal.get(f"{_W}val") not in ("0", "false", "off")
        shown, unknown = text, False
        for above in range(at + 1):
            if f"%{above + 1}" in text:
                form = "decimal" if plain else _said(levels.get(above), "numFmt") or "decimal"
                part = _in_form(counts[above], form)
                unknown |= part is None
                shown = shown.replace(f"%{above + 1}", part or "")
        return "" if unknown or shown == text else shown.strip()

    def _inherited(self, paragraph: ElementTree.Element, style: str | None, what: str) -> str | None:
        """What the paragraph says, else its style or the nearest one below that does."""
        said = _said(paragraph, f"pPr/numPr/{what}")
        for _ in range(20):
            if said or style not in self._styles:
                return said
            one = self._styles[style]
            said, style = _said(one, f"pPr/numPr/{what}"), _said(one, "basedOn")
        return said


def _natural(said: str | None, usual: int) -> int:
    return min(int(said[:20]), _MOST) if said and said.isdecimal() else usual


def _in_form(number: int, form: str) -> str | None:
    if form == "decimal":
        return str(number)
    if form == "decimalZero":
        return str(number).zfill(2)
    if form in ("lowerRoman", "upperRoman"):
        return in_roman(number) if form == "lowerRoman" else in_roman(number).upper()
    if form in ("lowerLetter", "upperLetter") and number > 0:
        return repeated(number) if form == "lowerLetter" else repeated(number).upper()
    return f"- {number} -" if form == "numberInDash" else eastern(number, form)
