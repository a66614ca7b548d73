"""The visible text of a web page as the standard library's tokenizer returns it. Where markup is broken, so that it is
not sure what is shown, it has the text."""

import re
from html.parser import HTMLParser
from pathlib import Path

from shared.domain.raw_page import SecondText
from shared.rereading.charsets import likely_charset
from shared.rereading.numerals import in_roman, spelt

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_UNSHOWN = frozenset((
    "head", "script", "style", "template", "noscript", "title", "iframe", "object", "video", "audio", "canvas",
    "noembed", "noframes", "datalist", "rp", "annotation", "annotation-xml", "desc",
))  # fmt: skip
# An element of these may end without saying so: it cannot be told where what they hide ends.
_OPEN_ENDED = frozenset(("p", "li", "dt", "dd", "td", "th", "tr", "option", "body", "html", "thead", "tbody"))
_KINDS = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_WRITTEN = frozenset(
    ("none", "decimal", "decimal-leading-zero", "lower-alpha", "lower-latin", "upper-alpha", "upper-latin",
     "lower-roman", "upper-roman")
)  # fmt: skip
_IN_LINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "time", "tt", "u", "var", "wbr", "input", "picture", "source", "svg", "math", "nobr",
))  # fmt: skip
# What stands in one of these is a line of its own: 0 and 16 are cells, and no 016.
_LINES = frozenset((
    "p", "div", "li", "dt", "dd", "td", "th", "tr", "caption", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre",
    "section", "article", "table", "ul", "ol", "dl", "figcaption",
))  # fmt: skip
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_LIST_STYLE = re.compile(r"(?:^|;)\s*list-style(?:-type)?\s*:\s*([^;]*)", re.I)
_IN_NUMBER = frozenset(("a", "b", "big", "em", "font", "i", "small", "span", "strong", "tt", "u"))
_ABOVE: dict[str, str] = dict(zip("+-\u2212\u20130123456789", "⁺⁻⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)|encoding\s*=\s*[\"']([\w.:-]+)", re.I)
_ALIASES = {
    "iso-8859-1": "windows-1252", "latin1": "windows-1252", "us-ascii": "windows-1252", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs",
}  # fmt: skip


def reread_html(path: Path) -> SecondText:
    reader = _read(path.read_bytes())
    return SecondText("".join(reader.found), offsets=False, numbers=reader.numbers())


def visible_text(data: bytes, charset: str = "") -> str:
    """The text of a page; `charset` is what is known of it before the page says so itself."""
    return "".join(_read(data, charset).found)


def _read(data: bytes, charset: str = "") -> "_Visible":
    reader = _Visible()
    try:
        text = data.decode(charset or "ascii")
    except (LookupError, ValueError):
        text = _text(data)
    reader.feed(text)
    reader.close()
    return reader


class _List:
    def __init__(self, tag: str, said: dict[str, str | None]) -> None:
        self.tag, self.said = tag, said
        self.items: list[_Item] = []
        self.open: _Item | None = None

    def numbers(self) -> dict["_Item", int]:
        step = -1 if "reversed" in self.said else 1
        number = _whole(self.said.get("start"))
        if number is None:
            number = len(self.items) if step < 0 else 1
        found: dict[_Item, int] = {}
        for item in self.items:
            own = _whole(item.said.get("value"))
            found[item] = number if own is None else own
            number = found[item] + step
        return found


class _Item:
    """`within`: the item that it stands in; `begun_by`: the item that stands where its own text would."""

    def __init__(self, around: _List, said: dict[str, str | None], within: "_Item | None") -> None:
        self.around, self.said, self.within, self.text = around, said, within, ""
        self.begun_by: _Item | None = None
        self.number: int | None = None

    def shown(self) -> str:
        if self.around.tag != "ol":
            styles = [_LIST_STYLE.search(one.get("style") or "") for one in (self.said, self.around.said)]
            said = next((found[1].lower() for found in styles if found), "")
            return "" if "none" in said.split() else "\u2022"
        if self.number is None:
            for item, number in self.around.numbers().items():
                item.number = number
        number, kind = self.number or 0, "decimal"
        for said in (self.around.said, self.said):
            kind = _KINDS.get((said.get("type") or "").strip(), kind)
            if styled := _LIST_STYLE.search(said.get("style") or ""):
                kind = next((word for word in styled[1].lower().split() if word in _WRITTEN), "none")
        if kind == "none":
            return ""
        if kind == "decimal-leading-zero":
            return f"{number:03}." if number < 0 else f"{number:02}."
        if kind.endswith("roman") and 0 < number < 4000:
            written = in_roman(number)
        elif kind.endswith(("alpha", "latin")) and number > 0:
            written = spelt(number)
        else:
            written = str(number)
        return f"{written.upper() if kind.startswith('upper') else written}."


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._hidden_by = ""
        self._depth = 0
        # Where the text of the `sup` that is open begins, if it may be a number; else -1.
        self._sup = -1
        # The lists that are open, and all items of numbered ones.
        self._lists: list[_List] = []
        self._items: list[_Item] = []

    def numbers(self) -> list[tuple[str, str]]:
        """The numbers that lists show, each with the text of its item, as much as is known of it. An item within
        another that has no text yet shows both."""
        found: list[tuple[str, str]] = []
        for one in self._items:
            shown = one.shown()
            if shown and one.text.strip():
                found.append((shown, one.text))
                above = one.within
                before = ""
                while above is not None and above.begun_by is one:
                    if said := above.shown():
                        before = f"{said} {before}".strip()
                        found.append((f"{before} {shown}", one.text))
                    above = above.within
        return found

    def _list_started(self, tag: str, said: dict[str, str | None]) -> None:
        if tag in ("ol", "ul", "menu", "dir", "dl"):
            self._lists.append(_List(tag, said))
        elif tag == "li" and self._lists and self._lists[-1].tag != "dl":
            one = self._lists[-1]
            if "hidden" in said or _HIDING.search(said.get("style") or ""):
                one.open = None
                return
            one.open = _Item(one, said, next((up.open for up in reversed(self._lists[:-1]) if up.open), None))
            one.items.append(one.open)
            self._items.append(one.open)
        elif tag not in _IN_LINE and self._lists and self._lists[-1].open and self._lists[-1].open.text.strip():
            self._lists[-1].open = None

    def _list_ended(self, tag: str) -> None:
        if self._lists and tag == self._lists[-1].tag:
            self._lists.pop()
            if self._lists and self._lists[-1].open and self._lists[-1].open.text.strip():
                self._lists[-1].open = None
        elif self._lists and (tag == "li" or tag not in _IN_LINE) and (one := self._lists[-1].open):
            self._lists[-1].open = None if tag == "li" or one.text.strip() else one

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LINES:
            self.found.append("\n")
        if tag == "sup" or tag not in _IN_NUMBER:
            self._sup = len(self.found) if tag == "sup" else -1
        if not self._hidden_by and not self._hides(tag, dict(attrs)):
            self._list_started(tag, dict(attrs))
        if tag == self._hidden_by:
            self._depth += 1
        elif self._hidden_by == "head" and tag == "body":
            self._hidden_by = ""
        elif tag == "img" and not self._hidden_by and not self._hides(tag, dict(attrs)):
            self.handle_data(f" {next((said for name, said in attrs if name == 'alt'), '') or ''} ")
        elif not self._hidden_by and tag not in _VOID and self._hides(tag, dict(attrs)):
            self._hidden_by, self._depth = tag, 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "sup" and self._sup >= 0:
            self._raise(self._sup)
        self._sup = self._sup if tag in _IN_NUMBER else -1
        if not self._hidden_by:
            self._list_ended(tag)
        if tag == self._hidden_by:
            self._depth -= 1
            if self._depth == 0:
                self._hidden_by = ""

    def _raise(self, start: int) -> None:
        """Where a `sup` holds a number and nothing else, that is shown above the line."""
        data = "".join(self.found[start:])
        if re.fullmatch(r"[-+\u2212\u2013]?[0-9]{1,9}", data.strip()):
            above = "".join(_ABOVE.get(letter, letter) for letter in data)
            self.found[start:] = [above]
            for one in (up.open for up in self._lists if up.open and up.open.text.endswith(data)):
                one.text = one.text.removesuffix(data) + above

    def handle_comment(self, data: str) -> None:
        self._sup = -1

    handle_pi = handle_comment

    def handle_data(self, data: str) -> None:
        if not self._hidden_by:
            self.found.append(data)
            one = next((up.open for up in reversed(self._lists) if up.open), None)
            if one is None:
                return
            one.text += data
            above = one.within if data.strip() else None
            while above is not None and above.begun_by is None and not above.text.strip():
                above.begun_by, above = one, above.within

    @staticmethod
    def _hides(tag: str, said: dict[str, str | None]) -> bool:
        if tag in _UNSHOWN or (tag == "dialog" and "open" not in said):
            return True
        return tag not in _OPEN_ENDED and ("hidden" in said or bool(_HIDING.search(said.get("style") or "")))


def _whole(said: str | None) -> int | None:
    found = re.match(r"\s*([+-]?\d{1,9})(?!\d)", said or "", re.ASCII)
    return int(found[1]) if found else None


def _text(data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    found = _CHARSET.search(data[:4096])
    said = (found[1] or found[2]).decode("ascii", "replace").lower() if found else "utf-8"
    for encoding in (_ALIASES.get(said, said), "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode(likely_charset(data), "replace")
