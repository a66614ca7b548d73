"""Fixtures that every suite shares: one embedded Postgres per session, a fresh database per module, two tenants."""

import gc
import os
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from xdist.remote import Producer

from shared.adapters.local.postgres import OWNER, SUPERUSER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, Organization, provision, provision_local
from tests.aws.bucket import made_bucket
from tests.aws.emulator import running_emulator
from tests.distribution import ByFile, longest_first
from tests.embeddings import kept_embeddings
from tests.once import are_compiled, first_alone, open_folder, remove_folder
from tests.trust import read_authorities_once

TEMPLATE = "autri_template"
# Vacuum would go round a hundred databases, of which one is in use.
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
OTHER_ISSUER = "https://login.kestrel.example"

# As in the Makefile: none of the processes that are started from here shall compile a thousand modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

read_authorities_once()

# What is imported and collected, a million objects, stays: to look through it for garbage again and again takes as long
# as a third of the tests' own work.
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    """What the workers of a run share lies in a folder that the process which starts them opens and removes."""
    if not hasattr(config, "workerinput"):
        open_folder()
        config.add_cleanup(remove_folder)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    """With -n: files are handed out whole."""
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """With -n: in a new checkout one worker compiles the tests, and not each of them all."""
    if hasattr(session.config, "workerinput") and not are_compiled(Path(__file__).parent):
        with first_alone("collection"):
            return (yield)
    return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With -n: what takes longest begins first."""
    if hasattr(config, "workerinput"):
        longest_first(items)


def pytest_collection_finish() -> None:
    # It takes each worker ten seconds of a core, for the one that needs it: templates are made by another process.
    if "aws_cdk" in sys.modules:
        raise pytest.UsageError("A test imports the CDK: take what it needs from a module that does without.")
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def test_home() -> Iterator[Path]:
    """A folder for this session's data: below AUTRI_TEST where it is set. Short, because sockets live in it."""
    with tempfile.TemporaryDirectory(
        prefix="autri-", dir=os.environ.get("AUTRI_TEST"), ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres(test_home: Path) -> Iterator[EmbeddedPostgres]:
    """The server, with a migrated template database in which the organizations `local` and `kestrel` exist.

    AUTRI_TEST_POSTGRES names the data folder of a server that outlives the session (`make mutants` keeps one).
    """
    data = Path(os.environ.get("AUTRI_TEST_POSTGRES") or test_home / "postgres")
    with EmbeddedPostgres(data, NOT_DURABLE) as server:
        if not _has_template(server):
            server.create_database(TEMPLATE)
            owner = server.dsn(OWNER, TEMPLATE)
            migrate(owner)
            provision_local(owner)
            provision(owner, Organization("kestrel", "Kestrel", "ada@kestrel.example"))
        yield server


def _has_template(server: EmbeddedPostgres) -> bool:
    with psycopg.connect(server.dsn(SUPERUSER, "postgres")) as connection:
        return connection.execute("select from pg_database where datname = %s", (TEMPLATE,)).fetchone() is not None


@pytest.fixture(scope="module")
def database_name(postgres: EmbeddedPostgres) -> str:
    """A database of this module's own, copied from the template."""
    name = f"t_{new_id().hex}"
    postgres.create_database(name, TEMPLATE)
    return name


@pytest.fixture(scope="module")
def owner_dsn(postgres: EmbeddedPostgres, database_name: str) -> str:
    return postgres.dsn(OWNER, database_name)


@pytest.fixture(scope="module")
def runtime(postgres: EmbeddedPostgres, database_name: str, test_home: Path) -> Iterator[Runtime]:
    """A runtime over the module's database and files of its own; the models are shared by the session, with what they
    have embedded."""
    home = test_home / database_name
    home.mkdir()
    models = test_home / "models"
    models.mkdir(exist_ok=True)
    (home / "models").symlink_to(models)
    made = local_runtime(postgres.dsn(database=database_name), home)
    with made.database, kept_embeddings():
        yield made


@pytest.fixture(scope="module")
def identity(runtime: Runtime) -> Identity:
    """The local developer, owner of the organization `local`."""
    with runtime.database.unscoped() as connection:
        found = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def other_identity(runtime: Runtime, owner_dsn: str) -> Identity:
    """The owner of another organization, for isolation tests."""
    return add_member(runtime, owner_dsn, "kestrel", "owner")


@pytest.fixture(scope="module")
def viewer(runtime: Runtime, owner_dsn: str) -> Identity:
    """A viewer in the organization `local`."""
    return add_member(runtime, owner_dsn, "local", "viewer")


@pytest.fixture(scope="session")
def s3_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An emulated S3."""
    with running_emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        yield emulator.url


@pytest.fixture
def bucket(s3_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty bucket with versions, and an account that reaches it."""
    with made_bucket(s3_url, monkeypatch) as made:
        yield made


def as_superuser(dsn: str) -> str:
    """The same database for who is bound by no policy."""
    return make_conninfo(dsn, user=SUPERUSER)


def add_member(runtime: Runtime, owner_dsn: str, organization: str, role: str) -> Identity:
    """A further user of an organization, signed in with a subject of their own."""
    subject = new_id().hex
    with psycopg.connect(owner_dsn) as connection:
        row = connection.execute(
            "insert into users (organization_id, id, email, role)"
            " select id, %s, %s, %s from organizations where slug = %s returning organization_id, id",
            (new_id(), f"{subject}@{organization}.example", role, organization),
        ).fetchone()
        assert row is not None
        connection.execute(
            "insert into identities (organization_id, user_id, issuer, subject) values (%s, %s, %s, %s)",
            (*row, OTHER_ISSUER, subject),
        )
    with runtime.database.unscoped() as connection:
        found = resolve_identity(connection, OTHER_ISSUER, subject)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def live_server(test_home: Path) -> Iterator[str]:
    """The address of a real server with the sample knowledge bases, ingested once per session."""
    from tests.live import serve_samples

    with serve_samples(test_home / "live") as url:
        yield url
