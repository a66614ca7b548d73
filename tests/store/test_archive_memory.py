"""An archive is written and read in pieces: memory does not grow with what is in it."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive.exporting import export_knowledge_base
from shared.archive.importing import import_archive
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from tests.elsewhere import elsewhere
from tests.store.seeding import Passage, add_base, add_document

CHUNKS, MEGABYTE = 6_000, 1 << 20
FILE = 60 * MEGABYTE
COPY = """
    insert into chunks (organization_id, knowledge_base_id, document_id, id, content_hash, occurrence, ordinal,
      chunk_type, content, index_text, index_hash, boxes, confidence, extractor_version)
    select organization_id, knowledge_base_id, document_id, gen_random_uuid(), n::text, 0, n, chunk_type,
      repeat(md5(n::text), 120), repeat(md5(n::text), 120), n::text, boxes, 1, 'test'
    from chunks, generate_series(1, %s) n where document_id = %s
"""


@pytest.fixture
def large(runtime: Runtime, identity: Identity) -> UUID:
    """46 MB of chunks and a source of 60 MB."""
    scope: Scope = add_base(runtime, identity, "large")
    document = add_document(runtime, scope, "large.pdf", [Passage("One.")], served=False)
    (base,) = scope.knowledge_base_ids
    key = f"sources/{identity.organization_id}/{base}/{document}/source"
    runtime.blobs.put(key, bytes(FILE))
    with runtime.database.transaction(scope) as connection:
        connection.execute(COPY, (CHUNKS, document))
        connection.execute("update documents set source_key = %s where id = %s", (key, document))
    return base


def peak_of(act: Callable[[], Any]) -> float:
    """MB that Python's objects took at most."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_hundred_megabytes_are_written_and_read_in_a_third_of_that(
    runtime: Runtime, identity: Identity, large: UUID, postgres: EmbeddedPostgres, test_home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "large.autri.zip"
    written = peak_of(lambda: export_knowledge_base(runtime, identity, large, path))
    with elsewhere(postgres, test_home) as there:
        read = peak_of(lambda: import_archive(there.runtime, there.identity, path))
        with there.runtime.database.transaction(there.identity.scope(large)) as connection:
            assert connection.execute("select count(*) as n from chunks").fetchone() == {"n": CHUNKS + 1}
    assert max(written, read) < 35, (written, read)
