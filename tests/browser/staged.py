"""A knowledge base of what the samples have not: notes, records, mail with attachments, sheets, Hebrew."""

import time
from functools import cached_property
from typing import Any

import httpx

from tests.browser.sample import Json, ingest, read
from tests.e2e.test_attachments import PDF, mail
from tests.patience import PATIENCE_S
from tests.price_list import made_products, price_workbook
from tests.readers.workbooks import Made, workbook

NAME, SLUG = "Of every kind", "of-every-kind"
ROWS, WIDE = 600, 30
HEBREW = """<html lang="he" dir="rtl"><head><title>כללי המעגן</title></head><body><h1>כללי המעגן</h1>
<h2>4.2 עגינה</h2><p>כל כלי שיט חייב לשלם 120 ש״ח ליום, לפי סעיף 4.2, לא יאוחר מ־14:00.</p>
<p>הטופס PDF נשלח אל harbour@example.org בתוך 30 יום.</p>
<table><tr><th>כלי</th><th>מחיר</th></tr><tr><td>סירה</td><td>120</td></tr><tr><td>יאכטה</td><td>480</td></tr></table>
</body></html>"""
MACHINE = {
    "type": "object",
    "properties": {
        "serial": {"type": "string", "title": "Serial number"},
        "name": {"type": "string", "title": "Name"},
        "mass": {"type": "number", "title": "Mass", "x-unit": "kg"},
        "services": {
            "type": "array", "title": "Services",
            "items": {"type": "object", "properties": {
                "on": {"type": "string", "format": "date", "title": "On"},
                "what": {"type": "string", "title": "What"},
                "cost": {"type": "number", "title": "Cost", "x-unit": "EUR"},
            }},
        },
    },
    "required": ["serial", "name"],
}  # fmt: skip


class Staged:
    """Made where it is not there yet; what is in it by the names of its documents."""

    def __init__(self, api: httpx.Client) -> None:
        self._api, self.slug = api, SLUG
        known = {base["slug"]: base for base in read(api, "/v1/knowledge-bases")["items"]}
        self.id: str = known[SLUG]["id"] if SLUG in known else self._make()

    def _make(self) -> str:
        made = self._post("/v1/knowledge-bases", {"name": NAME, "description": "A document of each kind"})["id"]
        base = f"/v1/knowledge-bases/{made}"
        oil = "# Oil of the winch\n\nThe winch of pier 4 takes 3 litres."
        self._post(f"{base}/notes", {"text": oil, "tags": ["oil"]})
        kind = {"schema": MACHINE, "key_field": "serial", "title_field": "name"}
        self._api.put(f"{base}/record-kinds/machine", json=kind).raise_for_status()
        for mass in (2_300, 2_450):
            self._post(f"{base}/records", {"kind": "machine", "values": _machine(mass)})
        files = (("prices.pdf", PDF, "application/pdf"), ("recording of the call.mp3", b"la", "audio/mpeg"))
        first = mail("Seal of the winch", *files, Message_ID="<1@x>")
        answer = mail("Re: Seal of the winch", Message_ID="<2@x>", In_Reply_To="<1@x>")
        for name, data in (
            ("seal.eml", first.as_bytes()), ("seal-answer.eml", answer.as_bytes()), ("harbour.html", HEBREW.encode()),
            ("prices.xlsx", price_workbook(made_products(90))), ("wide.xlsx", wide_workbook()),
            ("meter.csv", many_rows(ROWS)),
        ):  # fmt: skip
            ingest(self._api, made, name, data)
        self._wait(made)
        wide = next(item for item in self._documents(made) if item["name"] == "prices.xlsx")
        correction = {"document_id": wide["id"]}
        until = {"text": "The prices hold until May.", "type": "correction", "corrects": correction}
        self._post(f"{base}/notes", until)
        return made

    def _post(self, path: str, body: Any) -> Json:
        answer = self._api.post(path, json=body)
        answer.raise_for_status()
        return answer.json()

    def _documents(self, base: str) -> list[Json]:
        return read(self._api, f"/v1/documents?knowledge_base_id={base}&limit=200")["items"]

    def _wait(self, base: str) -> None:
        """Until what is attached to mail is read too."""
        deadline = time.monotonic() + PATIENCE_S
        while any(item["status"] in {"queued", "running"} for item in self._documents(base)):
            assert time.monotonic() < deadline
            time.sleep(0.2)

    @cached_property
    def documents(self) -> dict[str, Json]:
        """The current ones, by name."""
        return {item["name"]: item for item in self._documents(self.id) if item["version"]["is_current"]}

    def path(self, name: str, page: int = 1) -> str:
        return f"/documents/{self.documents[name]['id']}?page={page}"


def _machine(mass: int) -> Json:
    services = [{"on": f"2026-0{n}-11", "what": "Oil and both filters", "cost": 120.5 * n} for n in range(1, 6)]
    return {"serial": "W-4471", "name": "Winch of pier 4", "mass": mass, "services": services}


def wide_workbook() -> bytes:
    """A sheet of as many columns as no screen shows."""
    columns = [chr(65 + at) if at < 26 else f"A{chr(39 + at)}" for at in range(WIDE)]
    cells: dict[str, str | float | tuple[float, str]] = {"A1": "Station"}
    cells |= {f"{column}1": f"Measured in week {at}" for at, column in enumerate(columns) if at}
    for row in range(2, 40):
        cells |= {f"{column}{row}": f"Station {row}" if not at else row * at / 7 for at, column in enumerate(columns)}
    return workbook({"Weeks": Made(cells)})


def many_rows(count: int) -> bytes:
    lines = (f"{n},pump {n % 40},{20 + n % 17}.{n % 10},{'open' if n % 3 else 'closed'}" for n in range(count))
    return "\n".join(("reading,pump,temperature (C),valve", *lines)).encode()
