"""Writes a `DocumentDraft` as rows, in the caller's transaction.

Rows keep their ids across runs: each has a natural key of (document, hash, occurrence), so a re-run updates rows that
still exist, inserts new ones and deletes the others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, LiteralString
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from shared.domain.draft import ChunkDraft, DocumentDraft, SectionDraft, TableDraft
from shared.domain.geometry import with_ticks
from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.store.attributes import store_attributes
from shared.store.connect import Connection, Row
from shared.values.hyphenation import Rejoiner

Key = tuple[str, int]
_COMMA: Final = sql.SQL(", ")
# The natural key of a former row: its table, its hash, its occurrence.
FormerKey = tuple[str, str, int]


def commit_draft(
    connection: Connection,
    scope: Scope,
    document_id: UUID,
    draft: DocumentDraft,
    document_name: str,
    version: str,
    former: Mapping[FormerKey, UUID] | None = None,
) -> None:
    """Stores the whole draft. The document's row is locked, so that two concurrent runs do not interleave.

    `document_name` is put in front of each chunk's index text; `version` is the extractor's, stored on every chunk;
    `former` has the ids of chunks, sections and tables that existed once, for those that come back.
    """
    connection.execute("select 1 from documents where id = %s for update", (document_id,))
    writer = _Writer(connection, scope, document_id, former or {})
    sections = writer.sections(draft.sections)
    tables = writer.tables(draft.tables)
    chunks = writer.chunks(draft, sections, tables, document_name, version)
    writer.figures(draft, chunks)
    writer.attributes(draft, chunks)
    writer.delete_others("chunks", chunks)
    writer.delete_others("sections", sections)
    writer.delete_others("tables", tables)


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


def _occurrences(hashes: Iterable[str]) -> list[Key]:
    """Numbers equal hashes from 0 in document order."""
    seen: Counter[str] = Counter()
    keys: list[Key] = []
    for value in hashes:
        keys.append((value, seen[value]))
        seen[value] += 1
    return keys


class _Writer:
    """Upserts one document's rows; every method returns the rows' ids in draft order."""

    def __init__(
        self, connection: Connection, scope: Scope, document_id: UUID, former: Mapping[FormerKey, UUID]
    ) -> None:
        self._connection = connection
        self._former = former
        self._document_id = document_id
        self._owner: Row = {
            "organization_id": scope.organization_id,
            "knowledge_base_id": scope.knowledge_base_ids[0],
            "document_id": document_id,
        }

    def sections(self, drafts: Sequence[SectionDraft]) -> list[UUID]:
        hashes: list[str] = []
        for draft in drafts:
            above = hashes[draft.parent] if draft.parent is not None else ""
            hashes.append(hash_text(above, draft.address_key or "", draft.title))
        keys = _occurrences(hashes)
        ids = self._ids("sections", "section_hash", keys)
        paths: list[list[Row]] = []
        rows: list[Row] = []
        for ordinal, (draft, key, row_id) in enumerate(zip(drafts, keys, ids, strict=True)):
            above_path = paths[draft.parent] if draft.parent is not None else []
            paths.append([*above_path, {"id": str(row_id), "address": draft.address, "title": draft.title}])
            rows.append(
                {
                    "id": row_id,
                    "section_hash": key[0],
                    "occurrence": key[1],
                    "parent_id": ids[draft.parent] if draft.parent is not None else None,
                    "ordinal": ordinal,
                    "address": draft.address,
                    "title": draft.title,
                    "depth": draft.depth,
                    "path": Jsonb(paths[-1]),
                    "page": draft.page,
                    "captioned": draft.captioned,
                }
            )
        self._upsert("sections", ("document_id", "section_hash", "occurrence"), rows)
        self._addresses(drafts, ids)
        return ids

    def _addresses(self, drafts: Sequence[SectionDraft], ids: Sequence[UUID]) -> None:
        self._connection.execute("delete from section_addresses where document_id = %s", (self._document_id,))
        rows: list[Row] = []
        for draft, row_id in zip(drafts, ids, strict=True):
            exact = {draft.address_key} if draft.address_key else set[str]()
            keys = exact | set(draft.aliases)
            rows += [{"section_id": row_id, "address_key": key, "exact": key in exact} for key in keys]
        self._upsert("section_addresses", ("section_id", "address_key"), rows)

    def tables(self, drafts: Sequence[TableDraft]) -> list[UUID]:
        grids = [[[cell.model_dump(mode="json") for cell in row] for row in draft.rows] for draft in drafts]
        keys = _occurrences(
            hash_text(draft.caption, *(cell.text for row in draft.rows for cell in row)) for draft in drafts
        )
        ids = self._ids("tables", "content_hash", keys)
        rows: list[Row] = [
            {
                "id": row_id,
                "content_hash": key[0],
                "occurrence": key[1],
                "header_rows": draft.header_rows,
                "caption": draft.caption,
                "first_page": draft.first_page,
                "last_page": draft.last_page,
                "grid": Jsonb(grid),
            }
            for draft, key, row_id, grid in zip(drafts, keys, ids, grids, strict=True)
        ]
        self._upsert("tables", ("document_id", "content_hash", "occurrence"), rows)
        return ids

    def chunks(
        self, draft: DocumentDraft, sections: list[UUID], tables: list[UUID], document_name: str, version: str
    ) -> list[UUID]:
        keys = _occurrences(hash_text(chunk.chunk_type, chunk.content) for chunk in draft.chunks)
        ids = self._ids("chunks", "content_hash", keys)
        texts = index_texts(document_name, draft)
        rows: list[Row] = []
        for ordinal, (chunk, key, row_id, text) in enumerate(zip(draft.chunks, keys, ids, texts, strict=True)):
            pages = [box.page for box in chunk.boxes if box.kind == "page"]
            rows.append(
                {
                    "id": row_id,
                    "content_hash": key[0],
                    "occurrence": key[1],
                    "ordinal": ordinal,
                    "section_id": sections[chunk.section] if chunk.section is not None else None,
                    "table_id": tables[chunk.table] if chunk.table is not None else None,
                    "table_row": chunk.row,
                    "chunk_type": chunk.chunk_type,
                    "content": chunk.content,
                    "index_text": text,
                    "index_hash": hash_text(text),
                    "keywords": chunk.keywords,
                    "boxes": Jsonb([box.model_dump(mode="json") for box in chunk.boxes]),
                    "first_page": min(pages, default=None),
                    "last_page": max(pages, default=None),
                    "attrs": Jsonb(chunk.attrs),
                    "confidence": chunk.confidence,
                    "flags": chunk.flags,
                    "ocr": chunk.ocr,
                    "extractor_version": version,
                }
            )
        self._upsert("chunks", ("document_id", "content_hash", "occurrence"), rows)
        return ids

    def figures(self, draft: DocumentDraft, chunks: list[UUID]) -> None:
        self._connection.execute("delete from figures where document_id = %s", (self._document_id,))
        rows: list[Row] = [
            {
                "chunk_id": chunks[figure.chunk],
                "page": figure.page,
                "box": Jsonb(figure.box.model_dump(mode="json")),
                "caption": figure.caption,
                "figure_type": figure.figure_type,
            }
            for figure in draft.figures
        ]
        self._upsert("figures", ("chunk_id",), rows)

    def attributes(self, draft: DocumentDraft, chunks: list[UUID]) -> None:
        store_attributes(self._connection, self._owner, chunks, draft)

    def delete_others(self, table: LiteralString, kept: list[UUID]) -> None:
        self._connection.execute(
            f"delete from {table} where document_id = %s and id <> all(%s)",  # noqa: S608 our table names
            (self._document_id, kept),
        )

    def _ids(self, table: LiteralString, hash_column: LiteralString, keys: Sequence[Key]) -> list[UUID]:
        """For each key the existing id, the former one, or a new one."""
        rows = self._connection.execute(
            f"select id, {hash_column} as hash, occurrence from {table} where document_id = %s",  # noqa: S608 our names
            (self._document_id,),
        )
        known: dict[Key, UUID] = {(row["hash"], row["occurrence"]): row["id"] for row in rows}
        return [known.get(key) or self._former.get((table, *key)) or new_id() for key in keys]

    def _upsert(self, table: str, conflict: tuple[str, ...], rows: list[Row]) -> None:
        if not rows:
            return
        columns = [*self._owner, *rows[0]]
        changed = [c for c in rows[0] if c not in (*conflict, "id")]
        statement = sql.SQL("insert into {} ({}) values ({}) on conflict ({}) do update set {}").format(
            sql.Identifier(table),
            _COMMA.join(map(sql.Identifier, columns)),
            _COMMA.join(map(sql.Placeholder, columns)),
            _COMMA.join(map(sql.Identifier, conflict)),
            _COMMA.join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(c)) for c in changed),
        )
        with self._connection.cursor() as cursor:
            cursor.executemany(statement, [self._owner | row for row in rows])
