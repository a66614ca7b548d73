"""Belonging without an invitation: by domain, with more rights by groups, by making an organization."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from shared.domain.scope import Identity
from shared.people.members import INVITATIONS_AN_HOUR
from shared.runtime import Runtime
from shared.store import members
from shared.store.provision import Organization, provision
from tests.api.conftest import Client, Run
from tests.api.racing import at_once, commit_later
from tests.api.signing import SignedIn, claims_of, cloud_requests, invite

Clients = Callable[[Identity], Client]
DOMAINS, GROUPS, ORGANIZATIONS = "/v1/domains", "/v1/group-roles", "/v1/organizations"


@pytest.fixture
def records(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What the DNS says."""
    known: dict[str, list[str]] = {}
    monkeypatch.setattr(runtime, "look_up_txt", lambda name: known.get(name, []))
    return known


def prove(client: Client, records: dict[str, list[str]], domain: str, role: str = "editor") -> dict[str, Any]:
    made = client.post(DOMAINS, json={"domain": domain, "role": role}).json()
    records[made["txt_name"]] = ["something else", made["txt_value"]]
    assert client.post(f"{DOMAINS}/{made['id']}/verify").status_code == 200
    return made


def test_people_of_a_proved_domain_join_as_what_the_owner_chose(
    client: Client, signed_in: SignedIn, records: dict[str, list[str]]
) -> None:
    made = client.post(DOMAINS, json={"domain": "Acme.example", "role": "editor"}).json()
    assert (made["txt_name"], made["verified_at"]) == ("_autri.acme.example", None)
    for wrong in ([], ["autri-verification="], [made["txt_value"][:-1]]):
        records[made["txt_name"]] = wrong
        refused = client.post(f"{DOMAINS}/{made['id']}/verify")
        assert (refused.status_code, made["txt_value"] in refused.json()["detail"]) == (422, True)
        assert signed_in(claims_of("early@acme.example")).status_code == 403
    records[made["txt_name"]] = [made["txt_value"]]
    assert client.post(f"{DOMAINS}/{made['id']}/verify").json()["verified_at"]
    assert client.get(DOMAINS).json()["items"][0]["verified_at"]

    ann = claims_of("Ann@ACME.example")
    joined = signed_in(ann).json()
    assert (joined["organization"]["slug"], joined["user"]["role"]) == ("local", "editor")
    assert signed_in(ann).json() == joined
    assert signed_in(claims_of("bob@acme.example", "false")).status_code == 403
    assert signed_in(claims_of("bob@acme.example"), "kestrel").status_code == 403
    assert signed_in(claims_of("eve@acme.example.evil.example")).status_code == 403
    (noted,) = client.get("/v1/audit", params={"act": "member.join"}).json()["items"]
    assert (noted["person"], noted["details"]) == ("ann@acme.example", {"by": "domain", "role": "editor"})
    assert client.delete(f"{DOMAINS}/{made['id']}").status_code == 200
    assert signed_in(claims_of("late@acme.example")).status_code == 403
    assert signed_in(ann).json() == joined


def test_who_was_removed_comes_back_by_an_invitation_and_not_by_their_domain(
    client: Client, signed_in: SignedIn, records: dict[str, list[str]]
) -> None:
    prove(client, records, "left.example")
    ann = claims_of("ann@left.example")
    member = signed_in(ann).json()["user"]["id"]
    assert client.delete(f"/v1/members/{member}").status_code == 200
    again = {"sub": f"another-{ann['sub']}"}
    renamed = {"email": "ann.b@left.example"}
    for claims in (ann, ann | renamed, ann | again, ann | again | {"email": "Ann@LEFT.example"}):
        assert signed_in(claims).status_code == 403
    assert signed_in(claims_of("bea@left.example")).status_code == 200
    assert signed_in(ann | again | renamed).status_code == 200
    assert client.post("/v1/invitations", json={"email": "ann@left.example", "role": "viewer"}).status_code == 201
    assert signed_in(ann).json()["user"]["role"] == "viewer"


def test_whose_invitation_is_taken_back_does_not_join_by_their_domain(
    client: Client, signed_in: SignedIn, records: dict[str, list[str]]
) -> None:
    prove(client, records, "gone.example")
    invited = client.post("/v1/invitations", json={"email": "cy@gone.example", "role": "viewer"}).json()
    assert client.delete(f"/v1/members/{invited['id']}").status_code == 200
    assert signed_in(claims_of("cy@gone.example")).status_code == 403


