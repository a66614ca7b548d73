"""The lines of an HTML body, with the depth of the quotation in which each stands."""

import html
import re
from typing import Final, NamedTuple

_PARAGRAPHS: Final = frozenset((
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote", "hr",
))  # fmt: skip
_BLOCKS: Final = _PARAGRAPHS | frozenset((
    "address", "article", "aside", "body", "center", "dd", "div", "dl", "dt", "fieldset", "figure", "footer",
    "form", "header", "html", "li", "main", "nav", "section", "tbody", "tfoot", "thead", "tr", "br",
))  # fmt: skip
_SPACED: Final = frozenset({"td", "th"})
_QUOTES: Final = re.compile(r"gmail_quote|yahoo_quoted|moz-cite|protonmail_quote|zmail_extra", re.I)
# No pattern begins anew inside what it has passed, so that time stays proportional to length.
_LEFT_OUT = re.compile(
    r"<!--(?:>|.*?(?:-->|\Z))|<(?P<unseen>script|style|title|template)\b[^<>]*>.*?(?:</(?P=unseen)\s*>|\Z)"
    r"|<head\b[^<>]*>.*?(?:</head\s*>|(?=<body\b)|\Z)",
    re.I | re.S,
)
_TAG = re.compile(
    r"""<(?P<close>/?)(?P<name>[a-zA-Z][^\s<>/"']*)(?P<rest>(?:"[^"]{0,20000}"|'[^']{0,20000}'|[^"'<>])*+)>|<[!?][^<>]*>"""
)
_CLASS = re.compile(r"""\bclass\s*=\s*("[^"]*"|'[^']*'|\S+)""", re.I)


class HtmlLine(NamedTuple):
    """A line of text; empty between paragraphs. `quoted` says that it stands in a quotation."""

    text: str
    quoted: bool


def html_lines(source: str) -> list[HtmlLine]:
    """The text as it would be read, without scripts, styles and the head. Tags need not be closed, nor in order."""
    lines = _Lines()
    seen = _LEFT_OUT.sub(" ", source)
    at = 0
    for tag in _TAG.finditer(seen):
        lines.say(html.unescape(seen[at : tag.start()]))
        if tag["name"]:
            lines.close(tag["name"].lower()) if tag["close"] else lines.open(tag["name"].lower(), tag["rest"])
        at = tag.end()
    lines.say(html.unescape(seen[at:]))
    return lines.finish()


class _Lines:
    def __init__(self) -> None:
        self._lines: list[HtmlLine] = []
        self._said: list[str] = []
        self._quotes: list[tuple[str, int]] = []
        self._depths: dict[str, int] = {}

    def say(self, text: str) -> None:
        self._said.append(text)

    def open(self, tag: str, attributes: str) -> None:
        self._break(tag)
        if tag not in ("blockquote", "div"):
            return
        depth = self._depths[tag] = self._depths.get(tag, 0) + 1
        named = _CLASS.search(attributes) if tag == "div" else None
        if tag == "blockquote" or (named and _QUOTES.search(named[1])):
            self._quotes.append((tag, depth))

    def close(self, tag: str) -> None:
        self._break(tag)
        depth = self._depths.get(tag, 0)
        if (tag, depth) in self._quotes:
            del self._quotes[self._quotes.index((tag, depth)) :]
        self._depths[tag] = max(0, depth - 1)

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
