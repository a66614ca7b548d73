"""How people get into the emulated deployment: invited by mail, from a terminal; and what the audit log has of it."""

import json
import os
import re
import stat
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from functions.cli.main import call
from tests.aws.customer import OWNER, address_of, ok
from tests.aws.login import Tokens, enter
from tests.aws.system import System
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws


def mails(system: System, to: str) -> list[dict[str, Any]]:
    sent = httpx.get(f"{system.emulator.url}/_ministack/ses/messages", timeout=PATIENCE_S).json()["messages"]
    return [mail for group in sent.values() for mail in group if mail["To"] == [to]]


def arrived(system: System, to: str, count: int) -> list[dict[str, Any]]:
    """At last so many."""
    deadline = time.monotonic() + PATIENCE_S
    while len(found := mails(system, to)) < count:
        assert time.monotonic() < deadline
        time.sleep(0.5)
    return found


def test_an_invited_person_is_told_by_mail_by_whom_where_and_as_what(system: System, owner: httpx.Client) -> None:
    email = "guest@example.com"
    made = ok(owner.post("/v1/invitations", json={"email": email, "role": "editor"}))
    (mail,) = arrived(system, email, 1)
    text = json.dumps(mail)
    for told in (OWNER, "Autri", "an editor", system.deployed.output("Url"), email):
        assert told in text
    ok(owner.post(f"/v1/invitations/{made['id']}/resend"))
    assert len(arrived(system, email, 2)) == 2
    noted = ok(owner.get("/v1/audit", params={"act": "member"}))["items"]
    assert [one["act"] for one in noted if one["subject_id"] == made["id"]] == ["member.resend", "member.invite"]


@pytest.fixture
def server(system: System) -> str:
    return address_of(system)


@pytest.fixture
def person(system: System, tokens: Tokens, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The owner at a terminal, whose browser signs in by itself."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")

    def browse(address: str) -> bool:
        def follow() -> None:
            httpx.get(enter(address, OWNER).replace("localhost", "127.0.0.1"), timeout=PATIENCE_S)

        threading.Thread(target=follow, daemon=True).start()
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    return OWNER


def test_who_signs_in_at_a_terminal_uses_every_command_there_until_signing_out(
    system: System,
    server: str,
    person: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def autri(*arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        return call([*arguments]), capfd.readouterr().out

    code, said = autri("--url", server, "login", "--json")
    assert (code, json.loads(said)["user"]["email"]) == (0, person)
    file = tmp_path / "autri" / "credentials.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert autri("--url", server, "kb", "create", "From a terminal", "--description", "x")[0] == 0
    assert "From a terminal" in autri("kb", "list", "--url", server)[1]
    assert "AUTRI_URL" not in os.environ

    kept = json.loads(file.read_text())
    before = kept[server]["bearer"]
    kept[server]["expires"] = 0
    file.write_text(json.dumps(kept))
    time.sleep(1.1)  # a token of the same second is the same
    assert person in autri("--url", server, "whoami")[1]
    assert json.loads(file.read_text())[server]["bearer"] != before
    noted = json.loads(autri("--url", server, "audit", "--act", "sign_in", "-n", "500", "--json")[1])
    terminal = [one["details"]["sign_in"] for one in noted if one["details"].get("via") == "token"]
    assert len(terminal) == len(set(terminal)) > 0

    told: list[tuple[Any, ...]] = []
    monkeypatch.setattr("functions.cli.commands.login.ask_login", lambda *said: told.append(said))  # not emulated
    refresh_token = json.loads(file.read_text())[server]["refresh_token"]
    assert autri("--url", server, "logout")[0] == 0
    assert json.loads(file.read_text()) == {}
    form = {"token": refresh_token, "client_id": kept[server]["client_id"]}
    assert told == [(system.emulator.url, "revoke", form)]
    assert autri("--url", server, "kb", "list")[0] == 1


def test_without_a_browser_the_address_is_pasted_and_a_reading_sign_in_changes_nothing(
    server: str, person: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.readline", lambda: enter(re.findall(r"http\S+", capfd.readouterr().err)[0], person))
    assert call(["--url", server, "login", "--no-browser", "--read"]) == 0
    assert call(["--url", server, "kb", "list"]) == 0
    assert call(["--url", server, "kb", "create", "Not", "--description", "x"]) == 1
    assert call(["--url", server, "keys", "create", "not"]) == 1
    assert call(["--url", server, "logout"]) == 0
