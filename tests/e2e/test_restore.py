"""The database of an earlier day beside the store of today: what the operator finds, and how both meet again.

A copy of the stopped server's files stands for the cluster's snapshot; Aurora's own restoring is not shown here.
"""

import subprocess
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from shared.adapters.local.postgres import APPLICATION, OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.scope import Identity
from shared.library.documents import delete_document
from shared.library.storage import StorageReport
from shared.library.verification import verify_stored_document
from shared.maintenance import look_at_storage
from shared.runtime import Runtime
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.conftest import NOT_DURABLE
from tests.e2e.test_ingestion import small_pdf
from tests.pipeline import RULES_2025, make_knowledge_base, run_all, upload


class Machine:
    """A server on `data` with the objects of `home`."""

    def __init__(self, server: EmbeddedPostgres, home: Path) -> None:
        self.runtime: Runtime = local_runtime(server.dsn(APPLICATION), home)
        self.owner_dsn = server.dsn(OWNER)

    def identity(self) -> Identity:
        with self.runtime.database.unscoped() as connection:
            found = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT, None)
        assert found is not None
        return found

    def look(self) -> StorageReport:
        return look_at_storage(self.runtime, self.owner_dsn, timedelta(0))

    def ingest(self, base: UUID, data: bytes, name: str) -> UUID:
        return UUID(run_all(self.runtime, upload(self.runtime, self.identity(), base, data, name))["document_id"])


def test_a_database_of_before_is_brought_together_with_the_store_of_today(test_home: Path, tmp_path: Path) -> None:
    # A server has the folder above its data for itself.
    home, live, restored = tmp_path / "home", test_home / "before" / "postgres", test_home / "restored" / "postgres"
    for folder in (home, live.parent, restored.parent):
        folder.mkdir(exist_ok=True)
    with EmbeddedPostgres(live, NOT_DURABLE) as server:
        migrate(server.dsn(OWNER))
        provision_local(server.dsn(OWNER))
        machine = Machine(server, home)
        base = make_knowledge_base(machine.runtime, machine.identity(), "Restored")
        kept = machine.ingest(base, RULES_2025.read_bytes(), "kept.pdf")
        deleted_later = machine.ingest(base, small_pdf("deleted after the snapshot"), "deleted.pdf")
        machine.runtime.database.close()
    # With its owner, whom the server runs as.
    subprocess.run(["cp", "-a", live, restored], check=True)
    with EmbeddedPostgres(live, NOT_DURABLE) as server:
        machine = Machine(server, home)
        delete_document(machine.runtime, machine.identity(), deleted_later)
        came_later = machine.ingest(base, small_pdf("came after the snapshot"), "later.pdf")
        later = machine.look()
        assert (later.orphans, later.missing) == ([], [])
        machine.runtime.database.close()
    with EmbeddedPostgres(restored, NOT_DURABLE) as server:
        machine = Machine(server, home)
        assert migrate(machine.owner_dsn) == []
        found = machine.look()
        assert [(one.document_id, one.name) for one in found.missing] == [(str(deleted_later), "deleted.pdf")]
        sources = [orphan.prefix for orphan in found.orphans if orphan.prefix.startswith("sources/")]
        assert len(sources) == 1
        assert all(str(came_later) in o.prefix for o in found.orphans if o.prefix.startswith("work/"))
        report = verify_stored_document(machine.runtime, machine.identity(), kept, refresh=True)
        assert (report.ok, report.failed, report.chunks > 0) == (True, 0, True)
        # What was deleted once is deleted again, what came later comes again from its source.
        delete_document(machine.runtime, machine.identity(), deleted_later)
        again = machine.ingest(base, machine.runtime.blobs.get(f"{sources[0]}source"), "later.pdf")
        assert verify_stored_document(machine.runtime, machine.identity(), again, refresh=True).ok
        assert look_at_storage(machine.runtime, machine.owner_dsn, timedelta(0), remove=True).removed > 0
        clean = machine.look()
        assert (clean.orphans, clean.missing) == ([], [])
        machine.runtime.database.close()
