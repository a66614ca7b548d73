"""A stored document that can be damaged in every place, proved, and had back: nothing that is done here is kept."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pymupdf
from psycopg.types.json import Jsonb

from shared.domain.scope import Identity, Scope
from shared.domain.verify import VerifyReport
from shared.library.verification import verify_stored_document
from shared.ports import StoredObject
from shared.runtime import Runtime
from shared.store.connect import Connection, set_scope

Row = dict[str, Any]
KINDS = {"text", "list", "caption", "footnote", "heading", "figure", "table", "table_row"}


class Stored(NamedTuple):
    """Where a document and its files are."""

    scope: Scope
    document: UUID
    work: str
    source_key: str


class Overlay:
    """Blobs over those of a runtime: what is written here stays here."""

    def __init__(self, below: Any, folder: Path) -> None:
        self._below, self._folder = below, folder
        self._written: dict[str, bytes | None] = {}

    def get(self, key: str) -> bytes:
        return self._written.get(key) or self._below.get(key)

    def put(self, key: str, data: bytes, content_type: str = "") -> None:
        self._written[key] = data

    def remove(self, key: str) -> None:
        self._written[key] = None

    def exists(self, key: str) -> bool:
        return self._written[key] is not None if key in self._written else self._below.exists(key)

    def local_copy(self, key: str, version: str | None = None) -> Path:
        data = self._written.get(key)
        if data is None:
            return self._below.local_copy(key, version)
        path = self._folder / hashlib.sha256(data).hexdigest()
        path.write_bytes(data)
        return path

    def entries(self, prefix: str) -> Iterator[StoredObject]:
        yield from (one for one in self._below.entries(prefix) if one.key not in self._written)
        for key, data in self._written.items():
            if key.startswith(prefix) and data is not None:
                yield StoredObject(key, len(data), datetime.now(UTC))

    def delete_prefix(self, prefix: str) -> int:
        found = [one.key for one in self.entries(prefix)]
        self._written |= dict.fromkeys(found)
        return len(found)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._below, name)


class OpenTransaction:
    """A database of which everybody gets the same open transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def unscoped(self) -> Generator[Connection]:
        with self._connection.transaction():
            yield self._connection

    @contextmanager
    def transaction(self, scope: Scope, *, snapshot: bool = False) -> Generator[Connection]:
        with self.unscoped() as connection:
            set_scope(connection, scope)
            yield connection


@contextmanager
def forging(runtime: Runtime, identity: Identity, stored: Stored, other: Stored, folder: Path) -> Generator["Forger"]:
    """Everything is rolled back at the end."""
    with runtime.database.transaction(stored.scope) as connection:
        yield Forger(runtime, identity, stored, other, connection, folder)
        connection.rollback()


