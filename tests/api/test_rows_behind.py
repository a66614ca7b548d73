"""Searches for rows that are no passages, over a long table with its first rows as passages."""

import csv
import io
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from functions.cli.hits import print_hits, print_rows, print_with_rows
from shared.adapters.local.postgres import EmbeddedPostgres
from shared.archive.exporting import export_knowledge_base
from shared.archive.importing import import_archive
from shared.contract import kept_key
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.library.documents import delete_document
from shared.readers.sheets import cells
from shared.retrieval import rows_behind
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store.kept_words import store_words
from tests.api.conftest import Client
from tests.api.test_long_tables import BLOCK, BLOCKS, HEADER, PASSAGES, ROWS, Table, lines, written
from tests.elsewhere import elsewhere
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload

BEHIND = ROWS - PASSAGES - BLOCKS


@pytest.fixture(scope="module", autouse=True)
def _low_limits() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("PASSAGE_ROWS", PASSAGES + 1), ("BLOCK_ROWS", BLOCK)):
            patch.setattr(cells, name, value)
        yield


@pytest.fixture(scope="module")
def table(runtime: Runtime, identity: Identity, client: Client) -> Table:
    return Table(runtime, identity, client, written([HEADER, *lines()]).encode(), "long.csv")


def places(behind: Any) -> list[int]:
    return [one["row"] for one in behind["hits"]]


def test_a_row_that_is_no_passage_is_found_by_a_word_beside_the_hits(table: Table) -> None:
    hits, behind = table.search("Zanzibar")
    assert not any("Zanzibar" in hit["chunk"]["content"] for hit in hits)
    (found,) = behind["hits"]
    assert (found["document"]["name"], found["sheet"], found["range"]) == ("long.csv", "Sheet1", "A652:D652")
    named = {one["label"]: one["value"] for one in found["cells"]}
    assert named == {"id": "R-0650", "town": "Zug", "mass (kg)": "162.50", "note": "Straße nach Zanzibar"}
    assert (found["words"], behind["absent"], behind["more"]) == (["zanzibar"], [], False)
    view = table.ask("GET", f"/documents/{table.id}/pages/{found['page']}?include=fragments,operations&row=652")
    assert "Straße nach Zanzibar" in [one["text"] for one in view["fragments"]]


def test_every_search_says_which_rows_have_no_part_in_it(table: Table) -> None:
    for query, more in (("nothing like it", {}), ("", {"types": ["table_row"]}), ("Chur", {"index": "vector"})):
        behind = table.search(query, **more)[1]
        assert (behind["rows"], behind["document_count"], behind["hits"]) == (BEHIND, 1, []), query
        assert [(one["document"]["id"], one["rows"]) for one in behind["documents"]] == [(str(table.id), BEHIND)]


def test_a_search_over_other_documents_says_nothing_of_rows(table: Table, identity: Identity) -> None:
    other = make_knowledge_base(table.runtime, identity, "short")
    run_all(table.runtime, upload(table.runtime, identity, other, b"id,town\nR-0650,Zug\n", "short.csv"))
    assert table.search("R-0650", knowledge_base_ids=[str(other)])[1] is None
    both = table.search("R-0650", knowledge_base_ids=[str(other), str(table.base)])
    assert [hit["document"]["name"] for hit in both[0][:1]] == ["short.csv"]
    assert places(both[1]) == [652]


@pytest.mark.parametrize("query", ["R-0777", "r0777", "0777", "When was R-0777 sent to the board, and by whom?"])
def test_a_code_is_found_whatever_else_is_asked_and_however_it_is_written(table: Table, query: str) -> None:
    assert places(table.search(query)[1]) == [779]


def test_a_row_has_all_words_that_some_row_has(table: Table) -> None:
    assert places(table.search("Zug Zanzibar")[1]) == [652]
    assert places(table.search("zanzibar chur")[1]) == []
    behind = table.search("Which shipments went to Zanzibar?")[1]
    assert (places(behind), behind["absent"]) == ([652], ["shipments", "went"])


def test_a_word_that_many_rows_have_lists_none_when_others_are_absent(table: Table) -> None:
    assert table.search("the council of Chur")[1]["hits"] == []
    alone = table.search("Chur")[1]
    assert (len(alone["hits"]), alone["more"]) == (rows_behind.ROWS_SHOWN, True)
    kept = [number for number, row in enumerate(lines(), 2) if row[1] == "Chur" and number not in passages()]
    assert places(alone) == kept[: rows_behind.ROWS_SHOWN]


