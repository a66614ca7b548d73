"""What a file's statements stand on, as a page shows it: passages whole, with where they are."""

from uuid import UUID

from pydantic import BaseModel

from shared.access import find_knowledge_base, reading
from shared.digest.assets import list_assets
from shared.digest.folder import cited_sources
from shared.domain.digest import DigestAsset, SourceKind, Standing
from shared.domain.knowledge import Chunk, DocumentRef, VersionEnvelope
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import digest as rows
from shared.store.documents import find_document
from shared.store.search import load_chunks


class DigestSource(BaseModel):
    """What `number` stands for in the file. A passage has its chunk, document and version; those are null where it is
    gone, and of other kinds, of which `label` says what it is."""

    number: int
    kind: SourceKind
    source_id: UUID
    standing: Standing
    label: str
    chunk: Chunk | None = None
    document: DocumentRef | None = None
    version: VersionEnvelope | None = None


class DigestSources(BaseModel):
    """In the order of their numbers; `assets` are the figures and tables that are cited."""

    items: list[DigestSource]
    assets: list[DigestAsset] = []


def list_sources(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, file_id: UUID) -> DigestSources:
    """Raises NotFound."""
    with reading(runtime, identity, [knowledge_base_id], snapshot=True) as connection:
        find_knowledge_base(connection, knowledge_base_id)
        file = rows.get_file(connection, knowledge_base_id, file_id=file_id)
        if file is None:
            raise NotFound(f"The digest has no file {file_id}. List its files, and take an id of them.")
        cited = cited_sources(file)
        assets = list_assets(runtime, connection, file)
        standing = {(c.kind, c.source_id): c.standing for line in file.lines for c in line.citations}
        chunks = load_chunks(connection, [source_id for kind, source_id in cited if kind == "chunk"])
        documents = {
            source_id: row["name"]
            for kind, source_id in cited
            if kind == "document" and (row := find_document(connection, source_id)) is not None
        }
    items: list[DigestSource] = []
    for number, (kind, source_id) in enumerate(cited, start=1):
        found = chunks.get(source_id)
        items.append(
            DigestSource(
                number=number,
                kind=kind,
                source_id=source_id,
                standing=standing[kind, source_id],
                label=found.document.name if found else documents.get(source_id, kind),
                chunk=found.chunk if found else None,
                document=found.document if found else None,
                version=found.version if found else None,
            )
        )
    return DigestSources(items=items, assets=assets)
