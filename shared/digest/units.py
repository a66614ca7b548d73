"""Units: what topics are made of. A unit is a part of a document: neighbouring sections of a few thousand characters
together, or a piece of a longer one."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final
from uuid import UUID, uuid5

import numpy as np

from shared.digest.datasets import DATASET_ROWS
from shared.domain.datasets import SHEETS
from shared.library.asides import without_asides
from shared.ports import Vectors
from shared.store.connect import Connection, Row
from shared.store.digest_sources import current_documents, parts_of, sections_of

# What a person reads as one thing: about two printed pages.
UNIT_CHARACTERS: Final = 6_000
# Rows of a table that tell what it is about.
ROWS_SAMPLED: Final = 60
# Of a file's name, which is no part of what it is called.
_ENDING: Final = re.compile(r"(?<=\w)\.[A-Za-z][A-Za-z0-9]{1,4}$")


# Of which no title is made: digits or signs within one word.
_IN_ONE_WORD: Final = re.compile(r"\S*[\d_]\S*")
MAIL: Final = "mail"


@dataclass
class DigestUnit:
    """A part of a document, or (`document_id` None) a group of events or evaluation runs. `titles` is the path of
    headings that it stands under, outermost first, the document's name before; `centroid` is of unit length, or zero.
    `tables`: the windows of a long table, of which it is the data. `ranged`: its own title names the first and the last
    of several sections.
    """

    id: UUID
    document_id: UUID | None
    titles: tuple[str, ...]
    content_hash: str
    chunk_ids: tuple[UUID, ...] = ()
    chunk_hashes: tuple[str, ...] = ()
    size: int = 0
    centroid: Vectors = field(default_factory=lambda: np.zeros(0, np.float32))
    tables: tuple[UUID, ...] = ()
    ranged: bool = False

    @property
    def title(self) -> str:
        return self.titles[-1]

    @property
    def sampled(self) -> Sequence[UUID]:
        """The chunks that are read: of data some rows, at equal distances."""
        count = len(self.chunk_ids)
        if not self.tables or count <= ROWS_SAMPLED:
            return self.chunk_ids
        return [self.chunk_ids[at * count // ROWS_SAMPLED] for at in range(ROWS_SAMPLED)]


@dataclass
class _Section:
    """A section with what stands in it directly, in order: its chunks and further sections."""

    id: UUID
    title: str
    chunks: list[Row] = field(default_factory=list[Row])
    children: list["_Section"] = field(default_factory=list["_Section"])

    def everything(self) -> list[Row]:
        return [*self.chunks, *(row for child in self.children for row in child.everything())]


def read_units(connection: Connection, knowledge_base_id: UUID) -> list[DigestUnit]:
    """Of the documents that answer, in their current versions, without vectors."""
    documents = {row["id"]: row for row in current_documents(connection, knowledge_base_id)}
    sections, parts = defaultdict[UUID, list[Row]](list), defaultdict[UUID, list[Row]](list)
    for row in sections_of(connection, documents):
        sections[row["document_id"]].append(row)
    for row in parts_of(connection, documents):
        parts[row["document_id"]].append(row)
    return [
        unit
        for key, row in documents.items()
        for unit in units_of(
            key, _called(row, sections[key]), sections[key], parts[key], of_sheets=row["source_type"] in SHEETS
        )
    ]


def _called(document: Row, sections: Sequence[Row]) -> str:
    """A file's name in one word ("20071229X02007") says less than the heading that the document begins with."""
    name = _ENDING.sub("", document["called"])
    first = next((row["title"] for row in sections if row["title"].strip()), "")
    telling = document["source_type"] != MAIL and not _IN_ONE_WORD.fullmatch(name)
    return name if telling or not first or (len(first.split()) < 2 and document["source_type"] != MAIL) else first


