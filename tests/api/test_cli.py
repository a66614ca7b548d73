import signal
import socket
import subprocess
import sys
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import psycopg
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from functions.api.app import create_app
from functions.cli import server_checks
from functions.cli.api import IN_PROCESS, ApiClient
from functions.cli.http_channel import HttpChannel
from functions.cli.ingestion import Job, ingest_files
from functions.cli.options import LOGIN, keep_login_apart
from functions.cli.server import announced
from shared import VERSION
from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.adapters.chat_server import MODEL, running_chat
from tests.api.conftest import Client, Run
from tests.api.files import three_pages
from tests.aws.account import fake_account, forget_account
from tests.aws.bedrock import TITAN, running_bedrock
from tests.live import serving
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def server(app: FastAPI) -> Iterator[str]:
    with serving(app) as url:
        yield url


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "parts.pdf").write_bytes(three_pages("wing"))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (folder / "notes.mp3").write_bytes(b"notes")
    return folder


def test_a_knowledge_base_is_filled_searched_proved_and_deleted(run: Run, files: Path, home: Path) -> None:
    made = run("kb", "create", "Parts List", "--description", "Parts.", "--json").json
    assert (made["slug"], made["documents"]) == ("parts-list", 0)
    good = check_filling(run, files)
    check_searching(run, good)
    check_proving(run, good, files, home)
    listed = run("documents", "list", "--kb", "parts-list", "--json").json
    assert {d["name"]: d["status"] for d in listed}["parts.pdf"] == "ready"
    assert run("documents", "delete", "parts.pdf", "--json", "--yes").code == 0
    assert "--yes" in run("kb", "delete", "parts-list").err
    assert run("kb", "delete", "parts-list", "--json", "--yes").json["id"] == made["id"]
    assert run("kb", "list", "--json").json == []


def check_filling(run: Run, files: Path) -> dict[str, Any]:
    """The line of the file that could be read."""
    ingested = run("ingest", str(files), str(files / "missing.pdf"), "--kb", "parts-list", "--json")
    assert ingested.code == 1
    lines = {Path(line["path"]).name: line for line in ingested.lines}
    good = lines["parts.pdf"]
    assert (good["status"], good["pages"], good["duplicate"], good["error"]) == ("ready", 3, False, None)
    assert all(seconds is not None for seconds in good["stages"].values())
    assert list(good["stages"]) == ["register", "render", "parse", "extract", "finalize", "embed", "publish"]
    assert {lines[name]["status"] for name in ("broken.pdf", "missing.pdf")} == {"refused"}
    assert "does not exist" in lines["missing.pdf"]["error"]

    again = run("ingest", str(files / "parts.pdf"), "--kb", "PARTS list", "--json")
    assert again.code == 0
    assert (again.json["document_id"], again.json["duplicate"]) == (good["document_id"], True)

    redone = run("reingest", "parts.pdf", "--json")
    assert (redone.code, redone.json["status"]) == (0, "ready")
    assert redone.json["document_id"] == good["document_id"]
    assert redone.json["ingestion_id"] != good["ingestion_id"]
    return good


def check_searching(run: Run, good: dict[str, Any]) -> None:
    chunks = run("chunks", "--kb", "parts-list", "--document", good["document_id"], "--json").lines
    assert [chunk["ordinal"] for chunk in chunks] == list(range(good["chunks"]))

    found = run("lookup", "c2.1", "--kb", "parts-list", "--json").json
    assert [item["section"]["address"] for item in found["sections"]] == ["C2.1"]
    assert run("lookup", "Z99", "--kb", "parts-list", "--json").json["hits"] == []

    hits = run("search", "how heavy is the wing", "--kb", "parts-list", "--json").json["hits"]
    assert hits[0]["chunk"]["document_id"] == good["document_id"]
    assert "p.1" in run("search", "wing", "--kb", "parts-list").out
    asked = ("ask", "What does the wing of page 2 weigh?", "--kb", "parts-list", "--json")
    assert run(*asked).json["citations"]
    assert run(*asked, "--documents", good["document_id"]).json["citations"]
    assert "There is no document" in run(*asked, "--documents", good["ingestion_id"]).err