def test_an_invitation_says_more_than_a_domain(
    client: Client, signed_in: SignedIn, owner_dsn: str, records: dict[str, list[str]]
) -> None:
    prove(client, records, "both.example")
    invite(owner_dsn, "ann@both.example", "viewer", "local")
    assert signed_in(claims_of("ann@both.example")).json()["user"]["role"] == "viewer"
    invite(owner_dsn, "ben@both.example", "viewer", "kestrel")
    ben = claims_of("ben@both.example")
    assert signed_in(ben).json()["organization"]["slug"] == "kestrel"
    assert signed_in(ben, "local").json()["user"]["role"] == "editor"
    provision(owner_dsn, Organization("third", "Third", "root@third.example"))
    for slug in ("kestrel", "third"):
        invite(owner_dsn, "cy@both.example", "viewer", slug)
    assert "kestrel, third" in signed_in(claims_of("cy@both.example")).json()["detail"]


def test_a_domain_is_proved_once_and_by_its_owner_alone(
    client: Client, client_of: Clients, other_identity: Identity, records: dict[str, list[str]]
) -> None:
    prove(client, records, "ours.example")
    theirs = client_of(other_identity)
    made = theirs.post(DOMAINS, json={"domain": "ours.example", "role": "admin"}).json()
    records[made["txt_name"]] = [made["txt_value"]]
    assert theirs.post(f"{DOMAINS}/{made['id']}/verify").status_code == 409
    kept = client.post(DOMAINS, json={"domain": "ours.example", "role": "viewer"}).json()
    assert (kept["role"], bool(kept["verified_at"])) == ("viewer", True)


@pytest.mark.parametrize(
    "domain", ["gmail.com", "GMX.de", "localhost", "a..b", "-a.example", "a.1", "", "x" * 64 + ".de"]
)
def test_what_is_nobodys_own_domain_is_not_claimed(client: Client, domain: str) -> None:
    assert client.post(DOMAINS, json={"domain": domain}).status_code == 422


def test_nobody_joins_as_an_owner(client: Client) -> None:
    assert client.post(DOMAINS, json={"domain": "x.example", "role": "owner"}).status_code == 422
    assert client.post(GROUPS, json={"group": "x", "role": "owner"}).status_code == 422


def test_a_group_that_no_token_can_name_is_refused(client: Client) -> None:
    refused = client.post(GROUPS, json={"group": "two words", "role": "editor"})
    assert (refused.status_code, "write it as the token does" in refused.json()["detail"]) == (422, True)


def test_a_group_raises_its_people_while_their_token_names_it(
    client: Client, signed_in: SignedIn, owner_dsn: str
) -> None:
    invite(owner_dsn, "gil@g.example", "viewer", "local")
    person = claims_of("gil@g.example")
    made = client.post(GROUPS, json={"group": "writers", "role": "viewer"}).json()
    assert client.post(GROUPS, json={"group": "writers", "role": "editor"}).json() == made | {"role": "editor"}
    client.post(GROUPS, json={"group": "heads", "role": "admin"})

    def role(groups: str) -> str:
        return signed_in(person | {"groups": groups}).json()["user"]["role"]

    assert [role(g) for g in ("", "others", "writers", "writers heads", "writers", "")] == [
        "viewer", "viewer", "editor", "admin", "editor", "viewer",
    ]  # fmt: skip
    assert signed_in(person | {"groups": "heads"}, method="GET", path="/v1/audit").status_code == 200
    assert signed_in(person | {"groups": "writers"}, method="GET", path="/v1/audit").status_code == 403
    assert client.delete(f"{GROUPS}/{made['id']}").status_code == 200
    assert role("writers") == "viewer"
    listed = client.get("/v1/members").json()["items"]
    assert [one["role"] for one in listed if one["email"] == "gil@g.example"] == ["viewer"]


def test_a_group_neither_lowers_anybody_nor_reaches_another_organization(
    client: Client, client_of: Clients, other_identity: Identity, signed_in: SignedIn, owner_dsn: str
) -> None:
    client.post(GROUPS, json={"group": "readers", "role": "viewer"})
    client_of(other_identity).post(GROUPS, json={"group": "everybody", "role": "admin"})
    invite(owner_dsn, "ida@i.example", "editor", "local")
    ida = claims_of("ida@i.example")
    assert signed_in(ida | {"groups": "readers everybody"}).json()["user"]["role"] == "editor"


def test_groups_that_were_not_told_neither_give_nor_take_a_role(
    client: Client, signed_in: SignedIn, owner_dsn: str
) -> None:
    client.post(GROUPS, json={"group": "untold", "role": "admin"})
    invite(owner_dsn, "una@u.example", "editor", "local")
    una = claims_of("una@u.example")
    assert signed_in(una | {"groups": "untold"}).json()["user"]["role"] == "admin"
    told = signed_in(una | {"groups_untold": "true"}).json()
    assert (told["user"]["role"], told["groups_untold"]) == ("editor", True)
    assert signed_in(una).json()["groups_untold"] is False


