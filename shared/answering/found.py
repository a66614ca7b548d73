"""What a search found, with what stands around it: as statements are weighed and judged."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final
from uuid import UUID

from shared.answering.asked import asked_owner, asks_for_a_value, valued_phrase
from shared.answering.compared_rows import ROWS_COMPARED, compared_rows, extremes_of, rows_meeting
from shared.answering.composing import unfound_hit
from shared.answering.evidence import CHUNKS_READ
from shared.answering.limits import Compared
from shared.answering.messages import FROM, field_of, is_message
from shared.answering.releases import releases_of
from shared.answering.sentences import CELL_SEPARATOR
from shared.answering.statements import WHOLE
from shared.answering.superlatives import Extreme
from shared.domain.knowledge import Hit
from shared.domain.operations import ChunkType
from shared.filters.selection import Selection, select_chunks
from shared.lexical.query import LexicalQuery, query_terms, read_query
from shared.lexical.search import lexical_candidates
from shared.lexical.statistics import documents_without
from shared.lexical.tokenizer import tokenize
from shared.retrieval.rows_behind import labelled
from shared.store.connect import Connection
from shared.store.search import (
    FoundChunk,
    announced_chunks,
    answering_chunks,
    answers_of_questions,
    first_of_sections,
    load_chunks,
    row_contexts,
    rows_of_tables,
)

# A message begins with its subject and its header.
HEADER_AMONG: Final = 3
# So many rows are read beside the hits, of so many that are found by their words.
ROWS_BESIDE: Final = 4
ROWS_CALLED: Final = 50
# So many items of a list, and passages of it, are quoted behind what announces it.
LISTED_MAX: Final = 10
ANNOUNCED: Final[Sequence[ChunkType]] = (*sorted(WHOLE), "list", "table")
Naming = Mapping[str, Collection[UUID]]


@dataclass(frozen=True)
class FoundEvidence:
    """Hits, rows among them as they are read, the table of each row; the header of each message that is a section; the
    title of the release that a hit is of, where one is asked for; the code, formulas, list or rows of a short table
    behind a passage that announces them; rows that have the most or the least, where that is asked for; and rows
    `beside` the hits that are named as what is asked for, or meet the limit that is: all of these rows are in `rows`
    and `tables` too. `compared`: rows of tables that were compared with the limit. `questions`: by passage of a list of
    questions and answers the question before it; answers to questions among the hits are `beside`, too. `foreign`:
    documents that never say whose value is asked for."""

    hits: Sequence[Hit]
    rows: Mapping[UUID, str]
    tables: Mapping[UUID, FoundChunk]
    headers: Mapping[UUID, Hit] = field(default_factory=dict[UUID, Hit])
    announced: Mapping[UUID, Sequence[Hit]] = field(default_factory=dict[UUID, Sequence[Hit]])
    releases: Mapping[UUID, Hit] = field(default_factory=dict[UUID, Hit])
    extremes: Sequence[tuple[Hit, Extreme]] = ()
    beside: Sequence[Hit] = ()
    compared: Mapping[UUID, Compared] = field(default_factory=dict[UUID, Compared])
    questions: Mapping[UUID, str] = field(default_factory=dict[UUID, str])
    foreign: Collection[UUID] = frozenset()

    @classmethod
    def load(
        cls,
        connection: Connection,
        hits: Sequence[Hit],
        selection: Selection | None = None,
        question: str = "",
        naming: Naming = MappingProxyType({}),
    ) -> "FoundEvidence":
        """`selection`: of which headers of messages, titles of releases and further rows are loaded; `naming`: which
        documents each form of the question's words names."""
        extremes = extremes_of(connection, hits, question) if selection else []
        beside = _rows_beside(connection, hits, selection, question, naming) if selection else []
        compared = compared_rows(connection, hits, question) if selection else {}
        beside = [*beside, *rows_meeting(connection, [*hits[:CHUNKS_READ], *beside], compared, question)]
        questions = answers_of_questions(
            connection, [hit.chunk.id for hit in hits[:CHUNKS_READ] if not is_message(hit)]
        )
        beside = [*beside, *_answers(connection, hits, questions)]
        announced = _announced(connection, hits)
        behind = [one for those in announced.values() for one in those if one.chunk.chunk_type == "table_row"]
        further = [*(row for row, _ in extremes), *beside, *behind]
        rows, tables = row_contexts(connection, [hit.chunk.id for hit in [*hits, *further]])
        rows |= _labelled(hits)
        whole = load_chunks(connection, list(set(tables.values())))
        headers = _headers(connection, hits, selection) if selection else {}
        printed = {row: whole[table] for row, table in tables.items() if table in whole}
        releases = _releases(connection, hits, selection, question) if selection else {}
        return cls(hits, rows, printed, headers, announced, releases, extremes, beside, compared, questions)

    def with_rows(self, kept: Sequence[Hit]) -> "FoundEvidence":
        """With rows that are no passages in front of the hits."""
        return replace(self, hits=[*kept, *self.hits], rows={**self.rows, **_labelled(kept)})

    def read(self) -> list[Hit]:
        """What statements are taken from: nothing of foreign documents."""
        return [hit for hit in (*self.hits[:CHUNKS_READ], *self.beside) if hit.document.id not in self.foreign]

    def knowing_foreign(self, connection: Connection, words: LexicalQuery, naming: Naming) -> "FoundEvidence":
        """The same that knows which of its documents have no word of whose value is asked for, and are not named by it:
        a gross margin that stands there is another's. Where it names no document and most of them have it, the rest is
        of whom they are about, too, and where nothing at all has it, that is told by what lacks. `naming` as for
        `load`."""
        owner = asked_owner(words.text)
        if not owner:
            return self
        forms, terms = query_terms(owner, words.languages), tokenize(owner).counts.keys()
        numbers = {number for word in words.words if word.form in forms for number in word.terms.values()}
        if numbers.isdisjoint(words.histograms):
            return self
        documents = {hit.document.id: hit.document.name for hit in self.read()}
        unnamed = [document for document, name in documents.items() if terms.isdisjoint(tokenize(name).counts)]
        foreign = documents_without(connection, unnamed, numbers)
        are_others = not forms.keys().isdisjoint(naming) or 2 * len(foreign) >= len(documents)
        return replace(self, foreign=foreign) if are_others else self

    @property
    def meeting(self) -> bool:
        """Whether a row is meant by what is asked for."""
        return any(one.met for one in self.compared.values())

    @property
    def selected(self) -> bool:
        """Whether a row is, of which the question says nothing else."""
        return any(one.met and one.whole for one in self.compared.values())

    def header_of(self, hit: Hit) -> Hit | None:
        """The header of the message that a hit is of."""
        return self.headers.get(hit.chunk.section.id) if hit.chunk.section else None

    def printed(self) -> dict[UUID, str]:
        """The text of each row's table."""
        return {row: table.chunk.content for row, table in self.tables.items()}

    def headed(self) -> dict[UUID, Hit]:
        """The table of each row as a hit, for its column names."""
        return {row: unfound_hit(table) for row, table in self.tables.items()}