def check_proving(run: Run, good: dict[str, Any], files: Path, home: Path) -> None:
    proof = run("verify", "--kb", "parts-list", "--json")
    assert proof.code == 0
    assert proof.json["verbatim"] == proof.json["chunks"] == good["chunks"]

    (source,) = home.glob(f"blobs/sources/*/*/{good['ingestion_id']}/source")
    source.write_bytes(three_pages("flap"))
    unproved = run("verify", "--kb", "parts-list", "--json")
    assert unproved.code == 1
    assert [failure["check"] for failure in unproved.json["failures"]] == ["source"]
    assert (unproved.json["verbatim"], unproved.json["failed"]) == (0, good["chunks"])
    assert "source changed" in run("documents", "list", "--kb", "parts-list").out
    source.write_bytes((files / "parts.pdf").read_bytes())
    assert run("verify", "--kb", "parts-list", "--json").code == 0

    forget_chunks(home, good["document_id"])
    emptied = run("verify", "--kb", "parts-list", "--json")
    assert (emptied.code, emptied.json["documents"], emptied.json["chunks"]) == (1, 1, 0)
    assert {failure["page"] for failure in emptied.json["failures"]} == {1, 2, 3}


def forget_chunks(home: Path, document_id: str) -> None:
    """Behind the application's back, its count as well."""
    with EmbeddedPostgres(home / "postgres") as postgres, psycopg.connect(postgres.dsn(SUPERUSER)) as connection:
        deleted = connection.execute("delete from chunks where document_id = %s", (document_id,))
        assert deleted.rowcount > 0
        connection.execute("update documents set chunk_count = 0 where id = %s", (document_id,))


def test_an_unknown_knowledge_base_is_answered_with_those_that_exist(run: Run) -> None:
    run("kb", "create", "kestrel", "--json")
    outcome = run("search", "wing", "--kb", "kestral", "--json")
    assert outcome.code == 1
    assert outcome.out == ""
    assert "`kestral`" in outcome.err
    assert "There is: kestrel." in outcome.err
    assert "autri kb create kestral" in outcome.err


@pytest.mark.parametrize(
    "arguments", [["frobnicate"], ["kb", "create"], ["search", "x"], ["search", "x", "--kb", "k", "-k", "none"]]
)
def test_bad_usage_exits_2_and_prints_nothing_on_stdout(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("search", "x", "--where", "hp>=10"), 2), (("lookup", "C1", "--documents", str(UUID(int=1))), 1)],
)
def test_what_the_api_refuses_is_one_sentence_and_no_success(run: Run, arguments: tuple[str, ...], code: int) -> None:
    run("kb", "create", "filters", "--json")
    outcome = run(*arguments, "--kb", "filters")
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("autri: ")
    assert "Traceback" not in outcome.err


def test_a_server_prints_the_same_json_as_the_api_answers(run: Run, server: str) -> None:
    made = run("kb", "create", "over the network", "--url", server, "--json").json
    assert made == httpx.get(f"{server}/v1/knowledge-bases/{made['id']}").json()
    assert made in run("kb", "list", "--url", server, "--json").json


def test_a_file_is_sent_to_a_server_and_a_refusal_comes_back(run: Run, server: str, files: Path) -> None:
    run("kb", "create", "remote", "--url", server, "--json")
    renamed = (files / "parts.pdf").rename(files / "parts.key")
    outcome = run("ingest", str(renamed), "--kb", "remote", "--url", server, "--json")
    renamed.rename(files / "parts.pdf")
    assert outcome.code == 1
    assert outcome.json["status"] == "refused"
    assert "a presentation by its name" in outcome.json["error"]


def test_a_file_of_another_format_is_refused_without_being_sent(run: Run, server: str, files: Path) -> None:
    run("kb", "create", "unsent", "--url", server, "--json")
    outcome = run("ingest", str(files / "notes.mp3"), "--kb", "unsent", "--url", server, "--json")
    assert (outcome.code, outcome.json["status"], outcome.json["ingestion_id"]) == (1, "refused", None)
    assert "looks like plain text" in outcome.json["error"]


