"""Bundles: they open offline, cite every place with its picture, hold nobody's markup, and are the same twice."""

import csv
import io
import json
import re
import zipfile
from hashlib import sha256
from typing import Any
from uuid import UUID

import pymupdf
import pytest

from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.api.test_notebooks import HOSTILE, add, make, write
from tests.api.test_threads import begin
from tests.pipeline import make_knowledge_base, run_all, upload

FORMULA = '=HYPERLINK("https://elsewhere.example")'


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    return make_knowledge_base(runtime, identity, "bundles")


@pytest.fixture(scope="module")
def document(runtime: Runtime, identity: Identity, client: Client, base: UUID) -> str:
    """A real file, whose name is hostile."""
    event = run_all(runtime, upload(runtime, identity, base, three_pages("kestrel", drawn=True), "rules.pdf"))
    renamed = client(
        "PATCH", f"/v1/documents/{event['document_id']}", json={"name": f"{FORMULA} {HOSTILE} {{0}} {{x}} %s"}
    )
    assert renamed.is_success, renamed.text
    return event["document_id"]


@pytest.fixture(scope="module")
def notebook(client: Client, base: UUID, document: str) -> str:
    """With each kind of cell."""
    chunks = client.get(f"/v1/documents/{document}/chunks").json()["items"]
    rule = next(chunk for chunk in chunks if "page 2" in chunk["content"])
    figure = next(chunk for chunk in chunks if chunk["chunk_type"] == "figure")
    thread = begin(client, base, "What does the kestrel of page 3 weigh?")
    answer = client.get(f"/v1/threads/{thread}").json()["messages"][0]["answers"][0]["id"]
    note = {"text": f"Weighed again. {HOSTILE}", "title": f"Note {HOSTILE}"}
    posted = client.post(f"/v1/knowledge-bases/{base}/notes", json=note).json()
    made = make(client, base, f"Weights {HOSTILE}")
    # Longer than a page, as its layout errs where a list goes on.
    listed = "\n".join(f"1. item {at}\n    - within" for at in range(1, 61))
    write(client, made, f"# Findings\n\n{HOSTILE} of [2 kg](chunk:{rule['id']})\n\n{listed}")
    for content in (
        {"kind": "chunk", "chunk_id": rule["id"], "remark": HOSTILE},
        {"kind": "chunk", "chunk_id": figure["id"]},
        {"kind": "note", "document_id": posted["id"]},
        {"kind": "answer", "thread_id": thread, "answer_id": answer},
    ):
        add(client, made, content)
    return made.rpartition("/")[2]


