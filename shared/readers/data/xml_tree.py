"""XML as a tree with places, by expat. What an entity stands for that the document or another file declares is never
looked up: it is shown as it is written, so that none can grow or reach outside."""

import re
from typing import Any, Final
from xml.parsers import expat

from shared.readers.code.definition import LineStarts
from shared.readers.data.tree import NamedGroup, Node, grouped

DEEPEST: Final = 200
# Between the namespace of a name and the name.
_BETWEEN: Final = " "
_SPACE: Final = re.compile(r"\s+")
_LONG_TAG: Final = re.compile(r"<[^<>!?][^<>]{100000}")
# What begins an entity that XML itself does not know is this character, which no text has, until it is shown.
_HELD: Final = "\ufdd0"
_ENTITY: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);|#)")


class _Open:
    """An element that is not closed: what it has been seen to hold."""

    def __init__(self, name: str, start: int) -> None:
        self.name, self.start = name, start
        self.members: list[tuple[str, Node]] = []
        self.text: list[str] = []
        self.has_text = self.has_elements = False


def xml_of(text: str) -> Node:
    """Raises ValueError for what is not well-formed, nested deeper than DEEPEST, or has a tag as long as a file."""
    if _LONG_TAG.search(text):
        raise ValueError("a tag is too long")
    return _Reader(text).read()


def local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition(_BETWEEN)[2]


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._lines = text, LineStarts(text)
        self._around = [_Open("", 0)]
        self._parser: Any = expat.ParserCreate("utf-8", _BETWEEN)
        self._parser.buffer_text = False
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def read(self) -> Node:
        try:
            self._parser.Parse(_ENTITY.sub(_HELD, self._text).encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise ValueError(str(error)) from None
        [(name, root)] = self._around[0].members
        return root if isinstance(root.value, NamedGroup) else Node(NamedGroup([(name, root)]), root.start, root.end)

    def _at(self) -> int:
        number = self._parser.CurrentLineNumber - 1
        return min(self._lines.begin(number) + self._parser.CurrentColumnNumber, len(self._text))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._around) > DEEPEST:
            raise ValueError("too deep")
        start = self._at()
        around = self._around[-1]
        around.has_elements = True
        opened = _Open(local(name), start)
        opened.members += [
            (local(key), Node(value.replace(_HELD, "&"), start, start))
            for key, value in attributes.items()
            if value.strip()
        ]
        self._around.append(opened)

    def _end(self, name: str) -> None:
        closed = self._around.pop()
        around = self._around[-1]
        end = self._text.find(">", self._at()) + 1 or len(self._text)
        text = "".join(closed.text)
        said = _SPACE.sub(" ", text).strip() if closed.has_text else ""
        members = [(key, one if one.end > one.start else one._replace(end=end)) for key, one in closed.members]
        if closed.has_text and (closed.has_elements or not members):
            # Text with elements in it is read as it reads, its attributes left out.
            node = Node(said, closed.start, end)
        elif closed.has_text:
            node = Node(NamedGroup([*members, ("text", Node(said, closed.start, end))]), closed.start, end)
        else:
            node = Node(grouped(members), closed.start, end)
        if said or members:
            around.members.append((closed.name, node))
        around.text.append(text if closed.has_text else f" {text} ")

    def _characters(self, said: str) -> None:
        around = self._around[-1]
        around.text.append(said.replace(_HELD, "&"))
        around.has_text = around.has_text or not said.isspace()