def test_nobody_at_the_address_is_one_sentence(run: Run) -> None:
    outcome = run("kb", "list", "--url", "http://127.0.0.1:1")
    assert (outcome.code, outcome.out) == (1, "")
    assert "No answer from http://127.0.0.1:1" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("a search", "--min-score", "nan"),
        ("\udcff",),
        ("x", "--url", "http://a:b"),
        ("x", "--token", "ü", "--url", "http://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_sent_is_one_sentence(run: Run, arguments: tuple[str, ...]) -> None:
    run("kb", "create", "unsent", "--json")
    outcome = run("search", *arguments, "--kb", "unsent")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("autri: ")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(("path", "leads"), [("/page", "."), ("/moved", ", which leads to /page.")])
def test_a_server_that_is_not_autri_is_called_that(run: Run, path: str, leads: str) -> None:
    site = FastAPI(docs_url=None)
    site.get("/page/v1/knowledge-bases")(lambda: HTMLResponse("Welcome"))
    site.get("/moved/v1/knowledge-bases")(lambda: RedirectResponse("/page"))
    with serving(site) as url:
        outcome = run("kb", "list", "--url", url + path)
        assert (outcome.code, outcome.out) == (1, "")
        assert f"{url}{path} is not an Autri server{leads}" in outcome.err


def test_a_knowledge_base_is_renamed_and_described(run: Run) -> None:
    run("kb", "create", "Old name", "--json")
    changed = run("kb", "rename", "old-name", "--name", "New name", "--json").json
    assert (changed["slug"], changed["name"], changed["description"]) == ("old-name", "New name", "")
    assert "Fresh." in run("kb", "rename", "old-name", "--description", "Fresh.").out
    assert run("kb", "rename", "old-name").code == 2
    assert run("kb", "rename", "old-name", "--date-attribute", "", "--json").json["date_attribute"] is None
    assert run("kb", "rename", "old-name", "--date-attribute", "mass").code == 1


def test_a_redrive_takes_up_a_file_that_was_dropped_into_the_store_once(run: Run) -> None:
    from shared.settings import LocalSettings

    base = run("kb", "create", "Dropped", "--json").json["id"]
    place = LocalSettings().home / "blobs" / "drop" / base
    place.mkdir(parents=True)
    (place / "table.numbers").write_bytes(b"PK")
    assert run("redrive", "--json").json == {"files": 1, "ended": 0}
    assert "spreadsheet" in (place / "table.numbers.refused.json").read_text()
    assert "2 files looked at" in run("redrive").out


def fails(_place: object) -> None:
    raise psycopg.OperationalError("the disk is full")


def test_maintenance_that_fails_is_no_success(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("maintain", "--json").json["failed"] == 0
    shown = run("maintain")
    assert shown.code == 0
    assert "{" not in shown.out
    monkeypatch.setattr("shared.maintenance.TASKS", (fails,))
    broken = run("maintain")
    assert broken.code == 1
    assert "OperationalError: the disk is full" in broken.out


def test_a_change_of_embedders_that_fails_is_no_success(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("kb", "create", "moved", "--json")
    run("ingest", str(files / "parts.pdf"), "--kb", "moved")
    change = ("embedder", "change", "--kb", "moved", "--to", f"{TITAN}/256")
    with monkeypatch.context() as patch:
        forget_account(patch)
        refused = run(*change)
        assert refused.code == 1
        assert "AWS_REGION" in refused.err
    with running_bedrock() as bedrock, fake_account(monkeypatch, bedrock_runtime=bedrock.url):
        bedrock.forbidden.add(TITAN)
        failed = run(*change)
        assert failed.code == 1
        assert "embed for changes: BadInput" in failed.err
        bedrock.forbidden.clear()
        done = run(*change)
        assert done.code == 0
        assert f"is searched by {TITAN}/256" in done.out


def test_migrate_has_nothing_left_to_do_the_second_time(run: Run) -> None:
    run("migrate", "--json")
    again = run("migrate", "--json").json
    assert again["applied"] == []
    assert again["migrations"][0].startswith("0001")


def test_doctor_finds_this_machine_able(run: Run) -> None:
    outcome = run("doctor", "--json", "--port", "1")
    checks = {check["name"]: check for check in outcome.json["checks"]}
    assert outcome.code == 0
    assert all(check["ok"] for check in checks.values() if check["needed"])
    assert {"Python", "Postgres", "embedding model", "disk space", "port"} <= set(checks)
    assert "This machine" not in run("doctor", "--port", "1").out


def test_doctor_asks_the_server_that_runs_on_this_machines_data_what_it_answers_with(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    app = FastAPI()
    said = {"service": "openai", "model": "large", "problem": None, "embedder": "e5", "extraction_model": None}
    for path, told in (("health", {"version": VERSION}), ("ready", {"database": "ok"}), ("model", said)):
        app.get(f"/v1/{path}")(lambda told=told: told)
    monkeypatch.setenv("AUTRI_HOME", str(tmp_path))
    with serving(app) as url, announced(tmp_path, "127.0.0.1", urlsplit(url).port or 0), running_chat() as chat:
        # What the command's own environment names is not called, and nothing is told of it.
        for name in ("AUTRI_MODEL", "AUTRI_FURTHER_MODELS"):
            monkeypatch.setenv(name, f"openai:{MODEL}@{chat.url}/v1")
        checks = run("doctor", "--json", "--port", "1").json["checks"]
        assert [one["found"] for one in checks if one["name"] == "answers"] == ["openai:large"]
        assert {"Postgres", "disk space"} <= {one["name"] for one in checks if one["of"] == "machine"}
        assert (chat.asked, [one for one in checks if one["name"] == "further answers"]) == ([], [])
        assert f"The server at {url}" in run("doctor", "--port", "1").out


def test_doctor_asks_a_server_for_what_is_its_own(
    run: Run, app: FastAPI, runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_checks, "VERSION", "9.9.9")
    with serving(app) as url:
        api_model = Client(app).get("/v1/model").json()
        outcome = run("doctor", "--json", "--url", url)
        checks = {check["name"]: check for check in outcome.json["checks"] if check["of"] == "server"}
        assert outcome.code == 0
        assert {name: one["found"] for name, one in checks.items()} == {
            "server": f"version {VERSION}; this command is of 9.9.9", "database": "ok",
            "answers": "no model: questions are answered by quotations",
            "embedder": runtime.embedder.version, "extraction model": api_model["extraction_model"],
        }  # fmt: skip
        assert {check["name"] for check in outcome.json["checks"] if check["of"] == "machine"} == {"Python", "packages"}
        told = run("doctor", "--url", url).out
        assert told.index(f"The server at {url}") < told.index("database") < told.index("This machine")
        assert told.index("This machine") < told.index("Python")
        assert "leave --url (AUTRI_URL) out" in run("doctor", "--storage", "--url", url).err
    viewer = create_app(runtime, lambda _: identity.model_copy(update={"role": "viewer"}), local=True)
    with serving(viewer) as url:
        found = run("doctor", "--json", "--url", url).json["checks"]
        assert [one["found"] for one in found if one["name"] == "answers"] == [server_checks.QUOTING]
    other = FastAPI()
    other.get("/v1/health")(lambda: {"status": "ok"})
    with serving(other) as url:
        told = run("doctor", "--url", url.replace("://", "://ida:secret@"))
        assert told.code == 1
        assert "no server of Autri" in told.out
        assert f"The server at {url}" in told.out
        assert "secret" not in told.out + told.err
        assert "database" not in told.out
    gone = run("doctor", "--json", "--url", url)
    assert (gone.code, gone.json["checks"][0]["name"], gone.json["checks"][0]["ok"]) == (1, "server", False)


def test_a_password_in_an_address_goes_to_the_server_and_is_told_nowhere(
    run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sent = list[str]()
    app = FastAPI()

    @app.get("/{path:path}")
    def answer(request: Request) -> HTMLResponse:
        sent.append(request.headers.get("authorization", ""))
        return HTMLResponse("No Autri")

    caplog.set_level("DEBUG")
    with serving(app) as url:
        whole = url.replace("://", "://ida:p%40ss@")
        told = [run("kb", "list", "--url", whole), run("--url", whole, "kb", "list"), run("login", "--url", whole)]
        monkeypatch.setenv("AUTRI_URL", whole)
        told.append(run("kb", "list"))
        monkeypatch.delenv("AUTRI_URL")
        told.append(run("kb", "list", "--url", url))
    assert sent == [f"Basic {b64encode(b'ida:p@ss').decode()}"] * 4 + [""]
    told += [run("kb", "list", "--url", whole), run("kb", "list", "--url", "http://ida:p%40ss@[::1")]
    told += [run("kb", "list", "--url", "ida:p%40ss@127.0.0.1:1"), run("kb", "list", "--url", "http://ida:pa/ss@x")]
    assert {one.code for one in told} == {1}
    assert "%2F" in told[-1].err
    said = "".join(one.out + one.err for one in told) + caplog.text
    assert url in said
    assert not [one for one in ("p%40ss", "p@ss", "pa/ss", "ida") if one in said]


@pytest.mark.parametrize(
    ("url", "address", "login"),
    [
        ("http://ann:s3cret@h:9/x", "http://h:9/x", ("ann", "s3cret")), ("//ann:s3cret@h", "//h", ("ann", "s3cret")),
        (" http://ann:s3cret@h:9\n", "http://h:9", ("ann", "s3cret")),
        ("https://s3cret@h", "https://h", ("s3cret", "")),
        ("http://ann@work:s3@cret@h", "http://h", ("ann@work", "s3@cret")),
        ("http://:s3%2Fcret@h", "http://h", ("", "s3/cret")),
        ("http://h:9/a?b#c", "http://h:9/a?b#c", None), ("h", "h", None), (" ", "", None), (None, None, None),
    ],
)  # fmt: skip
def test_a_login_is_taken_out_of_an_address(
    url: str | None, address: str | None, login: tuple[str, str] | None
) -> None:
    LOGIN.set(("of", "before"))
    assert (keep_login_apart(url), LOGIN.get()) == (address, login)


@pytest.mark.parametrize(
    "url",
    [
        "http://ann:7/s3cret@127.0.0.1", "http://ann:80?s3cret@127.0.0.1:9", "http:/ann:s3cret@127.0.0.1:9",
        "http:///ann:s3cret@127.0.0.1:9", "https://s3cret#x@h", "https://s3cret/en@h", "http://ann:7@b/s3cret@h",
        "\x01http://ann:s3cret@h", "ht\ttp://ann:s3cret@h",
    ],
)  # fmt: skip
def test_an_address_whose_password_cannot_be_told_from_the_rest_is_refused_and_not_told(run: Run, url: str) -> None:
    for told in (run("whoami", "--url", url, "--token", "t"), run("--url", url, "kb", "list")):
        assert (told.code, told.out) == (1, "")
        assert "%2F" in told.err
        assert "s3cret" not in told.err


def test_doctor_tells_which_model_a_server_answers_with_and_what_is_wrong_with_it(run: Run) -> None:
    model: dict[str, Any] = {
        "service": "openai", "model": "large", "further": ["openai:small"], "problem": "It has no key.",
        "embedder": "e5", "extraction_model": None,
    }  # fmt: skip
    refused = dict[str, int]()
    app = FastAPI()

    def tell(path: str, said: dict[str, Any]) -> None:
        @app.get(f"/v1{path}")
        def answer() -> JSONResponse:
            if path in refused:
                return JSONResponse({"detail": f"No {path}."}, refused[path], media_type="application/problem+json")
            return JSONResponse(said)

    tell("/health", {"version": VERSION})
    tell("/ready", {"database": "ok"})
    tell("/model", model)
    names = [{"name": "small", "usual": False}, {"name": "large", "usual": True}]
    tell("/models", {"items": names, "next_cursor": None})
    with serving(app) as url:

        def asked() -> tuple[int, dict[str, tuple[bool, str, str]]]:
            found = run("doctor", "--json", "--url", url)
            told = [one for one in found.json["checks"] if one["of"] == "server"]
            return found.code, {one["name"]: (one["ok"], one["found"], one["remedy"]) for one in told}

        code, told = asked()
        assert (code, told["answers"]) == (0, (False, "openai:large, or openai:small", "It has no key."))
        assert told["server"][1] == f"version {VERSION}"
        assert told["extraction model"][1] == "none"
        refused["/model"] = 403
        assert asked()[1]["answers"] == (True, "large", "")
        refused["/model"] = 409
        code, told = asked()
        assert (code, told["answers"][0], "No /model." in told["answers"][1]) == (1, False, True)
        refused.clear()
        refused["/ready"] = 401
        code, told = asked()
        assert (code, told["database"][0], told["answers"][1]) == (1, False, "openai:large, or openai:small")


@pytest.mark.parametrize("engine", ["bedrock", "auto"])
def test_an_engine_that_needs_a_model_says_what_to_set_where_there_is_none(
    run: Run, files: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_account(monkeypatch)
    run("kb", "create", engine)
    outcome = run("ingest", str(next(files.glob("*.pdf"))), "--kb", engine, "--json", "--engine", engine)
    assert outcome.code == 1
    (line,) = outcome.lines
    assert line["status"] == "refused"
    assert all(word in line["error"] for word in ("AWS credentials", "AWS_REGION", "--engine layout"))


def test_an_error_of_the_api_becomes_the_line_of_each_file_that_meets_it(app: FastAPI, files: Path) -> None:
    pdfs = sorted(files.glob("*.pdf"))
    with ApiClient(HttpChannel(IN_PROCESS, transport=httpx.ASGITransport(app))) as api:
        base = api.call("POST", "/knowledge-bases", {"name": "gone meanwhile"})["id"]
        gone: list[str] = []

        def delete_it(_: Job) -> None:
            if not gone:
                gone.append(api.call("DELETE", f"/knowledge-bases/{base}")["id"])

        lines = [
            *ingest_files(api, pdfs, {"knowledge_base_id": base}, delete_it),
            *ingest_files(api, pdfs[:1], {"knowledge_base_id": base}, delete_it),
        ]
    assert len(pdfs) == 2
    assert [line["status"] for line in lines] == ["failed"] * 3
    assert all(line["error"].startswith("There is no ") for line in lines)


def test_an_interrupt_ends_with_one_line_and_130() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        # Whoever starts the tests in the background has them ignore interrupts.
        heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        code = f"{heeding}; from functions.cli.main import run; run()"
        program = [sys.executable, "-c", code, "kb", "list", "--url", url]
        root = Path(__file__).parents[2]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root) as process:
            asked, _ = silent.accept()
            with asked:
                asked.recv(1)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("autri: Interrupted.")
    assert len(err.splitlines()) == 1


def test_a_message_has_a_line_and_so_has_every_file_that_lies_in_it_however_deep(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "rules.zip", "w") as archive:
        archive.writestr("sails.md", "# Sails\n\nOne sail is red.\n")
        archive.writestr("oars.txt", "Oars are of ash.\n")
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "Rules"
    message.set_content("The rules are attached.")
    attached = (tmp_path / "rules.zip").read_bytes()
    message.add_attachment(attached, maintype="application", subtype="zip", filename="rules.zip")
    message.add_attachment("Hulls are of oak.\n", filename="hulls.txt")
    (tmp_path / "rules.eml").write_bytes(message.as_bytes())
    run("kb", "create", "Mail", "--description", "Mail.", "--json")
    lines = run("ingest", str(tmp_path / "rules.eml"), "--kb", "mail", "--json").lines
    assert {(Path(line["path"]).name, line["status"]) for line in lines} == {
        (name, "ready") for name in ("rules.eml", "hulls.txt", "sails.md", "oars.txt")
    }
    assert len(lines) == 4
    listed = run("documents", "list", "--kb", "mail", "--json").json
    assert {one["status"] for one in listed} == {"ready"}
    assert len(listed) == 4
