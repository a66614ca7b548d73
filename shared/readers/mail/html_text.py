"""The lines of an HTML body, with the depth of the quotation in which each stands."""

import re
from html.parser import HTMLParser
from typing import Final, NamedTuple

_PARAGRAPHS: Final = frozenset((
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote", "hr",
))  # fmt: skip
_BLOCKS: Final = _PARAGRAPHS | frozenset((
    "address", "article", "aside", "body", "center", "dd", "div", "dl", "dt", "fieldset", "figure", "footer",
    "form", "header", "html", "li", "main", "nav", "section", "tbody", "tfoot", "thead", "tr", "br",
))  # fmt: skip
_SPACED: Final = frozenset({"td", "th"})
_UNSEEN: Final = frozenset({"script", "style", "head", "title", "template"})
_QUOTES: Final = re.compile(r"gmail_quote|yahoo_quoted|moz-cite|protonmail_quote|zmail_extra", re.I)
_VOID: Final = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "area", "base", "embed", "source", "wbr"})


class HtmlLine(NamedTuple):
    """A line of text; empty between paragraphs. `quoted` says that it stands in a quotation."""

    text: str
    quoted: bool


def html_lines(html: str) -> list[HtmlLine]:
    """The text as it would be read, without scripts, styles and the head."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.finish()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[HtmlLine] = []
        self._said: list[str] = []
        self._unseen = 0
        self._quotes: list[tuple[str, int]] = []
        self._depths: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        if tag == "body":
            self._unseen = 0
        self._break(tag)
        if tag in _VOID:
            return
        self._depths[tag] = self._depths.get(tag, 0) + 1
        if tag == "blockquote" or (tag == "div" and any(k == "class" and _QUOTES.search(v or "") for k, v in attrs)):
            self._quotes.append((tag, self._depths[tag]))

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        self._break(tag)
        depth = self._depths.get(tag, 0)
        if (tag, depth) in self._quotes:
            del self._quotes[self._quotes.index((tag, depth)) :]
        self._depths[tag] = max(0, depth - 1)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._said.append(data)

    def _break(self, tag: str) -> None:
        if tag in _SPACED:
            self._said.append(" ")
        elif tag in _BLOCKS and ((not self._end() and tag == "br") or tag in _PARAGRAPHS):
            self._lines.append(HtmlLine("", bool(self._quotes)))

    def _end(self) -> bool:
        """Ends the line; whether there was one."""
        said = " ".join("".join(self._said).split())
        self._said = []
        if said:
            self._lines.append(HtmlLine(said, bool(self._quotes)))
        return bool(said)

    def finish(self) -> list[HtmlLine]:
        self._end()
        return self._lines