@pytest.fixture
def open_door(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> SignedIn:
    """A deployment where people sign up by themselves."""
    monkeypatch.setattr(runtime, "self_sign_up", True)
    return cloud_requests(replace(runtime))


def found(send: SignedIn, claims: Any, slug: str) -> int:
    return send(claims, method="POST", path=ORGANIZATIONS, body={"slug": slug, "name": "New"}).status_code


def test_who_belongs_nowhere_makes_an_organization_and_owns_it(open_door: SignedIn) -> None:
    kim = claims_of("Kim@k.example")
    assert open_door(kim).status_code == 403
    made = open_door(kim, method="POST", path=ORGANIZATIONS, body={"slug": "kims", "name": "Kim's"}).json()
    assert (made["organization"]["slug"], made["organization"]["name"]) == ("kims", "Kim's")
    assert (made["user"]["email"], made["user"]["role"]) == ("kim@k.example", "owner")
    assert open_door(kim).json() == made
    assert found(open_door, kim, "another") == 409
    assert found(open_door, claims_of("lou@l.example"), "kims") == 409
    (noted,) = open_door(kim, path="/v1/audit?act=organization").json()["items"]
    assert (noted["act"], noted["person"]) == ("organization.create", "kim@k.example")


def test_who_belongs_nowhere_is_led_to_the_page_that_makes_one(runtime: Runtime, open_door: SignedIn) -> None:
    del open_door
    pages = partial(cloud_requests(runtime), claims_of("pia@p.example"), headers={"Accept": "text/html"})
    sent = pages(path="/playground")
    assert (sent.status_code, sent.headers["location"]) == (302, "/welcome")
    assert "Create your organization" in pages(path="/welcome").text
    unverified = partial(cloud_requests(runtime), claims_of("pia@p.example", "false"), headers={"Accept": "text/html"})
    assert unverified(path="/").status_code == 403
    nobody = cloud_requests(runtime)(None, path="/welcome", headers={"Accept": "text/html"})
    assert nobody.headers["location"] == "/auth/login?next=%2Fwelcome"


def test_nobody_makes_one_without_a_verified_address_or_where_the_deployment_does_not_let_them(
    open_door: SignedIn, signed_in: SignedIn, runtime: Runtime
) -> None:
    assert found(open_door, claims_of("mia@m.example", "false"), "mias") == 403
    assert found(open_door, claims_of("mia@m.example") | {"email": ""}, "mias") == 403
    assert found(open_door, None, "mias") == 401
    assert found(open_door, {"via": "key"}, "mias") == 401
    assert found(open_door, claims_of("mia@m.example"), "Mias!") == 422
    closed = cloud_requests(replace(runtime, self_sign_up=False))
    assert found(closed, claims_of("mia@m.example"), "mias") == 403


def test_a_session_makes_one_from_its_own_page_alone(open_door: SignedIn) -> None:
    session = claims_of("nia@n.example") | {"via": "session", "csrf": "right"}
    assert found(open_door, session, "nias") == 403


def test_invitations_are_bounded_by_the_hour_also_those_that_come_at_once(
    client_of: Clients, other_identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(other_identity)
    posts = [
        partial(client.post, "/v1/invitations", json={"email": f"{n}@many.example"})
        for n in range(INVITATIONS_AN_HOUR + 2)
    ]
    made = [post() for post in posts[: INVITATIONS_AN_HOUR - 1]]
    assert {one.status_code for one in made} == {201}
    commit_later(monkeypatch, members, "count_invitations")
    assert sorted(one.status_code for one in at_once(posts[INVITATIONS_AN_HOUR - 1 :])) == [201, 429, 429]
    assert client.post(f"/v1/invitations/{made[0].json()['id']}/resend").status_code == 429


def test_domains_and_groups_are_kept_at_the_terminal(run: Run) -> None:
    made = run("domains", "add", "Cli.example", "--role", "editor", "--json").json
    assert made["txt_name"] in run("domains", "list").out
    assert run("domains", "remove", "cli.example", "--json").json["id"] == made["id"]
    assert run("domains", "remove", "cli.example").code == 1
    assert run("groups", "set", "writers", "editor", "--json").json["group"] == "writers"
    assert "writers" in run("groups", "list").out
    assert run("groups", "remove", "writers").code == 0
    for command in (("set", "[/b][red]", "editor"), ("remove", "[/b][red]")):
        assert "[/b][red]" in run("groups", *command).out, "a name is data, not markup"
