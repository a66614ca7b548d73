"""Whether a version may serve: what it finds in the database before anybody calls it."""

from shared.errors import Conflict
from shared.store.connect import Connection, Database
from shared.store.migrate import newest
from shared.store.named_queries import load_queries

_SQL = load_queries("self_check")


def check_release(database: Database, schema: str) -> None:
    """`schema` is the newest migration that the deployment applied. Raises Conflict with what is wrong,
    StoreUnavailable where the database does not answer."""
    if schema < newest():
        raise Conflict(f"This version expects the schema {newest()}, and the database has {schema}.")
    with database.unscoped() as connection:
        for query, wrong in (
            ("unprotected", "Tables without a forced policy"),
            ("past_policies", "The application belongs to roles that no policy binds"),
            ("seen", "Rows that are seen without a scope"),
        ):
            _refuse(connection, query, wrong)


def _refuse(connection: Connection, query: str, wrong: str) -> None:
    found = [str(row["name"]) for row in connection.execute(_SQL[query]).fetchall()]
    if found:
        raise Conflict(f"{wrong}: {', '.join(found)}.")