def passages() -> set[int]:
    """The numbers of rows that are passages: the first, and those that blocks begin with."""
    return {*range(2, PASSAGES + 2), *range(PASSAGES + 2, ROWS + 2, BLOCK)}


def test_a_part_of_a_word_is_none(table: Table) -> None:
    assert table.search("Zanzi")[1]["hits"] == []
    assert table.search("077")[1]["hits"] == []
    # Masses of 65.00 to 65.75; the row of Zug has 65 within its code alone.
    assert places(table.search("65 Zug")[1]) == [262, 263, 264, 265]


def test_rows_are_not_listed_where_filters_leave_them_out(table: Table) -> None:
    for more in ({"types": ["text"]}, {"where": "mass > 1"}, {"index": "vector"}):
        behind = table.search("Zanzibar", **more)[1]
        assert (behind["sought"], behind["hits"], behind["rows"]) == ([], [], BEHIND)
    assert places(table.search("Zanzibar", types=["table_row"])[1]) == [652]


def test_a_block_that_is_gone_is_told_and_the_search_answers(table: Table) -> None:
    key = kept_key(table.event.work, 3)
    stored = table.runtime.blobs.get(key)
    table.runtime.blobs.put(key, stored[:-9])
    try:
        behind = table.search("Zanzibar")[1]
        assert (behind["hits"], behind["unread"]) == ([], BLOCK - 1)
    finally:
        table.runtime.blobs.put(key, stored)


def test_a_code_in_more_blocks_than_are_opened_is_said_to_go_on(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_behind, "BLOCKS_OPENED", 1)
    behind = table.search("chur")[1]
    assert behind["more"]
    assert {one["page"] for one in behind["hits"]} == {2}


def test_a_rejected_document_and_an_earlier_version_have_no_rows_in_a_search(
    runtime: Runtime, identity: Identity, client: Client
) -> None:
    rows = lines()
    table = Table(runtime, identity, client, written([HEADER, *rows]).encode(), "versions.csv")
    rows[650][3] = "over Lamu"
    data = written([HEADER, *rows]).encode()
    newer = run_all(runtime, upload(runtime, identity, table.base, data, "versions.csv", version_of=UUID(table.id)))
    older = str(table.id)
    assert places(table.search("Zanzibar")[1]) == []
    assert places(table.search("Lamu")[1]) == [652]
    (found,) = table.search("Zanzibar", include_superseded=True)[1]["hits"]
    assert (found["document"]["id"], found["version"]["is_current"]) == (older, False)
    assert places(table.search("Zanzibar", documents=[older])[1]) == [652]
    table.ask("PUT", f"/documents/{newer['document_id']}/review", json={"state": "rejected"})
    assert table.search("Lamu")[1] is None


def test_an_answer_names_rows_that_it_does_not_quote_and_no_conversation_keeps_them(table: Table) -> None:
    question = {"question": "What is the price of R-0777?", "knowledge_base_ids": [str(table.base)]}
    answer = table.ask("POST", "/ask", json=question)
    assert places(answer["rows_behind"]) == [779]
    assert answer["insufficient_evidence"]
    assert answer["answer"].endswith("words of it: a search lists them.")
    thread = table.ask("POST", "/threads", 201, json={"scope": {"knowledge_base_ids": [str(table.base)]}})
    kept = table.ask("POST", f"/threads/{thread['id']}/ask", json={"question": question["question"]})
    assert kept["answers"][0]["answer"]["rows_behind"] is None
    other = table.ask("POST", "/ask", json=question | {"question": "What is the mass of R-0042?"})
    assert places(other["rows_behind"]) == []
    assert not other["insufficient_evidence"]


def test_the_sentence_of_rows_is_added_where_nothing_answers_and_rows_have_the_words(table: Table) -> None:
    def answer(question: str) -> Any:
        return table.ask("POST", "/ask", json={"question": question, "knowledge_base_ids": [str(table.base)]})

    said = "Rows of a long table that are no passages have words of it: a search lists them."
    there, nowhere = answer("What is the price of R-0777?"), answer("When was R-7777 sent to Atlantis?")
    assert there["answer"].count(said) == 1
    assert nowhere["insufficient_evidence"]
    assert said not in nowhere["answer"]


