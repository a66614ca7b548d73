"""What each function that runs with its owner's rights reaches of a filled database, against what it is for."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from psycopg import errors, sql

from shared.adapters.local.postgres import APPLICATION
from shared.domain.ids import new_id
from tests.store.filling import KEY, VECTOR, Connection, Filled, Row, insert
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


def _forgetting(table: str, function: str) -> Callable[[Connection, Filled], Iterator[str]]:
    """Rows go that are older than their organization keeps them, whichever knowledge bases they name; all of the
    filling are."""

    def forgetting(connection: Connection, filled: Filled) -> Iterator[str]:
        here, _, there, _ = filled.places
        with connection.transaction(force_rollback=True):
            young = insert(connection, table, filled.new_row(table, here) | {"created_at": "now"})
            rows = everything(connection, table).values()
            left = {r["id"] for r in rows if r["organization_id"] != str(here.organization_id)} | {str(young["id"])}
            connection.execute("select set_config('app.organization_id', %s, true)", (str(here.organization_id),))
            connection.execute("select set_config('app.kb_ids', %s, true)", (f"{{{there.knowledge_base_id}}}",))
            connection.execute("set local role autri_app")
            connection.execute(f"select {function}".encode())
            connection.execute("reset role")
            if {row["id"] for row in everything(connection, table).values()} != left:
                yield f"{function}: others than the organization's old rows are gone, or those are left"
        with acting(connection, APPLICATION, NOBODY):
            if connection.execute(f"select {function} as gone".encode()).fetchone() != {"gone": 0}:
                yield f"{function}: rows go without a scope"

    return forgetting


def _resolving(connection: Connection, filled: Filled) -> Iterator[str]:
    """Issuer and subject together are one user in each organization where they are bound, neither is alone."""
    one, *others = (filled.rows[place]["identities"] for place in filled.places)
    pairs = {(row["issuer"], row["subject"]): [row["user_id"]] for row in (one, *others)}
    for nobody in ((one["issuer"], others[0]["subject"]), ("nobody", one["subject"]), (one["issuer"], "")):
        pairs[nobody] = []
    with connection.transaction(force_rollback=True):
        elsewhere = filled.rows[filled.places[2]]["users"]
        also = {"organization_id": elsewhere["organization_id"], "user_id": elsewhere["id"]}
        insert(connection, "identities", {"issuer": one["issuer"], "subject": one["subject"]} | also)
        pairs[one["issuer"], one["subject"]] = [one["user_id"], elsewhere["id"]]
        for pair, users in pairs.items():
            with acting(connection, APPLICATION, NOBODY):
                found = connection.execute("select * from resolve_identity(%s, %s)", pair).fetchall()
            if [row["user_id"] for row in found] != users:
                yield f"resolve_identity: {found} for {pair}"
            if any(row["slug"] != _slug(filled, row["organization_id"]) for row in found):
                yield f"resolve_identity: another organization's slug in {found}"


def _applied(connection: Connection, _filled: Filled) -> Iterator[str]:
    """The names of what was applied, to whoever asks: they are in every copy of this program."""
    names = [row["name"] for row in connection.execute("select name from autri_meta.migrations order by 1").fetchall()]
    with acting(connection, APPLICATION, NOBODY):
        found = [row["name"] for row in connection.execute("select name from applied_migrations()").fetchall()]
    if found != names:
        yield f"applied_migrations: {found}"


def _slug(filled: Filled, organization_id: Any) -> str:
    organizations = (filled.rows[place]["organizations"] for place in filled.places)
    return next(row["slug"] for row in organizations if row["id"] == organization_id)


def _invited(connection: Connection, filled: Filled) -> None:
    """Ada is invited here, Bo here and there, Cy nowhere any more."""
    here, _, there, _ = filled.places
    for email, invited in (("Ada@A.example", (here,)), ("bo@b.example", (here, there)), ("cy@c.example", ())):
        for place in (here, there):
            row = filled.new_row("users", place) | {"email": email}
            insert(connection, "users", row | ({"invited_at": "now"} if place in invited else {}))


def _listing_invitations(connection: Connection, filled: Filled) -> Iterator[str]:
    """The organizations that invited exactly this address and wait for it still."""
    here, _, there, _ = filled.places
    ours, theirs = {here.organization_id}, {there.organization_id}
    expected = {"ADA@a.example": ours, "bo@b.example": ours | theirs, "cy@c.example": set[Any](), "": set[Any]()}
    with connection.transaction(force_rollback=True):
        _invited(connection, filled)
        connection.execute("set local role autri_app")
        for email, organizations in expected.items():
            found = connection.execute("select * from open_invitations(%s)", (email,)).fetchall()
            if {row["organization_id"] for row in found} != organizations or len(found) != len(organizations):
                yield f"open_invitations: {found} for {email}"


def _inviting(connection: Connection, filled: Filled) -> Iterator[str]:
    """An invitation binds one subject, once, in the organization that was chosen; any other address binds nobody."""
    here, _, there, _ = filled.places
    tried = [
        ("nobody@a.example", here, 0), ("cy@c.example", here, 0), ("ada@a.example", there, 0),
        ("ADA@a.example", here, 1), ("ada@a.example", here, 0), ("bo@b.example", there, 1),
    ]  # fmt: skip
    accept = "select organization_id from accept_invitation(%s, %s, %s, %s)"
    with connection.transaction(force_rollback=True):
        _invited(connection, filled)
        member = filled.rows[here]["identities"]
        connection.execute("set local role autri_app")
        for email, place, joined in tried:
            values = (ISSUER, new_id().hex, email, place.organization_id)
            try:
                with connection.transaction():
                    answer = connection.execute(accept, values).fetchall()
            except errors.ForeignKeyViolation:
                answer = [{"organization_id": "another organization's user"}]
            if [row["organization_id"] for row in answer] != [place.organization_id] * joined:
                yield f"accept_invitation: {answer} for {email}"
        twice = (member["issuer"], member["subject"], "bo@b.example", here.organization_id)
        if connection.execute(accept, twice).fetchall():
            yield "accept_invitation: a member of the organization joins it again"
        connection.execute("reset role")
        left = connection.execute("select organization_id, email from users where invited_at is not null").fetchall()
        if [
            row["organization_id"] for row in left if row["email"].endswith(".example") and row["email"][0] in "bcA"
        ] != [here.organization_id]:
            yield "accept_invitation: an invitation is used up that was not accepted, or not used up that was"


def _joining(connection: Connection, filled: Filled) -> Iterator[str]:
    """Only a proved domain takes anybody in, as what its owner chose: by what stands behind the last `@`."""
    here, _, there, _ = filled.places
    names = {place: filled.rows[place]["organizations"]["slug"] for place in (here, there)}
    member = filled.rows[there]["identities"]
    tried: list[tuple[str, str | None, list[Any]]] = [
        ("ann@Here.example", None, [(here.organization_id, "editor")]),
        ("ben@here.example", names[here], [(here.organization_id, "editor")]),
        ("cat@here.example", str(here.organization_id), [(here.organization_id, "editor")]),
        ("dan@here.example", names[there], []),
        ("eve@claimed.example", None, []),
        ('"fay@here.example"@evil.example', None, []),
        ("gus@sub.here.example", None, []),
        ("here.example", None, [(here.organization_id, "editor")]),  # no address: nobody vouches for one
        ("ann@here.example", None, []),
        (filled.rows[here]["users"]["email"] + "@here.example", None, [(here.organization_id, "editor")]),
    ]  # fmt: skip
    join = "select organization_id, role from join_by_domain(%s, %s, %s, %s, %s)"
    with connection.transaction(force_rollback=True):
        for place, name, proved in ((here, "here.example", "now"), (there, "claimed.example", None)):
            row = filled.new_row("domains", place) | {"domain": name, "role": "editor", "verified_at": proved}
            insert(connection, "domains", row)
        connection.execute("set local role autri_app")
        for email, wish, expected in tried:
            found = connection.execute(join, (ISSUER, new_id().hex, email, new_id(), wish)).fetchall()
            if [(row["organization_id"], row["role"]) for row in found] != expected:
                yield f"join_by_domain: {found} for {email}"
        also = (member["issuer"], member["subject"], "hal@here.example", new_id(), None)
        if [row["organization_id"] for row in connection.execute(join, also).fetchall()] != [here.organization_id]:
            yield "join_by_domain: a member of another organization joins more or less than this one"


def _founding(connection: Connection, filled: Filled) -> Iterator[str]:
    """Who belongs nowhere is the owner of what did not exist before; a member makes nothing."""
    here, *_ = filled.places
    member, taken = filled.rows[here]["identities"], filled.rows[here]["organizations"]["slug"]
    found = "select slug, role from found_organization(%s, %s, %s, %s, %s, %s, %s)"

    def made(issuer: str, subject: str, slug: str) -> list[tuple[str, str]]:
        values = (issuer, subject, "New@n.example", new_id(), new_id(), slug, "New")
        try:
            with connection.transaction():
                return [(row["slug"], row["role"]) for row in connection.execute(found, values).fetchall()]
        except errors.UniqueViolation:
            return [("taken", "an error")]

    with connection.transaction(force_rollback=True):
        before = len(everything(connection, "organizations"))
        connection.execute("set local role autri_app")
        if made(member["issuer"], member["subject"], "mine") or made(ISSUER, "new", taken):
            yield "found_organization: by a member, or under a name that is taken"
        if made(ISSUER, "new", "first") != [("first", "owner")] or made(ISSUER, "new", "second"):
            yield "found_organization: not one for somebody new"
        connection.execute("reset role")
        if len(everything(connection, "organizations")) != before + 1:
            yield "found_organization: others than one were made"


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


def _sending(connection: Connection, filled: Filled) -> Iterator[str]:
    """Of all organizations, webhooks for which something is due, what waits longest first; and when that is next.
    Neither what is tried now, nor what has ended, nor what a disabled one waits for."""
    with connection.transaction(force_rollback=True):
        connection.execute("update webhook_deliveries set due_at = null")
        expected: list[UUID] = []
        for days, place in enumerate(reversed(filled.places)):
            webhook = filled.rows[place]["webhooks"]["id"]
            disabled = insert(connection, "webhooks", filled.new_row("webhooks", place) | {"disabled_at": "now"})["id"]
            for odd in (
                {"due_at": f"2020-01-0{days + 2}"}, {"due_at": "2019-06-01", "lease_until": "2029-01-01"},
                {"due_at": "2030-01-01"}, {"due_at": None},
                {"due_at": f"2020-01-1{days}", "lease_until": "2019-01-01"},
                {"due_at": "2019-01-01", "webhook_id": disabled},
            ):  # fmt: skip
                row = filled.new_row("webhook_deliveries", place) | {"webhook_id": webhook} | odd
                insert(connection, "webhook_deliveries", row)
            expected.append(webhook)
        with acting(connection, APPLICATION, NOBODY):
            for most in (len(expected), 1):
                rows = connection.execute("select * from due_webhooks('2025-01-01', %s)", (most,)).fetchall()
                if [row["webhook_id"] for row in rows] != expected[:most]:
                    yield f"due_webhooks: {rows} instead of {expected}"
            early = connection.execute("select * from due_webhooks('2018-01-01', 9)").fetchall()
            if early:
                yield f"due_webhooks: {early} before anything is due"
            due = connection.execute("select next_webhook_due() = '2020-01-02'::timestamptz as first").fetchone()
        if due != {"first": True}:
            yield f"next_webhook_due: {due}"


def _holding(connection: Connection, filled: Filled) -> Iterator[str]:
    """How many the organization of the scope has, whatever its member sees of them."""
    for place in (filled.places[0], filled.places[2]):
        with acting(connection, APPLICATION, Wish(place.organization_id, (), filled.rows[place]["users"]["id"])):
            found = connection.execute("select webhooks_held() as held").fetchone()
        if found != {"held": 2}:
            yield f"webhooks_held: {found}"
    with acting(connection, APPLICATION, NOBODY):
        found = connection.execute("select webhooks_held() as held").fetchone()
    if found != {"held": 0}:
        yield f"webhooks_held: {found} for nobody"


def _withdrawing(connection: Connection, filled: Filled) -> Iterator[str]:
    """What the scope's user said of an answer goes, without a knowledge base in scope; nothing that others said."""
    rows = everything(connection, "gold_candidates")
    own = filled.rows[filled.places[0]]["gold_candidates"]
    other = filled.rows[filled.places[2]]["gold_candidates"]
    bases = tuple(place.knowledge_base_id for place in filled.places)
    for wish, gone in (
        (Wish(own["organization_id"], (), own["author_id"]), {str(own["id"])}),
        (Wish(own["organization_id"], bases, new_id()), set[str]()),
        (Wish(other["organization_id"], bases, own["author_id"]), set[str]()),
        (NOBODY, set[str]()),
    ):
        with acting(connection, APPLICATION, wish):
            connection.execute("select withdraw_candidates(%s)", (own["answer_id"],))
            connection.execute("reset role")
            left = everything(connection, "gold_candidates")
        if {row["id"] for key, row in rows.items() if key not in left} != gone:
            yield f"withdraw_candidates: others than {gone} in {wish}"


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


