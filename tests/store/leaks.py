"""What a role reaches of a filled table beyond its scope, table by table: nothing, if the policies hold."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple
from uuid import UUID

from psycopg import errors, sql

from shared.adapters.local.postgres import APPLICATION
from shared.domain.ids import new_id
from tests.store.filling import Connection, Filled, Place, Row, insert_blindly


class Wish(NamedTuple):
    """What the settings of a transaction say; None leaves a setting alone. `kept_from`: what the user must not see,
    whatever the settings say."""

    organization_id: UUID | None
    knowledge_base_ids: tuple[UUID, ...] | None
    user_id: UUID | None = None
    kept_from: tuple[UUID, ...] = ()


def wishes(filled: Filled) -> list[Wish]:
    """No scope, half of one, every whole one, and knowledge bases of somebody else."""
    ours, also_ours, theirs, also_theirs = filled.places
    organization, base = ours.organization_id, ours.knowledge_base_id
    both = (base, also_ours.knowledge_base_id)
    # Every knowledge base here is restricted to one member.
    member, colleague = (filled.rows[place]["users"]["id"] for place in (ours, also_ours))
    return [
        Wish(organization, both, member, (also_ours.knowledge_base_id,)),
        Wish(organization, both, colleague, (base,)),
        Wish(organization, (base,), colleague, (base,)),
        Wish(theirs.organization_id, (), member, (theirs.knowledge_base_id, also_theirs.knowledge_base_id)),
        Wish(None, None),
        Wish(None, (base,)),
        Wish(organization, None),
        Wish(organization, ()),
        Wish(organization, (base,)),
        Wish(organization, (also_ours.knowledge_base_id,)),
        Wish(organization, both),
        Wish(organization, (theirs.knowledge_base_id,)),
        Wish(organization, (base, theirs.knowledge_base_id)),
        Wish(theirs.organization_id, both),
        Wish(theirs.organization_id, (theirs.knowledge_base_id,)),
        Wish(new_id(), (base, theirs.knowledge_base_id)),
    ]


@contextmanager
def acting(connection: Connection, role: str, wish: Wish) -> Generator[None]:
    """As this role with these settings; afterwards nothing has happened."""
    settings = {
        "app.organization_id": str(wish.organization_id or ""),
        "app.user_id": str(wish.user_id or ""),
        "app.kb_ids": ""
        if wish.knowledge_base_ids is None
        else "{" + ",".join(map(str, wish.knowledge_base_ids)) + "}",
    }
    with connection.transaction(force_rollback=True):
        for name, value in settings.items():
            connection.execute("select set_config(%s, %s, true)", (name, value))
        connection.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
        yield


def may_see(row: Row, wish: Wish) -> bool:
    """Whether a row belongs to the scope, by what the row itself says."""
    if row.get("organization_id", row.get("id")) != str(wish.organization_id):
        return False
    # Rows of one person alone.
    if "asker_id" in row and row["asker_id"] != str(wish.user_id):
        return False
    if "restricted" in row and UUID(row["id"]) in wish.kept_from:
        return False
    if "knowledge_base_ids" in row:
        owners = set(row["knowledge_base_ids"])
    else:
        owners = {row["knowledge_base_id"]} if "knowledge_base_id" in row else set[str]()
    return owners <= {str(base) for base in set(wish.knowledge_base_ids or ()) - set(wish.kept_from)}


def everything(connection: Connection, table: str) -> dict[str, Row]:
    """All rows of the table as JSON, by where they lie; for who is bound by no policy."""
    statement = sql.SQL("select t.ctid::text as place, to_jsonb(t) as row from {} t").format(sql.Identifier(table))
    return {row["place"]: row["row"] for row in connection.execute(statement).fetchall()}


def leaks(connection: Connection, filled: Filled, table: str, role: str = APPLICATION) -> list[str]:
    """What is wrong with the table for the role, in words."""
    return [
        *_shown(connection, filled, table, role),
        *_changed(connection, filled, table, role),
        *_put(connection, filled, table, role),
    ]


def _shown(connection: Connection, filled: Filled, table: str, role: str) -> Iterator[str]:
    """Rows that are read: those of the scope and no others. Who may not read where a row lies counts them."""
    rows = everything(connection, table)
    whole = _may(connection, role, table, "select")
    what = sql.SQL("ctid::text as place" if whole else "count(*)::int as rows")
    statement = sql.SQL("select {} from {}").format(what, sql.Identifier(table))
    for wish in wishes(filled):
        own = {place for place, row in rows.items() if may_see(row, wish)}
        with acting(connection, role, wish):
            found = connection.execute(statement).fetchall()
        if ({row["place"] for row in found} != own) if whole else (found[0]["rows"] != len(own)):
            yield f"{table}: {role} reads other rows than its own in {wish}"


def _changed(connection: Connection, filled: Filled, table: str, role: str) -> Iterator[str]:
    """Rows that an unconditional statement changes or deletes: as many as the scope has, or it is refused."""
    rows = everything(connection, table)
    statements = [sql.SQL("delete from {}").format(sql.Identifier(table))]
    if column := _writable(connection, role, table):
        update = sql.SQL("update {} set {} = {}")
        statements.append(update.format(*map(sql.Identifier, (table, column, column))))
    for wish in wishes(filled):
        own = sum(may_see(row, wish) for row in rows.values())
        for statement in statements:
            with acting(connection, role, wish):
                done = _attempt(connection, statement)
            if done not in (own, None):
                yield f"{table}: {role} changes {done} rows instead of {own} in {wish}"


def _put(connection: Connection, filled: Filled, table: str, role: str) -> Iterator[str]:
    """Rows that are put where the scope does not reach, by inserting them or by moving one's own there."""
    ours, also_ours, theirs, _ = filled.places
    own = Wish(ours.organization_id, (ours.knowledge_base_id,))
    forged = Wish(ours.organization_id, (theirs.knowledge_base_id,))
    foreign: list[tuple[Wish, Place]] = [(own, theirs), (forged, theirs)]
    if _is_of_a_base(filled, table):
        foreign.append((own, also_ours))
    if any(column["name"] == "asker_id" for column in filled.columns[table]):
        asker = filled.rows[ours]["users"]["id"]
        own = own._replace(user_id=asker)
        foreign += [(own, also_ours), (Wish(theirs.organization_id, (), asker), ours)]
    for wish, place in foreign:
        with acting(connection, role, wish):
            if not _refused(
                connection, table, lambda row: insert_blindly(connection, table, row), filled.new_row(table, place)
            ):
                yield f"{table}: {role} puts a row of {place} from {wish}"
        with acting(connection, role, own):
            moved = _moved(filled, table, place) if place != ours else {}
            if (
                moved
                and _may(connection, role, table, "update")
                and not _refused(connection, table, lambda row: _update(connection, table, row), moved)
            ):
                yield f"{table}: {role} moves a row to {place}"


