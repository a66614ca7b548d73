"""Data as a tree, and its blocks: groups are sections, what they say of themselves lines of label and value, and groups
that are alike the rows of a table."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from shared.domain.geometry import TextRange
from shared.readers.blocks import (
    Block,
    CellBlock,
    GridBlock,
    HeadingBlock,
    LeftOutBlock,
    PassageBlock,
    PlacedLine,
    as_head,
)
from shared.readers.parts import PASSAGE_CHARACTERS
from shared.readers.sheets.pieces import WINDOW_CELLS, WINDOW_ROWS

# A file with more values, about 3 kB each while it is read, is read as text.
MAX_VALUES: Final = 200_000
# A value with more characters is no cell of a table.
CELL_CHARACTERS: Final = 300
MAX_COLUMNS: Final = 60
# What is deeper stands in one line with what is around it.
DEEPEST_SECTION: Final = 8
# What documents call the heading of a part.
_HEADS: Final = ("title", "head")
_TITLES: Final = ("title", "name", "id", "key")
_BYTES: Final = re.compile(r"(?:data:[\w/.+;=-]{0,200},)?[A-Za-z0-9+/_-]{60,}+(?:\s++[A-Za-z0-9+/_-]++|(?!))*+={0,2}")


class Node(NamedTuple):
    """A scalar as it is shown, a list, or a group of named members; it stands at `start` to `end` of the text, with its
    name. `title`: what a section of it is called; else its name. `is_inner`: it is a section of its own, a group or a
    list with one. `is_bytes`: no text, but a picture or a key in letters. `notes` are said of pieces of its text."""

    value: "str | list[Node] | NamedGroup"
    start: int
    end: int
    title: str | None = None
    is_inner: bool = False
    is_bytes: bool = False
    notes: "Sequence[tuple[str, Node]]" = ()


class NamedGroup(NamedTuple):
    """Members in their order; several may have one name. A group with names in `flow` reads on, as a chapter does: it
    is read in its order, and what has these names without them."""

    members: list[tuple[str, Node]]
    flow: frozenset[str] = frozenset()


def scalar_of(text: str, start: int, end: int, notes: Sequence[tuple[str, Node]] = ()) -> Node:
    return Node(text, start, end, is_bytes=is_bytes(text), notes=notes)


def list_of(items: list[Node], start: int, end: int) -> Node:
    return Node(items, start, end, is_inner=any(item.is_inner for item in items))


def group_of(
    members: list[tuple[str, Node]], start: int, end: int, title: str | None = None, flow: frozenset[str] = frozenset()
) -> Node:
    return Node(NamedGroup(members, flow), start, end, title, is_inner=bool(members))


def is_bytes(text: str) -> bool:
    """Whether a text is longer than a cell and in base64: it has hardly any spaces, and capitals, small letters and
    digits mix, as they do in no sequence of bases and no hexadecimal number."""
    if len(text) <= CELL_CHARACTERS or _BYTES.fullmatch(text.strip()) is None:
        return False
    return len(text) > 40 * len(text.split()) and all(re.search(kind, text) for kind in ("[A-Z]", "[a-z]", "[0-9]"))


def blocks_of(node: Node, depth: int = 1) -> Iterator[Block]:
    """What a node says, without its own name."""
    if isinstance(node.value, NamedGroup):
        yield from _group(node.value, depth)
    elif isinstance(node.value, str):
        yield from _said([("", node)])
    else:
        yield from _list(node.value, depth)


def _group(group: NamedGroup, depth: int) -> Iterator[Block]:
    said: list[tuple[str, Node]] = []
    inner: list[tuple[str, Node]] = []
    for name, member in group.members:
        if depth > DEEPEST_SECTION or not member.is_inner:
            said.append(("" if name in group.flow else f"{name}: ", member))
        elif group.flow:
            yield from _said(said)
            said.clear()
            yield from _section(_heading_within(member), member, depth)
        else:
            inner.append((name, member))
    yield from _said(said)
    for name, member in inner:
        yield from blocks_of(member, depth) if _is_titled(member) else _section(member.title or name, member, depth)


def _section(title: str, node: Node, depth: int) -> Iterator[Block]:
    """What a node says, under its title if it has one. What has a title of its own is about one thing: what it says of
    itself holds for all of it."""
    if title:
        yield HeadingBlock([_line(" ".join(title.split()), node)], depth)
    blocks = blocks_of(node, depth + 1)
    yield from as_head(blocks) if node.title else blocks


def _is_titled(node: Node) -> bool:
    """Whether a node is a list of what has titles of its own."""
    return isinstance(node.value, list) and all(item.title for item in node.value)


def _heading_within(node: Node) -> str:
    """The title that a section of a chapter has, or says."""
    members = node.value.members if isinstance(node.value, NamedGroup) else []
    heads = (one.value for name, one in members if name in _HEADS and isinstance(one.value, str))
    return node.title or next(heads, "")


def _list(items: Sequence[Node], depth: int) -> Iterator[Block]:
    rows = _table(items)
    if rows is not None:
        yield from _windows(rows)
    elif depth > DEEPEST_SECTION or not any(item.is_inner for item in items):
        yield from _said([("", item) for item in items])
    else:
        for item in items:
            yield from _section(item.title or _title(item), item, depth)


def _title(item: Node) -> str:
    """What an item of a list is called: its first short member with a name that says so, else its first short one."""
    members = item.value.members if isinstance(item.value, NamedGroup) else []
    short = [(name, one.value) for name, one in members if isinstance(one.value, str) and 0 < len(one.value) <= 100]
    named = [said for title in _TITLES for name, said in short if name.lower() == title]
    return next(iter([*named, *(said for _, said in short)]), "")


def _table(items: Sequence[Node]) -> list[list[CellBlock]] | None:
    """Groups without titles whose members are short, as rows below their names; None for anything else."""
    groups = [_spread(item.value) for item in items if isinstance(item.value, NamedGroup) and item.value.members]
    if len(groups) < len(items) or len(groups) < 2 or any(map(_has_titles, items)):
        return None
    columns = dict.fromkeys(name for group in groups for name, _ in group.members)
    held = sum(len(group.members) for group in groups)
    if len(columns) > MAX_COLUMNS or 2 * held < len(columns) * len(groups):
        return None
    rows: list[list[CellBlock]] = []
    for group in groups:
        members = dict(group.members)
        shown = {name: shown_of(member, CELL_CHARACTERS) for name, member in members.items()}
        if len(members) < len(group.members) or any(len(said) > CELL_CHARACTERS for said in shown.values()):
            return None
        rows.append([_cell(members.get(name), shown.get(name, "")) for name in columns])
    first = {name: member for group in reversed(groups) for name, member in group.members}
    return [[_cell(first[name], name) for name in columns], *rows]


def _has_titles(item: Node) -> bool:
    members = item.value.members if isinstance(item.value, NamedGroup) else []
    return item.title is not None or any(member.title is not None for _, member in members)


def _windows(rows: list[list[CellBlock]]) -> Iterator[GridBlock]:
    """A long table in windows below the same header, as a sheet has it: none of its parts grows without bound."""
    header, *body = rows
    size = max(1, min(WINDOW_ROWS, WINDOW_CELLS // len(header)))
    for at in range(0, len(body), size):
        yield GridBlock([header, *body[at : at + size]], header_rows=1)


def _spread(group: NamedGroup) -> NamedGroup:
    """The members of a row; those of a group in it stand by themselves, under both names."""
    found: list[tuple[str, Node]] = []
    for name, member in group.members:
        inner = member.value.members if isinstance(member.value, NamedGroup) else []
        found += [(f"{name}.{own}", one) for own, one in inner] or [(name, member)]
    return NamedGroup(found)


def _cell(member: Node | None, said: str) -> CellBlock:
    text = " ".join(said.split())
    return CellBlock([_line(text, member)] if member and text else [])


def shown_of(node: Node, most: int | None = None) -> str:
    """A value in one text: lists divided by commas, groups by semicolons, as notes are from their text. Behind
    `most` characters no more is added."""
    found: list[str] = []
    length = 0
    todo: list[Node | str] = [node]
    while todo and (most is None or length <= most):
        one = todo.pop()
        if isinstance(one, str) or (isinstance(one.value, str) and not one.notes):
            said = one if isinstance(one, str) else str(one.value)
            found.append(said)
            length += len(said)
        elif isinstance(one.value, str):
            todo += reversed([one.value, *(piece for name, note in one.notes for piece in ("; ", f"{name}: ", note))])
        elif isinstance(one.value, NamedGroup):
            pieces = [piece for name, member in one.value.members for piece in ("; ", f"{name}: ", member)]
            todo += reversed(pieces[1:] or ["{}"])
        else:
            pieces = [piece for item in one.value for piece in (", ", item)]
            todo += reversed(pieces[1:] or ["[]"])
    return "".join(found)


def _said(said: Sequence[tuple[str, Node]]) -> Iterator[Block]:
    """Values behind their labels, as passages; behind them what is no text."""
    lines = [line for label, node in said if not node.is_bytes for line in _lines(label, node)]
    if lines:
        yield PassageBlock("list", lines)
    for label, node in said:
        if node.is_bytes:
            yield LeftOutBlock("decoration", [_line(f"{label}{node.value}", node)])


def _lines(label: str, node: Node) -> Iterator[PlacedLine]:
    """Label and value; the lines of a longer value, with their indentation, and pieces of one that is too long for a
    passage."""
    for name, note in node.notes:
        yield from _lines(f"{name}: ", note)
    first, *more = shown_of(node._replace(notes=())).splitlines() or [""]
    for line in (f"{label}{first}", *more) if more else (" ".join(f"{label}{first}".split()),):
        for piece in _pieces(line.rstrip()):
            yield _line(piece, node)


def _pieces(text: str) -> Iterator[str]:
    """The text, or pieces of it that end between words where there are any."""
    at = 0
    while len(text) - at > PASSAGE_CHARACTERS:
        end = text.rfind(" ", at + 1, at + PASSAGE_CHARACTERS) + 1 or at + PASSAGE_CHARACTERS
        yield text[at:end].rstrip()
        at = end
    yield text[at:]


def _line(text: str, node: Node) -> PlacedLine:
    return PlacedLine(text, TextRange(start=node.start, end=node.end))


def listed(members: Sequence[tuple[str, Node]]) -> list[tuple[str, Node]]:
    """The members; neighbours of one name that are groups are a list under it, as XML and calendars have lists."""
    found: list[tuple[str, Node]] = []
    for name, run in groupby(members, key=lambda one: (one[0], isinstance(one[1].value, NamedGroup))):
        nodes = [node for _, node in run]
        if len(nodes) > 1 and name[1]:
            found.append((name[0], list_of(nodes, nodes[0].start, nodes[-1].end)))
        else:
            found += ((name[0], node) for node in nodes)
    return found