def _waiting(connection: Connection, filled: Filled) -> Iterator[str]:
    """A sign-in waits where its address is invited, once, and no more than twenty wait for an invitation."""
    here, _, there, _ = filled.places
    note = "select note_waiting_sign_in(%s, %s, %s)"
    with connection.transaction(force_rollback=True):
        _invited(connection, filled)
        before = len(everything(connection, "waiting_sign_ins"))
        connection.execute("set local role autri_app")
        for subject, email in (
            ("s", "BO@b.example"),
            ("s", "bo@b.example"),
            ("s", "cy@c.example"),
            ("s", "x@x.example"),
        ):
            connection.execute(note, (ISSUER, subject, email))
        for number in range(30):
            connection.execute(note, (ISSUER, f"many {number}", "ada@a.example"))
        connection.execute("reset role")
        rows = list(everything(connection, "waiting_sign_ins").values())[before:]
        if {r["organization_id"] for r in rows if r["subject"] == "s"} != {
            str(here.organization_id), str(there.organization_id)
        } or sum(r["subject"] == "s" for r in rows) != 2:  # fmt: skip
            yield "note_waiting_sign_in: it waits elsewhere than where its address is invited"
        if sum(r["subject"] != "s" for r in rows) != 20:
            yield "note_waiting_sign_in: as many wait as like"


