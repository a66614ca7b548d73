"""Units: what topics are made of. A unit is a part of a document: neighbouring sections of a few thousand characters
together, or a piece of a longer one."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID, uuid5

import numpy as np

from shared.ports import Vectors
from shared.store.connect import Connection, Row
from shared.store.digest_sources import current_documents, parts_of, sections_of

# What a person reads as one thing: about two printed pages.
UNIT_CHARACTERS: Final = 6_000
# Of a file's name, which is no part of what it is called.
_ENDING: Final = re.compile(r"(?<=\w)\.[A-Za-z][A-Za-z0-9]{1,4}$")


@dataclass
class DigestUnit:
    """A part of a document, or (`document_id` None) a group of events or evaluation runs. `titles` is the path of
    headings that it stands under, outermost first, the document's name before; `centroid` is of unit length, or zero.
    """

    id: UUID
    document_id: UUID | None
    titles: tuple[str, ...]
    content_hash: str
    chunk_ids: tuple[UUID, ...] = ()
    chunk_hashes: tuple[str, ...] = ()
    size: int = 0
    centroid: Vectors = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def title(self) -> str:
        return self.titles[-1]


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
    names = {key: _ENDING.sub("", row["called"]) for key, row in documents.items()}
    return [unit for key, name in names.items() for unit in units_of(key, name, sections[key], parts[key])]


def units_of(document_id: UUID, name: str, sections: Sequence[Row], parts: Sequence[Row]) -> list[DigestUnit]:
    """A document's units in the order of reading. Every chunk is in exactly one."""
    known = {row["id"]: _Section(row["id"], row["title"]) for row in sections}
    root = _Section(document_id, name)
    for row in sections:
        known.get(row["parent_id"], root).children.append(known[row["id"]])
    for row in parts:
        known.get(row["section_id"], root).chunks.append(row)
    return list(_divide(document_id, root, (name,)))


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
        yield from _divide(document_id, sections[0], (*titles, sections[0].title))
    elif rows := _all(sections):
        first = next(one for one in sections if one.everything())
        last = next(one for one in reversed(sections) if one.everything())
        title = first.title if first is last else f"{first.title} – {last.title}"
        yield _unit(document_id, first.id, (*titles, title), rows)


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
