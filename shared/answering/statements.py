"""The statements of a passage: verbatim slices of it that can be quoted, weighed and judged by themselves."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from shared.answering.messages import is_message
from shared.answering.rows import form_slices
from shared.answering.sentences import CELL_SEPARATOR, WORDS_MIN, split_items, split_sentences
from shared.domain.geometry import TextBox
from shared.domain.knowledge import Chunk, Hit
from shared.domain.operations import ChunkType
from shared.values.fields import COLONS, MOST_CHARACTERS

# Chunks of the first types are a single statement each; those of the second have none.
WHOLE: Final[frozenset[ChunkType]] = frozenset({"formula", "code"})
WITHOUT_STATEMENTS = frozenset({"heading", "figure", "table", "caption"})
# So many sentences may lead to the question that a passage answers.
LEADING_MAX: Final = 2
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_ITEM: Final = re.compile(r"[•▪◦‣*+-]\s")
# A passage that is a label and its value, or a term and, behind a gap, what it is: "Updated: 1 March", "QUIT   Exit".
_FIELD: Final = re.compile(rf"\S.{{0,{MOST_CHARACTERS}}}?(?:[{COLONS}]\s+|\s{{2,}}|\t)(?=.*\w\w)\S.*")


class PassageSlice(NamedTuple):
    """A statement of a hit, the first of which has place 0: as printed, and as it is read. Of a form's row one label
    with its value is a statement."""

    hit: Hit
    place: int
    text: str
    read: str
    kind: Literal["prose", "row", "pair"]


def slices_of(hit: Hit, row: str, *, asking: bool = False, question: str = "") -> list[PassageSlice]:
    """`row` is its row as it is read, "" for what is none. `asking`: what a message asks is a statement, too.
    `question`: the one that stands before it, or that it begins with, is read with the statement behind it, which
    answers."""
    if row and (pairs := form_slices(hit.chunk.content, row)):
        return [PassageSlice(hit, i, text, read, "pair") for i, (text, read) in enumerate(pairs)]
    whole = hit.chunk.content.strip()
    told = _statements(hit, asking=asking and is_message(hit))
    asked = question or _question_in(hit)
    answer = _first_behind("" if question else asked, hit.chunk.content, told) if asked else None
    return [
        PassageSlice(hit, i, text, row, "row")
        if row and text == whole
        else PassageSlice(hit, i, text, f"{asked}\n{text}" if i == answer else text, "prose")
        for i, text in enumerate(told)
    ]


def _question_in(hit: Hit) -> str:
    """The question that a passage begins with and answers, with a sentence or two that lead to it; "" where it begins
    with none."""
    content = hit.chunk.content
    if hit.chunk.chunk_type != "text" or "?" not in content or is_message(hit):
        return ""
    told = split_sentences(content)
    asked = [i for i, one in enumerate(told) if one.endswith("?")]
    if not asked or asked[0] > LEADING_MAX:
        return ""
    last = next(i for i in range(asked[0], len(told) + 1) if i not in asked) - 1
    return content[: content.index(told[last], sum(map(len, told[:last]))) + len(told[last])]


def _first_behind(question: str, content: str, told: Sequence[str]) -> int | None:
    """The place of the first of the statements of `content` that stands behind the question which it begins with."""
    end = 0
    for i, one in enumerate(told):
        start = content.find(one, end)
        if start >= len(question):
            return i
        end = start + len(one) if start >= 0 else end
    return None


def items_of(hit: Hit, row: str = "") -> list[PassageSlice]:
    """The items of a passage of a list, each whole; of a table's row that, as `row` reads it."""
    if row:
        return [PassageSlice(hit, 0, hit.chunk.content.strip(), row, "row")]
    return [PassageSlice(hit, i, text, text, "prose") for i, text in enumerate(_items_of(hit.chunk))]


def _statements(hit: Hit, *, asking: bool) -> list[str]:
    chunk = hit.chunk
    if chunk.chunk_type in WITHOUT_STATEMENTS:
        return []
    if chunk.chunk_type in WHOLE or chunk.chunk_type == "table_row":
        sentences = [chunk.content.strip()]
    else:
        items = _with_short_items(chunk.content, _items_of(chunk))
        sentences = [one for item in items for one in _told_in(item)]
    sentences = [s for s in sentences if (asking or not s.endswith("?")) and not _only_asks(chunk, s)]
    # A row may be short, as its column headers complete it.
    if chunk.chunk_type == "table_row":
        return [s for s in sentences if s]
    # What a section that is asked for says is wanted in whatever words.
    asked_for = any(index.name == "lookup_section" for index in hit.indexes)
    return [
        s for s in sentences if len(s.split()) >= WORDS_MIN or (asked_for and _WORD.search(s)) or _is_field(chunk, s)
    ]


def _is_field(chunk: Chunk, text: str) -> bool:
    return text == chunk.content.strip() and bool(_FIELD.fullmatch(text))


def _items_of(chunk: Chunk) -> list[str]:
    """Slices of the content: what begins with the mark of an item, typed or not, and what stands before."""
    shown = {marker.at for box in chunk.boxes if isinstance(box, TextBox) for marker in box.markers}
    parts = [chunk.content[a:b].strip() for a, b in pairwise(sorted({0, *shown, len(chunk.content)}))]
    return [item for part in parts if part for item in split_items(part)]


def _with_short_items(content: str, items: Sequence[str]) -> list[str]:
    """Slices of `content`: items that are too short to be statements, and follow each other, are one."""
    found: list[tuple[int, int]] = []
    was_short = False
    for one in items:
        start = content.index(one, found[-1][1] if found else 0)
        is_short = len(one.split()) < WORDS_MIN
        if is_short and was_short:
            found[-1] = found[-1][0], start + len(one)
        else:
            found.append((start, start + len(one)))
        was_short = is_short
    return [content[slice(*span)] for span in found]


def _told_in(item: str) -> list[str]:
    return _with_short_ones(item, split_sentences(item))


def _with_short_ones(content: str, sentences: Sequence[str]) -> list[str]:
    """Slices of `content`: what is too short to be a statement ("Defaults to `False`.") ends the sentence before it,
    unless it is an item or a question."""
    found: list[tuple[int, int]] = []
    for one in sentences:
        start = content.index(one, found[-1][1] if found else 0)
        if found and _ends_one(one) and _is_statement(content[slice(*found[-1])]):
            found[-1] = found[-1][0], start + len(one)
        else:
            found.append((start, start + len(one)))
    return [content[slice(*span)] for span in found]


def _ends_one(text: str) -> bool:
    is_short = len(text.split()) < WORDS_MIN and bool(_WORD.search(text))
    return is_short and not text.endswith("?") and not _ITEM.match(text)


def _is_statement(text: str) -> bool:
    return len(text.split()) >= WORDS_MIN and not text.endswith("?")


def _only_asks(chunk: Chunk, text: str) -> bool:
    """Whether it is a row of a form that nobody filled in."""
    return chunk.chunk_type == "table_row" and all(cell.endswith(tuple(COLONS)) for cell in text.split(CELL_SEPARATOR))
