"""Figures and tables that a digest's statements cite: a table by one of its rows, either by its number ("see Table 3")
in the document that the statement stands on. They are found when a file is read: nothing of them is stored, and what is
deleted is not there the next time."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.domain.digest import AssetKind, DigestAsset, DigestFile
from shared.library.pages import key_of_figure
from shared.retrieval.named import named_addresses
from shared.runtime import Runtime
from shared.store import digest as rows
from shared.store import library
from shared.store.connect import Connection, Row
from shared.store.datasets import texts_of_tables
from shared.store.library import DocumentPlace
from shared.store.search import load_chunks
from shared.values.addresses import normalise
from shared.values.csv_cells import harmless_cell
from shared.values.grids import filled

FOLDER: Final = "assets/"
ENDINGS: Final[Mapping[AssetKind, str]] = {"figure": "jpg", "table": "csv"}
# Of one file; further ones stay in their documents.
ASSETS_MAX: Final = 40
# A longer table is a dataset: its file would be no illustration.
ROWS_MAX: Final = 2_000
ROWS_SHOWN: Final = 30
# Of all assets of a folder: an answer on AWS holds no more.
BYTES_MAX: Final = 4_000_000


@dataclass(frozen=True)
class _Found:
    """A cited figure or table, and where its contents are: a stored image's key, or texts by rows."""

    shown: DigestAsset
    image: str | None
    texts: Sequence[Sequence[str]]

    def content(self, runtime: Runtime) -> bytes:
        return runtime.blobs.get(self.image) if self.image else _csv(self.texts)


def list_assets(runtime: Runtime, connection: Connection, file: DigestFile) -> list[DigestAsset]:
    """In the order of their documents."""
    return [one.shown for one in _assets(runtime, connection, file)]


class AssetFolder:
    """The assets of a folder's files, each once, until they are too many bytes."""

    def __init__(self, runtime: Runtime, connection: Connection) -> None:
        self._runtime, self._connection = runtime, connection
        self.members = dict[str, bytes]()
        self.left_out = set[str]()

    def add(self, file: DigestFile) -> list[DigestAsset]:
        """Puts what the file cites into the folder; returns what there is of it there."""
        found = [*_assets(self._runtime, self._connection, file)]
        for one in found:
            if one.shown.path in self.members or one.shown.path in self.left_out:
                continue
            content = one.content(self._runtime)
            if sum(map(len, self.members.values())) + len(content) > BYTES_MAX:
                self.left_out.add(one.shown.path)
            else:
                self.members[one.shown.path] = content
        return [one.shown for one in found if one.shown.path in self.members]


def _assets(runtime: Runtime, connection: Connection, file: DigestFile) -> Iterator[_Found]:
    found = _cited(connection, file)[:ASSETS_MAX]
    chunks = load_chunks(connection, [row["chunk_id"] for row in found])
    tables = [row["table_id"] for row in found if row["table_id"]]
    texts = {one["id"]: filled(one["rows"]) for one in texts_of_tables(connection, tables)}
    places = dict[UUID, DocumentPlace | None]()
    for row in found:
        hit = chunks.get(row["chunk_id"])
        if hit is None:
            continue
        image = None
        if row["box"]:
            if row["document_id"] not in places:
                places[row["document_id"]] = library.get_place(connection, row["document_id"])
            image = _image(runtime, places[row["document_id"]], row["box"])
            if image is None:
                continue
        kind: AssetKind = "figure" if image else "table"
        own = texts.get(row["table_id"], [])
        shown = DigestAsset(
            kind=kind, path=f"{FOLDER}{kind}-{row['chunk_id']}.{ENDINGS[kind]}", caption=_caption(row),
            page=row["page"], rows=own[:ROWS_SHOWN], row_count=len(own), header_rows=row["header_rows"] or 0,
            chunk=hit.chunk, document=hit.document, version=hit.version,
        )  # fmt: skip
        yield _Found(shown, image, own)


def _cited(connection: Connection, file: DigestFile) -> list[Row]:
    """Of the figures and tables in the cited documents those of which a row is cited, or whose number a statement says
    that stands on their document."""
    stated = [line for line in file.lines if line.kind == "statement" and line.text]
    chunks = {one.source_id for line in stated for one in line.citations if one.kind == "chunk"}
    named = {
        (one.document_id, address)
        for line in stated
        for address in named_addresses(line.text)
        for one in line.citations
    }
    return [
        row
        for row in rows.illustrations(connection, chunks, ROWS_MAX)
        if row["row_cited"] or (row["document_id"], normalise(row["address"] or "")) in named
    ]


def _image(runtime: Runtime, place: DocumentPlace | None, stored: Row) -> str | None:
    if place is None:
        return None
    key = key_of_figure(place.work, stored)
    return key if runtime.blobs.exists(key) else None


def _caption(row: Row) -> str:
    """As printed, on one line; else its number, or what it is."""
    return " ".join((row["caption"] or row["address"] or ("Figure" if row["box"] else "Table")).split())


def _csv(texts: Sequence[Sequence[str]]) -> bytes:
    target = io.StringIO(newline="")
    csv.writer(target, lineterminator="\n").writerows([harmless_cell(cell) for cell in row] for row in texts)
    return target.getvalue().encode()
