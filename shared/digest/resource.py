"""Files of digests as resources: by their paths, and listed among all knowledge bases."""

from typing import NamedTuple
from uuid import UUID

from shared.access import find_knowledge_base, reading
from shared.digest.context import PREAMBLE
from shared.digest.folder import with_sources
from shared.domain.digest import DigestFile, Tier
from shared.domain.scope import Identity
from shared.errors import NotFound
from shared.runtime import Runtime
from shared.store import digest as rows
from shared.store.digest_context import list_among


class ResourceFile(NamedTuple):
    """A file as it is listed among those of all knowledge bases."""

    knowledge_base_id: UUID
    tier: Tier
    path: str
    title: str
    version: str
    characters: int


def read_resource(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, path: str) -> str:
    """Its Markdown with what its numbers cite, behind a line that says that it is quoted; what is stale is named behind
    it. Raises NotFound."""
    with reading(runtime, identity, [knowledge_base_id]) as connection:
        find_knowledge_base(connection, knowledge_base_id)
        file = rows.get_file(connection, knowledge_base_id, path=path)
    if file is None:
        raise NotFound(f"The digest has no file {path}. Begin with index.md, and follow its lines.")
    return "\n".join([PREAMBLE, "", with_sources(file), *_stale(file)])


def _stale(file: DigestFile) -> list[str]:
    stale = [line for line in file.lines if line.stale and line.text]
    if not stale:
        return []
    told = "These statements are stale: what they stand on was superseded, corrected or deleted. Look at the source."
    return [told, *(f"- {line.text}" for line in stale)]


def list_files(runtime: Runtime, identity: Identity, after: tuple[UUID, str] | None, limit: int) -> list[ResourceFile]:
    """By knowledge base and path, behind `after`."""
    with reading(runtime, identity) as connection:
        found = list_among(connection, after, limit)
    names = ResourceFile._fields
    return [ResourceFile(**{name: row[name] for name in names}) for row in found]
