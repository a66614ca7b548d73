"""Who belongs to an organization, and who decides it."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from shared.domain.ids import new_id
from shared.domain.people import Binding, NewInvitation, RoleChange
from shared.domain.scope import Identity
from shared.errors import Conflict, Forbidden
from shared.people import members
from shared.runtime import Runtime
from shared.store import members as rows
from shared.store.provision import Organization, create_organization
from tests.api.conftest import Client
from tests.api.signing import SignedIn, claims_of
from tests.conftest import add_member, as_superuser
from tests.patience import PATIENCE_S

MEMBERS, INVITATIONS = "/v1/members", "/v1/invitations"
Clients = Callable[[Identity], Client]


@pytest.fixture
def admin(runtime: Runtime, owner_dsn: str) -> Identity:
    return add_member(runtime, owner_dsn, "local", "admin")


def roles(client: Client) -> dict[str, str]:
    return {one["id"]: one["role"] for one in client.get(MEMBERS).json()["items"]}


def test_an_invitation_is_sent_accepted_and_used_up(client: Client, signed_in: SignedIn, runtime: Runtime) -> None:
    made = client.post(INVITATIONS, json={"email": "Flo@Local.example", "role": "editor"})
    assert (made.status_code, made.json()["email"], made.json()["role"]) == (201, "flo@local.example", "editor")
    assert client.post(INVITATIONS, json={"email": "FLO@local.example"}).status_code == 409
    assert client.post(f"{INVITATIONS}/{made.json()['id']}/resend").status_code == 200
    sent = Path(runtime.mailer.file).read_text().splitlines()  # pyrefly: ignore[missing-attribute] the local one
    assert [("flo@local.example" in line, '"Local"' in line) for line in sent[-2:]] == [(False, True), (True, True)]
    assert [one["email"] for one in client.get(INVITATIONS).json()["items"]] == ["flo@local.example"]
    assert signed_in(claims_of("flo@local.example")).json()["user"]["role"] == "editor"
    assert client.get(INVITATIONS).json()["items"] == []
    assert client.post(f"{INVITATIONS}/{made.json()['id']}/resend").status_code == 409


def test_invitations_come_page_by_page_each_with_the_sign_ins_that_wait_for_it(
    client: Client, signed_in: SignedIn
) -> None:
    made = [client.post(INVITATIONS, json={"email": f"{name}@paged.example"}).json()["id"] for name in "abc"]
    unverified = claims_of("b@paged.example") | {"email_verified": "false"}
    assert signed_in(unverified).status_code == 403
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while cursor is not None or not found:
        page = client.get(INVITATIONS, params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
        assert len(page["items"]) == 1
        found, cursor = found + page["items"], page["next_cursor"]
    ours = [one for one in found if one["id"] in made]
    assert [(one["id"], len(one["waiting"])) for one in ours] == [(made[0], 0), (made[1], 1), (made[2], 0)]
    for one in made:
        client.delete(f"{MEMBERS}/{one}")


@pytest.mark.parametrize("email", ["", "nobody", "@", "a b@c", "a@b\u2028c", "x" * 250 + "@x.de"])
def test_what_is_no_address_is_not_invited(client: Client, email: str) -> None:
    assert client.post(INVITATIONS, json={"email": email}).status_code == 422


def test_somebody_who_is_removed_is_refused_from_the_next_request_on(client: Client, signed_in: SignedIn) -> None:
    invited = client.post(INVITATIONS, json={"email": "gus@local.example"}).json()
    claims = claims_of("gus@local.example")
    assert signed_in(claims).status_code == 200
    assert client.delete(f"{MEMBERS}/{invited['id']}").json() == {"id": invited["id"], "email": "gus@local.example"}
    assert signed_in(claims).status_code == 403
    assert client.delete(f"{MEMBERS}/{invited['id']}").status_code == 404


def test_owners_alone_decide_about_owners(
    client: Client, client_of: Clients, identity: Identity, admin: Identity
) -> None:
    acting = client_of(admin)
    owner = f"{MEMBERS}/{identity.user_id}"
    assert acting("PATCH", owner, json={"role": "viewer"}).status_code == 403
    assert acting.delete(owner).status_code == 403
    assert acting("PATCH", f"{MEMBERS}/{admin.user_id}", json={"role": "owner"}).status_code == 403
    assert acting.post(INVITATIONS, json={"email": "new@local.example", "role": "owner"}).status_code == 403
    invited = client.post(INVITATIONS, json={"email": "new@local.example", "role": "owner"}).json()
    assert acting.delete(f"{MEMBERS}/{invited['id']}").status_code == 403
    assert roles(client)[str(identity.user_id)] == "owner"
    assert client("PATCH", f"{MEMBERS}/{admin.user_id}", json={"role": "editor"}).json()["role"] == "editor"


def test_members_below_admin_see_members_decide_nothing_and_may_leave(
    client_of: Clients, runtime: Runtime, owner_dsn: str, identity: Identity
) -> None:
    one, other = (add_member(runtime, owner_dsn, "local", role) for role in ("viewer", "editor"))
    acting = client_of(one)
    assert str(other.user_id) in roles(acting)
    assert acting.get(INVITATIONS).status_code == 403
    assert acting.delete(f"{MEMBERS}/{other.user_id}").status_code == 403
    assert acting("PATCH", f"{MEMBERS}/{one.user_id}", json={"role": "admin"}).status_code == 403
    assert acting.delete(f"{MEMBERS}/{one.user_id}").status_code == 200
    assert str(one.user_id) not in roles(client_of(identity))


def test_members_of_another_organization_are_neither_seen_nor_touched(
    client: Client, client_of: Clients, other_identity: Identity, signed_in: SignedIn
) -> None:
    theirs = client_of(other_identity)
    stranger = str(other_identity.user_id)
    invited = theirs.post(INVITATIONS, json={"email": "hal@kestrel.example"}).json()["id"]
    signed_in(claims_of("hal@kestrel.example", "false"))
    (waiting,) = theirs.get(INVITATIONS).json()["items"][-1]["waiting"]
    binding = {"issuer": waiting["issuer"], "subject": waiting["subject"]}
    assert not {stranger, invited} & roles(client).keys()
    assert client("PATCH", f"{MEMBERS}/{stranger}", json={"role": "viewer"}).status_code == 404
    for target in (stranger, invited):
        assert client.delete(f"{MEMBERS}/{target}").status_code == 404
    for act, body in (("resend", None), ("bind", binding)):
        assert client.post(f"{INVITATIONS}/{invited}/{act}", json=body).status_code == 404
    assert {stranger, invited} <= roles(theirs).keys()


def test_an_unverified_sign_in_waits_for_an_administrator_and_is_bound_by_its_subject(
    client: Client, signed_in: SignedIn
) -> None:
    invited = client.post(INVITATIONS, json={"email": "ida@local.example"}).json()
    claims, thief = claims_of("ida@local.example", "false"), claims_of("ida@local.example", "")
    for one in (claims, thief, claims):
        assert "does not vouch" in signed_in(one).json()["detail"]
    (found,) = [one for one in client.get(INVITATIONS).json()["items"] if one["id"] == invited["id"]]
    assert sorted(one["subject"] for one in found["waiting"]) == sorted([claims["sub"], thief["sub"]])
    bind = f"{INVITATIONS}/{invited['id']}/bind"
    unknown = {"issuer": claims["iss"], "subject": new_id().hex}
    assert client.post(bind, json=unknown).status_code == 409
    bound = client.post(bind, json={"issuer": claims["iss"], "subject": claims["sub"]})
    assert (bound.status_code, bound.json()["invited_at"]) == (200, None)
    assert signed_in(claims).json()["user"]["id"] == invited["id"]
    assert signed_in(thief).status_code == 403
    assert client.post(bind, json={"issuer": thief["iss"], "subject": thief["sub"]}).status_code == 409


def test_a_sign_in_that_nobody_invited_leaves_nothing(signed_in: SignedIn, owner_dsn: str) -> None:
    claims = claims_of("nobody@nowhere.example", "false")
    assert signed_in(claims).status_code == 403
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        found = connection.execute("select from waiting_sign_ins where subject = %s", (claims["sub"],)).fetchall()
    assert found == []


def test_the_last_owner_stays(client: Client, identity: Identity, runtime: Runtime) -> None:
    members.invite(runtime, identity, NewInvitation(email="late@local.example", role="owner"))
    own = f"{MEMBERS}/{identity.user_id}"
    for refused in (client.delete(own), client("PATCH", own, json={"role": "admin"})):
        assert (refused.status_code, "keeps an owner" in refused.json()["detail"]) == (409, True)
    assert roles(client)[str(identity.user_id)] == "owner"


@pytest.mark.parametrize("how", ["demote", "remove"])
def test_of_two_owners_who_go_at_the_same_time_one_stays(runtime: Runtime, owner_dsn: str, how: str) -> None:
    """Both have done their work before either commits: nothing but the database can tell."""
    create_organization(owner_dsn, Organization(how, how, f"late@{how}.example"))
    first, second = (add_member(runtime, owner_dsn, how, "owner") for _ in range(2))
    acted = threading.Barrier(2, timeout=PATIENCE_S)
    outcomes: list[str] = []

    def go(own: Identity) -> None:
        try:
            with runtime.database.transaction(own.scope()) as connection:
                target = str(own.user_id)
                if how == "demote":
                    connection.execute("update users set role = 'admin' where id = %s", (target,))
                else:
                    connection.execute("delete from users where id = %s", (target,))
                acted.wait()
                rows._keep_an_owner(connection)  # noqa: SLF001 the check alone, after both have acted
            outcomes.append("gone")
        except Conflict:
            outcomes.append("stays")

    threads = [threading.Thread(target=go, args=(own,)) for own in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["gone", "stays"]
    with psycopg.connect(owner_dsn) as connection:
        left = "select u.id from users u join organizations o on o.id = u.organization_id"
        left += " where o.slug = %s and u.role = 'owner' and u.invited_at is null"
        assert len(connection.execute(left.encode(), (how,)).fetchall()) == 1


def test_the_database_itself_refuses_a_transaction_that_leaves_no_owner(runtime: Runtime, identity: Identity) -> None:
    with (
        pytest.raises(psycopg.errors.RestrictViolation),
        runtime.database.transaction(identity.scope()) as connection,
    ):
        connection.execute("update users set role = 'viewer' where role = 'owner'")


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_the_services_themselves_refuse_who_may_not(runtime: Runtime, identity: Identity, role: Any) -> None:
    low, target = identity.model_copy(update={"role": role, "user_id": new_id()}), identity.user_id
    acts: list[Callable[[], Any]] = [
        lambda: members.invite(runtime, low, NewInvitation(email="a@b.example")),
        lambda: members.resend(runtime, low, target),
        lambda: members.bind(runtime, low, target, Binding(issuer="i", subject="s")),
        lambda: members.change_role(runtime, low, target, RoleChange(role="viewer")),
        lambda: members.remove(runtime, low, target),
        lambda: members.list_invitations(runtime, low),
    ]
    for act in acts:
        with pytest.raises(Forbidden):
            act()
