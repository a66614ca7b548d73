"""XML as a tree with places, by expat. What an entity stands for that the document or another file declares is never
looked up: it is shown as it is written, so that none can grow or reach outside."""

import re
from collections.abc import Sequence
from itertools import accumulate
from textwrap import dedent
from typing import Any, Final
from xml.parsers import expat

from shared.readers.code.definition import LineStarts
from shared.readers.data.tree import CELL_CHARACTERS, MAX_VALUES, NamedGroup, Node, group_of, list_of, listed, scalar_of

DEEPEST: Final = 200
# Between the namespace of a name and the name.
_BETWEEN: Final = " "
_SPACE: Final = re.compile(r"\s+")
_LONG_TAG: Final = re.compile(r"<[^<>!?][^<>]{100000}")
_TAG: Final = re.compile(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*'|(?!))*+>")
# What begins an entity that XML itself does not know is one of these, which is in no text, until it is shown.
_NONCHARACTERS: Final = tuple(map(chr, range(0xFDD0, 0xFDF0)))
_ENTITY: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);|#)")


class _Element:
    """An element: what it has been seen to hold. Its text are the pieces of the file's from `begin` to `until`, `own`
    that without text of elements in it; what elements in it say in attributes stands from `noted` to `noted_until`."""

    __slots__ = (
        "attributes", "begin", "end", "has_words", "inner", "keeps_lines", "name", "noted", "noted_until", "own",
        "start", "tag_end", "until",
    )  # fmt: skip

    def __init__(
        self, name: str, start: int, tag_end: int, attributes: Sequence[tuple[str, Node]], noted: int, begin: int
    ) -> None:
        self.name, self.start, self.tag_end, self.attributes = name, start, tag_end, attributes
        self.noted, self.begin = noted, begin
        self.noted_until = self.until = self.end = 0
        self.own: list[str] = []
        self.inner: list[_Element] = []
        self.has_words = self.keeps_lines = False