class Forger:
    """One document under attack, and another one beside it."""

    def __init__(
        self, runtime: Runtime, identity: Identity, stored: Stored, other: Stored, connection: Connection, folder: Path
    ) -> None:
        self.stored, self.other = stored, other
        self._identity, self._connection = identity, connection
        self._blobs = Overlay(runtime.blobs, folder)
        database: Any = OpenTransaction(connection)
        blobs: Any = self._blobs
        self._runtime = dataclasses.replace(runtime, database=database, blobs=blobs)

    def verify(self) -> VerifyReport:
        """What is told to whoever asks, the report that is kept of the undamaged document among it."""
        return verify_stored_document(self._runtime, self._identity, self.stored.document)

    # Rows

    def sql(self, statement: str, **values: Any) -> list[Row]:
        set_scope(self._connection, self.stored.scope)
        found = self._connection.execute(statement.encode(), {"document": self.stored.document} | values)
        return found.fetchall() if found.description else []

    def chunks(self, kind: str | None = None) -> list[Row]:
        rows = self.sql("select * from chunks where document_id = %(document)s order by ordinal")
        assert rows
        return [row for row in rows if kind in (None, row["chunk_type"])]

    def chunk(self, kind: str, holds: Callable[[Row], bool] = lambda _: True) -> Row:
        return next(row for row in self.chunks(kind) if holds(row))

    def text(self) -> Row:
        """A paragraph of several lines on one page, some of whose words and letters are ordinary."""
        return self.chunk("text", lambda c: len(c["boxes"]) == 1 and len(c["boxes"][0]["fragment_ids"]) > 2)

    def change(self, chunk: Row, **columns: Any) -> Row:
        for name, value in columns.items():
            stored = Jsonb(value) if isinstance(value, (dict, list)) and name != "flags" else value
            self.sql(f"update chunks set {name} = %(value)s where id = %(id)s", value=stored, id=chunk["id"])  # noqa: S608 a column of ours
        return chunk

    def box(self, chunk: Row, number: int = 0, **edges: Any) -> Row:
        """Change one box of a chunk."""
        boxes = [dict(box) for box in chunk["boxes"]]
        boxes[number] |= edges
        return self.change(chunk, boxes=boxes)

    def table(self) -> Row:
        """The table that runs over two pages."""
        (row,) = self.sql("select * from tables where document_id = %(document)s and last_page > first_page")
        return row

    def grid(self, table: Row, change: Callable[[list[list[Row]]], Any]) -> Row:
        grid = [[dict(cell) for cell in row] for row in table["grid"]]
        change(grid)
        self.sql("update tables set grid = %(grid)s where id = %(id)s", grid=Jsonb(grid), id=table["id"])
        return table

    def skipped(self, page: int, change: Callable[[list[Row]], Any]) -> int:
        (row,) = self.sql("select skipped from pages where document_id = %(document)s and page = %(page)s", page=page)
        change(row["skipped"])
        statement = "update pages set skipped = %(skipped)s where document_id = %(document)s and page = %(page)s"
        self.sql(statement, page=page, skipped=Jsonb(row["skipped"]))
        return page

    def section(self, holds: Callable[[Row], bool]) -> Row:
        rows = self.sql("select * from sections where document_id = %(document)s order by ordinal")
        return next(row for row in rows if holds(row))

    def forget_derived(self, chunk_id: UUID) -> None:
        """What hangs on a chunk's row and would hold it in its document."""
        for table in ("chunk_vectors", "chunk_lexical", "chunk_attributes"):
            self.sql(f"delete from {table} where chunk_id = %(id)s", id=chunk_id)  # noqa: S608 a table of ours

    # Files

    def page_file(self, page: int, change: Callable[[Row], Any]) -> int:
        return self._edit(f"pages/{page}.json", page, change)

    def fragment(self, page: int, number: int, **fields: Any) -> int:
        """Change one line of a stored page; numbers from 0."""
        return self.page_file(page, lambda file: file["fragments"][number].update(fields))

    def operations(self, page: int, change: Callable[[list[Row]], Any]) -> int:
        return self._edit(f"ops/{page}.json", page, lambda file: change(file["operations"]))

    def read(self, name: str) -> Row:
        return json.loads(self._blobs.get(f"{self.stored.work}{name}"))

    def remove(self, name: str) -> None:
        self._blobs.remove(f"{self.stored.work}{name}")

    def put(self, name: str, value: Row) -> None:
        self._blobs.put(f"{self.stored.work}{name}", json.dumps(value).encode())

    def _edit(self, name: str, page: int, change: Callable[[Row], Any]) -> int:
        value = self.read(name)
        change(value)
        self.put(name, value)
        return page

    # The source

    def source(self, change: Callable[[pymupdf.Document], Any]) -> None:
        """Another file in the source's place, and its hash with it: whoever swaps a file can swap a hash."""
        with pymupdf.open(self._blobs.local_copy(self.stored.source_key), filetype="pdf") as document:
            change(document)
            self.replace_source(document.tobytes())

    def replace_source(self, data: bytes) -> None:
        self._blobs.put(self.stored.source_key, data)
        digest = hashlib.sha256(data).hexdigest()
        self.sql("update documents set source_hash = %(hash)s where id = %(document)s", hash=digest)

    def other_source(self) -> bytes:
        return self._blobs.local_copy(self.other.source_key).read_bytes()


def lines_of(chunk: Row) -> Iterator[str]:
    for box in chunk["boxes"]:
        yield from box["fragment_ids"]


def page_of(chunk: Row) -> int:
    return int(chunk["boxes"][0]["page"])
