"""One person in several organizations: which one a request acts for."""

import httpx
import pytest

from shared.domain.scope import Identity
from shared.errors import Conflict
from shared.store.provision import LOCAL_EMAIL, Organization, create_organization
from tests.api.conftest import Client, Run
from tests.api.signing import BASE, SignedIn, claims_of, invite

KB = "/v1/knowledge-bases"


def ask_for(organization: str) -> dict[str, str]:
    return {"X-Autri-Organization": organization}


@pytest.fixture(scope="module")
def second(owner_dsn: str) -> str:
    create_organization(owner_dsn, Organization("second", "The second", LOCAL_EMAIL))
    return "second"


def test_a_member_of_two_acts_for_the_one_asked_for_else_for_the_first(client: Client, second: str) -> None:
    assert client.get("/v1/me").json()["organization"]["slug"] == "local"
    there = client.get("/v1/me", headers=ask_for(second)).json()
    assert there["organization"]["slug"] == second
    assert [(one["slug"], one["role"], one["joined"]) for one in there["organizations"]] == [
        ("local", "owner", True), (second, "owner", True),
    ]  # fmt: skip
    assert client.get("/v1/me", headers=ask_for(there["organization"]["id"])).json() == there
    made = client.post(KB, json={"name": "Over there"}, headers=ask_for(second)).json()
    assert "over-there" in client.get(KB, headers=ask_for(second)).text
    assert "over-there" not in client.get(KB).text
    assert client.get(f"{KB}/{made['id']}").status_code == 404


@pytest.mark.parametrize("wish", ["kestrel", "nowhere", "01900000-0000-7000-8000-000000000000", "local, second"])
def test_an_organization_that_one_does_not_belong_to_cannot_be_asked_for(client: Client, wish: str) -> None:
    refused = client.get("/v1/me", headers=ask_for(wish))
    assert (refused.status_code, wish in refused.json()["detail"]) == (403, True)


COOKIE = "autri-organization"


def cookie_of(answer: httpx.Response) -> str:
    (line,) = answer.headers.get_list("set-cookie")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(line.split("; "))
    return line.partition(";")[0]


def test_a_browser_begins_with_the_organization_chosen_last_and_a_call_with_the_one_it_names(
    client: Client, second: str
) -> None:
    chosen = client.post("/v1/organization/choose", headers=ask_for(second))
    assert chosen.json()["organization"]["slug"] == second
    browser = {"Cookie": cookie_of(chosen)}
    assert client.get("/v1/me", headers=browser).json()["organization"]["slug"] == second
    assert client.get("/v1/me", headers=browser | ask_for("local")).json()["organization"]["slug"] == "local"
    back = client.post("/v1/organization/choose", headers=browser | ask_for("local"))
    assert client.get("/v1/me", headers={"Cookie": cookie_of(back)}).json()["organization"]["slug"] == "local"


@pytest.mark.parametrize("wish", ["kestrel", "nowhere"])
def test_an_organization_of_others_is_not_chosen(client: Client, wish: str) -> None:
    refused = client.post("/v1/organization/choose", headers=ask_for(wish))
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


def test_a_cookie_that_names_what_is_not_ones_own_counts_for_nothing(client: Client, other_identity: Identity) -> None:
    """Somebody who was removed from what they had chosen is not locked out of the rest."""
    for value in (str(other_identity.organization_id), "kestrel", "nowhere", "", "x" * 3000):
        found = client.get("/v1/me", headers={"Cookie": f"{COOKIE}={value}"})
        assert (found.status_code, found.json()["organization"]["slug"]) == (200, "local")


def test_a_cookie_accepts_no_invitation_and_is_not_read_beside_a_token(signed_in: SignedIn, owner_dsn: str) -> None:
    invite(owner_dsn, "carl@b.example", "viewer", "local")
    claims = claims_of("carl@b.example") | {"via": "session", "csrf": "c"}
    assert signed_in(claims).json()["organization"]["slug"] == "local"
    invite(owner_dsn, "carl@b.example", "viewer", "kestrel")
    kestrel = next(one for one in signed_in(claims).json()["organizations"] if one["slug"] == "kestrel")
    cookie = f"__Host-{COOKIE}={kestrel['id']}"
    assert signed_in(claims, cookie=cookie).json()["organization"]["slug"] == "local"
    changing = {"x-csrf-token": "c", "origin": BASE}
    joined = signed_in(claims, "kestrel", "POST", "/v1/organization/choose", headers=changing)
    assert (joined.status_code, "Secure" in joined.headers["set-cookie"]) == (200, True)
    assert joined.headers["set-cookie"].startswith(cookie)
    assert signed_in(claims, cookie=cookie).json()["organization"]["slug"] == "kestrel"
    assert signed_in(claims | {"via": "token"}, cookie=cookie).json()["organization"]["slug"] == "local"


def test_a_slug_is_given_once(owner_dsn: str, second: str) -> None:
    with pytest.raises(Conflict):
        create_organization(owner_dsn, Organization(second, "Again", "eve@second.example"))


def test_who_is_invited_by_several_chooses_and_may_join_all(signed_in: SignedIn, owner_dsn: str) -> None:
    for organization in ("kestrel", "local"):
        invite(owner_dsn, "both@b.example", "viewer", organization)
    claims = claims_of("both@b.example")
    undecided = signed_in(claims)
    assert (undecided.status_code, "kestrel, local" in undecided.json()["detail"]) == (403, True)
    assert signed_in(claims, "somewhere").status_code == 403
    joined = signed_in(claims, "local").json()
    assert joined["organization"]["slug"] == "local"
    assert [(one["slug"], one["joined"]) for one in joined["organizations"]] == [("kestrel", False), ("local", True)]
    assert signed_in(claims).json() == joined
    assert signed_in(claims | {"email_verified": "false"}, "kestrel").status_code == 403
    assert signed_in(claims, "kestrel").json()["organization"]["slug"] == "kestrel"
    assert signed_in(claims).json()["organization"]["slug"] == "local"


def test_the_command_line_asks_for_an_organization_too(run: Run) -> None:
    assert run("organizations", "create", "lab", "--name", "The lab").code == 0
    assert run("organizations", "create", "lab").code == 1
    assert run("organizations", "create", "The lab").code == 1
    assert run("--organization", "lab", "kb", "create", "Papers", "--description", "x").code == 0
    assert run("kb", "list", "--json").json == []
    assert [kb["slug"] for kb in run("--organization", "lab", "kb", "list", "--json").json] == ["papers"]
    assert {one["slug"] for one in run("organizations", "list", "--json").json} == {"local", "lab"}
    refused = run("--organization", "nowhere", "kb", "list")
    assert (refused.code, "nowhere" in refused.err) == (1, True)
