"""Exports and deletions on their page: asked for, fetched, typed first, certified; and who is told why not."""

import json
import re
import zipfile
from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import Page, Route, expect

from shared.archive import import_jobs
from shared.archive.exporting import export_knowledge_base
from shared.archive.import_jobs import run_import
from shared.archive.jobs import run_export
from shared.archive.manifest import ENDING
from shared.archive.outcomes import RunBudget
from shared.contract import export_archive_key, export_request_key, import_archive_key
from shared.domain.scope import Identity
from shared.ports import UploadTarget
from shared.runtime import Runtime
from shared.store.provision import Organization, create_organization
from tests.api.signing import claims_of
from tests.browser.conftest import Opener
from tests.browser.gestures import settle, violations, violations_in_both_themes
from tests.browser.people import People

pytestmark = pytest.mark.browser
DATA = "/settings/data"


@pytest.fixture(scope="module", autouse=True)
def everybody(people: People) -> None:
    for name, role in (("olga", "owner"), ("adam", "admin"), ("edna", "editor"), ("vera", "viewer")):
        people.add(name, role)
        people.request(name, "GET", "/v1/me").raise_for_status()
    people.request("olga", "POST", "/v1/knowledge-bases", {"name": "Stays"}).raise_for_status()


def write_exports(people: People, page: Page) -> list[str]:
    """Does what the bucket's event starts, and returns the ids of the jobs."""
    organization = people.request("olga", "GET", "/v1/me").json()["organization"]["id"]
    jobs = page.evaluate(
        "JSON.parse(localStorage.getItem(Object.keys(localStorage).find(k => k.startsWith('autri-exports-'))))"
    )
    for job in jobs:
        run_export(people.runtime, export_request_key(organization, job))
    return [export_archive_key(organization, job) for job in jobs]