def _own(connection: Connection, filled: Filled) -> Iterator[str]:
    """The organizations of the person of the settings: by a common subject, or by an invitation to an address of theirs
    that was verified. Of other people nothing."""
    ours, also_ours, theirs, _ = filled.places
    read = "select organization_id, joined from own_organizations()"

    def asked(wish: Wish, user: Any) -> list[tuple[Any, bool]]:
        with acting(connection, APPLICATION, wish):
            connection.execute("select set_config('app.user_id', %s, true)", (str(user or ""),))
            return sorted((row["organization_id"], row["joined"]) for row in connection.execute(read).fetchall())

    with connection.transaction(force_rollback=True):
        own, other = Wish(ours.organization_id, ()), Wish(theirs.organization_id, ())
        mine, guest = filled.rows[ours]["identities"], filled.rows[theirs]["users"]
        member = (ours.organization_id, True)
        if asked(own, mine["user_id"]) != [member] or asked(NOBODY, None) or asked(own, None):
            yield "own_organizations: others than one's own"
        if asked(other, mine["user_id"]) or asked(own, new_id()):
            yield "own_organizations: of somebody who is not in the organization"
        connection.execute("update users set invited_at = now(), email = 'Me@me.example' where id = %s", (guest["id"],))
        if asked(own, mine["user_id"]) != [member]:
            yield "own_organizations: invitations of others"
        connection.execute(
            "update identities set verified_email = 'me@me.example' where user_id = %s", (mine["user_id"],)
        )
        if asked(own, mine["user_id"]) != sorted([member, (theirs.organization_id, False)]):
            yield "own_organizations: not those that have invited an address of theirs"
        also = {"organization_id": guest["organization_id"], "user_id": guest["id"]}
        connection.execute("update users set invited_at = null where id = %s", (guest["id"],))
        insert(connection, "identities", {"issuer": mine["issuer"], "subject": "another"} | also)
        insert(connection, "identities", {"issuer": "another", "subject": mine["subject"]} | also)
        if asked(own, mine["user_id"]) != [member]:
            yield "own_organizations: of a namesake, by address, by issuer or by subject alone"
        insert(connection, "identities", {"issuer": mine["issuer"], "subject": mine["subject"]} | also)
        connection.execute("update users set invited_at = null where id = %s", (guest["id"],))
        if asked(own, mine["user_id"]) != sorted([member, (theirs.organization_id, True)]):
            yield "own_organizations: not all that the subject belongs to"
        if asked(own, filled.rows[also_ours]["users"]["id"]) != [member]:
            yield "own_organizations: those of a colleague"


