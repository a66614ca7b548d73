"""A tenant moves from tier 1 to a deployment of its own, by the commands that docs/archive.md names."""

import json
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from functions.cli.main import call
from shared.archive.container import ArchiveReader
from shared.archive.outcomes import RESERVE_S
from shared.contract import export_request_key, import_archive_key
from tests.aws import localize
from tests.aws.assembly import emulated_files
from tests.aws.customer import address_of, callback, ok, upload, wait, web_client
from tests.aws.front import Front, front_of
from tests.aws.login import create_person, sign_in
from tests.aws.people import founder_of, opened_person
from tests.aws.system import System, running_system
from tests.e2e.test_aws_erasing import ended
from tests.e2e.test_aws_faults import until
from tests.e2e.test_aws_front_door import opened_page, walk
from tests.e2e.test_bedrock_engine import pdf_of
from tests.pipeline import RULES_2025

pytestmark = pytest.mark.aws
TENANT = "tenant-acme"
QUESTIONS = ("rules of the part", "drawing", "§ 1")


@pytest.fixture(scope="module")
def own() -> Iterator[System]:
    """The tenant's own deployment."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("export", "import_archive"):
            patch.setitem(localize.TIMEOUTS, f"functions.{name}.handler", round(RESERVE_S) + 1)
        with running_system(TENANT, emulated_files()) as running:
            yield running


@contextmanager
def going_on(system: System) -> Generator[list[str]]:
    """Runs that leave work are followed by others, as the Lambda service has the event bus do, which the emulator does
    not; which kinds of jobs they went on with."""
    kinds, known, stop = list[str](), dict[str, Any](), threading.Event()
    events, functions = system.emulator.client("events"), system.emulator.client("lambda").list_functions()["Functions"]
    arns = {
        kind: next(one["FunctionArn"] for one in functions if part in one["FunctionName"])
        for kind, part in (("export", "ExportsFunction"), ("import", "ImportsFunction"))
    }

    def follow() -> None:
        while not stop.wait(0.5):
            for organization, job, kind, touched in system.rows(
                "select organization_id::text, id::text, kind, touched_at from archive_jobs"
                " where touched_at < now() - interval '2 seconds'"
            ):
                if known.get(job) != touched:
                    key = (export_request_key if kind == "export" else import_archive_key)(organization, job)
                    detail = {"requestContext": {"functionArn": f"{arns[kind]}:live"}}
                    detail |= {"responsePayload": {"key": key, "more": True}}
                    said = "Lambda Function Invocation Result - Success"
                    events.put_events(Entries=[{"Source": "lambda", "DetailType": said, "Detail": json.dumps(detail)}])
                    kinds.append(kind)
                known[job] = touched

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield kinds
    finally:
        stop.set()
        thread.join()


def members(archive: Path) -> dict[str, str]:
    with ArchiveReader(archive) as read:
        return {name: member.sha256 for name, member in read.members.items()}


@pytest.fixture(scope="module")
def here(system: System) -> Iterator[httpx.Client]:
    """The owner of what moves: an organization of two documents, and not what other tests have left in theirs."""
    with founder_of(system, "moving") as api:
        yield api


@pytest.fixture(scope="module")
def there(own: System) -> Iterator[httpx.Client]:
    """Its owner, who is another person with an organization of another id."""
    create_person(own.emulator, own.deployed.only("AWS::Cognito::UserPool"), own.owner)
    tokens = sign_in(own.emulator, web_client(own), callback(own), own.owner)
    with own.api as api:
        api.headers["Authorization"] = f"Bearer {tokens.id_token}"
        yield api


@pytest.fixture(scope="module")
def own_front(own: System) -> Iterator[Front]:
    with front_of(own) as opened:
        yield opened


def admin_key(api: httpx.Client) -> str:
    return str(ok(api.post("/v1/keys", json={"name": "to move", "scope": "admin"}))["secret"])


def hits(api: httpx.Client, base: str) -> list[list[tuple[Any, ...]]]:
    """What is found by each question, in its order."""
    asked = ({"query": question, "knowledge_base_ids": [base]} for question in QUESTIONS)
    found = [ok(api.post("/v1/search", json=one))["hits"] for one in asked]
    return [[(hit["chunk"], hit["score"]) for hit in one] for one in found]


def test_an_organization_moves_to_its_own_deployment_with_its_proofs_and_is_deleted_where_it_was(
    system: System,
    here: httpx.Client,
    own: System,
    there: httpx.Client,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bases = [
        str(ok(here.post("/v1/knowledge-bases", json={"name": name, "description": "x"}))["id"])
        for name in ("Moving rules", "Moving scans")
    ]
    runs = [
        wait(here, upload(here, bases[0], RULES_2025.read_bytes(), "rules.pdf")),
        wait(here, upload(here, bases[1], pdf_of(2, "moving"), "scans.pdf", engine="bedrock")),
    ]
    before = [hits(here, base) for base in bases]
    proofs = [ok(here.get(f"/v1/documents/{run['document_id']}/verify")) for run in runs]
    assert all(before[0]), "something to compare"

    archive = tmp_path / "all.autri.zip"
    left, arrived = address_of(system), address_of(own)
    key, their_key = admin_key(here), admin_key(there)
    assert call(["export", "--organization", str(archive), "--url", left, "--token", key]) == 0, system.guard.denied
    moved = members(archive)
    assert sha256(RULES_2025.read_bytes()).hexdigest() in moved.values()
    capfd.readouterr()
    assert call(["import", str(archive), "--url", left, "--token", key]) == 1
    assert "is here already" in " ".join(capfd.readouterr().err.split())
    back = tmp_path / "back.autri.zip"
    with going_on(own) as kinds:
        assert call(["import", str(archive), "--url", arrived, "--token", their_key]) == 0, own.guard.denied
        assert call(["export", "--organization", str(back), "--url", arrived, "--token", their_key]) == 0
    assert {"import", "export"} <= {*kinds}, "each left work for a further run"
    assert members(back) == moved

    assert [hits(there, base) for base in bases] == before
    for run, proof in zip(runs, proofs, strict=True):
        moved = ok(there.get(f"/v1/documents/{run['document_id']}/verify"))
        assert moved["failed"] == 0
        assert moved["verbatim"] + moved["ocr"] == proof["verbatim"] + proof["ocr"] > 0
        image = there.get(f"/v1/documents/{run['document_id']}/pages/1/image").headers["location"]
        assert httpx.get(image).content.startswith(b"\xff\xd8")
    organizations = {str(id_) for (id_,) in own.rows("select distinct organization_id from chunks")}
    assert organizations == {str(ok(there.get("/v1/me"))["organization"]["id"])}

    for base in bases:
        asked = ok(here.delete(f"/v1/knowledge-bases/{base}"))
        certificate = until(ended(here, asked))
        assert set(certificate["after"]["rows"].values()) == {0}
    assert [hits(there, base) for base in bases] == before


def test_a_session_a_token_and_a_key_of_another_deployment_open_nothing(
    system: System, front: Front, own: System, own_front: Front
) -> None:
    """A person of the same address in both deployments, signed in to each with its own pool, table and keys."""
    email = "both@example.com"
    with ExitStack() as stack:
        here = stack.enter_context(opened_person(system, front, "autri", email, "editor"))
        there = stack.enter_context(opened_person(own, own_front, "acme", email, "editor"))
        for name, given in there.given.items():
            for address, served in ((own_front, 200), (front, 401)):
                with address.client("*/*") as client:
                    asked = [client.get(path, headers=given).status_code for path in ("/v1/me", "/v1/knowledge-bases")]
                    assert asked == [served, served], name
        assert [act("GET", "/v1/me").status_code for act in here.ways.values()] == [200] * 3


@pytest.mark.browser
@pytest.mark.usefixtures("there")
def test_its_owner_signs_in_uploads_looks_searches_and_signs_out(own: System, own_front: Front, tmp_path: Path) -> None:
    """The journey of tier 1 (test_aws_front_door.py) on tier 2, after what arrived there."""
    with opened_page(own_front) as page:
        walk(own_front, page, own.owner, tmp_path)
