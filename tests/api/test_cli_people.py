"""People, keys, permissions and the audit log on the command line."""

import base64
import csv
import hashlib
import io
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from functions.local import local_store
from shared.domain.connections import NewConnection
from shared.domain.scope import Identity
from shared.people.connections import exchange_code, make_connection
from shared.people.keys import hash_secret
from shared.people.oauth_clients import register_client
from shared.runtime import Runtime
from shared.store.keys import identity_of_key
from tests.api.conftest import Run

ME = "dev@localhost"


def test_members_are_invited_changed_and_removed(run: Run) -> None:
    made = run("members", "invite", "kim@k.example", "--role", "editor", "--json").json
    assert (made["email"], made["role"]) == ("kim@k.example", "editor")
    assert run("members", "invite", "kim@k.example").code == 1
    assert run("members", "resend", "kim@k.example").code == 0
    assert [one["email"] for one in run("members", "waiting", "--json").json] == ["kim@k.example"]
    assert run("members", "bind", "kim@k.example", "--issuer", "i", "--subject", "s").code == 1
    assert run("members", "role", "KIM@k.example", "viewer", "--json").json["role"] == "viewer"
    assert {one["email"] for one in run("members", "list", "--json").json} == {ME, "kim@k.example"}
    assert "kim@k.example" in run("members", "list").out
    assert run("members", "remove", "kim@k.example", "--yes", "--json").json["email"] == "kim@k.example"
    assert run("members", "remove", ME, "--yes").code == 1
    refused = run("members", "role", "nobody@k.example", "viewer")
    assert (refused.code, "nobody@k.example" in refused.err) == (1, True)


@pytest.mark.parametrize("command", ["keys", "token"])
def test_keys_are_made_listed_and_revoked(run: Run, command: str) -> None:
    made = run(command, "create", f"by {command}", "--scope", "write", "--days", "7", "--json").json
    (listed,) = [key for key in run("keys", "list", "--json").json if key["id"] == made["id"]]
    assert (listed["scope"], listed["prefix"]) == ("write", made["secret"][:12])
    assert made["secret"] not in run("keys", "list").out
    assert run("keys", "revoke", made["prefix"], "--json").json["revoked_at"]
    assert run("keys", "revoke", "autri_nothing").code == 1


def connected(runtime: Runtime, identity: Identity, name: str) -> str:
    """An assistant with this name, connected; its access token."""
    callback, verifier = "http://127.0.0.1:33418/callback", "v" * 43
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    client = register_client({"client_name": name, "redirect_uris": [callback]}).client_id
    wanted = NewConnection(client_id=client, redirect_uri=callback, code_challenge=challenge)
    made = make_connection(runtime, identity, wanted, "http://127.0.0.1")
    code = dict(parse_qsl(urlsplit(made.redirect_to or "").query))["code"]
    return exchange_code(runtime, code, client, callback, verifier).access_token


def serves(home: Path, token: str) -> bool:
    with local_store(home) as system, system.runtime.database.alone() as connection:
        return bool(identity_of_key(connection, hash_secret(token)))


def test_connected_assistants_are_listed_and_disconnected(run: Run, home: Path) -> None:
    assert "No assistant is connected" in run("connections", "list").out
    with local_store(home) as system:
        token, _, _ = (connected(system.runtime, system.identity, name) for name in ("Desk", "Twin", "Twin"))
    desk, first, second = run("connections", "list", "--json").json
    assert [one["client_name"] for one in (desk, first, second)] == ["Desk", "Twin", "Twin"]
    assert desk["id"] in run("connections", "list").out
    several = run("connections", "revoke", "Twin")
    assert (several.code, "2 assistants" in several.err) == (1, True)
    assert "no connected assistant" in run("connections", "revoke", "Nobody").err
    assert serves(home, token)
    assert run("connections", "revoke", "Desk", "--json").json["id"] == desk["id"]
    assert not serves(home, token)
    assert run("connections", "revoke", first["id"]).code == 0
    assert "refused" in run("connections", "revoke", "Twin").out  # the one that is left under this name
    assert all(one["revoked_at"] for one in run("connections", "list", "--json").json)


def test_a_knowledge_base_is_restricted_and_opened(run: Run) -> None:
    run("kb", "create", "Secrets", "--description", "x")
    run("members", "invite", "lea@l.example")
    assert run("kb", "access", "secrets", "--json").json["restricted"] is False
    restricted = run("kb", "access", "secrets", "--read", "lea@l.example", "--write", ME, "--json").json
    assert [(one["email"], one["may_write"]) for one in restricted["members"]] == [(ME, True), ("lea@l.example", False)]
    assert "Owners and admins" in run("kb", "access", "secrets").out
    assert run("kb", "access", "secrets", "--open", "--read", ME).code == 2
    assert run("kb", "access", "secrets", "--open", "--json").json["restricted"] is False


def test_the_audit_log_is_shown_and_filed(run: Run) -> None:
    run("kb", "create", "Noted", "--description", "x")
    (newest,) = run("audit", "-n", "1", "--json").json
    assert (newest["act"], newest["person"], newest["details"]["slug"]) == ("knowledge_base.create", ME, "noted")
    (row,) = csv.DictReader(io.StringIO(run("audit", "-n", "1", "--csv").out))
    assert row["id"] == newest["id"]
    assert run("audit", "--act", "knowledge_base", "--person", ME, "--since", newest["at"], "--json").json == [newest]
    assert "knowledge_base.create" in run("audit", "-n", "1").out
    assert run("audit", "--since", "yesterday").code != 0


def test_how_long_the_audit_log_is_kept_is_set(run: Run) -> None:
    assert run("audit", "--keep", "400", "--json").json["audit_days"] == 400
    (noted,) = run("audit", "-n", "1", "--json").json
    assert (noted["act"], noted["details"]) == ("organization.change", {"audit_days": 400})
    assert "90 days" in run("audit", "--keep", "90").out
    assert run("audit", "--keep", "29").code == 1