def _keys(connection: Connection, filled: Filled) -> Iterator[str]:
    """A key acts as its member who has joined, or as itself; not once it is revoked or its time is over."""
    here = filled.places[0]
    member = filled.rows[here]["users"]
    states: dict[str, Row] = {
        "member's": {"user_id": member["id"]},
        "machine's": {},
        "young": {"expires_at": "2999-01-01"},
        "revoked": {"revoked_at": "now"},
        "expired": {"expires_at": "2020-01-01"},
        "invited": {"user_id": None},
    }
    with connection.transaction(force_rollback=True):
        invited = insert(connection, "users", filled.new_row("users", here) | {"invited_at": "now"})
        states["invited"]["user_id"] = invited["id"]
        made = {state: filled.new_row("api_keys", here) | fields for state, fields in states.items()}
        for row in made.values():
            insert(connection, "api_keys", row)
        for state, row in made.items():
            with acting(connection, APPLICATION, NOBODY):
                found = connection.execute("select * from identity_of_key(%s)", (row["hash"],)).fetchall()
            expected = [] if state in ("revoked", "expired", "invited") else [row.get("user_id") or row["id"]]
            roles = [member["role"] if state == "member's" else None] * len(expected)
            if [one["user_id"] for one in found] != expected or [one["role"] for one in found] != roles:
                yield f"identity_of_key: {found} for one that is {state}"


