"""Datasets, plots, files and digests on the deployment: computed and drawn where its layer is, sent in parts."""

import base64
import csv
import hashlib
import io
import time
import zipfile
from typing import Any

import httpx
import pymupdf
import pytest
from PIL import Image

from tests.aws.customer import INGESTION_TIMEOUT_S, invoke, ok, upload, wait
from tests.aws.front import Front
from tests.aws.system import System
from tests.e2e.test_aws_assistants import use_tool
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws

RUNS = (
    "Model,Mass (kg),Accuracy,Seeds\n"
    "Kite,1250.5,0.91,3\n"
    "Heron,1100,0.88,5\n"
    "Crane,980,0.95,3\n"
)  # fmt: skip
GROUPED = {"op": "group", "by": ["Seeds"], "aggregates": [{"function": "mean", "column": "Accuracy"}]}
BARS = {"mark": "bar", "x": {"field": "Model"}, "y": {"field": "Accuracy"}}
# A whole answer of Lambda.
WHOLE = 6 * 2**20


class Lab:
    """The deployment's own address, as whoever owns it."""

    def __init__(self, client: httpx.Client, owner: httpx.Client, base: str) -> None:
        self.client, self.base = client, base
        self.headers = {"Authorization": owner.headers["Authorization"]}

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self.client.request(method, f"/v1{path}", headers=self.headers, timeout=PATIENCE_S, **options)
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer

    def ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        return self.send(method, path, **options).json()

    def make_dataset(self) -> str:
        (table,) = self.ask("GET", f"/knowledge-bases/{self.base}/tables")["items"]
        wanted = {"knowledge_base_id": self.base, "table_ids": [table["table_id"]]}
        return str(self.ask("POST", "/datasets", json=wanted)["id"])

    def make_plot(self, dataset: str) -> str:
        return str(
            self.ask("POST", "/plots", json={"dataset_id": dataset, "name": "Runs", "spec": {"form": BARS}})["id"]
        )


def ingest(owner: httpx.Client, base: str, data: bytes, name: str) -> str:
    run = wait(owner, upload(owner, base, data, name))
    assert run["status"].startswith("ready"), run
    return str(run["document_id"])


def noisy_pdf(pages: int) -> bytes:
    """Pages that are written all over noise, which no codec makes small."""
    noise = io.BytesIO()
    Image.effect_noise((900, 1200), 90).save(noise, "PNG")
    with pymupdf.open() as document:
        for number in range(pages):
            page = document.new_page()
            page.insert_image(page.rect, stream=noise.getvalue())
            words = (
                f"On day {number + 1} the sensor saw the tide rise at noon and fall at dusk, as on the days before. "
            )
            page.insert_textbox((50, 50, 550, 790), words * 26, fontsize=14)
        return document.tobytes()


@pytest.fixture(scope="module")
def base(owner: httpx.Client) -> str:
    made = ok(owner.post("/v1/knowledge-bases", json={"name": "Laboratory", "description": "of models"}))
    return str(made["id"])


@pytest.fixture(scope="module")
def document(owner: httpx.Client, base: str) -> str:
    return ingest(owner, base, RUNS.encode(), "runs.csv")


@pytest.fixture(scope="module")
def lab(front: Front, owner: httpx.Client, base: str, document: str) -> Any:
    assert document
    with front.client() as client:
        yield Lab(client, owner, base)


@pytest.fixture(scope="module")
def dataset(lab: Lab) -> str:
    return lab.make_dataset()


@pytest.fixture(scope="module")
def plot(lab: Lab, dataset: str) -> str:
    return lab.make_plot(dataset)


def test_a_table_of_a_document_becomes_a_dataset_whose_steps_are_computed(
    lab: Lab, dataset: str, document: str
) -> None:
    found = lab.ask("POST", f"/datasets/{dataset}/preview", json={"steps": [GROUPED]})
    assert found["rows"] == [[3, pytest.approx(0.93)], [5, 0.88]]
    behind = lab.ask("POST", f"/datasets/{dataset}/sources", json={"row": 0, "column": 1, "steps": [GROUPED]})
    assert {cell["text"] for cell in behind["cells"]} == {"0.91", "0.95"}
    assert {cell["document_id"] for cell in behind["cells"]} == {document}


def test_a_plot_is_drawn_as_png_and_svg(lab: Lab, plot: str) -> None:
    png, svg = (lab.send("GET", f"/plots/{plot}.{form}") for form in ("png", "svg"))
    assert (png.headers["content-type"], svg.headers["content-type"]) == ("image/png", "image/svg+xml")
    assert Image.open(io.BytesIO(png.content)).size[0] > 300
    assert b"<svg" in svg.content[:200]
    assert b"Kite" in svg.content
    (table,) = lab.ask("GET", f"/plots/{plot}/drawing")["drawing"]["tables"]
    assert {row["cells"][0] for row in table["rows"]} == {"Kite", "Heron", "Crane"}


