"""Writes a `DocumentDraft` as rows, in the caller's transaction.

Rows keep their ids across runs: each has a natural key of (document, hash, occurrence), so a re-run updates rows that
still exist, inserts new ones and deletes the others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

from shared.domain.draft import ChunkDraft, DocumentDraft, SectionDraft, TableDraft
from shared.domain.geometry import with_ticks
from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.store.attributes import add_attributes, remove_attributes
from shared.store.connect import Connection, Row
from shared.store.upsert import upsert
from shared.values.hyphenation import Rejoiner

Key = tuple[str, int]
# The natural key of a former row: its table, its hash, its occurrence.
FormerKey = tuple[str, str, int]
# By table, the column of its rows' hash.
_HASHES: Final[dict[LiteralString, LiteralString]] = {
    "sections": "section_hash",
    "tables": "content_hash",
    "chunks": "content_hash",
}
# By table, in the order in which they refer to each other, what tells its rows apart.
_CONFLICTS: Final = {
    "sections": ("document_id", "section_hash", "occurrence"),
    "section_addresses": ("section_id", "address_key"),
    "tables": ("document_id", "content_hash", "occurrence"),
    "chunks": ("document_id", "content_hash", "occurrence"),
    "figures": ("chunk_id",),
}


class StoredDraft(NamedTuple):
    """A draft that is to be stored.

    `name` is put in front of each chunk's index text; `version` is the extractor's, stored on every chunk; `former` has
    the ids of chunks, sections and tables that existed once, for those that come back.
    """

    document_id: UUID
    draft: DocumentDraft
    name: str
    version: str
    former: Mapping[FormerKey, UUID] = {}


def commit_draft(
    connection: Connection,
    scope: Scope,
    document_id: UUID,
    draft: DocumentDraft,
    document_name: str,
    version: str,
    former: Mapping[FormerKey, UUID] | None = None,
) -> None:
    """Stores the whole draft of a document. Its row is locked, so that two concurrent runs do not interleave."""
    connection.execute("select 1 from documents where id = %s for update", (document_id,))
    known = {table: _Known(connection, table, column, document_id) for table, column in _HASHES.items()}
    connection.execute("delete from section_addresses where document_id = %s", (document_id,))
    connection.execute("delete from figures where document_id = %s", (document_id,))
    remove_attributes(connection, document_id)
    wanted = StoredDraft(document_id, draft, document_name, version, former or {})
    (writer,) = _write(connection, scope, [wanted], known)
    for table in ("chunks", "sections", "tables"):
        known[table].delete_others(writer.ids[table])


def add_drafts(connection: Connection, scope: Scope, wanted: Sequence[StoredDraft]) -> None:
    """Stores whole drafts of several new documents of a knowledge base, which no other transaction sees yet, table by
    table."""
    _write(connection, scope, wanted, {})


def _write(
    connection: Connection, scope: Scope, wanted: Sequence[StoredDraft], known: "Mapping[str, _Known]"
) -> "list[_Writer]":
    owner: Row = {"organization_id": scope.organization_id, "knowledge_base_id": scope.knowledge_base_ids[0]}
    writers = [_Writer(one, owner | {"document_id": one.document_id}, known) for one in wanted]
    for writer in writers:
        writer.sections()
        writer.tables()
        writer.chunks()
        writer.figures()
    for table, conflict in _CONFLICTS.items():
        rows = [row for writer in writers for row in writer.rows[table]]
        upsert(connection, table, conflict, rows)
    drafts = [(writer.ids["chunks"], writer.draft) for writer in writers]
    add_attributes(connection, owner, [one.document_id for one in wanted], drafts)
    return writers


def hash_text(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()


def index_text(document_name: str, chunk: ChunkDraft) -> str:
    """The text that is embedded and lexically indexed; never shown as content.

    The document's name and the chunk's context (its section path, its table's caption) in front of the verbatim
    content; in a table row, each cell follows its column's header.
    """
    content = chunk.labelled or with_ticks(chunk.content, chunk.boxes)
    return "\n".join(part for part in (document_name, chunk.context, content) if part)


def index_texts(document_name: str, draft: DocumentDraft) -> list[str]:
    """The index text of each chunk, with words rejoined that are hyphenated across lines."""
    words = Rejoiner(chunk.content for chunk in draft.chunks)
    return [words.rejoin(index_text(document_name, chunk)) for chunk in draft.chunks]


def _hash_of_kept(draft: TableDraft) -> list[str]:
    return [draft.kept.sha256] if draft.kept else []


def _occurrences(hashes: Iterable[str]) -> list[Key]:
    """Numbers equal hashes from 0 in document order."""
    seen: Counter[str] = Counter()
    keys: list[Key] = []
    for value in hashes:
        keys.append((value, seen[value]))
        seen[value] += 1
    return keys


class _Known:
    """The rows of a table that a document has already, by their natural keys."""

    def __init__(self, connection: Connection, table: LiteralString, column: LiteralString, document_id: UUID) -> None:
        self._connection, self._table, self._document = connection, table, document_id
        rows = connection.execute(
            f"select id, {column} as hash, occurrence from {table} where document_id = %s",  # noqa: S608 our names
            (document_id,),
        )
        self._ids: dict[Key, UUID] = {(row["hash"], row["occurrence"]): row["id"] for row in rows}

    def find(self, key: Key) -> UUID | None:
        return self._ids.get(key)

    def delete_others(self, kept: Sequence[UUID]) -> None:
        if not set(kept).issuperset(self._ids.values()):
            self._connection.execute(
                f"delete from {self._table} where document_id = %s and id <> all(%s)",  # noqa: S608 our table names
                (self._document, list(kept)),
            )


class _Writer:
    """Makes one document's rows, by table, and their ids in draft order."""

    def __init__(self, wanted: StoredDraft, owner: Row, known: Mapping[str, _Known]) -> None:
        self.draft = wanted.draft
        self.rows: dict[str, list[Row]] = {table: [] for table in _CONFLICTS}
        self.ids: dict[str, list[UUID]] = {}
        self._wanted, self._owner, self._known = wanted, owner, known

    def sections(self) -> None:
        drafts = self.draft.sections
        hashes: list[str] = []
        for draft in drafts:
            above = hashes[draft.parent] if draft.parent is not None else ""
            hashes.append(hash_text(above, draft.address_key or "", draft.title))
        keys = _occurrences(hashes)
        ids = self._identify("sections", keys)
        paths: list[list[Row]] = []
        for ordinal, (draft, key, row_id) in enumerate(zip(drafts, keys, ids, strict=True)):
            above_path = paths[draft.parent] if draft.parent is not None else []
            paths.append([*above_path, {"id": row_id, "address": draft.address, "title": draft.title}])
            self._add(
                "sections",
                {
                    "id": row_id,
                    "section_hash": key[0],
                    "occurrence": key[1],
                    "parent_id": ids[draft.parent] if draft.parent is not None else None,
                    "ordinal": ordinal,
                    "address": draft.address,
                    "title": draft.title,
                    "depth": draft.depth,
                    "path": paths[-1],
                    "page": draft.page,
                    "captioned": draft.captioned,
                },
            )
            self._addresses(draft, row_id)

    def _addresses(self, draft: SectionDraft, row_id: UUID) -> None:
        exact = {draft.address_key} if draft.address_key else set(draft.aliases)
        for key in exact | set(draft.aliases):
            self._add("section_addresses", {"section_id": row_id, "address_key": key, "exact": key in exact})

    def tables(self) -> None:
        drafts = self.draft.tables
        keys = _occurrences(
            hash_text(draft.caption, *(cell.text for row in draft.rows for cell in row), *_hash_of_kept(draft))
            for draft in drafts
        )
        for draft, key, row_id in zip(drafts, keys, self._identify("tables", keys), strict=True):
            self._add(
                "tables",
                {
                    "id": row_id,
                    "content_hash": key[0],
                    "occurrence": key[1],
                    "header_rows": draft.header_rows,
                    "caption": draft.caption,
                    "first_page": draft.first_page,
                    "last_page": draft.last_page,
                    "kept_rows": draft.kept.rows if draft.kept else None,
                    "grid": [[cell.model_dump(mode="json") for cell in row] for row in draft.rows],
                },
            )

    def chunks(self) -> None:
        drafts = self.draft.chunks
        keys = _occurrences(hash_text(chunk.chunk_type, chunk.content) for chunk in drafts)
        ids = self._identify("chunks", keys)
        texts = index_texts(self._wanted.name, self.draft)
        for ordinal, (chunk, key, row_id, text) in enumerate(zip(drafts, keys, ids, texts, strict=True)):
            self._add("chunks", self._chunk(chunk, text) | _identity(row_id, key, ordinal))

    def _chunk(self, chunk: ChunkDraft, text: str) -> Row:
        pages = [box.page for box in chunk.boxes]
        return {
            "section_id": self.ids["sections"][chunk.section] if chunk.section is not None else None,
            "table_id": self.ids["tables"][chunk.table] if chunk.table is not None else None,
            "table_row": chunk.row,
            "chunk_type": chunk.chunk_type,
            "content": chunk.content,
            "index_text": text,
            "index_hash": hash_text(text),
            "keywords": chunk.keywords,
            "boxes": [box.model_dump(mode="json") for box in chunk.boxes],
            "first_page": min(pages, default=None),
            "last_page": max(pages, default=None),
            "attrs": chunk.attrs,
            "confidence": chunk.confidence,
            "flags": chunk.flags,
            "ocr": chunk.ocr,
            "extractor_version": self._wanted.version,
            "formulas": [one.model_dump(mode="json") for one in chunk.formulas] or None,
        }

    def figures(self) -> None:
        for figure in self.draft.figures:
            self._add(
                "figures",
                {
                    "chunk_id": self.ids["chunks"][figure.chunk],
                    "page": figure.page,
                    "box": figure.box.model_dump(mode="json"),
                    "caption": figure.caption,
                    "figure_type": figure.figure_type,
                },
            )

    def _add(self, table: str, row: Row) -> None:
        self.rows[table].append(self._owner | row)

    def _identify(self, table: str, keys: Sequence[Key]) -> list[UUID]:
        """For each key the existing id, the former one, or a new one."""
        former, known = self._wanted.former, self._known.get(table)
        ids = [(known.find(key) if known else None) or former.get((table, *key)) or new_id() for key in keys]
        self.ids[table] = ids
        return ids


def _identity(row_id: UUID, key: Key, ordinal: int) -> Row:
    return {"id": row_id, "content_hash": key[0], "occurrence": key[1], "ordinal": ordinal}
