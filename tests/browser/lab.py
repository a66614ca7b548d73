"""A knowledge base with something on each page: a paper, a table, and a dataset, a plot, summaries, a digest and judged
answers of them."""

from dataclasses import dataclass
from uuid import uuid4

import httpx
import pymupdf

from tests.browser.sample import Json, ingest, read

AIM = "In this paper we propose a lighter rear wing for club racers."
RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."
RUNS = "Model,Mass (kg),Seeds\n" + "".join(f"K-{at},{at}.5,{at % 3}\n" for at in range(1, 251))
TABLE = (("Model", "Accuracy", "F1"), ("Baseline", "71.2", "69.9"), ("Lighter wing", "74.8", "73.1"))


@dataclass(frozen=True)
class Lab:
    """What is in it by its ids; `thread` is the conversation whose answers were judged, `digest_file` the path of a
    file that somebody changed by hand."""

    id: str
    slug: str
    paper: str
    table: str
    dataset: str
    plot: str
    thread: str
    digest_file: str


def paper(table: bool = False) -> bytes:
    """A page with an abstract and results, as a paper sets them, and a table of these."""
    with pymupdf.open() as file:
        page = file.new_page()
        for top, text, size in ((80, "Abstract", 16), (110, AIM, 11), (180, "Results", 16), (210, RESULT, 11)):
            page.insert_text((72, top), text, fontsize=size, fontname="hebo" if size > 11 else "helv")
        if table:
            page.insert_text((72, 260), "Table 1: Results on the club course.", fontsize=11)
            for row, cells in enumerate(TABLE):
                for column, cell in enumerate(cells):
                    page.insert_text((76 + 130 * column, 290 + 22 * row), cell, fontsize=11)
            for line in range(len(TABLE) + 1):
                page.draw_line((72, 274 + 22 * line), (462, 274 + 22 * line))
            for line in range(4):
                page.draw_line((72 + 130 * line, 274), (72 + 130 * line, 274 + 22 * len(TABLE)))
        return file.tobytes()


def made_lab(api: httpx.Client) -> Lab:
    """Makes one, which stays."""
    base = _post(api, "/v1/knowledge-bases", {"name": f"Laboratory {uuid4().hex[:8]}", "description": "Trials"})
    shelf = f"/v1/knowledge-bases/{base['id']}"
    written = ingest(api, base["id"], "wing.pdf", paper(table=True))
    table = ingest(api, base["id"], "runs.csv", RUNS.encode())
    _post(api, f"{shelf}/notes", {"title": "Booms", "text": "The boom must not be wider than 240 mm, says rule 4."})
    for document in (written, table):
        _post(api, f"/v1/documents/{document}/summary", {})
    found = read(api, f"{shelf}/tables?document_id={table}")["items"][0]["table_id"]
    dataset = _post(api, "/v1/datasets", {"knowledge_base_id": base["id"], "table_ids": [found]})["id"]
    form = {"mark": "bar", "x": {"field": "Seeds"}, "y": {"field": "Mass (kg)", "aggregate": "mean"}}
    plot = _post(api, "/v1/plots", {"dataset_id": dataset, "spec": {"form": form}})["id"]
    thread = _judged(api, base["id"])
    return Lab(base["id"], base["slug"], written, table, dataset, plot, thread, _edited(api, shelf))


def _edited(api: httpx.Client, shelf: str) -> str:
    """The path of a file of the digest to which somebody added a statement without a source."""
    _post(api, f"{shelf}/digest:update", {})
    file = next(one for one in read(api, f"{shelf}/digest/files")["items"] if one["path"] == "summaries/booms.md")
    _post(api, f"{shelf}/digest/files/{file['id']}/edits", {"text": "Rule 4 is old.", "uncited": True})
    return file["path"]


def _judged(api: httpx.Client, base: str) -> str:
    """A conversation whose answers somebody called right and wrong."""
    thread = _post(api, "/v1/threads", {"title": "", "scope": {"knowledge_base_ids": [base], "k": 5}})["id"]
    for question, verdict in (("How wide may the boom be?", "right"), ("How long is the boom?", "wrong")):
        asked = _post(api, f"/v1/threads/{thread}/ask", {"question": question, "rewrite": False})
        place = f"/v1/threads/{thread}/answers/{asked['answers'][0]['id']}/feedback"
        api.put(place, json={"verdict": verdict, "note": "It is in rule 4."}).raise_for_status()
    return thread


def _post(api: httpx.Client, path: str, body: Json) -> Json:
    answer = api.post(path, json=body)
    answer.raise_for_status()
    return answer.json()
