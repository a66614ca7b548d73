"""The numbers and bullets that an OpenDocument text or slide shows in front of items and headings, counted for the
proof (OpenDocument 1.3 part 3, 5.3, 16.30 to 16.32)."""

from collections.abc import Iterator
from xml.etree import ElementTree

from shared.rereading.numerals import in_roman, repeated

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_MOST = 9_999
_SILENT = frozenset({"tracked-changes", "forms", "annotation", "note"})
_OUTLINE = ("outline", 0)
Levels = dict[int, ElementTree.Element]


def numbers_of_text(content: ElementTree.Element, styles: ElementTree.Element | None) -> list[tuple[str, str]]:
    """(number, text of the paragraph)."""
    counter = _Counter([root for root in (styles, content) if root is not None])
    bodies = ("{urn:oasis:names:tc:opendocument:xmlns:office:1.0}text",
              "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}presentation")  # fmt: skip
    body = next((one for one in content.iter() if one.tag in bodies), None)
    if body is not None:
        counter.walk(body)
    return counter.found


class _Counter:
    def __init__(self, roots: list[ElementTree.Element]) -> None:
        self.found: list[tuple[str, str]] = []
        self._levels: dict[str, Levels] = {}
        self._list_of: dict[str, str] = {}
        self._based: dict[str, str] = {}
        self._plain: set[str] = set()
        self._counts: dict[tuple[str, int], dict[int, int]] = {}
        self._nth = 0
        for one in (one for root in roots for one in root.iter()):
            name = one.get(f"{_STYLE}name", "")
            if one.tag == f"{_STYLE}style":
                self._based[name] = one.get(f"{_STYLE}parent-style-name", "")
                if any(inner.get(f"{_TEXT}enable-numbering") == "false" for inner in one):
                    self._plain.add(name)
                if one.get(f"{_STYLE}list-style-name"):
                    self._list_of[name] = one.get(f"{_STYLE}list-style-name", "")
            elif one.tag in (f"{_TEXT}list-style", f"{_TEXT}outline-style"):
                kept = "outline" if one.tag.endswith("outline-style") else name
                self._levels[kept] = {_natural(level.get(f"{_TEXT}level"), 0): level for level in one}

    def walk(self, element: ElementTree.Element) -> None:
        for one in element:
            name = one.tag.rpartition("}")[2]
            if name in _SILENT:
                continue
            if one.tag == f"{_TEXT}list":
                self._list(one, 1, None)
            elif one.tag == f"{_TEXT}h":
                self._heading(one)
                self.walk(one)
            else:
                self.walk(one)

    def _heading(self, one: ElementTree.Element) -> None:
        said = "".join(_shown(one))
        if one.get(f"{_TEXT}is-list-header") != "true" and said.strip():
            depth = _natural(one.get(f"{_TEXT}outline-level"), 1)
            self._note(_OUTLINE, depth, None, said)

    def _list(self, element: ElementTree.Element, depth: int, key: tuple[str, int] | None) -> None:
        style = element.get(f"{_TEXT}style-name", "") or self._style_inside(element)
        if style or key is None:
            on = element.get(f"{_TEXT}continue-numbering") == "true" or depth > 1
            self._nth += not on or not self._nth
            key = (style, self._nth)
        for item in element:
            if item.tag not in (f"{_TEXT}list-item", f"{_TEXT}list-header"):
                continue
            begun = item.tag == f"{_TEXT}list-item"
            first = True
            number = self._count(key, depth, item.get(f"{_TEXT}start-value")) if begun else ""
            for one in item:
                if one.tag == f"{_TEXT}list":
                    self._list(one, depth + 1, key)
                elif one.tag == f"{_TEXT}h":
                    self._heading(one)
                elif one.tag == f"{_TEXT}p":
                    if first and number and one.get(f"{_TEXT}style-name") not in self._plain:
                        self.found.append((number, "".join(_shown(one))))
                    first = False
                    self.walk(one)

    def _style_inside(self, element: ElementTree.Element) -> str:
        paragraph = next(element.iter(f"{_TEXT}p"), None)
        name = paragraph.get(f"{_TEXT}style-name", "") if paragraph is not None else ""
        for _ in range(20):
            if not name or name in self._list_of:
                break
            name = self._based.get(name, "")
        return self._list_of.get(name, "")

    def _note(self, key: tuple[str, int], depth: int, start: str | None, said: str) -> None:
        if number := self._count(key, depth, start):
            self.found.append((number, said))

    def _count(self, key: tuple[str, int], depth: int, start: str | None) -> str:
        levels = self._levels.get(key[0], {})
        level = levels.get(depth)
        sign = level.get(f"{_TEXT}bullet-char", "").strip() if level is not None else ""
        if level is not None and (sign or level.tag == f"{_TEXT}list-level-style-image"):
            return sign if sign in ("-", "\u2013", "\u2014") else "\u2022"
        if level is None or _form(level, 1) is None:
            return ""
        counts = self._counts.setdefault(key, {})
        first = _natural(level.get(f"{_TEXT}start-value"), 1)
        counts[depth] = min(counts[depth] + 1, _MOST) if depth in counts else first
        if start and start.isdecimal():
            counts[depth] = min(int(start[:9]), _MOST)
        for above in range(1, depth):
            one = levels.get(above)
            counts.setdefault(above, _natural(one.get(f"{_TEXT}start-value"), 1) if one is not None else 1)
        for below in [one for one in counts if one > depth]:
            del counts[below]
        steps = min(max(_natural(level.get(f"{_TEXT}display-levels"), 1), 1), depth)
        parts: list[str] = []
        for above in range(depth - steps + 1, depth + 1):
            one = levels.get(above)
            part = _form(one, counts[above]) if one is not None else str(counts[above])
            # A level that is no number is counted in figures.
            parts.append(str(counts[above]) if part is None else part)
        before, behind = level.get(f"{_STYLE}num-prefix", ""), level.get(f"{_STYLE}num-suffix", "")
        return f"{before}{'.'.join(parts)}{behind}".strip()


def _form(level: ElementTree.Element, number: int) -> str | None:
    match level.get(f"{_STYLE}num-format", ""):
        case "1":
            return str(number)
        case "i" | "I" as form:
            return in_roman(number) if form == "i" else in_roman(number).upper()
        case "a" | "A" as form if number > 0:
            return repeated(number) if form == "a" else repeated(number).upper()
        case _:
            return None


def _shown(paragraph: ElementTree.Element) -> Iterator[str]:
    """The text up to the first break."""
    yield paragraph.text or ""
    for one in paragraph:
        name = one.tag.rpartition("}")[2]
        if name == "line-break":
            return
        if name not in _SILENT and "drawing" not in one.tag and name not in ("number", "ruby-text"):
            yield from _shown(one)
        yield one.tail or ""


def _natural(said: str | None, usual: int) -> int:
    return min(int(said), _MOST) if said and said.isdecimal() and len(said) < 5 else usual