def bundle(client: Client, **wanted: Any) -> bytes:
    answer = client.post("/v1/bundles", json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.content


@pytest.mark.parametrize("form", ["html", "pdf", "crate"])
@pytest.mark.parametrize("what", ["notebook", "document"])
def test_the_same_state_gives_the_same_bytes(
    client: Client, notebook: str, document: str, what: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {f"{what}_id": notebook if what == "notebook" else document, "form": form}
    first = bundle(client, **wanted)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert [bundle(client, **wanted) == first for _ in range(3)] == [True] * 3


def test_a_page_holds_all_that_it_shows_and_no_markup_of_anybodys(client: Client, notebook: str) -> None:
    text = bundle(client, notebook_id=notebook, form="html").decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    assert "default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-" in policy[1]
    assert not re.search(r"<script|<iframe|<link|<object| on\w+=(?![^<]*&gt;)| style=", text)
    assert set(re.findall(r'<img src="([^,"]+)', text)) == {"data:image/jpeg;base64"}
    assert not re.search(r'(?:src|href)="(?!data:image/jpeg|#source-)', text)
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 6
    sources = re.findall(r'<li id="source-(\d+)">(.*?)</li>', text, re.DOTALL)
    assert [int(number) for number, _ in sources] == list(range(1, len(sources) + 1))
    of_file = [said for _, said in sources if "HYPERLINK" in said]
    assert len(of_file) >= 3
    for said in of_file:
        assert re.search(r"version 1 · .*page \d", said)
        assert re.search(r"page \d: x 0\.\d{4}, y 0\.\d{4}, w 0\.\d{4}, h 0\.\d{4}", said)
        assert "data:image/jpeg;base64," in said
    assert {int(number) for number in re.findall(r'href="#source-(\d+)"', text)} == {int(n) for n, _ in sources}


def test_a_crop_shows_the_cited_box(client: Client, notebook: str) -> None:
    """Amber corners around the words, which are on the picture."""
    with zipfile.ZipFile(io.BytesIO(bundle(client, notebook_id=notebook, form="crate"))) as crate:
        data = json.loads(crate.read("bundle.json"))
        rule = next(one for one in data["sources"] if "page 2" in one["text"])
        (name,) = [n for n in crate.namelist() if n.startswith(f"crops/{rule['number']}-page-2")]
        picture = pymupdf.Pixmap(crate.read(name))
    amber = [
        (x, y)
        for x in range(picture.width)
        for y in range(picture.height)
        if (p := picture.pixel(x, y))[0] > 190 and 110 < p[1] < 190 and p[2] < 90
    ]
    dark = [(x, y) for x in range(picture.width) for y in range(picture.height) if max(picture.pixel(x, y)) < 90]
    assert amber
    assert dark
    assert min(x for x, _ in amber) < min(x for x, _ in dark)
    assert max(x for x, _ in amber) > max(x for x, _ in dark)


def test_a_crate_names_every_file_with_its_hash_and_every_document_with_its_version(
    client: Client, notebook: str, document: str
) -> None:
    with zipfile.ZipFile(io.BytesIO(bundle(client, notebook_id=notebook, form="crate"))) as crate:
        files = {name: crate.read(name) for name in crate.namelist()}
        stamps = {entry.date_time for entry in crate.infolist()}
    assert list(files) == sorted(files)
    assert len(stamps) == 1
    graph = {one["@id"]: one for one in json.loads(files.pop("ro-crate-metadata.json"))["@graph"]}
    root = graph["./"]
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    assert {part["@id"] for part in root["hasPart"]} == files.keys()
    for name, content in files.items():
        assert graph[name]["sha256"] == sha256(content).hexdigest()
        assert graph[name]["contentSize"] == str(len(content))
    data = json.loads(files["bundle.json"])
    stored = client.get(f"/v1/documents/{document}").json()
    named = next(one for one in data["documents"] if one["id"] == document)
    for name in ("source_hash", "version", "extractor_version", "embedder_version", "revision"):
        assert named[name] == stored[name], name
    assert graph[f"#document-{document}"]["sha256"] == stored["source_hash"]
    assert [cell["kind"] for cell in data["cells"]] == ["markdown", "chunk", "chunk", "note", "answer"]
    rows = list(csv.reader(io.StringIO(files["citations.csv"].decode())))
    assert len(rows) == len(data["sources"]) + 1
    cells = [cell for row in rows for cell in row]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert not any(cell.startswith(("=", "+", "@", "-")) for cell in cells)


def test_a_pdf_has_the_words_and_the_pictures(client: Client, notebook: str) -> None:
    with pymupdf.open(stream=bundle(client, notebook_id=notebook, form="pdf"), filetype="pdf") as printed:
        text = "".join(str(page.get_text()) for page in printed)
        pictures = sum(len(page.get_images()) for page in printed)
        assert (printed.metadata or {})["title"].startswith("Weights <script>")
    assert "The kestrel of page 2 weighs 2 kg." in text
    assert "<script>alert(1)</script>" in text
    assert "w 0." in text
    assert "60. item 60" in text.replace("\xa0", " ")
    assert "• within" in text
    assert pictures >= 3


def test_a_document_has_its_passages_and_ones_own_answers_from_it(client: Client, document: str, notebook: str) -> None:
    text = bundle(client, document_id=document, form="html").decode()
    for page in (1, 2, 3):
        assert f"The kestrel of page {page} weighs {page} kg." in text
    assert "Answers that quote it" in text
    assert "What does the kestrel of page 3 weigh?" in text
    chunks = client.get(f"/v1/documents/{document}/chunks").json()["items"]
    assert len(re.findall(r'<li id="source-', text)) == len([c for c in chunks if c["chunk_type"] != "table_row"])


def test_an_earlier_version_is_bundled_as_it_was(client: Client, base: UUID) -> None:
    made = make(client, base, "Grown")
    write(client, made, "first")
    kept = bundle(client, notebook_id=made.rpartition("/")[2], revision=2)
    write(client, made, "second")
    assert bundle(client, notebook_id=made.rpartition("/")[2], revision=2) == kept
    assert b"second" not in kept
    assert client.post("/v1/bundles", json={"notebook_id": made.rpartition("/")[2], "revision": 9}).status_code == 404


def test_a_bundle_is_of_one_thing_that_is_there(client: Client, notebook: str, document: str) -> None:
    for wanted in ({}, {"notebook_id": notebook, "document_id": document}):
        assert client.post("/v1/bundles", json=wanted).status_code == 422
    for wanted in ({"notebook_id": str(new_id())}, {"document_id": str(new_id())}):
        assert client.post("/v1/bundles", json=wanted).status_code == 404
    acts = client.get("/v1/audit", params={"act": "bundle"}).json()["items"]
    assert f"notebook:{notebook}" in {one["subject_id"] for one in acts}