def test_datasets_and_tables_leave_as_files(lab: Lab, dataset: str) -> None:
    book = lab.send("GET", f"/datasets/{dataset}/export", params={"format": "xlsx"})
    with zipfile.ZipFile(io.BytesIO(book.content)) as packed:
        assert "xl/workbook.xml" in packed.namelist()
    parquet = lab.send("GET", f"/datasets/{dataset}/export", params={"format": "parquet"})
    assert parquet.content.startswith(b"PAR1")
    rows = lab.send("GET", "/exports/tables.csv", params={"knowledge_base_id": lab.base}).text
    assert "Heron" in {cell for row in csv.reader(io.StringIO(rows)) for cell in row}


def test_assistants_read_datasets_and_see_plots(system: System, lab: Lab, dataset: str, plot: str) -> None:
    denied = len(system.guard.denied)
    found = use_tool(lab.client, lab.headers, "read_dataset", dataset_id=dataset, steps=[GROUPED])
    assert found["rows"] == [[3, pytest.approx(0.93)], [5, 0.88]]
    seen = use_tool(lab.client, lab.headers, "read_plot", plot_id=plot, picture=True)
    assert "Crane" in str(seen)
    assert system.guard.denied[denied:] == []


def test_a_bundle_that_is_larger_than_a_whole_answer_arrives(lab: Lab, owner: httpx.Client) -> None:
    document = ingest(owner, lab.base, noisy_pdf(14), "sensor.pdf")
    made = lab.send("POST", "/bundles", json={"document_id": document, "form": "crate"})
    assert len(made.content) > WHOLE, len(made.content)
    digest = hashlib.sha256(made.content).digest()
    assert made.headers["digest"] == f"sha-256={base64.b64encode(digest).decode()}"
    with zipfile.ZipFile(io.BytesIO(made.content)) as packed:
        assert packed.testzip() is None
    printed = lab.send("POST", "/bundles", json={"document_id": document, "form": "pdf"})
    assert printed.content.startswith(b"%PDF")


def test_the_name_of_the_api_that_has_no_lab_says_where_to_ask(lab: Lab, owner: httpx.Client, dataset: str) -> None:
    refused = owner.get(f"/v1/datasets/{dataset}/rows")
    assert refused.status_code == 422, refused.text
    assert "own address" in refused.text


def test_a_digest_follows_by_itself_what_is_ingested_posted_reported_and_deleted(
    system: System, lab: Lab, owner: httpx.Client
) -> None:
    digest = f"/knowledge-bases/{lab.base}/digest"
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    # The end of an ingestion starts maintenance; nobody has asked for an update.
    while not (before := lab.ask("GET", digest))["built"]:
        assert time.monotonic() < deadline, before
        time.sleep(1)

    def told(words: str) -> list[tuple[str, bool]]:
        """The statements of summaries with these words, and whether they are stale; once nothing is behind."""
        limit = time.monotonic() + PATIENCE_S
        while (state := lab.ask("GET", digest))["behind"] or state["stale"]:
            assert time.monotonic() < limit, state
            time.sleep(1)
        listed = lab.ask("GET", f"{digest}/files", params={"tier": "summary"})["items"]
        files = [lab.ask("GET", f"{digest}/files/{one['id']}") for one in listed]
        stated = [line for file in files for line in file["lines"] if line["kind"] == "statement"]
        return [(line["text"], line["stale"]) for line in stated if words in line["text"]]

    # What is posted wakes it as well: nobody asks for an update here.
    said = "The hydraulic fluid of the brake system is exchanged every {} years, whatever the mileage is."
    notes = f"/v1/knowledge-bases/{lab.base}/notes"
    posted = ok(owner.post(notes, json={"text": said.format("two")}))
    assert told("hydraulic") == [(said.format("two"), False)]
    newer = ok(owner.post(notes, json={"text": said.format("five"), "version_of": posted["id"]}))
    assert told("hydraulic") == [(said.format("five"), False)]
    event = {"knowledge_base_id": lab.base, "kind": "deployment", "subject": "Kestrel", "at": "2026-03-02T10:00:00Z"}
    ok(owner.post("/v1/events", json=event))
    assert told("Kestrel")
    for one in (posted, newer):
        ok(owner.delete(f"/v1/documents/{one['id']}"))
    assert told("hydraulic") == []
    assert not invoke(system, "Maintenance", {}).get("errorType")
    folder = lab.send("GET", f"{digest}:export")
    with zipfile.ZipFile(io.BytesIO(folder.content)) as packed:
        assert "index.md" in packed.namelist()
        tables = [packed.read(name).decode() for name in packed.namelist() if name.startswith("assets/")]
    # What its statements cite lies beside it.
    assert any("Heron" in one for one in tables), packed.namelist()