def _rows_beside(
    connection: Connection, hits: Sequence[Hit], selection: Selection, question: str, naming: Naming
) -> list[Hit]:
    """Where a value is asked for, the rows that are named as it is and have no other words in their name, of the
    documents that the question names. A search finds the passage above a table, which has all words of the question, or
    one that says them often."""
    wanted = tokenize(valued_phrase(question)).counts.keys() if asks_for_a_value(question) else None
    if not wanted:
        return []
    called = _rows_called(connection, selection, valued_phrase(question))
    there = load_chunks(connection, list(answering_chunks(connection, called)))
    known = {hit.chunk.id for hit in hits[:CHUNKS_READ]}
    rows = [there[row] for row in called if row in there and row not in known]
    rows = [row for row in rows if tokenize(row.chunk.content.partition(CELL_SEPARATOR)[0]).counts.keys() == wanted]
    asked = {term: documents for term, documents in naming.items() if term not in wanted}
    meant = {row.chunk.id: sum(row.chunk.document_id in one for one in asked.values()) for row in rows}
    most = max(meant.values(), default=0)
    return [unfound_hit(row) for row in rows if meant[row.chunk.id] == most][:ROWS_BESIDE]


def _answers(connection: Connection, hits: Sequence[Hit], questions: Mapping[UUID, str]) -> list[Hit]:
    """The answers to questions among the best hits that are none of these themselves."""
    known = {hit.chunk.id for hit in hits[:CHUNKS_READ]}
    behind = [answer for answer in questions if answer not in known]
    there = load_chunks(connection, list(answering_chunks(connection, behind))) if behind else {}
    return [unfound_hit(there[one]) for one in behind if one in there]