ORDERS = ["id", "customer", "amount (CHF)"]


@pytest.fixture(scope="module")
def orders(runtime: Runtime, identity: Identity, client: Client) -> Table:
    rows = [[f"ORD-{at:05d}", "Meier", f"{20_000 + 7 * at:,}.00"] for at in range(ROWS)]
    rows[700] = ["ORD-00700", "Zanetti", "1,234,567.50"]
    return Table(runtime, identity, client, written([ORDERS, *rows]).encode(), "orders.csv")


@pytest.mark.parametrize(
    ("query", "above"),
    [
        ("ORD-00650", True),
        ("When was order ORD-00650 sent to Meier?", True),
        ("Zanetti 00700", True),
        # Passages have every word, or more of the query than the rows; the rows lack one.
        ("ORD-00042", False),
        ("ORD-00042 ORD-00650", False),
        ("Meier", False),
        ("sent to Zanetti", False),
    ],
)
def test_rows_stand_above_the_passages_where_they_alone_have_what_is_asked_for(
    orders: Table, query: str, above: bool
) -> None:
    hits, behind = orders.search(query, k=5)
    assert len(hits) == 5
    assert behind["before_hits"] is above


def test_an_answer_stays_as_it_is_beside_rows_that_have_the_words(orders: Table, identity: Identity) -> None:
    other = make_knowledge_base(orders.runtime, identity, f"deliveries {new_id().hex}")
    text = b"# Deliveries\n\nThe order ORD-00651 was delivered on 3 May 2024 by the night train.\n"
    run_all(orders.runtime, upload(orders.runtime, identity, other, text, "deliveries.md"))
    wish = {"question": "When was the order ORD-00651 delivered?"}
    answer = orders.ask("POST", "/ask", json=wish | {"knowledge_base_ids": [str(orders.base), str(other)]})
    assert (answer["insufficient_evidence"], places(answer["rows_behind"])) == (False, [653])
    assert answer["rows_behind"]["before_hits"] is False
    assert "3 May 2024" in answer["answer"]
    assert "a search lists them" not in answer["answer"]


def test_a_row_below_its_section_and_its_file_has_words_that_these_have(
    runtime: Runtime, identity: Identity, client: Client
) -> None:
    rows = [[f"R-{at:04d}", "", "", ""] for at in range(ROWS)]
    rows[650][3] = "orders of ZX-81"
    table = Table(runtime, identity, client, written([HEADER, *rows]).encode(), "ZX-81 orders.csv")
    behind = table.search("orders ZX-81")[1]
    assert (places(behind), behind["before_hits"]) == ([652], False)


@pytest.mark.parametrize("query", ["651", "ord00651", "24,557", "24557", "24'557.00"])
def test_a_number_is_found_however_it_is_printed(orders: Table, query: str) -> None:
    assert places(orders.search(query)[1]) == [653]


def test_a_number_of_millions_is_found_with_and_without_its_decimals(orders: Table) -> None:
    for query in ("1234567.50", "1,234,567", "1234567"):
        assert places(orders.search(query)[1]) == [702], query


def test_a_number_within_another_is_none(orders: Table) -> None:
    for query in ("0651", "1234", "234.567", "65", "2455"):
        assert [row for row in places(orders.search(query)[1]) if row in (653, 702)] == [], query


def exported(table: Table, query: str, **more: Any) -> list[list[str]]:
    wish = {"query": query, "knowledge_base_ids": [str(table.base)], "k": 5, **more}
    answer = table.client.post("/v1/search:export", json=wish)
    assert answer.status_code == 200, answer.text
    return list(csv.reader(io.StringIO(answer.text)))


def test_an_exported_search_has_the_rows_where_the_search_shows_them(orders: Table) -> None:
    chosen = {"columns": ["id", "customer", "amount", "document", "place", "text"]}
    header, *lines = exported(orders, "ORD-00700", **chosen)
    assert header[2] == "amount (CHF)"
    text = "id: ORD-00700 · customer: Zanetti · amount (CHF): 1,234,567.50"
    assert lines[0] == ["ORD-00700", "Zanetti", "1,234,567.50", "orders.csv", "Sheet1!A702:C702", text]
    assert (len(lines), lines[1][0][:4]) == (6, "ORD-")
    below = exported(orders, "Meier ORD-00042 ORD-00650", **chosen)
    assert [below[1][0], below[-1][0]] == ["ORD-00042", "ORD-00650"]
    listed = [line[4] for line in exported(orders, "Meier", k=300, **chosen)[-300:]]
    kept = [number for number in range(2, ROWS + 2) if number not in passages()]
    assert listed == [f"Sheet1!A{number}:C{number}" for number in kept[:300]]
    assert len(exported(orders, "", types=["table_row"], k=1_000, **chosen)) == 1 + PASSAGES + BLOCKS


