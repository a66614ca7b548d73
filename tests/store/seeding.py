"""Documents made of given passages, stored, indexed and served as the stages would."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import UUID

from shared.domain.draft import CellDraft, ChunkDraft, DocumentDraft, SectionDraft, TableDraft
from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.operations import ChunkType
from shared.domain.scope import Identity, Scope
from shared.lexical import index as lexical
from shared.ports import Embedder
from shared.runtime import Runtime
from shared.store import documents
from shared.store.draft import commit_draft
from shared.store.knowledge_bases import add_knowledge_base
from shared.vectors import rows as vectors


@dataclass(frozen=True)
class Passage:
    """A chunk to be; `section` indexes the document's sections, `table` counts its tables."""

    content: str
    page: int = 1
    section: int | None = None
    chunk_type: ChunkType = "text"
    keywords: list[str] = field(default_factory=list[str])
    table: int | None = None
    context: str = ""
    labelled: str = ""


def section(
    index: int, address: str, title: str, parent: int | None = None, aliases: Sequence[str] = ()
) -> SectionDraft:
    key = address.lower()
    depth = 1 if parent is None else 2
    return SectionDraft(
        index=index,
        parent=parent,
        address=address,
        address_key=key,
        aliases=list(aliases),
        title=title,
        depth=depth,
        page=1,
    )


def add_base(runtime: Runtime, identity: Identity, name: str) -> Scope:
    """A knowledge base, as the scope of its stages."""
    scope = Scope(organization_id=identity.organization_id, user_id=identity.user_id)
    with runtime.database.transaction(scope) as connection:
        added = add_knowledge_base(connection, identity, {"slug": name, "name": name, "description": name})
    assert added is not None
    return scope.model_copy(update={"knowledge_base_ids": (added,)})


def add_document(
    runtime: Runtime,
    scope: Scope,
    name: str,
    passages: Sequence[Passage],
    sections: Sequence[SectionDraft] = (),
    version_of: UUID | None = None,
    embedder: Embedder | None = None,
    *,
    served: bool = True,
    source_type: str = "pdf",
) -> UUID:
    """Register, store and index; serve, if so wished, as the current version. Vectors only with an embedder."""
    document_id = new_id()
    row: dict[str, Any] = {
        "id": document_id,
        "name": name,
        "title": name,
        "source_type": source_type,
        "source_hash": sha256(f"{name}{version_of}".encode()).hexdigest(),
        "source_key": f"incoming/{name}",
        "size": 1,
        "status": "ready",
        "error": None,
        "version_of": version_of,
        "label": None,
        "ingestion_id": None,
        "engine": "layout",
        "page_count": max((p.page for p in passages), default=0),
    }
    with runtime.database.transaction(scope) as connection:
        assert documents.insert_document(connection, scope, row) is not None
    replace_passages(runtime, scope, document_id, name, passages, sections)
    index_document(runtime, scope, document_id, embedder)
    if not served:
        return document_id
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "update documents set is_current = false where logical_document_id ="
            " (select logical_document_id from documents where id = %s)",
            (document_id,),
        )
        connection.execute("update documents set serving = true, is_current = true where id = %s", (document_id,))
    return document_id


def replace_passages(
    runtime: Runtime,
    scope: Scope,
    document_id: UUID,
    name: str,
    passages: Sequence[Passage],
    sections: Sequence[SectionDraft] = (),
) -> None:
    """What finalize does: the document's chunks become `passages`."""
    tables: Mapping[int, TableDraft] = {
        p.table: TableDraft(header_rows=1, rows=[[CellDraft(text=p.content, boxes=[])]], first_page=1, last_page=1)
        for p in passages
        if p.table is not None
    }
    draft = DocumentDraft(
        sections=list(sections),
        chunks=[_chunk(p) for p in passages],
        tables=[tables[i] for i in sorted(tables)],
        confidence=1,
    )
    with runtime.database.transaction(scope) as connection:
        commit_draft(connection, scope, document_id, draft, name, "test")


def index_document(runtime: Runtime, scope: Scope, document_id: UUID, embedder: Embedder | None = None) -> int:
    """What embed does; returns how many chunks the lexical index took."""
    with runtime.database.transaction(scope) as connection:
        if embedder is not None:
            rows = vectors.missing(connection, [document_id], embedder.version, 100_000)
            found = embedder.embed_passages([text for _, text, _ in rows])
            vectors.store(connection, embedder.version, rows, found)
        return lexical.index_chunks(connection, scope.knowledge_base_ids[0], document_id)


def _chunk(passage: Passage) -> ChunkDraft:
    return ChunkDraft(
        section=passage.section,
        chunk_type=passage.chunk_type,
        content=passage.content,
        boxes=[PageBox(x=0, y=0, w=1, h=1, page=passage.page)],
        keywords=passage.keywords,
        table=passage.table,
        context=passage.context,
        labelled=passage.labelled,
    )