def _hiding(connection: Connection, filled: Filled) -> Iterator[str]:
    """What an actor must not see of an organization whose two knowledge bases are restricted to one member each."""
    ours, also_ours, theirs, _ = filled.places
    one, other = ours.knowledge_base_id, also_ours.knowledge_base_id
    member, guest = filled.rows[ours]["users"]["id"], filled.rows[theirs]["users"]["id"]

    def hidden(actor: Any, key: Any = None) -> set[Any]:
        with acting(connection, APPLICATION, Wish(ours.organization_id, (), actor)):
            connection.execute("select set_config('app.key_id', %s, true)", (str(key or ""),))
            row = connection.execute("select kept_from() as bases").fetchone()
        return set(row["bases"]) if row else set()

    with connection.transaction(force_rollback=True):
        admin = insert(connection, "users", filled.new_row("users", ours) | {"role": "admin"})["id"]
        keys = [
            insert(connection, "api_keys", filled.new_row("api_keys", ours) | fields)["id"]
            for fields in ({"only_bases": [one]}, {"only_bases": None}, {"only_bases": [other], "user_id": member})
        ]
        named, unlimited, personal = keys
        none, both = set[Any](), {one, other}
        expected = {
            (None, None): none, (member, None): {other}, (guest, None): both, (new_id(), None): both,
            (admin, None): none, (named, named): {other}, (unlimited, unlimited): both, (member, personal): both,
            (admin, named): {other}, (admin, unlimited): none, (admin, new_id()): both,
        }  # fmt: skip
        for (actor, key), bases in expected.items():
            if hidden(actor, key) != bases:
                yield f"kept_from: {hidden(actor, key)} instead of {bases}"
        connection.execute("update knowledge_bases set erasing_at = now() where id = %s", (one,))
        for actor in (None, member, admin):
            if one not in hidden(actor) or (other in hidden(actor)) != (actor == member):
                yield f"kept_from: {hidden(actor)} where {one} is being deleted"
        connection.execute("select set_config('app.erasing', 'on', true)")
        if hidden(None) != none:
            yield "kept_from: what is being deleted is kept from what deletes it"


def _storing(connection: Connection, filled: Filled) -> Iterator[str]:
    """Knowledge bases and chunks of the settings' organization, whichever are asked for and whoever may see them."""
    with connection.transaction(force_rollback=True):
        connection.execute("update documents set chunk_count = 3")
        for wish in wishes(filled):
            own = [row for row in everything(connection, "documents").values() if _of(row, wish)]
            bases = [row for row in everything(connection, "knowledge_bases").values() if _of(row, wish)]
            with acting(connection, APPLICATION, wish):
                found = connection.execute("select * from stored_now()").fetchone()
            if found != {"knowledge_bases": len(bases), "chunks": 3 * len(own)}:
                yield f"stored_now: {found} in {wish}"


def _of(row: Row, wish: Wish) -> bool:
    return row["organization_id"] == str(wish.organization_id)


def _operators(connection: Connection, filled: Filled) -> Iterator[tuple[Wish, bool]]:
    """Whoever acts, and whether they operate: only owners and admins of the organization that does, and in it."""
    ours, also_ours, theirs, _ = filled.places
    slugs = (filled.rows[ours]["organizations"]["slug"],)
    connection.execute("update organizations set operates = slug = %s", slugs)
    admin = insert(connection, "users", filled.new_row("users", ours) | {"role": "admin"})["id"]
    owner = insert(connection, "users", filled.new_row("users", ours) | {"role": "owner"})["id"]
    editor, guest = filled.rows[also_ours]["users"]["id"], filled.rows[theirs]["users"]["id"]
    theirs_admin = insert(connection, "users", filled.new_row("users", theirs) | {"role": "admin"})["id"]
    for organization, user, may in (
        (ours, admin, True), (ours, owner, True), (ours, editor, False), (ours, guest, False), (ours, None, False),
        (ours, theirs_admin, False), (theirs, theirs_admin, False), (theirs, admin, False), (None, admin, False),
    ):  # fmt: skip
        yield Wish(organization.organization_id if organization else None, (), user), may


def _operating(connection: Connection, filled: Filled) -> Iterator[str]:
    with connection.transaction(force_rollback=True):
        for wish, may in _operators(connection, filled):
            with acting(connection, APPLICATION, wish):
                if connection.execute("select operates() as may").fetchone() != {"may": may}:
                    yield f"operates: {not may} for {wish}"