def test_an_export_is_asked_for_goes_on_without_the_page_and_is_fetched(
    open_as: Opener, people: People, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = settle(open_as("adam", DATA))
    page.get_by_role("button", name="Export Stays").click()
    listed = page.get_by_role("list", name="Exports")
    expect(listed).to_contain_text("running")
    assert violations(page) == []
    page.reload()
    expect(listed).to_contain_text("running")
    [key] = write_exports(people, page)
    expect(listed).to_contain_text("kept until")
    monkeypatch.setattr(runtime.blobs, "read_url", lambda wanted: f"{people.url}/signed/{wanted}")
    page.route("**/signed/**", lambda route: route.fulfill(body=runtime.blobs.get(key), content_type="application/zip"))
    with page.expect_download() as fetched:
        page.get_by_role("button", name="Download Stays").click()
    with zipfile.ZipFile(fetched.value.path()) as archive:
        assert archive.testzip() is None
    assert violations(page) == []


@pytest.fixture
def archive(people: People, runtime: Runtime, identity: Identity, tmp_path: Path) -> Path:
    """Of a knowledge base that is gone."""
    made = people.request("olga", "POST", "/v1/knowledge-bases", {"name": "Comes <i>back</i>"}).json()
    file = tmp_path / "back.autri.zip"
    export_knowledge_base(runtime, identity, UUID(made["id"]), file)
    people.request("olga", "DELETE", f"/v1/knowledge-bases/{made['id']}").raise_for_status()
    return file


def choose_archive(page: Page, file: Path, name: str = "") -> None:
    page.get_by_role("button", name="Import an archive").click()
    page.locator("dialog input[type=file]").set_input_files(file)
    page.get_by_label("Call it").fill(name)
    assert violations(page) == []
    page.get_by_role("button", name="Import", exact=True).click()


def arrive(people: People, job: str, data: bytes) -> None:
    """What the bucket does."""
    organization = people.request("olga", "GET", "/v1/me").json()["organization"]["id"]
    key = import_archive_key(organization, job)
    people.runtime.blobs.put(key, data)
    run_import(people.runtime, key)


def test_an_archive_is_sent_from_the_page_and_what_became_of_it_is_listed(
    open_as: Opener, people: People, runtime: Runtime, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = UploadTarget(url=f"{people.url}/bucket", method="POST", headers={}, fields={"key": "its-key"})
    monkeypatch.setattr(type(runtime.blobs), "upload_target", lambda *_: target)
    sent: list[bytes] = []

    def take(route: Route) -> None:
        sent.append(route.request.post_data_buffer or b"")
        route.fulfill(status=204)

    page = settle(open_as("adam", DATA))
    page.route("**/bucket", take)
    choose_archive(page, archive, "Came back")
    listed = page.get_by_role("list", name="Imports")
    expect(listed).to_contain_text("waiting for its archive")
    assert sent[0].index(b"its-key") < sent[0].index(b'filename="back.autri.zip"'), "the file comes last"
    [job] = people.request("adam", "GET", "/v1/imports/jobs").json()["items"]
    assert job["bytes"] == archive.stat().st_size
    arrive(people, job["id"], archive.read_bytes())
    expect(listed).to_contain_text("imported")
    expect(listed).to_contain_text("0 documents, 0 chunks")
    expect(page.get_by_role("list", name="Knowledge bases")).to_contain_text("Came back")
    assert listed.get_by_role("link", name="Came back").get_attribute("href") == "/kb/came-back"
    assert violations(page) == []
    # The same archive again: it is here. Another browser sees both.
    choose_archive(page, archive)
    expect(listed.get_by_role("listitem")).to_have_count(2)
    jobs = people.request("adam", "GET", "/v1/imports/jobs").json()["items"]
    arrive(people, jobs[0]["id"], archive.read_bytes())
    other = settle(open_as("olga", DATA)).get_by_role("list", name="Imports").get_by_role("listitem")
    expect(other).to_have_count(2)
    expect(other.first).to_contain_text("failed")
    expect(other.first).to_contain_text("is here already")
    people.request("olga", "DELETE", f"/v1/knowledge-bases/{job_base(people)}").raise_for_status()


def job_base(people: People) -> str:
    return next(one["id"] for one in bases(people) if one["name"] == "Came back")


def test_what_the_bucket_refuses_is_said_and_the_form_stays(
    open_as: Opener, people: People, runtime: Runtime, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = UploadTarget(url=f"{people.url}/bucket", method="POST", headers={}, fields={"key": "x"})
    monkeypatch.setattr(type(runtime.blobs), "upload_target", lambda *_: target)
    page = settle(open_as("olga", DATA))
    page.route("**/bucket", lambda route: route.fulfill(status=403, body="<Error/>"))
    choose_archive(page, archive)
    dialog = page.get_by_role("dialog", name="Import an archive")
    expect(dialog.get_by_role("alert")).to_have_text("The file was refused (403). Nothing was stored.")


def test_one_machine_reads_the_archive_at_once_and_says_what_is_wrong_with_it(
    open_page: Opener, tmp_path: Path
) -> None:
    page = settle(open_page(DATA))
    with page.expect_download() as kept:
        page.get_by_role("link", name="Export", exact=False).first.click()
    wrong, again = tmp_path / "wrong.zip", tmp_path / "again.autri.zip"
    wrong.write_bytes(b"no zip")
    kept.value.save_as(again)
    choose_archive(page, wrong)
    dialog = page.get_by_role("dialog", name="Import an archive")
    expect(dialog.get_by_role("alert")).to_contain_text("archive")
    dialog.locator("input[type=file]").set_input_files(again)
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("here already")


def test_a_knowledge_base_is_deleted_once_its_name_is_typed_and_certified(
    open_as: Opener, people: People, tmp_path: Path
) -> None:
    people.request("edna", "POST", "/v1/knowledge-bases", {"name": "Goes & <b>goes</b>"}).raise_for_status()
    page = settle(open_as("edna", DATA))
    assert page.get_by_role("button", name="Export").count() == 0
    page.get_by_role("button", name="Delete Goes & <b>goes</b>").click()
    dialog = page.get_by_role("dialog")
    [slug] = [one["slug"] for one in bases(people) if one["name"].startswith("Goes")]
    page.keyboard.type("Goes")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text(f"That is not {slug}. Nothing was deleted.")
    assert len(bases(people)) == 2
    assert violations(page) == []
    page.get_by_label(f"Type {slug}").fill(slug)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Certificate of deletion")).to_contain_text("Goes & <b>goes</b>")
    assert [one["name"] for one in bases(people)] == ["Stays"]
    assert violations(page) == []
    with page.expect_download() as kept:
        page.get_by_role("link", name="Download the certificate").click()
    certificate = json.loads(Path(kept.value.path()).read_text(encoding="utf-8"))
    assert (certificate["kind"], certificate["subject"]["slug"]) == ("knowledge base", slug)
    assert page.locator("dialog code").inner_text() == certificate["sha256"]
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("list", name="Knowledge bases")).not_to_contain_text("Goes")
    assert page.locator("#erasures").count() == 0, "who may not read the audit log asks whoever deleted it"
    later = settle(open_as("adam", DATA))
    later.get_by_role("button", name="Certificate of Goes").click()
    expect(later.get_by_role("dialog", name="Certificate of deletion")).to_contain_text(certificate["sha256"])
    assert violations(later) == []


def test_a_deletion_that_goes_on_after_its_answer_says_so(open_as: Opener) -> None:
    page = settle(open_as("olga", DATA))
    subject = {"id": "1", "slug": "stays", "name": "Stays"}
    job = {"id": "1", "status": "running", "progress": 0.42, "subject": subject, "certificate": None}
    page.route("**/v1/knowledge-bases/*", lambda route: route.fulfill(status=202, json=job | {"ticket": "t"}))
    page.route("**/v1/erasures/1", lambda route: route.fulfill(json=job))
    page.get_by_role("button", name="Delete Stays").click()
    page.get_by_label("Type stays").fill("stays")
    page.get_by_role("button", name="Delete for good").click()
    dialog = page.get_by_role("dialog", name="It is being deleted")
    expect(dialog).to_contain_text("42 % is done")
    assert violations(page) == []
    job |= {"stalled": True, "progress": 0.5}
    expect(dialog).to_contain_text("50 % is done. It has stopped, and goes on by itself within a day.")


def test_the_focus_stays_among_deletions_while_one_goes_on(open_as: Opener) -> None:
    page = open_as("olga", "/")
    subject = {"id": "1", "slug": "stays", "name": "Stays"}
    going = {"id": "1", "status": "running", "progress": 0.42, "subject": subject, "certificate": None}
    gone = {
        "id": "2", "status": "done", "progress": 1, "documents": 1, "subject": {**subject, "name": "Went"},
        "certificate": {"erased_at": "2026-01-01T00:00:00Z", "by": {"name": "Olga"}},
    }  # fmt: skip
    page.route("**/v1/erasures**", lambda route: route.fulfill(json={"items": [going, gone], "next_cursor": None}))
    page.goto(page.url.rstrip("/") + DATA)
    certificate = page.get_by_role("button", name="Certificate of Went")
    certificate.focus()
    # The second is asked for when the first is drawn.
    for _ in range(2):
        with page.expect_response("**/v1/erasures**"):
            pass
    expect(certificate).to_be_focused()


@pytest.mark.parametrize(("who", "said"), [("adam", "Only an owner deletes it"), ("vera", "Owners and admins export")])
def test_who_may_not_is_told_who_may(open_as: Opener, people: People, who: str, said: str) -> None:
    page = settle(open_as(who, DATA))
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_role("button", name="Delete the organization")).to_have_count(0)
    expect(page.get_by_role("button", name="Import an archive")).to_have_count(1 if who == "adam" else 0)
    if who == "vera":
        expect(page.locator("main button")).to_have_count(0)
    assert people.request(who, "POST", "/v1/organization/erase", {"slug": "local"}).status_code == 403
    assert violations(page) == []


@pytest.mark.parametrize("width", [360, 1440])
def test_axe_finds_nothing_and_nothing_overflows(open_as: Opener, width: int) -> None:
    page = settle(open_as("olga", DATA, width=width))
    page.get_by_role("button", name="Export everything").or_(
        page.get_by_role("button", name="Export the organization")
    ).click()
    expect(page.get_by_role("list", name="Exports")).to_contain_text("The whole organization")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations_in_both_themes(page) == []


def test_on_one_machine_the_archive_is_sent_at_once(open_page: Opener) -> None:
    page = settle(open_page(DATA))
    with page.expect_download() as sent:
        page.get_by_role("link", name="Export the organization").click()
    assert sent.value.suggested_filename.endswith(ENDING)


def test_an_organization_is_deleted_by_its_owner_and_only_its_certificate_stays(
    open_as: Opener, people: People, owner_dsn: str
) -> None:
    create_organization(owner_dsn, Organization("leaving", "Leaving", "lena@local.example"))
    people.claims["lena"] = claims_of("lena@local.example")
    page = settle(open_as("lena", DATA))
    page.get_by_role("button", name="Delete the organization").click()
    page.get_by_label("Type leaving").fill("leaving")
    page.get_by_role("button", name="Delete for good").click()
    certificate = page.get_by_role("dialog", name="Certificate of deletion")
    expect(certificate).to_contain_text("organization Leaving (leaving)")
    with page.expect_download() as kept:
        page.get_by_role("link", name="Download the certificate").click()
    assert json.loads(Path(kept.value.path()).read_text(encoding="utf-8"))["subject"]["slug"] == "leaving"
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("no organization has invited you")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("Leaving")


def bases(people: People) -> list[dict[str, str]]:
    return people.request("olga", "GET", "/v1/knowledge-bases").json()["items"]


def test_how_far_jobs_are_is_said_and_a_large_archive_is_sent_in_parts(
    open_as: Opener, people: People, runtime: Runtime, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = 2000
    monkeypatch.setattr(import_jobs, "ONE_REQUEST_BYTES", part)
    monkeypatch.setattr(import_jobs, "PART_BYTES", part)
    monkeypatch.setattr(
        type(runtime.blobs), "part_url", lambda _, key, upload, number: f"{people.url}/bucket?{key}&{upload}&{number}"
    )

    def take(route: Route) -> None:
        key, upload, number = route.request.url.partition("?")[2].split("&")
        tag = runtime.blobs.put_part(key, upload, int(number), route.request.post_data_buffer or b"")
        route.fulfill(status=200, headers={"ETag": tag})

    page = settle(open_as("adam", DATA))
    page.route(re.compile(r"/bucket\?"), take)
    page.get_by_role("button", name="Export Stays").click()
    choose_archive(page, archive, "Came in parts")
    imports, exports = page.get_by_role("list", name="Imports"), page.get_by_role("list", name="Exports")
    expect(imports).to_contain_text("running 0 %")
    organization = people.request("olga", "GET", "/v1/me").json()["organization"]["id"]
    job = people.request("adam", "GET", "/v1/imports/jobs").json()["items"][0]["id"]
    key = import_archive_key(organization, job)
    assert runtime.blobs.get(key) == archive.read_bytes()
    assert run_import(runtime, key, RunBudget(items=12))
    expect(exports).to_contain_text("running")
    [export] = page.evaluate(
        "JSON.parse(localStorage.getItem(Object.keys(localStorage).find(k => k.startsWith('autri-exports-'))))"
    )
    assert run_export(runtime, export_request_key(organization, export), RunBudget(items=12))
    for listed in (imports, exports):
        expect(listed).to_contain_text(re.compile(r"running [1-9]\d? %"))
    assert violations(page) == []
    run_import(runtime, key)
    expect(imports).to_contain_text("Came in parts")
    expect(imports).to_contain_text("imported")
