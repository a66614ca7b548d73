"""The visible text of a web page as the standard library's tokenizer returns it. Where markup is broken, so that it is
not sure what is shown, it has the text."""

import re
from html.parser import HTMLParser
from pathlib import Path

from shared.domain.raw_page import SecondText
from shared.rereading.charsets import likely_charset

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_UNSHOWN = frozenset((
    "head", "script", "style", "template", "noscript", "title", "iframe", "object", "video", "audio", "canvas",
    "noembed", "noframes", "datalist", "rp", "annotation", "annotation-xml", "desc",
))  # fmt: skip
# An element of these may end without saying so: it cannot be told where what they hide ends.
_OPEN_ENDED = frozenset(("p", "li", "dt", "dd", "td", "th", "tr", "option", "body", "html", "thead", "tbody"))
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([\w.:-]+)|encoding\s*=\s*[\"']([\w.:-]+)", re.I)
_ALIASES = {
    "iso-8859-1": "windows-1252", "latin1": "windows-1252", "us-ascii": "windows-1252", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs",
}  # fmt: skip


def reread_html(path: Path) -> SecondText:
    return SecondText(visible_text(path.read_bytes()), offsets=False)


def visible_text(data: bytes, charset: str = "") -> str:
    """The text of a page; `charset` is what is known of it before the page says so itself."""
    reader = _Visible()
    try:
        text = data.decode(charset or "ascii")
    except (LookupError, ValueError):
        text = _text(data)
    reader.feed(text)
    reader.close()
    return "".join(reader.found)


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._hidden_by = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == self._hidden_by:
            self._depth += 1
        elif self._hidden_by == "head" and tag == "body":
            self._hidden_by = ""
        elif tag == "img" and not self._hidden_by and not self._hides(tag, dict(attrs)):
            self.found.append(f" {next((said for name, said in attrs if name == 'alt'), '') or ''} ")
        elif not self._hidden_by and tag not in _VOID and self._hides(tag, dict(attrs)):
            self._hidden_by, self._depth = tag, 1

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden_by:
            self._depth -= 1
            if self._depth == 0:
                self._hidden_by = ""

    def handle_data(self, data: str) -> None:
        if not self._hidden_by:
            self.found.append(data)

    @staticmethod
    def _hides(tag: str, said: dict[str, str | None]) -> bool:
        if tag in _UNSHOWN or (tag == "dialog" and "open" not in said):
            return True
        return tag not in _OPEN_ENDED and ("hidden" in said or bool(_HIDING.search(said.get("style") or "")))


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
    return data.decode(likely_charset(data))
