import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from shared.domain.scope import Identity
from tests.api.conftest import Client, Run
from tests.api.files import three_pages
from tests.live import serving


@pytest.fixture(scope="module")
def server(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


@pytest.fixture
def second_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on commands use another, empty AUTRI_HOME."""
    other = home.with_name(f"{home.name}-2")
    other.mkdir(exist_ok=True)
    if not (other / "models").exists():
        (other / "models").symlink_to(home.parent / "models")
    return lambda: monkeypatch.setenv("AUTRI_HOME", str(other))


def hits_of(run: Run, slug: str) -> list[dict[str, Any]]:
    return run("search", "how heavy is the wing", "--kb", slug, "--json").json["hits"]


def test_a_knowledge_base_moves_from_one_home_to_another_and_on_to_a_server(
    run: Run, tmp_path: Path, second_home: Callable[[], None], server: str
) -> None:
    (tmp_path / "parts.pdf").write_bytes(three_pages("wing"))
    file = tmp_path / "parts.autri.zip"
    made = run("kb", "create", "Parts", "--description", "Parts.", "--json").json
    ingested = run("ingest", str(tmp_path / "parts.pdf"), "--kb", "parts", "--json").json
    before = hits_of(run, "parts")

    exported = run("export", "parts", str(file), "--json")
    assert (exported.code, exported.json["kind"]) == (0, "knowledge base")
    assert exported.json["size"] == file.stat().st_size
    assert exported.json["knowledge_bases"][0]["tables"]["chunks"]["rows"] == ingested["chunks"]
    assert "exists already" in run("export", "parts", str(file)).err
    assert "is here already" in run("import", str(file)).err
    assert run("export", "parts").code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts.autri.zip", "parts.pdf"]

    second_home()
    assert run("kb", "list", "--json").json == []
    imported = run("import", str(file), "--as", "Spare parts", "--json")
    assert imported.code == 0
    (base,) = imported.json["knowledge_bases"]
    assert (base["id"], base["slug"], base["name"], base["to_embed"]) == (
        made["id"],
        "spare-parts",
        "Spare parts",
        False,
    )
    proof = run("verify", "--kb", "spare-parts", "--json")
    assert (proof.code, proof.json["verbatim"]) == (0, ingested["chunks"])
    assert hits_of(run, "spare-parts") == before

    whole = tmp_path / "all.autri.zip"
    assert "1 knowledge base" in run("export", "--organization", str(whole)).out
    there = ("--url", server)
    assert run("import", str(whole), *there, "--json").json["knowledge_bases"][0]["id"] == made["id"]
    assert "is here already" in run("import", str(whole), *there).err
    assert run("verify", "--kb", "spare-parts", *there, "--json").json["verbatim"] == ingested["chunks"]
    back = tmp_path / "back.autri.zip"
    assert run("export", "spare-parts", str(back), *there, "--json").json["kind"] == "knowledge base"
    assert "There is no knowledge base `gone`" in run("export", "gone", str(tmp_path / "gone.zip"), *there).err
    assert not (tmp_path / "gone.zip").exists()


@pytest.mark.parametrize("there", [False, True])
def test_a_file_that_is_no_archive_is_one_sentence(run: Run, tmp_path: Path, server: str, *, there: bool) -> None:
    (tmp_path / "notes.zip").write_bytes(b"notes")
    outcome = run("import", str(tmp_path / "notes.zip"), *(("--url", server) if there else ()))
    assert (outcome.code in (1, 2), outcome.out) == (True, "")
    assert "cannot be read as an archive of Autri" in outcome.err


def test_the_archive_of_a_knowledge_base_is_for_owners_and_admins_of_its_organization(
    client: Client, client_of: Callable[[Identity], Client], identity: Identity, other_identity: Identity
) -> None:
    base = client.post("/v1/knowledge-bases", json={"name": "kept"}).json()["id"]
    path = f"/v1/knowledge-bases/{base}/export"
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert 'filename="kept.autri.zip"' in answer.headers["content-disposition"]
    assert client_of(other_identity).get(path).status_code == 404
    assert client_of(identity.model_copy(update={"role": "editor"})).get(path).status_code == 403


def test_an_organization_is_erased_by_its_owner_who_says_its_name_and_the_certificate_is_kept(
    run: Run, tmp_path: Path, second_home: Callable[[], None]
) -> None:
    second_home()
    run("kb", "create", "Passing", "--json")
    (tmp_path / "parts.pdf").write_bytes(three_pages("wing"))
    run("ingest", str(tmp_path / "parts.pdf"), "--kb", "passing", "--json")
    gone = run("kb", "delete", "passing", "--yes", "--certificate", str(tmp_path / "kb.json"), "--json").json["deleted"]
    assert json.loads((tmp_path / "kb.json").read_text()) == gone["certificate"]
    run("kb", "create", "Parts again", "--json")
    taken = run("erase", "local", "--certificate", str(tmp_path / "kb.json"))
    assert (taken.code, "Nothing was deleted" in taken.err) == (1, True)
    assert "`locale` is not the organization" in run("erase", "locale").err
    assert len(run("kb", "list", "--json").json) > 0
    outcome = run("erase", "local", "--certificate", str(tmp_path / "all.json"))
    assert outcome.code == 0
    certificate = json.loads((tmp_path / "all.json").read_text())
    assert certificate["sha256"] in outcome.out
    assert certificate["before"]["rows"]["knowledge_bases"] > 0
    assert run("kb", "list", "--json").json == []
