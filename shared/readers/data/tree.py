"""Data as a tree, and its blocks: groups are sections, what they say of themselves lines of label and value, and groups
that are alike the rows of a table."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from shared.domain.geometry import TextRange
from shared.readers.parts import PASSAGE_CHARACTERS, Block, CellBlock, GridBlock, HeadingBlock, PassageBlock, PlacedLine

# A value with more characters is no cell of a table.
CELL_CHARACTERS: Final = 300
MAX_COLUMNS: Final = 60
# What is deeper stands in one line with what is around it.
DEEPEST_SECTION: Final = 8
# What documents call the heading of a part.
_HEADS: Final = ("title", "head")
_TITLES: Final = ("title", "name", "id", "key")


class Node(NamedTuple):
    """A scalar as it is shown, a list, or a group of named members; it stands at `start` to `end` of the text, with its
    name. `title`: what a section of it is called; else its name."""

    value: "str | list[Node] | NamedGroup"
    start: int
    end: int
    title: str | None = None


class NamedGroup(NamedTuple):
    """Members in their order; several may have one name."""

    members: list[tuple[str, Node]]


def count_of(node: Node) -> int:
    """How many values a node has, itself included."""
    found, todo = 0, [node]
    while todo:
        value = todo.pop().value
        found += 1
        if isinstance(value, NamedGroup):
            todo += (member for _, member in value.members)
        elif not isinstance(value, str):
            todo += value
    return found


def blocks_of(node: Node, depth: int = 1) -> Iterator[Block]:
    """What a node says, without its own name."""
    value = node.value
    if isinstance(value, str):
        yield from _passages(list(_lines("", node)))
    elif isinstance(value, NamedGroup):
        yield from _group(value, depth)
    else:
        yield from _list(value, depth)


def _group(group: NamedGroup, depth: int) -> Iterator[Block]:
    if _flows(group):
        for _, member in group.members:
            if not _is_inner(member):
                yield from _passages(list(_lines("", member)))
                continue
            if title := member.title or _heads(member):
                yield _heading(title, member, depth)
            yield from blocks_of(member, depth + 1 if title else depth)
        return
    lines: list[PlacedLine] = []
    inner: list[tuple[str, Node]] = []
    for name, member in group.members:
        if depth <= DEEPEST_SECTION and _is_inner(member):
            inner.append((name, member))
        else:
            lines += _lines(f"{name}: ", member)
    yield from _passages(lines)
    for name, member in inner:
        if _is_titled(member):
            yield from blocks_of(member, depth)
            continue
        yield _heading(member.title or name, member, depth)
        yield from blocks_of(member, depth + 1)


def _is_titled(node: Node) -> bool:
    """Whether a node is a list of what has titles of its own."""
    return isinstance(node.value, list) and all(item.title for item in node.value)


def _flows(group: NamedGroup) -> bool:
    """Whether a group reads on, as a chapter does: one name comes again and again, among groups and behind one."""
    inner = [_is_inner(member) for _, member in group.members]
    said = [name for (name, _), holds in zip(group.members, inner, strict=True) if not holds]
    first = inner.index(True) if True in inner else len(inner)
    return len({*said}) < len(said) and not all(inner[first:])


def _heads(node: Node) -> str:
    members = node.value.members if isinstance(node.value, NamedGroup) else []
    return next((one.value for name, one in members if name in _HEADS and isinstance(one.value, str)), "")


def _list(items: Sequence[Node], depth: int) -> Iterator[Block]:
    table = _table(items)
    if table is not None:
        yield table
    elif depth > DEEPEST_SECTION or not any(_is_inner(item) for item in items):
        yield from _passages([line for item in items for line in _lines("", item)])
    else:
        for item in items:
            title = item.title or _title(item)
            if title:
                yield _heading(title, item, depth)
            yield from blocks_of(item, depth + 1 if title else depth)


def _is_inner(node: Node) -> bool:
    """Whether a node is a section of its own: a group, or a list of such."""
    if isinstance(node.value, NamedGroup):
        return bool(node.value.members)
    return isinstance(node.value, list) and any(_is_inner(item) for item in node.value)


def _title(item: Node) -> str:
    """What an item of a list is called: its first short member with a name that says so, else its first short one."""
    members = item.value.members if isinstance(item.value, NamedGroup) else []
    short = [(name, one.value) for name, one in members if isinstance(one.value, str) and 0 < len(one.value) <= 100]
    named = [said for title in _TITLES for name, said in short if name.lower() == title]
    return next(iter([*named, *(said for _, said in short)]), "")


def _table(items: Sequence[Node]) -> GridBlock | None:
    """Groups without titles whose members are short, as rows; None for anything else."""
    groups = [_spread(item.value) for item in items if isinstance(item.value, NamedGroup) and item.value.members]
    if len(groups) < len(items) or len(groups) < 2 or any(item.title for item in items):
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
    return GridBlock([[_cell(first[name], name) for name in columns], *rows], header_rows=1)


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
    """A value in one text: lists divided by commas, groups by semicolons. Behind `most` characters no more is added."""
    found: list[str] = []
    length = 0
    todo: list[Node | str] = [node]
    while todo and (most is None or length <= most):
        one = todo.pop()
        if isinstance(one, str) or isinstance(one.value, str):
            said = one if isinstance(one, str) else str(one.value)
            found.append(said)
            length += len(said)
        elif isinstance(one.value, NamedGroup):
            pieces = [piece for name, member in one.value.members for piece in ("; ", f"{name}: ", member)]
            todo += reversed(pieces[1:] or ["{}"])
        else:
            pieces = [piece for item in one.value for piece in (", ", item)]
            todo += reversed(pieces[1:] or ["[]"])
    return "".join(found)


def _lines(label: str, node: Node) -> Iterator[PlacedLine]:
    """Label and value; the lines of a longer value, and pieces of one that is too long for a passage."""
    first, *more = shown_of(node).splitlines() or [""]
    for line in (f"{label}{first}", *more):
        for piece in pieces_of(" ".join(line.split())):
            yield _line(piece, node)


def pieces_of(text: str) -> Iterator[str]:
    """The text, or pieces of it that end between words where there are any."""
    at = 0
    while len(text) - at > PASSAGE_CHARACTERS:
        end = text.rfind(" ", at + 1, at + PASSAGE_CHARACTERS) + 1 or at + PASSAGE_CHARACTERS
        yield text[at:end].strip()
        at = end
    yield text[at:].strip()


def _passages(lines: Sequence[PlacedLine]) -> Iterator[Block]:
    """Lines together, as long as they fit in a passage."""
    together: list[PlacedLine] = []
    length = 0
    for line in lines:
        if together and length + len(line.text) > PASSAGE_CHARACTERS:
            yield PassageBlock("list", together)
            together, length = [], 0
        together.append(line)
        length += len(line.text)
    if together:
        yield PassageBlock("list", together)


def _heading(title: str, node: Node, depth: int) -> HeadingBlock:
    return HeadingBlock([_line(" ".join(title.split()), node)], depth)


def _line(text: str, node: Node) -> PlacedLine:
    return PlacedLine(text, TextRange(start=node.start, end=node.end))


def grouped(members: Sequence[tuple[str, Node]]) -> NamedGroup:
    """A group in which neighbours of one name that are groups are a list under it, as XML and calendars have lists."""
    found: list[tuple[str, Node]] = []
    run: list[Node] = []
    for name, node in members:
        if not isinstance(node.value, NamedGroup):
            run = []
        elif run and found[-1][0] == name:
            run.append(node)
            found[-1] = name, Node(run, run[0].start, node.end)
            continue
        else:
            run = [node]
        found.append((name, node))
    return NamedGroup(found)
