"""`autri sync` and `autri ingest https://…` against a server with workers, as real commands."""

import json
import shutil
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import local_system
from shared.adapters.web import WebFetcher
from tests.api.conftest import Run
from tests.e2e.test_attachments import mail
from tests.live import serving
from tests.patience import PATIENCE_S
from tests.processes import start, wait_until
from tests.web_server import Site, running_site

FILES = 24


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site() as made:
        yield made


@pytest.fixture(scope="module")
def server(home: Path, site: Site) -> Iterator[str]:
    with local_system(home / "server", 2) as system:
        system.runtime.fetch = WebFetcher([site.host])
        with serving(create_app(system.runtime, development_identity(system.runtime), local=True)) as url:
            yield url


class Base:
    """A knowledge base on the server, and a folder that it is to follow."""

    def __init__(self, server: str, name: str, folder: Path) -> None:
        self.server, self.name, self.folder = server, name, folder
        made = httpx.post(f"{server}/v1/knowledge-bases", json={"name": name, "description": name}).json()
        self.id, self.slug = made["id"], made["slug"]
        folder.mkdir()

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(exist_ok=True, parents=True)
        (self.folder / path).write_text(text)

    @property
    def command(self) -> list[str]:
        return ["sync", str(self.folder), "--kb", self.slug, "--url", self.server]

    def items(self, path: str, **query: Any) -> list[dict[str, Any]]:
        return httpx.get(f"{self.server}/v1{path}", params={"limit": 500, **query}).json()["items"]

    def documents(self) -> dict[str, str]:
        """Names with their states."""
        return {one["name"]: one["status"] for one in self.items("/documents", knowledge_base_id=self.id)}


@pytest.fixture
def base(server: str, tmp_path: Path, request: pytest.FixtureRequest) -> Base:
    return Base(server, request.node.name[-60:].strip("_"), tmp_path / "papers")


