"""Every format that is read, on the deployment: dropped or posted, found, proved, by handlers on their own layers."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image, ImageDraw

from shared.readers.code.format import PROGRAMS
from shared.readers.registry import FORMATS
from tests.api.test_records import QUOTE, VALUES
from tests.aws.customer import INGESTION_TIMEOUT_S, documents_bucket, ok, upload_parcel
from tests.aws.system import System
from tests.e2e.test_bedrock_engine import pdf_of
from tests.e2e.test_sheets import PRICES
from tests.readers.compound import compound
from tests.readers.test_binary_sheets import CARGO, WORDS, binary
from tests.readers.test_book import write_epub, write_mhtml
from tests.readers.test_docx import p, write_docx
from tests.readers.test_image import HEIC
from tests.readers.test_legacy_sheets import TIDES, write_xls
from tests.readers.test_notebook import write_notebook
from tests.readers.test_opendocument import p as odf_p
from tests.readers.test_opendocument import write_odf
from tests.readers.test_outlook import message, write_msg
from tests.readers.test_pptx import shape, write_pptx
from tests.readers.workbooks import opendocument, workbook

pytestmark = pytest.mark.aws

MAIL = """From: Ada <ada@example.com>
To: Ben <ben@example.com>
Subject: Quayside crane
Date: Mon, 02 Mar 2026 10:00:00 +0000
Content-Type: text/plain; charset=utf-8