def _giving(function: str, given: str) -> Callable[[Connection, Filled], Iterator[str]]:
    """What an operator gives, the named organization gets, and no other; nobody else gives anything."""

    def giving(connection: Connection, filled: Filled) -> Iterator[str]:
        ours, _, theirs, _ = filled.places
        organizations = (ours.organization_id, theirs.organization_id)
        with connection.transaction(force_rollback=True):
            connection.execute("delete from page_packs")
            for wish, may in _operators(connection, filled):
                with acting(connection, APPLICATION, wish):
                    try:
                        with connection.transaction():
                            values = {"slug": filled.rows[theirs]["organizations"]["slug"], "id": new_id()}
                            done = connection.execute(function.encode(), values).fetchone()
                            nobody = connection.execute(
                                function.encode(), values | {"slug": "nobody", "id": new_id()}
                            ).fetchone()
                    except errors.InsufficientPrivilege:
                        done = nobody = None
                    connection.execute("reset role")
                    got = [
                        connection.execute(given.encode(), {"id": one}).fetchone() is not None for one in organizations
                    ]
                if (done, nobody) != (({"done": True}, {"done": False}) if may else (None, None)):
                    yield f"{function}: {done} for {wish}"
                if got != [False, may]:
                    yield f"{function}: {got} for {wish}"

    return giving


def _no_more(
    call: str, prepare: Callable[[Connection, Filled], Row], reaches: Callable[[Connection, Filled], Iterator[str]]
) -> Callable[[Connection, Filled], Iterator[str]]:
    """What `reaches` says; and what `call` answers for an organization, and for none that is being deleted."""

    def answered(connection: Connection, wish: Wish, values: Row) -> list[Row]:
        with acting(connection, APPLICATION, wish):
            return [row for row in connection.execute(call.encode(), values).fetchall() if any(row.values())]

    def shut(connection: Connection, filled: Filled) -> Iterator[str]:
        yield from reaches(connection, filled)
        here = filled.places[0]
        wish = Wish(here.organization_id, (), filled.rows[here]["users"]["id"])
        with connection.transaction(force_rollback=True):
            values = prepare(connection, filled)
            before = answered(connection, wish, values)
            own = (here.organization_id,)
            connection.execute("update organizations set erasing_at = now() where id = %s", own)
            connection.execute("update knowledge_bases set erasing_at = now() where organization_id = %s", own)
            if not before or answered(connection, wish, values):
                yield f"{call}: {before}, and the same of what is being deleted"

    return shut


def _domain(connection: Connection, filled: Filled) -> Row:
    row = filled.new_row("domains", filled.places[0]) | {"domain": "shut.example", "verified_at": "now"}
    insert(connection, "domains", row)
    return {"issuer": ISSUER, "subject": "s", "email": "a@shut.example", "user": new_id()}


def _invitation(connection: Connection, filled: Filled) -> Row:
    _invited(connection, filled)
    return {"email": "ada@a.example", "organization": filled.places[0].organization_id, "issuer": ISSUER}


def _chunks(connection: Connection, _filled: Filled) -> Row:
    connection.execute("update documents set chunk_count = 3")
    return {}


def _tickets(connection: Connection, filled: Filled) -> Iterator[str]:
    """One deletion or one certificate, for whoever knows its ticket, and never the ticket's hash."""
    tables = ("erasures", "erasure_certificates")
    rows = [(table, filled.rows[place][table]) for table in tables for place in (filled.places[0], filled.places[2])]
    with connection.transaction(force_rollback=True):
        for table, row in rows:
            mark = sql.SQL("update {} set ticket_hash = %s where id = %s").format(sql.Identifier(table))
            connection.execute(mark, (f"ticket {row['id']}", row["id"]))
        for table, row in rows:
            for id_, ticket in ((row["id"], f"ticket {row['id']}"), (new_id(), f"ticket {row['id']}"), (row["id"], "")):
                with acting(connection, APPLICATION, NOBODY):
                    found = connection.execute("select * from erasure_of(%s, %s)", (id_, ticket)).fetchall()
                mine = id_ == row["id"] and ticket
                if len(found) != (1 if mine else 0):
                    yield f"erasure_of: {found} in {table}"
                if mine and table == "erasures" and found[0]["erasure"]["id"] != str(row["id"]):
                    yield f"erasure_of: another deletion than {row['id']}"
                if "ticket" in str(found):
                    yield "erasure_of: the ticket's hash"


