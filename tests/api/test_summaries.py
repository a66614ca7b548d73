"""Experiment summaries: verbatim statements with their boxes, versions, edits that stay, and results side by side."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest
from fastapi import FastAPI

from shared.domain.draft import CellDraft, ChunkDraft, DocumentDraft, SectionDraft, TableDraft
from shared.domain.geometry import PageBox
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Scope
from shared.lab.summaries import service
from shared.runtime import Runtime
from shared.store.draft import commit_draft
from tests.adapters.chat_server import running_chat
from tests.api.conftest import Client
from tests.api.test_mcp import Tools, make_key
from tests.conftest import add_member, as_superuser
from tests.live import serving
from tests.store.seeding import Passage, add_base, add_document, section
from tests.store.test_written_answers import answering, saying

AIM = "In this paper we propose a lighter rear wing for club racers. Wings have been used for decades."
METHOD = "We trained every driver for 12 weeks with a batch size of 32 and a learning rate of 0.001."
DATA = "Participants were 48 drivers (n = 48) of two clubs, with a mean age of 31 years."
RESULT = "The lighter wing improved the lap time by 2.5 % over the baseline (p < 0.01, paired t-test)."
LIMIT = "A limitation of this study is its single track. We cannot control for the weather."
OTHERS = "Smith et al. (2011) found that wings improved lap times by 9 %."
TITLES = ("Abstract", "Methods", "Participants", "Results", "Limitations", "Related work")


def sections() -> list[SectionDraft]:
    return [section(at, f"{at + 1}", title) for at, title in enumerate(TITLES)]


def passages(result: str = RESULT) -> list[Passage]:
    texts = (AIM, METHOD, DATA, result, LIMIT, OTHERS)
    return [Passage(text, page=at + 1, section=at) for at, text in enumerate(texts)]


@pytest.fixture
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, f"wings-{new_id().hex}")


@pytest.fixture
def paper(runtime: Runtime, scope: Scope) -> str:
    return str(add_document(runtime, scope, "Kestrel wing", passages(), sections()))


def summarize(client: Client, document: str) -> dict[str, Any]:
    made = client.post(f"/v1/documents/{document}/summary", json={})
    assert made.status_code == 201, made.text
    return made.json()


def texts(summary: dict[str, Any], field: str) -> list[str]:
    return [s["text"] for one in summary["fields"] if one["field"] == field for s in one["statements"]]


def chunk_of(client: Client, document: str, text: str) -> str:
    chunks = client.get(f"/v1/documents/{document}/chunks").json()["items"]
    return next(chunk["id"] for chunk in chunks if text in chunk["content"])


def test_each_field_has_the_sentences_that_state_it_and_nothing_of_what_others_did(client: Client, paper: str) -> None:
    made = summarize(client, paper)
    first, _ = AIM.split(". ", 1)
    assert texts(made, "objective") == [f"{first}."]
    assert texts(made, "setup") == [METHOD]
    assert texts(made, "dataset") == [DATA]
    assert texts(made, "results") == [RESULT]
    assert DATA in texts(made, "stats")
    assert RESULT in texts(made, "stats")
    assert texts(made, "limits") == LIMIT.replace(". We", ".|We").split("|")
    assert texts(made, "confounds") == ["We cannot control for the weather."]
    assert "Smith" not in str(made["fields"])
    missing = next(one for one in made["fields"] if one["field"] == "metrics")
    assert (missing["state"], missing["statements"], missing["confidence"]) == ("missing", [], None)
    assert missing["searched"]["sentences"] == 8


PARTS = (
    ("Synopsis", "Each rider was randomized to one of two kayaks. Lap times improved on both."),
    ("Experimental settings", "We paddled every model on the Otter data set. The Heron data set is used by many."),
    ("Data", "Filtering reduced the log to 340 entries. Filtering reduced the accuracy to 61 %."),
    ("Conclusions", "Shorter paddles outperformed longer ones."),
    ("Remarks", "Wider paddles outperformed slim ones."),
)


def test_an_abstract_speaks_of_all_fields_and_a_section_of_what_its_heading_names(
    client: Client, runtime: Runtime, scope: Scope
) -> None:
    drafts = [section(at, f"{at + 1}", title) for at, (title, _) in enumerate(PARTS)]
    told = [Passage(text, page=at + 1, section=at) for at, (_, text) in enumerate(PARTS)]
    made = summarize(client, str(add_document(runtime, scope, "Paddles", told, drafts)))
    assert "Each rider was randomized to one of two kayaks." in texts(made, "setup")
    assert texts(made, "dataset")[:1] == ["We paddled every model on the Otter data set."]
    assert not any("Heron" in text for text in texts(made, "dataset"))
    assert texts(made, "results") == [
        "Lap times improved on both.",
        "Filtering reduced the accuracy to 61 %.",
        "Shorter paddles outperformed longer ones.",
    ]


def test_every_statement_is_verbatim_in_its_chunk_and_has_its_boxes(client: Client, paper: str) -> None:
    chunks = {one["id"]: one for one in client.get(f"/v1/documents/{paper}/chunks").json()["items"]}
    statements = [s for one in summarize(client, paper)["fields"] for s in one["statements"]]
    assert len(statements) > 6
    for one in statements:
        (cited,) = one["chunk_ids"]
        assert chunks[cited]["content"][one["start"] : one["end"]] == one["text"]
        assert one["boxes"] == chunks[cited]["boxes"] != []
        for value in one["values"]:
            assert one["text"][value["start"] : value["end"]] == value["raw"]


def test_values_are_typed_with_their_units_and_statistics_named(client: Client, paper: str) -> None:
    made = summarize(client, paper)
    (result,) = (s for one in made["fields"] if one["field"] == "results" for s in one["statements"])
    told = [
        (v["kind"], v["quantity"]["number"], v["quantity"]["comparator"], v["quantity"]["unit"])
        for v in result["values"]
    ]
    assert told == [("quantity", 2.5, "=", "%"), ("p_value", 0.01, "<", None)]
    assert result["tests"] == ["paired t-test"]
    (data,) = (s for one in made["fields"] if one["field"] == "dataset" for s in one["statements"])
    assert ("sample_size", 48) in [(v["kind"], v["quantity"]["number"]) for v in data["values"]]
    assert ("quantity", 31, "a") in [
        (v["kind"], v["quantity"]["number"], v["quantity"]["unit"]) for v in data["values"]
    ]


def test_what_says_the_same_is_no_new_version_and_what_was_read_anew_is_one(
    runtime: Runtime, scope: Scope, client: Client, paper: str, owner_dsn: str
) -> None:
    first = summarize(client, paper)
    assert summarize(client, paper)["version"] == first["version"] == 1
    assert first["stale"] == []
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("update documents set revision = revision + 1 where id = %s", [paper])
    assert client.get(f"/v1/documents/{paper}/summary").json()["stale"] == ["changed"]
    again = summarize(client, paper)
    assert (again["version"], again["reason"], again["stale"]) == (2, "rebuilt", [])
    versions = client.get(f"/v1/documents/{paper}/summary/versions").json()
    assert [(one["version"], one["reason"]) for one in versions] == [(1, "made"), (2, "rebuilt")]
    assert client.get(f"/v1/documents/{paper}/summary", params={"version": 1}).json()["version"] == 1
    assert client.get(f"/v1/documents/{paper}/summary", params={"version": 9}).status_code == 404


def test_a_newer_version_of_the_document_makes_its_summary_stale(
    runtime: Runtime, scope: Scope, client: Client, paper: str
) -> None:
    summarize(client, paper)
    newer = add_document(runtime, scope, "Kestrel wing", passages("It slowed by 1 %."), sections(), UUID(paper))
    assert client.get(f"/v1/documents/{paper}/summary").json()["stale"] == ["superseded"]
    assert client.get(f"/v1/documents/{newer}/summary").status_code == 404


def test_a_statement_whose_passage_is_gone_says_so(client: Client, paper: str, owner_dsn: str) -> None:
    before = summarize(client, paper)
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("delete from chunks where id = %s", [chunk_of(client, paper, METHOD)])
    found = client.get(f"/v1/documents/{paper}/summary").json()
    stale = {s["text"] for one in found["fields"] for s in one["statements"] if s["stale"]}
    assert stale == {METHOD}
    setup = {one["field"]: one["confidence"] for one in found["fields"]}["setup"]
    assert setup["density"] == 0
    assert setup["value"] < {one["field"]: one["confidence"] for one in before["fields"]}["setup"]["value"]


def test_edits_stay_when_the_summary_is_made_again_and_can_be_taken_back(
    client: Client, paper: str, owner_dsn: str
) -> None:
    made = summarize(client, paper)
    edits = f"/v1/documents/{paper}/summary/edits"
    (result,) = (s for one in made["fields"] if one["field"] == "results" for s in one["statements"])
    own = "The lighter wing improved the lap time by 2.5 %."
    replaced = client.post(edits, json={"target": result["id"], "text": own}).json()
    assert (replaced["version"], replaced["reason"], texts(replaced, "results")) == (2, "edited", [own])
    limit = next(s for one in replaced["fields"] if one["field"] == "limits" for s in one["statements"])
    assert client.post(edits, json={"target": limit["id"]}).status_code == 201
    added = {"field": "metrics", "text": OTHERS, "chunk_ids": [chunk_of(client, paper, OTHERS)]}
    assert texts(client.post(edits, json=added).json(), "metrics") == [OTHERS]
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("update documents set revision = revision + 1 where id = %s", [paper])
    again = summarize(client, paper)
    assert (again["version"], texts(again, "results"), texts(again, "metrics")) == (5, [own], [OTHERS])
    assert limit["text"] not in texts(again, "limits")
    person = [s for one in again["fields"] for s in one["statements"] if s["origin"] == "person"]
    assert {one["author"] for one in person} == {"dev@localhost"}
    for edit in client.get(edits).json():
        assert client.delete(f"{edits}/{edit['id']}").status_code == 200
    back = client.get(f"/v1/documents/{paper}/summary").json()
    assert {one["field"]: texts(back, one["field"]) for one in made["fields"]} == {
        one["field"]: texts(made, one["field"]) for one in made["fields"]
    }


@pytest.mark.parametrize(
    ("wish", "status", "said"),
    [
        ({"field": "results", "text": "It improved by 7 %."}, 422, "cites its passage"),
        ({"field": "results", "text": "The wing improved the lap time by 7 %.", "chunk_ids": ["RESULT"]}, 422, "7"),
        ({"field": "results", "text": RESULT, "chunk_ids": ["OTHER"]}, 404, "no chunk"),
        ({"target": "nothing"}, 404, "no statement"),
        ({"field": "results"}, 422, "what to change"),
    ],
)
def test_an_edit_that_its_passages_do_not_bear_out_is_refused(
    runtime: Runtime, scope: Scope, client: Client, paper: str, wish: dict[str, Any], status: int, said: str
) -> None:
    summarize(client, paper)
    if "chunk_ids" in wish:
        other = str(add_document(runtime, scope, "Another", [Passage(RESULT)]))
        own = wish["chunk_ids"] == ["RESULT"]
        wish = wish | {"chunk_ids": [chunk_of(client, paper if own else other, RESULT)]}
    refused = client.post(f"/v1/documents/{paper}/summary/edits", json=wish)
    assert (refused.status_code, said in refused.json()["detail"]) == (status, True), refused.text
    assert client.get(f"/v1/documents/{paper}/summary").json()["version"] == 1


def add_results(
    runtime: Runtime,
    scope: Scope,
    name: str,
    metric: str,
    rows: list[list[str]],
    caption: str = "Results on KestrelSet",
) -> str:
    """A document with a table of results: systems in rows, `metric` above the numbers."""
    return add_table(runtime, scope, name, [["System", metric], *rows], caption)


def add_table(runtime: Runtime, scope: Scope, name: str, grid: list[list[str]], caption: str) -> str:
    """A document with a table of a header and rows."""
    box = PageBox(page=1, x=0.1, y=0.2, w=0.5, h=0.1)
    table = TableDraft(
        caption=f"Table 1: {caption}", header_rows=1, first_page=1, last_page=1,
        rows=[[CellDraft(text=text, boxes=[box]) for text in row] for row in grid],
    )  # fmt: skip
    document = add_document(runtime, scope, name, [Passage("Results")])
    chunk = ChunkDraft(section=None, chunk_type="table", content="\n".join(map(" | ".join, grid)), boxes=[box], table=0)
    with runtime.database.transaction(scope) as connection:
        draft = DocumentDraft(sections=[], chunks=[chunk], tables=[table], confidence=1)
        commit_draft(connection, scope, document, draft, name, "test")
    return str(document)


def test_a_label_that_stands_once_in_a_group_of_rows_is_of_all_of_them_with_the_captions_dataset(
    runtime: Runtime, scope: Scope, client: Client
) -> None:
    grid = [
        ["", "", "Heron", "Teal"], ["", "EM", "31.7", "24.1"], ["Dev", "F1", "37.9", "29.9"],
        ["", "EM", "28.6", "23.2"], ["Test", "F1", "34.6", "29.0"],
    ]  # fmt: skip
    made = summarize(client, add_table(runtime, scope, "Groups", grid, "Results on KestrelQA. Bold is best."))
    told = [(one["dataset"], one["metric"], one["system"], one["raw"]) for one in made["cells"]]
    assert told[:4] == [
        ("KestrelQA Dev", "EM", "Heron", "31.7"), ("KestrelQA Dev", "EM", "Teal", "24.1"),
        ("KestrelQA Dev", "F1", "Heron", "37.9"), ("KestrelQA Dev", "F1", "Teal", "29.9"),
    ]  # fmt: skip
    assert {one[0] for one in told[4:]} == {"KestrelQA Test"}


def test_tables_that_name_no_dataset_are_not_taken_for_one(runtime: Runtime, scope: Scope, client: Client) -> None:
    rows = [["Linear SVM", "0.79"]]
    tasks = ("Causality prediction of Linear SVM", "Identification of Linear SVM")
    documents = [add_results(runtime, scope, one, "F1", rows, caption=one) for one in tasks]
    for document in documents:
        summarize(client, document)
    said = client.get("/v1/summaries/compare", params={"document_id": documents}).json()
    assert [(row["dataset"], row["caption"]) for row in said["rows"]] == [("", f"Table 1: {one}") for one in tasks]
    assert [row["disagree"] for row in said["rows"]] == [[False], [False]]


def test_results_of_several_documents_stand_side_by_side_unranked(
    runtime: Runtime, scope: Scope, client: Client
) -> None:
    one = add_results(runtime, scope, "One", "Acc. (%)", [["Heron (Ada et al., 2020)", "81.5"], ["Teal", "79"]])
    two = add_results(runtime, scope, "Two", "acc (%)", [["HERON", "82.25"], ["Swan", "-"]])
    for document in (one, two):
        summarize(client, document)
    said = client.get("/v1/summaries/compare", params={"document_id": [one, two]}).json()
    assert said["columns"] == ["Heron", "Teal"]
    (row,) = said["rows"]
    assert (row["dataset"], row["metric"], row["unit"]) == ("KestrelSet", "Acc. (%)", "%")
    heron, teal = row["cells"]
    assert [(c["document"], c["cell"]["quantity"]["number"], c["cell"]["boxes"][0]["page"]) for c in heron] == [
        ("One", 81.5, 1),
        ("Two", 82.25, 1),
    ]
    assert [c["cell"]["raw"] for c in teal] == ["79"]
    assert "better" not in str(said["rows"])
    listed = client.get(
        "/v1/summaries", params={"metric": "acc", "low": 82, "knowledge_base_id": scope.knowledge_base_ids[0]}
    ).json()["items"]
    assert [(item["document"], [c["raw"] for c in item["cells_found"]]) for item in listed] == [("Two", ["82.25"])]
    of_unit = client.get("/v1/summaries", params={"unit": "%", "knowledge_base_id": scope.knowledge_base_ids[0]})
    shown = {item["document"]: [c["raw"] for c in item["cells_found"]] for item in of_unit.json()["items"]}
    assert {"79", "81.5"} <= {*shown["One"]}
    assert "82.25" in shown["Two"]


def test_an_assistant_reads_results_of_a_metric_and_of_a_system(
    runtime: Runtime, scope: Scope, client: Client, app: FastAPI
) -> None:
    one = add_results(runtime, scope, "One", "Acc. (%)", [["Heron", "81.5"], ["Teal", "79"]])
    summarize(client, one)
    with serving(app) as url:
        tools = Tools(url, make_key(client, scope="read"))

        def results(**wish: str) -> list[str]:
            rows = tools.call("experiment_summaries", documents=[one], **wish)["rows"]
            return [cell["cell"]["raw"] for row in rows for cells in row["cells"] for cell in cells]

        assert results(metric="acc") == results() == ["81.5", "79"]
        assert results(system="teal") == ["79"]
        assert results(metric="teal") == results(system="acc") == []


def test_summaries_are_found_by_words_of_a_field_and_by_values(client: Client, scope: Scope, paper: str) -> None:
    summarize(client, paper)
    base = str(scope.knowledge_base_ids[0])

    def found(**wish: Any) -> list[str]:
        items = client.get("/v1/summaries", params={"knowledge_base_id": base} | wish).json()["items"]
        return [s["text"] for item in items for s in item["statements_found"]] or [item["document"] for item in items]

    assert found(field="setup", words="BATCH size") == [METHOD]
    assert found(field="limits", words="batch size") == []
    assert found(low=47.5, high=48.5) == ["Kestrel wing"]
    assert found(low=47.5, high=47.9) == []
    assert found(field="metrics") == []
    assert found(unit="parsec") == []


def test_nobody_else_reads_a_summary_and_a_viewer_only_reads(
    runtime: Runtime,
    owner_dsn: str,
    client: Client,
    client_of: Callable[[Identity], Client],
    other_identity: Identity,
    paper: str,
) -> None:
    made = summarize(client, paper)
    viewer, stranger = client_of(add_member(runtime, owner_dsn, "local", "viewer")), client_of(other_identity)
    assert viewer.get(f"/v1/documents/{paper}/summary").json() == made
    assert viewer.post(f"/v1/documents/{paper}/summary", json={}).status_code == 403
    for path in ("", "/versions", "/edits"):
        assert stranger.get(f"/v1/documents/{paper}/summary{path}").status_code == 404
    assert stranger.get("/v1/summaries/compare", params={"document_id": paper}).status_code == 404
    assert stranger.get("/v1/summaries").json()["items"] == []


def test_a_summary_goes_with_its_document_and_every_act_is_noted(client: Client, paper: str, owner_dsn: str) -> None:
    made = summarize(client, paper)
    statement = made["fields"][0]["statements"][0]["id"]
    edited = client.post(f"/v1/documents/{paper}/summary/edits", json={"target": statement})
    assert edited.status_code == 201
    noted = [e["act"] for e in client.get("/v1/audit").json()["items"] if e["subject_id"] == paper]
    assert {"summary.make", "summary.edit"} <= {*noted}
    assert client.delete(f"/v1/documents/{paper}").status_code in (200, 202)
    assert client.get(f"/v1/documents/{paper}/summary").status_code == 404
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        left = connection.execute("select count(*) from summary_versions where document_id = %s", [paper]).fetchone()
    assert left == (0,)


def test_a_model_writes_from_the_selected_statements_and_what_they_do_not_bear_out_is_left_out(
    runtime: Runtime, identity: Identity, client: Client, paper: str
) -> None:
    borne, made_up = (f"The lighter wing improved the lap time by {n} %." for n in ("2.5", "40"))
    with running_chat() as chat, answering(runtime, chat) as with_model:
        chat.mind = saying((borne, "lap time"), (made_up, "lap time"))
        service.make_summary(with_model, identity, UUID(paper))
    made = client.get(f"/v1/documents/{paper}/summary").json()
    assert texts(made, "results") == [borne]
    (result,) = (s for one in made["fields"] if one["field"] == "results" for s in one["statements"])
    assert (result["origin"], result["chunk_ids"]) == ("written", [chunk_of(client, paper, RESULT)])
    assert "40 %" not in str(made["fields"])
    # What the model said of the objective is not in its passage: the document's own words stay.
    assert texts(made, "objective")[0].startswith("In this paper we propose")


def test_a_word_that_a_line_divides_is_shown_as_one_and_cited_as_it_is_printed(
    runtime: Runtime, scope: Scope, client: Client
) -> None:
    base = str(scope.knowledge_base_ids[0])
    printed = RESULT.replace("improved", "im- proved").replace("baseline", "base- line")
    document = str(add_document(runtime, scope, "Divided", passages(printed), sections()))
    made = summarize(client, document)
    (result,) = (s for one in made["fields"] if one["field"] == "results" for s in one["statements"])
    assert (result["text"], result["shown"], result["stale"]) == (printed, RESULT, False)
    assert result["chunk_ids"] == [chunk_of(client, document, printed)]
    (listed,) = client.get("/v1/summaries", params={"knowledge_base_id": base, "words": "lap time"}).json()["items"]
    assert {one["shown"] for one in listed["statements_found"]} == {RESULT}
    (kept,) = (f for f in client.get(f"/v1/documents/{document}/summary").json()["fields"] if f["field"] == "results")
    assert kept["statements"] == [result]
    group = {"document_id": [document, str(add_document(runtime, scope, "Bare", passages(), sections()))]}
    told = client.get("/v1/summaries/group", params=group).json()["fields"]
    assert [one["text"] for field in told if field["field"] == "results" for one in field["statements"]] == [RESULT]


def restore(client: Client, document: str, version: int) -> dict[str, Any]:
    made = client.post(f"/v1/documents/{document}/summary/restore", json={"version": version})
    assert made.status_code == 200, made.text
    return made.json()


def test_a_restored_version_is_a_new_one_with_the_changes_that_people_had_made_then(
    client: Client, paper: str, owner_dsn: str
) -> None:
    edits = f"/v1/documents/{paper}/summary/edits"
    made = summarize(client, paper)
    (result,) = (s for one in made["fields"] if one["field"] == "results" for s in one["statements"])
    limit = next(s for one in made["fields"] if one["field"] == "limits" for s in one["statements"])
    own = "The lighter wing improved the lap time by 2.5 %."
    client.post(edits, json={"target": limit["id"]})
    third = client.post(edits, json={"target": result["id"], "text": own}).json()
    for edit in client.get(edits).json():
        assert client.delete(f"{edits}/{edit['id']}").status_code == 200
    assert client.get(edits).json() == []

    again = restore(client, paper, 3)
    assert (again["version"], again["newest"], again["reason"], again["fields"]) == (6, 6, "restored", third["fields"])
    assert client.get(f"/v1/documents/{paper}/summary/versions").json()[-1]["restored"] == 3
    with psycopg.connect(as_superuser(owner_dsn)) as connection:
        connection.execute("update documents set revision = revision + 1 where id = %s", [paper])
    rebuilt = summarize(client, paper)
    assert texts(rebuilt, "results") == [own]
    assert limit["text"] not in texts(rebuilt, "limits")

    first = restore(client, paper, 1)
    assert (first["fields"], client.get(edits).json()) == (made["fields"], [])
    assert client.get(f"/v1/documents/{paper}/summary", params={"version": 3}).json()["newest"] == 8
    refused = client.post(f"/v1/documents/{paper}/summary/restore", json={"version": 8})
    assert (refused.status_code, "nothing to restore" in refused.json()["detail"]) == (409, True)
    assert client.post(f"/v1/documents/{paper}/summary/restore", json={"version": 99}).status_code == 404


def test_what_changed_between_versions_is_told_by_statement(client: Client, paper: str) -> None:
    address = f"/v1/documents/{paper}/summary"
    made = summarize(client, paper)
    (result,) = (s for one in made["fields"] if one["field"] == "results" for s in one["statements"])
    limit = next(s for one in made["fields"] if one["field"] == "limits" for s in one["statements"])
    own = "The lighter wing improved the lap time by 2.5 %."
    client.post(f"{address}/edits", json={"target": result["id"], "text": own})
    client.post(f"{address}/edits", json={"target": limit["id"]})
    added = {"field": "metrics", "text": OTHERS, "chunk_ids": [chunk_of(client, paper, OTHERS)]}
    client.post(f"{address}/edits", json=added)

    def told(**which: int) -> list[tuple[str, str, str | None, str | None]]:
        said = client.get(f"{address}/changes", params=which).json()
        sides = ("before", "after")
        return [
            (one["kind"], one["field"], *(one[side] and one[side]["text"] for side in sides)) for one in said["changes"]
        ]

    assert told() == told(former=3, later=4) == [("added", "metrics", None, OTHERS)]
    assert told(later=2) == [("changed", "results", RESULT, own)]
    assert told(former=1, later=4) == [
        ("added", "metrics", None, OTHERS),
        ("changed", "results", RESULT, own),
        ("removed", "limits", limit["text"], None),
    ]
    assert told(former=4, later=3) == [("removed", "metrics", OTHERS, None)]
    assert {one[0] for one in told(later=1)} == {"added"}
    assert client.get(f"{address}/changes", params={"later": 9}).status_code == 404


def test_a_group_says_each_statement_once_with_every_document_that_says_it(
    runtime: Runtime, scope: Scope, client: Client, paper: str
) -> None:
    hyphenated = RESULT.replace("improved", "im- proved")
    other = str(add_document(runtime, scope, "Teal wing", passages(hyphenated)[1:4], sections()))
    third = str(add_document(runtime, scope, "Slower wing", passages(RESULT.replace("2.5", "7.5"))[3:4], sections()))
    bare = str(add_document(runtime, scope, "Not summarized", passages(), sections()))
    for document in (paper, other, third):
        summarize(client, document)
    said = client.get("/v1/summaries/group", params={"document_id": [paper, other, third, bare]}).json()
    assert [(one["document"], one["version"], one["stale"]) for one in said["documents"]] == [
        ("Kestrel wing", 1, []),
        ("Teal wing", 1, []),
        ("Slower wing", 1, []),
    ]
    assert said["without_summary"] == [bare]
    fields = {one["field"]: one for one in said["fields"]}
    results = [(one["text"], [by["document"] for by in one["said_by"]]) for one in fields["results"]["statements"]]
    assert results == [(RESULT, ["Kestrel wing", "Teal wing"]), (RESULT.replace("2.5", "7.5"), ["Slower wing"])]
    cited = [by["statement"]["chunk_ids"] for by in fields["results"]["statements"][0]["said_by"]]
    assert cited == [[chunk_of(client, paper, RESULT)], [chunk_of(client, other, hyphenated)]]
    setup = fields["setup"]
    assert (setup["coverage"], setup["missing_in"]) == (0.667, ["Slower wing"])
    own = [
        next(f for f in client.get(f"/v1/documents/{one}/summary").json()["fields"] if f["field"] == "setup")
        for one in (paper, other)
    ]
    assert setup["confidence"] == round(sum(one["confidence"]["value"] for one in own) / 3, 3)
    metrics = fields["metrics"]
    assert (metrics["state"], metrics["statements"], metrics["coverage"], len(metrics["missing_in"])) == (
        "missing", [], 0, 3,
    )  # fmt: skip


def test_a_group_begins_with_what_most_say_then_with_what_speaks_most_in_each(
    runtime: Runtime, scope: Scope, client: Client
) -> None:
    weak, strong, common = "Laps improved.", "The wing improved laps by 2 %.", "Drag decreased by 9 %."
    texts_of = {"First": [weak, strong], "Second": ["The keel improved laps by 3 %.", common], "Third": [common]}
    ids = []
    for name, told in texts_of.items():
        made = [Passage(text, section=0) for text in told]
        ids.append(str(add_document(runtime, scope, name, made, [section(0, "1", "Results")])))
        summarize(client, ids[-1])
    said = client.get("/v1/summaries/group", params={"document_id": ids}).json()
    (results,) = [one for one in said["fields"] if one["field"] == "results"]
    assert [one["text"] for one in results["statements"]] == [
        common, strong, "The keel improved laps by 3 %.", weak,
    ]  # fmt: skip
    cited = {"field": "results", "text": weak[:-1], "chunk_ids": [chunk_of(client, ids[0], weak)]}
    assert client.post(f"/v1/documents/{ids[0]}/summary/edits", json=cited).status_code == 201
    said = client.get("/v1/summaries/group", params={"document_id": ids}).json()
    (results,) = [one for one in said["fields"] if one["field"] == "results"]
    # What a person says goes before what the rules found in its document, and is no further one that says it.
    assert [(len(one["said_by"]), one["text"]) for one in results["statements"]] == [
        (2, common), (1, weak[:-1]), (1, "The keel improved laps by 3 %."), (1, strong),
    ]  # fmt: skip


def test_a_group_shows_values_that_disagree_side_by_side_and_what_people_changed_in_one(
    runtime: Runtime, scope: Scope, client: Client, app: FastAPI
) -> None:
    one = add_results(runtime, scope, "One", "Acc. (%)", [["Heron", "81.5"], ["Teal", "79"]])
    two = add_results(runtime, scope, "Two", "acc (%)", [["HERON", "82.25"], ["Teal", "79.0"]])
    group = {"document_id": [one, two]}
    unmade = client.get("/v1/summaries/group", params=group)
    assert (unmade.status_code, "Make theirs first" in unmade.json()["detail"]) == (404, True)
    for document in (one, two):
        summarize(client, document)
    said = client.get("/v1/summaries/group", params=group).json()
    (row,) = said["rows"]
    assert dict(zip(said["columns"], row["disagree"], strict=True)) == {"Heron": True, "Teal": False}
    assert [[cell["cell"]["raw"] for cell in cells] for cells in row["cells"]] == [["81.5", "82.25"], ["79", "79.0"]]
    added = {"field": "limits", "text": "HERON | 82.25", "chunk_ids": [chunk_of(client, two, "HERON")]}
    assert client.post(f"/v1/documents/{two}/summary/edits", json=added).status_code == 201
    with serving(app) as url:
        told = Tools(url, make_key(client, scope="read")).call("group_summary", documents=[one, two], system="heron")
    (limits,) = (field for field in told["fields"] if field["field"] == "limits")
    assert [by["statement"]["author"] for by in limits["statements"][0]["said_by"]] == ["dev@localhost"]
    assert told["columns"] == ["Heron"]
    many = client.get("/v1/summaries/group", params={"document_id": [str(new_id()) for _ in range(21)]})
    assert many.status_code == 422
    newer = add_document(runtime, scope, "Two", [Passage("It slowed by 1 %.")], [], UUID(two))
    assert newer
    stale = client.get("/v1/summaries/group", params=group).json()["documents"]
    assert [member["stale"] for member in stale] == [[], ["superseded"]]


def test_a_stranger_sees_no_group_history_or_way_back_and_a_viewer_restores_nothing(
    runtime: Runtime,
    owner_dsn: str,
    client: Client,
    client_of: Callable[[Identity], Client],
    other_identity: Identity,
    scope: Scope,
    paper: str,
) -> None:
    other = str(add_document(runtime, scope, "Another", passages(), sections()))
    summarize(client, paper)
    viewer, stranger = client_of(add_member(runtime, owner_dsn, "local", "viewer")), client_of(other_identity)
    group = {"document_id": [paper, other]}
    assert viewer.get("/v1/summaries/group", params=group).status_code == 200
    assert stranger.get("/v1/summaries/group", params=group).status_code == 404
    assert stranger.get(f"/v1/documents/{paper}/summary/changes").status_code == 404
    back = f"/v1/documents/{paper}/summary/restore"
    assert [who.post(back, json={"version": 1}).status_code for who in (viewer, stranger)] == [403, 404]


def test_summaries_that_are_compared_are_read_by_one_statement(
    runtime: Runtime, identity: Identity, scope: Scope, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [str(add_document(runtime, scope, f"Wing {at}", passages(), sections())) for at in range(3)]
    for document in documents:
        summarize(client, document)
    asked = list[str]()
    execute = psycopg.Connection.execute

    def counted(connection: Any, query: Any, *given: Any, **named: Any) -> Any:
        asked.append(str(query))
        return execute(connection, query, *given, **named)

    monkeypatch.setattr(psycopg.Connection, "execute", counted)
    said = service.compare(runtime, identity, [UUID(one) for one in documents])
    assert len(said.summaries) == 3
    assert sum("summary_versions" in one for one in asked) == 1
