"""People, keys, permissions and the audit log on the command line."""

import csv
import io

import pytest

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
