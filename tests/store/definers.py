"""What each function that runs with its owner's rights reaches of a filled database, against what it is for."""

from collections.abc import Callable, Iterator, Mapping
from uuid import UUID

from shared.adapters.local.postgres import APPLICATION
from shared.domain.ids import new_id
from tests.store.filling import KEY, VECTOR, Connection, Filled, insert
from tests.store.leaks import Wish, acting, everything, may_see, wishes

NOBODY = Wish(None, None)
ISSUER = "https://login.example"


def _reading(connection: Connection, filled: Filled) -> Iterator[str]:
    """The reader of the lexical index hands out the chunks of the scope: every chunk here has the key and the term."""
    rows = everything(connection, "chunk_lexical").values()
    read = "select chunk_id::text as chunk from lexical_reading(array[%s], %s::sparsevec, 100)"
    for wish in wishes(filled):
        with acting(connection, APPLICATION, wish):
            found = {row["chunk"] for row in connection.execute(read, (KEY, VECTOR)).fetchall()}
        if found != {row["chunk_id"] for row in rows if may_see(row, wish)}:
            yield f"lexical_reading: other chunks than its own in {wish}"


def _forgetting(connection: Connection, filled: Filled) -> Iterator[str]:
    """Traces go that are older than their organization keeps them, whichever knowledge bases they name; all traces of
    the filling are."""
    here, _, there, _ = filled.places
    with connection.transaction(force_rollback=True):
        young = insert(connection, "retrieval_log", filled.new_row("retrieval_log", here) | {"created_at": "now"})
        rows = everything(connection, "retrieval_log").values()
        left = {r["id"] for r in rows if r["organization_id"] != str(here.organization_id)} | {str(young["id"])}
        connection.execute("select set_config('app.organization_id', %s, true)", (str(here.organization_id),))
        connection.execute("select set_config('app.kb_ids', %s, true)", (f"{{{there.knowledge_base_id}}}",))
        connection.execute("set local role autri_app")
        connection.execute("select forget_traces()")
        connection.execute("reset role")
        if {row["id"] for row in everything(connection, "retrieval_log").values()} != left:
            yield "forget_traces: others than the organization's old traces are gone, or those are left"
    with acting(connection, APPLICATION, NOBODY):
        if connection.execute("select forget_traces() as gone").fetchone() != {"gone": 0}:
            yield "forget_traces: traces go without a scope"


def _resolving(connection: Connection, filled: Filled) -> Iterator[str]:
    """Issuer and subject together are one user, neither is alone."""
    one, *others = (filled.rows[place]["identities"] for place in filled.places)
    pairs = {(row["issuer"], row["subject"]): row["user_id"] for row in (one, *others)}
    pairs |= dict.fromkeys([(one["issuer"], others[0]["subject"]), ("nobody", one["subject"]), (one["issuer"], "")])
    for pair, user in pairs.items():
        with acting(connection, APPLICATION, NOBODY):
            found = connection.execute("select user_id from resolve_identity(%s, %s)", pair).fetchall()
        if [row["user_id"] for row in found] != ([user] if user else []):
            yield f"resolve_identity: {found} for {pair}"


def _inviting(connection: Connection, filled: Filled) -> Iterator[str]:
    """An address that one organization has invited binds one subject, once; any other address binds nobody."""
    here, _, there, _ = filled.places
    with connection.transaction(force_rollback=True):
        for email, invited in (("Ada@A.example", (here,)), ("bo@b.example", (here, there)), ("cy@c.example", ())):
            for place in (here, there):
                row = filled.new_row("users", place) | {"email": email}
                insert(connection, "users", row | ({"invited_at": "now"} if place in invited else {}))
        connection.execute("set local role autri_app")
        tried = {"nobody@a.example": 0, "bo@b.example": 0, "cy@c.example": 0, "ADA@a.example": 1, "ada@a.example": 0}
        for email, expected in tried.items():
            answer = connection.execute(
                "select organization_id from accept_invitation(%s, %s, %s)", (ISSUER, new_id().hex, email)
            ).fetchall()
            if [row["organization_id"] for row in answer] != [here.organization_id] * expected:
                yield f"accept_invitation: {answer} for {email}"
        connection.execute("reset role")
        left = connection.execute("select email from users where invited_at is not null and email like '%.example'")
        if sorted(row["email"] for row in left.fetchall() if row["email"][0] in "bcA") != ["bo@b.example"] * 2:
            yield "accept_invitation: an invitation is used up that was not accepted, or not used up that was"


