from functools import partial

import psycopg
import pytest
from fastapi import FastAPI

from functions.api.identity import development_identity
from shared.domain.ids import new_id
from shared.errors import Forbidden
from shared.people.keys import make_secret
from shared.runtime import Runtime
from tests.api.conftest import BASE, Client
from tests.api.signing import SignedIn, claims_of, cloud_requests, invite

KB = "/v1/knowledge-bases"


@pytest.mark.parametrize("peer", ["203.0.113.9", "10.0.0.1", "::ffff:203.0.113.9", "testclient"])
def test_development_sign_in_is_for_this_machine_only(app: FastAPI, peer: str) -> None:
    assert Client(app, peer).get("/v1/me").status_code == 403


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.9.1", "::1"])
def test_every_loopback_address_is_this_machine(app: FastAPI, peer: str) -> None:
    assert Client(app, peer).get("/v1/me").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", "[::1", ""])
def test_a_rebound_host_name_is_refused(client: Client, host: str) -> None:
    assert client.get("/v1/me", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000", "LOCALHOST"])
def test_the_names_of_this_machine_are_accepted(client: Client, host: str) -> None:
    assert client.get("/v1/me", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"])
def test_a_request_through_a_proxy_is_refused(client: Client, name: str) -> None:
    assert client.get("/v1/me", headers={name: "127.0.0.1"}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_another_origin_changes_nothing(client: Client, headers: dict[str, str]) -> None:
    assert client.post(KB, json={"name": "planted"}, headers=headers).status_code == 403
    assert "planted" not in client.get(KB).text


def test_our_own_pages_may_write(client: Client) -> None:
    headers = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    assert client.post(KB, json={"name": "from the page"}, headers=headers).status_code == 201


def test_development_sign_in_refuses_to_start_in_a_lambda(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "api")
    with pytest.raises(Forbidden):
        development_identity(runtime)


def test_without_verified_claims_nobody_is_signed_in(signed_in: SignedIn) -> None:
    for claims in (None, {}, {"sub": "x"}, {"iss": "x"}):
        answer = signed_in(claims)
        assert answer.status_code == 401
        assert answer.headers["x-request-id"] == "edge-abcdefgh"


def test_a_key_signs_in_where_the_authorizer_leaves_it_to_the_application(runtime: Runtime, client: Client) -> None:
    made = client.post("/v1/keys", json={"name": "cloud", "scope": "read"}).json()
    known, me = client.get("/v1/me").json(), partial(cloud_requests(runtime), {"via": "key"})
    answer = me(bearer=made["secret"])
    assert answer.json()["organization"] == known["organization"]
    assert answer.json()["user"] == known["user"] | {"role": "viewer"}
    assert me(bearer=made["secret"], method="POST", path=KB, body={"name": "with a read key"}).status_code == 403
    assert me(bearer=made["secret"], organization="kestrel").status_code == 403
    last = "a" if made["secret"][-1] != "a" else "b"
    for forged in (made["secret"][:-1] + last, make_secret(), "autri_", "", None):
        assert me(bearer=forged).status_code == 401
    assert cloud_requests(runtime)(None, bearer=made["secret"]).status_code == 401
    assert client.post(f"/v1/keys/{made['id']}/revoke").status_code == 200
    assert me(bearer=made["secret"]).status_code == 401


def test_an_invited_person_joins_with_a_verified_address_and_once_only(signed_in: SignedIn, owner_dsn: str) -> None:
    invite(owner_dsn, "bea@kestrel.example")
    claims = claims_of("Bea@Kestrel.example")
    first = signed_in(claims).json()
    assert first["organization"]["slug"] == "kestrel"
    assert first["user"]["role"] == "editor"
    assert signed_in({**claims, "email_verified": "false"}).json() == first
    assert signed_in(claims_of("bea@kestrel.example")).status_code == 403


@pytest.mark.parametrize("verified", ["false", "", "1", "yes"])
def test_an_unverified_address_accepts_no_invitation(signed_in: SignedIn, owner_dsn: str, verified: str) -> None:
    email = f"{new_id().hex}@kestrel.example"
    invite(owner_dsn, email)
    assert signed_in(claims_of(email, verified)).status_code == 403
    assert signed_in(claims_of(email)).status_code == 200


def test_an_organization_named_in_the_token_changes_nothing(signed_in: SignedIn, owner_dsn: str) -> None:
    invite(owner_dsn, "cas@kestrel.example")
    claims = claims_of("cas@kestrel.example") | {"custom:organization": "local", "organization_id": "local"}
    assert signed_in(claims).json()["organization"]["slug"] == "kestrel"


def test_who_has_joined_uses_up_no_other_organizations_invitation(signed_in: SignedIn, owner_dsn: str) -> None:
    invite(owner_dsn, "dee@kestrel.example")
    claims = claims_of("dee@kestrel.example")
    first = signed_in(claims).json()
    invite(owner_dsn, "dee@kestrel.example", organization="local")
    again = signed_in(claims).json()
    assert (again["organization"], again["user"]) == (first["organization"], first["user"])
    with psycopg.connect(owner_dsn) as connection:
        left = connection.execute(
            "select count(*) from users where email = 'dee@kestrel.example' and invited_at is not null"
        ).fetchone()
    assert left == (1,)