def actions(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {line["path"]: line["action"] for line in lines if "action" in line}


def test_what_was_killed_goes_on_where_it_stopped_and_sends_nothing_twice(base: Base, home: Path, run: Run) -> None:
    for number in range(FILES):
        base.write(f"{number}.txt", f"Pump {number} is weighed in the hall before it leaves.")
    first = start(home, *base.command, "--json")
    wait_until(lambda: list(base.documents().values()).count("ready") > 2)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    there = len(base.documents())
    assert there < FILES, "it had ended: that is no test"
    outcome = run(*base.command, "--json")
    assert outcome.code == 0, outcome.err
    sent = [line for line in outcome.lines if "action" not in line and not line["duplicate"]]
    assert len(sent) <= FILES - there + 8, "what was under way is followed, not sent again"
    assert base.documents() == {f"{number}.txt": "ready" for number in range(FILES)}
    assert set(actions(run(*base.command, "--json").lines).values()) == {"same"}


def test_a_parcel_is_sent_once(base: Base, run: Run) -> None:
    with zipfile.ZipFile(base.folder / "lot.zip", "w") as parcel:
        parcel.writestr("pumps/a.txt", "Pumps are oiled.")
        parcel.writestr("empty.txt", "")
    base.write("~$b.txt", "left by an office program")
    first, second = (run(*base.command, "--json") for _ in range(2))
    assert [actions(one.lines) for one in (first, second)] == [{"lot.zip": "new"}, {"lot.zip": "same"}]
    assert base.documents() == {"pumps/a.txt": "ready"}


def test_files_that_nothing_reads_are_told(base: Base, run: Run) -> None:
    for path in ("a.txt", "LICENSE", "run.exe", "skip/b.dll", ".hidden", "old/c.exe", "y.bin", "z.bin"):
        base.write(path, "Pumps are oiled.")
    (base.folder / "latest").symlink_to(base.folder / "a.txt")
    outcome = run(*base.command, "--exclude", "skip/")
    assert "4 files left out, that nothing here reads by their names: old/c.exe, run.exe, y.bin, …" in outcome.err
    assert "LICENSE" in base.documents()
    assert "left out" not in run(*base.command, "--include", "a.txt").err


def pack(base: Base, path: str, **files: str) -> None:
    with zipfile.ZipFile(base.folder / path, "w") as parcel:
        for name, text in files.items():
            parcel.writestr(f"pumps/{name}.txt", text)


def test_what_a_parcel_brought_goes_with_it_where_that_is_chosen(base: Base, run: Run) -> None:
    pack(base, "lot.zip", a="Pumps are oiled.", b="Pumps are weighed.")
    pack(base, "more.zip", b="Pumps are weighed.", c="Pumps are painted.")
    assert run(*base.command).code == 0
    (base.folder / "lot.zip").unlink()
    told = actions(run(*base.command, "--json").lines)
    assert told == {"more.zip": "same", "lot.zip": "kept", "lot.zip › pumps/a.txt": "kept"}
    assert len(base.documents()) == 3
    told = actions(run(*base.command, "--delete", "remove", "--dry-run", "--json").lines)
    assert (told["lot.zip › pumps/a.txt"], len(base.documents())) == ("removed", 3)
    told = actions(run(*base.command, "--delete", "remove", "--json").lines)
    assert told == {"more.zip": "same", "lot.zip": "removed", "lot.zip › pumps/a.txt": "removed"}
    assert sorted(base.documents()) == ["pumps/b.txt", "pumps/c.txt"]
    assert actions(run(*base.command, "--delete", "remove", "--json").lines) == {"more.zip": "same"}


def test_the_next_parcel_at_a_path_brings_versions_and_lacks_what_is_gone(base: Base, run: Run) -> None:
    pack(base, "lot.zip", a="Pumps are oiled.", b="Pumps are weighed.", c="Pumps are painted.")
    assert run(*base.command).code == 0
    pack(base, "lot.zip", a="Pumps are oiled twice.", b="Pumps are weighed.")
    told = actions(run(*base.command, "--delete", "remove", "--json").lines)
    assert told == {"lot.zip": "new", "lot.zip › pumps/c.txt": "removed"}
    assert answering(base) == {("pumps/a.txt", 1): False, ("pumps/a.txt", 2): True, ("pumps/b.txt", 1): True}
    pack(base, "lot.zip", a="Pumps are oiled.", b="Pumps are weighed.")
    assert run(*base.command, "--delete", "remove").code == 0
    assert answering(base) == {("pumps/a.txt", 1): True, ("pumps/a.txt", 2): False, ("pumps/b.txt", 1): True}


def answering(base: Base) -> dict[tuple[str, int], bool]:
    """Names with the numbers of their versions, and whether each is the one that answers."""
    found = base.items("/documents", knowledge_base_id=base.id)
    return {(one["name"], one["version"]["index"]): one["version"]["is_current"] for one in found}


def test_a_parcel_that_moves_is_not_sent_again_nor_what_is_packed_or_unpacked_deleted(base: Base, run: Run) -> None:
    pack(base, "lot.zip", a="Pumps are oiled.")
    base.write("pumps/d.txt", "Pumps are shipped.")
    assert run(*base.command).code == 0
    ids = {one["id"] for one in base.items("/documents", knowledge_base_id=base.id)}
    (base.folder / "lot.zip").rename(base.folder / "box.zip")
    remove = [*base.command, "--delete", "remove", "--json"]
    told = run(*remove).lines
    assert actions(told) == {"box.zip": "moved", "pumps/d.txt": "same"}
    assert len(told) == 2, "nothing was sent"
    base.write("a.txt", "Pumps are oiled.")
    (base.folder / "box.zip").unlink()
    assert actions(run(*remove).lines) == {"a.txt": "moved", "pumps/d.txt": "same", "box.zip": "removed"}
    assert sorted(base.documents()) == ["a.txt", "pumps/d.txt"]
    pack(base, "all.zip", d="Pumps are shipped.")
    (base.folder / "pumps" / "d.txt").unlink()
    assert actions(run(*remove).lines) == {"a.txt": "same", "all.zip": "new", "pumps/d.txt": "kept"}
    assert {one["id"] for one in base.items("/documents", knowledge_base_id=base.id)} == ids


def test_a_file_within_a_file_is_told_by_the_names_on_its_way_and_no_temporary_one(base: Base, run: Run) -> None:
    file = ("terms.txt", b"Payment within 30 days.\n", "text/plain")
    inner = mail("Inner", file).as_bytes()
    (base.folder / "in").mkdir()
    (base.folder / "in" / "offer.eml").write_bytes(
        mail("Offer", ("inner.eml", inner, "application/octet-stream")).as_bytes()
    )
    told = {line["path"] for line in run(*base.command, "--json").lines if "action" not in line}
    assert told == {"in/offer.eml", "in/offer.eml › inner.eml", "in/offer.eml › inner.eml › terms.txt"}


def test_moved_files_are_renamed_and_what_is_gone_is_a_choice(base: Base, run: Run) -> None:
    base.write("a/one.txt", "The first pump is heavy.")
    base.write("a/two.txt", "The second pump is light.")
    base.write("three.txt", "The third pump is lost.")
    assert run(*base.command).code == 0
    shutil.move(base.folder / "a", base.folder / "b")
    (base.folder / "three.txt").unlink()
    told = actions(run(*base.command, "--delete", "ask", "--json").lines)
    assert told == {"b/one.txt": "moved", "b/two.txt": "moved", "three.txt": "kept"}, "nobody is there to ask"
    assert sorted(base.documents()) == ["b/one.txt", "b/two.txt", "three.txt"]
    told = actions(run(*base.command, "--delete", "remove", "--json").lines)
    assert told["three.txt"] == "removed"
    assert sorted(base.documents()) == ["b/one.txt", "b/two.txt"]


def test_a_watched_folder_is_followed_until_the_command_is_interrupted(base: Base, home: Path) -> None:
    base.write("one.txt", "The first pump is heavy.")
    watching = start(home, *base.command, "--watch", "--every", "1", "--json")
    wait_until(lambda: base.documents() == {"one.txt": "ready"})
    base.write("two.txt", "The second pump is light.")
    wait_until(lambda: base.documents() == {"one.txt": "ready", "two.txt": "ready"})
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in err
    assert actions([json.loads(line) for line in out.splitlines()])["two.txt"] == "new"


def test_a_watch_outlives_an_outage_of_the_server_and_of_the_folder(home: Path, tmp_path: Path) -> None:
    with local_system(home / "outage", 2) as system:
        app = create_app(system.runtime, development_identity(system.runtime), local=True)
        with serving(app) as url:
            base = Base(url, "outage", tmp_path / "papers")
            base.write("one.txt", "The first pump is heavy.")
            watching = start(home, *base.command, "--watch", "--every", "1", "--json")
            wait_until(lambda: base.documents() == {"one.txt": "ready"})
        base.write("two.txt", "The second pump is light.")
        said = watching.stderr
        assert said is not None
        assert any("No answer from" in line for line in said)
        with serving(app, int(url.rpartition(":")[2])):
            wait_until(lambda: base.documents() == {"one.txt": "ready", "two.txt": "ready"})
            base.folder.rename(tmp_path / "away")
            assert any("mounted" in line for line in said)
            (tmp_path / "away").rename(base.folder)
            base.write("three.txt", "The third pump is lost.")
            wait_until(lambda: set(base.documents().values()) == {"ready"} and len(base.documents()) == 3)
            watching.send_signal(signal.SIGINT)
            _, err = watching.communicate(timeout=PATIENCE_S)
            assert "Traceback" not in err


def test_a_web_page_is_ingested_by_its_address_beside_a_file(base: Base, site: Site, run: Run) -> None:
    site.put("/boats?year=2026", "<h1>Boats</h1><p>Every boat is weighed before the race begins.</p>")
    base.write("one.txt", "The first pump is heavy.")
    address, file = f"{site.url}/boats?year=2026", str(base.folder / "one.txt")
    outcome = run("ingest", file, address, "--kb", base.slug, "--url", base.server, "--json")
    assert outcome.code == 0, outcome.err
    assert [(line["path"], line["status"]) for line in outcome.lines] == [(file, "ready"), (address, "ready")]
    assert sorted(base.documents()) == [f"{site.host}/boats?year=2026", "one.txt"]
    again = run("ingest", address, "--kb", base.slug, "--url", base.server, "--json").json
    assert (again["status"], again["duplicate"]) == ("ready", True)
    gone = run("ingest", f"{site.url}/none", "--kb", base.slug, "--url", base.server, "--json")
    assert (gone.code, gone.json["status"]) == (1, "refused")
    assert "not there" in gone.json["error"]


def test_a_site_is_watched_looked_at_and_watched_no_more(base: Base, site: Site, run: Run) -> None:
    where = ("--kb", base.slug, "--url", base.server, "--json")
    address = f"{site.url}/sitemap.xml"
    made = run("watch", "add", address, *where, "--exclude", "/old/*", "--delay", "3").json
    assert (made["settings"]["exclude"], made["settings"]["delay_seconds"]) == (["/old/*"], 3)
    asked = run("watch", "look", address, *where)
    assert (asked.code, asked.json["id"]) == (0, made["id"])
    unknown = run("watch", "look", "https://a.example/", *where)
    assert (unknown.code, "is not watched" in unknown.err) == (2, True)
    everywhere = ("--url", base.server, "--json")
    assert made["id"] in [one["id"] for one in run("watch", "list", *everywhere).json]
    other = run("kb", "create", f"other {base.slug}", *everywhere).json["slug"]
    again = run("watch", "add", address, "--kb", other, *everywhere).json
    assert [one["id"] for one in run("watch", "list", *where).json] == [made["id"]]
    both = run("watch", "look", address, *everywhere)
    assert (both.code, other in both.err) == (2, True)
    assert run("watch", "remove", again["id"], *everywhere).code == 0
    assert run("watch", "look", address, *everywhere).json["id"] == made["id"]
    assert run("watch", "remove", made["id"], *where).code == 0
    assert run("watch", "list", *where).json == []


def test_what_is_for_files_alone_is_said_of_a_web_page(base: Base, run: Run) -> None:
    outcome = run("ingest", "https://a.example/", "--kb", base.slug, "--url", base.server, "--label", "2026")
    assert (outcome.code, "are for files" in outcome.err) == (2, True)
