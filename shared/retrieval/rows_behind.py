"""Rows of long tables that are no passages, by word: which blocks may have the words of a query, and their rows.

They are listed beside the hits and never ranked among them: a row is there or not, in the order of its sheet. They
stand above all of these where they alone have what was asked for, else below. An answer may cite one: then it is a hit
with an id of its own, and still no chunk.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID, uuid5

from shared.domain.geometry import SheetBox, range_name
from shared.domain.kept_rows import KeptBlock
from shared.domain.knowledge import Chunk, DocumentBehind, Hit, KeptRow, NamedCell, RowBehind, RowsBehind
from shared.errors import Damaged
from shared.extraction.compose import CELL
from shared.extraction.structure import hidden_flags
from shared.extraction.tables.rows import labels_of
from shared.filters.selection import Filters
from shared.kept_blocks import load_block
from shared.lexical.kept_words import (
    BETWEEN_THOUSANDS,
    as_common,
    asked_words,
    bare,
    folded,
    is_code,
    may_stand_in,
    number_of,
    unmarked,
    words_in,
)
from shared.ports import BlobStore
from shared.store.connect import Connection
from shared.store.kept_words import WordsOfBlock, blocks_of, heads_of

# As many rows are listed at most, as many documents named, as many blocks opened.
ROWS_SHOWN: Final = 10
DOCUMENTS_SHOWN: Final = 20
BLOCKS_OPENED: Final = 4
# As many are evidence of an answer at most, before the passages.
ROWS_READ: Final = 4


@dataclass(frozen=True)
class _Having:
    """The words that a block may have, and those of them that many of its rows have."""

    block: WordsOfBlock
    words: frozenset[str]
    common: frozenset[str]


@dataclass(frozen=True)
class FoundBlocks:
    """The blocks to be opened, in this order. `known` are the words that some block has; a row has to have them all,
    or one of the `codes`."""

    told: RowsBehind
    known: frozenset[str]
    codes: frozenset[str]
    opened: Sequence[_Having]
    left_out: int
    heads: Mapping[UUID, tuple[Any, int]]


def find_blocks(connection: Connection, query: str, filters: Filters, index: str = "hybrid") -> FoundBlocks | None:
    """None where no document in scope has such rows."""
    takes_part = filters.where is None and (filters.types is None or "table_row" in filters.types) and index != "vector"
    asked = asked_words(query) if takes_part else []
    blocks = blocks_of(connection, filters.values(), [number_of(word) for word in asked])
    if not blocks:
        return None
    having = [_having(block, asked) for block in blocks]
    known = frozenset[str]().union(*(one.words for one in having))
    few = known.difference(*(one.common for one in having))
    # Where few blocks have such a code all of them are opened: it is found whatever else is asked.
    counted = Counter(word for one in having for word in one.words & few if is_code(word))
    codes = frozenset(word for word, times in counted.items() if times <= BLOCKS_OPENED)
    # Where some words are absent, a row is meant by the others only if one of these is in few rows.
    whole = known if few or len(known) == len(asked) else None
    wanted = [one for one in having if one.words and (one.words == whole or one.words & codes)]
    wanted.sort(key=lambda one: (-len(one.words & codes), -len(one.words)))
    opened = wanted[:BLOCKS_OPENED]
    heads = heads_of(connection, [one.block.table_id for one in opened])
    return FoundBlocks(_told(blocks, asked, known), known, codes, opened, len(wanted) - len(opened), heads)


def read_rows(blobs: BlobStore, found: FoundBlocks, limit: int = ROWS_SHOWN) -> RowsBehind:
    """The first rows with the words, from the blocks. One that is not there as it was stored is told as unread."""
    hits, left, unread = list[RowBehind](), found.left_out, found.told.unread
    for at, one in enumerate(found.opened):
        if sum(found.known <= {*hit.words} for hit in hits) > limit:
            left += len(found.opened) - at
            break
        try:
            rows = load_block(blobs, one.block.work, one.block.page, one.block.rows)
        except Damaged:
            unread += one.block.rows
            continue
        labels = labels_of(*found.heads[one.block.table_id])
        places = _rows_with(rows, one, found, limit + 1)
        hits += (_row(one.block, rows, place, labels, found.told.sought) for place in places)
    hits.sort(key=lambda hit: -len(hit.words))
    more = left > 0 or len(hits) > limit
    return found.told.model_copy(update={"hits": hits[:limit], "more": more, "unread": unread})


def before_hits(rows: RowsBehind, hits: Sequence[Hit]) -> RowsBehind:
    """With whether they stand above these hits, which may have the words in their titles and their document's name
    too."""
    if not rows.hits:
        return rows
    there, ranked = {*rows.hits[0].words}, [_words_of(hit, rows.sought) for hit in hits]
    wanted = ({*rows.sought}, {word for word in rows.sought if is_code(word)})
    alone = any(words <= there and not any(words <= one for one in ranked) for words in wanted)
    return rows.model_copy(update={"before_hits": alone})


def telling_rows(rows: RowsBehind | None, hits: Sequence[Hit]) -> list[Hit]:
    """The rows that are evidence beside these hits, as hits: those that have what no passage has of what is asked for,
    all its words that some row has, all its codes, or one of these."""
    if rows is None or not rows.hits:
        return []
    codes = {word for word in rows.sought if is_code(word)}
    ranked = [_words_of(hit, rows.sought) for hit in hits]
    wanted = [{*rows.sought} - {*rows.absent}, codes, *({code} for code in codes)]
    lacking = [words for words in wanted if words and not any(words <= one for one in ranked)]
    return [hit_of(row) for row in rows.hits if any(words <= {*row.words} for words in lacking)][:ROWS_READ]


def hit_of(row: RowBehind) -> Hit:
    """The row as an answer cites it."""
    chunk = Chunk(
        id=row.id,
        document_id=row.document.id,
        knowledge_base_id=row.knowledge_base_id,
        ordinal=row.row,
        chunk_type="table_row",
        content=CELL.join(cell.value for cell in row.cells),
        section_id=None,
        section=None,
        boxes=[SheetBox(sheet=row.sheet, range=row.range, page=row.page)],
        confidence=1.0,
        table_id=row.table_id,
        flags=row.flags,
        labelled=CELL.join(map(str, row.cells)),
    )
    kept = KeptRow(**{name: getattr(row, name) for name in KeptRow.model_fields})
    return Hit(chunk=chunk, document=row.document, version=row.version, score=0.0, indexes=[], kept_row=kept)


def labelled(row: KeptRow) -> str:
    """The row as those among passages are read: its sheet, and below it each cell after its header."""
    return f"{row.sheet}\n{CELL.join(map(str, row.cells))}"


def _words_of(hit: Hit, asked: Sequence[str]) -> set[str]:
    path = hit.chunk.section.path if hit.chunk.section else []
    titles = (text for step in path for text in (step.address or "", step.title))
    return {*words_in([hit.chunk.content, hit.document.name, *titles], asked)}


def _having(block: WordsOfBlock, asked: Sequence[str]) -> _Having:
    lines = dict(zip(asked, block.lines or [], strict=False))
    words = frozenset(word for word, line in lines.items() if may_stand_in(word, line))
    common = frozenset(word for word in words if may_stand_in(as_common(word), lines[word]))
    return _Having(block, words, common)


def _told(blocks: Sequence[WordsOfBlock], asked: Sequence[str], known: frozenset[str]) -> RowsBehind:
    documents = dict[UUID, DocumentBehind]()
    for block in blocks:
        before = documents.get(block.document.id)
        rows = block.rows + (before.rows if before else 0)
        documents[block.document.id] = DocumentBehind(document=block.document, version=block.version, rows=rows)
    return RowsBehind(
        rows=sum(block.rows for block in blocks),
        document_count=len(documents),
        documents=sorted(documents.values(), key=lambda one: -one.rows)[:DOCUMENTS_SHOWN],
        sought=[*asked],
        absent=[word for word in asked if word not in known],
        unread=sum(block.rows for block in blocks if block.lines is None),
    )


def _rows_with(rows: KeptBlock, having: _Having, found: FoundBlocks, most: int) -> list[int]:
    """Places in the block of the first `most` rows with all words that are known; then of those with one of the
    codes."""
    coded = {word: _rows_having(rows, word) for word in having.words & found.codes}
    whole = list[int]()
    if having.words == found.known:
        # The word that the fewest rows seem to have is looked for, the others in its rows.
        rarest = min(having.words, key=lambda word: (word in having.common, -len(word)))
        places = coded.get(rarest) or _rows_having(rows, rarest)
        fitting = (at for at in sorted(places) if len(words_in(rows.row(at), [*having.words])) == len(having.words))
        whole = [*islice(fitting, most)]
    also = {at for word, places in coded.items() for at in places if words_in(rows.row(at), [word])}
    return [*whole, *sorted(also - {*whole})]


def _rows_having(rows: KeptBlock, word: str) -> set[int]:
    """Rows with a cell in which the word may stand alone, with marks in it or without."""
    alone = re.compile(rf"(?<![^\W_]){_spelled(word)}(?![^\W_])")
    # Whatever stands between its thousands, the last three digits stand together.
    end = word[-3:] if word.isdigit() else word
    found = set[int]()
    for column in rows.texts:
        text = folded("\n".join(column))
        if word in bare(text):
            lines = folded("\n".join(text.replace("\n", " ") for text in column))
            for form in (lines, unmarked(lines)):
                found.update(at for at, line in enumerate(form.split("\n")) if end in line and alone.search(line))
    return found


def _spelled(word: str) -> str:
    """As an expression; a number with zeros before it and marks between thousands too."""
    if not word.isdigit():
        return re.escape(word)
    zeros = "" if word.startswith("0") else "0*"
    return zeros + f"[{BETWEEN_THOUSANDS}]?".join(word)


def _row(block: WordsOfBlock, rows: KeptBlock, at: int, labels: Sequence[str], asked: Sequence[str]) -> RowBehind:
    texts, number = rows.row(at), rows.numbers[at]
    named = [(labels[column] if column < len(labels) else "", text) for column, text in enumerate(texts)]
    return RowBehind(
        # The same as long as its table is: that has the hash of its rows.
        id=uuid5(block.table_id, str(number)),
        knowledge_base_id=block.knowledge_base_id,
        table_id=block.table_id,
        document=block.document,
        version=block.version,
        page=block.page,
        row=number,
        sheet=rows.sheet,
        range=range_name(rows.places[0], number, rows.places[-1], number),
        cells=[NamedCell(label=label, value=" ".join(text.split())) for label, text in named if text],
        flags=hidden_flags(rows.is_hidden(at, column) for column, text in enumerate(texts) if text),
        words=words_in(texts, asked),
    )