The quayside crane lifts forty tonnes.
"""
PAGE = """<!doctype html><html><head><title>Lighthouse</title></head><body><nav><a href="/">Home</a></nav><main>
<h1>Lighthouse</h1>
<p>The lighthouse blinks twice in ten seconds, and is seen from eighteen miles.</p>
</main></body></html>
"""
FRAME = f"<draw:frame><draw:text-box>{odf_p('The ferry carries ninety cars.')}</draw:text-box></draw:frame>"
SLIDE = f"<draw:page>{FRAME}</draw:page>"
CELL = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
STOCK = "".join(
    f"<table:table-row>{CELL.format(goods)}{CELL.format(pallets)}</table:table-row>"
    for goods, pallets in (("Goods", "Pallets"), ("bricks", "12"), ("tiles", "7"))
)


def scan(at: Path) -> bytes:
    """A picture with something on it; what its words are says the service that reads them."""
    picture = Image.new("L", (850, 1100), 255)
    ImageDraw.Draw(picture).text((85, 20), "The dredger sleeps at dusk.", fill=0, font_size=40)
    picture.save(at)
    return at.read_bytes()


# Beside each file: its source type, a question, and what has to stand in what is found.
Made = tuple[str, Callable[[Path], bytes], str, str, str]
DROPPED: tuple[Made, ...] = (
    ("rules.pdf", lambda _: pdf_of(1, "dropped"), "pdf", "storage of the unit", "dry and between"),
    ("prices.xlsx", lambda _: workbook({"List": PRICES}), "xlsx", "motor power of TA-20", "15,900.50"),
    ("cargo.xls", lambda at: write_xls(at, ("Tides", TIDES, False)).read_bytes(), "xls", "tide at Cuxhaven", "2.9"),
    ("gear.xlsb", lambda _: binary(("Gear", CARGO, False), strings=WORDS), "xlsb", "mass of the crane", "1000000"),
    ("photo.heic", lambda _: HEIC, "image", "when sleeps the dredger", "dusk"),
    ("stock.ods", lambda _: opendocument(f'<table:table table:name="A">{STOCK}</table:table>'),
     "ods", "pallets of bricks", "bricks"),
    ("tides.csv", lambda _: b"Harbour,Tide [m]\nBrest,6.9\nCuxhaven,2.9\n", "csv", "tide at Cuxhaven", "2.9"),
    ("crane.eml", lambda _: MAIL.encode(), "mail", "what does the quayside crane lift", "forty tonnes"),
    ("light.html", lambda _: PAGE.encode(), "html", "how often blinks the lighthouse", "twice in ten seconds"),
    ("lock.docx", lambda at: write_docx(at, p("Lock", "H1") + p("The lock gate opens at noon.")).read_bytes(),
     "docx", "when opens the lock gate", "noon"),
    ("barge.pptx", lambda at: write_pptx(at, shape("Barge", "title") + shape("The barge rests at noon.")).read_bytes(),
     "pptx", "when rests the barge", "noon"),
    ("dock.odt", lambda at: write_odf(at, "text", odf_p("The dry dock is flooded at six.")).read_bytes(),
     "odt", "when is the dry dock flooded", "at six"),
    ("pier.rtf", lambda _: rb"{\rtf1\ansi\pard The pier is lit by eleven lamps.\par}", "rtf",
     "how many lamps light the pier", "eleven lamps"),
    ("tug.epub", lambda at: write_epub(at, "<h1>Tug</h1><p>The tug pulls sixty tonnes.</p>").read_bytes(),
     "epub", "how much pulls the tug", "sixty tonnes"),
    ("light.mhtml", lambda at: write_mhtml(at, PAGE.encode(), "text/html; charset=utf-8").read_bytes(),
     "mhtml", "how often blinks the lighthouse", "twice in ten seconds"),
    ("davit.msg", lambda at: write_msg(at, message({0x0037: "Davit", 0x1000: "The davit swings out."})).read_bytes(),
     "mail", "what does the davit do", "swings out"),
    ("ferry.odp", lambda at: write_odf(at, "presentation", SLIDE).read_bytes(),
     "odp", "how many cars carries the ferry", "ninety cars"),
    ("buoy.md", lambda _: b"# Buoy\n\nThe buoy is painted green.\n", "markdown", "colour of the buoy", "green"),
    ("reef.ipynb", lambda at: write_notebook(at, [{"cell_type": "markdown", "source": "The reef grows a metre."}])
     .read_bytes(), "notebook", "how much grows the reef", "a metre"),
    ("rope.txt", lambda _: b"The mooring rope is made of hemp.\n", "text", "what is the mooring rope made of", "hemp"),
    ("knots.py", lambda _: b"def knots(speed):\n    return speed * 1.943844\n", "python", "speed in knots", "1.943844"),
    ("quay.json", lambda _: b'{"quay": {"name": "East", "length": "410 m"}}', "json", "length of the quay", "410 m"),
    ("mole.xml", lambda _: b"<mole><name>North</name><beacon>red over white</beacon></mole>", "xml",
     "beacon of the mole", "red over white"),
    ("visit.ics", lambda _: b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260302T100000Z\r\n"
     b"SUMMARY:Visit of the pilot boat\r\nLOCATION:Pier seven\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
     "calendar", "where is the visit of the pilot boat", "Pier seven"),
    ("master.vcf", lambda _: b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Harbour\r\nTITLE:Harbour master\r\n"
     b"TEL:+49 4721 5550\r\nEND:VCARD\r\n", "contacts", "telephone of Ada Harbour", "4721 5550"),
    ("tide.yaml", lambda _: b"tide:\n  range: 4.2 m\n", "code", "range of the tide", "4.2 m"),
    ("scan.png", scan, "image", "when sleeps the dredger", "dusk"),
    ("photo.webp", scan, "image", "when sleeps the dredger", "dusk"),
)  # fmt: skip


@pytest.fixture(scope="module")
def base(owner: httpx.Client) -> str:
    return str(ok(owner.post("/v1/knowledge-bases", json={"name": "Formats", "description": "all"}))["id"])


def ingested(system: System, owner: httpx.Client, base: str, name: str, data: bytes) -> dict[str, Any]:
    """The document of a file that is dropped, when its run has ended: one at a time, as processes are then warm."""
    bucket = documents_bucket(system)
    system.emulator.client("s3").put_object(Bucket=bucket, Key=f"drop/{base}/{name}", Body=data)
    deadline = time.monotonic() + INGESTION_TIMEOUT_S
    while True:
        items = ok(owner.get("/v1/documents", params={"knowledge_base_id": base, "limit": 100}))["items"]
        made = next((one for one in items if one["name"] == name), {"status": "queued"})
        if made["status"] not in {"queued", "running"}:
            return made
        assert time.monotonic() < deadline, system.guard.denied
        time.sleep(0.5)


def found(owner: httpx.Client, base: str, question: str) -> list[dict[str, Any]]:
    return ok(owner.post("/v1/search", json={"query": question, "knowledge_base_ids": [base], "k": 3}))["hits"]


def proved(owner: httpx.Client, document: str) -> int:
    """How many chunks there are, none of them unproved."""
    proof = ok(owner.get(f"/v1/documents/{document}/verify"))
    assert (proof["failed"], proof["unclaimed_fragments"]) == (0, 0), proof
    return proof["chunks"]


def test_every_format_that_is_read_is_tried_here() -> None:
    # One scanner reads all programming languages: one of them stands for the others.
    others = {one.source_type for one in PROGRAMS} - {"python"}
    told = {one.source_type for one in FORMATS} - {"doc", "ppt"} - others
    assert {source_type for _, _, source_type, _, _ in DROPPED} == told


def test_an_old_file_that_libreoffice_would_convert_is_refused_with_what_to_do(
    system: System, owner: httpx.Client, base: str
) -> None:
    document = ingested(system, owner, base, "old.doc", compound({"WordDocument": bytes(5_000)}))
    assert document["status"] == "refused"
    assert "LibreOffice" in document["error"]
    assert "save it as .docx" in document["error"]


@pytest.mark.parametrize(
    ("name", "make", "source_type", "question", "answer"), DROPPED, ids=[one[0] for one in DROPPED]
)
def test_a_dropped_file_is_ready_found_and_proved(
    system: System,
    owner: httpx.Client,
    base: str,
    tmp_path: Path,
    name: str,
    make: Callable[[Path], bytes],
    source_type: str,
    question: str,
    answer: str,
) -> None:
    system.textract.lines = [["The", "dredger", "sleeps", "at", "dusk."]]
    document = ingested(system, owner, base, name, make(tmp_path / name))
    assert (document["status"], document["source_type"]) == ("ready", source_type), document
    assert proved(owner, document["id"]) > 0
    hits = [hit["chunk"]["content"] for hit in found(owner, base, question) if hit["document"]["id"] == document["id"]]
    assert answer in " ".join(hits)


def test_a_posted_note_is_found_when_its_request_is_answered_and_its_revision_replaces_it(
    system: System, owner: httpx.Client, base: str
) -> None:
    note = {"text": "# Berth 4\n\nBerth 4 is closed until Friday.\n\n| Ship | Berth |\n|---|---|\n| Marigold | 5 |"}
    made = ok(owner.post(f"/v1/knowledge-bases/{base}/notes", json=note))
    assert made["status"] == "ready"
    assert found(owner, base, "until when is berth 4 closed")[0]["document"]["id"] == made["id"]
    assert proved(owner, made["id"]) >= 3
    revised = {"text": "Berth 4 is open again.", "version_of": made["id"]}
    second = ok(owner.post(f"/v1/knowledge-bases/{base}/notes", json=revised))
    assert second["revision"] == 2
    hits = {hit["document"]["id"] for hit in found(owner, base, "until when is berth 4 closed")}
    assert (second["id"] in hits, made["id"] in hits) == (True, False)
    assert not [one for one in system.guard.denied if "sources/" in one.resource]


def test_a_posted_record_is_checked_found_and_proved(owner: httpx.Client, base: str) -> None:
    address = f"/v1/knowledge-bases/{base}"
    ok(owner.put(f"{address}/record-kinds/quote", json={"schema": QUOTE, "key_field": "number"}))
    refused = owner.post(f"{address}/records", json={"kind": "quote", "values": {"number": 5}})
    assert (refused.status_code, "customer" in refused.text) == (422, True)
    made = ok(owner.post(f"{address}/records", json={"kind": "quote", "values": VALUES}))
    assert found(owner, base, "motor power of quote Q-1042")[0]["document"]["id"] == made["id"]
    assert proved(owner, made["id"]) > 3


def test_files_of_a_zip_are_documents_called_by_their_paths(owner: httpx.Client, base: str) -> None:
    runs = upload_parcel(owner, base, {"yard/winch.txt": "The winch is oiled on Fridays.", "yard/song.mp3": "la"})
    assert [(run["filename"], run["status"]) for run in runs] == [
        ("yard/winch.txt", "ready"),
        ("yard/song.mp3", "refused"),
    ]
    (best, *_) = found(owner, base, "when is the winch oiled")
    assert (best["document"]["name"], "Fridays" in best["chunk"]["content"]) == ("yard/winch.txt", True)
