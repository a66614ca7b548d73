"""The process that maintenance runs in: upkeep happens, it is begun again, and nobody waits for it."""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from functions import maintenance_process
from functions.maintenance_process import MaintenanceProcess
from shared.adapters.local.postgres import APPLICATION
from shared.domain.scope import Identity, Scope
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store import digest
from shared.store.digest_writes import lock_digest
from shared.vectors.indexes import MAKE_FROM, index_name
from tests.conftest import as_superuser
from tests.patience import PATIENCE_S
from tests.processes import halted, kill, maintaining, wait_until
from tests.store.seeding import Passage, add_base, add_document

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

VERSION = "test/1"
PIPE_BYTES = 1 << 16
# Far below what a round rests, and above what a search takes on a busy machine.
SOON_S = 20.0


@pytest.fixture
def home(test_home: Path, database_name: str) -> Path:
    return test_home / database_name


@contextmanager
def beside(runtime: Runtime, home: Path, owner_dsn: str, first_s: float = 600) -> Generator[MaintenanceProcess]:
    dsn = make_conninfo(owner_dsn, user=APPLICATION)
    with MaintenanceProcess(runtime, home, dsn, owner_dsn, first_s) as process:
        yield process
    assert maintaining(home) == []


def started(home: Path) -> int:
    wait_until(lambda: maintaining(home))
    return maintaining(home)[0]


def with_a_document(runtime: Runtime, identity: Identity, name: str) -> Scope:
    scope = add_base(runtime, identity, name)
    add_document(runtime, scope, "Wings", [Passage(f"The {name} wing must not be wider than 1050 mm.")])
    return scope


def tell(runtime: Runtime, scope: Scope) -> None:
    runtime.tell_digest(scope.organization_id, scope.knowledge_base_ids[0])


def has_digest(runtime: Runtime, scope: Scope) -> bool:
    with runtime.database.transaction(scope) as connection:
        return digest.get_state(connection, scope.knowledge_base_ids[0]) is not None


def add_vectors(owner_dsn: str, scope: Scope) -> UUID:
    """As many as an index is worth for, without what they belong to."""
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("set session_replication_role = replica")
        connection.execute(
            "insert into chunk_vectors (organization_id, knowledge_base_id, document_id, chunk_id, embedder_version,"
            " index_hash, embedding) select %s, %s, gen_random_uuid(), gen_random_uuid(), %s, n::text,"
            " array[sin(n), cos(n)]::halfvec from generate_series(1, %s) n",
            (scope.organization_id, *scope.knowledge_base_ids, VERSION, MAKE_FROM),
        )
    return scope.knowledge_base_ids[0]


def has_index(owner_dsn: str, base: UUID) -> bool:
    with psycopg.connect(owner_dsn) as connection:
        name = index_name(base, VERSION)
        return connection.execute("select from pg_class where relname = %s", (name,)).fetchone() is not None


def test_the_digest_follows_what_was_posted_and_indexes_are_made(
    runtime: Runtime, identity: Identity, owner_dsn: str, home: Path
) -> None:
    scope = with_a_document(runtime, identity, "posted")
    base = add_vectors(owner_dsn, scope)
    with beside(runtime, home, owner_dsn):
        started(home)
        time.sleep(0.5)
        assert not has_digest(runtime, scope)
        tell(runtime, scope)
        wait_until(lambda: has_digest(runtime, scope) and has_index(owner_dsn, base))


def test_one_that_died_is_started_again_and_does_what_it_was_told(
    runtime: Runtime,
    identity: Identity,
    owner_dsn: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(maintenance_process, "RESTART_S", 0.1)
    scope = with_a_document(runtime, identity, "died")
    with beside(runtime, home, owner_dsn):
        for _ in range(2):
            first = started(home)
            with halted(first):
                tell(runtime, scope)
                kill(first)
            wait_until(lambda known=first: maintaining(home) not in ([], [known]))
        wait_until(lambda: has_digest(runtime, scope))
    assert "begins again in 0.2 s" in caplog.text


def test_a_search_waits_for_no_round_and_no_one_who_wakes_it_does(
    runtime: Runtime, identity: Identity, owner_dsn: str, home: Path
) -> None:
    scope = with_a_document(runtime, identity, "long")
    with runtime.database.transaction(scope) as held, beside(runtime, home, owner_dsn, 0):
        # A round that stands still in the middle, with its transaction open.
        lock_digest(held, scope.organization_id, scope.knowledge_base_ids[0])
        wait_until(lambda: waits_for_a_lock(owner_dsn))
        with halted(started(home)):
            begun = time.monotonic()
            request = SearchRequest(query="wing", knowledge_base_ids=list(scope.knowledge_base_ids), index="fts")
            assert search(runtime, identity, request).hits
            for _ in range(PIPE_BYTES + 1):
                runtime.wake_maintenance()
            assert time.monotonic() - begun < SOON_S
            held.rollback()


def waits_for_a_lock(owner_dsn: str) -> bool:
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        query = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        return connection.execute(query).fetchone() is not None


def test_answers_come_first_and_another_process_group_hears_no_interrupt(
    runtime: Runtime, owner_dsn: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance_process, "END_S", PATIENCE_S)
    with beside(runtime, home, owner_dsn):
        pid = started(home)
        fields = lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()  # noqa: E731
        wait_until(lambda: int(fields()[16]) == min(19, os.nice(0) + maintenance_process.NICENESS))
        assert int(fields()[2]) == pid
        leaving = time.monotonic()
    assert time.monotonic() - leaving < maintenance_process.END_S
