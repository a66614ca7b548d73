"""Every table with rows of two organizations, and a connection that sees them all."""

from collections.abc import Iterator

import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from tests.store.filling import Connection, Filled, fill, superuser


@pytest.fixture(scope="module")
def filled(postgres: EmbeddedPostgres, database_name: str) -> Filled:
    """Rows in every table of two organizations with two knowledge bases each."""
    with superuser(postgres, database_name) as connection:
        return fill(connection)


@pytest.fixture(scope="module")
def unbound(postgres: EmbeddedPostgres, database_name: str) -> Iterator[Connection]:
    with superuser(postgres, database_name) as connection:
        yield connection
        connection.rollback()


@pytest.fixture
def everywhere(unbound: Connection) -> Iterator[Connection]:
    """A connection that no policy binds; what it does is taken back. It stays for the module: a new one reads the
    catalogue anew, which takes longer than most statements."""
    yield unbound
    unbound.rollback()
