"""The blocks of Markdown (CommonMark with tables), by markdown-it; text as written with its marks, without HTML."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from shared.domain.geometry import TextRange
from shared.readers.blocks import Block, CellBlock, GridBlock, HeadingBlock, PassageBlock, PlacedLine, lines_of
from shared.readers.text.markup import block_pieces, heading_pieces, inline_pieces

# Behind this many characters, the next item of a list begins a passage of its own.
LIST_CHARACTERS = 900
BULLET: Final = "\u2022"
_MARK: Final = re.compile(r"(?:[-*+]|(?P<number>\d{1,9}[.)]))(?:\s+|$)")


def markdown_blocks(text: str) -> Iterator[Block]:
    """Headings, paragraphs, lists, tables and code in their order."""
    lines = list(lines_of(text))
    tokens = MarkdownIt("commonmark").enable("table").parse(_without_front_matter(text))
    at = 0
    while at < len(tokens):
        token, end = tokens[at], _end(tokens, at)
        if token.map is not None:
            yield from _block(tokens[at : end + 1], lines, text)
        at = end + 1


def _without_front_matter(text: str) -> str:
    """The text with the lines between `---` at its start blanked: no lines are lost, so that their numbers stay."""
    matched = re.match(r"\ufeff?---[ \t]*\r?\n.*?\n---[ \t]*(?=\r?\n|$)", text, re.S)
    return re.sub(r"[^\r\n]", "", matched[0]) + text[matched.end() :] if matched else text


def _end(tokens: Sequence[Token], at: int) -> int:
    """The index of the token that closes the one at `at`."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].nesting
        if depth <= 0:
            return index
    return len(tokens) - 1


def _block(tokens: Sequence[Token], lines: Sequence[tuple[str, int]], text: str) -> Iterator[Block]:
    token = tokens[0]
    first, end = token.map or (0, 0)
    said = [_line(*line) for line in lines[first:end] if line[0]]
    match token.type:
        case "heading_open":
            titled = [_bare(line) for line in (said[:-1] if token.markup in ("=", "-") else said)]
            yield HeadingBlock([piece for line in titled for piece in heading_pieces(line)], int(token.tag[1]))
        case "fence":
            closed = len(said) > 1 and said[-1].text.startswith(token.markup)
            yield PassageBlock("code", _indented(lines[first + 1 : end - closed], text))
        case "code_block":
            yield PassageBlock("code", _indented(lines[first:end], text))
        case "table_open":
            yield _grid(tokens, lines)
        case "bullet_list_open" | "ordered_list_open":
            yield from _list(tokens, lines, text)
        case "hr":
            return
        case "html_block":
            begins = lines[first][1]
            yield PassageBlock("text", list(block_pieces(text[begins : _ends(lines[end - 1])], begins)))
        case _:
            yield PassageBlock("text", _said(said))


def _ends(line: tuple[str, int]) -> int:
    return line[1] + len(line[0])


def _said(lines: Sequence[PlacedLine]) -> list[PlacedLine]:
    return [piece for line in lines for piece in inline_pieces(line)]


def _list(tokens: Sequence[Token], lines: Sequence[tuple[str, int]], text: str) -> Iterator[Block]:
    """Passages of whole items; one that holds code or a table is one passage too. The marks of items stand beside
    them."""
    passage: list[PlacedLine] = []
    coded = {token.map[0] for token in tokens if token.type in ("fence", "code_block") and token.map is not None}
    marked = Counter(token.map[0] for token in tokens if token.type == "list_item_open" and token.map is not None)
    for token in tokens:
        if token.type != "list_item_open" or token.level != tokens[0].level + 1 or token.map is None:
            continue
        code = not coded.isdisjoint(range(*token.map))
        item = [
            piece
            for number in range(*token.map)
            for piece in _item_line(_line(*lines[number]), marked[number], code=code)
        ]
        if passage and sum(len(line.text) for line in [*passage, *item]) > LIST_CHARACTERS:
            yield PassageBlock("list", passage)
            passage = []
        passage += item
    yield PassageBlock("list", passage)


def _item_line(line: PlacedLine, marks: int, *, code: bool) -> list[PlacedLine]:
    """What a line of a list says, which begins with so many marks of items: the numbers as they are typed, and a bullet
    for any other."""
    shown: list[str] = []
    at = 0
    while len(shown) < marks and (mark := _MARK.match(line.text, at)):
        shown.append(mark["number"] or BULLET)
        at = mark.end()
    bare = _line(line.text[at:], _start(line) + at)
    pieces = [bare] if code and bare.text else inline_pieces(bare)
    return [piece._replace(marker="" if i else " ".join(shown)) for i, piece in enumerate(pieces)]


def _grid(tokens: Sequence[Token], lines: Sequence[tuple[str, int]]) -> GridBlock:
    rows = [lines[t.map[0]] for t in tokens if t.type == "tr_open" and t.map is not None]
    return GridBlock(
        [[CellBlock(_said([cell] if cell else [])) for cell in _cells(*row)] for row in rows], header_rows=1
    )


def _cells(said: str, at: int) -> Iterator[PlacedLine | None]:
    """The cells of a row; None for an empty one."""
    inner = said.strip("|") if said.startswith("|") else said.rstrip("|")
    start = at + said.index(inner) if inner else at
    for found in re.finditer(r"((?:\\.|[^|\\])*)(?:\||$)", inner):
        if found.start() == len(inner) and found.start() > 0 and not inner.endswith("|"):
            break
        cell = found[1].strip()
        yield _line(cell, start + found.start(1) + found[1].index(cell)) if cell else None


def _indented(lines: Sequence[tuple[str, int]], text: str) -> list[PlacedLine]:
    """The lines with their indentation."""
    found: list[PlacedLine] = []
    for said, at in lines:
        start = text.rfind("\n", 0, at) + 1
        if said:
            found.append(_line(text[start:at] + said, start))
    return found


def _bare(line: PlacedLine) -> PlacedLine:
    """A heading without its marks; one of marks alone, as some have for space, has nothing left."""
    bare = line.text.lstrip("#").strip()
    without = bare.rstrip("#")
    # Closing marks count behind a space alone: `# C#` is called C#.
    bare = without.rstrip() if without != without.rstrip() else bare
    return _line(bare, _start(line) + line.text.index(bare))


def _start(line: PlacedLine) -> int:
    return line.place.start if isinstance(line.place, TextRange) else 0


def _line(said: str, at: int) -> PlacedLine:
    return PlacedLine(said, TextRange(start=at, end=at + len(said)))