def _rows_called(connection: Connection, selection: Selection, name: str) -> list[UUID]:
    """Rows of tables by word, the best first."""
    rows = select_chunks(connection, replace(selection.filters, types=("table_row",)))
    ranking = lexical_candidates(connection, read_query(connection, name), rows, ROWS_CALLED)
    return [candidate.chunk_id for candidate in ranking.candidates]


def _labelled(hits: Sequence[Hit]) -> dict[UUID, str]:
    return {hit.chunk.id: labelled(hit.kept_row) for hit in hits if hit.kept_row}


def _announced(connection: Connection, hits: Sequence[Hit]) -> dict[UUID, list[Hit]]:
    """As they may answer: not what people rejected."""
    behind = announced_chunks(connection, [hit.chunk.id for hit in hits[:CHUNKS_READ]], ANNOUNCED, LISTED_MAX)
    if not behind:
        return {}
    answering = answering_chunks(connection, [one for items in behind.values() for one in items])
    there = load_chunks(connection, list(answering))
    shown = {before: [unfound_hit(there[one]) for one in items if one in there] for before, items in behind.items()}
    tables = [one for items in shown.values() for one in items if one.chunk.chunk_type == "table"]
    rows = _rows_of_short(connection, tables) if tables else {}
    return {
        before: rows.get(items[0].chunk.id, []) if items[0].chunk.chunk_type == "table" else items
        for before, items in shown.items()
        if items
    }


def _rows_of_short(connection: Connection, tables: Sequence[Hit]) -> dict[UUID, list[Hit]]:
    """By the chunk of a table its rows, where there are at most LISTED_MAX."""
    named = {hit.chunk.table_id: hit for hit in tables if hit.chunk.table_id}
    placed = rows_of_tables(connection, {key: hit.document.id for key, hit in named.items()}, ROWS_COMPARED)
    counted = Counter(table for _, table in placed)
    short = [(row, table) for row, table in placed if counted[table] <= LISTED_MAX]
    there = load_chunks(connection, list(answering_chunks(connection, [row for row, _ in short])))
    found: dict[UUID, list[Hit]] = {}
    for row, table in short:
        if row in there:
            found.setdefault(named[table].chunk.id, []).append(unfound_hit(there[row]))
    return found


def _releases(
    connection: Connection, hits: Sequence[Hit], selection: Selection, question: str
) -> dict[UUID, Hit]:  # fmt: skip
    """By chunk the title of its release."""
    wanted = releases_of(question, hits[:CHUNKS_READ])
    if not wanted:
        return {}
    sections = [*dict.fromkeys(wanted.values())]
    first = load_chunks(connection, first_of_sections(connection, sections, selection, len(sections), 1))
    titles = {one.chunk.section.id: unfound_hit(one) for one in first.values() if one.chunk.section}
    return {chunk: titles[section] for chunk, section in wanted.items() if section in titles}


def _headers(connection: Connection, hits: Sequence[Hit], selection: Selection) -> dict[UUID, Hit]:
    sections = [*{hit.chunk.section.id: None for hit in hits if is_message(hit) and hit.chunk.section}]
    if not sections:
        return {}
    first = first_of_sections(connection, sections, selection, len(sections), HEADER_AMONG)
    found = [unfound_hit(one) for one in load_chunks(connection, first).values()]
    return {hit.chunk.section.id: hit for hit in reversed(found) if hit.chunk.section and field_of(hit, FROM)}