def test_an_exported_row_says_its_unit_and_scale_where_the_column_has_another(
    runtime: Runtime, identity: Identity, client: Client
) -> None:
    rows = [[f"A-{at:04d}", f"{at}.5", f"{at}.25"] for at in range(ROWS)]
    named = ["id", "mass (g)", "cost ($ in millions)"]
    table = Table(runtime, identity, client, written([named, *rows]).encode(), "grams.csv")
    more = written([["id", "mass (kg)"], ["A-0650", "7.5"]]).encode()
    run_all(runtime, upload(runtime, identity, table.base, more, "kilograms.csv"))
    header, first, *_, last = exported(table, "A-0650", columns=["id", "mass", "cost", "document"])
    assert (header[1], first) == ("mass", ["A-0650", "7.5 kg", "", "kilograms.csv"])
    assert header[2].startswith("cost")
    assert last == ["A-0650", "mass (g): 650.5", "cost ($ in millions): 650.25", "grams.csv"]


def test_an_export_of_rows_alone_has_their_columns(orders: Table) -> None:
    header, *lines = exported(orders, "ORD-00700", columns=None)
    assert {"id", "customer", "amount (CHF)", "document", "place"} <= {*header}
    assert "Zanetti" in lines[0]


def test_a_command_prints_the_rows_above_the_hits_where_they_alone_have_the_words(
    orders: Table, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for query, above in (("ORD-00650", True), ("Meier", False)):
        hits, behind = orders.search(query, k=5)
        print_with_rows(partial(print_hits, hits), behind)
        printed = capfd.readouterr().out
        assert (printed.index("Rows behind the passages") < printed.index("score ")) is above, query
        assert printed.count("Rows behind the passages") == 1


def test_a_row_is_printed_in_a_group_of_its_own(
    table: Table, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    print_rows(table.search("Zanzibar in the report")[1])
    print_rows(table.search("nowhere")[1])
    first, second, third, *others = capfd.readouterr().out.splitlines()
    assert first == f"Rows behind the passages: {BEHIND} of long.csv, found by word alone; these have words of it"
    assert second == "   in none of them: report"
    assert third == "▌Sheet1 A652:D652  long.csv"
    assert others[0] == "   id: R-0650 · town: Zug · mass (kg): 162.50 · note: Straße nach Zanzibar"
    assert others[2].endswith("none has these words")


def test_rows_move_with_their_knowledge_base_and_go_with_their_document(
    table: Table, identity: Identity, postgres: EmbeddedPostgres, test_home: Path, tmp_path: Path
) -> None:
    export_knowledge_base(table.runtime, identity, table.base, tmp_path / "long.autri.zip")
    with elsewhere(postgres, test_home) as there:
        import_archive(there.runtime, there.identity, tmp_path / "long.autri.zip")
        request = SearchRequest(query="Zanzibar")
        found = search(there.runtime, there.identity, request).rows_behind
        assert found
        assert [hit.row for hit in found.hits] == [652]
        delete_document(there.runtime, there.identity, UUID(table.id))
        assert search(there.runtime, there.identity, request).rows_behind is None
        with there.runtime.database.transaction(there.identity.scope(table.base)) as connection:
            assert connection.execute("select page from kept_words").fetchall() == []


def test_rows_of_a_document_that_was_read_before_are_told_as_unread(table: Table, identity: Identity) -> None:
    scope = scope_of(identity, table.base)
    with table.runtime.database.transaction(scope) as connection:
        words = {row["page"]: row["filter"] for row in connection.execute("select page, filter from kept_words")}
        store_words(connection, table.event.model_dump() | {"ingestion_id": new_id()}, words)
    try:
        behind = table.search("Zanzibar")[1]
        assert (behind["hits"], behind["unread"]) == ([], BEHIND)
    finally:
        with table.runtime.database.transaction(scope) as connection:
            store_words(connection, table.event.model_dump(), words)
    assert places(table.search("Zanzibar")[1]) == [652]