def units_of(
    document_id: UUID, name: str, sections: Sequence[Row], parts: Sequence[Row], *, of_sheets: bool = False
) -> list[DigestUnit]:
    """A document's units in the order of reading, data behind text. A chunk that tells of its subject is in exactly
    one. Every table of a document `of_sheets` is data."""
    known = {row["id"]: _Section(row["id"], row["title"]) for row in sections}
    root = _Section(document_id, name)
    above: dict[UUID | None, tuple[str, ...]] = {None: (name,)}
    for row in sections:
        known.get(row["parent_id"], root).children.append(known[row["id"]])
        above[row["id"]] = _below(above.get(row["parent_id"], (name,)), row["title"])
    counts = Counter(row["table_id"] for row in parts if row["table_id"])
    least = 2 if of_sheets else DATASET_ROWS
    data = [row for row in parts if counts[row["table_id"]] >= least]
    for row in without_asides(sections, [row for row in parts if counts[row["table_id"]] < least]):
        known.get(row["section_id"], root).chunks.append(row)
    # Windows of one table stand side by side in one section.
    together = groupby(data, key=lambda row: row["section_id"])
    tables = [_data(document_id, above.get(key, (name,)), list(rows)) for key, rows in together]
    return [*_divide(document_id, root, (name,)), *tables]


def _data(document_id: UUID, titles: tuple[str, ...], rows: Sequence[Row]) -> DigestUnit:
    tables = tuple(dict.fromkeys(row["table_id"] for row in rows))
    return replace(_unit(document_id, tables[0], titles, rows), tables=tables)


def _divide(document_id: UUID, section: _Section, titles: tuple[str, ...]) -> Iterator[DigestUnit]:
    rows = section.everything()
    if _size(rows) <= UNIT_CHARACTERS:
        if rows:
            yield _unit(document_id, section.id, titles, rows)
        return
    for group in _runs(section.chunks):
        yield _unit(document_id, group[0]["id"], titles, group)
    together: list[_Section] = []
    for child in section.children:
        if together and _size(_all(together)) + _size(child.everything()) > UNIT_CHARACTERS:
            yield from _together(document_id, together, titles)
            together = []
        together.append(child)
    yield from _together(document_id, together, titles)


def _together(document_id: UUID, sections: Sequence[_Section], titles: tuple[str, ...]) -> Iterator[DigestUnit]:
    """Neighbours that fit are one unit, called as the first that says something."""
    if len(sections) == 1:
        yield from _divide(document_id, sections[0], _below(titles, sections[0].title))
    elif rows := _all(sections):
        first = next(one for one in sections if one.everything())
        named = [one.title for one in sections if one.everything() and one.title.strip()]
        title = " – ".join(dict.fromkeys([*named[:1], *named[-1:]]))
        yield replace(_unit(document_id, first.id, _below(titles, title), rows), ranged=len(named) > 1)


def _below(titles: tuple[str, ...], title: str) -> tuple[str, ...]:
    return (*titles, title) if title.strip() else titles


def _runs(rows: Sequence[Row]) -> Iterator[list[Row]]:
    run: list[Row] = []
    for row in rows:
        if run and _size(run) + row["size"] > UNIT_CHARACTERS:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _unit(document_id: UUID, first: UUID, titles: tuple[str, ...], rows: Sequence[Row]) -> DigestUnit:
    said = hashlib.sha256("\n".join([*titles, *(row["content_hash"] for row in rows)]).encode())
    chunks, hashes = tuple(row["id"] for row in rows), tuple(row["content_hash"] for row in rows)
    key = uuid5(document_id, str(first))
    return DigestUnit(key, document_id, titles, said.hexdigest(), chunks, hashes, _size(rows))


def _all(sections: Sequence[_Section]) -> list[Row]:
    return [row for section in sections for row in section.everything()]


def _size(rows: Sequence[Row]) -> int:
    return sum(row["size"] for row in rows)


def normalised(vectors: Sequence[Vectors], dimensions: int) -> Vectors:
    """The mean of vectors at unit length; zero of none, or where they cancel each other out."""
    if not vectors:
        return np.zeros(dimensions, np.float32)
    mean = np.mean(np.stack(vectors), axis=0, dtype=np.float32)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, np.float32)