def _placing(connection: Connection, filled: Filled) -> Iterator[str]:
    """A knowledge base's organization, and nothing for an id that is none's."""
    owners = {place.knowledge_base_id: place.organization_id for place in filled.places}
    for base in (*owners, new_id(), filled.places[0].organization_id):
        with acting(connection, APPLICATION, NOBODY):
            found = connection.execute("select organization_of(%s) as id", (base,)).fetchone()
        if found != {"id": owners.get(base)}:
            yield f"organization_of: {found} for {base}"


def _admitting(connection: Connection, filled: Filled) -> Iterator[str]:
    """Of all organizations, runs that are queued get a slot once each, and nothing but that is changed."""
    with connection.transaction(force_rollback=True):
        queued: set[UUID] = set()
        for place in filled.places:
            row = filled.new_row("ingestions", place) | {"status": "queued", "queued_at": "now"}
            queued.add(insert(connection, "ingestions", row)["id"])
        before = {row["id"]: row for row in everything(connection, "ingestions").values()}
        connection.execute("set local role autri_app")
        answers = [connection.execute("select * from admit_run(4, 2)").fetchall() for _ in range(len(queued) + 1)]
        connection.execute("reset role")
        after = {row["id"]: row for row in everything(connection, "ingestions").values()}
    admitted = [row["ingestion_id"] for answer in answers for row in answer]
    if sorted(admitted) != sorted(queued):
        yield f"admit_run: {admitted} of {queued}"
    for key, row in after.items():
        former = before[key]
        changed = {name for name in row if row[name] != former[name]}
        if changed != ({"admitted_at"} if UUID(key) in queued else set()):
            yield f"admit_run: changed {changed} of {key}"


def _occupying(connection: Connection, filled: Filled) -> Iterator[str]:
    """The runs that have a slot: neither those that have ended, nor duplicates, nor those that have none yet."""
    with connection.transaction(force_rollback=True):
        expected: set[UUID] = set()
        for place in filled.places:
            plain = {"admitted_at": "2020-01-01", "finished_at": None, "duplicate": False}
            for odd in ({}, {"finished_at": "now"}, {"duplicate": True}, {"admitted_at": None}, {"admitted_at": "now"}):
                row = insert(connection, "ingestions", filled.new_row("ingestions", place) | plain | odd)
                expected |= {row["id"]} if not odd else set()
        connection.execute("set local role autri_app")
        found = {row["ingestion_id"] for row in connection.execute("select * from runs_in_slots(60)").fetchall()}
        connection.execute("reset role")
    if found != expected:
        yield f"runs_in_slots: {found} instead of {expected}"


def _erasing(connection: Connection, filled: Filled) -> Iterator[str]:
    """An organization goes in its own scope by its own name, whole, and no other row with it."""
    here, _, there, _ = filled.places
    slugs = {place: filled.rows[place]["organizations"]["slug"] for place in (here, there)}
    erase = "select erase_organization(%s) as done"
    for wish in wishes(filled):
        for place in (here, there):
            with acting(connection, APPLICATION, wish):
                own = wish.organization_id == place.organization_id
                if connection.execute(erase, (slugs[place],)).fetchone() != {"done": own}:
                    yield f"erase_organization: {slugs[place]} in {wish}"
                connection.execute("reset role")
                for table in filled.columns:
                    rows = everything(connection, table).values()
                    owners = {row.get("organization_id", row.get("id")) for row in rows}
                    kept = not own or table == "erasure_certificates"
                    if (str(place.organization_id) in owners) != kept:
                        yield f"erase_organization: {table} of {slugs[place]} in {wish}"
    with acting(connection, APPLICATION, Wish(here.organization_id, ())):
        if connection.execute(erase, ("another name",)).fetchone() != {"done": False}:
            yield "erase_organization: under another name"


REACHES: Mapping[str, Callable[[Connection, Filled], Iterator[str]]] = {
    "lexical_reading(integer[],sparsevec,integer,sparsevec[])": _reading,
    "forget_traces()": _forgetting,
    "erase_organization(text)": _erasing,
    "resolve_identity(text,text)": _resolving,
    "accept_invitation(text,text,text)": _inviting,
    "organization_of(uuid)": _placing,
    "admit_run(integer,integer)": _admitting,
    "runs_in_slots(double precision)": _occupying,
}