def _moved(filled: Filled, table: str, place: Place) -> Row:
    """The columns that say whose a row is, with the values of `place`."""
    names = {column["name"] for column in filled.columns[table]}
    values: Row = {
        "asker_id": filled.rows[place]["users"]["id"],
        "organization_id": place.organization_id,
        "knowledge_base_id": place.knowledge_base_id,
        "knowledge_base_ids": [place.knowledge_base_id],
    }
    return {name: value for name, value in values.items() if name in names}


def _is_of_a_base(filled: Filled, table: str) -> bool:
    return bool({column["name"] for column in filled.columns[table]} & {"knowledge_base_id", "knowledge_base_ids"})


def _update(connection: Connection, table: str, row: Row) -> None:
    assignments = [sql.SQL("{} = {}").format(sql.Identifier(n), sql.Placeholder(n)) for n in row]
    statement = sql.SQL("update {} set {}").format(sql.Identifier(table), sql.SQL(", ").join(assignments))
    connection.execute(statement, row)


def _refused(connection: Connection, table: str, act: Callable[[Row], None], row: Row) -> bool:
    """Whether the table's own policy or privileges say no. That a key or another table's policy would, is luck."""
    try:
        with connection.transaction():
            act(row)
    except errors.InsufficientPrivilege as refusal:
        return f" {table}" in str(refusal) or f'"{table}"' in str(refusal)
    except errors.IntegrityError:
        return False
    return False


def _attempt(connection: Connection, statement: sql.Composed) -> int | None:
    """How many rows the statement touched; None where the role may not try."""
    try:
        with connection.transaction():
            return connection.execute(statement).rowcount
    except errors.InsufficientPrivilege:
        return None


def _may(connection: Connection, role: str, table: str, privilege: str) -> bool:
    row = connection.execute("select has_table_privilege(%s, %s, %s) as may", (role, table, privilege)).fetchone()
    return bool(row and row["may"])


def _writable(connection: Connection, role: str, table: str) -> str | None:
    """A column of the table that the role may update and that is not computed."""
    row = connection.execute(
        "select attname as name from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped"
        " and attgenerated = '' and attidentity <> 'a' and has_column_privilege(%s, attrelid, attnum, 'update')"
        " limit 1",
        (table, role),
    ).fetchone()
    return row["name"] if row else None