def _shares(connection: Connection, filled: Filled, function: str = "share_of") -> Iterator[str]:
    """The link whose secret has this hash, while it is in force and its maker belongs to the organization."""
    one, other = (filled.rows[place]["thread_shares"] for place in (filled.places[0], filled.places[2]))
    asked = sql.SQL("select id, organization_id, asker_id from {}(%s)").format(sql.Identifier(function))

    def found(secret: str) -> list[Row]:
        with acting(connection, APPLICATION, NOBODY):
            return connection.execute(asked, (secret,)).fetchall()

    with connection.transaction(force_rollback=True):
        connection.execute("update thread_shares set expires_at = now() + interval '1 hour', revoked_at = null")
        connection.execute("update users set invited_at = null")
        for row in (one, other):
            if found(row["secret_hash"]) != [{n: row[n] for n in ("id", "organization_id", "asker_id")}]:
                yield f"{function}: {found(row['secret_hash'])} for {row['id']}"
        if found(""):
            yield f"{function}: a link without a secret"
        for ended in (
            "update thread_shares set expires_at = now()",
            "update thread_shares set revoked_at = now()",
            "update users set invited_at = now()",
            "update organizations set erasing_at = now()",
        ):
            with connection.transaction(force_rollback=True):
                connection.execute(ended.encode())
                if found(one["secret_hash"]):
                    yield f"{function}: after {ended}"


def _planning(connection: Connection, filled: Filled) -> Iterator[str]:
    """It answers a count, changes no row, and the planner knows afterwards how large a table is that has grown."""
    known = "select reltuples >= 2000 as known from pg_class where relname = 'stage_seconds'"
    with connection.transaction(force_rollback=True):
        row = insert(connection, "stage_seconds", filled.new_row("stage_seconds", filled.places[0]))
        columns = ", ".join("stage || n" if name == "stage" else name for name in row)
        connection.execute(
            f"insert into stage_seconds ({', '.join(row)}) select {columns} from stage_seconds,"  # noqa: S608 our names
            " generate_series(1, 2000) n where stage = %s".encode(),
            (row["stage"],),
        )
        before = everything(connection, "stage_seconds")
        connection.execute("set local role autri_app")
        answer = (connection.execute("select analyze_grown() as tables").fetchone() or {})["tables"]
        again = (connection.execute("select analyze_grown() as tables").fetchone() or {})["tables"]
        connection.execute("reset role")
        if answer < 1 or again != 0 or connection.execute(known).fetchone() != {"known": True}:
            yield f"analyze_grown: {answer}, then {again} tables"
        if everything(connection, "stage_seconds") != before:
            yield "analyze_grown: rows are others"


EXCHANGE = (
    "select outcome from exchange_code(%(code)s, %(client_id)s, %(redirect_uri)s, %(code_challenge)s, 'new', 'new',"
    " '2999-01-01', 'family', 'refresh', '2999-01-01')"
)
REFRESH = (
    "select outcome from refresh_connection('family', %(spent)s, %(client_id)s, 'newer', 'newer', '2999-01-01', 'next',"
    " '2999-01-01')"
)


def _connecting(connection: Connection, filled: Filled) -> Iterator[str]:
    """A code and a refresh token give tokens to their own client alone, once, and touch no other connection."""
    here = filled.places[0]
    member = {"user_id": filled.rows[here]["users"]["id"]}

    def connected() -> Row:
        key = insert(connection, "api_keys", filled.new_row("api_keys", here) | member)
        blank = {"code_used_at": None, "family_hash": None, "refresh_hash": None, "revoked_at": None}
        row = filled.new_row("connections", here) | member | blank | {"key_id": key["id"]}
        return insert(connection, "connections", row | {"code_expires_at": "2999-01-01"})

    def asked(text: str, values: Row) -> list[str]:
        return [row["outcome"] for row in connection.execute(text.encode(), values).fetchall()]

    def state(row: Row) -> Any:
        found = connection.execute(
            "select k.hash, k.revoked_at is null as lives, c.revoked_at is null as there, c.refresh_hash"
            " from connections c join api_keys k on k.id = c.key_id where c.id = %s",
            (row["id"],),
        ).fetchone()
        return found and (found["hash"], found["lives"], found["there"], found["refresh_hash"])

    with connection.transaction(force_rollback=True):
        one, other = connected(), connected()
        code = {"code": one["code_hash"]}
        untouched = state(other)
        for wrong in ("client_id", "redirect_uri", "code_challenge"):
            if asked(EXCHANGE, one | code | {wrong: "another"}) != ["refused"]:
                yield f"exchange_code: with another {wrong}"
        if asked(EXCHANGE, one | {"code": "another"}):
            yield "exchange_code: a code that nobody has"
        if asked(EXCHANGE, one | code) != ["done"] or state(one) != ("new", True, True, "refresh"):
            yield f"exchange_code: {state(one)}"
        if asked(REFRESH, one | {"spent": "refresh", "client_id": "another"}) != ["refused"]:
            yield "refresh_connection: for another client"
        if asked(REFRESH, one | {"spent": "refresh"}) != ["done"] or state(one) != ("newer", True, True, "next"):
            yield f"refresh_connection: {state(one)}"
        if asked(REFRESH, one | {"spent": "refresh"}) != ["replayed"] or state(one) != ("newer", False, False, "next"):
            yield f"refresh_connection: sent twice, {state(one)}"
        if asked(REFRESH, one | {"spent": "next"}) != ["refused"]:
            yield "refresh_connection: of what has ended"
        if state(other) != untouched:
            yield "exchange_code, refresh_connection: another connection"


