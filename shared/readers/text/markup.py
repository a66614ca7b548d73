"""HTML inside Markdown: what of a line is read by people, as slices of it.

A tag says nothing to a reader, but as text it hides an address (`<a name="x"></a> 5.1 Scope`), is searched and cited.
"""

import re
from collections.abc import Iterator
from typing import Final

from shared.domain.geometry import TextRange
from shared.readers.blocks import PlacedLine

# Elements that documents are written with: `Vec<T>` outside of code is text, `<span>` is none.
_ELEMENTS: Final = (
    "a|abbr|address|article|aside|b|blockquote|br|caption|center|cite|code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|"
    "figcaption|figure|font|footer|h[1-6]|header|hr|i|img|ins|kbd|li|main|mark|nav|ol|p|picture|pre|q|s|samp|section|small|"
    "source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|u|ul|var|video|wbr"
)
_CODE: Final = r"(?P<code>(?<!`)(`+)(?!`).*?(?<!`)\2(?!`))"
_COMMENT: Final = r"<!--.*?-->"
_TAG: Final = rf"(?:</?(?:{_ELEMENTS})(?=[\s/>])[^<>]*>)"
_INLINE: Final = re.compile(rf"{_CODE}|{_COMMENT}|{_TAG}", re.IGNORECASE)
# In a heading the marks of strong text and of links go as well, and a name in braces at its end.
_HEADING: Final = re.compile(
    rf"{_CODE}|{_COMMENT}|{_TAG}|\*\*|__|!?\[(?=[^\]]*\]\()|(?<=[^\\])\]\([^()\s]*\)|\s\{{#[^{{}}]*\}}$", re.IGNORECASE
)
# A block of HTML is markup whatever its elements are called; what its attributes say to people is text.
_MARKUP: Final = re.compile(r"<!--.*?(?:-->|\Z)|<[!?/]?[A-Za-z][^<>]*>", re.DOTALL)
_SAID: Final = re.compile(r"\b(?:alt|caption|title)\s*=\s*([\"'])(?P<text>.*?)\1", re.DOTALL | re.IGNORECASE)


def inline_pieces(line: PlacedLine) -> list[PlacedLine]:
    """The line without tags and comments."""
    return _pieces(line, _INLINE)


def heading_pieces(line: PlacedLine) -> list[PlacedLine]:
    """The line without tags and the marks that only format it."""
    return _pieces(line, _HEADING)


def block_pieces(text: str, start: int) -> Iterator[PlacedLine]:
    """What a block of HTML, which begins at `start`, says to people: its text, and what its attributes say."""
    at = 0
    for markup in _MARKUP.finditer(text):
        yield from _lines(text, at, markup.start(), start)
        if not markup[0].startswith("<!"):
            for said in _SAID.finditer(markup[0]):
                yield from _lines(text, markup.start() + said.start("text"), markup.start() + said.end("text"), start)
        at = markup.end()
    yield from _lines(text, at, len(text), start)


def _pieces(line: PlacedLine, marks: re.Pattern[str]) -> list[PlacedLine]:
    offset = line.place.start if isinstance(line.place, TextRange) else 0
    found: list[PlacedLine] = []
    at = 0
    for mark in marks.finditer(line.text):
        if not mark["code"]:
            found += _lines(line.text, at, mark.start(), offset)
            at = mark.end()
    return [*found, *_lines(line.text, at, len(line.text), offset)]


def _lines(text: str, start: int, end: int, offset: int) -> Iterator[PlacedLine]:
    """The lines of a slice, without white space at their ends; none for blank ones."""
    for found in re.finditer(r"[^\r\n]*\S", text[start:end]):
        said = found[0].lstrip()
        at = offset + start + found.end() - len(said)
        yield PlacedLine(said, TextRange(start=at, end=at + len(said)))