def xml_of(text: str) -> Node:
    """Raises ValueError for what is not well-formed, nested deeper than DEEPEST, has more than MAX_VALUES elements and
    attributes, or a tag as long as a file."""
    if _LONG_TAG.search(text):
        raise ValueError("a tag is too long")
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._lines = text, LineStarts(text)
        self._held = next((one for one in _NONCHARACTERS if one not in text), "")
        if not self._held:
            raise ValueError("no sign is left to stand for an entity")
        self._around = [_Element("", 0, 0, (), 0, 0)]
        self._pieces: list[str] = []
        self._attributes: list[tuple[str, Node]] = []
        self._elements = 0
        self._is_plist = False
        self._parser: Any = expat.ParserCreate("utf-8", _BETWEEN)
        self._parser.ordered_attributes = self._parser.specified_attributes = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartCdataSectionHandler = self._quoted

    def read(self) -> Node:
        try:
            self._parser.Parse(_ENTITY.sub(self._held, self._text).encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise ValueError(str(error)) from None
        [element] = self._around[0].inner
        name, root = self._member(element)
        return root if root.is_inner else group_of([(name, root)], root.start, root.end)

    def _at(self) -> int:
        number = self._parser.CurrentLineNumber - 1
        return min(self._lines.begin(number) + self._parser.CurrentColumnNumber, len(self._text))

    def _start(self, name: str, attributes: list[str]) -> None:
        self._elements += 1
        if len(self._around) > DEEPEST or self._elements + len(self._attributes) > MAX_VALUES:
            raise ValueError("too deep, or too many")
        start = self._at()
        tag = _TAG.match(self._text, start)
        tag_end = tag.end() if tag else start + 1
        self._is_plist = self._is_plist or (self._elements == 1 and name == "plist")
        own = [
            (_local(key), scalar_of(value.replace(self._held, "&"), start, tag_end))
            for key, value in zip(attributes[::2], attributes[1::2], strict=True)
        ]
        self._attributes += own
        element = _Element(_local(name), start, tag_end, own, len(self._attributes), len(self._pieces))
        self._around[-1].inner.append(element)
        self._around.append(element)
        self._pieces.append("")

    def _end(self, _name: str) -> None:
        closed = self._around.pop()
        is_empty = self._text[closed.tag_end - 2 : closed.tag_end] == "/>"
        closed.end = closed.tag_end if is_empty else self._text.find(">", self._at()) + 1 or len(self._text)
        closed.until, closed.noted_until = len(self._pieces), len(self._attributes)
        if not closed.has_words:
            self._pieces[closed.begin] = " "
            self._pieces.append(" ")

    def _member(self, element: _Element) -> tuple[str, Node]:
        """An element that is kept, with its name. Text is put together for no element that stands in another's."""
        return element.name, (self._of_plist if self._is_plist else self._node)(element)

    def _text_of(self, element: _Element) -> str:
        return "".join(self._pieces[element.begin + 1 : element.until])

    def _node(self, closed: _Element, held: Sequence[tuple[str, Node]] | None = None) -> Node:
        reads = closed.has_words or not closed.inner
        text = self._text_of(closed) if reads else "".join(closed.own)
        said = dedent(text).strip() if closed.keeps_lines else _SPACE.sub(" ", text).strip()
        if reads and closed.inner:
            # Text with elements in it is read as it reads, what their attributes say before it.
            notes = self._attributes[closed.noted : closed.noted_until]
            node = scalar_of(said, closed.start, closed.end, notes)
            members = [*closed.attributes, ("text", node)] if closed.attributes else []
        else:
            node = scalar_of(said, closed.start, closed.end)
            members = listed([*closed.attributes, *(map(self._member, closed.inner) if held is None else held)])
            members = [*members, ("text", node)] if said and members else members
        labels = {name for name, _ in closed.attributes} | {"text"}
        flow = _flow(members) - labels
        return group_of(members, closed.start, closed.end, flow=flow) if members else node

    def _of_plist(self, closed: _Element) -> Node:
        """A property list says its names in elements of their own, and two values by elements that are empty."""
        start, end = closed.start, closed.end
        if closed.name not in ("array", "dict", "plist"):
            return self._plain_of_plist(closed)
        members = [*map(self._member, closed.inner)]
        values = [node for _, node in members]
        match closed.name:
            case "array":
                return list_of(values, start, end)
            case "dict":
                if len(values) % 2 or any(name != "key" for name, _ in members[::2]):
                    raise ValueError("names without values")
                pairs = zip(values[::2], values[1::2], strict=True)
                return group_of([(str(key.value), one._replace(start=key.start)) for key, one in pairs], start, end)
            case _ if values and isinstance(values[-1].value, NamedGroup) and values[-1].value.members:
                return group_of([*closed.attributes, *members[:-1], *values[-1].value.members], start, end)
            case _:
                return self._node(closed, members)

    def _plain_of_plist(self, closed: _Element) -> Node:
        match closed.name:
            case "true" | "false":
                return scalar_of(closed.name, closed.start, closed.end)
            case "data":
                text = self._text_of(closed)
                return Node("".join(text.split()), closed.start, closed.end, is_bytes=len(text) > CELL_CHARACTERS)
            case _:
                return self._node(closed)

    def _characters(self, said: str) -> None:
        around = self._around[-1]
        said = said.replace(self._held, "&")
        self._pieces.append(said)
        around.own.append(said)
        around.has_words = around.has_words or any(map(str.isalnum, said))

    def _quoted(self) -> None:
        self._around[-1].keeps_lines = True


def _local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition(_BETWEEN)[2]


def _flow(members: Sequence[tuple[str, Node]]) -> frozenset[str]:
    """The names of what stands before and behind a group: paragraphs around a section of a chapter."""
    held = [*accumulate(member.is_inner for _, member in members)]
    first = {name: at for at, (name, member) in [*enumerate(members)][::-1] if not member.is_inner}
    return frozenset(
        name for at, (name, member) in enumerate(members) if not member.is_inner and held[at] > held[first[name]]
    )