def _revoking(connection: Connection, filled: Filled) -> Iterator[str]:
    """An access token ends its own connection."""
    here = filled.places[0]
    member = {"user_id": filled.rows[here]["users"]["id"]}
    with connection.transaction(force_rollback=True):
        rows: list[Row] = []
        for _ in range(2):
            key = insert(connection, "api_keys", filled.new_row("api_keys", here) | member)
            row = filled.new_row("connections", here) | member | {"key_id": key["id"], "revoked_at": None}
            rows.append(insert(connection, "connections", row) | {"access": key["hash"]})
        for token, expected in ((("nobody's", "none"), []), ((rows[0]["access"], "none"), [rows[0]["id"]])):
            found = connection.execute("select connection_id from revoke_token(%s, %s)", token).fetchall()
            if [row["connection_id"] for row in found] != expected:
                yield f"revoke_token: {found}"
        ids = [row["id"] for row in rows]
        left = connection.execute("select id from connections where id = any (%s) and revoked_at is null", (ids,))
        if [row["id"] for row in left.fetchall()] != [rows[1]["id"]]:
            yield "revoke_token: another connection"


REACHES: Mapping[str, Callable[[Connection, Filled], Iterator[str]]] = {
    "lexical_reading(integer[],sparsevec,integer,sparsevec[])": _reading,
    "analyze_grown()": _planning,
    "forget_traces()": _forgetting("retrieval_log", "forget_traces()"),
    "forget_audit()": _forgetting("audit_log", "forget_audit()"),
    "erase_organization(text)": _erasing,
    "identity_of_key(text)": _no_more(
        "select * from identity_of_key(%(hash)s)",
        lambda connection, filled: insert(connection, "api_keys", filled.new_row("api_keys", filled.places[0])),
        _keys,
    ),
    "exchange_code(text,text,text,text,text,text,timestamp with time zone,text,text,timestamp with time zone)": (
        _connecting
    ),
    "refresh_connection(text,text,text,text,text,timestamp with time zone,text,timestamp with time zone)": _connecting,
    "revoke_token(text,text)": _revoking,
    "erasure_of(uuid,text)": _tickets,
    "share_of(text)": _shares,
    "link_of(text)": partial(_shares, function="link_of"),
    "kept_from()": _hiding,
    "applied_migrations()": _applied,
    "resolve_identity(text,text)": _no_more(
        "select * from resolve_identity(%(issuer)s, %(subject)s)",
        lambda _, filled: filled.rows[filled.places[0]]["identities"],
        _resolving,
    ),
    "open_invitations(text)": _no_more("select * from open_invitations(%(email)s)", _invitation, _listing_invitations),
    "accept_invitation(text,text,text,uuid)": _no_more(
        "select * from accept_invitation(%(issuer)s, 'ada', %(email)s, %(organization)s)", _invitation, _inviting
    ),
    "note_waiting_sign_in(text,text,text)": _waiting,
    "own_organizations()": _no_more("select * from own_organizations()", lambda _, __: {}, _own),
    "organization_of(uuid)": _no_more(
        "select organization_of(%(id)s)", lambda _, filled: {"id": filled.places[0].knowledge_base_id}, _placing
    ),
    "stored_now()": _no_more("select * from stored_now()", _chunks, _storing),
    "operates()": _operating,
    "set_plan(text,text)": _giving(
        "select set_plan(%(slug)s, 'pro') as done", "select from organizations where id = %(id)s and plan = 'pro'"
    ),
    "add_page_pack(text,uuid,integer,date)": _giving(
        "select add_page_pack(%(slug)s, %(id)s, 500, null) as done",
        "select from page_packs where organization_id = %(id)s and pages = 500 and month is null",
    ),
    "join_by_domain(text,text,text,uuid,text)": _no_more(
        "select * from join_by_domain(%(issuer)s, %(subject)s, %(email)s, %(user)s, null)", _domain, _joining
    ),
    "found_organization(text,text,text,uuid,uuid,text,text)": _founding,
    "due_webhooks(timestamp with time zone,integer)": _sending,
    "next_webhook_due()": _sending,
    "webhooks_held()": _holding,
    "withdraw_candidates(uuid)": _withdrawing,
    "admit_run(integer,integer)": _admitting,
    "runs_in_slots(double precision)": _occupying,
}
