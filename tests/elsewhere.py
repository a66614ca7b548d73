"""Another deployment: a database and files of its own."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.conftest import TEMPLATE, add_member


@dataclass(frozen=True)
class Elsewhere:
    """The owner of an organization there."""

    runtime: Runtime
    identity: Identity
    owner_dsn: str
    home: Path


@contextmanager
def elsewhere(postgres: EmbeddedPostgres, test_home: Path, organization: str = "kestrel") -> Generator[Elsewhere]:
    name = f"t_{new_id().hex}"
    postgres.create_database(name, TEMPLATE)
    home = test_home / name
    home.mkdir()
    (test_home / "models").mkdir(exist_ok=True)
    (home / "models").symlink_to(test_home / "models")
    runtime = local_runtime(postgres.dsn(database=name), home)
    owner_dsn = postgres.dsn(OWNER, name)
    with runtime.database:
        yield Elsewhere(runtime, add_member(runtime, owner_dsn, organization, "owner"), owner_dsn, home)
